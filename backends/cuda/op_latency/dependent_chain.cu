// Operations as the language writes them, each waiting for the one before, in one warp. Bound by their latency;
// division and root are exactly rounded, which takes the compiler many instructions.
#include "backends/cuda/op_latency/latency.hpp"

namespace crosswarp::gpu {
namespace {

using Op = OpLatency::Op;

struct FmaF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float a, b;
  __device__ float operator()(float x, const Lane&) const { return fmaf(x, a, b); }
};
struct FmaF64 {
  using T = double;
  static constexpr unsigned unroll = 64;
  double a, b;
  __device__ double operator()(double x, const Lane&) const { return fma(x, a, b); }
};
struct MadI32 {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  std::uint32_t a, b;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane&) const { return x * a + b; }
};
struct AddF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float one;
  __device__ float operator()(float x, const Lane&) const { return x + one; }
};
struct Rcp {
  using T = float;
  static constexpr unsigned unroll = 4;
  float b;
  __device__ float operator()(float x, const Lane&) const { return b - 1.0f / x; }
};
struct Sqrt {
  using T = float;
  static constexpr unsigned unroll = 4;
  __device__ float operator()(float x, const Lane&) const { return x + sqrtf(x); }
};
struct Sin {
  using T = float;
  static constexpr unsigned unroll = 1;
  __device__ float operator()(float x, const Lane&) const { return sinf(x); }
};
struct Shuffle {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return shuffle(lane.next, x); }
};
struct AtomicShared {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return atomicAdd(lane.shared, x); }
};
struct AtomicGlobal {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return atomicAdd(lane.word, x); }
};

bool is_of_the_language(const Point& point) { return OpLatency::op_of(point) != Op::fma_f16x2; }

void measure(const Queue& queue, const OpLatency::Args& args) {
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  switch (args.op) {
    case Op::fma_f64:
      return launch_chain(queue, args, FmaF64{args.a, args.b});
    case Op::mad_i32:
      return launch_chain(queue, args, MadI32{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
    case Op::add_f32:
      return launch_chain(queue, args, AddF32{1});
    case Op::rcp:
      return launch_chain(queue, args, Rcp{b});
    case Op::sqrt:
      return launch_chain(queue, args, Sqrt{});
    case Op::sin:
      return launch_chain(queue, args, Sin{});
    case Op::shuffle:
      return launch_chain(queue, args, Shuffle{});
    case Op::atomic_shared:
      return launch_chain(queue, args, AtomicShared{});
    case Op::atomic_global:
      return launch_chain(queue, args, AtomicGlobal{});
    default:
      return launch_chain(queue, args, FmaF32{a, b});
  }
}

const Register<OpLatency> variant{{
    .idea = "operations as the language has them, one warp, each waiting for the one before: bound by latency",
    .applies = is_of_the_language,
    .launch = measure,
    .instructions = {{"FFMA", 64},
                     {"DFMA", 64},
                     {"IMAD", 64},
                     {"FADD", 64},
                     {"SHFL.IDX", 64},
                     {"ATOMS", 64},
                     {"ATOMG", 64},
                     {"MUFU.RCP", 4},
                     {"MUFU.RSQ", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
