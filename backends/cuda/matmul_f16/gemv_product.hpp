// What gemv's kernels need to know of 16-bit products.
#pragma once

#include "backends/cuda/gemv/product.hpp"
#include "backends/cuda/matmul_f16/value_of.hpp"

namespace crosswarp::gpu {
namespace {

/// Conversion of a load.
template <bool bf16>
struct ToFloats {
  template <unsigned width>
  __device__ gemv::Elements<float, width> operator()(const gemv::Elements<std::uint16_t, width>& elements) const {
    gemv::Elements<float, width> values;
#pragma unroll
    for (unsigned i = 0; i < width; ++i) values.of[i] = value_of<bf16>(elements.of[i]);
    return values;
  }
};

/// As gemv::SumProduct.
struct HalfProduct {
  using Experiment = MatmulF16;
  using Args = MatmulF16::Args;

  static gemv::Problem<std::uint16_t> problem(const Args& args) {
    return {args.a.data(), args.b.data(), args.m, args.n, args.k, args.b_transposed};
  }
  static Output output(const Args& args) { return Output(args); }
  template <class Use>
  static void with_values(const Args& args, Use&& use) {
    args.bf16 ? use.template operator()<ToFloats<true>>() : use.template operator()<ToFloats<false>>();
  }
  static bool finish_if_empty(const Queue& queue, const Args& args) { return gpu::finish_if_empty(queue, args); }
};

}  // namespace
}  // namespace crosswarp::gpu
