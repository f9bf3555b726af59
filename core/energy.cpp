// A piece of work is enqueued before the counter is read: the device does not wait for the reading, and at both ends of
// the window the reading falls into a piece.
#include "core/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr double piece_seconds = 0.01;  // the end of a window is known to about so much
constexpr std::size_t most_in_piece = 10'000;
constexpr double patience = 1;  // seconds that the counter may stand still, beside half of the window
constexpr std::size_t telemetry_readings = 20;

struct Reading {
  double at, joules;     ///< Seconds; of the device's counter.
  std::size_t launches;  ///< Done before.
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double counter_of(const Device& device) {
  const auto joules = device.energy();
  if (!joules) throw Error("the energy counter cannot be read any more");
  return *joules;
}

/// The first reading after `from` that differs from the one before it.
Reading next_step(const std::function<Reading()>& read, double from, double window) {
  for (Reading last = read();;) {
    const Reading reading = read();
    if (reading.joules != last.joules && reading.at >= from) return reading;
    if (reading.at > from + patience + window / 2) throw Error("the device's energy counter stands still");
    last = reading;
  }
}

}  // namespace

bool is_by_power_or_heat(const std::string& throttle) {
  return std::ranges::any_of(std::initializer_list<const char*>{"power", "thermal", "hardware slowdown"},
                             [&](const char* reason) { return throttle.find(reason) != throttle.npos; });
}

Energy measure_energy(Device& device, const std::function<void()>& launch, double launch_seconds, double window) {
  const double wanted = launch_seconds > 0 ? piece_seconds / launch_seconds : most_in_piece;
  const auto in_piece = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(most_in_piece)));
  std::size_t launched = 0, clocks = 0;
  double clock_sum = 0, telemetry_at = 0;
  std::set<std::string> reasons;
  const auto read = [&] {
    const std::size_t before = launched;
    for (; launched < before + in_piece; ++launched) launch();
    const Reading reading{now(), counter_of(device), before};
    if (reading.at >= telemetry_at) {
      telemetry_at = reading.at + window / telemetry_readings;
      const Telemetry seen = device.telemetry();
      if (seen.clock > 0) clock_sum += seen.clock, ++clocks;
      std::istringstream list(seen.throttle);
      for (std::string reason; std::getline(list >> std::ws, reason, ',');) reasons.insert(reason);
    }
    device.synchronize();
    return reading;
  };
  const Reading first = next_step(read, now() + window / 4, window);
  clock_sum = 0, clocks = 0, telemetry_at = 0;
  reasons.clear();
  const Reading last = next_step(read, first.at + window, window);
  Energy found;
  found.seconds = last.at - first.at;
  found.launches = last.launches - first.launches;
  found.joules = (last.joules - first.joules) / static_cast<double>(found.launches);
  found.watts = (last.joules - first.joules) / found.seconds;
  if (clocks > 0) found.clock = clock_sum / static_cast<double>(clocks);
  for (const std::string& reason : reasons) found.throttle += (found.throttle.empty() ? "" : ", ") + reason;
  return found;
}

double measure_idle_power(Device& device, double window) {
  device.synchronize();
  const auto read = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return Reading{now(), counter_of(device), 0};
  };
  const Reading first = next_step(read, now() + window / 2, window),
                last = next_step(read, first.at + window / 2, window);
  return (last.joules - first.joules) / (last.at - first.at);
}

}  // namespace crosswarp
