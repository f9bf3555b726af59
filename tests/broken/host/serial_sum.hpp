// A right sum, for variants that are broken in when they take it.
#pragma once

#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {

inline float add_serially(std::span<const float> in) {
  float sum = 0;
  for (const float x : in) sum += x;
  return sum;
}

inline void add_serially_on(const ReduceSum::Typed<float>& set) { set.out[0] = add_serially(set.in); }

}  // namespace crosswarp::host
