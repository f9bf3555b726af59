// A model of how Hopper's 8-bit matrix instructions add, for host and device: 14 bits, aligned to the largest term and
// truncated (docs/experiments/matmul_f8.md has sources).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace crosswarp {

/// Products that one instruction adds.
inline constexpr std::size_t products_at_once = 32;

/// The sum of `sum` and `count` products, each without what is more than 13 bits below the leading one of the largest.
constexpr float add_in_14_bits(float sum, const float* products, std::size_t count) {
  const auto exponent_bits = [](float x) { return std::bit_cast<std::uint32_t>(x) & 0x7f800000u; };
  std::uint32_t most = exponent_bits(sum);
  for (std::size_t i = 0; i < count; ++i) most = exponent_bits(products[i]) > most ? exponent_bits(products[i]) : most;
  if (most < (14u << 23)) return sum;  // all but zero
  const float step = std::bit_cast<float>(most - (13u << 23));
  const auto steps = [step](float x) { return static_cast<std::int32_t>(x / step); };  // exact, then truncated
  std::int32_t all = steps(sum);
  for (std::size_t i = 0; i < count; ++i) all += steps(products[i]);
  return static_cast<float>(all) * step;
}

}  // namespace crosswarp
