// Position-weighted checksums: compare large device arrays with their oracle without reading them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// Weight of word `i`: odd, so that a change of any one word changes the sum.
constexpr std::uint64_t checksum_weight(std::uint64_t i) { return mix(i + 0x9e3779b97f4a7c15u) | 1; }

/// Checksum of 32-bit words, modulo 2^64. Independent of the order of addition.
struct Checksum {
  static constexpr std::uint64_t block = std::uint64_t{1} << 18;  ///< Words.

  std::uint64_t weighted = 0;  ///< Σ words[i] · checksum_weight(i): also detects swapped words.
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> before = {};  ///< Prefix sums: `weighted` of all words before block 0, 1 …
};

/// Writes the words `first`, first + 1 … of an array. Called by many threads at once.
using Words = std::function<void(std::uint64_t first, std::span<std::uint32_t> words)>;

/// Checksum of the first `n` words, on all cores of the host. `positions`: the index of word i, if not i.
Checksum checksum(std::uint64_t n, const Words& words, const Words& positions = nullptr);

/// Compares `on_device` with `words`, whose checksum is `expected`. Up to 2^18 elements are read back. Beyond, the
/// device's checksum decides: it detects any one wrong word, and several with a probability of 1 - 2^-64. After a
/// mismatch, checksums of prefixes find the first wrong block, and the verdict names its first wrong element as one of
/// `what`.
Verdict compare_words(Device& device, std::span<const float> on_device, const Words& words, const Checksum& expected,
                      std::string_view what);

}  // namespace crosswarp
