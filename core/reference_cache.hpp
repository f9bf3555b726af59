// References of a problem's results, kept on its device for each generation of inputs.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// References in float, of `sets` results of rows × columns each. Made once for each generation and kept for the life
/// of the problem, as long as memory lasts: then the generation that was not used for longest goes. Where not even one
/// fits, check() makes references again, some rows at a time.
class ReferenceCache {
 public:
  /// Enqueues the reference of as many rows of `set` as `to` has, from `first_row` on, by the inputs that the device
  /// holds now.
  using Make = std::function<void(std::size_t set, std::size_t first_row, std::span<float> to)>;
  /// What an element is called: `row 3, column 5`.
  using Name = std::function<std::string(std::size_t index)>;

  ReferenceCache(Device& device, std::size_t sets, std::size_t rows, std::size_t columns, Make make);

  /// To be called when the inputs of `generation` are on the device, or enqueued.
  void keep(std::uint64_t generation);
  /// Whether check() of it does not need its inputs.
  bool holds(std::uint64_t generation) const;

  /// The worst element over all sets; results[set] has rows × columns elements. Waits for the device.
  Verdict check(std::uint64_t generation, const std::vector<TypedSpan>& results, const ErrorBound& bound,
                const Name& name) const;

 private:
  struct Generation {
    std::uint64_t number;
    std::vector<Buffer<float>> of_sets;
  };

  Comparison compare(const Generation* kept, std::size_t set, const TypedSpan& result, const ErrorBound& bound) const;

  Device& device_;
  std::size_t sets_, rows_, columns_;
  Make make_;
  std::list<Generation> kept_;  // the one that was used last is the last
};

}  // namespace crosswarp
