// The matrix instructions of Hopper's warpgroups (wgmma) on 16-bit factors in shared memory, sums in registers. For
// files that need "ptx"; to be called by all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/matmul_f16/mma.hpp"
#include "backends/cuda/device/wgmma_operands.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

constexpr unsigned warpgroup_size = 128;

/// A value that is the same in all lanes of a warp, so that the compiler knows it, too, as it does of what one lane
/// tells all: what follows from it is computed once for a warp, which saves `wgmma_tma` a quarter of its instructions.
__device__ inline unsigned uniform(unsigned value) { return shuffle(value, 0); }

/// Products of a sum in one instruction.
constexpr unsigned wgmma_depth = 16;

/// How instructions find a factor in shared memory ("Matrix descriptor" of the PTX ISA): swizzled over 128 bytes, from
/// an address that is a multiple of 1024 but for steps in depth. The units are 16 bytes.
struct FactorLayout {
  std::uint64_t fixed;  ///< All of the descriptor but the address.
  unsigned step;        ///< To the next 16 of depth.

  __device__ std::uint64_t at(unsigned address) const { return fixed | (address & 0x3ffff) >> 4; }

  static constexpr FactorLayout of(std::uint64_t leading, std::uint64_t stride, unsigned step) {
    constexpr std::uint64_t swizzle_128_bytes = std::uint64_t{1} << 62;
    return {swizzle_128_bytes | leading >> 4 << 16 | stride >> 4 << 32, step >> 4};
  }
  /// Rows of 64 along the depth (A, and B where it is transposed): groups of eight rows lie side by side; the leading
  /// offset is not used.
  static constexpr FactorLayout along_depth() { return of(16, 8 * row_bytes, wgmma_depth * 2); }
  /// Panels of 64 columns, each of `depth` rows (B where it is not): the leading offset leads to the next panel, the
  /// stride to the next eight of depth.
  static constexpr FactorLayout across_depth(unsigned depth) {
    return of(std::uint64_t{depth} * row_bytes, 8 * row_bytes, wgmma_depth * row_bytes);
  }
};

#if CROSSWARP_TARGET_HAS_WGMMA

/// Gives registers of the warpgroup's threads back to the block, so that others can take them; those that are left, and
/// taken, are multiples of eight for each thread.
template <int left>
__device__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(left));
}
template <int taken>
__device__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(taken));
}

/// Before the first instruction on sums that other instructions wrote.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes a group of instructions.
__device__ inline void end_wgmma() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Until all but the last `pending` groups are done.
template <int pending>
__device__ void wait_for_wgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
/// Keeps the compiler from reading sums ahead of a wait that stands before this.
template <unsigned count>
__device__ void fence_operands(float (&sums)[count]) {
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}

// The operands behind the sums: the descriptors, whether sums are added to, signs, and whether B is stored across the
// depth. `b_at` and `add_at` are `sums` + 1 and + 2.
#define CROSSWARP_WGMMA(columns, sums, b_at, add_at, type, across)                                           \
  asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" #add_at                                              \
               ", 0;\n"                                                                                      \
               "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type                         \
               " {" CROSSWARP_WGMMA_##sums##_NAMES "}, %" #sums ", %" #b_at ", add, 1, 1, 0, " across ";\n}" \
               : CROSSWARP_WGMMA_##sums##_SUMS("+f", d)                                                      \
               : "l"(a), "l"(b), "r"(add))
#define CROSSWARP_WGMMA_BY_TYPE(columns, sums, b_at, add_at)                                        \
  do {                                                                                              \
    if constexpr (bf16 && b_transposed) CROSSWARP_WGMMA(columns, sums, b_at, add_at, "bf16", "0");  \
    if constexpr (bf16 && !b_transposed) CROSSWARP_WGMMA(columns, sums, b_at, add_at, "bf16", "1"); \
    if constexpr (!bf16 && b_transposed) CROSSWARP_WGMMA(columns, sums, b_at, add_at, "f16", "0");  \
    if constexpr (!bf16 && !b_transposed) CROSSWARP_WGMMA(columns, sums, b_at, add_at, "f16", "1"); \
  } while (false)

/// d = a·b, of 64 x 16 and 16 x `2·sums` elements, or d += a·b where `add`. Thread t of the warpgroup has of d what
/// Output::store_fragment() says of rows 16·(t / 32) on.
template <bool bf16, bool b_transposed, unsigned sums>
__device__ void multiply_add(float (&d)[sums], std::uint64_t a, std::uint64_t b, int add) {
  static_assert(sums == 32 || sums == 64 || sums == 96 || sums == 128);
  if constexpr (sums == 32) CROSSWARP_WGMMA_BY_TYPE(64, 32, 33, 34);
  if constexpr (sums == 64) CROSSWARP_WGMMA_BY_TYPE(128, 64, 65, 66);
  if constexpr (sums == 96) CROSSWARP_WGMMA_BY_TYPE(192, 96, 97, 98);
  if constexpr (sums == 128) CROSSWARP_WGMMA_BY_TYPE(256, 128, 129, 130);
}
#undef CROSSWARP_WGMMA_BY_TYPE
#undef CROSSWARP_WGMMA

/// Starts the instructions for the 64 products of each sum that a stage holds: of 64 rows at the shared address `a`,
/// of 2·`sums` columns at `b`. `add` tells whether there are sums already.
template <bool bf16, bool b_transposed, unsigned sums>
__device__ void start_stage(float (&d)[sums], unsigned a, unsigned b, bool add) {
  constexpr FactorLayout layout_a = FactorLayout::along_depth(),
                         layout_b =
                             b_transposed ? FactorLayout::along_depth() : FactorLayout::across_depth(row_elements);
  const std::uint64_t first_a = layout_a.at(a), first_b = layout_b.at(b);
  wgmma_fence();
#pragma unroll
  for (unsigned step = 0; step < row_elements / wgmma_depth; ++step)
    multiply_add<bf16, b_transposed>(d, first_a + step * layout_a.step, first_b + step * layout_b.step,
                                     add || step > 0);
  end_wgmma();
}
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
