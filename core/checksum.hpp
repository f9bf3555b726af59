// Whether large arrays on a device hold what they should, without reading them back: a sum in which every place counts
// differently, computed on the device and by the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// What word `i` is multiplied with: odd, so that a change of any one word changes the sum.
constexpr std::uint64_t checksum_weight(std::uint64_t i) { return mix(i + 0x9e3779b97f4a7c15u) | 1; }

/// Of 32-bit words, modulo 2^64. Both are independent of the order in which they are added.
struct Checksum {
  static constexpr std::uint64_t block = std::uint64_t{1} << 18;  ///< Words.

  std::uint64_t weighted = 0;  ///< Σ words[i] · checksum_weight(i): what words that were exchanged change, too.
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> before = {};  ///< `weighted` of all words before block 0, 1 …: the first is 0.
};

/// Writes the words `first`, first + 1 … of an array. Called by many threads at once.
using Words = std::function<void(std::uint64_t first, std::span<std::uint32_t> words)>;

/// Of the first `n` words, on all cores of the host. Word i stands at the i-th of `places`, if they are given.
Checksum checksum(std::uint64_t n, const Words& words, const Words& places = nullptr);

/// Whether `on_device` holds `words`, whose checksum is `expected`. Up to 2^18 elements are read back and compared. Of
/// more the device's own checksum decides: one wrong word always changes it, several go unseen with a chance of 2^-64.
/// Where it is wrong, checksums find the first block that is, and the verdict names its first wrong element as one of
/// `what`.
Verdict compare_words(Device& device, std::span<const float> on_device, const Words& words, const Checksum& expected,
                      std::string_view what);

}  // namespace crosswarp
