// Mutation tests of check(): random corruptions of correct results (an element zeroed, two swapped, a k-tile dropped …)
// must all be caught. One test per experiment and element type, at the largest sizes for the device; knows no variant
// by name. --gtest_random_seed=N draws others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "core/runner.hpp"
#include "experiments/access_pattern.hpp"
#include "experiments/all_gather.hpp"
#include "experiments/all_gather_matmul.hpp"
#include "experiments/all_reduce.hpp"
#include "experiments/atomic_contention.hpp"
#include "experiments/bank_conflict.hpp"
#include "experiments/chain_steps.hpp"
#include "experiments/concurrent_kernels.hpp"
#include "experiments/halo_exchange.hpp"
#include "experiments/launch_overhead.hpp"
#include "experiments/matmul_f16.hpp"
#include "experiments/matmul_f32.hpp"
#include "experiments/matmul_f64.hpp"
#include "experiments/matmul_f8.hpp"
#include "experiments/matmul_tf32.hpp"
#include "experiments/matrix_layout.hpp"
#include "experiments/memory_bandwidth.hpp"
#include "experiments/memory_latency.hpp"
#include "experiments/op_latency.hpp"
#include "experiments/peak_compute.hpp"
#include "experiments/peer_copy.hpp"
#include "experiments/peer_latency.hpp"
#include "experiments/reduce_scatter.hpp"
#include "experiments/reduce_sum.hpp"
#include "experiments/row_sum.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp {
namespace {

constexpr std::size_t sets = 2;     // so that a result of the other one can take its place
constexpr int draws = 100;          // of each kind
constexpr int most_redraws = 1000;  // one after the other: then no draw makes a result wrong
constexpr std::uint64_t input_seed = 20;
constexpr std::size_t judged_rank = 1;  // of experiments over ranks: check() must look at others than the first, too

class Random {
 public:
  explicit Random(std::uint64_t seed) : stream_(seed, 0) {}
  /// 0 … n-1; n > 0.
  std::size_t below(std::size_t n) {
    const std::uint64_t high = stream_(drawn_++), low = stream_(drawn_++);
    return (high << 32 | low) % n;
  }

 private:
  RandomStream stream_;
  std::uint64_t drawn_ = 0;
};

/// How an element is read from its bits, which stand in the lowest of 64.
struct Format {
  std::size_t bytes;
  unsigned first_bit, bits;  ///< Of the exponent; of an integer all bits.
  bool is_integer;
  double (*value)(std::uint64_t bits);
  std::uint64_t (*encoded)(double value);  ///< Rounded; of an integer modulo its size.
};

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(static_cast<float>(value));
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return to_bfloat16(static_cast<float>(value));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(value));
  else
    return static_cast<T>(value);
}

template <class T>
double number(T element) {
  if constexpr (requires { to_float(element); })
    return to_float(element);
  else
    return static_cast<double>(element);
}

template <class T>
Format format() {
  Format of{sizeof(T),
            0,
            8 * sizeof(T),
            std::is_integral_v<T>,
            [](std::uint64_t bits) { return number(from_bits<T>(bits)); },
            [](double value) {
              const T element = rounded<T>(value);
              std::uint64_t bits = 0;
              std::memcpy(&bits, &element, sizeof element);
              return bits;
            }};
  if constexpr (std::is_same_v<T, Half>) of.first_bit = 10, of.bits = 5;
  if constexpr (std::is_same_v<T, Bfloat16>) of.first_bit = 7, of.bits = 8;
  if constexpr (std::is_same_v<T, float>) of.first_bit = 23, of.bits = 8;
  if constexpr (std::is_same_v<T, double>) of.first_bit = 52, of.bits = 11;
  return of;
}

struct Tile {
  std::size_t row, column, rows, columns;
};

/// What check() judges of one set's outputs: a row-major matrix in device memory, and how its elements came about.
struct Judged {
  std::span<std::byte> memory;
  Format format;
  std::size_t columns;
  /// Whether `is` may be right, too, where `was` is right: within twice the bound, since a reference lies between them.
  std::function<bool(double is, double was)> may_be_right = [](double is, double was) { return is == was; };

  /// Of results that are sums: `terms` numbers each, of which this reads `count` from `first` on.
  std::size_t terms = 0;
  std::function<std::vector<double>(Device&, std::size_t element, std::size_t first, std::size_t count)> read_terms =
      {};

  /// Of products: k, and what the k-tile from `first` on adds to the elements of a tile, row-major.
  std::size_t depth = 0;
  std::function<std::vector<double>(Device&, const Tile&, std::size_t first, std::size_t count)> k_tile = {};

  std::size_t size() const { return memory.size() / format.bytes; }
  std::size_t rows() const { return size() / columns; }
};

template <class T>
Judged judged(std::span<T> out, std::size_t columns) {
  return {std::as_writable_bytes(out), format<T>(), columns};
}
template <class T>
Judged judged(std::span<T> out) {
  return judged(out, out.size());
}

template <class T>
std::vector<T> read(Device& device, const T* from, std::size_t count) {
  std::vector<T> values(count);
  device.read(values.data(), from, count * sizeof(T));
  return values;
}

template <class T>
std::vector<double> numbers(Device& device, const T* from, std::size_t count) {
  std::vector<double> all;
  for (const T element : read(device, from, count)) all.push_back(number(element));
  return all;
}

// What is judged of each experiment's outputs, by its arguments. `right`: the verdict about a right result.

Judged judge(const AccessPattern::Args& args, const Verdict&) { return judged(args.out); }
Judged judge(const BankConflict::Args& args, const Verdict&) { return judged(args.out); }
Judged judge(const ConcurrentKernels::Args& args, const Verdict&) { return judged(args.out); }
Judged judge(const LaunchOverhead::Args& args, const Verdict&) { return judged(args.count); }
Judged judge(const WarpDivergence::Args& args, const Verdict&) { return judged(args.out); }

Judged judge(const AtomicContention::Args& args, const Verdict&) {
  return std::visit([](const auto& counters) { return judged(counters); }, args.counters);
}

/// Its time is not judged.
Judged judge(const MemoryLatency::Args& args, const Verdict&) {
  static_assert(offsetof(MemoryLatency::Chased, elapsed) == 16);
  return judged(std::span(&args.out.front().end, 2));
}

/// Neither is this one's.
Judged judge(const PeerLatency::Args& args, const Verdict&) {
  static_assert(offsetof(PeerLatency::Taken, elapsed) == 16);
  return args.op == PeerLatency::Op::store ? judged(args.words) : judged(std::span(&args.out.front().end, 2));
}

Judged judge(const MemoryBandwidth::Args& args, const Verdict&) {
  if (args.op == StreamOp::read) {
    Judged sum = judged(args.sum);
    sum.terms = args.a.size();
    sum.read_terms = [a = args.a](Device& device, std::size_t, std::size_t first, std::size_t count) {
      return numbers(device, reinterpret_cast<const std::uint32_t*>(a.data()) + first, count);
    };
    return sum;
  }
  if (args.op != StreamOp::dot) return judged(args.out);
  Judged dot = judged(args.dot);
  dot.terms = args.a.size();
  dot.read_terms = [a = args.a, b = args.b](Device& device, std::size_t, std::size_t first, std::size_t count) {
    std::vector<double> products = numbers(device, a.data() + first, count);
    const std::vector<double> factors = numbers(device, b.data() + first, count);
    for (std::size_t i = 0; i < count; ++i) products[i] *= factors[i];
    return products;
  };
  return dot;
}

Judged judge(const ReduceSum::Args& args, const Verdict&) {
  return std::visit(
      [&](const auto& typed) {
        Judged result = judged(typed.out);
        if (args.operation != ReduceSum::Operation::sum) return result;
        result.terms = typed.in.size();
        result.read_terms = [in = typed.in](Device& device, std::size_t, std::size_t first, std::size_t count) {
          return numbers(device, in.data() + first, count);
        };
        return result;
      },
      args.typed);
}

Judged judge(const AllGather::Args& args, const Verdict&) {
  return std::visit([](const auto& typed) { return judged(typed.out[typed.rank]); }, args.typed);
}
Judged judge(const PeerCopy::Args& args, const Verdict&) { return judged(args.f32().out[args.rank()]); }
/// The last rows or planes: the halo beyond the last face, and edges, which must stay as they are. Of a whole block few
/// elements are results.
Judged judge(const HaloExchange::Args& args, const Verdict&) {
  const std::span<float> out = args.f32().out[args.rank()];
  return judged(out.last(out.size() / args.block.pitch() * args.block.width), args.block.pitch());
}

/// A sum's terms are the ranks' elements, from `offset` on.
template <class T>
Judged judge_sums_of_ranks(const RankSpans<T>& typed, std::size_t offset) {
  Judged sums = judged(typed.out[typed.rank]);
  sums.terms = typed.ranks;
  sums.read_terms = [in = typed.in, offset](Device& device, std::size_t i, std::size_t first, std::size_t count) {
    std::vector<double> terms;
    for (std::size_t rank = first; rank < first + count; ++rank)
      terms.push_back(numbers(device, in[rank].data() + offset + i, 1).front());
    return terms;
  };
  return sums;
}
Judged judge(const AllReduce::Args& args, const Verdict&) {
  return std::visit([](const auto& typed) { return judge_sums_of_ranks(typed, 0); }, args.typed);
}
Judged judge(const ReduceScatter::Args& args, const Verdict&) {
  return std::visit([](const auto& typed) { return judge_sums_of_ranks(typed, typed.rank * typed.n); }, args.typed);
}

Judged judge(const RowSum::Args& args, const Verdict&) {
  Judged sums = judged(args.out);
  sums.terms = args.columns;
  sums.read_terms = [in = args.in, n = args.columns](Device& device, std::size_t row, std::size_t first,
                                                     std::size_t count) {
    return numbers(device, in.data() + row * n + first, count);
  };
  return sums;
}

Judged judge(const MatrixLayout::Args& args, const Verdict&) {
  Judged sums = judged(args.out);
  sums.terms = args.columns;
  sums.read_terms = [args](Device& device, std::size_t row, std::size_t first, std::size_t count) {
    std::vector<double> terms;
    for (std::size_t column = first; column < first + count; ++column)
      terms.push_back(numbers(device, args.in.data() + row * args.row_stride() + column * args.column_stride(), 1)[0]);
    return terms;
  };
  return sums;
}

/// Of any T that is read as a float, in a word of 64 bits.
Format low_float() {
  return {8,
          23,
          8,
          false,
          [](std::uint64_t bits) { return double{from_bits<float>(bits)}; },
          [](double value) { return format<float>().encoded(value); }};
}

/// The results of rotations are angles.
bool same_angle(double is, double was, double bound) {
  return Rotation::between(Rotation::angle_of(is), Rotation::angle_of(was)) <= 2 * bound;
}

Judged judge(const OpLatency::Args& args, const Verdict& right) {
  using Op = OpLatency::Op;
  Judged ends = judged(args.ends);
  const double bound = right.bound;
  if (args.op == Op::fma_f64) ends.format = format<double>();
  if (args.op == Op::fma_f32 || args.op == Op::add_f32) ends.format = low_float();
  if (args.op != Op::rcp && args.op != Op::sqrt && args.op != Op::sin) return ends;
  ends.format = low_float();
  ends.may_be_right = [op = args.op, bound](double is, double was) {
    if (op == Op::rcp) return same_angle(is, was, bound);
    const double most = op == Op::sqrt ? bound * std::abs(was) / (1 - bound) : bound;
    return std::abs(is - was) <= 2 * most;
  };
  return ends;
}

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

Judged judge(const PeakCompute::Args& args, const Verdict& right) {
  using Type = PeakCompute::Type;
  const auto tiles = [&]<class T>(std::span<T> sums) { return judged(sums, PeakCompute::tile(args.type).columns); };
  switch (args.type) {
    case Type::f32:
      return judged(as<float>(args.ends));
    case Type::f64:
      return judged(as<double>(args.ends));
    case Type::f16x2:
    case Type::bf16x2:
    case Type::i32:
      return judged(as<std::uint32_t>(args.ends));
    case Type::special: {
      Judged ends = judged(as<float>(args.ends));
      ends.may_be_right = [bound = right.bound](double is, double was) { return same_angle(is, was, bound); };
      return ends;
    }
    case Type::tensor_f64:
      return tiles(as<double>(args.ends));
    case Type::tensor_int8:
      return tiles(as<std::int32_t>(args.ends));
    default:
      return tiles(as<float>(args.ends));
  }
}

/// C with elements of type `T`. `row_of_a`: a row's elements.
template <class T, class Row, class B>
Judged judge_product(std::span<T> c, std::size_t n, std::size_t k, Row row_of_a, const B* b, bool b_transposed,
                     auto bound) {
  Judged product = judged(c, n);
  product.may_be_right = [bound](double is, double was) {
    const double most_exact = (std::abs(was) + bound.of_sum) / (1 - bound.of_rounding);
    return std::abs(is - was) <= 2 * (bound.of_sum + bound.of_rounding * most_exact);
  };
  product.depth = k;
  product.k_tile = [=](Device& device, const Tile& tile, std::size_t first, std::size_t count) {
    std::vector<double> sums(tile.rows * tile.columns), left, right(count * tile.columns);
    for (std::size_t i = 0; i < (b_transposed ? tile.columns : count); ++i) {
      const std::vector<double> line = b_transposed ? numbers(device, b + (tile.column + i) * k + first, count)
                                                    : numbers(device, b + (first + i) * n + tile.column, tile.columns);
      for (std::size_t j = 0; j < line.size(); ++j)
        right[b_transposed ? j * tile.columns + i : i * tile.columns + j] = line[j];
    }
    for (std::size_t row = 0; row < tile.rows; ++row) {
      left = numbers(device, row_of_a(tile.row + row) + first, count);
      for (std::size_t l = 0; l < count; ++l)
        for (std::size_t column = 0; column < tile.columns; ++column)
          sums[row * tile.columns + column] += left[l] * right[l * tile.columns + column];
    }
    return sums;
  };
  return product;
}

/// A contiguous one.
template <class T, class A, class B>
Judged judge_product(std::span<T> c, std::size_t n, std::size_t k, const A* a, const B* b, bool b_transposed,
                     auto bound) {
  return judge_product(
      c, n, k, [=](std::size_t row) { return a + row * k; }, b, b_transposed, bound);
}

Judged judge(const AllGatherMatmul::Args& args, const Verdict&) {
  const auto row_of_a = [args](std::size_t row) { return args.a[row / args.rows].data() + row % args.rows * args.k; };
  return judge_product(args.c, args.columns, args.k, row_of_a, args.b.data(), true, bound_of_16_bits(args.k, 8));
}

Judged judge(const MatmulF32::Args& args, const Verdict&) {
  return judge_product(args.c, args.n, args.k, args.a.data(), args.b.data(), false, bound_of_f32(args.k));
}

Judged judge(const MatmulF16::Args& args, const Verdict&) {
  const auto of = [&]<class In>(In) {
    const auto *a = reinterpret_cast<const In*>(args.a.data()), *b = reinterpret_cast<const In*>(args.b.data());
    if (args.f32_out)
      return judge_product(as<float>(args.c), args.n, args.k, a, b, args.b_transposed, bound_of_16_bits(args.k, 24));
    return judge_product(as<In>(args.c), args.n, args.k, a, b, args.b_transposed,
                         bound_of_16_bits(args.k, args.bf16 ? 8 : 11));
  };
  return args.bf16 ? of(Bfloat16{}) : of(Half{});
}

Judged judge(const MatmulF8::Args& args, const Verdict&) {
  const auto of = [&]<class A>(A) {
    const auto* const a = reinterpret_cast<const A*>(args.a.data());
    const auto* const b = reinterpret_cast<const E4m3*>(args.b.data());
    const ErrorBound bound = MatmulF8::bound(args);
    return args.f32_out ? judge_product(as<float>(args.c), args.n, args.k, a, b, true, bound)
                        : judge_product(as<Bfloat16>(args.c), args.n, args.k, a, b, true, bound);
  };
  Judged product = args.e5m2 ? of(E5m2{}) : of(E4m3{});
  if (!args.scales.empty())
    product.k_tile = [unscaled = std::move(product.k_tile), scales = args.scales.data()](
                         Device& device, const Tile& tile, std::size_t first, std::size_t count) {
      std::vector<double> sums = unscaled(device, tile, first, count);
      const std::vector<double> factors = numbers(device, scales, MatmulF8::factor_pitch + 1);
      for (double& sum : sums) sum *= factors[0] * factors[MatmulF8::factor_pitch];
      return sums;
    };
  return product;
}

Judged judge(const MatmulTf32::Args& args, const Verdict&) {
  return judge_product(args.c, args.n, args.k, args.a.data(), args.b.data(), true,
                       MatmulTf32::bound(args.k, args.split));
}

Judged judge(const MatmulF64::Args& args, const Verdict&) {
  return judge_product(args.c, args.n, args.k, args.a.data(), args.b.data(), false, MatmulF64::bound(args.k));
}

using Judge = std::function<Judged(const Problem&, std::size_t set, const Verdict& right)>;

/// By the experiment's name.
template <class... E>
std::map<std::string, Judge> judges_of() {
  return {{std::string(E::name), [](const Problem& problem, std::size_t set, const Verdict& right) {
             return judge(args_of(static_cast<const ProblemOf<E>&>(problem).prepared(), set, judged_rank), right);
           }}...};
}
const std::map<std::string, Judge>& judges() {
  static const auto all =
      judges_of<AccessPattern, AllGather, AllGatherMatmul, AllReduce, AtomicContention, BankConflict, ConcurrentKernels,
                HaloExchange, LaunchOverhead, MatmulF16, MatmulF32, MatmulF64, MatmulF8, MatmulTf32, MatrixLayout,
                MemoryBandwidth, MemoryLatency, OpLatency, PeakCompute, PeerCopy, PeerLatency, ReduceScatter, ReduceSum,
                RowSum, WarpDivergence>();
  return all;
}

/// What elements `first` … are to be.
struct Run {
  std::size_t first;
  std::vector<std::uint64_t> bits;
};
using Change = std::vector<Run>;

/// The right results of all sets, and how they are changed.
class Results {
 public:
  Results(Device& device, std::vector<Judged> sets) : device_(device), sets_(std::move(sets)) {}

  Device& device() const { return device_; }
  const Judged& operator[](std::size_t set) const { return sets_[set]; }

  /// Elements of `memory`, which is like that of set 0.
  std::vector<std::uint64_t> get(const std::byte* memory, std::size_t first, std::size_t count) const {
    const std::size_t bytes = sets_[0].format.bytes;
    const std::vector<std::byte> raw = read(device_, memory + first * bytes, count * bytes);
    std::vector<std::uint64_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&bits[i], raw.data() + i * bytes, bytes);
    return bits;
  }
  std::vector<std::uint64_t> get(std::size_t set, std::size_t first, std::size_t count) const {
    return get(sets_[set].memory.data(), first, count);
  }
  std::uint64_t get(std::size_t set, std::size_t i) const { return get(set, i, 1).front(); }

  void put(std::size_t set, const Change& change) const {
    const std::size_t bytes = sets_[0].format.bytes;
    for (const auto& [first, bits] : change) {
      std::vector<std::byte> raw(bits.size() * bytes);
      for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(raw.data() + i * bytes, &bits[i], bytes);
      device_.write(sets_[set].memory.data() + first * bytes, raw.data(), raw.size());
    }
    device_.synchronize();
  }

  /// What stands where `change` would.
  Change before(std::size_t set, const Change& change) const {
    Change old;
    for (const auto& [first, bits] : change) old.push_back({first, get(set, first, bits.size())});
    return old;
  }

  /// Whether an element that is right becomes one that cannot be.
  bool is_wrong(std::size_t set, const Change& old, const Change& change) const {
    const Format& format = sets_[set].format;
    for (std::size_t run = 0; run < change.size(); ++run)
      for (std::size_t i = 0; i < change[run].bits.size(); ++i) {
        const std::uint64_t is = change[run].bits[i], was = old[run].bits[i];
        if (is != was && (format.is_integer || !sets_[set].may_be_right(format.value(is), format.value(was))))
          return true;
      }
    return false;
  }

 private:
  Device& device_;
  std::vector<Judged> sets_;
};

/// A way of being wrong.
struct Kind {
  std::string name;
  std::function<Change(std::size_t set, Random&)> draw;
  bool may_change_nothing = false;  ///< Where results may be alike. Without it, every kind has its draws.
};

/// Of 16 to 128 rows and columns, as far as there are; its columns from `first_column` on.
Tile any_tile(const Judged& of, std::size_t first_column, Random& random) {
  const auto extent = [&](std::size_t all) { return std::min(all, std::size_t{16} << random.below(4)); };
  const std::size_t rows = extent(of.rows()), columns = extent(of.columns - first_column);
  return {random.below(of.rows() - rows + 1), first_column + random.below(of.columns - first_column - columns + 1),
          rows, columns};
}

/// Calls `line` for the first element of each row, and its number within the tile; the result is the rows' elements.
Change each_row(const Judged& of, const Tile& tile,
                const std::function<std::vector<std::uint64_t>(std::size_t first, std::size_t row)>& line) {
  Change change;
  for (std::size_t row = 0; row < tile.rows; ++row) {
    const std::size_t first = (tile.row + row) * of.columns + tile.column;
    change.push_back({first, line(first, row)});
  }
  return change;
}

/// `stale`: the results of the other generation of inputs, for each set; empty where inputs do not change.
std::vector<Kind> kinds(const Results& results, const std::vector<const std::byte*>& stale) {
  std::vector<Kind> all;
  const Judged& like = results[0];
  const std::size_t size = like.size();
  const auto any_element =
      [size](const std::function<std::uint64_t(std::size_t set, std::size_t i, Random&)>& becomes) {
        return [size, becomes](std::size_t set, Random& random) -> Change {
          const std::size_t i = random.below(size);
          return {{i, {becomes(set, i, random)}}};
        };
      };
  all.push_back({"zeroed", any_element([](std::size_t, std::size_t, Random&) { return 0; })});
  all.push_back({"not written", any_element([&](std::size_t, std::size_t, Random&) {
                   return ~std::uint64_t{0} >> (64 - 8 * like.format.bytes);
                 })});
  all.push_back({like.format.is_integer ? "bit flipped" : "exponent bit flipped",
                 any_element([&](std::size_t set, std::size_t i, Random& random) {
                   const std::uint64_t bit = like.format.first_bit + random.below(like.format.bits);
                   return results.get(set, i) ^ std::uint64_t{1} << bit;
                 })});
  if (size > 1)
    all.push_back({"two swapped",
                   [&, size](std::size_t set, Random& random) -> Change {
                     const std::size_t i = random.below(size), row = i - i % like.columns;
                     const std::size_t j = random.below(2) ? random.below(size) : row + random.below(like.columns);
                     return {{i, {results.get(set, j)}}, {j, {results.get(set, i)}}};
                   },
                   true});
  if (like.columns > 1)
    all.push_back({"tile shifted",
                   [&](std::size_t set, Random& random) {
                     const Tile tile = any_tile(like, 1, random);
                     return each_row(like, tile, [&](std::size_t first, std::size_t) {
                       return results.get(set, first - 1, tile.columns);
                     });
                   },
                   true});
  const auto add_other = [&](const std::string& name, const std::function<const std::byte*(std::size_t set)>& other) {
    all.push_back({"element of the other " + name, any_element([&, other](std::size_t set, std::size_t i, Random&) {
                     return results.get(other(set), i, 1).front();
                   }),
                   true});
    if (size == 1) return;
    all.push_back({"tile of the other " + name,
                   [&, other](std::size_t set, Random& random) {
                     const Tile tile = any_tile(like, 0, random);
                     return each_row(like, tile, [&](std::size_t first, std::size_t) {
                       return results.get(other(set), first, tile.columns);
                     });
                   },
                   true});
  };
  if (!stale.empty()) {
    add_other("set", [&](std::size_t set) { return results[1 - set].memory.data(); });
    add_other("generation", [&](std::size_t set) { return stale[set]; });
  }
  const auto add_terms = [&](const char* name, double times,
                             const std::function<std::pair<std::size_t, std::size_t>(Random&)>& which) {
    all.push_back({name, any_element([&, times, which](std::size_t set, std::size_t i, Random& random) {
                     const auto [first, count] = which(random);
                     double sum = like.format.value(results.get(set, i));
                     for (const double term : results[set].read_terms(results.device(), i, first, count))
                       sum += times * term;
                     return like.format.encoded(sum);
                   })});
  };
  if (const std::size_t terms = like.terms; terms > 0) {
    const auto one = [terms](Random& random) { return std::pair(random.below(terms), std::size_t{1}); };
    add_terms("term left out", -1, one);
    add_terms("term counted twice", 1, one);
    add_terms("tail dropped", -1, [terms](Random& random) {
      const std::size_t count = 1 + random.below(std::min<std::size_t>(terms, 1023));
      return std::pair(terms - count, count);
    });
    add_terms("block lost", -1, [terms](Random& random) {
      const std::size_t block = std::size_t{256} << random.below(5), first = random.below(terms) / block * block;
      return std::pair(first, std::min(block, terms - first));
    });
  }
  if (like.depth > 0)
    all.push_back({"k-tile dropped", [&](std::size_t set, Random& random) {
                     const Tile tile = any_tile(like, 0, random);
                     const std::size_t first = random.below(like.depth) / 32 * 32;
                     const std::vector<double> part = results[set].k_tile(
                         results.device(), tile, first, std::min<std::size_t>(32, like.depth - first));
                     return each_row(like, tile, [&](std::size_t at, std::size_t row) {
                       std::vector<std::uint64_t> bits = results.get(set, at, tile.columns);
                       for (std::size_t i = 0; i < bits.size(); ++i)
                         bits[i] = like.format.encoded(like.format.value(bits[i]) - part[row * tile.columns + i]);
                       return bits;
                     });
                   }});
  return all;
}

/// One runner for all tests: devices are opened once.
Runner& runner() {
  static Runner shared({.seed = input_seed});
  return shared;
}

class MutationTest : public testing::Test {
 public:
  explicit MutationTest(const Cell& cell) : cell_(cell) {}

  void TestBody() override {
    ASSERT_TRUE(judges().contains(cell_.experiment->name))
        << "tests/mutations.cpp does not know what is judged of " << cell_.experiment->name << ": add a judge()";
    Device& device = *runner().device(cell_).device;
    const auto problem = cell_.experiment->prepare(device, cell_.point, input_seed, sets);
    const Bound bound = cell_.variant->bind(device, *problem, *cell_.tuning);
    Verdict right;
    const auto launch = [&](std::uint64_t generation) {
      problem->refill(generation);
      problem->poison();
      for (std::size_t set = 0; set < sets; ++set) bound.launch(set);
      right = problem->check(ResultIn::device);
      ASSERT_TRUE(right.ok) << cell_.id() << ", before anything is changed: " << right.where;
    };
    const auto judge = [&](std::size_t set) { return judges().at(cell_.experiment->name)(*problem, set, right); };
    std::vector<Buffer<std::byte>> copies;
    std::vector<const std::byte*> stale;
    if (problem->has_inputs()) {
      launch(1);
      if (HasFatalFailure()) return;
      for (std::size_t set = 0; set < sets; ++set) {
        const std::span<const std::byte> result = judge(set).memory;
        copies.emplace_back(device, result.size());
        device.copy(copies.back().span().data(), result.data(), result.size());
        stale.push_back(copies.back().span().data());
      }
    }
    launch(0);
    if (HasFatalFailure()) return;
    std::vector<Judged> all;
    for (std::size_t set = 0; set < sets; ++set) {
      all.push_back(judge(set));
      auto outputs = problem->outputs(set, judged_rank);
      if (outputs.empty()) outputs = problem->outputs(set, 0);  // what the first rank alone finds out
      ASSERT_TRUE(std::ranges::any_of(outputs, [&](const std::span<std::byte> output) {
        return !output.empty() && all.back().memory.data() >= output.data() &&
               all.back().memory.data() + all.back().memory.size() <= output.data() + output.size();
      })) << "what is judged is no output";
    }
    const Results results(device, std::move(all));
    for (const Kind& kind : kinds(results, stale)) run(kind, *problem, results);
    const Verdict again = problem->check(ResultIn::device);
    EXPECT_TRUE(again.ok) << cell_.id() << ", after all was put back: " << again.where;
  }

 private:
  void run(const Kind& kind, const Problem& problem, const Results& results) const {
    const std::string of = cell_.experiment->name + "/" + cell_.point.name() + " " + kind.name;
    auto seed = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed));
    for (const char c : of) seed = mix(seed + static_cast<unsigned char>(c));
    Random random(seed);
    int caught = 0, drawn = 0, again = 0, in_a_row = 0;
    while (drawn < draws && in_a_row < most_redraws) {
      const std::size_t set = random.below(sets);
      const Change change = kind.draw(set, random), old = results.before(set, change);
      if (!results.is_wrong(set, old, change)) {
        ++again, ++in_a_row;
        continue;
      }
      ++drawn, in_a_row = 0;
      results.put(set, change);
      const Verdict verdict = problem.check(ResultIn::device);
      results.put(set, old);
      caught += !verdict.ok;
      if (!verdict.ok || drawn - caught > 3) continue;
      const Format& format = results[set].format;
      ADD_FAILURE() << cell_.id() << ", " << kind.name << ": not caught in set " << set << ", from element "
                    << change.front().first << " on, which was " << format.value(old.front().bits.front()) << " and is "
                    << format.value(change.front().bits.front());
    }
    if (drawn == 0)
      std::printf("%s: no draw changes the result\n", of.c_str());
    else
      std::printf("%s: %d of %d caught, %d drawn again\n", of.c_str(), caught, drawn, again);
    std::fflush(stdout);
    EXPECT_TRUE(drawn == draws || kind.may_change_nothing) << cell_.id() << ", " << kind.name << ": too few draws";
    EXPECT_EQ(caught, drawn) << cell_.id() << ", " << kind.name;
  }

  Cell cell_;
};

/// Bytes and operations that suit a device: on a GPU the largest squares and sums that are benched.
struct Limits {
  std::size_t footprint;
  double flops, accesses;
  bool two_sizes;
};
Limits limits(const DeviceInfo& device) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (device.emulated) return {std::size_t{64} << 10, 1e6, 1e5, false};
  if (device.warp_size == 1) return {std::size_t{1} << 20, 1e7, none, false};
  return {std::min(std::size_t{13} << 28, device.memory / 16), none, none, true};
}

/// The benched points, of every type; on a processor also those of the tests.
std::vector<Point> candidates(const ExperimentEntry& experiment, const DeviceInfo& device) {
  std::vector<Point> together = experiment.bench_points(), points;
  if (together.empty()) together.emplace_back();
  for (const Point& joint : together) {
    std::vector<std::vector<Value>> values;
    for (const Axis& axis : experiment.axes) {
      const auto given = std::ranges::find(joint.coordinates(), axis.name, &Point::Coordinate::axis);
      values.push_back(axis.is_word()                       ? axis.allowed
                       : given != joint.coordinates().end() ? std::vector{given->value}
                                                            : axis.bench);
    }
    for (Point& point : product(experiment.axes, values)) points.push_back(std::move(point));
  }
  std::erase_if(points, [&](const Point& point) {
    return !experiment.exists(point) || std::ranges::any_of(experiment.axes, [&](const Axis& axis) {
      return axis.by_default && !axis.by_default(point, device);
    });
  });
  if (device.emulated || device.warp_size == 1)
    for (const TestPoint& test : experiment.test_points())
      if (!test.slow) points.push_back(test.point);
  const Limits most = limits(device);
  std::erase_if(points, [&](const Point& point) {
    const Cost cost = experiment.cost(point);
    return cost.amount() == 0 || experiment.footprint(point) > most.footprint || cost.flops > most.flops ||
           cost.accesses > most.accesses;
  });
  return points;
}

/// The words of a point that say what its result consists of; the others say how it comes about.
std::string kind_of_result(const Point& point) {
  std::string kind;
  for (const auto& [axis, value, implied] : point.coordinates())
    if (axis == "type" || axis == "out" || axis == "layout" || axis == "op") kind += "/" + to_string(value);
  return kind;
}
std::vector<std::string> words(const Point& point) {
  std::vector<std::string> all;
  for (const auto& c : point.coordinates())
    if (const auto* word = std::get_if<std::string>(&c.value)) all.push_back(*word);
  return all;
}

/// The lowest rung of `backend` that can do `point` and leaves its result on the device.
std::optional<Cell> plainest(const Backend& backend, const ExperimentEntry& experiment, const Point& point) {
  std::optional<Cell> best;
  std::size_t least = 0;
  for (const auto& [id, variant] : Registry::instance().variants()) {
    if (variant.backend != backend.name() || variant.experiment != experiment.name || variant.library) continue;
    if (variant.result == ResultIn::host || !variant.is_for(point)) continue;
    const Cell cell{&backend, &experiment, &variant, &variant.tunings.front(), point};
    const std::size_t height = Registry::instance().rung_height(variant);
    if ((best && height >= least) || !runner().skipped(cell).empty()) continue;
    best = cell;
    least = height;
  }
  return best;
}

/// By what is rated, by what is written, by memory.
bool is_larger(const Cell& a, const Cell& b) {
  const auto size = [](const Cell& cell) {
    const Cost cost = cell.experiment->cost(cell.point);
    return std::tuple(cost.amount(), cost.bytes_written, cell.experiment->footprint(cell.point));
  };
  return size(a) > size(b);
}

/// For each device, experiment and kind of result the largest point; on a GPU also the largest of at most an eighth of
/// its size: of squares, half as wide.
std::vector<Cell> cells() {
  std::vector<Cell> all;
  std::set<std::string> done;  // by a backend before, on the same device
  for (const auto& backend : Registry::instance().backends()) {
    const Device* device = runner().device(*backend).device;
    if (!device) continue;
    for (const auto& [name, experiment] : Registry::instance().experiments()) {
      std::map<std::string, std::vector<Cell>> by_kind;
      for (const Point& point : candidates(experiment, device->info())) {
        auto& of_kind = by_kind[kind_of_result(point)];
        if (!of_kind.empty() && words(of_kind.front().point) != words(point)) continue;
        if (const auto cell = plainest(*backend, experiment, point)) of_kind.push_back(*cell);
      }
      for (auto& [kind, of_kind] : by_kind) {
        const std::string key = device->info().emulated ? "emulated" : device->info().key;
        if (of_kind.empty() || !done.insert(key + "/" + name + kind).second) continue;
        std::ranges::stable_sort(of_kind, is_larger);
        all.push_back(of_kind.front());
        if (!limits(device->info()).two_sizes) continue;
        const double most = experiment.cost(of_kind.front().point).amount() / 8;
        const auto smaller = std::ranges::find_if(
            of_kind, [&](const Cell& cell) { return experiment.cost(cell.point).amount() <= most; });
        if (smaller != of_kind.end()) all.push_back(*smaller);
      }
    }
  }
  return all;
}

}  // namespace
}  // namespace crosswarp

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::printf("mutations by seed %d\n", GTEST_FLAG_GET(random_seed));
  static const auto cells = crosswarp::cells();
  for (const crosswarp::Cell& cell : cells)
    testing::RegisterTest("mutations", cell.id().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [&cell] { return static_cast<testing::Test*>(new crosswarp::MutationTest(cell)); });
  return RUN_ALL_TESTS();
}
