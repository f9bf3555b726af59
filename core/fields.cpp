// One line for each field: its name, its unit, who shows it, and how it is read and written.
#include "core/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/bound.hpp"
#include "core/error.hpp"
#include "core/format.hpp"
#include "core/noise.hpp"

namespace crosswarp {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double nanosecond = 1e-9;

/// A hundredth of a nanosecond is far below any timer's resolution, and keeps files with every sample small.
double nanoseconds(double seconds) { return std::round(seconds * 1e11) / 1e2; }

Json ns(std::optional<double> seconds) {
  return seconds && !std::isnan(*seconds) ? Json(nanoseconds(*seconds)) : Json();
}
Json number(std::optional<double> value) { return value ? Json(*value) : Json(); }
Json word(const std::string& text) { return text.empty() ? Json() : Json(text); }

double read(const Json& number, double otherwise) { return number.is_null() ? otherwise : number.get<double>(); }
std::string read_word(const Json& word) { return word.is_null() ? "" : word.get<std::string>(); }

template <class Enum>
Enum read_enum(const Json& name, std::initializer_list<Enum> all) {
  for (const Enum value : all)
    if (to_string(value) == name.get<std::string>()) return value;
  throw Error(fmt::format("'{}' means nothing here", name.get<std::string>()));
}

// A member of a result, by its path: value<&Result::kernel, &KernelUse::registers>.

template <auto... path>
auto& at(auto& result) {
  return (result.*....*path);
}
/// A number of which 0 means that nobody knows it.
template <auto... path>
Json known(const Result& r) {
  const auto value = at<path...>(r);
  return value > 0 ? Json(value) : Json();
}
template <auto... path>
void set_known(Result& r, const Json& json) {
  using Number = std::remove_reference_t<decltype(at<path...>(r))>;
  at<path...>(r) = json.is_null() ? Number{} : json.get<Number>();
}
template <auto... path>
Json text_of(const Result& r) {
  return word(at<path...>(r));
}
template <auto... path>
void set_text(Result& r, const Json& json) {
  at<path...>(r) = read_word(json);
}
/// A number that is always there, NaN apart.
template <auto... path>
Json value(const Result& r) {
  return at<path...>(r);
}
template <auto... path>
void set_value(Result& r, const Json& json) {
  using Number = std::remove_reference_t<decltype(at<path...>(r))>;
  if constexpr (std::is_same_v<Number, double>)
    at<path...>(r) = read(json, nan);
  else
    at<path...>(r) = json.get<Number>();
}
template <auto... path>
Json in_mhz(const Result& r) {
  return at<path...>(r) > 0 ? Json(at<path...>(r) / 1e6) : Json();
}
template <auto... path>
void set_mhz(Result& r, const Json& json) {
  at<path...>(r) = read(json, 0) * 1e6;
}
/// A list of times; null where there is none.
template <auto... path>
Json times_of(const Result& r) {
  Json json;
  for (const double seconds : at<path...>(r)) json.push_back(nanoseconds(seconds));
  return json;
}
template <auto... path>
void set_times(Result& r, const Json& json) {
  at<path...>(r).clear();
  for (const double time : json) at<path...>(r).push_back(time * nanosecond);
}
/// Wall time of a phase, of which 0 means that nobody knows it.
template <double Phases::*phase>
Json wall(const Result& r) {
  return r.measurement.wall.*phase > 0 ? ns(r.measurement.wall.*phase) : Json();
}
template <double Phases::*phase>
void set_wall(Result& r, const Json& json) {
  r.measurement.wall.*phase = json.get<double>() * nanosecond;
}
/// What follows from a time, by the function of Result.
template <std::optional<double> (Result::*follows)() const>
Json derived(const Result& r) {
  return number((r.*follows)());
}
template <std::optional<Ratio> Result::*ratio>
Json ratio_json(const Result& r) {
  if (!(r.*ratio)) return {};
  Json json{{"value", (r.*ratio)->value}, {"low", (r.*ratio)->interval.low}, {"high", (r.*ratio)->interval.high}};
  if ((r.*ratio)->noisy) json["noisy"] = true;
  return json;
}
template <std::optional<Ratio> Result::*ratio>
void set_ratio(Result& r, const Json& json) {
  if (!json.is_null())
    r.*ratio = Ratio{json.at("value").get<double>(),
                     {read(json.at("low"), nan), read(json.at("high"), nan)},
                     json.value("noisy", false)};
}
template <const std::string VariantEntry::*text>
Json of_variant(const Result& r) {
  return word(r.cell.variant->*text);
}

/// `1.05 (naive)`: what a ratio is to stands beside it.
std::string factor(const std::optional<Ratio>& ratio, const std::string& to, bool with_interval = false) {
  if (!ratio) return "";
  std::string text = times(*ratio);
  if (with_interval && !std::isnan(ratio->interval.low))
    text += fmt::format(" [{}, {}]", times(ratio->interval.low), times(ratio->interval.high));
  return to.empty() ? text : fmt::format("{} ({})", text, to);
}

std::string rate_text(const Result& r) {
  return show_rate(r.access_time() ? 1 / *r.access_time() : r.rate(), r.cost.rated);
}

std::string peak_text(double peak, Quantity of) { return show_rate(peak > 0 ? std::optional(peak) : std::nullopt, of); }

bool has_spread(const Result& r) { return r.time() && flatten(r.measurement.seconds).size() > 1; }

Json axes(const Result& r) {
  Json json = Json::object();
  for (const auto& c : r.cell.point.coordinates())
    std::visit([&](const auto& value) { json[c.axis] = value; }, c.value);
  return json;
}

Json sample_times(const Result& r) {
  Json json = Json::array();
  for (const double s : flatten(r.measurement.seconds)) json.push_back(nanoseconds(s));
  return json;
}

Json shortened_times(const Result& r) {
  Json json = Json::array();
  for (const double s : flatten(r.measurement.shorter)) json.push_back(nanoseconds(s));
  return json.empty() ? Json() : json;
}

Json samples_by_placement(const Result& r) {
  Json json = Json::array();
  for (const auto& placement : r.measurement.seconds) json.push_back(placement.size());
  return json;
}

/// Cuts one placement's samples into placements of these sizes.
void cut(Placements& samples, const std::vector<std::size_t>& sizes) {
  const std::vector<double> all = flatten(samples);
  samples.clear();
  auto next = all.begin();
  for (const std::size_t size : sizes) {
    samples.emplace_back(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
}

/// The sizes of placements follow the samples.
void set_placements(Result& r, const Json& json) {
  const auto sizes = json.get<std::vector<std::size_t>>();
  const std::size_t count = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  Measurement& m = r.measurement;
  if (count != flatten(m.seconds).size()) throw Error("samples_by_placement does not add up to the samples");
  if (std::ranges::count(sizes, 0u) > 0) throw Error("samples_by_placement names a placement without samples");
  cut(m.seconds, sizes);
  if (m.shorter.empty()) return;
  if (count != flatten(m.shorter).size()) throw Error("there are not as many shortened_sample_times as sample_times");
  cut(m.shorter, sizes);
}

Placements read_times(const Json& json, const char* name) {
  std::vector<double> samples = json.get<std::vector<double>>();
  for (double& sample : samples) {
    constexpr double max_seconds = 1e9;
    sample *= nanosecond;
    if (!(sample >= 0 && sample <= max_seconds)) throw Error(std::string(name) + " holds no time of a launch");
  }
  return {samples};
}

std::optional<double> in_ns(std::optional<double> seconds) {
  return seconds ? std::optional(*seconds / nanosecond) : seconds;
}

/// A bound of the interval of the step time in nanoseconds; nothing for a single placement.
std::optional<double> step_interval(const Result& r, double Interval::*bound) {
  if (!r.step_time()) return {};
  const double ns = location_interval(r.step_seconds()).*bound / nanosecond;
  return std::isnan(ns) ? std::nullopt : std::optional(ns);
}

Json observed(const Result& r) {
  Json json = Json::object();
  for (const Observation& o : r.observed) json[o.name] = o.value;
  return json;
}

Json observed_units(const Result& r) {
  Json json = Json::object();
  for (const Observation& o : r.observed) json[o.name] = o.unit;
  return json;
}

std::string observed_text(const Result& r) {
  std::string text;
  for (const Observation& o : r.observed)
    text += fmt::format("{}{} {:.4g} {}", text.empty() ? "" : ", ", o.name, o.value, o.unit);
  return text;
}

Json counters(const Result& r) {
  if (!r.counters) return {};
  Json json = Json::object();
  for (const Count& count : r.counters->counts) json[std::string(count.counter->name)] = number(count.value);
  return json;
}

Json counters_why_not(const Result& r) {
  if (!r.counters) return {};
  Json json = Json::object();
  for (const Count& count : r.counters->counts)
    if (!count.value) json[std::string(count.counter->name)] = count.why_not;
  if (!r.counters->why_not.empty()) json["all"] = r.counters->why_not;
  return json;
}

void set_counters(Result& r, const Json& json) {
  r.counters.emplace();
  for (const auto& [name, count] : json.items())
    for (const Counter& counter : all_counters())
      if (counter.name == name)
        r.counters->counts.push_back({&counter, count.is_null() ? std::nullopt : std::optional(count.get<double>())});
}

void set_counters_why_not(Result& r, const Json& json) {
  for (Count& count : r.counters.value().counts)
    count.why_not = json.value(std::string(count.counter->name), std::string());
  r.counters->why_not = json.value("all", std::string());
}

std::optional<double> of_energy(const Result& r, double Energy::*number) {
  return r.energy && r.energy->why_not.empty() ? std::optional((*r.energy).*number) : std::nullopt;
}

Json energy(const Result& r) {
  if (!r.energy || !r.energy->why_not.empty()) return {};
  const Energy& e = *r.energy;
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  return {{"joules", e.joules},
          {"watts", e.watts},
          {"idle_watts", known(e.idle_watts)},
          {"seconds", e.seconds},
          {"launches", e.launches},
          {"clock_mhz", known(e.clock / 1e6)},
          {"throttle", word(e.throttle)}};
}

void set_energy(Result& r, const Json& json) {
  Energy& e = r.energy.emplace();
  e.joules = json.at("joules");
  e.watts = json.at("watts");
  e.idle_watts = read(json.at("idle_watts"), 0);
  e.seconds = json.at("seconds");
  e.launches = json.at("launches");
  e.clock = read(json.at("clock_mhz"), 0) * 1e6;
  e.throttle = read_word(json.at("throttle"));
}

Json gap(const Result& r) {
  const Gap gap = r.gap();
  return gap.kind == GapClass::none ? Json() : to_json(gap);
}

/// A variant of this build is as it declares now.
void set_gap(Result& r, const Json& json) {
  if (!r.cell.variant->source.empty()) return;
  using enum GapClass;
  r.recorded_gap = Gap{read_enum(json.at("class"), {none, tuning, not_written, no_api, library_only, escape_hatch}),
                       json.at("reason"), json.at("evidence")};
}

Json kernels(const Result& r) {
  if (!r.counters) return {};
  Json json = Json::array();
  for (const KernelRun& kernel : r.counters->kernels)
    json.push_back({{"name", kernel.name},
                    {"registers", kernel.use.registers},
                    {"shared_bytes", kernel.use.shared_bytes},
                    {"grid", kernel.grid},
                    {"block", kernel.block},
                    {"occupancy", kernel.use.occupancy > 0 ? Json(kernel.use.occupancy) : Json()},
                    {"limited_by", kernel.limited_by}});
  return json;
}

void set_kernels(Result& r, const Json& json) {
  for (const Json& kernel : json) {
    KernelRun run;
    run.name = kernel.at("name");
    run.use.registers = kernel.at("registers");
    run.use.shared_bytes = kernel.at("shared_bytes");
    run.use.occupancy = read(kernel.at("occupancy"), 0);
    run.grid = kernel.at("grid");
    run.block = kernel.at("block");
    run.limited_by = kernel.at("limited_by");
    r.counters.value().kernels.push_back(run);
  }
}

Json launched(const Result& r) {
  Json json = Json::array();
  for (const auto& [use, times] : r.launched)
    json.push_back({{"name", use.name},
                    {"registers", use.registers},
                    {"shared_bytes", use.shared_bytes},
                    {"blocks", use.blocks},
                    {"threads_per_block", use.threads},
                    {"times", times}});
  return json.empty() ? Json() : json;
}

void set_launched(Result& r, const Json& json) {
  for (const Json& kernel : json) {
    LaunchedKernel& launched = r.launched.emplace_back();
    launched.use.name = kernel.at("name");
    launched.use.registers = kernel.at("registers");
    launched.use.shared_bytes = kernel.at("shared_bytes");
    launched.use.blocks = kernel.at("blocks");
    launched.use.threads = kernel.at("threads_per_block");
    launched.times = kernel.at("times");
  }
}

/// Errors by distribution; null where no number came out.
Json accuracy(const Result& r) {
  if (!r.accuracy) return {};
  Json json = Json::object();
  for (const ErrorSummary& errors : r.accuracy->on) {
    Json& on = json[to_string(errors.distribution)];
    on["outputs"] = errors.outputs;
    for (const auto& [name, error] : error_fields) on[name] = errors.*error;
  }
  return json;
}

void set_accuracy(Result& r, const Json& json) {
  r.accuracy.emplace();
  for (const Distribution distribution : distributions) {
    const auto on = json.find(to_string(distribution));
    if (on == json.end()) continue;
    ErrorSummary errors;
    errors.distribution = distribution;
    errors.outputs = on->at("outputs");
    for (const auto& [name, error] : error_fields)
      errors.*error = read(on->at(name), std::numeric_limits<double>::infinity());
    r.accuracy->on.push_back(errors);
  }
}

/// The name of a part of a device, which outlives the file that it was read from.
std::string_view part(const std::string& name) {
  static std::set<std::string> names;
  return *names.insert(name).first;
}

std::string yes_or_no(bool is) { return is ? "yes" : ""; }

}  // namespace

std::span<const Field> fields() {
  using enum Field::Output;
  using R = Result;
  using M = Measurement;
  using K = KernelUse;
  constexpr unsigned tables = terminal | markdown;
  static const Field all[] = {
    // What was run.
    {"name", "", "the cell, as Google Benchmark names it", "", csv, [](const R& r) { return Json(r.name()); }},
    {"run_name", "", "the same", "", 0, [](const R& r) { return Json(r.name()); }},
    {"run_type", "", "Google Benchmark's word", "", 0, [](const R&) { return Json("iteration"); }},
    {"rung", "", "variant, with its tuning unless that is the default", "rung", tables | words | of_rung,
     [](const R& r) { return Json(r.cell.rung()); }},
    {"backend", "", "backend", "", of_rung, of_variant<&VariantEntry::backend>},
    {"experiment", "", "experiment", "", of_rung, of_variant<&VariantEntry::experiment>},
    {"variant", "", "variant", "", of_rung, of_variant<&VariantEntry::name>},
    {"tuning", "", "tuning", "", kernel | of_rung, [](const R& r) { return word(r.cell.tuning->name()); }},
    {"axes", "", "point: the value on each axis", "", of_point, axes},
    {"random", "", "of a random point: the half of the sample, any or multiples of 8", "", csv | source | if_known | of_point,
     text_of<&R::cell, &Cell::half>, set_text<&R::cell, &Cell::half>},
    {"mode", "", "what the caches hold: cold, hot, single", "", of_run, [](const R& r) { return Json(to_string(r.mode)); },
     [](R& r, const Json& j) { r.mode = read_enum(j, {Mode::cold, Mode::hot, Mode::single}); }},
    {"launch_by", "", "how launches reach the device: stream, graph", "", csv | source | of_run,
     [](const R& r) { return Json(to_string(r.launch_by)); },
     [](R& r, const Json& j) { r.launch_by = read_enum(j, {LaunchBy::stream, LaunchBy::graph}); }},
    {"improves", "", "its parent: the rung that it improves on", "", result | of_rung, of_variant<&VariantEntry::improves>},
    {"counterparts", "", "variants of the reference backend with the same algorithm", "", if_known | of_rung,
     [](const R& r) {
       const auto& counterparts = r.cell.variant->counterparts;
       return counterparts.empty() ? Json() : Json(counterparts);
     }},
    {"gap", "", "why it is slower than its counterpart: class, reason, evidence", "", if_known, gap, set_gap},
    {"library", "", "a vendor's library", "", of_rung, [](const R& r) { return Json(r.cell.variant->library); }},
    {"escape_hatch", "", "native API within a portable kernel", "", if_known | of_rung,
     [](const R& r) { return word(r.cell.variant->escape_hatch); }},
    {"module", "", "file that the variant was loaded from", "", source | if_known | of_rung,
     [](const R& r) { return word(r.cell.variant->module); }},
    {"device", "", "device", "", csv | source | of_run, text_of<&R::device, &DeviceInfo::name>,
     set_text<&R::device, &DeviceInfo::name>},
    {"repetition_index", "", "repetition", "", csv | of_row, value<&R::repetition>, set_value<&R::repetition>},
    {"threads", "", "Google Benchmark's", "", 0, [](const R&) { return Json(1); }},
    {"execution_space", "", "Kokkos's execution space: Serial, OpenMP, Cuda, HIP; threads: plain C++", "", csv | source | if_known | of_rung,
     text_of<&R::execution, &Execution::space>, set_text<&R::execution, &Execution::space>},
    {"host_threads", "", "host threads of a launch; ratios are of rows with the same number", "", csv | source | if_known | of_row,
     known<&R::execution, &Execution::threads>, set_known<&R::execution, &Execution::threads>},

    // What came out.
    {"commit", "", "commit of the program that measured it", "", source | if_known | of_run, text_of<&R::commit>,
     set_text<&R::commit>},
    {"date", "", "start of that program's run", "", source | if_known | of_run, text_of<&R::date>, set_text<&R::date>},
    {"method", "", "number of the method by which times are taken", "", of_run, value<&R::method>, set_value<&R::method>},
    {"stale", "", "true: its kernel has changed since", "", source | if_known | of_row,
     [](const R& r) { return r.stale ? Json(true) : Json(); }, set_value<&R::stale>,
     [](const R& r) { return yes_or_no(r.stale); }},
    {"status", "", "ok, wrong, skipped, failed, implausible", "", csv | of_row, [](const R& r) { return Json(to_string(r.status)); },
     [](R& r, const Json& j) {
       r.status = read_enum(j, {Status::ok, Status::wrong, Status::skipped, Status::failed, Status::implausible});
       r.verdict.ok = r.status == Status::ok;
     }},
    {"note", "", "why it is not ok, or what to know about a number that is", "", of_row, text_of<&R::note>,
     set_text<&R::note>},
    {"label", "", "status, with its reason where it is not ok", "", csv | result, [](const R& r) { return Json(r.label()); }},
    {"error_occurred", "", "Google Benchmark's: true where it is not ok", "", if_known,
     [](const R& r) { return r.status == Status::ok ? Json() : Json(true); }},
    {"error_message", "", "Google Benchmark's: the label", "", if_known,
     [](const R& r) { return r.status == Status::ok ? Json() : Json(r.label()); }},
    {"verdict_error", "", "largest error against the oracle", "", result | of_row, value<&R::verdict, &Verdict::error>,
     set_value<&R::verdict, &Verdict::error>},
    {"verdict_bound", "", "largest error that is right", "", result | of_row,
     [](const R& r) {
       const bool judged = r.status != Status::skipped && r.status != Status::failed;
       return judged ? Json(r.verdict.bound) : Json();
     },
     set_known<&R::verdict, &Verdict::bound>},

    // Time, and what follows from it.
    {"message_bytes", "B", "over ranks: bytes of the operation, as nccl-tests counts them", "bytes",
     tables | result | ranks | if_known | of_point, [](const R& r) { return r.cost.message > 0 ? Json(r.cost.message) : Json(); },
     set_value<&R::cost, &Cost::message>},
    {"ranks", "", "ranks of the experiment", "ranks", tables | result | ranks | if_known,
     [](const R& r) { return r.ranks() > 0 ? Json(r.ranks()) : Json(); }},
    {"iterations", "", "launches in all samples", "", 0,
     [](const R& r) { return Json(flatten(r.measurement.seconds).size() * r.measurement.launches); }},
    {"sample_times", "ns", "time of a launch in each sample", "", of_samples, sample_times,
     [](R& r, const Json& j) { r.measurement.seconds = read_times(j, "sample_times"); }},
    {"shortened_sample_times", "ns", "time of a launch with fewer steps, directly behind each sample", "", if_known | of_samples,
     shortened_times, [](R& r, const Json& j) { r.measurement.shorter = read_times(j, "shortened_sample_times"); }},
    {"samples_by_placement", "", "samples in each placement", "", of_row, samples_by_placement, set_placements},
    {"real_time", "ns", "time of a launch: mean over placements of the medians", "time", csv | tables | chart | result,
     [](const R& r) { return ns(r.time()); }, nullptr,
     [](const R& r) { return r.time() ? (noise(r).empty() ? "" : noisy_mark) + si(r.time(), "s") : ""; }},
    {"real_time_low", "ns", "95 % prediction interval of another run's time: from …", "", chart | result,
     [](const R& r) { return r.time() ? ns(location_interval(r.measurement.seconds).low) : Json(); }},
    {"real_time_high", "ns", "… to", "", chart | result,
     [](const R& r) { return r.time() ? ns(location_interval(r.measurement.seconds).high) : Json(); }},
    {"median", "ns", "median of all samples", "", 0,
     [](const R& r) { return r.time() ? ns(median(flatten(r.measurement.seconds))) : Json(); }},
    {"cpu_time", "ns", "host processor time of a launch", "", of_row,
     [](const R& r) { return r.status == Status::ok ? ns(r.measurement.cpu_seconds) : Json(); },
     [](R& r, const Json& j) { r.measurement.cpu_seconds = read(j, 0) * nanosecond; }},
    {"time_unit", "", "Google Benchmark's: of real_time and cpu_time", "", 0, [](const R&) { return Json("ns"); }},
    {"floor_ns", "ns", "time of an empty launch", "", csv | source | of_point,
     [](const R& r) { return r.status == Status::ok ? ns(r.floor) : Json(); },
     [](R& r, const Json& j) { r.floor = read(j, 0) * nanosecond; }},
    {"floor_p90_ns", "ns", "90th percentile of that time", "", csv | source | if_known | of_point,
     [](const R& r) { return r.status == Status::ok && r.floor_p90 > 0 ? ns(r.floor_p90) : Json(); },
     [](R& r, const Json& j) { r.floor_p90 = read(j, 0) * nanosecond; }},
    {"waited", "share", "share of their time that threads waited for a processor: mean over samples", "", csv | source | if_known | of_row,
     [](const R& r) { return number(r.measurement.waited); },
     [](R& r, const Json& j) { r.measurement.waited = j.get<double>(); }},
    {"noisy", "", "why the time is unreliable: what disturbed its samples", "", csv | result | if_known,
     [](const R& r) { return word(noise(r)); }},
    {"spread", "share", "half the distance between the quartiles over the median", "±", csv | tables | chart | result,
     [](const R& r) { return has_spread(r) ? Json(spread(flatten(r.measurement.seconds))) : Json(); }},
    {"algbw", "B/s", "over ranks: bytes of the operation a second", "algbw", tables | result | ranks | if_known,
     derived<&R::algorithm_bandwidth>},
    {"busbw", "B/s", "over ranks: bytes a second that cross a rank's link, as nccl-tests counts them", "busbw",
     tables | result | ranks | if_known, derived<&R::bus_bandwidth>},
    {"p50", "ns", "over ranks: median time of one operation behind a gate of its own", "p50",
     tables | result | ranks | if_known, [](const R& r) { return ns(r.percentile(50)); }},
    {"p99", "ns", "over ranks: 99th percentile of that time; of 100 operations or more", "p99",
     tables | result | ranks | if_known, [](const R& r) { return ns(r.percentile(99)); }},
    {"time_by_rank", "ns", "over ranks: each rank's own time of a launch, the median of its samples", "",
     result | if_known | of_row, times_of<&R::measurement, &M::by_rank>, set_times<&R::measurement, &M::by_rank>,
     [](const R& r) {
       std::string all;
       for (const double seconds : r.measurement.by_rank) all += (all.empty() ? "" : ", ") + si(seconds, "s");
       return all;
     }},
    {"operation_times", "ns", "over ranks: times of one operation behind a gate of its own, for p50 and p99", "",
     if_known | of_samples, times_of<&R::measurement, &M::single>, set_times<&R::measurement, &M::single>},
    {"samples", "", "samples", "", csv | source,
     [](const R& r) { return Json(flatten(r.measurement.seconds).size()); }},
    {"placements", "", "placements of the buffers", "", source,
     [](const R& r) { return Json(r.measurement.seconds.size()); }},
    {"launches_per_sample", "", "launches in a sample", "", csv | source | of_row, value<&R::measurement, &M::launches>,
     set_value<&R::measurement, &M::launches>},
    {"stopped", "", "why sampling ended", "", source | of_row, text_of<&R::measurement, &M::stopped>,
     set_text<&R::measurement, &M::stopped>},
    {"preparing", "ns", "wall time of preparing: allocations and inputs", "", source | if_known,
     wall<&Phases::preparing>, set_wall<&Phases::preparing>},
    {"verifying", "ns", "wall time of verifying", "", source | if_known, wall<&Phases::verifying>,
     set_wall<&Phases::verifying>},
    {"timing", "ns", "wall time of timing", "", source | if_known, wall<&Phases::timing>, set_wall<&Phases::timing>},
    {"bytes_read", "B", "bytes that the problem reads", "", of_point, value<&R::cost, &Cost::bytes_read>,
     set_value<&R::cost, &Cost::bytes_read>},
    {"bytes_written", "B", "bytes that the problem writes", "", of_point, value<&R::cost, &Cost::bytes_written>,
     set_value<&R::cost, &Cost::bytes_written>},
    {"flops", "", "operations that the problem needs; a multiply-add is two", "", of_point, value<&R::cost, &Cost::flops>,
     set_value<&R::cost, &Cost::flops>},
    {"accesses", "", "accesses that the problem needs", "", of_point, value<&R::cost, &Cost::accesses>,
     set_value<&R::cost, &Cost::accesses>},
    {"left_out", "", "accesses that a launch with fewer steps leaves out", "", if_known | of_point,
     [](const R& r) { return r.cost.left_out > 0 ? Json(r.cost.left_out) : Json(); },
     set_value<&R::cost, &Cost::left_out>},
    {"step_time", "ns", "time of a dependent step: by the difference of launches of two lengths", "",
     csv | result | if_known, [](const R& r) { return number(in_ns(r.step_time())); }, nullptr,
     [](const R& r) { return si(r.step_time(), "s"); }},
    {"step_time_low", "ns", "95 % prediction interval of another run's step time: from …", "", result | if_known,
     [](const R& r) { return number(step_interval(r, &Interval::low)); }},
    {"step_time_high", "ns", "… to (step time)", "", result | if_known,
     [](const R& r) { return number(step_interval(r, &Interval::high)); }},
    {"rate_of", "", "what the rate is of: bytes, flops, accesses", "", of_point,
     [](const R& r) { return Json(to_string(r.cost.rated)); },
     [](R& r, const Json& j) { r.cost.rated = quantity(j.get<std::string>()); }},
    {"bytes_per_second", "B/s", "bytes of the problem a second", "", csv | chart, derived<&R::bytes_per_second>},
    {"flops_per_second", "FLOP/s", "operations of the problem a second", "", csv | chart,
     derived<&R::flops_per_second>},
    {"rate", "", "rate; of accesses, the time of one", "rate", tables | chart | result, derived<&R::rate>, nullptr,
     rate_text},
    {"ceiling", "", "part of the device that the rate is held to", "", result | of_point,
     [](const R& r) { return word(std::string(r.cost.ceiling)); },
     [](R& r, const Json& j) { r.cost.ceiling = part(read_word(j)); }},
    {"measured_peak", "", "its measured peak", "", chart | result | of_point, known<&R::measured_peak>,
     set_known<&R::measured_peak>, [](const R& r) { return peak_text(r.measured_peak, r.cost.rated); }},
    {"theoretical_peak", "", "its theoretical peak", "", chart | result | of_point,
     [](const R& r) { return r.theoretical_peak() > 0 ? Json(r.theoretical_peak()) : Json(); },
     [](R& r, const Json& j) {
       if (!j.is_null()) r.device.peaks[std::string(r.cost.ceiling)] = j.get<double>();
     },
     [](const R& r) { return peak_text(r.theoretical_peak(), r.cost.rated); }},
    {"of_measured_peak", "share", "share of the measured peak", "of peak", csv | tables | chart | result,
     derived<&R::of_measured_peak>, nullptr,
     [](const R& r) {  // in tables else of the theoretical one
       if (r.of_measured_peak()) return percent(r.of_measured_peak()) + (is_above_measured_peak(r) ? "!" : "");
       return r.of_theoretical_peak() ? percent(r.of_theoretical_peak()) + " th." : "";
     }},
    {"of_theoretical_peak", "share", "share of the theoretical peak", "", csv | result,
     derived<&R::of_theoretical_peak>},
    {"over_parent", "ratio", "times as fast as its parent", "× parent", csv | tables | result,
     ratio_json<&R::parent>, set_ratio<&R::parent>,
     [](const R& r) { return factor(r.parent, r.cell.variant->improves); }},
    {"over_library", "ratio", "times as fast as the fastest library", "× library", csv | tables | result,
     ratio_json<&R::library>, set_ratio<&R::library>, [](const R& r) { return factor(r.library, ""); }},
    {"over_other", "ratio", "times as fast as the fastest rung of the other backend", "× other [95 %]",
     csv | tables | result, ratio_json<&R::other>, set_ratio<&R::other>,
     [](const R& r) {
       const std::string other = without_experiment(r.other_rung);
       return r.why_no_other.empty() ? factor(r.other, other, true) : fmt::format("- ({}, {})", r.why_no_other, other);
     }},
    {"other", "", "that rung", "", csv, text_of<&R::other_rung>, set_text<&R::other_rung>},
    {"over_other_why_not", "", "why there is no ratio to that rung: its number of threads", "", csv | result | if_known,
     text_of<&R::why_no_other>, set_text<&R::why_no_other>},
    {"bound", "", "what limits it, as measured", "", csv | result,
     [](const R& r) {
       const auto bound = bound_in_words(r);
       return bound ? Json(bound->words) : Json();
     }},
    {"most_gain", "", "times as fast as it could be at most", "", 0,
     [](const R& r) { return number(bound_in_words(r).value_or(BoundInWords{}).gain); }},
    {"proof", "", "what the counters prove", "", result | of_row, text_of<&R::proof>, set_text<&R::proof>},
    {"observed", "", "what the problem found in its outputs", "observed", markdown | result | words | of_row, observed,
     [](R& r, const Json& j) {
       for (const auto& [name, number] : j.items()) r.observed.push_back({name, "", read(number, nan)});
     },
     observed_text},
    {"observed_units", "", "units of that", "", of_point, observed_units,
     [](R& r, const Json& j) {
       for (Observation& o : r.observed) o.unit = j.at(o.name);
     }},

    // The device while it ran.
    {"sm_clock_mhz_before", "MHz", "clock before", "", source | of_row, in_mhz<&R::measurement, &M::before, &Telemetry::clock>,
     set_mhz<&R::measurement, &M::before, &Telemetry::clock>},
    {"sm_clock_mhz", "MHz", "clock after", "", source | of_row, in_mhz<&R::measurement, &M::after, &Telemetry::clock>,
     set_mhz<&R::measurement, &M::after, &Telemetry::clock>},
    {"throttle", "", "what throttled it", "", source | of_row, text_of<&R::measurement, &M::after, &Telemetry::throttle>,
     set_text<&R::measurement, &M::after, &Telemetry::throttle>},
    {"throttled", "", "its samples were taken while slowed down for power or heat: why", "", csv | result | if_known,
     [](const R& r) { return word(throttled(r)); }},

    // The largest kernel that it launches.
    {"tuned_by_table", "", "tuning that the table of bench tune had for it", "", kernel | if_known | of_row,
     text_of<&R::tuned_by_table>, set_text<&R::tuned_by_table>},
    {"kernel", "", "name of the largest kernel", "", kernel | if_known | of_kernel, text_of<&R::kernel, &K::name>,
     set_text<&R::kernel, &K::name>},
    {"registers", "", "registers of a thread", "", csv | kernel | of_kernel, known<&R::kernel, &K::registers>,
     set_known<&R::kernel, &K::registers>},
    {"shared_bytes", "B", "shared memory of a block", "", kernel | of_kernel,
     [](const R& r) { return r.kernel.registers ? Json(r.kernel.shared_bytes) : Json(); },
     set_known<&R::kernel, &K::shared_bytes>},
    {"occupancy", "share", "occupancy", "", csv | kernel | of_kernel, known<&R::kernel, &K::occupancy>,
     set_known<&R::kernel, &K::occupancy>},
    {"blocks", "", "blocks", "", kernel | of_row, known<&R::kernel, &K::blocks>, set_known<&R::kernel, &K::blocks>},
    {"blocks_with_work", "", "blocks that do not leave at once", "", kernel | of_row, known<&R::kernel, &K::useful_blocks>,
     set_known<&R::kernel, &K::useful_blocks>},
    {"threads_per_block", "", "threads of a block", "", kernel | of_kernel, known<&R::kernel, &K::threads>,
     set_known<&R::kernel, &K::threads>},
    {"pdl", "", "launched by programmatic dependent launch", "", kernel | of_kernel, value<&R::kernel, &K::pdl>,
     set_value<&R::kernel, &K::pdl>, [](const R& r) { return yes_or_no(r.kernel.pdl); }},

    {"launched", "", "kernels of a launch that has several, in order: name, registers, shared_bytes, blocks, threads_per_block, "
     "times in a row", "", if_known | of_row, launched, set_launched},

    // Where they were asked for.
    {"counters", "", "hardware counters of a launch", "", if_known | of_row, counters, set_counters},
    {"counters_why_not", "", "why there is no value of a counter, or of all", "", if_known | of_row, counters_why_not,
     set_counters_why_not},
    {"kernels", "", "kernels of a launch", "", if_known | of_row, kernels, set_kernels},
    {"energy", "", "energy back to back: J of a launch, W, W without work, s and launches of the window, its clock and throttling",
     "", if_known | of_row, energy, set_energy},
    {"energy_why_not", "", "why there is none", "", if_known | of_row,
     [](const R& r) { return r.energy ? word(r.energy->why_not) : Json(); },
     [](R& r, const Json& j) { r.energy.emplace().why_not = j; }},
    {"joules", "J", "energy of a launch", "energy", csv | markdown | result | if_known,
     [](const R& r) { return number(of_energy(r, &Energy::joules)); }},
    {"watts", "W", "mean power over its window", "power", csv | markdown | result | if_known,
     [](const R& r) { return number(of_energy(r, &Energy::watts)); }},
    {"flops_per_joule", "FLOP/J", "operations of the problem a joule", "FLOP/J", csv | markdown | result | if_known,
     [](const R& r) { return number(r.flops_per_joule()); }},
    {"bytes_per_joule", "B/J", "bytes of the problem a joule", "B/J", csv | markdown | result | if_known,
     [](const R& r) { return number(r.bytes_per_joule()); }},
    {"accuracy", "", "rounding errors on general inputs, by distribution", "", if_known | of_row, accuracy, set_accuracy},
    {"accuracy_why_not", "", "why there are none", "", if_known | of_row,
     [](const R& r) { return r.accuracy ? word(r.accuracy->why_not) : Json(); },
     [](R& r, const Json& j) { r.accuracy.value().why_not = j; }},

    {"idea", "", "what the variant does", "idea", csv | tables | words | of_rung, of_variant<&VariantEntry::idea>},
    {"bound_by", "", "what limits it", "bound by", csv | tables | words | of_rung, of_variant<&VariantEntry::bound_by>},
  };
  return all;
}

std::string without_experiment(const std::string& rung) {
  const auto first = rung.find('/'), second = rung.find('/', first + 1);
  return second == rung.npos ? rung : rung.substr(0, first) + rung.substr(second);
}

std::string_view rate_unit(Quantity of) {
  return of == Quantity::bytes ? "B/s" : of == Quantity::flops ? "FLOP/s" : "s";
}

std::string show_rate(std::optional<double> rate, Quantity of) {
  if (!rate) return "";
  return of == Quantity::accesses ? si(1 / *rate, "s") + " each" : si(rate, rate_unit(of));
}

const Field& field(std::string_view name) {
  const auto found = std::ranges::find(fields(), name, &Field::name);
  if (found == fields().end()) throw Error(fmt::format("a result has no field {}", name));
  return *found;
}

std::string Field::show(const Result& result) const {
  if (text) return text(result);
  const Json json = get(result);
  if (json.is_null()) return "";
  if (json.is_string()) return json.get<std::string>();
  if (unit == "ns") return si(json.get<double>() * nanosecond, "s");
  if (unit == "share") return percent(json.get<double>());
  if (unit == "B") return binary_bytes(json.get<double>());
  if (unit.ends_with("/s") || unit.ends_with("/J") || unit == "J" || unit == "W") return si(json.get<double>(), unit);
  if (unit == "MHz") return fmt::format("{:.0f} MHz", json.get<double>());
  return json.is_number_float() ? fmt::format("{:.4g}", json.get<double>()) : json.dump();
}

Json to_json(const Gap& gap) {
  return {{"class", to_string(gap.kind)}, {"reason", gap.reason}, {"evidence", gap.evidence}};
}

Json to_json(const Result& result) {
  Json json;
  for (const Field& field : fields())
    if (Json value = field.get(result); !value.is_null() || !field.is_in(Field::if_known))
      json[std::string(field.name)] = std::move(value);
  return json;
}

Result from_json(const Json& entry, Cell cell) {
  Result result;
  result.cell = std::move(cell);
  for (const Field& field : fields())
    if (const auto value = entry.find(field.name); value != entry.end()) {
      if (field.set) field.set(result, *value);
    } else if (field.is_in(Field::stored) && !field.is_in(Field::if_known) && field.name != "method") {
      throw Error(fmt::format("has no {}", field.name));
    }
  if (entry.at("name") != result.name())
    throw Error(fmt::format("{} is not the name of {}", entry.at("name").dump(), result.name()));
  return result;
}

}  // namespace crosswarp
