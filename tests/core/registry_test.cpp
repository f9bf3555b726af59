// Cells, filters, and errors for unknown names.
#include "core/registry.hpp"

#include <algorithm>

#include "core/fields.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using fake::Fill;
using Names = std::vector<std::string>;

/// What a backend hands to its variants; this one has nothing of its own.
struct Queue : LaunchContext {
  static constexpr std::string_view backend = "fake";
  Queue(Device&, LaunchContext context) : LaunchContext(context) {}
};

void launch(const Queue& queue, const Fill::Args& args) {
  std::fill(args.out.begin(), args.out.end(), args.value());
  for (std::byte& b : queue.workspace) b = static_cast<std::byte>(std::to_integer<int>(b) + queue.tuning["step"]);
}

/// As a variant's file does it: registered under the name of this one.
const Register<Fill, Queue> registered{{
    .idea = "an idea",
    .improves = "naive",
    .needs = {"ptx"},
    .tunings = {{{{"step", 2}}}, {{{"step", 5}}}},
    .workspace =
        [](const Queue& queue, const Fill::Args& args) {
          return args.out.size() * static_cast<std::size_t>(queue.tuning["step"]);
        },
    .prepare = [](const Queue& queue, const Fill::Args&) { queue.workspace[0] = std::byte{100}; },
    .launch = launch,
}};

TEST(Register, TakesTheNameFromTheFile) {
  const auto& variants = Registry::instance().variants();
  ASSERT_TRUE(variants.contains("fake/fill/registry_test"));
  const VariantEntry& v = variants.at("fake/fill/registry_test");
  EXPECT_TRUE(v.source.ends_with("tests/core/registry_test.cpp"));
  EXPECT_EQ(v.idea, "an idea");
  EXPECT_EQ(v.improves, "naive");
  EXPECT_EQ(v.needs, Names{"ptx"});
  EXPECT_EQ(v.tunings.size(), 2u);
  EXPECT_TRUE(Registry::instance().experiments().contains("fill"));
}

TEST(Register, BindsTheLaunchToProblemTuningAndZeroedWorkspace) {
  const VariantEntry& v = Registry::instance().variants().at("fake/fill/registry_test");
  const auto device = fake::make_device();
  const auto problem = describe<Fill>().prepare(*device, Fill::point(4), 1, 2);
  problem->refill(0);
  problem->poison();
  const Bound bound = v.bind(*device, *problem, v.tunings[1]);
  ASSERT_EQ(bound.workspaces->size(), 1u);
  const Buffer<std::byte>& workspace = bound.workspaces->front();
  ASSERT_EQ(workspace.size(), 20u);
  EXPECT_EQ(workspace.read(19), std::byte{0});
  EXPECT_EQ(workspace.read(0), std::byte{100});  // as it was prepared, once
  bound.launch(0);
  EXPECT_FALSE(problem->check(ResultIn::device).ok);
  bound.launch(1);
  EXPECT_TRUE(problem->check(ResultIn::device).ok);
  EXPECT_EQ(workspace.read(19), std::byte{10});  // as the last launch left it
  EXPECT_EQ(workspace.read(0), std::byte{110});
}

TEST(Tuning, IsNamedByItsNumbers) {
  const Tuning tuning{{{"block", 256}, {"per_sm", 8}}};
  EXPECT_EQ(tuning.name(), "block256_per_sm8");
  EXPECT_EQ(tuning["per_sm"], 8);
  EXPECT_TRUE(refuses([&] { (void)tuning["unroll"]; }, "tuning 'block256_per_sm8' has no 'unroll'"));
}

/// A filter as a user writes it: the name of a flag and its value.
Filter only(const std::vector<std::pair<std::string, std::string>>& flags) {
  Filter filter;
  std::map<std::string, Names*> lists{{"backend", &filter.backends},
                                      {"experiment", &filter.experiments},
                                      {"variant", &filter.variants},
                                      {"tuning", &filter.tunings}};
  for (const auto& [flag, value] : flags)
    lists.contains(flag) ? lists[flag]->push_back(value) : void(filter.axes[flag] = value);
  return filter;
}

/// Fill, whose n and offset go together.
class Pairs : public Fill {
 public:
  using Fill::Fill;
  static constexpr std::string_view name = "pairs";
  static std::vector<Point> bench_points() {
    return {Point().set("n", std::int64_t{8}).set("offset", std::int64_t{1}),
            Point().set("n", std::int64_t{9}).set("offset", std::int64_t{2})};
  }
};

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    for (const char* backend : {"fake", "other"}) lab.add(fake::variant(backend, "naive"));
    VariantEntry tuned = fake::variant("fake", "tuned");
    tuned.tunings = {{{{"block", 256}}}, {{{"block", 1024}}}};
    lab.add(tuned);
  }
  Names ids(const Filter& filter) const {
    Names all;
    for (const Cell& cell : lab.registry.cells(filter)) all.push_back(cell.id());
    return all;
  }

  fake::Lab lab;
};

TEST_F(RegistryTest, SpansAllVariantsAtTheirDefaults) {
  EXPECT_EQ(ids({}), (Names{"fake/fill/naive/n:4/type:f32", "fake/fill/naive/n:16/type:f32",
                            "fake/fill/tuned/n:4/type:f32", "fake/fill/tuned/n:16/type:f32",
                            "other/fill/naive/n:4/type:f32", "other/fill/naive/n:16/type:f32"}));
}

TEST_F(RegistryTest, SelectsByName) {
  EXPECT_EQ(ids(only({{"backend", "other"}, {"n", "1,2"}})),
            (Names{"other/fill/naive/n:1/type:f32", "other/fill/naive/n:2/type:f32"}));
  EXPECT_EQ(ids(only({{"variant", "tuned"}, {"n", "8"}, {"offset", "0,3"}, {"type", "f16"}})),
            (Names{"fake/fill/tuned/n:8/type:f16", "fake/fill/tuned/n:8/offset:3/type:f16"}));
  EXPECT_EQ(ids(only({{"experiment", "fill"}, {"variant", "naive"}, {"n", "8"}})).size(), 2u);
}

TEST_F(RegistryTest, TakesAxesThatGoTogetherUnlessOneIsNamed) {
  VariantEntry paired = fake::variant("fake", "paired");
  paired.experiment = "pairs";
  lab.registry.add(paired, describe<Pairs>());
  const auto of = [&](const Filter& filter) {
    Names names;
    for (const Cell& cell : lab.registry.cells(filter)) names.push_back(cell.point.name());
    return names;
  };
  const std::pair<std::string, std::string> here{"experiment", "pairs"};
  EXPECT_EQ(of(only({here})), (Names{"n:8/offset:1/type:f32", "n:9/offset:2/type:f32"}));
  EXPECT_EQ(of(only({here, {"type", "f16"}})), (Names{"n:8/offset:1/type:f16", "n:9/offset:2/type:f16"}));
  EXPECT_EQ(of(only({here, {"n", "5,7"}})), (Names{"n:5/type:f32", "n:7/type:f32"}));
  EXPECT_EQ(of(only({here, {"offset", "3"}})), (Names{"n:4/offset:3/type:f32", "n:16/offset:3/type:f32"}));
  EXPECT_TRUE(joint_points(lab.registry.experiments().at("fill"), {}).empty());
}

TEST_F(RegistryTest, NamesEveryTuningButTheDefault) {
  const Names both{"fake/fill/tuned/n:8/type:f32", "fake/fill/tuned@block1024/n:8/type:f32"};
  EXPECT_EQ(ids(only({{"variant", "tuned"}, {"tuning", "all"}, {"n", "8"}})), both);
  EXPECT_EQ(ids(only({{"tuning", "block1024"}, {"n", "8"}})), Names{both[1]});
  EXPECT_EQ(ids(only({{"tuning", "block256"}, {"n", "8"}})), Names{both[0]});
}

TEST_F(RegistryTest, RefusesWhatMeansNothingHere) {
  const auto refuse = [&](const Filter& filter, std::string_view says) {
    return refuses([&] { lab.registry.cells(filter); }, says);
  };
  EXPECT_TRUE(refuse(only({{"backend", "fakee"}}), "--backend fakee: not in this build; did you mean 'fake'?"));
  EXPECT_TRUE(refuse(only({{"experiment", "fil"}}), "--experiment fil: unknown; did you mean 'fill'?"));
  EXPECT_TRUE(refuse(only({{"variant", "tunde"}}), "); did you mean 'tuned'? (there are: naive, tuned)"));
  EXPECT_TRUE(refuse(only({{"backend", "other"}, {"variant", "tuned"}}),
                     "--variant tuned: not among what is selected, but there is fake/fill/tuned"));
  EXPECT_TRUE(refuse(only({{"tuning", "block257"}}), "--tuning block257: unknown; did you mean 'block256'?"));
  EXPECT_TRUE(refuse(only({{"ofset", "1"}}), "did you mean 'offset'?"));
  EXPECT_TRUE(refuse(only({{"n", "many"}}), "--n many: not a number"));
  EXPECT_TRUE(refuse(only({{"type", "f31"}}), "did you mean 'f32'?"));
}

TEST_F(RegistryTest, RefusesToSelectNothing) {
  EXPECT_TRUE(refuses(
      [&] {
        lab.registry.cells(only({{"backend", "none"}}));
      },
      "nothing is selected: this build has no variants of none"));
  EXPECT_TRUE(refuses(
      [&] {
        lab.registry.cells(only({{"backend", "none"}, {"experiment", "fill"}}));
      },
      "nothing is selected: fill has no none variants; it has variants of fake, other"));
  EXPECT_TRUE(refuses([] { Registry().cells({}); }, "nothing is selected: this build has no variants"));
  for (const char* name : {"first", "second"}) {
    VariantEntry large = fake::variant("none", name);
    large.applies = [](const Point& point) { return point.integer("n") > 4096; };
    lab.add(large);
  }
  const std::string says = " is for none of these points; choose others by --n, --offset, --type";
  EXPECT_TRUE(refuses(
      [&] {
        lab.registry.cells(only({{"backend", "none"}, {"n", "8"}}));
      },
      "nothing is selected: none/fill" + says));
  EXPECT_TRUE(refuses(
      [&] {
        lab.registry.cells(only({{"variant", "first"}, {"n", "8"}}));
      },
      "nothing is selected: none/fill/first" + says));
}

TEST_F(RegistryTest, RefusesTwoVariantsOfOneName) {
  EXPECT_TRUE(refuses([&] { lab.add(fake::variant("fake", "naive")); }, "two files register fake/fill/naive"));
}

TEST_F(RegistryTest, TestsEveryTuningAtEveryTestPoint) {
  const auto cells = lab.registry.test_cells();
  ASSERT_EQ(cells.size(), 8u);  // four rungs of two points
  EXPECT_EQ(cells[2].id(), "fake/fill/tuned/n:1/type:f32");
  EXPECT_EQ(cells[5].id(), "fake/fill/tuned@block1024/n:100/offset:3/type:f32");
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.slow; }), 4);
  EXPECT_TRUE(cells[5].slow);
}

TEST_F(RegistryTest, LeavesOutPointsThatMakeNoSense) {
  EXPECT_EQ(ids(only({{"variant", "tuned"}, {"n", "8,13"}})), Names{"fake/fill/tuned/n:8/type:f32"});
  EXPECT_TRUE(refuses([&] { lab.registry.cells(only({{"n", "13"}})); }, "nothing is selected"));
}

TEST_F(RegistryTest, LeavesOutPointsThatAVariantIsNotFor) {
  VariantEntry choosy = fake::variant("far", "choosy");
  choosy.applies = [](const Point& p) { return p.integer("n") > 10; };
  lab.add(choosy);
  EXPECT_EQ(ids(only({{"backend", "far"}})), Names{"far/fill/choosy/n:16/type:f32"});
  const auto cells = lab.registry.test_cells();
  EXPECT_EQ(std::count_if(cells.begin(), cells.end(), [](const Cell& c) { return c.variant->name == "choosy"; }), 1);
}

TEST_F(RegistryTest, TakesACellToNoPointThatItsVariantIsNotFor) {
  VariantEntry choosy = fake::variant("far", "choosy");
  choosy.applies = [](const Point& p) { return p.integer("n") > 10; };
  lab.add(choosy);
  const std::vector<Cell> cells = lab.registry.cells(only({{"backend", "far"}}));
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells.front().at(fake::Fill::point(100)).value().point.integer("n"), 100);
  EXPECT_FALSE(cells.front().at(fake::Fill::point(4)));
}

TEST_F(RegistryTest, ListsVariantsThatAreForNoDefaultPoint) {
  VariantEntry choosy = fake::variant("far", "choosy");
  choosy.applies = [](const Point& p) { return p.integer("n") == 100; };
  lab.add(choosy);
  const auto rungs = lab.registry.rungs(only({{"backend", "far"}}));
  ASSERT_EQ(rungs.size(), 1u);
  EXPECT_EQ(rungs.front().rung(), "far/fill/choosy");
  EXPECT_EQ(rungs.front().point.integer("n"), 100) << "a point of the conformance tests";
  EXPECT_EQ(lab.registry.rungs(only({{"backend", "far"}, {"n", "100"}})).size(), 1u);
  EXPECT_TRUE(refuses([&] { lab.registry.rungs(only({{"backend", "far"}, {"n", "8"}})); }, "nothing is selected"));
  EXPECT_TRUE(refuses(
      [&] {
        lab.registry.cells(only({{"backend", "far"}}));
      },
      "nothing is selected: far/fill/choosy is for none of these points; choose others by --n"));
}

TEST_F(RegistryTest, TakesTheFirstGapThatApplies) {
  VariantEntry v = fake::variant("fake", "behind");
  v.gaps = {{GapClass::tuning, "few loads", {"instructions"}, [](const Point& p) { return p.integer("n") < 10; }},
            {GapClass::escape_hatch, "intrinsics", {"registers"}, [](const Point& p) { return p.integer("n") < 20; }}};
  EXPECT_EQ(v.gap(fake::Fill::point(4)).reason, "few loads");
  EXPECT_EQ(v.gap(fake::Fill::point(16)).kind, GapClass::escape_hatch);
  EXPECT_EQ(v.gap(fake::Fill::point(32)).kind, GapClass::none);
  v.not_expressible = "no API";
  EXPECT_EQ(v.gap(fake::Fill::point(4)).kind, GapClass::tuning) << "something else is the larger part there";
  EXPECT_EQ(v.gap(fake::Fill::point(32)).kind, GapClass::no_api);
  EXPECT_EQ(v.gap(fake::Fill::point(32)).reason, "no API");
  v.escape_hatch = "wmma";
  EXPECT_EQ(v.gap(fake::Fill::point(32)).kind, GapClass::escape_hatch);
  v.library = true;
  EXPECT_EQ(v.gap(fake::Fill::point(32)).kind, GapClass::library_only);
}

TEST_F(RegistryTest, LibrariesAndEscapeHatchesDoNotStandForTheirBackend) {
  VariantEntry own = fake::variant("fake", "own"), library = own, native = own;
  library.library = true;
  native.escape_hatch = "wmma";
  EXPECT_TRUE(own.stands_for_backend());
  EXPECT_FALSE(library.stands_for_backend());
  EXPECT_FALSE(native.stands_for_backend());
}

TEST_F(RegistryTest, RefusesGapsWithoutClassReasonOrKnownEvidence) {
  const auto refuse = [&](Gap gap, std::string_view says) {
    VariantEntry v = fake::variant("fake", "behind");
    v.gaps = {std::move(gap)};
    return refuses([&] { lab.add(v); }, says);
  };
  EXPECT_TRUE(refuse({GapClass::none, "a reason"}, "fake/fill/behind"));
  EXPECT_TRUE(refuse({GapClass::tuning}, "needs a class other than none and a reason"));
  EXPECT_TRUE(refuse({GapClass::tuning, "a reason", {"instrutions"}}, "instrutions is neither a counter nor a field"));
  EXPECT_FALSE(lab.registry.variants().contains("fake/fill/behind"));
}

TEST_F(RegistryTest, KnowsBackendsInOrder) {
  Names names;
  for (const auto& backend : lab.registry.backends()) names.push_back(backend->name());
  EXPECT_EQ(names, (Names{"fake", "far", "none", "other"}));
  EXPECT_EQ(lab.registry.backend("far").name(), "far");
}

}  // namespace
}  // namespace crosswarp
