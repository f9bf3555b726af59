// Verified samples: whether launches do their own work, on the queue's stream, inside the window that is timed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/buffer.hpp"
#include "core/device.hpp"
#include "core/experiment.hpp"
#include "core/variant.hpp"

namespace crosswarp {

/// A bound variant, as its samples launch it.
struct Launches {
  std::function<void(std::size_t)> launch;  ///< Enqueues launch i, on set i % sets.
  std::size_t count = 1;
  std::size_t sets = 1;
  bool cold = true;
  bool gated = true;
  ResultIn result = ResultIn::device;
  const Buffer<std::byte>* workspace = nullptr;
};

/// One launch on each set, outside of any timing.
Launches untimed(const Bound& bound, std::size_t sets, ResultIn result);

/// Device memory for copies of outputs, taken in stream order: one place for each launch of a sample. Where memory is
/// too short for it, nothing is captured, and outputs are judged where they lie.
class Capture {
 public:
  Capture(Device& device, const Problem& problem, std::size_t launches, std::size_t sets);

  /// Enqueues a copy of the outputs of launch `i`.
  void take(std::size_t i);
  /// Enqueues the copy back, so that check() judges what launch `i` had left.
  void put_back(std::size_t i);

 private:
  std::size_t set_of(std::size_t i) const { return i % sets_; }

  Device& device_;
  const Problem& problem_;
  std::size_t launches_, sets_, bytes_ = 0;  // bytes of one launch's outputs
  Buffer<std::byte> copies_;
};

/// The problem's verdict, and whether the workspace's guard bands are intact.
Verdict judge(const Problem& problem, const Launches& launches);

/// A verdict on launches that queue.stream is done with. Where it is wrong and right a little later, it says so.
Verdict say_if_late(const Problem& problem, const Launches& launches, Verdict verdict);

/// One sample in which the outputs are captured in stream order behind each launch, and in which the outputs of a
/// launch must be poison until it begins. Catches a launch that does the work of another, or works on after its end.
/// `seconds`: what the sample took, copies included.
Verdict verify_each_launch(Device& device, Problem& problem, Capture& capture, const Launches& launches,
                           double& seconds);

/// What outputs hold before a verified sample: poison, or numbers, as what another launch has left.
enum class Before { poison, numbers };

/// One sample exactly as timed, with the outputs of all launches captured behind the last. Where `look` > 0 and the
/// sample is gated, the host also waits that many seconds before it opens the gate: outputs must still be poison then.
/// Catches work outside of the queue's stream.
Verdict verify_as_timed(Device& device, Problem& problem, Capture& capture, const Launches& launches, double look,
                        Before before = Before::poison);

}  // namespace crosswarp
