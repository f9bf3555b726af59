// Errors of rounded results: in ulps of their type and relative, against a reference of more bits than the type has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/general_numbers.hpp"
#include "core/reference.hpp"

namespace crosswarp {

class Device;

/// A number of 106 bits: the unevaluated sum of two doubles.
struct TwoDoubles {
  double high = 0, low = 0;

  /// Adds with an error of 2^-105 of the sum (Joldes, Muller, Popescu, ACM TOMS 44(2), 2017: DWPlusFP).
  void add(double x) {
    const double sum = high + x, of_x = sum - high;
    const double lost = (high - (sum - of_x)) + (x - of_x) + low;
    high = sum + lost;
    low = lost - (high - sum);
  }
  void add(const TwoDoubles& other) {
    add(other.high);
    add(other.low);
  }
};

/// The sum of each of `count` runs of `columns` numbers from run `first` on, as elements of the type T. On all cores.
template <class T>
std::vector<TwoDoubles> reference_sums(const GeneralNumbers& numbers, std::uint64_t first, std::uint64_t count,
                                       std::uint64_t columns);

/// The distance between neighbouring numbers of T (float, double, Half, Bfloat16) around x: 2^(e-p+1) for
/// 2^e ≤ |x| < 2^(e+1) and p significant bits.
template <class T>
double ulp(double x);

/// Of several results. What is no number is infinitely far off.
struct Errors {
  std::vector<double> ulps, relative;

  template <class T>
  void add(T result, const TwoDoubles& should_be) {
    add(to_double(result), should_be, ulp<T>(should_be.high));
  }
  void add(const Errors& others);

 private:
  void add(double result, const TwoDoubles& should_be, double unit);
};

/// What errors on one distribution came to.
struct ErrorSummary {
  Distribution distribution = Distribution::uniform;
  std::size_t outputs = 0;                                                    ///< How many errors there were.
  double ulp_median = 0, ulp_max = 0, relative_median = 0, relative_max = 0;  ///< Infinite where no number came out.

  ErrorSummary() = default;
  /// `errors`: at least one.
  ErrorSummary(Distribution of, const Errors& errors);
};

/// What a summary consists of, for files.
inline constexpr std::array<std::pair<const char*, double ErrorSummary::*>, 4> error_fields{
    {{"ulp_median", &ErrorSummary::ulp_median},
     {"ulp_max", &ErrorSummary::ulp_max},
     {"relative_median", &ErrorSummary::relative_median},
     {"relative_max", &ErrorSummary::relative_max}}};

/// How accurate a cell's results are.
struct Accuracy {
  std::vector<ErrorSummary> on;  ///< In the order of `distributions`.
  std::string why_not;           ///< Why there is nothing, where there should be.

  /// Null where there are none.
  const ErrorSummary* find(Distribution distribution) const;
};

/// Neighbouring rows of a result.
struct Band {
  std::size_t first, count;
};
/// Rows to be compared: all where they are at most `most`; else about `most`, and at least one, in bands that are
/// spread evenly from the first row to the last.
std::vector<Band> choose_rows(std::size_t rows, std::size_t most);

/// As many outputs of one launch are compared at most.
inline constexpr std::size_t most_errors = std::size_t{1} << 20;

/// What chosen rows of a result should be.
struct RowReferences {
  std::vector<Band> bands = {};
  std::size_t columns = 1;
  std::vector<TwoDoubles> should_be = {};  // band by band, row by row

  std::size_t rows() const;
  /// `result`: all of its rows, on the device. Waits for it.
  Errors errors(Device& device, const TypedSpan& result) const;
};

}  // namespace crosswarp
