// The fields of a result. JSON, CSV, tables and the page of a report all derive from this one table.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace crosswarp {

using Json = nlohmann::ordered_json;

struct Field {
  /// Outputs beside the JSON, which has every field.
  enum Output : unsigned {
    csv = 1,         ///< A column of the CSV.
    terminal = 2,    ///< A column of the table on a terminal.
    markdown = 4,    ///< A column of the table in Markdown and on the page.
    chart = 8,       ///< A number on the page.
    result = 16,     ///< On the page, in a cell's details: what was measured …
    kernel = 32,     ///< … what its kernel takes …
    source = 64,     ///< … where the numbers come from.
    if_known = 128,  ///< No output: the JSON leaves the field out where it would be null.
    words = 256,     ///< No output: of words, left-aligned in tables.
    ranks = 512,     ///< A column of the CSV of a run over ranks; in tables, only where a row has a value.
    // No outputs: where a compact file of results says what was measured (bench/compact_results.hpp). Of other fields
    // it says nothing: they follow from these, or from the program.
    of_run = 1 << 10,      ///< Once for each run and mode, …
    of_rung = 1 << 11,     ///< … for each variant with its tuning, …
    of_point = 1 << 12,    ///< … for each point, …
    of_kernel = 1 << 13,   ///< … for each kernel, …
    of_row = 1 << 14,      ///< … in each row, …
    of_samples = 1 << 15,  ///< … as a list of numbers in the file of samples.
    stored = of_run | of_rung | of_point | of_kernel | of_row | of_samples,
  };

  std::string_view name;  ///< In JSON and CSV.
  std::string_view
      unit;  ///< Of its number there: `ns`, `B/s`, `MHz`; `share` of 1, `ratio`; empty for a count or a word.
  std::string_view meaning;                      ///< For people, a phrase.
  std::string_view head;                         ///< Of its column in tables for people.
  unsigned in;                                   ///< Outputs.
  Json (*get)(const Result&);                    ///< null where there is no value.
  void (*set)(Result&, const Json&) = nullptr;   ///< Null: it follows from other fields.
  std::string (*text)(const Result&) = nullptr;  ///< For people; null: by its unit.

  bool is_in(unsigned outputs) const { return in & outputs; }
  /// For people; empty where there is no value.
  std::string show(const Result& result) const;
  bool is_text() const { return in & words; }
};

/// In the order of JSON objects and of columns.
std::span<const Field> fields();
/// The field of that name, which must exist.
const Field& field(std::string_view name);

/// `cuda/float4` of `cuda/reduce_sum/float4`: where a title names the experiment.
std::string without_experiment(const std::string& rung);
/// `B/s`; `s` for accesses, which are shown by the time of one.
std::string_view rate_unit(Quantity of);
/// `4.13 TB/s`, `312 ns each`; empty for nothing.
std::string show_rate(std::optional<double> rate, Quantity of);

/// Without the points that it applies to.
Json to_json(const Gap& gap);
/// A result as an entry of `benchmarks` in Google Benchmark's format.
Json to_json(const Result& result);
/// The result of an entry, of this cell. Of the device there is only what the entry says. Throws Error, or nlohmann's
/// exception, where the entry is none.
Result from_json(const Json& entry, Cell cell);

}  // namespace crosswarp
