// Cells in processes of their own: one for each physical device, with all its backends, and a new one after a fault.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/executor.hpp"
#include "bench/worker.hpp"

namespace crosswarp {

/// This process opens no device. A cell that ends its worker, makes the device unusable, or gives no sign of life for
/// `--hang-limit` has failed, with that reason; those beside it run again without it.
class Workers final : public Executor {
 public:
  explicit Workers(const Options& options);
  const Seat& seat(const Backend& backend) override;
  double measured_bandwidth(const Backend& backend) override;
  Result verify(const Cell& cell) override;
  std::vector<Result> run(const std::vector<Cell>& cells, Mode mode, const std::vector<std::string>& backends,
                          LaunchBy launch_by) override;
  void count(std::vector<Result>& results) override;
  void accuracy(std::vector<Result>& results) override;
  bool end() override;

 private:
  struct Answer {
    std::optional<Message> message;  ///< None where the worker died or was ended.
    std::string why;                 ///< Then the reason, and
    std::uint64_t culprit;           ///< whose it is: its place among the request's results, or Position::nobody.
  };
  Answer ask(const std::string& key, const Message& request);
  Answer wait_for(Worker& worker);
  using Place = std::map<std::string, std::unique_ptr<Worker>>::iterator;
  Place place(const std::string& key);
  void know_device(Result& result);
  void settle(std::vector<Result>& results, const nlohmann::ordered_json& head,
              const std::function<void(Result&, const std::string&)>& fail);

  const Options& options_;
  std::map<std::string, Seat> seats_;                       // by backend
  std::map<std::string, std::string> keys_;                 // by backend: of the device, empty where there is none
  std::map<std::string, double> bandwidths_;                // by the device's key: a new worker need not measure again
  std::map<std::string, std::unique_ptr<Worker>> workers_;  // by the device's key
};

}  // namespace crosswarp
