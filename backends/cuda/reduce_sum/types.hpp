// Dispatch by element type and operation, and the accumulator of each element type.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

/// The type in which elements of T are reduced.
template <class T>
using Accumulator = ReduceSum::Result<T>;

/// An element as its accumulator.
template <class T>
__device__ T widen(T value) {
  return value;
}
__device__ inline float widen(Half value) { return half_value(value); }

/// Calls `launch` with the arguments of the element type and with the operation:
/// `[&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op)`.
template <class Launch>
void dispatch(const ReduceSum::Args& args, Launch&& launch) {
  std::visit(
      [&]<class T>(const ReduceSum::Typed<T>& typed) {
        if (args.operation == ReduceSum::Operation::min) return launch(typed, Min());
        if (args.operation == ReduceSum::Operation::max) return launch(typed, Max());
        launch(typed, Sum());
      },
      args.typed);
}

/// The same for variants of sums alone: `[&]<class T>(const ReduceSum::Typed<T>& a)`.
template <class Launch>
void dispatch_sum(const ReduceSum::Args& args, Launch&& launch) {
  std::visit(launch, args.typed);
}

}  // namespace
}  // namespace crosswarp::gpu
