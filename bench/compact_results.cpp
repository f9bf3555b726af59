// Columns from the table of fields; rows and values that repeat are stored once.
#include "bench/compact_results.hpp"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/output_file.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view format_name = "crosswarp results 1";
constexpr std::string_view counters = "counters", counter = "counters.";
static_assert(std::endian::native == std::endian::little, "files of samples are little-endian");

/// The tables that rows refer to, in the order of their indices in a row.
constexpr std::array tables{std::pair{"run", Field::of_run}, std::pair{"rung", Field::of_rung},
                            std::pair{"point", Field::of_point}, std::pair{"kernel", Field::of_kernel}};

/// Significant digits of the numbers of a field.
int digits_of(std::string_view field) { return field == "cpu_time" ? 3 : 7; }

/// Whole numbers as they are, without a fraction.
Json shortened(const Json& value, int digits) {
  if (value.is_number_float()) {
    const auto is_whole = [](double number) { return number == std::floor(number) && std::abs(number) < 1e15; };
    double number = value.get<double>();
    if (!is_whole(number)) number = std::stod(fmt::format("{:.{}g}", number, digits));
    return is_whole(number) ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }
  if (!value.is_structured()) return value;
  Json all = value;
  for (Json& element : all) element = shortened(element, digits);
  return all;
}

/// `16x25` for 16 placements of 25 samples each.
Json packed_placements(const Json& sizes) {
  const bool is_even = sizes.size() > 1 && std::ranges::all_of(sizes, [&](const Json& n) { return n == sizes[0]; });
  return is_even ? Json(fmt::format("{}x{}", sizes.size(), sizes[0].get<std::size_t>())) : sizes;
}
Json unpacked_placements(const Json& packed, std::size_t samples) {
  if (!packed.is_string()) return packed;
  std::size_t placements = 0, of_each = 0;
  char x = 0;
  std::istringstream text(packed.get<std::string>());
  if (!(text >> placements >> x >> of_each) || x != 'x' || placements == 0 || placements > samples)
    throw Error(fmt::format("{} are no sizes of placements", packed.dump()));
  return std::vector<std::size_t>(placements, of_each);
}

/// Columns, and rows of values; a row that is there already is not added again.
class Table {
 public:
  /// The row's index.
  std::size_t add(const Json& row) {
    const auto [at, is_new] = index_.try_emplace(row.dump(), rows_.size());
    if (is_new) append(row);
    return at->second;
  }
  void append(const Json& row) {
    for (const auto& [name, value] : row.items())
      if (std::ranges::find(columns_, name) == columns_.end()) columns_.push_back(name);
    rows_.push_back(row);
  }

  /// A row a line. Columns that have the same value in all rows stand before.
  std::string text() const {
    Json same = Json::object();
    std::vector<std::string> columns;
    for (const std::string& name : columns_)
      if (std::ranges::all_of(rows_, [&](const Json& row) { return value(row, name) == value(rows_[0], name); }))
        same[name] = value(rows_[0], name);
      else
        columns.push_back(name);
    std::string lines;
    for (const Json& row : rows_) {
      Json values = Json::array();
      for (const std::string& name : columns) values.push_back(value(row, name));
      lines += (lines.empty() ? "\n" : ",\n") + dumped(values);
    }
    return fmt::format("{{\"same\": {},\n\"columns\": {},\n\"rows\": [{}\n]}}", dumped(same), Json(columns).dump(),
                       lines);
  }

  static std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

 private:
  static Json value(const Json& row, const std::string& name) {
    const auto found = row.find(name);
    return found == row.end() ? Json() : *found;
  }

  std::vector<std::string> columns_;
  std::vector<Json> rows_;
  std::map<std::string, std::size_t> index_;
};

/// The rows of a table as objects.
std::vector<Json> rows_of(const Json& table) {
  const Json &columns = table.at("columns"), &same = table.at("same");
  std::vector<Json> rows;
  for (const Json& values : table.at("rows")) {
    if (values.size() != columns.size()) throw Error("a row has not as many values as there are columns");
    Json& row = rows.emplace_back(same);
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i].get<std::string>()] = values[i];
  }
  return rows;
}

/// The fields of an entry that stand in `where`, null ones left out.
Json part(const Json& entry, unsigned where) {
  Json some = Json::object();
  for (const Field& field : fields()) {
    const auto value = field.is_in(where) ? entry.find(field.name) : entry.end();
    if (value != entry.end() && !value->is_null())
      some[std::string(field.name)] = shortened(*value, digits_of(field.name));
  }
  return some;
}

/// `cold`, `cold/graph`: the end of an entry's name.
std::string end_of_name(const Json& entry) {
  const std::string mode = entry.at("mode"), launch_by = entry.at("launch_by");
  return launch_by == "stream" ? mode : mode + "/" + launch_by;
}

/// `n:1024/type:f32`: the point in an entry's name, which leaves out what goes without saying.
std::string point_in_name(const Json& entry) {
  const std::string name = entry.at("name"), rung = entry.at("rung"), end = end_of_name(entry);
  if (!name.starts_with(rung + "/") || !name.ends_with("/" + end) || name.size() < rung.size() + end.size() + 2)
    throw Error(fmt::format("{} is no name of a row of {}", name, rung));
  return name.substr(rung.size() + 1, name.size() - rung.size() - end.size() - 2);
}

/// An entry's own columns. Each counter is one; an unread one is null.
Json own_part(const Json& entry) {
  Json row = part(entry, Field::of_row);
  if (const auto sizes = row.find("samples_by_placement"); sizes != row.end()) *sizes = packed_placements(*sizes);
  if (const auto counted = row.find(counters); counted != row.end()) {
    const Json all = std::move(*counted);
    row.erase(std::string(counters));
    for (const auto& [name, count] : all.items()) row[std::string(counter) + name] = count;
  }
  return row;
}

void restore_counters(Json& entry) {
  Json all = Json::object();
  bool is_counted = false;
  for (auto it = entry.begin(); it != entry.end();)
    if (it.key().starts_with(counter)) {
      all[it.key().substr(counter.size())] = it.value();
      is_counted = is_counted || !it.value().is_null();
      it = entry.erase(it);
    } else {
      ++it;
    }
  const auto why_not = entry.find("counters_why_not");
  if (!is_counted && why_not == entry.end()) return;
  if (!is_counted) {  // the columns are those of other rows
    all = Json::object();
    for (const auto& [name, why] : why_not->items())
      if (name != "all") all[name] = nullptr;
  }
  entry[std::string(counters)] = all;
}

std::string compressed(std::span<const float> samples) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(samples.data());
  std::string packed(lzma_stream_buffer_bound(samples.size_bytes()), '\0');
  std::size_t size = 0;
  const auto status = lzma_easy_buffer_encode(9, LZMA_CHECK_CRC64, nullptr, bytes, samples.size_bytes(),
                                              reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  if (status != LZMA_OK) throw Error("samples cannot be compressed");
  packed.resize(size);
  return packed;
}

std::vector<float> decompressed(const std::string& packed, std::size_t count) {
  std::vector<float> samples(count);
  std::uint64_t memory = std::uint64_t{1} << 30;
  std::size_t read = 0, written = 0;
  const auto status = lzma_stream_buffer_decode(
      &memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(packed.data()), &read, packed.size(),
      reinterpret_cast<std::uint8_t*>(samples.data()), &written, count * sizeof(float));
  if (status != LZMA_OK || written != count * sizeof(float)) throw Error("its file of samples is damaged");
  return samples;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("its file of samples, {}, cannot be read", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint32_t checksum(std::span<const float> samples) {
  return lzma_crc32(reinterpret_cast<const std::uint8_t*>(samples.data()), samples.size_bytes(), 0);
}

/// Launches over which a time in the list is averaged: the file of samples has the durations of all of them.
double launches_of(const Field& list, const Json& row) {
  return list.name == "operation_times" ? 1.0 : row.at("launches_per_sample").get<double>();
}

/// The lists of samples, one after the other.
class SampleReader {
 public:
  SampleReader(const Json& file, const std::string& path) {
    const std::size_t count = file.at("samples").at("count");
    constexpr std::size_t most = std::size_t{1} << 30;
    if (count > most) throw Error("its number of samples is damaged");
    if (count > 0) all_ = decompressed(content(samples_of(path)), count);
    if (checksum(all_) != file.at("samples").at("crc32")) throw Error("its file of samples is of other results");
  }

  /// `count` times of one of `launches`.
  Json next(std::size_t count, double launches) {
    if (count > all_.size() - at_) throw Error("it has fewer samples than its rows say");
    Json list = Json::array();
    for (; count > 0; --count) list.push_back(std::round(static_cast<double>(all_[at_++]) / launches * 100) / 100);
    return list;
  }

 private:
  std::vector<float> all_;
  std::size_t at_ = 0;
};

}  // namespace

std::string samples_of(const std::string& path) {
  return fs::path(follow_links(path)).replace_extension(".samples.xz").string();
}

bool is_compact(const Json& file) {
  if (!file.is_object() || !file.contains("format")) return false;
  if (file.at("format") == format_name) return true;
  throw Error(fmt::format("its format is {}, and this program reads {}", file.at("format").dump(), format_name));
}

StoredResults read_compact(const Json& file, const std::string& path) {
  StoredResults results;
  results.context = file.at("context").get<Context>();
  SampleReader samples(file, path);
  std::map<std::string_view, std::vector<Json>> shared;
  for (const auto& [name, where] : tables) shared[name] = rows_of(file.at(name));
  for (Json& row : rows_of(file.at("rows"))) {
    Json entry = Json::object();
    for (const auto& [name, where] : tables) {
      const std::size_t line = row.at(name);
      if (line >= shared[name].size()) throw Error(fmt::format("its table {} has no line {}", name, line));
      entry.update(shared[name][line]);
      row.erase(name);
    }
    entry.update(row);
    entry["name"] = fmt::format("{}/{}/{}", entry.at("rung").get<std::string>(), entry.at("name").get<std::string>(),
                                end_of_name(entry));
    for (const Field& field : fields()) {
      const std::string name(field.name);
      if (field.is_in(Field::of_samples)) {
        const auto count = row.find(name);
        const bool has_any = count != row.end() && !count->is_null();
        entry[name] = has_any ? samples.next(*count, launches_of(field, row)) : Json::array();
      }
      if (field.is_in(Field::stored) && !entry.contains(name)) entry[name] = Json();
      if (field.is_in(Field::if_known) && entry.contains(name) && (entry[name].is_null() || entry[name].empty()))
        entry.erase(name);
    }
    Json& sizes = entry["samples_by_placement"];
    sizes = sizes.is_null() ? Json::array() : unpacked_placements(sizes, entry.at("sample_times").size());
    restore_counters(entry);
    results.rows.push_back(std::move(entry));
  }
  return results;
}

void write_compact(const StoredResults& results, const std::string& path) {
  std::array<Table, tables.size()> shared;
  Table rows;
  std::vector<float> samples;
  for (Json entry : results.rows) {
    for (const char* fact : {"commit", "date"})  // of rows of before they said so
      if (const auto said = results.context.find(fact); said != results.context.end() && !entry.contains(fact))
        entry[fact] = said->second;
    if (!entry.contains("method")) entry["method"] = 1;
    Json row = Json::object();
    for (std::size_t i = 0; i < tables.size(); ++i) {
      Json some = part(entry, tables[i].second);
      if (tables[i].second == Field::of_point) some["name"] = point_in_name(entry);
      row[tables[i].first] = shared[i].add(some);
    }
    row.update(own_part(entry));
    for (const Field& field : fields()) {
      const auto list = field.is_in(Field::of_samples) ? entry.find(field.name) : entry.end();
      if (list == entry.end() || list->empty()) continue;
      row[std::string(field.name)] = list->size();
      const double launches = launches_of(field, entry);
      for (const Json& sample : *list)
        samples.push_back(static_cast<float>(std::round(sample.get<double>() * launches)));
    }
    rows.append(row);
  }
  std::string text = fmt::format("{{\n\"format\": {},\n\"context\": {},\n\"samples\": {},\n", Json(format_name).dump(),
                                 Table::dumped(Json(results.context)),
                                 Json{{"count", samples.size()}, {"crc32", checksum(samples)}}.dump());
  for (std::size_t i = 0; i < tables.size(); ++i)
    text += fmt::format("\"{}\": {},\n", tables[i].first, shared[i].text());
  text += fmt::format("\"rows\": {}\n}}\n", rows.text());
  const OutputFile file("", path);  // both are checked before either is written
  const OutputFile of_samples("", samples_of(path));
  if (!samples.empty()) of_samples.write(compressed(samples));
  file.write(text);
}

}  // namespace crosswarp
