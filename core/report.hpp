// Results as a table for people, JSON and CSV for programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/output_file.hpp"
#include "core/result.hpp"

namespace crosswarp {

/// Lines of cells, aligned by the widest of each column. The first column is left-aligned, so is the last. A column
/// that is empty below its head is left out.
class TextTable {
 public:
  enum class Colour { none, good, bad, faint };
  using Shorter = std::string (*)(const std::string& cell);

  void row(std::vector<std::string> cells, Colour colour = Colour::none);
  std::size_t rows() const { return rows_.size(); }

  /// What else text() does where lines are too long, in the order of these calls, until they are not: it shortens the
  /// cells of a column, or leaves the column out where `shorter` is null. Only then is the last column cut to less than
  /// `least_last`; not at all where that is npos. Figures are never cut.
  void narrow(std::size_t column, Shorter shorter = nullptr) { steps_.push_back({column, shorter}); }
  std::size_t least_last = 24;

  /// `width`: columns of the terminal; 0 for no limit. `colours`: whether to use escape sequences.
  std::string text(std::size_t width, bool colours) const;

  /// The same as Markdown, with the first row as the head.
  std::string markdown() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour;
  };
  struct Step {
    std::size_t column;
    Shorter shorter;
  };
  std::vector<bool> shown_columns() const;

  std::vector<Row> rows_;
  std::vector<Step> steps_;
};

/// `cuda/float4` of `cuda/reduce_sum/float4`: for tables whose title names the experiment.
std::string without_experiment(const std::string& rung);
/// What stands before the first ` [` or ` (`: a ratio without its interval, without the name of what it is to.
std::string without_details(const std::string& cell);

/// Where text goes.
struct Terminal {
  std::size_t width = 0;  ///< 0 where it is no terminal.
  bool colours = false;   ///< Only on a terminal that knows them, and never with NO_COLOR.

  /// For a file descriptor.
  static Terminal of(int descriptor);
};

/// `16-byte loads; bound by memory`: what a variant does, and what limits it.
std::string summary(const VariantEntry& variant);

/// A rate in the unit of what it counts; of accesses, the time of one.
std::string show_rate(std::optional<double> rate, Quantity of);

/// `0.31 / 1.5`: errors in ulps, median and max; `-` for null.
std::string show_ulps(const ErrorSummary* errors);
/// `ill-conditioned`
std::string show_distribution(Distribution distribution);

/// The table of results that ran in the same rounds.
std::string table(const std::vector<Result>& results, const Terminal& terminal);

/// What all results of a run have in common, for the `context` of the JSON.
using Context = std::map<std::string, std::string>;

/// One entry of `benchmarks`, in Google Benchmark's format with our own counters, on one line. Numbers without a value
/// are null.
std::string json_line(const Result& result);

/// The result that json_line() wrote, but for what lines do not hold: of the device there is only its name, and samples
/// are rounded. Throws Error where it is none, or is of a cell that this build lacks.
Result read_json_line(const std::string& line, const Registry& registry = Registry::instance());

/// Errors in ulps of results of one experiment and point, rung by rung. Empty where there are none.
std::string accuracy_table(const std::vector<Result>& results, const Terminal& terminal);

/// What was counted for results that ran in the same rounds: the counters rung by rung, the kernels that each launches,
/// what bounds each. Empty where nothing was asked for.
std::string counters_table(const std::vector<Result>& results, const Terminal& terminal);

/// What follows from all points of an experiment on a device in one mode.
struct Conclusion {
  std::string experiment, mode, device;
  std::vector<Finding> findings;
};

/// A result as it stands in a file: its line, and what tells it from others.
struct JsonRow {
  std::string name;
  std::size_t repetition;
  std::string line;
};

/// Writes results as they come: each to `<path>.journal`, a line of JSON, and all of them to `path` at the end, which
/// appears whole or not at all. The journal's first line is the context.
class JsonFile {
 public:
  /// From here on no other run can write it. Throws Error where it or its journal cannot be written, where another run
  /// writes them, and where there is a journal already, unless `existing` is replace.
  explicit JsonFile(const std::string& path, Existing existing);
  JsonFile(const std::string& path, const Context& context, const std::vector<JsonRow>& earlier = {})
      : JsonFile(path, Existing::replace) {
    begin(context, earlier);
  }
  /// `earlier`: results of an earlier run, to be kept.
  void begin(Context context, const std::vector<JsonRow>& earlier);
  /// A second result of the same name and repetition takes the first one's place in the file.
  void add(const Result& result);
  /// What follows from results that were added.
  void add(const Conclusion& finding) { findings_.push_back(finding); }
  void finish();

 private:
  void add(const JsonRow& row);

  OutputFile file_;
  Context context_;
  std::vector<Conclusion> findings_;
  GrowingFile journal_;
  std::vector<std::string> lines_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places_;  // in lines_, by name and repetition
};

/// One line for each result, in one flat table.
class CsvFile {
 public:
  /// `counters`: a column for each; `accuracy`: with columns of errors. Throws Error where the file cannot be written, or
  /// another run writes it.
  explicit CsvFile(const std::string& path, std::vector<const Counter*> counters = {}, bool accuracy = false);
  void add(const Result& result);

 private:
  std::vector<const Counter*> counters_;
  bool accuracy_;
  GrowingFile file_;
};

}  // namespace crosswarp
