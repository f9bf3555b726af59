// Who is sampled when, and when it is enough.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace crosswarp {

/// When a cell has been sampled enough. Times in seconds.
struct StopRule {
  double min_time = 0.2;         ///< Device time after which any cell is done.
  double precision = 0.002;      ///< Done earlier where the median is known to this, relative, with 95 % confidence …
  std::size_t min_samples = 32;  ///< … by at least this many samples.
  std::size_t max_samples = 400;
  std::size_t placements = 16;  ///< Over which all of the above is spread: each has its buffers at other addresses.
  double time_limit = 0.5;      ///< Wall time of one cell; it is cut off there, with whatever it has.
};

/// The share of one placement; counts are rounded up. Six samples are the least from which "precision" is known.
StopRule share(StopRule rule);

struct Samples {
  std::vector<double> seconds;  ///< One for each round that the contestant took part in, from the first on.
  std::string stopped;          ///< `precision`, `min_time`, `max_samples`, `time_limit`, or `error`.
  std::string error;            ///< What it threw, if it did.
  double wall = 0;              ///< Seconds that its turns took.
};

/// Samples all contestants sample by sample in turn, so that drift hits all of them alike; the turn that begins a round
/// rotates. A contestant returns the seconds of one sample of device time. Rounds go on until every contestant is done:
/// sample i of two contestants always comes from the same round. One that reaches its time limit or throws leaves the
/// rounds; the others go on. `companions` take part in every round behind the contestants, and no round is held for
/// their sake: their samples come last. `before_round`, where it is given, is called before each round; what it throws
/// ends the sampling. `now` is the wall clock in seconds.
std::vector<Samples> sample_round_robin(const std::vector<std::function<double()>>& contestants, const StopRule& rule,
                                        const std::function<double()>& now,
                                        const std::vector<std::function<double()>>& companions = {},
                                        const std::function<void()>& before_round = nullptr);

}  // namespace crosswarp
