// Errors of rounded results, in ulps and relative, against a reference of higher precision.
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

/// Double-double number: the unevaluated sum of two doubles, 106 bits.
struct TwoDoubles {
  double high = 0, low = 0;

  /// Adds with a relative error of 2^-105 (Joldes, Muller, Popescu, ACM TOMS 44(2), 2017: DWPlusFP).
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

/// Sums of `count` rows of `columns` numbers of type T, from row `first` on. On all cores.
template <class T>
std::vector<TwoDoubles> reference_sums(const GeneralNumbers& numbers, std::uint64_t first, std::uint64_t count,
                                       std::uint64_t columns);

/// The distance between neighbouring numbers of T (float, double, Half, Bfloat16) around x: 2^(e-p+1) for
/// 2^e ≤ |x| < 2^(e+1) and p significant bits.
template <class T>
double ulp(double x);

/// Errors of several results; infinite for NaN and infinity.
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

/// Median and max error on one distribution.
struct ErrorSummary {
  Distribution distribution = Distribution::uniform;
  std::size_t outputs = 0;                                                    ///< Number of errors.
  double ulp_median = 0, ulp_max = 0, relative_median = 0, relative_max = 0;  ///< Infinite for NaN.

  ErrorSummary() = default;
  /// `errors`: at least one.
  ErrorSummary(Distribution of, const Errors& errors);
};

/// Fields of a summary, for files.
inline constexpr std::array<std::pair<const char*, double ErrorSummary::*>, 4> error_fields{
    {{"ulp_median", &ErrorSummary::ulp_median},
     {"ulp_max", &ErrorSummary::ulp_max},
     {"relative_median", &ErrorSummary::relative_median},
     {"relative_max", &ErrorSummary::relative_max}}};

/// Accuracy of a cell's results.
struct Accuracy {
  std::vector<ErrorSummary> on;  ///< In the order of `distributions`.
  std::string why_not;           ///< Why the measurement failed.

  /// Null for none.
  const ErrorSummary* find(Distribution distribution) const;
};

/// Consecutive rows of a result.
struct Band {
  std::size_t first, count;
};
/// Rows to compare: all of up to `most`; else about `most`, at least one, in bands spread evenly from the first row to
/// the last.
std::vector<Band> choose_rows(std::size_t rows, std::size_t most);

/// Max outputs of one launch to compare.
inline constexpr std::size_t most_errors = std::size_t{1} << 20;

/// References of chosen rows of a result.
struct RowReferences {
  std::vector<Band> bands = {};
  std::size_t columns = 1;
  std::vector<TwoDoubles> should_be = {};  // band by band, row by row

  std::size_t rows() const;
  /// `result`: all rows, on the device. Waits for the device.
  Errors errors(Device& device, const TypedSpan& result) const;
};

}  // namespace crosswarp
