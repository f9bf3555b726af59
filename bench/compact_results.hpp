// Compact files of results: what was measured, each thing once, a row a line; sample times in a file of their own.
//
//   out.json        {"format": "crosswarp results 1", "context": {…}, "samples": {…},
//                    "run": T, "rung": T, "point": T, "kernel": T, "rows": T}
//   out.samples.xz  durations of the samples of all rows, row by row: 32-bit floats (little-endian, ns), by xz
//
// A table T has "same" (columns with one value), "columns" and "rows". A row of "rows" begins with its line in each of
// the four tables before, and has the number of values of each list of samples; a time is the duration over the row's
// launches_per_sample. core/fields.cpp says which field stands where. Ratios, rates, intervals and texts are computed
// when the file is read.
#pragma once

#include <string>

#include "bench/stored_results.hpp"

namespace crosswarp {

/// Throws Error for a format that this program does not read.
bool is_compact(const nlohmann::ordered_json& file);

/// Entries with all fields that are stored, in the order of their rows. `path`: of `file`. Throws Error where a table
/// or the samples are damaged.
StoredResults read_compact(const nlohmann::ordered_json& file, const std::string& path);

/// Stores the results compactly in `path` and in its file of samples. Other fields than stored ones are left out.
/// Throws Error where it cannot be written.
void write_compact(const StoredResults& results, const std::string& path);

/// `out.samples.xz` of `out.json`, or of the file that it links to.
std::string samples_of(const std::string& path);

}  // namespace crosswarp
