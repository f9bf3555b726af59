// Random points: distribution, reproducibility, halves, limits; and what follows from their results.
#include "core/random_points.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/fields.hpp"
#include "core/random_findings.hpp"
#include "experiments/matmul_f16.hpp"
#include "experiments/matmul_f32.hpp"
#include "experiments/op_latency.hpp"
#include "experiments/reduce_sum.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

const auto any_point = [](const Point&) { return true; };

std::vector<std::string> names(const std::vector<RandomPoint>& points) {
  std::vector<std::string> all;
  for (const RandomPoint& point : points) all.push_back(point.point.name());
  return all;
}

template <class E>
std::vector<RandomPoint> draw(std::size_t count, std::uint64_t seed,
                              const std::map<std::string, std::string>& given = {},
                              const std::function<bool(const Point&)>& suits = any_point) {
  return random_points(describe<E>(), given, {count, seed}, suits);
}

/// Largest distance between the share of draws below a bound and `expected` of it, over powers of two.
template <class Draw, class Expected>
double distance_of_distributions(const Draw& draw, const Expected& expected, int bits) {
  constexpr std::size_t count = 20'000;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(draw(i));
  double distance = 0;
  for (int bit = 1; bit <= bits; ++bit) {
    const std::int64_t bound = std::int64_t{1} << bit;
    const auto below = std::ranges::count_if(values, [&](std::int64_t v) { return v < bound; });
    distance = std::max(distance, std::abs(static_cast<double>(below) / count - expected(bound)));
  }
  return distance;
}

/// Kolmogorov's distance of 20 000 draws exceeds 1.95 / √20 000 = 0.014 once in a thousand seeds; this seed is fixed.
TEST(LogUniform, HasTheLogarithmsDistributionAndNotAnother) {
  constexpr std::int64_t most = 16'384;
  constexpr double bound = 0.014;
  const auto log_uniformly = [](std::int64_t below) {
    return std::log(static_cast<double>(below)) / std::log(static_cast<double>(most + 1));
  };
  const auto ours = [](std::size_t i) { return log_uniform(1, most, RandomStream(99, i)); };
  EXPECT_LT(distance_of_distributions(ours, log_uniformly, 14), bound);
  // What the bound catches: uniform draws, and octaves that are filled uniformly.
  const auto uniform = [](std::size_t i) {
    return 1 + static_cast<std::int64_t>(RandomStream(99, i).word(0) % static_cast<std::uint64_t>(most));
  };
  EXPECT_GT(distance_of_distributions(uniform, log_uniformly, 14), 0.5);
  std::size_t lower = 0;  // halves of octaves: log2(1.5) of a log-uniform octave, a half of a uniform one
  for (std::size_t i = 0; i < 20'000; ++i) {
    const auto value = static_cast<double>(log_uniform(1 << 10, (1 << 20) - 1, RandomStream(5, i)));
    lower += value < 1.5 * std::exp2(std::floor(std::log2(value)));
  }
  EXPECT_NEAR(static_cast<double>(lower) / 20'000, std::log2(1.5), bound);
}

TEST(LogUniform, KeepsToItsBounds) {
  for (const auto& [least, most] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {1000, 1001}, {3, 5}}) {
    std::set<std::int64_t> seen;
    for (std::uint64_t i = 0; i < 200; ++i) seen.insert(log_uniform(least, most, RandomStream(1, i)));
    EXPECT_EQ(*seen.begin(), least);
    EXPECT_EQ(*seen.rbegin(), most);
  }
  const std::int64_t large = log_uniform(std::int64_t{1} << 60, (std::int64_t{1} << 61) - 1, RandomStream(1, 1));
  EXPECT_GE(large, std::int64_t{1} << 60);
}

/// As another implementation of the same draws has them (Python's integers).
TEST(RandomPoints, AreTheSameOnEveryPlatform) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(draw<MatmulF32>(6, 7)),
            (Names{"m:8/n:264/k:248/type:f32", "m:1046/n:3/k:5072/type:f32", "m:128/n:8/k:32/type:f32",
                   "m:3/n:10/k:39/type:f32", "m:8/n:8/k:5384/type:f32", "m:825/n:4/k:2/type:f32"}));
  EXPECT_EQ(names(draw<MatmulF16>(4, 7)),
            (Names{"m:8/n:264/k:248/layout:nn/type:f16", "m:1046/n:3/k:5072/layout:nn/type:bf16",
                   "m:128/n:8/k:32/layout:tn/type:f16", "m:3/n:10/k:39/layout:tn/type:f16"}));
  EXPECT_EQ(names(draw<ReduceSum>(4, 7)),
            (Names{"n:1/type:f32", "n:2142758/type:f32", "n:1079/type:f32", "n:7/type:f32"}));
  EXPECT_NE(names(draw<MatmulF32>(6, 7)), names(draw<MatmulF32>(6, 8)));
  EXPECT_EQ(names(draw<MatmulF32>(6, 7)), names([] {
              auto longer = draw<MatmulF32>(64, 7);
              longer.resize(6);
              return longer;
            }()));
}

TEST(RandomPoints, OfProductsAreHalfMultiplesOf8) {
  const std::vector<RandomPoint> points = draw<MatmulF16>(64, 1);
  ASSERT_EQ(points.size(), 64u);
  std::map<std::string, std::size_t> halves;
  std::set<std::string> layouts, types;
  std::size_t odd = 0;
  for (const auto& [point, half] : points) {
    ++halves[half];
    layouts.insert(point.word("layout"));
    types.insert(point.word("type"));
    EXPECT_EQ(point.word("out"), "same");
    const auto [m, n, k] = shape_of(point);
    const bool is_multiple = m % 8 == 0 && n % 8 == 0 && k % 8 == 0;
    EXPECT_TRUE(is_multiple || half == "any") << point.name();
    odd += !is_multiple;
    EXPECT_LE(std::max({m, n, k}), 16'384u);
    EXPECT_LE(2.0 * static_cast<double>(m * n * k), 0x1p41);
  }
  EXPECT_EQ(halves, (std::map<std::string, std::size_t>{{"any", 32}, {"multiples of 8", 32}}));
  EXPECT_GE(odd, 28u);  // else the other half would not be one
  EXPECT_EQ(layouts.size(), 2u);
  EXPECT_EQ(types.size(), 2u);
}

TEST(RandomPoints, TakeWordsAndUndrawnAxesFromWhatIsGiven) {
  for (const auto& [point, half] : draw<MatmulF16>(32, 3, {{"layout", "tn"}, {"out", "f32"}})) {
    EXPECT_EQ(point.word("layout"), "tn");
    EXPECT_EQ(point.word("out"), "f32");
  }
  std::set<std::string> types;
  for (const auto& [point, half] : draw<ReduceSum>(32, 3, {{"type", "f64,i32"}})) types.insert(point.word("type"));
  EXPECT_EQ(types, (std::set<std::string>{"f64", "i32"}));
  EXPECT_TRUE(refuses(
      [] {
        draw<ReduceSum>(4, 1, {{"n", "8"}});
      },
      "--n 8: --random draws n of reduce_sum; leave out one of the two"));
  EXPECT_FALSE(has_random_axes(describe<OpLatency>()));
}

TEST(RandomPoints, FitAndDiffer) {
  const auto small = [](const Point& point) { return point.integer("n") < 20; };
  const std::vector<RandomPoint> points = draw<ReduceSum>(40, 1, {}, small);
  EXPECT_EQ(points.size(), 19u);  // all that there are
  const std::vector<std::string> all = names(points);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  // A device's limits redraw a point, and leave the others as they are.
  RandomSample sample{16, 7, [](const ExperimentEntry& experiment, const Point& point) {
                        return experiment.footprint(point) < 1 << 20;
                      }};
  const ExperimentEntry products = describe<MatmulF32>();
  const auto fitting = random_points(products, {}, sample, any_point), free = draw<MatmulF32>(16, 7);
  std::size_t same = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    EXPECT_LT(products.footprint(fitting[i].point), 1u << 20);
    if (products.footprint(free[i].point) < 1 << 20) {
      EXPECT_EQ(fitting[i].point.name(), free[i].point.name());
      ++same;
    }
  }
  EXPECT_GE(same, 4u);
  EXPECT_LT(same, 16u);
}

TEST(RandomTestCells, AreSmallAndTakeTurnsWithTunings) {
  fake::Lab lab;
  VariantEntry tuned = fake::variant("fake", "tuned");
  tuned.experiment = "row";
  tuned.tunings = {{{{"block", 256}}}, {{{"block", 1024}}}};
  ExperimentEntry row = describe<fake::Fill>();
  row.name = "row";
  row.axes[0].random = RandomRange{.most = 1 << 20};
  row.test_points = [] { return std::vector<TestPoint>{{fake::Fill::point(50)}, {fake::Fill::point(1 << 19), true}}; };
  row.cost = [](const Point& p) { return Cost{.accesses = static_cast<double>(p.integer("n"))}; };
  lab.registry.add(tuned, row);
  const std::vector<Cell> cells = lab.registry.random_test_cells(4, 3, 1 << 16);
  ASSERT_EQ(cells.size(), 4u);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_LE(cells[i].point.integer("n"), 50);
    EXPECT_EQ(cells[i].tuning, &cells[i].variant->tunings[i % 2]);
  }
}

/// Results of `fill`: time by rung and n.
class RandomFindings : public testing::Test {
 protected:
  RandomFindings() {
    lab.add(fake::variant("fake", "own"));
    VariantEntry library = fake::variant("fake", "vendor");
    library.library = true;
    lab.add(library);
  }
  Result result(const std::string& variant, std::int64_t n, double seconds, const std::string& half) const {
    Filter filter;
    filter.variants = {variant};
    filter.axes["n"] = std::to_string(n);
    Result r;
    r.cell = lab.registry.cells(filter).front();
    r.cell.half = half;
    r.status = Status::ok;
    r.cost = r.cell.experiment->cost(r.cell.point);
    r.measurement.seconds = {{seconds}};
    return r;
  }
  static std::vector<std::string> sentences(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const Finding& finding : findings) all.push_back(to_string(finding));
    return all;
  }
  fake::Lab lab;
};

TEST_F(RandomFindings, NameTheWorstPointOfEachHalf) {
  const std::string what = ": speed over the fastest library of fake/fill/own: geometric mean ";
  EXPECT_EQ(
      sentences(random_findings({result("own", 5, 2.0, "any"), result("vendor", 5, 1.0, "any"),
                                 result("own", 7, 1.0, "any"), result("vendor", 7, 8.0, "any"),
                                 result("own", 8, 1.0, "multiples of 8"), result("vendor", 8, 3.0, "multiples of 8"),
                                 result("own", 9, 100.0, ""), result("vendor", 9, 1.0, "")})),
      (std::vector{"random points, any" + what + "2 of 2, worst 0.5 at n:5/type:f32",
                   "random points, multiples of 8" + what + "3 of 1, worst 3 at n:8/type:f32"}));
  EXPECT_TRUE(random_findings({result("own", 5, 2.0, ""), result("vendor", 5, 1.0, "")}).empty());
}

TEST_F(RandomFindings, TakeTheFastestRungWithoutALibrary) {
  lab.add(fake::variant("fake", "better"));
  EXPECT_EQ(
      sentences(random_findings({result("own", 5, 2.0, "any"), result("better", 5, 1.0, "any")})),
      (std::vector<std::string>{
          "random points, any: speed over the fastest rung of fake/fill/better: geometric mean 1 of 1, worst 1 at "
          "n:5/type:f32",
          "random points, any: speed over the fastest rung of fake/fill/own: geometric mean 0.5 of 1, worst 0.5 at "
          "n:5/type:f32"}));
}

TEST_F(RandomFindings, AreNoPartOfACurve) {
  EXPECT_EQ(outcomes({result("own", 5, 2.0, "any"), result("own", 6, 2.0, "")}).size(), 1u);
  EXPECT_EQ(averaging_group(result("own", 5, 2.0, "any")), "fill, random, any");
  EXPECT_EQ(averaging_group(result("own", 5, 2.0, "")), "fill");
}

/// A result keeps its half in a file: --resume, report and compare know it.
TEST_F(RandomFindings, StandInJson) {
  const Result half = result("own", 5, 2.0, "multiples of 8"), none = result("own", 5, 2.0, "");
  EXPECT_EQ(to_json(half).at("random"), "multiples of 8");
  EXPECT_FALSE(to_json(none).contains("random"));
  EXPECT_EQ(from_json(to_json(half), none.cell).cell.half, "multiples of 8");
}

}  // namespace
}  // namespace crosswarp
