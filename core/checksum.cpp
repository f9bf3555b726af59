// Oracles of whole arrays. Bound by making the words, a few nanoseconds each on one core.
#include "core/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace crosswarp {
namespace {

constexpr std::uint64_t most_compared = std::uint64_t{1} << 18;
constexpr std::size_t piece = 4096;  // words at a time: they stay in a core's cache

}  // namespace

Checksum checksum(std::uint64_t n, const Words& words, const Words& places) {
  std::uint64_t weighted = 0, sum = 0;
#pragma omp parallel for reduction(+ : weighted, sum) schedule(static)
  for (std::uint64_t first = 0; first < n; first += piece) {
    std::array<std::uint32_t, piece> some, somewhere;
    const std::span part(some.data(), std::min<std::uint64_t>(piece, n - first));
    words(first, part);
    if (places) places(first, {somewhere.data(), part.size()});
    for (std::size_t i = 0; i < part.size(); ++i) {
      weighted += part[i] * checksum_weight(places ? somewhere[i] : first + i);
      sum += part[i];
    }
  }
  return {weighted, sum};
}

Verdict compare_words(Device& device, std::span<const float> on_device, const Words& words, const Checksum& expected,
                      std::string_view what) {
  const Verdict right{.ok = true, .error = 0, .bound = 0, .where = {}};
  const std::uint64_t n = on_device.size();
  if (n == 0 || (n > most_compared && device.checksum(on_device) == expected.weighted)) return right;
  std::vector<float> is(piece);
  std::vector<std::uint32_t> should_be(piece);
  for (std::uint64_t first = 0; first < n; first += piece) {
    const std::span part(should_be.data(), std::min<std::uint64_t>(piece, n - first));
    words(first, part);
    device.read(is.data(), on_device.data() + first, part.size_bytes());
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (std::bit_cast<std::uint32_t>(is[i]) == part[i]) continue;
      const auto right_one = std::bit_cast<float>(part[i]);
      return {.ok = false,
              .error = std::abs(static_cast<double>(is[i]) - right_one),
              .where = mismatch(std::string(what) + "[" + std::to_string(first + i) + "]", is[i], right_one)};
    }
  }
  if (n > most_compared)
    return {.ok = false, .where = std::string(what) + ": the device's checksum is wrong, and no element is"};
  return right;
}

}  // namespace crosswarp
