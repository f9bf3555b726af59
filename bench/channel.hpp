// Messages between a run and its workers: a JSON head, and results as in results files.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/sampler.hpp"

namespace crosswarp {

/// A request or a reply.
struct Message {
  nlohmann::ordered_json head;
  std::vector<Result> results;
};

/// One end of a connection. Owns its file descriptor.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// False if the other end is closed.
  bool send(const Message& message);

  /// Receives more of a message, for up to `milliseconds` (-1 for no limit) or until a signal. False if the other end
  /// is closed.
  bool wait(int milliseconds);
  /// The next complete message, if any.
  std::optional<Message> next();

 private:
  int descriptor_;
  std::string received_;
};

/// DeviceInfo as JSON, and back.
nlohmann::ordered_json to_json(const DeviceInfo& info);
DeviceInfo device_info(const nlohmann::ordered_json& json);
/// StopRule as JSON, and back.
nlohmann::ordered_json to_json(const StopRule& rule);
StopRule stop_rule(const nlohmann::ordered_json& json);

}  // namespace crosswarp
