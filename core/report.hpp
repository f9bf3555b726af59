// Results as a table for people, JSON and CSV for programs; all from the fields of core/fields.hpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/output_file.hpp"
#include "core/text_table.hpp"

namespace crosswarp {

/// A column of a table for people.
struct Column {
  std::string head;
  std::function<std::string(const Result&)> show;  ///< Empty where there is no value.
  bool is_text = false;                            ///< Left-aligned.
  bool is_of_ranks = false;                        ///< Only where a row has a value.
};
/// Those of the terminal's or of Markdown's ladder.
std::vector<Column> columns(Field::Output output);
/// A head, and a row for each result.
TextTable make_table(const std::vector<Column>& columns, const std::vector<const Result*>& results);

/// `0.31 / 1.5`: errors in ulps, median and max; empty for null.
std::string show_ulps(const ErrorSummary* errors);
/// `ill-conditioned`
std::string show_distribution(Distribution distribution);

/// The table of results that ran in the same rounds.
std::string table(const std::vector<Result>& results, const Terminal& terminal);

/// Errors in ulps of results of one experiment and point, rung by rung. Empty where there are none.
std::string accuracy_table(const std::vector<Result>& results, const Terminal& terminal);

/// What was counted for results that ran in the same rounds: the counters rung by rung, the kernels that each launches,
/// what bounds each. Empty where nothing was asked for.
std::string counters_table(const std::vector<Result>& results, const Terminal& terminal);

/// Energy of results of one experiment and point, rung by rung. Empty where none was measured.
std::string energy_table(const std::vector<Result>& results, const Terminal& terminal);

/// `16-byte loads; bound by memory`: what a variant does, and what limits it.
std::string summary(const VariantEntry& variant);

/// What all results of a run have in common, for the `context` of the JSON.
using Context = std::map<std::string, std::string>;

/// A result as an entry of the JSON's `benchmarks`, on one line.
std::string json_line(const Result& result);

/// The result of such a line. Of the device it has what the line says, and samples are rounded. Throws Error where it
/// is none, or is of a cell that this build lacks.
Result read_json_line(const std::string& line, const Registry& registry = Registry::instance());

/// What follows from all points of an experiment on a device in one mode.
struct Conclusion {
  std::string experiment, mode, device;
  std::vector<Finding> findings;
};
Json to_json(const Conclusion& conclusion);
Conclusion read_conclusion(const Json& json);

/// The text of a JSON file; `rows` and `findings` have a comma between.
std::string json_text(const Context& context, const std::string& rows, const std::string& findings);

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
  /// From here on no other run can write it. `option`: as for OutputFile. Throws Error where it or its journal cannot
  /// be written, where another run writes them, and where there is a journal already, unless `existing` is replace.
  JsonFile(const std::string& path, Existing existing, const std::string& option = "--json");
  JsonFile(const std::string& path, const Context& context, const std::vector<JsonRow>& earlier = {})
      : JsonFile(path, Existing::replace) {
    begin(context, earlier);
  }
  /// `earlier`: results of an earlier run, to be kept.
  void begin(Context context, const std::vector<JsonRow>& earlier);
  /// A second result of the same name and repetition replaces the first one.
  void add(const Result& result);
  /// Adds to the context.
  void add(const Context& facts) { context_.insert(facts.begin(), facts.end()); }
  /// What follows from results that were added.
  void add(const Conclusion& conclusion) { conclusions_.push_back(conclusion); }
  void finish();
  /// Whether no result was added.
  bool is_empty() const { return lines_.empty(); }
  /// Removes the journal, in place of finish().
  void discard();

 private:
  void add(const JsonRow& row);

  OutputFile file_;
  Context context_;
  std::vector<Conclusion> conclusions_;
  GrowingFile journal_;
  std::vector<std::string> lines_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> index_;  // in lines_, by name and repetition
};

/// One line for each result, in one flat table.
class CsvFile {
 public:
  /// `counters`: a column for each; `accuracy`: with columns of errors; `ranks`: with columns of ranks. Throws Error
  /// where the file cannot be written, or another run writes it.
  explicit CsvFile(const std::string& path, std::vector<const Counter*> counters = {}, bool accuracy = false,
                   bool ranks = false);
  void add(const Result& result);

 private:
  std::vector<const Counter*> counters_;
  bool accuracy_;
  unsigned columns_;  // Field::Output
  GrowingFile file_;
};

}  // namespace crosswarp
