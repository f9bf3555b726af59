// Chooses the format; each has a file of its own.
#include "bench/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "bench/report/cells.hpp"
#include "bench/report/markdown.hpp"
#include "bench/report/output.hpp"
#include "bench/report/page/html.hpp"
#include "bench/report/portability.hpp"
#include "bench/report/svg.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/names.hpp"
#include "core/report.hpp"

namespace crosswarp {
namespace {

using Format = std::function<std::string(const std::vector<ResultFile>&)>;

/// A line for each finding.
std::string findings_report(const std::vector<ResultFile>& files) {
  std::string text;
  for (const ResultFile& file : files)
    for (const Conclusion& conclusion : file.findings)
      for (const Finding& finding : conclusion.findings) text += fmt::format("- {}\n", printable(to_string(finding)));
  return text;
}

/// What a run prints: a table for each point, in one mode on one device.
std::string text_report(const std::vector<ResultFile>& files) {
  using Table = std::array<std::string, 4>;  // experiment, device, point, mode
  std::map<Table, std::size_t> known;
  std::vector<std::vector<Result>> tables;
  for (const auto& [result, source] : report_cells(files)) {
    const auto [at, is_new] = known.try_emplace(
        {result.cell.variant->experiment, result.device.name, result.cell.point.name(), mode_of(result)},
        tables.size());
    if (is_new) tables.emplace_back();
    tables[at->second].push_back(result);
  }
  std::string text;
  for (const std::vector<Result>& rows : tables) text += table(rows, Terminal::of(STDOUT_FILENO)) + "\n";
  return text;
}

/// One file as --json writes it, whether or not it was stored compactly.
std::string json_report(const std::vector<ResultFile>& files) {
  if (files.size() != 1) throw Error("--format json: prints one file");
  std::string rows, findings;
  for (const Result& result : files[0].results) rows += (rows.empty() ? "" : ",\n") + json_line(result);
  for (const Conclusion& conclusion : files[0].findings)
    findings += (findings.empty() ? "\n" : ",\n") + to_json(conclusion).dump(1);
  return json_text(files[0].context, rows, findings);
}

Format format_of(const ReportRequest& request) {
  const std::map<std::string, Format> formats{{"findings", findings_report}, {"html", html_report},
                                              {"json", json_report},         {"md", markdown_report},
                                              {"svg", svg_report},           {"text", text_report}};
  if (request.format.empty()) {
    const std::string extension = std::filesystem::path(request.output).extension();
    if (request.output.empty() && isatty(STDOUT_FILENO)) return text_report;
    if (extension.empty() || extension == ".txt") return markdown_report;
    if (const auto by_name = formats.find(extension.substr(1)); by_name != formats.end()) return by_name->second;
    throw Error(fmt::format("-o {}: {} is no format of reports: html, md, svg, json; or name one by --format",
                            request.output, extension));
  }
  if (const auto found = formats.find(request.format); found != formats.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, format] : formats) names.push_back(name);
  throw Error(fmt::format("--format {}: {}", request.format, did_you_mean(request.format, names)));
}

}  // namespace

void write_report(const ReportRequest& request) {
  if (request.portability) return write_portability(request);
  const Format format = format_of(request);
  write_output(format(read_results(request.inputs, request.selection)), request.output);
}

}  // namespace crosswarp
