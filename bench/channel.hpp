// What a run and its worker say to each other: a head, and results as the lines that files have.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace crosswarp {

/// A request or an answer.
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

  /// False where the other end is gone.
  bool send(const Message& message);

  /// What has come so far, after waiting for more of it for at most `milliseconds` (-1: for ever), or until a signal
  /// comes. False where the other end is gone.
  bool wait(int milliseconds);
  /// The next whole message, where there is one.
  std::optional<Message> next();

 private:
  int descriptor_;
  std::string received_;
};

/// Facts of a device, to and fro.
nlohmann::ordered_json to_json(const DeviceInfo& info);
DeviceInfo device_info(const nlohmann::ordered_json& json);

}  // namespace crosswarp
