// Hopper's matrix instructions of four warps (wgmma) on factors in shared memory, sums in registers. Bound by the
// matrix units, as far as power lets them keep their clock.
#include "backends/cuda/device/stopwatch.hpp"
#include "backends/cuda/device/tensor_tile.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

using Type = PeakCompute::Type;

bool has_an_instruction(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return PeakCompute::is_tensor(type) && type != Type::tensor_f64;
}

#if CROSSWARP_HAS_PTX

constexpr unsigned block = 256;  // two warpgroups, each with a tile of its own
constexpr unsigned warpgroup = 128;
constexpr unsigned depth = 32;  // bytes of a slab's row, and of an instruction
constexpr unsigned piece = 16;  // bytes of a core matrix's row
constexpr unsigned rows = 64, columns = 256, slabs = PeakCompute::slabs;
constexpr unsigned slab = rows * depth;
constexpr unsigned unroll = PeakCompute::tensor_step_unit;

/// Where shared memory has byte 16·p of row r of a factor: in core matrices of 8 rows of 16 bytes, each contiguous; the
/// two of 8 rows lie side by side.
__device__ unsigned place(unsigned r, unsigned p) { return r / 8 * 8 * depth + p * 8 * piece + r % 8 * piece; }

/// What wgmma takes for a factor at `address` (of shared memory) that lies so, without swizzling.
__device__ std::uint64_t descriptor(std::uint32_t address) {
  constexpr std::uint64_t next_in_depth = 8 * piece, next_rows = 8 * depth;
  return (address & 0x3ffff) >> 4 | next_in_depth >> 4 << 16 | next_rows >> 4 << 32;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// One instruction for each type; its sums are 128 registers, whatever is in them.
#define CROSSWARP_WGMMA(types, scales)                                                                                 \
  asm volatile("wgmma.mma_async.sync.aligned." types                                                                   \
               " {"                                                                                                    \
               "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                                \
               "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"                                      \
               "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"                                      \
               "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,"                                      \
               "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"                                      \
               "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,"                                      \
               "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,"                          \
               "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"                       \
               "}, %128, %129, 1" scales ";"                                                                           \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]),       \
                 "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), \
                 "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]),            \
                 "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]),            \
                 "+r"(d[30]), "+r"(d[31]), "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]),            \
                 "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]),            \
                 "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]), "+r"(d[49]), "+r"(d[50]),            \
                 "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]), "+r"(d[57]),            \
                 "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63]), "+r"(d[64]),            \
                 "+r"(d[65]), "+r"(d[66]), "+r"(d[67]), "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71]),            \
                 "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75]), "+r"(d[76]), "+r"(d[77]), "+r"(d[78]),            \
                 "+r"(d[79]), "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83]), "+r"(d[84]), "+r"(d[85]),            \
                 "+r"(d[86]), "+r"(d[87]), "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91]), "+r"(d[92]),            \
                 "+r"(d[93]), "+r"(d[94]), "+r"(d[95]), "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99]),            \
                 "+r"(d[100]), "+r"(d[101]), "+r"(d[102]), "+r"(d[103]), "+r"(d[104]), "+r"(d[105]), "+r"(d[106]),     \
                 "+r"(d[107]), "+r"(d[108]), "+r"(d[109]), "+r"(d[110]), "+r"(d[111]), "+r"(d[112]), "+r"(d[113]),     \
                 "+r"(d[114]), "+r"(d[115]), "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119]), "+r"(d[120]),     \
                 "+r"(d[121]), "+r"(d[122]), "+r"(d[123]), "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])      \
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

__device__ void begin_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}
#endif

/// A warpgroup takes a tile at a time, in turn with the others.
template <Type type>
__global__ void __launch_bounds__(block, 1) multiply_tiles(const uint4* a, const uint4* b, std::uint32_t* ends,
                                                           std::size_t tiles, unsigned steps, Elapsed* elapsed) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ alignas(1024) unsigned char of_a[slabs * slab];
  __shared__ alignas(1024) unsigned char of_b[columns * depth];
  for (unsigned i = threadIdx.x; i < slabs * rows * 2; i += block)
    *reinterpret_cast<uint4*>(of_a + i / 2 / rows * slab + place(i / 2 % rows, i % 2)) = a[i];
  for (unsigned i = threadIdx.x; i < columns * 2; i += block)
    *reinterpret_cast<uint4*>(of_b + place(i / 2, i % 2)) = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the matrix units read by another way
  __syncthreads();
  const auto first_a = static_cast<std::uint32_t>(__cvta_generic_to_shared(of_a));
  const std::uint64_t b_descriptor = descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(of_b)));

  const Stopwatch watch;
  std::uint32_t sums[columns / 2];
  for (std::size_t t = blockIdx.x * (block / warpgroup) + threadIdx.x / warpgroup; t < tiles;
       t += gridDim.x * (block / warpgroup)) {
    std::uint64_t a_descriptor[slabs];
#pragma unroll
    for (unsigned s = 0; s < slabs; ++s)
      a_descriptor[s] = descriptor(first_a + static_cast<unsigned>((t + s) % slabs) * slab);
#pragma unroll
    for (std::uint32_t& sum : sums) sum = 0;
#pragma unroll 1
    for (unsigned done = 0; done < steps; done += unroll) {
      begin_group();
#pragma unroll
      for (unsigned s = 0; s < unroll; ++s) multiply_add<type>(sums, a_descriptor[s % slabs], b_descriptor);
      end_group();
      wait_for_all_but<1>();
    }
    wait_for_all_but<0>();
    const unsigned warp = threadIdx.x % warpgroup / warp_size();
    store_fragment<columns>(sums, ends + (t * rows + std::size_t{16} * warp) * columns);
  }
  const Elapsed took = watch.stop(sums[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) *elapsed = took;
#endif
}

template <Type type>
void launch_tiles(const Queue& queue, const PeakCompute::Args& args) {
  launch(multiply_tiles<type>, blocks_for(args.chains, block / warpgroup), block, 0, queue,
         reinterpret_cast<const uint4*>(args.factors_a.data()), reinterpret_cast<const uint4*>(args.factors_b.data()),
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
    .idea = "Hopper's matrix instructions of four warps on factors in shared memory: bound by the matrix units",
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
