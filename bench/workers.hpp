// Cells in worker processes: one per physical device, shared by its backends, replaced after a fault.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/executor.hpp"
#include "bench/worker.hpp"

namespace crosswarp {

/// Opens no device in this process. A cell fails if it ends its worker, makes the device unusable, or makes no progress
/// for `--hang-limit` seconds; the other cells of the request run again without it.
class Workers final : public Executor {
 public:
  explicit Workers(const Options& options);
  const DeviceStatus& status(const Backend& backend, std::size_t ranks = 1) override;
  double measured_bandwidth(const Backend& backend) override;
  std::optional<double> used_by_others(const Backend& backend) override;
  Result verify(const Cell& cell) override;
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by, const StopRule& stop) override;
  void count(std::vector<Result>& results) override;
  void energy(std::vector<Result>& results) override;
  void accuracy(std::vector<Result>& results) override;
  bool end() override;

 private:
  struct Answer {
    std::optional<Message> message;  ///< None if the worker died or was killed; then:
    std::string why;                 ///< the reason,
    std::uint64_t culprit;           ///< the index of the failing result in the request, or Position::none.
  };
  using Fail = std::function<void(Result&, const std::string& why)>;

  Answer ask(const std::string& key, const Message& request);
  Answer wait_for(Worker& worker);
  using WorkerEntry = std::map<std::string, std::unique_ptr<Worker>>::iterator;
  WorkerEntry worker_for(const std::string& key);
  void restore_device(Result& result);
  void ask_for_each(std::vector<Result>& results, const nlohmann::ordered_json& head, const Fail& fail);

  const Options& options_;
  std::map<std::pair<std::string, std::size_t>, DeviceStatus> statuses_;  // by backend and ranks
  std::map<std::string, std::string> keys_;                 // device keys by backend; empty without a device
  std::map<std::string, double> bandwidths_;                // by device key: a new worker need not measure again
  std::map<std::string, std::unique_ptr<Worker>> workers_;  // by device key
};

}  // namespace crosswarp
