// Hardware counters: which ones are reported, in which units, and what was read of them. How they are read is a
// device's own business.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// One number about the launches of a cell that hardware counts, or that follows from what it counts.
struct Counter {
  std::string_view name;           ///< `dram_throughput`
  std::string_view unit;           ///< `%` of a hundred, `ns`, `B`, `Hz`; or what is counted: `inst`, `warp`.
  std::string_view group;          ///< `memory`
  std::string_view meaning;        ///< One line.
  std::string_view metric;         ///< NVIDIA's name for it, as in Nsight Compute; empty where it is derived.
  std::string_view share_of = {};  ///< The counter, before it in the table, without which it says nothing.
};

/// All of them, in the order in which they are shown; those of a group stand together.
std::span<const Counter> all_counters();

/// The names of the groups, in that order.
std::vector<std::string> counter_groups();

/// The counters of some groups, comma-separated, or of `all`. Throws Error, with the nearest match, for a name that is
/// none.
std::vector<const Counter*> select_counters(std::string_view groups);

/// `1.23 GB`, `97.3 %`, `7.97`: a value in the counter's unit, for people; `-` for nothing.
std::string show(const Counter& counter, std::optional<double> value);

/// What one kernel launch takes of a device.
struct KernelUse {
  int registers = 0;             ///< Per thread.
  std::size_t shared_bytes = 0;  ///< Per block, static and dynamic.
  double occupancy = 0;          ///< Resident threads over the most that fit.
  std::size_t blocks = 0;
  std::size_t useful_blocks = 0;  ///< Those that do not leave at once; 0: nobody said.
  std::size_t threads = 0;        ///< Per block.
  bool pdl = false;               ///< By programmatic dependent launch: it begins while the launch before ends.
};

/// A kernel launch as the device saw it, whoever made it.
struct KernelRun {
  std::string name;  ///< As in its source, with template arguments and parameters.
  KernelUse use;
  std::array<unsigned, 3> grid{}, block{};
  std::string
      limited_by;  ///< What keeps more of its blocks from being resident: `registers`, `threads`, `shared memory`.
};

/// One counter's value, or why there is none.
struct Count {
  const Counter* counter;
  std::optional<double> value;
  std::string why_not = {};
};

/// What was read over one launch of a cell.
struct Counters {
  std::vector<Count> counts;       ///< One for each counter that was asked for. Empty where nothing could be read.
  std::vector<KernelRun> kernels;  ///< In the order of their launches.
  std::string why_not;             ///< Why nothing could be read; empty where something was.

  /// The value of the counter `name`, where it was asked for and there is one.
  std::optional<double> operator[](std::string_view name) const;
};

}  // namespace crosswarp
