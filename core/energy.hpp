// Energy of launches, by the device's own counter over a sustained window.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace crosswarp {

class Device;

/// Energy of launches that run back to back on one input, without flushes.
struct Energy {
  double joules = 0;      ///< Of a launch: that of the window, idle power included, over its launches.
  double watts = 0;       ///< Mean over the window.
  double idle_watts = 0;  ///< Mean of the same device without work, before any row's window. 0: unknown.
  double seconds = 0;     ///< Of the window.
  std::size_t launches = 0;
  double clock = 0;      ///< Hz: mean over the window; 0: unknown.
  std::string throttle;  ///< Reasons seen in the window, comma-separated.
  std::string why_not;   ///< Why there is none; then nothing else is set.
};

/// Whether a device was slowed down for power or heat, by one of these reasons of Telemetry::throttle.
bool is_by_power_or_heat(const std::string& throttle);

/// Launches back to back for a fourth of `window` unmeasured, then for `window` seconds or a little longer: from one
/// change of the counter to another, which steps a few times a second. `launch` enqueues one launch and takes about
/// `launch_seconds`. Requires device.energy(). Throws Error if the counter stands still, and the errors of launches.
Energy measure_energy(Device& device, const std::function<void()>& launch, double launch_seconds, double window);

/// Watts of `device` without work over half of `window`, after another half of it. Requires device.energy(). Throws
/// Error if the counter stands still.
double measure_idle_power(Device& device, double window);

}  // namespace crosswarp
