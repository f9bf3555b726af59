// wgmma (Hopper) with operands in shared memory and accumulators in registers. Bound by the tensor cores, or by the
// power limit on their clock.
#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/device/mma.hpp"
#include "backends/cuda/device/stopwatch.hpp"
#include "backends/cuda/device/wgmma.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

using Type = PeakCompute::Type;

bool has_an_instruction(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return PeakCompute::is_tensor(type) && type != Type::tensor_f64;
}

#if CROSSWARP_HAS_PTX

constexpr unsigned block = 256;    // two warpgroups, one tile each
constexpr unsigned depth = 32;     // bytes of a slab's row: k of one instruction
constexpr unsigned core_row = 16;  // bytes of a core matrix's row
constexpr unsigned rows = 64, columns = 256, slabs = PeakCompute::slabs;
constexpr unsigned slab = rows * depth;
constexpr unsigned unroll = PeakCompute::tensor_step_multiple;

/// Offset in shared memory of bytes 16·half … of an operand's row: core matrices of 8 rows of 16 bytes, each
/// contiguous, the two of the same rows in sequence.
__device__ unsigned core_offset(unsigned row, unsigned half) {
  return row / 8 * 8 * depth + half * 8 * core_row + row % 8 * core_row;
}

/// Leading offset: between core matrices along k. Stride: between those of 8 rows and the next 8.
constexpr std::uint64_t layout = wgmma_layout(8 * core_row, 8 * depth, WgmmaSwizzle::none);

#if CROSSWARP_TARGET_HAS_WGMMA
// One instruction per type, with 128 accumulator registers.
#define CROSSWARP_WGMMA(types, scales)                                                                                \
  asm volatile("wgmma.mma_async.sync.aligned." types " {" CROSSWARP_WGMMA_128_REGISTERS "}, %128, %129, 1" scales ";" \
               : CROSSWARP_WGMMA_128_ACC("+r", d)                                                                     \
               : "l"(a), "l"(b))

template <Type type>
__device__ void multiply_add(std::uint32_t (&d)[columns / 2], std::uint64_t a, std::uint64_t b) {
  if constexpr (type == Type::tensor_f16) CROSSWARP_WGMMA("m64n256k16.f32.f16.f16", ", 1, 1, 0, 0");
  if constexpr (type == Type::tensor_bf16) CROSSWARP_WGMMA("m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0");
  if constexpr (type == Type::tensor_tf32) CROSSWARP_WGMMA("m64n256k8.f32.tf32.tf32", ", 1, 1");
  if constexpr (type == Type::tensor_fp8) CROSSWARP_WGMMA("m64n256k32.f32.e4m3.e4m3", ", 1, 1");
  if constexpr (type == Type::tensor_int8) CROSSWARP_WGMMA("m64n256k32.s32.s8.s8", "");
}
#undef CROSSWARP_WGMMA
#endif

/// The grid's warpgroups stride over the tiles.
template <Type type>
__global__ void __launch_bounds__(block, 1) multiply_tiles(const uint4* a, const uint4* b, std::uint32_t* ends,
                                                           std::size_t tiles, unsigned steps, Elapsed* elapsed) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ alignas(1024) unsigned char of_a[slabs * slab];
  __shared__ alignas(1024) unsigned char of_b[columns * depth];
  for (unsigned i = threadIdx.x; i < slabs * rows * 2; i += block)
    *reinterpret_cast<uint4*>(of_a + i / 2 / rows * slab + core_offset(i / 2 % rows, i % 2)) = a[i];
  for (unsigned i = threadIdx.x; i < columns * 2; i += block)
    *reinterpret_cast<uint4*>(of_b + core_offset(i / 2, i % 2)) = b[i];
  fence_proxy_async();  // wgmma reads by the async proxy
  __syncthreads();
  const unsigned first_a = shared_address(of_a);
  const std::uint64_t b_descriptor = wgmma_descriptor(shared_address(of_b), layout);

  const Stopwatch watch;
  std::uint32_t accumulators[columns / 2];
  for (std::size_t t = blockIdx.x * (block / warpgroup_size) + threadIdx.x / warpgroup_size; t < tiles;
       t += gridDim.x * (block / warpgroup_size)) {
    std::uint64_t a_descriptor[slabs];
#pragma unroll
    for (unsigned s = 0; s < slabs; ++s)
      a_descriptor[s] = wgmma_descriptor(first_a + static_cast<unsigned>((t + s) % slabs) * slab, layout);
#pragma unroll
    for (std::uint32_t& accumulator : accumulators) accumulator = 0;
#pragma unroll 1
    for (unsigned done = 0; done < steps; done += unroll) {
      wgmma_fence();
#pragma unroll
      for (unsigned s = 0; s < unroll; ++s) multiply_add<type>(accumulators, a_descriptor[s % slabs], b_descriptor);
      wgmma_commit_group();
      wgmma_wait_group<1>();
    }
    wgmma_wait_group<0>();
    const unsigned warp = threadIdx.x % warpgroup_size / warp_size();
    store_fragment<columns>(accumulators, ends + (t * rows + std::size_t{16} * warp) * columns);
  }
  const Elapsed took = watch.stop(accumulators[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) *elapsed = took;
#endif
}

template <Type type>
void launch_tiles(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_tiles<type>, blocks_for(args.chains, block / warpgroup_size), block, 0, queue,
         reinterpret_cast<const uint4*>(args.operand_a.data()), reinterpret_cast<const uint4*>(args.operand_b.data()),
         args.ends_as<std::uint32_t>(), args.chains, args.steps, args.elapsed.data());
}

void multiply(const Queue& queue, const PeakCompute::Args& args) {
  switch (args.type) {
    case Type::tensor_f16:
      return launch_tiles<Type::tensor_f16>(queue, args);
    case Type::tensor_bf16:
      return launch_tiles<Type::tensor_bf16>(queue, args);
    case Type::tensor_tf32:
      return launch_tiles<Type::tensor_tf32>(queue, args);
    case Type::tensor_fp8:
      return launch_tiles<Type::tensor_fp8>(queue, args);
    default:
      return launch_tiles<Type::tensor_int8>(queue, args);
  }
}
#endif

const Register<PeakCompute> variant{{
    .idea = "wgmma with operands in shared memory",
    .bound_by = "tensor cores, or the power limit",
    .improves = "mma_sync_tiles",
    .needs = {"wgmma"},
    .applies = has_an_instruction,
#if CROSSWARP_HAS_PTX
    .launch = multiply,
#endif
    .instructions = {{"HGMMA.64x256x16.F32 ", 16},
                     {"HGMMA.64x256x16.F32.BF16", 16},
                     {"HGMMA.64x256x8.F32.TF32", 16},
                     {"QGMMA.64x256x32.F32.E4M3.E4M3", 16},
                     {"IGMMA.64x256x32.S8.S8", 16}},
}};

}  // namespace
}  // namespace crosswarp::gpu
