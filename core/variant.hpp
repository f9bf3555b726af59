// How it is computed: one idea of one backend, registered by the file that holds it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/error.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// Named numbers of a variant (block size, unroll …). The first of a variant's list is its default.
struct Tuning {
  std::vector<std::pair<std::string, int>> values;

  /// Throws Error where the tuning has no such number.
  int operator[](std::string_view name) const;
  /// `block256_per_sm8`.
  std::string name() const;
};

/// The kernels that were launched while it was on, as far as the launching layer can tell. Off while timing.
struct LaunchLog {
  bool on = false;
  std::vector<KernelUse> kernels;
};

/// What a launch is given beside the experiment's arguments; each backend's queue type derives from it.
struct LaunchContext {
  const DeviceInfo& device;
  const Tuning& tuning;
  std::span<std::byte> workspace;  ///< Zeroed once, before the first launch; then as the last launch left it.
  LaunchLog* log = nullptr;
  bool pdl = false;  ///< Programmatic dependent launch: kernels start early and call grid_dependency_sync().
};

/// To be called behind a launch of whose blocks only `useful` do not leave at once.
inline void note_useful_blocks(const LaunchContext& context, std::size_t useful) {
  if (context.log->on) context.log->kernels.back().useful_blocks = useful;
}

/// What a variant's file says of itself. `Queue` is the backend's own type: it tells the backend's name and carries the
/// real stream or execution space, so that nothing is cast.
template <class E, class Queue>
struct Variant {
  std::string_view idea;                     ///< What it does, in one phrase.
  std::string_view bound_by = {};            ///< What limits it, in one phrase: "memory", "one atomic unit of L2".
  std::string_view improves = {};            ///< The rung it improves on, where there is one.
  std::string_view formerly = {};            ///< The name it had before it was renamed, where it was.
  std::vector<std::string_view> needs = {};  ///< Device features; a device that lacks one skips the variant.
  std::string not_expressible = {};          ///< Why this backend cannot say it; then there is no `launch`.
  bool library = false;                      ///< A vendor's: the yardstick.
  ResultIn result = ResultIn::device;        ///< `host`: the launch waits for the device, and is timed so.
  std::vector<Tuning> tunings = {};
  bool (*applies)(const Point&) = nullptr;  ///< The points that it is for, where these are not all.
  std::size_t (*workspace)(const Queue&, const typename E::Args&) = nullptr;  ///< Bytes of workspace that it needs.
  /// Enqueues what a user would do once, before many launches (fills a workspace): not timed, on any one input.
  void (*prepare)(const Queue&, const typename E::Args&) = nullptr;
  /// Why it cannot run here after all: a library that is not installed. Empty where it can. Asked before any use.
  std::string (*missing)() = nullptr;
  void (*launch)(const Queue&, const typename E::Args&) = nullptr;  ///< Enqueues the work; called many times.
  /// Instructions that its kernels must have in NVIDIA's machine code, by how they begin, each with the least number:
  /// `{"FFMA", 64}`. A test looks, where there is a disassembler.
  std::vector<std::pair<std::string_view, int>> instructions = {};
};

/// A variant tied to a device, a problem and a tuning: ready to launch.
struct Bound {
  std::function<void(std::size_t set)> launch;
  std::shared_ptr<Buffer<std::byte>> workspace;
  std::shared_ptr<LaunchLog> log;
};

/// A variant as the registry, the tests and the benchmark see it.
struct VariantEntry {
  std::string backend;
  std::string experiment;
  std::string name;
  std::string source;  ///< The file, as the compiler was given it.
  std::string module = {};  ///< The file that it was loaded from; empty where it was linked in.
  std::string idea;
  std::string bound_by;
  std::string improves;
  std::string formerly;
  std::vector<std::string> needs;
  std::string not_expressible;
  bool library = false;
  ResultIn result = ResultIn::device;
  std::vector<Tuning> tunings;  ///< At least one.
  std::vector<std::pair<std::string, int>> instructions;
  bool (*applies)(const Point&) = nullptr;  ///< Null: to every point.
  std::string (*missing)() = nullptr;       ///< Null: nothing.
  std::function<Bound(Device&, const Problem&, const Tuning&)> bind;

  /// `cuda/reduce_sum/float4`.
  std::string id() const { return backend + "/" + experiment + "/" + name; }
  /// The id before it was renamed; empty where it was not.
  std::string former_id() const { return formerly.empty() ? "" : backend + "/" + experiment + "/" + formerly; }
  bool is_called(std::string_view wanted) const { return wanted == name || (!formerly.empty() && wanted == formerly); }
};

void add_variant(VariantEntry variant, ExperimentEntry experiment);

/// Registers a variant under the name of the file in which it stands.
template <ExperimentType E, class Queue>
class Register {
 public:
  /// `file` is the caller's. (clang 15 takes std::source_location for this one's, being a default argument.)
  Register(Variant<E, Queue> v, const char* file = __builtin_FILE()) {
    VariantEntry entry;
    entry.backend = Queue::backend;
    entry.experiment = E::name;
    entry.source = file;
    entry.name = stem(entry.source);
    entry.idea = v.idea;
    entry.bound_by = v.bound_by;
    entry.improves = v.improves;
    entry.formerly = v.formerly;
    entry.needs.assign(v.needs.begin(), v.needs.end());
    entry.not_expressible = v.not_expressible;
    entry.library = v.library;
    entry.result = v.result;
    entry.applies = v.applies;
    entry.missing = v.missing;
    entry.instructions.assign(v.instructions.begin(), v.instructions.end());
    entry.tunings = v.tunings.empty() ? std::vector<Tuning>(1) : v.tunings;
    entry.bind = [v](Device& device, const Problem& problem, const Tuning& tuning) {
      return bind(v, device, static_cast<const ProblemOf<E>&>(problem).prepared(), tuning);
    };
    if (!v.launch && entry.not_expressible.empty())
      throw Error(entry.id() + " has neither a launch nor a reason why not (" + entry.source + ")");
    add_variant(std::move(entry), describe<E>());
  }

 private:
  static std::string stem(const std::string& path) {
    const auto slash = path.find_last_of('/') + 1;
    return path.substr(slash, path.find('.', slash) - slash);
  }

  static Bound bind(const Variant<E, Queue>& v, Device& device, const E& problem, const Tuning& tuning) {
    Bound bound;
    bound.log = std::make_shared<LaunchLog>();
    Queue queue(device, LaunchContext{device.info(), tuning, {}, nullptr});
    const std::size_t bytes = v.workspace ? v.workspace(queue, problem.args(0)) : 0;
    bound.workspace = std::make_shared<Buffer<std::byte>>(device, bytes);
    bound.workspace->fill(0);
    queue.workspace = bound.workspace->span();
    queue.log = bound.log.get();
    if (v.prepare) v.prepare(queue, problem.args(0));
    bound.launch = [queue, &problem, launch = v.launch, log = bound.log, workspace = bound.workspace](std::size_t set) {
      launch(queue, problem.args(set));
    };
    return bound;
  }
};

}  // namespace crosswarp
