// A message is lines of JSON and an empty line behind them.
#include "bench/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>

#include "core/report.hpp"

namespace crosswarp {

Channel::~Channel() { close(descriptor_); }

bool Channel::send(const Message& message) {
  std::string text = message.head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  for (const Result& result : message.results) text += json_line(result) + "\n";
  text += "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t some = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (some < 0 && errno != EINTR) return false;
    if (some > 0) sent += static_cast<std::size_t>(some);
  }
  return true;
}

bool Channel::wait(int milliseconds) {
  pollfd ready{descriptor_, POLLIN, 0};
  if (poll(&ready, 1, milliseconds) <= 0) return true;
  std::array<char, 1 << 16> piece;
  const ssize_t got = recv(descriptor_, piece.data(), piece.size(), 0);
  if (got > 0) received_.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

std::optional<Message> Channel::next() {
  const auto end = received_.find("\n\n");
  if (end == received_.npos) return {};
  std::istringstream lines(received_.substr(0, end));
  received_.erase(0, end + 2);
  Message message;
  std::string line;
  std::getline(lines, line);
  message.head = nlohmann::ordered_json::parse(line);
  while (std::getline(lines, line)) message.results.push_back(read_json_line(line));
  return message;
}

nlohmann::ordered_json to_json(const DeviceInfo& d) {
  return {{"key", d.key},
          {"name", d.name},
          {"architecture", d.architecture},
          {"memory", d.memory},
          {"cache", d.cache},
          {"compute_units", d.compute_units},
          {"threads_per_unit", d.threads_per_unit},
          {"warp_size", d.warp_size},
          {"emulated", d.emulated},
          {"clock", d.clock},
          {"peaks", d.peaks},
          {"features", d.features},
          {"versions", d.versions}};
}

DeviceInfo device_info(const nlohmann::ordered_json& json) {
  DeviceInfo d;
  const auto get = [&](const char* name, auto& value) { json.at(name).get_to(value); };
  get("key", d.key);
  get("name", d.name);
  get("architecture", d.architecture);
  get("memory", d.memory);
  get("cache", d.cache);
  get("compute_units", d.compute_units);
  get("threads_per_unit", d.threads_per_unit);
  get("warp_size", d.warp_size);
  get("emulated", d.emulated);
  get("clock", d.clock);
  get("peaks", d.peaks);
  get("features", d.features);
  get("versions", d.versions);
  return d;
}

}  // namespace crosswarp
