// wgmma: matrix instructions of a warpgroup on operands in shared memory (Hopper). For files that need "ptx"; called by
// all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/gpu/kernel.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

constexpr unsigned warpgroup_size = 128;

enum class WgmmaSwizzle : std::uint64_t { none = 0, bytes_128 = 1 };

/// A shared-memory matrix descriptor but for its address: offsets in bytes between core matrices ("Matrix Descriptor"
/// in the PTX ISA).
constexpr std::uint64_t wgmma_layout(std::uint64_t leading_offset, std::uint64_t stride_offset, WgmmaSwizzle swizzle) {
  return leading_offset >> 4 << 16 | stride_offset >> 4 << 32 | static_cast<std::uint64_t>(swizzle) << 62;
}
/// The descriptor of the operand at a shared address.
__device__ inline std::uint64_t wgmma_descriptor(unsigned address, std::uint64_t layout) {
  return layout | (address & 0x3ffff) >> 4;
}

#if CROSSWARP_TARGET_HAS_WGMMA
/// Orders wgmma after the warpgroup's other accesses to its registers: before the first one on new accumulators.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits for all but the last `pending` groups.
template <int pending>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
/// Keeps the compiler from moving reads of the accumulators above a preceding wait.
template <unsigned count>
__device__ void wgmma_fence_operands(float (&accumulators)[count]) {
#pragma unroll
  for (float& accumulator : accumulators) asm volatile("" : "+f"(accumulator)::"memory");
}

/// Moves registers between warpgroups: a thread keeps, or receives, `registers`, a multiple of eight.
template <int registers>
__device__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
#endif

}  // namespace
}  // namespace crosswarp::gpu

// The accumulators of a wgmma instruction as operands of an assembly statement: 32, 64, 96 or 128 registers of a
// thread.
#define CROSSWARP_WGMMA_8_ACC(constraint, d, i)                                                             \
  constraint(d[i]), constraint(d[i + 1]), constraint(d[i + 2]), constraint(d[i + 3]), constraint(d[i + 4]), \
      constraint(d[i + 5]), constraint(d[i + 6]), constraint(d[i + 7])
#define CROSSWARP_WGMMA_ACC_FROM(constraint, d, i)                                      \
  CROSSWARP_WGMMA_8_ACC(constraint, d, i), CROSSWARP_WGMMA_8_ACC(constraint, d, i + 8), \
      CROSSWARP_WGMMA_8_ACC(constraint, d, i + 16), CROSSWARP_WGMMA_8_ACC(constraint, d, i + 24)

/// Output operands: the elements of `d`, with a constraint of "+f" or "+r".
#define CROSSWARP_WGMMA_32_ACC(constraint, d) CROSSWARP_WGMMA_ACC_FROM(constraint, d, 0)
#define CROSSWARP_WGMMA_64_ACC(constraint, d) \
  CROSSWARP_WGMMA_32_ACC(constraint, d), CROSSWARP_WGMMA_ACC_FROM(constraint, d, 32)
#define CROSSWARP_WGMMA_96_ACC(constraint, d) \
  CROSSWARP_WGMMA_64_ACC(constraint, d), CROSSWARP_WGMMA_ACC_FROM(constraint, d, 64)
#define CROSSWARP_WGMMA_128_ACC(constraint, d) \
  CROSSWARP_WGMMA_96_ACC(constraint, d), CROSSWARP_WGMMA_ACC_FROM(constraint, d, 96)

/// Their placeholders in the statement's text.
#define CROSSWARP_WGMMA_32_REGISTERS                       \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define CROSSWARP_WGMMA_64_REGISTERS                                  \
  CROSSWARP_WGMMA_32_REGISTERS                                        \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define CROSSWARP_WGMMA_96_REGISTERS                                  \
  CROSSWARP_WGMMA_64_REGISTERS                                        \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define CROSSWARP_WGMMA_128_REGISTERS                                             \
  CROSSWARP_WGMMA_96_REGISTERS                                                    \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111," \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

#endif
