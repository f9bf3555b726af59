// Pairs variants by their declared counterparts: a gap is one of the programming model only where both sides have the
// same algorithm.
#include "bench/report/portability.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "bench/report/cells.hpp"
#include "bench/report/output.hpp"
#include "bench/report/points.hpp"
#include "bench/report/source_lines.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/format.hpp"
#include "core/names.hpp"
#include "core/noise.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

constexpr double no_variant = std::numeric_limits<double>::infinity();

const VariantEntry& variant_of(const Result& r) { return *r.cell.variant; }
bool within_tolerance(double ratio) { return ratio <= gap_tolerance; }

/// Whether a measured ratio of the same algorithm contradicts what is declared of it. A declared gap is contradicted
/// where the whole interval is within the tolerance: at its edge another run may say otherwise.
bool contradicts(const Ratio& measured, GapClass declared) {
  if (declared == GapClass::none) return !within_tolerance(measured.value);
  return within_tolerance(measured.value) && !(measured.interval.high > gap_tolerance);  // NaN: not known
}

/// Where variants run: those in results, and those of this build that their backend can express.
class Places {
 public:
  explicit Places(const std::vector<Result>& results) {
    for (const auto& [id, variant] : Registry::instance().variants())
      if (variant.not_expressible.empty())
        add(variant, Registry::instance().backend(variant.backend).execution().space);
    for (const Result& r : results)
      if (r.time()) add(variant_of(r), r.execution.space);
  }
  /// `CUDA, HIP, emulation`.
  std::string of(const VariantEntry& variant) const {
    const auto found = places_.find(key(variant));
    std::string text;
    if (found != places_.end())
      for (const char* place : {"CUDA", "HIP", "host", "emulation"})
        if (found->second.contains(place)) text += (text.empty() ? "" : ", ") + std::string(place);
    return text;
  }

 private:
  /// CUDA's kernels are compiled for HIP and for the emulation, too.
  static std::string key(const VariantEntry& variant) {
    const std::string& backend = variant.backend;
    const bool is_shared = backend == "hip" || backend.starts_with("simt");
    return fmt::format("{}/{}/{}", is_shared ? reference_backend : backend, variant.experiment, variant.name);
  }
  /// `space`: empty in results of an earlier version; then the backend says where, Kokkos apart.
  void add(const VariantEntry& variant, const std::string& space) {
    static const std::map<std::string, const char*, std::less<>> places{
        {"CUDA", "CUDA"}, {"Cuda", "CUDA"}, {"cuda", "CUDA"},      {"HIP", "HIP"},
        {"hip", "HIP"},   {"host", "host"}, {"simt", "emulation"}, {"emulation", "emulation"}};
    const auto place = places.find(space.empty() ? variant.backend : space);
    if (place != places.end() || !space.empty())
      places_[key(variant)].insert(place != places.end() ? place->second : "host");
  }

  std::map<std::string, std::set<std::string>> places_;
};

/// `155`, `6.27`: three digits.
std::string factor(double ratio) {
  return ratio < 99.95 ? fmt::format("{:.{}f}", ratio, ratio < 9.995 ? 2 : 1) : times(ratio);
}
/// `~6.27` where samples were disturbed.
std::string factor(const Ratio& ratio) { return (ratio.noisy ? noisy_mark : "") + factor(ratio.value); }

/// The variants of a backend in an experiment: of this build, and of results that it lacks.
using Variants = std::vector<const VariantEntry*>;

std::size_t height(const VariantEntry& variant, const Variants& variants) {
  std::size_t height = 0;
  for (std::string rung = variant.improves; !rung.empty() && height < variants.size(); ++height) {
    const auto parent = std::ranges::find(variants, rung, &VariantEntry::name);
    rung = parent == variants.end() ? "" : (*parent)->improves;
  }
  return height;
}

auto of(const std::string& backend) {
  return [backend](const Result& r) { return variant_of(r).backend == backend && variant_of(r).stands_for_backend(); };
}

/// One point, in one mode, on one device.
class AtPoint {
 public:
  void add(const Result& r, std::size_t source) {
    results_.emplace_back(&r, source);
    by_steps_ = by_steps_ && (!r.time() || r.step_time());
  }
  bool has(const std::string& backend) const { return fastest(of(backend)) != nullptr; }

  /// Requires has(reference).
  PortabilityRow row(const std::string& reference, const std::string& backend, const Variants& variants) const {
    PortabilityRow row{backend, fastest_reference(reference, backend)};
    row.by_steps = by_steps_;
    row.library = fastest([&](const Result& r) { return variant_of(r).backend == reference && variant_of(r).library; });
    row.portable = fastest_beside(*row.best, backend);
    row.naive = lowest(backend, variants);
    row.escape_hatch = fastest([&](const Result& r) {
      return variant_of(r).backend == backend && !variant_of(r).escape_hatch.empty() &&
             why_no_ratio(r, *row.best).empty();
    });
    if (row.escape_hatch) row.escape_ratio = ratio(*row.best, *row.escape_hatch);
    row.ratio = row.portable ? ratio(*row.best, *row.portable) : Ratio{no_variant, {}};
    if (row.portable) row.why_no_ratio = why_no_ratio(*row.portable, *row.best);
    if (!row.why_no_ratio.empty()) {
      row.ratio = {};
      return row;
    }
    std::vector<SameAlgorithm> pairs = same_algorithms(reference, backend);
    // That of the row first: a near equal may be faster by chance, and is of another algorithm.
    std::ranges::stable_partition(pairs, [&](const SameAlgorithm& pair) { return pair.portable == row.portable; });
    if (!pairs.empty()) row.same = pairs.front();
    explain(row, variants);
    row.evidence = evidence(row.gap, pairs);
    return row;
  }

 private:
  /// Of a step, where all have its time, else of a launch, which has a warm-up in it.
  double seconds(const Result& r) const { return by_steps_ ? *r.step_time() : *r.time(); }

  const Result* fastest(const auto& among) const {
    const Result* best = nullptr;
    for (const auto& [r, source] : results_)
      if (r->time() && among(*r) && (!best || seconds(*r) < seconds(*best))) best = r;
    return best;
  }

  /// Within 0.5 %, closer than two runs agree: by samples of the same rounds, where there are some.
  bool is_as_fast(const Result& r, const Result& first) const { return ratio(first, r).value <= 1.005; }

  static bool has_algorithm_of(const Result& portable, const Result& reference) {
    return std::ranges::count(variant_of(portable).counterparts, variant_of(reference).name) > 0;
  }

  /// The fastest of the reference; of those that are as fast, one whose algorithm the fastest of `backend`, or one that
  /// is as fast as that, has.
  const Result* fastest_reference(const std::string& reference, const std::string& backend) const {
    const Result *first = fastest(of(reference)), *portable = fastest(of(backend));
    const Result* paired = fastest([&](const Result& r) {
      return of(reference)(r) && std::ranges::any_of(results_, [&](const auto& entry) {
               const Result& other = *entry.first;
               return of(backend)(other) && other.time() && is_as_fast(other, *portable) && has_algorithm_of(other, r);
             });
    });
    return paired && is_as_fast(*paired, *first) ? paired : first;
  }

  /// The fastest of a backend; of those that are as fast, the one with the algorithm of `best`.
  const Result* fastest_beside(const Result& best, const std::string& backend) const {
    const Result* first = fastest(of(backend));
    const Result* paired = fastest([&](const Result& r) { return of(backend)(r) && has_algorithm_of(r, best); });
    return paired && is_as_fast(*paired, *first) ? paired : first;
  }

  const Result* lowest(const std::string& backend, const Variants& variants) const {
    const Result* naive = nullptr;
    const auto key = [&](const Result& r) { return std::pair(height(variant_of(r), variants), -seconds(r)); };
    for (const auto& [r, source] : results_)
      if (r->time() && of(backend)(*r) && (!naive || key(*r) < key(*naive))) naive = r;
    return naive;
  }

  /// Times as fast as `portable` `reference` is.
  Ratio ratio(const Result& reference, const Result& portable) const {
    const auto source = [&](const Result& r) {
      return std::ranges::find(results_, &r, [](const auto& entry) { return entry.first; })->second;
    };
    const bool same_run = source(reference) == source(portable);
    const Ratio of_launches = time_ratio(portable, reference, same_run);
    if (!by_steps_) return of_launches;
    const auto of_times = same_run && same_rounds(portable, reference) ? paired_ratio : location_ratio;
    Ratio of_steps = of_times(portable.step_seconds(), reference.step_seconds());
    of_steps.noisy = of_launches.noisy;
    return of_steps;
  }

  /// Every portable variant that has a time, with its fastest counterpart that has one; the fastest first.
  std::vector<SameAlgorithm> same_algorithms(const std::string& reference, const std::string& backend) const {
    std::vector<SameAlgorithm> pairs;
    for (const auto& [portable, source] : results_) {
      if (!portable->time() || !of(backend)(*portable)) continue;
      const std::vector<std::string>& names = variant_of(*portable).counterparts;
      const Result* counterpart = fastest([&](const Result& r) {
        return of(reference)(r) && std::ranges::find(names, variant_of(r).name) != names.end() &&
               why_no_ratio(r, *portable).empty();
      });
      if (counterpart) pairs.push_back({counterpart, portable, ratio(*counterpart, *portable)});
    }
    std::ranges::sort(pairs, {}, [&](const SameAlgorithm& pair) { return seconds(*pair.portable); });
    return pairs;
  }

  /// Why the portable backend lacks the algorithm of the reference's fastest.
  static Gap no_such_variant(const PortabilityRow& row, const Variants& variants) {
    const VariantEntry& best = variant_of(*row.best);
    for (const VariantEntry* v : variants)
      if (!v->not_expressible.empty() && v->is_for(row.best->cell.point) &&
          std::ranges::find(v->counterparts, best.name) != v->counterparts.end())
        return v->gap(row.best->cell.point);
    return {GapClass::not_written, fmt::format("{}: {}", best.name, best.idea.substr(0, best.idea.find(": bound by")))};
  }

  /// Of a difference of algorithm and one of the programming model, the larger one names the class.
  static void explain(PortabilityRow& row, const Variants& variants) {
    const double model = row.same ? row.same->ratio.value : 1;
    const Gap declared = row.same ? row.same->portable->gap() : row.portable ? row.portable->gap() : Gap{};
    // Disturbed samples contradict nothing.
    if (row.same && !row.same->ratio.noisy && contradicts(row.same->ratio, declared.kind))
      row.contradiction = fmt::format("declared {}, measured {}", to_string(declared.kind), factor(model));
    if (row.portable && within_tolerance(row.ratio.value)) return;
    const bool is_model = row.same ? model * model >= row.ratio.value : declared.kind != GapClass::none;
    row.gap = is_model ? declared : no_such_variant(row, variants);
    // What the programming model has no API for, native code within its kernel reaches.
    if (row.escape_hatch && row.gap.kind == GapClass::no_api && row.escape_ratio.value < row.ratio.value)
      row.gap.kind = GapClass::escape_hatch;
    if (!is_model && row.same && !within_tolerance(model) && declared.kind != GapClass::none)
      row.gap.reason += fmt::format("; {}: {}", to_string(declared.kind), declared.reason);
  }

  /// Of the fastest pair where both sides have any of it.
  static std::string evidence(const Gap& gap, const std::vector<SameAlgorithm>& pairs) {
    for (const SameAlgorithm& pair : pairs) {
      std::string text;
      for (const std::string& name : gap.evidence) {
        const std::string from = value(*pair.reference, name), to = value(*pair.portable, name);
        if (!from.empty() && !to.empty()) text += fmt::format("{}{} {} → {}", text.empty() ? "" : ", ", name, from, to);
      }
      if (!text.empty()) return text;
    }
    return "";
  }

  /// Of a counter, else of a field.
  static std::string value(const Result& r, const std::string& name) {
    const auto counter = std::ranges::find(all_counters(), name, &Counter::name);
    if (counter != all_counters().end() && r.counters && (*r.counters)[name])
      return show(*counter, (*r.counters)[name]);
    const auto field = std::ranges::find(fields(), name, &Field::name);
    return field == fields().end() ? "" : field->show(r);
  }

  std::vector<std::pair<const Result*, std::size_t>> results_;  // with their files
  bool by_steps_ = true;  // all times are known of a step, by launches of two lengths
};

/// By experiment, mode, device and backend.
using Series = std::array<std::string, 4>;

Series series_of(const PortabilityRow& row) {
  return {variant_of(*row.best).experiment, mode_of(*row.best), row.best->device.name, row.backend};
}

/// Whether `point`, `<experiment>[/<axis>:<value>]…`, holds for the row.
bool is_at(const PortabilityRow& row, const std::string& point) {
  std::istringstream words(point);
  bool holds = true;
  for (std::string word; std::getline(words, word, '/');) {
    const auto colon = word.find(':');
    const Point::Coordinate* c = find_axis(row.best->cell.point, word.substr(0, colon));
    holds &= colon == word.npos ? word == variant_of(*row.best).experiment
                                : c && to_string(c->value) == word.substr(colon + 1);
  }
  return holds;
}

/// Backends that have a time, as they first come.
std::vector<std::string> backends_of(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Result& r : results)
    if (r.time() && std::ranges::find(names, variant_of(r).backend) == names.end())
      names.push_back(variant_of(r).backend);
  return names;
}

}  // namespace

PortabilityTable::PortabilityTable(const std::vector<ResultFile>& files, std::vector<std::string> backends) {
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // by device and name
  for (std::size_t source = 0; source < files.size(); ++source)
    for (Result& r : merge_repetitions(files[source].results)) {
      const auto [at, is_new] = known.try_emplace({r.device.name, r.name()}, results_.size());
      if (is_new) {
        results_.push_back(std::move(r));
        sources_.push_back(source);
        continue;
      }
      Result& other = results_[at->second];
      const auto quality = [&](const Result& result, std::size_t file) {
        return std::pair(result.measurement.seconds.size(), files[file].said("date"));
      };
      const bool is_better = quality(r, source) > quality(other, sources_[at->second]);
      if (is_better) {
        std::swap(r, other);
        sources_[at->second] = source;
      }
      if (!other.counters) other.counters = r.counters;
    }
  if (backends.empty()) {
    backends = backends_of(results_);
    const auto reference = std::ranges::find(backends, reference_backend);
    if (reference == backends.end())
      throw Error(fmt::format("report --portability: no results of {}; name a reference and others by --backend, of {}",
                              reference_backend, fmt::join(backends, ", ")));
    std::rotate(backends.begin(), reference, reference + 1);
  }
  reference_ = backends.front();

  std::map<std::pair<std::string, std::string>, Variants> variants;  // by backend and experiment
  const auto add_variant = [&](const VariantEntry& v) {
    Variants& all = variants[{v.backend, v.experiment}];
    if (std::ranges::find(all, v.name, &VariantEntry::name) == all.end()) all.push_back(&v);
  };
  for (const auto& [id, variant] : Registry::instance().variants()) add_variant(variant);
  std::map<std::array<std::string, 4>, AtPoint> points;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Result& r = results_[i];
    add_variant(variant_of(r));
    points[{variant_of(r).experiment, mode_of(r), r.device.name, r.cell.point.name()}].add(r, sources_[i]);
  }
  std::set<Series> compared;
  for (const auto& [name, point] : points)
    for (std::size_t b = 1; b < backends.size(); ++b) {
      const std::string& backend = backends[b];
      const Variants& own = variants[{backend, name[0]}];
      // A backend without any variant of an experiment is not in its table.
      if (own.empty() || !point.has(reference_)) continue;
      rows_.push_back(point.row(reference_, backend, own));
    }
  // A file of one backend alone says nothing about others.
  for (const PortabilityRow& row : rows_)
    if (row.portable || row.gap.kind == GapClass::no_api || row.gap.kind == GapClass::escape_hatch)
      compared.insert(series_of(row));
  std::erase_if(rows_, [&](const PortabilityRow& row) { return !compared.contains(series_of(row)); });
  if (rows_.empty())
    throw Error(fmt::format("report --portability: no point at which {} and another backend have times on one device",
                            reference_));
  std::ranges::stable_sort(rows_, std::greater(), [](const PortabilityRow& row) { return row.ratio.value; });
  const Places places(results_);
  for (PortabilityRow& row : rows_) {
    row.best_runs_on = places.of(variant_of(*row.best));
    if (row.portable) row.portable_runs_on = places.of(variant_of(*row.portable));
  }
}

std::vector<PortabilityRow> PortabilityTable::at(const std::vector<std::string>& points, bool with_widest) const {
  std::set<std::size_t> chosen;
  std::set<Series> begun;
  for (std::size_t i = 0; with_widest && i < rows_.size(); ++i)
    if (rows_[i].portable && begun.insert(series_of(rows_[i])).second) chosen.insert(i);
  for (const std::string& point : points) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_at(rows_[i], point)) found += 1, chosen.insert(i);
    if (found == 0) throw Error(fmt::format("report --point {}: no such point; as reduce_sum/n:1024", point));
  }
  std::vector<PortabilityRow> rows;
  for (const std::size_t i : chosen) rows.push_back(rows_[i]);
  return rows;
}

std::vector<PortabilityRow> PortabilityTable::representative() const {
  std::map<Series, std::vector<std::size_t>> ported;
  std::map<std::pair<Series, GapClass>, std::size_t> missing;
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].portable) {
      ported[series_of(rows_[i])].push_back(i);
      continue;
    }
    const auto [largest, is_new] = missing.try_emplace({series_of(rows_[i]), rows_[i].gap.kind}, i);
    const auto amount = [&](std::size_t row) { return rows_[row].best->cost.amount(); };
    if (!is_new && amount(i) > amount(largest->second)) largest->second = i;
  }
  for (const auto& [series, indices] : ported)
    for (const std::size_t at : {std::size_t{0}, indices.size() / 2, indices.size() - 1}) chosen.insert(indices[at]);
  for (const auto& [of, index] : missing) chosen.insert(index);
  std::vector<PortabilityRow> rows;
  for (const std::size_t i : chosen) rows.push_back(rows_[i]);
  return rows;
}

namespace {

struct ClassMeaning {
  GapClass kind;
  const char* meaning;
};
constexpr std::array meanings{
    ClassMeaning{GapClass::none, "nothing to mend"},
    ClassMeaning{GapClass::tuning, "same algorithm, slower code: tune it within the programming model"},
    ClassMeaning{GapClass::not_written, "says nothing about the programming model: write the variant"},
    ClassMeaning{GapClass::no_api, "cannot be written: native code for that kernel, or a library"},
    ClassMeaning{GapClass::library_only, "call the library"},
    ClassMeaning{GapClass::escape_hatch, "native code within the portable kernel"},
};

class Writer {
 public:
  Writer(Page::Format format, const std::string& output, const std::string& reference)
      : format_(format), reference_(reference), page_(format, output) {}

  /// `rows`: of one portable backend, in one mode, on one device.
  void write(const std::vector<const PortabilityRow*>& rows) {
    const PortabilityRow& first = *rows.front();
    values_.clear();
    for (const PortabilityRow* row : rows)
      for (const auto& c : row->best->cell.point.coordinates()) values_[{experiment(*row), c.axis}].insert(c.value);
    page_.paragraph(fmt::format(
        "{} against {}, {}, {}. × as fast: how many times as fast {} is; below 1, {} is faster.", first.backend,
        reference_, first.best->device.name, mode_of(*first.best), reference_, first.backend));
    page_.table(classes(rows));
    const auto noisy = std::ranges::count_if(rows, [](const PortabilityRow* row) { return row->ratio.noisy; });
    if (noisy > 0)
      page_.paragraph(fmt::format("{} ratios are noisy (marked {}) and in no range or mean.", noisy, noisy_mark));
    page_.table(gaps(rows));
    page_.table(details(rows));
  }

  /// Performance portability of each backend over the devices of each experiment that several have.
  void write_means(const std::vector<Portability>& all) {
    std::map<std::pair<std::string, std::string>, std::vector<const Portability*>> by_mode;  // by devices and mode
    for (const Portability& p : all)
      if (p.application == p.backend && p.of_best) {
        std::vector<std::string> devices;
        for (const Portability::OnDevice& d : p.devices) devices.push_back(d.device);
        by_mode[{fmt::format("{}", fmt::join(devices, ", ")), p.mode}].push_back(&p);
      }
    for (const auto& [of, lines] : by_mode) {
      page_.paragraph(fmt::format(
          "Performance portability over {}, {}: harmonic mean of efficiencies over the devices, 0 where one cannot run "
          "it; median over the points [least, most]. Of best: of the fastest known variant's speed.",
          of.first, of.second));
      TextTable table;
      std::vector<std::string> head{"experiment", "backend", "points", "of best", "of peak"};
      for (const Portability::OnDevice& d : lines.front()->devices) head.push_back("of best, " + d.device);
      table.row(head, TextTable::Colour::faint);
      table.left(1);
      table.last_is_left = false;
      for (const Portability* p : lines) {
        std::vector<std::string> row{p->experiment, p->backend, std::to_string(p->points), show_range(p->of_best),
                                     show_range(p->of_peak)};
        for (const Portability::OnDevice& d : p->devices) row.push_back(show_efficiency(d.of_best, d, *p));
        table.row(row);
      }
      page_.table(table);
    }
  }
  void done() { page_.write(); }

 private:
  std::string code(const std::string& name) const {
    return format_ == Page::Format::markdown ? markdown_code(name) : name;
  }
  /// `31 (225)`: lines of code in the variant's file, and with its headers.
  static std::string lines(const Result* r) {
    const auto lines = r ? source_lines(variant_of(*r).source) : std::nullopt;
    return lines ? fmt::format("{} ({})", lines->own, lines->with_headers) : "";
  }
  std::string variant(const PortabilityRow& row, const Result* r) const {
    if (!r) return "";
    const std::string time =
        row.by_steps ? (noise(*r).empty() ? "" : noisy_mark) + si(r->step_time(), "s") : field("real_time").show(*r);
    return fmt::format("{} {}", code(without_backend(r->cell.rung())), time);
  }
  /// `float4` of `float4 7.90 µs`.
  static std::string without_time(const std::string& cell) { return cell.substr(0, cell.find(' ')); }
  /// `float4@loads8` of `cuda/reduce_sum/float4@loads8`.
  static std::string without_backend(const std::string& rung) { return rung.substr(rung.rfind('/') + 1); }
  /// By the axes that differ between the rows of its experiment; of a single row, by those of its name.
  std::string point(const PortabilityRow& row) const {
    const auto differs = [&](const Point::Coordinate& c) { return values_.at({experiment(row), c.axis}).size() > 1; };
    const auto& all = row.best->cell.point.coordinates();
    const bool is_single = std::ranges::none_of(all, differs);
    Point named;
    for (const auto& c : all)
      if (is_single ? !c.implied : differs(c)) named.set(c.axis, c.value);
    return short_point(named);
  }
  static bool has_ratio(const PortabilityRow& row) { return row.portable && row.why_no_ratio.empty(); }
  static std::string experiment(const PortabilityRow& row) { return variant_of(*row.best).experiment; }

  /// Means of one class and of the same algorithm only, without noisy ratios.
  TextTable classes(const std::vector<const PortabilityRow*>& rows) const {
    TextTable table;
    table.row({"gap", "points", "× as fast", "same algorithm, geometric mean (of)", "what mends it", "experiments"},
              TextTable::Colour::faint);
    table.left(4);
    for (const std::size_t column : {4, 3}) table.narrow(column);
    for (const auto& [kind, meaning] : meanings) {
      std::vector<double> same;
      double least = no_variant, most = 0;
      std::size_t points = 0;
      bool has_portable = false;
      std::vector<std::string> experiments;
      for (const PortabilityRow* row : rows) {
        if (row->gap.kind != kind || !row->why_no_ratio.empty()) continue;
        ++points;
        if (row->same && !row->same->ratio.noisy) same.push_back(row->same->ratio.value);
        if (row->portable) {
          has_portable = true;
          if (!row->ratio.noisy) least = std::min(least, row->ratio.value), most = std::max(most, row->ratio.value);
        }
        if (std::ranges::find(experiments, experiment(*row)) == experiments.end())
          experiments.push_back(experiment(*row));
      }
      if (points == 0) continue;
      table.row({kind == GapClass::none
                     ? fmt::format("none ({} at most {:.0f} % ahead)", reference_, 100 * (gap_tolerance - 1))
                     : to_string(kind),
                 fmt::format("{} of {}", points, rows.size()),
                 most > 0       ? fmt::format("{} … {}", factor(least), factor(most))
                 : has_portable ? noisy_mark
                                : "no variant",
                 same.empty() ? "" : fmt::format("{} ({})", factor(geometric_mean(same)), same.size()), meaning,
                 fmt::format("{}", fmt::join(experiments, ", "))});
    }
    return table;
  }

  TextTable gaps(const std::vector<const PortabilityRow*>& rows) const {
    const PortabilityRow& first = *rows.front();
    TextTable table;
    table.row({"experiment", "point", reference_, first.backend, "× as fast", "gap", "why"}, TextTable::Colour::faint);
    enum Column : std::size_t { experiment_name, where, fastest, portable, ratio, kind };
    for (const Column text : {where, fastest, portable, kind}) table.left(text);
    for (const Column side : {fastest, portable}) table.narrow(side, without_time);
    for (const Column side : {fastest, portable}) table.narrow(side);
    for (const PortabilityRow* row : rows) {
      std::string why = row->gap.reason;
      if (row->escape_hatch)
        why += fmt::format("{}escape hatch ({}): {}, {} ×", why.empty() ? "" : "; ",
                           variant_of(*row->escape_hatch).escape_hatch, variant(*row, row->escape_hatch),
                           factor(row->escape_ratio));
      if (!row->evidence.empty()) why += fmt::format(" ({})", row->evidence);
      if (!row->why_no_ratio.empty()) why = row->why_no_ratio + ": no ratio";
      if (!row->contradiction.empty()) why += fmt::format("{}[{}]", why.empty() ? "" : " ", row->contradiction);
      table.row({experiment(*row), point(*row), variant(*row, row->best),
                 row->portable ? variant(*row, row->portable) : "none", has_ratio(*row) ? factor(row->ratio) : "",
                 row->why_no_ratio.empty() ? to_string(row->gap.kind) : "", why},
                row->contradiction.empty() ? TextTable::Colour::none : TextTable::Colour::bad);
    }
    return table;
  }

  TextTable details(const std::vector<const PortabilityRow*>& rows) const {
    const std::string& backend = rows.front()->backend;
    TextTable table;
    table.last_is_left = false;
    table.row(
        {"experiment", "point", reference_ + "'s library", "naive " + backend, "same algorithm: " + reference_, backend,
         "× as fast", "lines of the fastest: " + reference_, backend, "the fastest runs on: " + reference_, backend},
        TextTable::Colour::faint);
    for (const std::size_t text : {1, 2, 3, 4, 5, 9, 10}) table.left(text);
    for (const std::size_t side : {2, 3, 4, 5}) table.narrow(side, without_time);
    for (const std::size_t column : {8, 7, 3, 2, 10, 9, 5, 4}) table.narrow(column);
    for (const PortabilityRow* row : rows)
      table.row({experiment(*row), point(*row), variant(*row, row->library), variant(*row, row->naive),
                 row->same ? variant(*row, row->same->reference) : "",
                 row->same ? variant(*row, row->same->portable) : "", row->same ? factor(row->same->ratio) : "",
                 lines(row->best), lines(row->portable), row->best_runs_on, row->portable_runs_on});
    return table;
  }

  Page::Format format_;
  const std::string& reference_;
  Page page_;
  std::map<std::pair<std::string, std::string>, std::set<Value>> values_;  // shown, by experiment and axis
};

/// Text for a terminal, else Markdown.
Page::Format format_of_table(const ReportRequest& request) {
  if (request.format.empty())
    return request.output.empty() && isatty(STDOUT_FILENO) ? Page::Format::text : Page::Format::markdown;
  if (request.format != "text" && request.format != "md")
    throw Error(fmt::format("report --portability --format {}: {}", request.format,
                            did_you_mean(request.format, {"md", "text"})));
  return request.format == "text" ? Page::Format::text : Page::Format::markdown;
}

}  // namespace

void write_portability(const ReportRequest& request) {
  const std::vector<ResultFile> files = read_results(request.inputs, request.selection);
  const PortabilityTable table(files, request.selection.backends);
  const std::vector<PortabilityRow> rows = request.all              ? table.rows()
                                           : request.points.empty() ? table.representative()
                                                                    : table.at(request.points, request.with_widest);
  std::map<std::array<std::string, 3>, std::vector<const PortabilityRow*>> sections;  // device, mode, backend
  for (const PortabilityRow& row : rows)
    sections[{row.best->device.name, mode_of(*row.best), row.backend}].push_back(&row);
  Writer writer(format_of_table(request), request.output, table.reference());
  for (const auto& [of, its_rows] : sections) writer.write(its_rows);
  writer.write_means(portability(report_cells(files)));
  writer.done();
}

}  // namespace crosswarp
