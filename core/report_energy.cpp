// Table of energy: a row for each rung, with what it did for a joule, and the state of the device meanwhile.
#include <fmt/format.h>

#include "core/report.hpp"

namespace crosswarp {

std::string energy_table(const std::vector<Result>& results, const Terminal& terminal) {
  TextTable table;
  table.row({"rung", "energy", "power", "without work", "FLOP/J", "B/J", "window", "launches", "clock", "throttled by"},
            TextTable::Colour::faint);
  enum Column : std::size_t { rung, joules, power, idle, flops, bytes, window, launches, clock, throttle };
  const Result* first = nullptr;
  for (const Result& r : results) {
    if (!r.energy || !r.energy->why_not.empty()) continue;
    if (!first) first = &r;
    const Energy& e = *r.energy;
    table.row({without_experiment(r.cell.rung()), si(e.joules, "J"), si(e.watts, "W"),
               e.idle_watts > 0 ? si(e.idle_watts, "W") : "", field("flops_per_joule").show(r),
               field("bytes_per_joule").show(r), si(e.seconds, "s"), std::to_string(e.launches),
               e.clock > 0 ? fmt::format("{:.0f} MHz", e.clock / 1e6) : "", e.throttle},
              is_by_power_or_heat(e.throttle) ? TextTable::Colour::bad : TextTable::Colour::none);
  }
  if (!first) return {};
  for (const Column column : {launches, window, idle}) table.narrow(column);
  const std::string title =
      fmt::format("{}  {}  |  {}: energy of a launch, back to back on one input; !: slowed down for power or heat",
                  first->cell.experiment->name, first->cell.point.name(), first->device.name);
  return wrapped(title, terminal.width, 2) + "\n" + table.text(terminal.width, terminal.colours);
}

}  // namespace crosswarp
