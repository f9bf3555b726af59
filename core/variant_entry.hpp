// Variants: one idea in one backend. What its file declares, and what the registry holds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/error.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// Named parameters of a variant (block size, unroll …). A variant's first tuning is its default.
struct Tuning {
  std::vector<std::pair<std::string, int>> values;

  /// Throws Error for an unknown name.
  int operator[](std::string_view name) const;
  /// `block256_per_sm8`.
  std::string name() const;
};

/// Records the kernels launched while it is on, if the launching layer knows them. Off while timing.
struct LaunchLog {
  bool on = false;
  std::vector<KernelUse> kernels;
};

/// Base of each backend's queue type: what a launch gets in addition to the experiment's arguments.
struct LaunchContext {
  const DeviceInfo& device;
  const Tuning& tuning;
  std::span<std::byte> workspace;  ///< Zeroed once, before the first launch; launches may leave state in it.
  LaunchLog* log = nullptr;
  bool pdl = false;  ///< Programmatic dependent launch: kernels start early and wait for the grid before.
  std::span<const std::span<std::byte>> workspaces = {};  ///< By rank, each in its memory; see core/ranks.hpp.
};

/// Records how many blocks of the previous launch have work, if not all.
inline void note_useful_blocks(const LaunchContext& context, std::size_t useful) {
  if (context.log->on) context.log->kernels.back().useful_blocks = useful;
}

/// The backend of handwritten kernels that portable variants are held against.
inline constexpr std::string_view reference_backend = "cuda";

/// What a launch uses of other ranks, where each rank may be a process (core/remote_rank.hpp).
enum class OfPeers {
  memory,    ///< Their memory: processes of one host map it, where the device can.
  nothing,   ///< Its own rank's memory alone: a library carries the data.
  messages,  ///< The same, by a library whose ranks must be processes.
  process,   ///< Objects of the process itself, such as buffers of the host: ranks cannot be processes.
};

/// Why a variant is slower than its counterpart, and so what would mend it.
enum class GapClass {
  none,          ///< It is not: within gap_tolerance.
  tuning,        ///< The same algorithm by more instructions, fewer loads in flight or costlier launches.
  not_written,   ///< The programming model can express the faster algorithm; no variant does.
  no_api,        ///< The programming model has no API for it.
  library_only,  ///< Only a library for the programming model has it.
  escape_hatch,  ///< It takes native code within the portable kernel.
};
std::string to_string(GapClass);

/// Times as fast as the variant that its counterpart may be where the class is `none`.
inline constexpr double gap_tolerance = 1.07;

/// What separates a variant from its counterpart at some points.
struct Gap {
  GapClass kind = GapClass::none;
  std::string reason = {};                  ///< A phrase, without figures: those of a device are in results.
  std::vector<std::string> evidence = {};   ///< Hardware counters, or fields of the kernel, that show it.
  bool (*applies)(const Point&) = nullptr;  ///< Null for all points.
};

/// Declaration of a variant. `Queue` is the backend's type: it has the backend's name and its stream or execution
/// space.
template <class E, class Queue>
struct Variant {
  std::string_view idea;           ///< What it does: a short phrase.
  std::string_view bound_by = {};  ///< What limits it: "memory bandwidth", "one atomic unit of L2".
  std::string_view improves = {};  ///< The rung it improves on; empty for none.
  /// Variants of the reference backend with the same algorithm; a variant that is not expressible stands for them.
  std::vector<std::string_view> counterparts = {};
  std::vector<Gap> gaps = {};      ///< The first that applies holds; without a counterpart, to the fastest variant.
  std::vector<std::string_view> needs = {};  ///< Required device features; a device without them skips the variant.
  std::string not_expressible = {};          ///< Why this backend cannot express it; then `launch` is null.
  /// The native API that it takes within a portable kernel, such as `wmma`: then it does not stand for its backend.
  std::string_view escape_hatch = {};
  bool library = false;                ///< A vendor library's: the baseline.
  ResultIn result = ResultIn::device;  ///< `host`: the launch waits for the device; timed accordingly.
  std::vector<Tuning> tunings = {};
  /// The default tuning gives way to that of `bench tune`'s table, where the table has one for the device.
  bool tuned_by_table = false;
  bool (*applies)(const Point&) = nullptr;  ///< The points that it supports; null for all.
  std::size_t (*workspace)(const Queue&, const typename E::Args&) = nullptr;  ///< Bytes of workspace, on each rank.
  /// Enqueues one-time setup before many launches, such as filling a workspace. Not timed; for any inputs. Over ranks
  /// it is called for each set, and in that for each rank in order: a library may have to register every array.
  void (*prepare)(const Queue&, const typename E::Args&) = nullptr;
  /// Why it cannot run here, such as a library that is not installed; empty if it can. Called before any use.
  std::string (*missing)() = nullptr;
  void (*launch)(const Queue&, const typename E::Args&) = nullptr;  ///< Enqueues the work of one rank; called often.
  OfPeers of_peers = OfPeers::memory;
  /// Required instructions in NVIDIA's machine code: prefix and minimum count, `{"FFMA", 64}`. Tested if there is a
  /// disassembler.
  std::vector<std::pair<std::string_view, int>> instructions = {};
};

/// A variant bound to a device, a problem and a tuning.
struct Bound {
  std::function<void(std::size_t set)> launch;                 ///< Enqueues the work of all ranks.
  std::shared_ptr<std::vector<Buffer<std::byte>>> workspaces;  ///< By rank.
  std::shared_ptr<LaunchLog> log;
};

/// A variant in the registry.
struct VariantEntry {
  std::string backend;
  std::string experiment;
  std::string name;
  std::string source;       ///< Path of the source file, as given to the compiler.
  std::string module = {};  ///< Path of the module; empty if linked in.
  std::string idea;
  std::string bound_by;
  std::string improves;
  std::vector<std::string> counterparts;  ///< Names in the reference backend.
  std::vector<Gap> gaps;
  std::vector<std::string> needs;
  std::string not_expressible;
  std::string escape_hatch;
  bool library = false;
  ResultIn result = ResultIn::device;
  std::vector<Tuning> tunings;  ///< One or more.
  bool tuned_by_table = false;
  OfPeers of_peers = OfPeers::memory;
  std::vector<std::pair<std::string, int>> instructions;
  bool (*applies)(const Point&) = nullptr;  ///< Null for all points.
  std::string (*missing)() = nullptr;       ///< Null for none.
  std::function<Bound(Device&, const Problem&, const Tuning&)> bind;
  /// For a problem in another process; null where ranks cannot be processes.
  std::function<std::unique_ptr<RankBound>(Device&, const Tuning&, std::span<const std::byte> args)> bind_rank;

  /// `cuda/reduce_sum/float4`.
  std::string id() const { return backend + "/" + experiment + "/" + name; }
  bool is_for(const Point& point) const { return !applies || applies(point); }
  /// Whether its time is one of the backend's own: neither a library's nor one by an escape hatch.
  bool stands_for_backend() const { return !library && escape_hatch.empty(); }
  /// Why it is slower than its counterpart at `point`. A variant that is not expressible has no API, is in a library
  /// only, or takes an escape hatch, unless it declares that something else is the larger part there.
  Gap gap(const Point& point) const;
};

void add_variant(VariantEntry variant, ExperimentEntry experiment);

}  // namespace crosswarp
