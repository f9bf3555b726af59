// References on the host. The gemm is bound by multiply-adds in double: tiles of B stay in a core's L1 cache.
#include "core/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "core/error.hpp"

namespace crosswarp {
namespace {

/// Cache of references by their arguments, cleared when it is full.
class Memo {
 public:
  using Key = std::array<std::uint64_t, 8>;
  static constexpr std::size_t most = std::size_t{1} << 26;  // elements: 512 MiB

  const std::vector<double>* find(const Key& key) const {
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : &found->second;
  }
  const std::vector<double>* keep(const Key& key, std::vector<double> values) {
    if (held_ + values.size() > most) {
      known_.clear();
      held_ = 0;
    }
    held_ += values.size();
    return &(known_[key] = std::move(values));
  }

 private:
  std::map<Key, std::vector<double>> known_;
  std::size_t held_ = 0;
};

/// Position-weighted hash of the content.
std::uint64_t fingerprint(const TypedSpan& memory) {
  return std::visit(
      []<class T>(std::span<T> typed) {
        std::uint64_t sum = mix(sizeof(T) + 16 * typed.size());
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (std::size_t i = 0; i < typed.size(); ++i)
          sum += mix(std::bit_cast<std::uint64_t>(to_double(typed[i])) + mix(i + 1));
        return sum;
      },
      memory);
}

/// C = scale·A·B by tiles of C. Accumulates each element in order of k.
template <class A, class B, class To>
void multiply(const Gemm& gemm, std::span<A> a, std::span<B> b, std::span<To> c) {
  constexpr std::size_t tile_rows = 32, tile_columns = 128, tile_depth = 32, unroll = 4;  // a tile of B: 32 KiB
  const std::size_t m = gemm.m, n = gemm.n, k = gemm.k;
  const std::size_t across = (n + tile_columns - 1) / tile_columns, tiles = (m + tile_rows - 1) / tile_rows * across;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t first_row = tile / across * tile_rows, rows = std::min(m - first_row, tile_rows);
    const std::size_t first_column = tile % across * tile_columns, columns = std::min(n - first_column, tile_columns);
    std::array<std::array<double, tile_columns>, tile_rows> sums{};
    for (std::size_t first = 0; first < k; first += tile_depth) {
      const std::size_t depth = std::min(k - first, tile_depth);
      std::array<std::array<double, tile_columns>, tile_depth> b_tile{};  // zeros past the last row and column
      for (std::size_t l = 0; l < depth; ++l)
        for (std::size_t column = 0; column < columns; ++column)
          b_tile[l][column] = to_double(gemm.b_transposed ? b[(first_column + column) * k + first + l]
                                                          : b[(first + l) * n + first_column + column]);
      for (std::size_t row = 0; row < rows; ++row) {
        std::array<double, tile_depth> factors{};
        for (std::size_t l = 0; l < depth; ++l) factors[l] = to_double(a[(first_row + row) * k + first + l]);
        for (std::size_t l = 0; l < depth; l += unroll)
          for (std::size_t column = 0; column < tile_columns; ++column) {
            double sum = sums[row][column];
            for (std::size_t u = 0; u < unroll; ++u) sum += factors[l + u] * b_tile[l + u][column];
            sums[row][column] = sum;
          }
      }
    }
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        c[(first_row + row) * n + first_column + column] = static_cast<To>(gemm.scale * sums[row][column]);
  }
}

/// Calls `make` for elements of the type of `to`, float or double.
template <class Make>
void make_as(const TypedSpan& to, const Make& make) {
  std::visit(
      [&]<class T>(std::span<T> typed) {
        if constexpr (std::floating_point<T>)
          make(typed);
        else
          throw Error("a reference is of float or double");
      },
      to);
}

/// The same, with a cache.
template <class Make>
void make_once(const Memo::Key& key, const TypedSpan& to, const Make& make) {
  static Memo known;  // one per kind of reference
  const std::vector<double>* values = known.find(key);
  if (!values) {
    std::vector<double> made(size(to));
    make(std::span(made));
    values = known.keep(key, std::move(made));
  }
  make_as(to, [&]<class T>(std::span<T> typed) {
    std::ranges::transform(*values, typed.begin(), [](double value) { return static_cast<T>(value); });
  });
}

}  // namespace

void reference_gemm(const Gemm& gemm, const TypedSpan& to) {
  const auto make = [&]<class To>(std::span<To> c) {
    with_operands(gemm, [&](auto a, auto b) { multiply(gemm, a, b, c); });
  };
  const std::size_t products = gemm.m * gemm.n * gemm.k;
  if (products < 16 * (size(gemm.a) + size(gemm.b)) || size(to) > Memo::most)
    make_as(to, make);  // as cheap as hashing the operands, or too large to cache
  else
    make_once({fingerprint(gemm.a), fingerprint(gemm.b), gemm.m, gemm.n, gemm.k, gemm.b_transposed,
               std::bit_cast<std::uint64_t>(gemm.scale)},
              to, make);
}

void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) {
  const std::uint64_t columns = rows.columns;
  const auto make = [&]<class To>(std::span<To> sums) {
    const auto as_sum = [&](std::int64_t steps) { return static_cast<To>(steps) * static_cast<To>(elements.step()); };
    if (sums.size() >= 256) {
#pragma omp parallel for schedule(static)
      for (std::uint64_t row = 0; row < sums.size(); ++row) {
        std::int64_t steps = 0;
        for (std::uint64_t i = 0; i < columns; ++i) steps += elements.steps(rows(row, i));
        sums[row] = as_sum(steps);
      }
      return;
    }
    for (std::uint64_t row = 0; row < sums.size(); ++row) {  // few rows: all cores on each
      std::int64_t steps = 0;
#pragma omp parallel for reduction(+ : steps) schedule(static) if (columns > 4096)
      for (std::uint64_t i = 0; i < columns; ++i) steps += elements.steps(rows(row, i));
      sums[row] = as_sum(steps);
    }
  };
  if (columns < 32 || size(to) > Memo::most)
    make_as(to, make);
  else
    make_once({elements.random.key, static_cast<std::uint64_t>(elements.bits), rows.first, columns, rows.row_stride,
               rows.column_stride, size(to)},
              to, make);
}

Comparison compare_elements(const TypedSpan& actual, const TypedSpan& reference, const ErrorBound& bound) {
  if (size(actual) != size(reference)) throw Error("results are compared with a reference of another size");
  return std::visit(
      [&]<class T, class R>(std::span<T> is, std::span<R> should_be) {
        Comparison found;
#pragma omp parallel
        {
          WorstElement worst = WorstElement::of_none();
#pragma omp for schedule(static) nowait
          for (std::size_t i = 0; i < is.size(); ++i) worst.add(to_double(is[i]), to_double(should_be[i]), i, bound);
#pragma omp critical
          found.worst.add(worst);
        }
        if (const std::uint64_t i = found.worst.index; i < is.size()) {
          found.is = to_double(is[i]);
          found.should_be = to_double(should_be[i]);
        }
        return found;
      },
      actual, reference);
}

TypedSpan part(const TypedSpan& of, std::size_t first, std::size_t count) {
  return std::visit([&](auto typed) -> TypedSpan { return typed.subspan(first, count); }, of);
}

std::size_t size(const TypedSpan& of) {
  return std::visit([](auto typed) { return typed.size(); }, of);
}

}  // namespace crosswarp
