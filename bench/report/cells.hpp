// The cells of several result files, and comparisons between them: verdicts, performance portability.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bench/report/result_file.hpp"
#include "core/verdicts.hpp"

namespace crosswarp {

/// One cell on one device.
struct ReportCell {
  Result result;       ///< Its repetitions in one.
  std::size_t source;  ///< The index of its file.
};

/// One for each cell and device: of a cell that several files have, the newest. Points of an experiment are sorted by
/// their axes' values, rungs as a run of all backends sorts them. Refers to what `files` hold.
std::vector<ReportCell> report_cells(const std::vector<ResultFile>& files);

/// Verdicts at all points. Ratios of one file are paired.
std::vector<ExperimentVerdict> verdicts(const std::vector<ReportCell>& cells);

/// Computes parent, library and other of all cells, so that they agree with the verdicts: what a file recorded may be
/// to a cell that a newer file has replaced.
void compare(std::vector<ReportCell>& cells);

/// How a rung, or a backend by its fastest rung, does on all devices. Pennycook, Sewall and Lee (2016): performance
/// portability is the harmonic mean of efficiencies over the devices, and 0 where one of them cannot run it.
struct Portability {
  std::string experiment, mode, backend, application;  ///< The application: the backend, or the rung.
  std::size_t points;                                  ///< Those that every device has, and that it is meant for.
  struct OnDevice {
    std::string device;
    std::size_t points;             ///< Of the points, those that it runs.
    double of_best;                 ///< Geometric mean over these of the best known time over its own; 0 for none.
    std::optional<double> of_peak;  ///< The same of its share of the measured peak, else of the theoretical one.
  };
  std::vector<OnDevice> devices;
  /// The least, the median and the most over the points; of one device only there is none.
  std::optional<std::array<double, 3>> of_best, of_peak;
};

/// `97.1 %`, or `97.1 % (9 of 11)` where it does not run all points.
std::string show_efficiency(double efficiency, const Portability::OnDevice& device, const Portability& of);

/// `97.1 % [80.0 %, 100.0 %]`: median, least and most; empty for none.
std::string show_range(const std::optional<std::array<double, 3>>& shares);

/// Of 0 efficiencies it is 0, too.
double harmonic_mean(const std::vector<double>& efficiencies);

std::vector<Portability> portability(const std::vector<ReportCell>& cells);

}  // namespace crosswarp
