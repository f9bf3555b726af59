// Cells whose ranks are processes of a launcher, seen by the first of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/executor.hpp"
#include "bench/options.hpp"
#include "core/position.hpp"

namespace crosswarp {

/// Joins the other processes and requires that they are of the same build. To be called by all. Throws Error, in the
/// first process, with the rank of another build.
void require_one_build(Processes& processes);

/// Runs cells on a thread of its own, and watches them: a rank that ends or makes no progress for `--hang-limit`
/// seconds fails the cell that it ran, and ends the run, since the launcher ends the others; `--resume` continues.
class RanksExecutor final : public Executor {
 public:
  explicit RanksExecutor(const Options& options);
  ~RanksExecutor() override;
  const DeviceStatus& status(const Backend& backend, std::size_t ranks = 1) override;
  double measured_bandwidth(const Backend& backend) override;
  std::optional<double> used_by_others(const Backend& backend) override;
  Result verify(const Cell& cell) override;
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by, const StopRule& stop) override;
  void count(std::vector<Result>& results) override;
  void energy(std::vector<Result>& results) override;
  void accuracy(std::vector<Result>& results) override;
  std::string why_over() const override { return why_over_; }
  bool end() override;

 private:
  class Thread;

  /// Calls `work` on the thread. Nothing if a rank failed meanwhile, or the user interrupted.
  template <class Work>
  auto ask(Work work) -> std::optional<decltype(work(std::declval<Executor&>()))>;
  void add(std::vector<Result>& results, void (Executor::*measure)(std::vector<Result>&));
  /// Why to wait no longer; empty while all is well.
  std::string trouble();
  std::vector<Result> failed(const std::vector<Result>& asked) const;

  const Options& options_;
  Position position_;
  std::unique_ptr<Thread> thread_;
  std::string why_over_;
  double silence_ = 0;  // seconds without progress
  std::uint64_t steps_ = 0;
};

}  // namespace crosswarp
