// A message is lines of JSON, ended by an empty line.
#include "bench/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <concepts>
#include <sstream>
#include <type_traits>

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

namespace {

/// Calls visit(name, value) for each property.
template <class Info, class Visit>
requires std::same_as<std::remove_const_t<Info>, DeviceInfo>
void for_each_property(Info& d, Visit visit) {
  visit("key", d.key);
  visit("name", d.name);
  visit("architecture", d.architecture);
  visit("memory", d.memory);
  visit("cache", d.cache);
  visit("compute_units", d.compute_units);
  visit("threads_per_unit", d.threads_per_unit);
  visit("warp_size", d.warp_size);
  visit("emulated", d.emulated);
  visit("graphs", d.graphs);
  visit("clock", d.clock);
  visit("peaks", d.peaks);
  visit("features", d.features);
  visit("not_compiled", d.not_compiled);
  visit("how_to_compile", d.how_to_compile);
  visit("versions", d.versions);
}

template <class Rule, class Visit>
requires std::same_as<std::remove_const_t<Rule>, StopRule>
void for_each_property(Rule& rule, Visit visit) {
  visit("min_time", rule.min_time);
  visit("precision", rule.precision);
  visit("min_samples", rule.min_samples);
  visit("max_samples", rule.max_samples);
  visit("placements", rule.placements);
  visit("time_limit", rule.time_limit);
  visit("launches", rule.launches);
  visit("point_limit", rule.point_limit);
}

template <class T>
nlohmann::ordered_json properties_of(const T& object) {
  nlohmann::ordered_json json;
  for_each_property(object, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

template <class T>
T read_properties(const nlohmann::ordered_json& json) {
  T object;
  for_each_property(object, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  return object;
}

}  // namespace

nlohmann::ordered_json to_json(const DeviceInfo& info) { return properties_of(info); }

DeviceInfo device_info(const nlohmann::ordered_json& json) { return read_properties<DeviceInfo>(json); }

nlohmann::ordered_json to_json(const StopRule& rule) { return properties_of(rule); }

StopRule stop_rule(const nlohmann::ordered_json& json) { return read_properties<StopRule>(json); }

}  // namespace crosswarp
