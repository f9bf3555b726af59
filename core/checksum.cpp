// Bound by the generator: a few nanoseconds per word on one core.
#include "core/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace crosswarp {
namespace {

constexpr std::uint64_t max_compared = Checksum::block;
constexpr std::size_t piece = 4096;  // words at a time: they stay in a core's cache

}  // namespace

Checksum checksum(std::uint64_t n, const Words& words, const Words& positions) {
  Checksum all;
  std::vector<std::uint64_t> blocks((n + Checksum::block - 1) / Checksum::block);
  std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    std::vector<std::uint64_t> own(blocks.size());
#pragma omp for schedule(static)
    for (std::uint64_t first = 0; first < n; first += piece) {
      std::array<std::uint32_t, piece> some, indices;
      const std::span part(some.data(), std::min<std::uint64_t>(piece, n - first));
      words(first, part);
      if (positions) positions(first, {indices.data(), part.size()});
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::uint64_t at = positions ? indices[i] : first + i;
        own[at / Checksum::block] += part[i] * checksum_weight(at);
        sum += part[i];
      }
    }
#pragma omp critical
    for (std::size_t i = 0; i < own.size(); ++i) blocks[i] += own[i];
  }
  all.sum = sum;
  for (const std::uint64_t of_block : blocks) {
    all.before.push_back(all.weighted);
    all.weighted += of_block;
  }
  return all;
}

Verdict compare_words(Device& device, std::span<const float> on_device, const Words& words, const Checksum& expected,
                      std::string_view what) {
  const Verdict right{.ok = true, .error = 0, .bound = 0, .where = {}};
  const std::uint64_t n = on_device.size();
  std::uint64_t begin = 0;
  if (n > max_compared) {
    if (device.checksum(on_device) == expected.weighted) return right;
    const auto wrong = std::ranges::partition_point(expected.before, [&](const std::uint64_t& before) {
      const auto block = static_cast<std::uint64_t>(&before - expected.before.data());
      return device.checksum(on_device.first(block * Checksum::block)) == before;
    });
    begin = static_cast<std::uint64_t>(wrong - expected.before.begin() - 1) * Checksum::block;
  }
  std::vector<float> is(piece);
  std::vector<std::uint32_t> should_be(piece);
  for (std::uint64_t first = begin; first < n; first += piece) {
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
  if (n > max_compared)
    return {.ok = false, .where = std::string(what) + ": the device's checksum is wrong, but no element"};
  return right;
}

}  // namespace crosswarp
