// The element types of half-precision products.
#pragma once

#include "backends/kokkos/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {

/// Calls `use` with the element types of the inputs and of C: `[&]<class T, class To>()`.
template <class Use>
void with_types(const MatmulF16::Args& args, Use&& use) {
  if (args.bf16)
    args.f32_out ? use.template operator()<Brain16, float>() : use.template operator()<Brain16, Brain16>();
  else
    args.f32_out ? use.template operator()<Binary16, float>() : use.template operator()<Binary16, Binary16>();
}

}  // namespace crosswarp::kokkos
