// Operands and output of a TF32 GEMM as the matrix units' tiles take them: a float is two words of 16 bits, so that
// copies, swizzle and ring are those of tensor_gemm. 3xTF32 is a product of three times the depth: a pass before splits
// A into (high, high, low) and B into (high, low, high) along k. For files that need "ptx".
#pragma once

#include "backends/cuda/matmul_tf32/operands.hpp"
#include "backends/cuda/tensor_gemm/row_repacking.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// C as that of a product with an output of float.
inline Output output(const MatmulTf32::Args& args) {
  return Output(MatmulF16::Args{.a = {},
                                .b = {},
                                .c = std::as_writable_bytes(args.c),
                                .m = args.m,
                                .n = args.n,
                                .k = args.k,
                                .bf16 = true,
                                .b_transposed = true,
                                .f32_out = true});
}

/// `rows` of `k` floats, `pitch` apart.
inline Operand in_words(const float* data, std::size_t rows, std::size_t k, std::size_t pitch) {
  return {reinterpret_cast<const std::uint16_t*>(data), extent(rows), extent(2 * k), extent(2 * pitch)};
}

constexpr unsigned split_block = 256;

/// Writes a matrix's three parts, `k` columns each: high, and low in part `low_part`; the other one is high again.
__global__ void __launch_bounds__(split_block)
    split_operand(const float* from, std::size_t size, std::size_t k, float* to, std::size_t pitch, unsigned low_part) {
  grid_dependency_sync();
  const std::size_t i = std::size_t{blockIdx.x} * split_block + threadIdx.x;
  if (i >= size) return;
  const float value = from[i], high = cut_to_tf32(value), low = value - high;
  float* const row = to + i / k * pitch + i % k;
  row[0] = high;
  row[k] = low_part == 1 ? low : high;
  row[2 * k] = low_part == 2 ? low : high;
}

/// What is multiplied: A and B where their rows begin at multiples of 16 bytes; else copies with such rows; of 3xTF32
/// the split operands. Copies lie at the beginning of the workspace, which may be empty where only shapes are asked
/// for.
class Tf32Operands {
 public:
  Tf32Operands(const MatmulTf32::Args& args, std::span<std::byte> workspace)
      : args_(args),
        given_{in_words(args.a.data(), args.m, args.k, args.k), in_words(args.b.data(), args.n, args.k, args.k)},
        repacking_(given_, workspace),
        split_a_(reinterpret_cast<float*>(workspace.data())),
        split_b_(split_a_ + args.m * split_pitch()) {}

  /// Of the copies: a multiple of 16.
  std::size_t bytes() const {
    return args_.split ? (args_.m + args_.n) * split_pitch() * sizeof(float) : repacking_.bytes();
  }
  Operands multiplied() const {
    if (!args_.split) return repacking_.result();
    return {in_words(split_a_, args_.m, 3 * args_.k, split_pitch()),
            in_words(split_b_, args_.n, 3 * args_.k, split_pitch())};
  }
  /// Enqueues the pass that makes the copies, if any.
  void launch_copies(const Queue& queue) const {
    if (!args_.split) return launch_repacking(queue, repacking_);
    launch(split_operand, blocks_for(args_.a.size(), split_block), split_block, 0, queue, args_.a.data(),
           args_.a.size(), args_.k, split_a_, split_pitch(), 2u);
    launch(split_operand, blocks_for(args_.b.size(), split_block), split_block, 0, queue, args_.b.data(),
           args_.b.size(), args_.k, split_b_, split_pitch(), 1u);
  }

 private:
  /// Floats from one row to the next: rows begin with lines of L2.
  std::size_t split_pitch() const { return (3 * args_.k + 31) / 32 * 32; }

  const MatmulTf32::Args& args_;
  Operands given_;
  OperandRepacking repacking_;
  float *split_a_, *split_b_;
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
