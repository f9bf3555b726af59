// Unrolled loop: 32 steps of eight chains between two branches, for each number type of the language; of one chain for
// divisions. Bound by the arithmetic units; divisions by their instructions.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

/// x ← a·x + b, rounded once.
template <class T>
struct Fused {
  using Number = T;
  static constexpr unsigned count = 8, unroll = 32;
  T a, b;
  __device__ float operator()(float x) const { return fmaf(x, a, b); }
  __device__ double operator()(double x) const { return fma(x, a, b); }
  __device__ std::uint32_t operator()(std::uint32_t x) const { return x * a + b; }
};

/// x ← b - 1/x, by the language's division. It branches, so that a thread's chains would not overlap: only other
/// threads' do.
struct Reciprocal {
  using Number = float;
  static constexpr unsigned count = 1, unroll = 32;
  float b;
  __device__ float operator()(float x) const { return b - 1.0f / x; }
};

/// The steps of all chains alternate, so that Step::count of them are in flight.
template <class Step, class T = typename Step::Number>
__global__ void __launch_bounds__(block)
    run_chains(const T* starts, T* ends, std::size_t chains, unsigned steps, Step step, Elapsed* elapsed) {
  constexpr unsigned count = Step::count;
  constexpr std::size_t tile_size = std::size_t{block} * count;
  const Stopwatch watch;
  T x[count];
  for (std::size_t tile = blockIdx.x * tile_size; tile < chains; tile += gridDim.x * tile_size) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(x, starts, first);
    unsigned done = 0;
    for (; done + Step::unroll <= steps; done += Step::unroll) {
#pragma unroll
      for (unsigned u = 0; u < Step::unroll; ++u)
#pragma unroll
        for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
    }
    for (; done < steps; ++done)  // the remainder
#pragma unroll
      for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
    store_ends<block>(x, ends, first, chains);
  }
  store_elapsed(watch.stop(x[0]), elapsed);
}

void run(const Queue& queue, const PeakCompute::Args& args) {
  using Type = PeakCompute::Type;
  const auto launch_chains = [&]<class Step>(const Step& step) {
    using T = typename Step::Number;
    launch(run_chains<Step>, blocks_for(args.chains, block * Step::count), block, 0, queue, args.starts_as<T>(),
           args.ends_as<T>(), args.chains, args.steps, step, args.elapsed.data());
  };
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  if (args.type == Type::f32) launch_chains(Fused<float>{a, b});
  if (args.type == Type::f64) launch_chains(Fused<double>{args.a, args.b});
  if (args.type == Type::i32)
    launch_chains(Fused<std::uint32_t>{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
  if (args.type == Type::special) launch_chains(Reciprocal{b});
}

bool is_type_of_the_language(const Point& point) {
  using Type = PeakCompute::Type;
  const Type type = PeakCompute::type_of(point);
  return type == Type::f32 || type == Type::f64 || type == Type::i32 || type == Type::special;
}

const Register<PeakCompute> variant{{
    .idea = "unrolled loop: 32 steps of eight chains between two branches; of one, where a step is a division",
    .bound_by = "arithmetic units",
    .improves = "fused",
    .applies = is_type_of_the_language,
    .launch = run,
    .instructions = {{"FFMA", 256}, {"DFMA", 256}, {"IMAD", 256}, {"MUFU.RCP", 8}},
}};

}  // namespace
}  // namespace crosswarp::gpu
