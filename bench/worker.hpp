// Worker process: opens devices and runs cells for its parent, which survives its faults.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/channel.hpp"
#include "bench/options.hpp"

namespace crosswarp {

/// A worker, seen by its parent. It ends with the parent.
class Worker {
 public:
  /// Starts this program with `arguments` and `--worker`. Throws Error.
  explicit Worker(const std::vector<std::string>& arguments);
  /// Kills it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Channel& channel() { return *channel_; }
  Position& position() { return *position_; }
  bool is_alive();
  void kill();
  /// Waits for its end, which must be near. Returns the cause: `Segmentation fault`, `exit code 3`; empty for exit code
  /// 0.
  std::string how_it_ended();
  /// Closes the channel, so that it exits. Returns the cause as how_it_ended().
  std::string dismiss();

 private:
  pid_t process_ = 0;
  int status_ = 0;
  bool is_over_ = false;
  Position* position_ = nullptr;  // in memory that both share
  std::unique_ptr<Channel> channel_;
};

/// Main loop of a worker: answers requests until the parent closes the channel. Returns the exit code.
int serve(const Options& options);

}  // namespace crosswarp
