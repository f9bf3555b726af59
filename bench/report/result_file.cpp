// Reads result files, whether or not this build knows their variants.
#include "bench/report/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "bench/stored_results.hpp"
#include "core/error.hpp"
#include "core/names.hpp"
#include "core/random_findings.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// What follows from results of one experiment; nothing where it had other axes then.
std::vector<Finding> conclude(const std::vector<Result>& results, const ExperimentEntry& experiment) try {
  return experiment.findings(outcomes(results));
} catch (const Error&) {
  return {};
}

/// Of all results, and, of experiments that this program does not know, what the file has.
std::vector<Conclusion> findings(const std::vector<Result>& results, const Json& as_written) {
  const auto& known = Registry::instance().experiments();
  using Series = std::tuple<std::string, std::string, std::string>;  // experiment, mode, device
  std::map<Series, std::vector<Result>> series;
  for (const Result& r : results)
    if (r.time() && r.repetition == 0) series[{r.cell.experiment->name, mode_of(r), r.device.name}].push_back(r);
  std::vector<Conclusion> all;
  for (const auto& [of, its_results] : series) {
    const auto& [experiment, mode, device] = of;
    if (!known.contains(experiment)) continue;
    std::vector<Finding> found = conclude(its_results, known.at(experiment));
    std::ranges::move(random_findings(its_results), std::back_inserter(found));
    if (!found.empty()) all.push_back({experiment, mode, device, std::move(found)});
  }
  for (const Json& written : as_written)
    if (!known.contains(written.at("experiment"))) {
      all.push_back(read_conclusion(written));
      for (const Finding& finding : all.back().findings) to_string(finding);  // throws where its text does not fit
    }
  return all;
}

/// Throws Error for the first of `wanted`, of the option `flag`, that is not among `known`.
void require(const char* flag, const std::vector<std::string>& wanted, const std::set<std::string>& known) {
  for (const std::string& name : wanted)
    if (!known.contains(name))
      throw Error(fmt::format("{} {}: {}", flag, name, did_you_mean(name, {known.begin(), known.end()})));
}

bool among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string ResultFile::name() const { return path.substr(path.find_last_of('/') + 1); }

std::string ResultFile::said(const std::string& key) const {
  const auto found = context.find(key);
  return found == context.end() ? "unknown" : found->second;
}

ResultFile read_results(const std::string& path) {
  StoredResults stored = read_stored(path);
  ResultFile file;
  file.path = path;
  file.context = std::move(stored.context);
  try {
    for (const Json& entry : stored.rows) {
      Result& result = file.results.emplace_back(from_json(entry, file.cells.find(entry)));
      // Before rows had it.
      if (result.execution.space.empty() && result.cell.variant->backend == "kokkos" &&
          file.context.contains("kokkos_execution_space"))
        result.execution.space = file.context.at("kokkos_execution_space");
    }
    file.findings = findings(file.results, stored.findings);
  } catch (const std::exception& why) {
    throw not_results(path, why);
  }
  return file;
}

std::vector<ResultFile> read_results(const std::vector<std::string>& paths, const Selection& selection) {
  std::vector<ResultFile> files;
  std::set<std::string> experiments, backends;
  for (const std::string& path : paths) {
    files.push_back(read_results(path));
    for (const Result& r : files.back().results) {
      experiments.insert(r.cell.variant->experiment);
      backends.insert(r.cell.variant->backend);
    }
  }
  require("--experiment", selection.experiments, experiments);
  require("--backend", selection.backends, backends);
  for (ResultFile& file : files) {
    std::erase_if(file.results, [&](const Result& r) {
      return !among(selection.experiments, r.cell.variant->experiment) ||
             !among(selection.backends, r.cell.variant->backend);
    });
    if (selection.without_throttled) leave_out_throttled(file);
    std::erase_if(file.findings, [&](const Conclusion& c) { return !among(selection.experiments, c.experiment); });
  }
  return files;
}

void leave_out_throttled(ResultFile& file) {
  std::erase_if(file.results, [](const Result& r) { return !throttled(r).empty(); });
  for (Result& r : file.results)
    if (r.energy && is_by_power_or_heat(r.energy->throttle)) r.energy.reset();
}

std::vector<Result> merge_repetitions(const std::vector<Result>& results) {
  std::vector<Result> merged;
  std::map<std::string, std::size_t> index;
  for (const Result& r : results) {
    const auto [at, is_new] = index.try_emplace(r.name(), merged.size());
    if (is_new) {
      merged.push_back(r);
    } else if (Result& cell = merged[at->second]; cell.time() && r.time()) {
      const auto append = [](Placements& all, const Placements& more) {
        all.insert(all.end(), more.begin(), more.end());
      };
      Measurement& m = cell.measurement;
      append(m.seconds, r.measurement.seconds);
      append(m.shorter, r.measurement.shorter);
      if (m.shorter.size() != m.seconds.size()) m.shorter.clear();  // of one of the two only
    } else if (cell.time()) {
      cell = r;
    }
  }
  return merged;
}

std::string launched_otherwise(const Result& result) {
  Result other;
  other.cell = result.cell;
  other.mode = result.mode;
  other.launch_by = result.launch_by == LaunchBy::graph ? LaunchBy::stream : LaunchBy::graph;
  return other.name();
}

}  // namespace crosswarp
