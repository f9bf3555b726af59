// Products of a large operand whose rows run along k, read once, and a small one: for `few_columns` and `row_classes`.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// The small operand: columns of B, or rows of A.
struct SmallOperand {
  const std::uint16_t* data;
  unsigned count;  ///< Of columns or rows.
  unsigned step;   ///< Elements between two of them …
  unsigned along;  ///< … and from one step of k to the next.
};

struct ThinOperands {
  Operand large;  ///< A, or B where it is transposed.
  SmallOperand small;
};

/// `streams_a`: the large operand is A; else it is B, which must be transposed.
inline ThinOperands thin_operands(const MatmulF16::Args& args, bool streams_a) {
  const Operand a = operand_a(args), b = operand_b(args);
  const SmallOperand small = !streams_a          ? SmallOperand{a.data, a.rows, a.pitch, 1}
                             : args.b_transposed ? SmallOperand{b.data, b.rows, b.pitch, 1}
                                                 : SmallOperand{b.data, b.columns, 1, b.pitch};
  return {streams_a ? a : b, small};
}

/// Rows of k elements of 16 bits, without gaps: those so far apart begin at the same distance from 16 bytes.
__host__ __device__ constexpr unsigned alignment_period(unsigned k) { return k % 2 ? 8 : k % 4 ? 4 : k % 8 ? 2 : 1; }

}  // namespace
}  // namespace crosswarp::gpu

#endif
