// mma.sync with operands and accumulators in registers. Bound by the tensor cores: the full rate on Ampere, about 60 %
// of it on Hopper, which reaches the full rate by wgmma only.
#include "backends/cuda/device/mma.hpp"
#include "backends/cuda/device/stopwatch.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

using Type = PeakCompute::Type;

bool has_an_instruction(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return PeakCompute::is_tensor(type) && type != Type::tensor_fp8;  // wgmma only
}

#if CROSSWARP_HAS_PTX

constexpr unsigned block = 256;         // two tiles of four warps
constexpr unsigned warps_per_tile = 4;  // 16 rows each

/// Types with slabs of 32 bytes depth, in words: lane l holds words l % 4 and l % 4 + 4 of rows l / 4 and l / 4 + 8 of
/// A, and of column l / 4 of B.
template <Type type>
__device__ void multiply_add(float (&accumulators)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  if constexpr (type == Type::tensor_f16 || type == Type::tensor_bf16)
    mma_m16n8k16<type == Type::tensor_bf16>(accumulators, a, b[0], b[1]);
  else
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(accumulators[0]), "+f"(accumulators[1]), "+f"(accumulators[2]), "+f"(accumulators[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <Type type>
__device__ void multiply_add(std::int32_t (&accumulators)[4], const std::uint32_t (&a)[4],
                             const std::uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(accumulators[0]), "+r"(accumulators[1]), "+r"(accumulators[2]), "+r"(accumulators[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// f64: lane l holds words l % 4, l % 4 + 4 … of the same rows and columns; here a word is a double.
template <Type type>
__device__ void multiply_add(double (&accumulators)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(accumulators[0]), "+d"(accumulators[1]), "+d"(accumulators[2]), "+d"(accumulators[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else  // sm_80 has m8n8k4 only
#pragma unroll
  for (unsigned h = 0; h < 2; ++h)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                   : "+d"(accumulators[2 * h]), "+d"(accumulators[2 * h + 1])
                   : "d"(a[2 * k + h]), "d"(b[k]));
#endif
}

/// The grid's groups of four warps stride over the tiles. Operands stay in registers throughout.
template <Type type, class Word, class Sum>
__global__ void __launch_bounds__(block)
    multiply_tiles(const Word* a, const Word* b, Sum* ends, std::size_t tiles, unsigned steps, Elapsed* elapsed) {
  constexpr PeakCompute::Tile tile = PeakCompute::tile(type);
  constexpr unsigned rows = tile.rows, columns = tile.columns, slabs = PeakCompute::slabs;
  constexpr unsigned words = sizeof(Word) == 8 ? 16 : 8;  // of a row of a slab
  constexpr unsigned quads = words / 4;                   // a lane holds one word of each
  const unsigned lane = threadIdx.x % warp_size(), warp = threadIdx.x / warp_size() % warps_per_tile;
  const unsigned row = 16 * warp + lane / 4;

  Word of_b[columns / 8][quads];
#pragma unroll
  for (unsigned j = 0; j < columns / 8; ++j)
#pragma unroll
    for (unsigned q = 0; q < quads; ++q) of_b[j][q] = b[(8 * j + lane / 4) * words + 4 * q + lane % 4];

  const Stopwatch watch;
  Sum accumulators[columns / 8][4] = {};
  for (std::size_t t = blockIdx.x * (block / warp_size() / warps_per_tile) + threadIdx.x / warp_size() / warps_per_tile;
       t < tiles; t += gridDim.x * (block / warp_size() / warps_per_tile)) {
    Word of_a[slabs][2 * quads];
#pragma unroll
    for (unsigned s = 0; s < slabs; ++s)
#pragma unroll
      for (unsigned i = 0; i < 2 * quads; ++i)
        of_a[s][i] = a[(((t + s) % slabs) * rows + row + i % 2 * 8) * words + i / 2 * 4 + lane % 4];
#pragma unroll
    for (auto& of_column : accumulators)
#pragma unroll
      for (Sum& accumulator : of_column) accumulator = 0;
#pragma unroll 1
    for (unsigned done = 0; done < steps; done += slabs)
#pragma unroll
      for (unsigned s = 0; s < slabs; ++s)
#pragma unroll
        for (unsigned j = 0; j < columns / 8; ++j) multiply_add<type>(accumulators[j], of_a[s], of_b[j]);
    store_fragment<columns>(reinterpret_cast<const Sum(&)[columns / 2]>(accumulators),
                            ends + t * tile.accumulators() + std::size_t{16} * warp * columns);
  }
  const Elapsed took = watch.stop(accumulators[0][0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) *elapsed = took;
}

template <Type type, class Word, class Sum>
void launch_tiles(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_tiles<type, Word, Sum>, blocks_for(args.chains, 2), block, 0, queue,
         reinterpret_cast<const Word*>(args.operand_a.data()), reinterpret_cast<const Word*>(args.operand_b.data()),
         args.ends_as<Sum>(), args.chains, args.steps, args.elapsed.data());
}

void multiply(const Queue& queue, const PeakCompute::Args& args) {
  switch (args.type) {
    case Type::tensor_f16:
      return launch_tiles<Type::tensor_f16, std::uint32_t, float>(queue, args);
    case Type::tensor_bf16:
      return launch_tiles<Type::tensor_bf16, std::uint32_t, float>(queue, args);
    case Type::tensor_tf32:
      return launch_tiles<Type::tensor_tf32, std::uint32_t, float>(queue, args);
    case Type::tensor_int8:
      return launch_tiles<Type::tensor_int8, std::uint32_t, std::int32_t>(queue, args);
    default:
      return launch_tiles<Type::tensor_f64, double, double>(queue, args);
  }
}
#endif

const Register<PeakCompute> variant{{
    .idea = "mma.sync with operands and accumulators in registers",
    .bound_by = "tensor cores; on Hopper mma.sync's share of their rate",
    .needs = {"ptx", "mma_sync"},
    .applies = has_an_instruction,
#if CROSSWARP_HAS_PTX
    .launch = multiply,
#endif
    .instructions = {{"HMMA.16816.F32 ", 128},
                     {"HMMA.16816.F32.BF16", 128},
                     {"HMMA.1688.F32.TF32", 128},
                     {"IMMA.16832.S8.S8", 128},
                     {"DMMA", 16}},
}};

}  // namespace
}  // namespace crosswarp::gpu
