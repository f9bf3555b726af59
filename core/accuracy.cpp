// Double-double sums. Bound by the generator: ten operations per number to add.
#include "core/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Significant bits, and the exponent of the smallest positive number.
struct Precision {
  int bits, least;
};
template <class T>
constexpr Precision precision{std::numeric_limits<T>::digits,
                              std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits};
template <>
constexpr Precision precision<Half>{11, -24};
template <>
constexpr Precision precision<Bfloat16>{8, -133};

}  // namespace

std::string to_string(Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return "uniform";
    case Distribution::positive:
      return "positive";
    case Distribution::ill_conditioned:
      return "ill_conditioned";
  }
  return {};
}

void fill_general(const TypedSpan& to, const GeneralNumbers& numbers) {
  std::visit(
      [&]<class T>(std::span<T> typed) {
        if constexpr (std::same_as<T, std::int32_t>) {
          throw Error("general numbers are of floating types");
        } else {
          T* const data = typed.data();
          const std::size_t n = typed.size();
#pragma omp parallel for schedule(static)
          for (std::size_t i = 0; i < n; ++i) data[i] = numbers.at<T>(i);
        }
      },
      to);
}

template <class T>
std::vector<TwoDoubles> reference_sums(const GeneralNumbers& numbers, std::uint64_t first, std::uint64_t count,
                                       std::uint64_t columns) {
  constexpr std::uint64_t piece = 4096;  // of a run, for one thread
  const std::uint64_t pieces = (columns + piece - 1) / piece;
  std::vector<TwoDoubles> sums(count);
#pragma omp parallel for schedule(static)
  for (std::uint64_t job = 0; job < count * pieces; ++job) {
    const std::uint64_t run = job / pieces, begin = job % pieces * piece, end = std::min(begin + piece, columns);
    TwoDoubles part;
    for (std::uint64_t i = begin; i < end; ++i) part.add(to_double(numbers.at<T>((first + run) * columns + i)));
    if (pieces == 1) {
      sums[run] = part;
    } else {
#pragma omp critical
      sums[run].add(part);
    }
  }
  return sums;
}
template std::vector<TwoDoubles> reference_sums<float>(const GeneralNumbers&, std::uint64_t, std::uint64_t,
                                                       std::uint64_t);
template std::vector<TwoDoubles> reference_sums<double>(const GeneralNumbers&, std::uint64_t, std::uint64_t,
                                                        std::uint64_t);
template std::vector<TwoDoubles> reference_sums<Half>(const GeneralNumbers&, std::uint64_t, std::uint64_t,
                                                      std::uint64_t);

template <class T>
double ulp(double x) {
  constexpr Precision p = precision<T>;
  return std::ldexp(1.0, x == 0 ? p.least : std::max(std::ilogb(x) - (p.bits - 1), p.least));
}
template double ulp<float>(double);
template double ulp<double>(double);
template double ulp<Half>(double);
template double ulp<Bfloat16>(double);

void Errors::add(double result, const TwoDoubles& should_be, double unit) {
  const double error = std::abs((result - should_be.high) - should_be.low);
  const bool is_number = std::isfinite(error);
  ulps.push_back(is_number ? error / unit : infinity);
  relative.push_back(!is_number ? infinity : error == 0 ? 0 : error / std::abs(should_be.high));
}

void Errors::add(const Errors& others) {
  ulps.insert(ulps.end(), others.ulps.begin(), others.ulps.end());
  relative.insert(relative.end(), others.relative.begin(), others.relative.end());
}

namespace {

/// The lower of two medians. Accepts infinities.
double low_median(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

ErrorSummary::ErrorSummary(Distribution of, const Errors& errors)
    : distribution(of),
      outputs(errors.ulps.size()),
      ulp_median(low_median(errors.ulps)),
      ulp_max(std::ranges::max(errors.ulps)),
      relative_median(low_median(errors.relative)),
      relative_max(std::ranges::max(errors.relative)) {}

const ErrorSummary* Accuracy::find(Distribution distribution) const {
  const auto found = std::ranges::find(on, distribution, &ErrorSummary::distribution);
  return found == on.end() ? nullptr : &*found;
}

std::vector<Band> choose_rows(std::size_t rows, std::size_t most) {
  constexpr std::size_t max_bands = 32;
  if (rows <= most) return {{0, rows}};
  const std::size_t count = std::clamp<std::size_t>(most, 1, max_bands),
                    height = std::max<std::size_t>(most / count, 1);
  std::vector<Band> all;
  for (std::size_t b = 0; b < count; ++b) all.push_back({count == 1 ? 0 : b * ((rows - height) / (count - 1)), height});
  if (count > 1) all.back().first = rows - height;
  return all;
}

std::size_t RowReferences::rows() const {
  std::size_t count = 0;
  for (const Band& band : bands) count += band.count;
  return count;
}

Errors RowReferences::errors(Device& device, const TypedSpan& result) const {
  device.synchronize();
  Errors errors;
  std::visit(
      [&]<class T>(std::span<T> all) {
        if constexpr (!std::same_as<T, std::int32_t>) {
          auto reference = should_be.begin();
          for (const Band& band : bands) {
            std::vector<T> rows(band.count * columns);
            if (!rows.empty()) device.read(rows.data(), &all[band.first * columns], rows.size() * sizeof(T));
            for (const T element : rows) errors.add(element, *reference++);
          }
        }
      },
      result);
  return errors;
}

}  // namespace crosswarp
