// Dependent operations of the language in one team of one warp: a vector lane for each chain. Bound by their latency.
// Without a clock: launches of two lengths give the time of a step (Result::step_time).
#include <cmath>

#include "backends/kokkos/team_tiles.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::kokkos {
namespace {

using Op = OpLatency::Op;
using Policy = Kokkos::TeamPolicy<Exec>;

/// A lane's own words.
struct Lane {
  std::uint32_t* word;     ///< Of device memory.
  std::uint32_t* scratch;  ///< Of the team's scratch memory.
};

// One step of each operation: the type of x, steps between two branches, x ← step(x).

struct FmaF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float a, b;
  KOKKOS_FUNCTION float operator()(float x, const Lane&) const { return fmaf(x, a, b); }
};
struct FmaF64 {
  using T = double;
  static constexpr unsigned unroll = 64;
  double a, b;
  KOKKOS_FUNCTION double operator()(double x, const Lane&) const { return fma(x, a, b); }
};
struct MadI32 {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  std::uint32_t a, b;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t x, const Lane&) const { return x * a + b; }
};
struct AddF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float one;
  KOKKOS_FUNCTION float operator()(float x, const Lane&) const { return x + one; }
};
struct Rcp {
  using T = float;
  static constexpr unsigned unroll = 4;
  float b;
  KOKKOS_FUNCTION float operator()(float x, const Lane&) const { return b - 1.0f / x; }
};
struct Sqrt {
  using T = float;
  static constexpr unsigned unroll = 4;
  KOKKOS_FUNCTION float operator()(float x, const Lane&) const { return x + sqrtf(x); }
};
struct Sin {
  using T = float;
  static constexpr unsigned unroll = 1;
  KOKKOS_FUNCTION float operator()(float x, const Lane&) const { return sinf(x); }
};
struct AtomicScratch {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t x, const Lane& lane) const {
    return Kokkos::atomic_fetch_add(lane.scratch, x);
  }
};
struct AtomicGlobal {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t x, const Lane& lane) const {
    return Kokkos::atomic_fetch_add(lane.word, x);
  }
};

KOKKOS_INLINE_FUNCTION void from_bits(float& x, std::uint64_t bits) {
  x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
}
KOKKOS_INLINE_FUNCTION void from_bits(double& x, std::uint64_t bits) { x = __builtin_bit_cast(double, bits); }
KOKKOS_INLINE_FUNCTION void from_bits(std::uint32_t& x, std::uint64_t bits) { x = static_cast<std::uint32_t>(bits); }
KOKKOS_INLINE_FUNCTION std::uint64_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
KOKKOS_INLINE_FUNCTION std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
KOKKOS_INLINE_FUNCTION std::uint64_t to_bits(std::uint32_t x) { return x; }

/// All of a launch's steps in one loop, in the team's vector lanes.
template <class Step>
void take_steps(const Queue& queue, const OpLatency::Args& args, const Step& step) {
  const int lanes = static_cast<int>(args.starts.size());
  const unsigned steps = 4 * args.steps;
  const std::uint64_t* const starts = args.starts.data();
  std::uint64_t* const ends = args.ends.data();
  std::uint32_t* const words = args.words.data();
  Kokkos::parallel_for(
      Policy(queue.exec, 1, 1, lanes).set_scratch_size(0, Kokkos::PerTeam(lanes * int{sizeof(std::uint32_t)} + 16)),
      KOKKOS_LAMBDA(const Policy::member_type& team) {
        std::uint32_t* const shared = scratch<std::uint32_t>(team, lanes);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int me) {
          const Lane lane{words + me, shared + me};
          *lane.word = 1;
          *lane.scratch = 1;
          typename Step::T x;
          from_bits(x, starts[me]);
          unsigned done = 0;
          for (; done + Step::unroll <= steps; done += Step::unroll) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (unsigned u = 0; u < Step::unroll; ++u) x = step(x, lane);
          }
          for (; done < steps; ++done) x = step(x, lane);
          ends[me] = to_bits(x);
        });
      });
}

void measure(const Queue& queue, const OpLatency::Args& args) {
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  switch (args.op) {
    case Op::fma_f64:
      return take_steps(queue, args, FmaF64{args.a, args.b});
    case Op::mad_i32:
      return take_steps(queue, args, MadI32{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
    case Op::add_f32:
      return take_steps(queue, args, AddF32{1});
    case Op::rcp:
      return take_steps(queue, args, Rcp{b});
    case Op::sqrt:
      return take_steps(queue, args, Sqrt{});
    case Op::sin:
      return take_steps(queue, args, Sin{});
    case Op::atomic_shared:
      return take_steps(queue, args, AtomicScratch{});
    case Op::atomic_global:
      return take_steps(queue, args, AtomicGlobal{});
    default:
      return take_steps(queue, args, FmaF32{a, b});
  }
}

const Register<OpLatency> variant{{
    .idea = "one team of one warp, each operation waits for the one before; timed by launches of two lengths",
    .bound_by = "latency of the operation",
    .counterparts = {"dependent_chain"},
    .gaps = {{GapClass::no_api,
              "Kokkos's atomics take any address: on scratch memory not the instruction for shared memory",
              {"stall_long_scoreboard", "stall_short_scoreboard"},
              [](const Point& point) { return OpLatency::op_of(point) == Op::atomic_shared; }}},
    .applies =
        [](const Point& point) {
          const Op op = OpLatency::op_of(point);
          return op != Op::fma_f16x2 && op != Op::shuffle;
        },
    .launch = measure,
}};

}  // namespace
}  // namespace crosswarp::kokkos
