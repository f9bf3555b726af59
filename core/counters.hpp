// Hardware counters: names, units, values. Devices read them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosswarp {

/// A hardware counter, or a value derived from several.
struct Counter {
  std::string_view name;           ///< `dram_throughput`
  std::string_view unit;           ///< `%` (0 to 100), `ns`, `B`, `Hz`, or the thing counted: `inst`, `warp`.
  std::string_view group;          ///< `memory`
  std::string_view meaning;        ///< One line.
  std::string_view metric;         ///< NVIDIA's metric, as in Nsight Compute; empty for a derived value.
  std::string_view share_of = {};  ///< An earlier counter of the table; without its value this one has no meaning.
};

/// All counters in the order of display, group by group.
std::span<const Counter> all_counters();

/// Group names, in that order.
std::vector<std::string> counter_groups();

/// The counters of a comma-separated list of groups, or of `all`. Throws Error, with the nearest match, for an unknown
/// group.
std::vector<const Counter*> select_counters(std::string_view groups);

/// A value with its unit, for display: `1.23 GB`, `97.3 %`, `7.97`; `-` for none.
std::string show(const Counter& counter, std::optional<double> value);

/// Resources of one kernel launch.
struct KernelUse {
  int registers = 0;             ///< Per thread.
  std::size_t shared_bytes = 0;  ///< Per block, static and dynamic.
  double occupancy = 0;          ///< Resident threads over the maximum.
  std::size_t blocks = 0;
  std::size_t useful_blocks = 0;  ///< Blocks with work; 0 for unknown.
  std::size_t threads = 0;        ///< Per block.
  bool pdl = false;               ///< Programmatic dependent launch.
  std::string name = {};          ///< As kernel_name() has it; empty for unknown.

  bool operator==(const KernelUse&) const = default;
};

/// A kernel launch as the device recorded it.
struct KernelRun {
  std::string name;  ///< Demangled, with template arguments and parameters.
  KernelUse use;
  std::array<unsigned, 3> grid{}, block{};
  std::string limited_by;  ///< Limit of resident blocks: `registers`, `threads`, `shared memory`.
};

/// A counter's value, or the reason for none.
struct Count {
  const Counter* counter;
  std::optional<double> value;
  std::string why_not = {};
};

/// Counters read over one launch of a cell.
struct Counters {
  std::vector<Count> counts;       ///< One per requested counter. Empty if nothing could be read.
  std::vector<KernelRun> kernels;  ///< In launch order.
  std::string why_not;             ///< Why nothing could be read; else empty.

  /// The value of the counter `name`, if it was read.
  std::optional<double> operator[](std::string_view name) const;
};

/// One value for all kernels of a launch: their sum, or their mean weighted by time. NaN without a finite value.
/// Requires as many `times` as `values`.
double over_kernels(std::span<const double> values, std::span<const double> times, bool adds);

/// Another process that launches one cell for a profiler, several times, each launch in a Range: Runner::profile.
struct ProfiledProcess {
  std::vector<std::string> command;            ///< Program and arguments. Empty: no process can do it.
  std::string range;                           ///< Name of each launch's range.
  std::function<void()> sign_of_life = [] {};  ///< To be called while it runs.
};

}  // namespace crosswarp
