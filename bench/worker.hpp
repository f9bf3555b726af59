// A process of this same program that opens devices and runs cells for another one, and may die of it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/channel.hpp"
#include "bench/options.hpp"

namespace crosswarp {

/// A worker, as seen from the process that started it. It ends with that process, however that ends.
class Worker {
 public:
  /// Runs this program again, with its arguments and `--worker`. Throws Error where that cannot be done.
  explicit Worker(const std::vector<std::string>& arguments);
  /// Ends it at once.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Channel& channel() { return *channel_; }
  Position& position() { return *position_; }
  bool is_alive();
  void kill();
  /// Waits for its end, which must be near, and says how it came: `Segmentation fault`, `exit code 3`; empty where all
  /// was well.
  std::string how_it_ended();
  /// Lets it end by itself, else as how_it_ended().
  std::string dismiss();

 private:
  pid_t process_ = 0;
  int status_ = 0;
  bool is_over_ = false;
  Position* position_ = nullptr;  // in memory that both share
  std::unique_ptr<Channel> channel_;
};

/// What `--worker` does: answers requests until the other end is gone. Returns the exit code.
int serve(const Options& options);

}  // namespace crosswarp
