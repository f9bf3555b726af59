// References of a problem's results on its device, per generation of inputs.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// LRU cache of references in float, for `sets` results of rows × columns each. Makes each generation's once, as long
/// as memory lasts. If not even one generation fits, check() makes references again, some rows at a time.
class ReferenceCache {
 public:
  /// Enqueues the reference of the rows of `set` from `first_row` on, as many as fit `to`, from the current inputs.
  using Make = std::function<void(std::size_t set, std::size_t first_row, std::span<float> to)>;
  /// Name of an element: `row 3, column 5`.
  using Name = std::function<std::string(std::size_t index)>;

  ReferenceCache(Device& device, std::size_t sets, std::size_t rows, std::size_t columns, Make make);

  /// Makes the references of `generation`. Requires that its inputs are on the device or enqueued.
  void keep(std::uint64_t generation);
  /// Whether check() needs no inputs.
  bool holds(std::uint64_t generation) const;

  /// The worst element over all sets; results[set] has rows × columns elements. Waits for the device.
  Verdict check(std::uint64_t generation, const std::vector<TypedSpan>& results, const ErrorBound& bound,
                const Name& name) const;

 private:
  struct Generation {
    std::uint64_t number;
    std::vector<Buffer<float>> of_sets;
  };

  Comparison compare_in_pieces(std::size_t set, const TypedSpan& result, const ErrorBound& bound) const;

  Device& device_;
  std::size_t sets_, rows_, columns_;
  Make make_;
  std::list<Generation> kept_;  // most recently used last
};

}  // namespace crosswarp
