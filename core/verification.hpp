// Verified samples: launches must do their own work, on the queue's stream, within the timed window.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/buffer.hpp"
#include "core/device.hpp"
#include "core/experiment.hpp"
#include "core/variant.hpp"

namespace crosswarp {

/// The launches of a sample.
struct Launches {
  std::function<void(std::size_t)> launch;  ///< Enqueues launch i, on set i % sets.
  std::size_t count = 1;
  std::size_t sets = 1;
  bool cold = true;
  bool gated = true;
  ResultIn result = ResultIn::device;
  const std::vector<Buffer<std::byte>>* workspaces = nullptr;  ///< By rank; null for none.
};

/// One launch on each set, outside of any timing.
Launches untimed(const Bound& bound, std::size_t sets, ResultIn result);

/// Copies of outputs in device memory, taken in stream order, one per launch of a sample. If memory is short, copies
/// nothing, and outputs are checked in place.
class Capture {
 public:
  Capture(Device& device, const Problem& problem, std::size_t launches, std::size_t sets);

  /// Enqueues a copy of the outputs of launch `i`.
  void take(std::size_t i);
  /// Enqueues the copy back, for check() of launch `i`.
  void put_back(std::size_t i);

 private:
  /// Visits the outputs of launch `i` with their places in the copies.
  template <class Visit>
  void for_each(std::size_t i, Visit visit);

  Device& device_;
  const Problem& problem_;
  std::size_t launches_, sets_;
  std::vector<Buffer<std::byte>> copies_;  // by rank
};

/// The problem's verdict, with the guard bands of the workspace.
Verdict judge(const Problem& problem, const Launches& launches);

/// For a wrong verdict behind the last event of queue.stream: checks again a little later, and reports late work.
Verdict say_if_late(const Problem& problem, const Launches& launches, Verdict verdict);

/// One sample with outputs captured in stream order behind each launch, and checked to be poison before it. Catches a
/// launch that does another's work, or that works on after its end. Sets `seconds` to the time of the sample, copies
/// included.
Verdict verify_each_launch(Device& device, Problem& problem, Capture& capture, const Launches& launches,
                           double& seconds);

/// Content of outputs before a verified sample: poison, or numbers, like the results of another launch.
enum class Before { poison, numbers };

/// Byte of these numbers: repeated, a number in every type, 0.0115 as a float.
inline constexpr unsigned char number_byte = 0x3c;

/// A sample whose outputs were checked.
struct VerifiedSample {
  Verdict verdict;
  double seconds;  ///< Of all its launches.
};

/// One sample exactly as timed, with all outputs captured behind the last launch. For a gated sample and `look` > 0,
/// the host waits `look` seconds before it opens the gate: outputs must still be poison. Catches work outside of the
/// queue's stream.
VerifiedSample verify_as_timed(Device& device, Problem& problem, Capture& capture, const Launches& launches,
                               double look, Before before = Before::poison);

}  // namespace crosswarp
