// Reference results and comparisons of each device, against the host's. Every verdict on a device rests on them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/buffer.hpp"
#include "core/host_device.hpp"
#include "core/registry.hpp"

namespace crosswarp {
namespace {

/// The first device of each backend; backends may share it.
std::vector<std::shared_ptr<Device>> devices() {
  std::vector<std::shared_ptr<Device>> all;
  for (const auto& backend : Registry::instance().backends()) {
    if (backend->devices().empty()) continue;
    const std::shared_ptr<Device> device = backend->open(0);
    if (std::ranges::find(all, device) == all.end()) all.push_back(device);
  }
  return all;
}

template <class T>
std::vector<T> generated(Device& device, const Buffer<T>& to, std::uint64_t stream, int bits) {
  device.generate_elements(to.span(), {Lattice{RandomStream(4, stream), bits}});
  return to.read();
}

template <class T>
class DeviceReference : public testing::Test {};
using OperandTypes = testing::Types<float, double, Half, Bfloat16>;
TYPED_TEST_SUITE(DeviceReference, OperandTypes);

TYPED_TEST(DeviceReference, OfAProductIsTheHosts) {
  constexpr int bits = std::same_as<TypeParam, Half> ? 11 : std::same_as<TypeParam, Bfloat16> ? 8 : 20;
  for (const std::shared_ptr<Device>& device : devices())
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{0, 5, 3},
                                  {1, 1, 1},
                                  {3, 5, 0},
                                  {1, 200, 33},
                                  {200, 1, 17},
                                  {128, 64, 16},
                                  {129, 65, 15},
                                  {257, 130, 70},
                                  {70, 500, 301}})
      for (const bool transposed : {false, true}) {
        const Buffer<TypeParam> a(*device, m * k, 1), b(*device, k * n, 3);
        Buffer<double> c(*device, m * n);
        Buffer<float> rounded(*device, m * n, 1);
        std::vector<TypeParam> host_a = generated(*device, a, 0, bits), host_b = generated(*device, b, 1, bits);
        std::vector<double> right(m * n);
        reference_gemm({std::span(host_a), std::span(host_b), m, n, k, transposed}, std::span(right));
        c.poison();
        rounded.poison();
        device->reference_gemm({a.span(), b.span(), m, n, k, transposed}, c.span());
        device->reference_gemm({a.span(), b.span(), m, n, k, transposed}, rounded.span());
        const std::vector<double> is = c.read();
        const std::vector<float> is_rounded = rounded.read();
        for (std::size_t i = 0; i < right.size(); ++i) {
          ASSERT_NEAR(is[i], right[i], 1e-15 * static_cast<double>(k)) << device->info().name << " " << m << " " << n;
          ASSERT_EQ(is_rounded[i], static_cast<float>(is[i])) << device->info().name;
        }
        EXPECT_TRUE(c.guards_intact() && rounded.guards_intact()) << device->info().name << " " << m << " " << n;
      }
}

TYPED_TEST(DeviceReference, IsOfGeneralNumbersThatAreTheHosts) {
  for (const std::shared_ptr<Device>& device : devices())
    for (const Distribution distribution : distributions)
      for (const auto role : {GeneralNumbers::Role::term, GeneralNumbers::Role::a, GeneralNumbers::Role::b}) {
        const GeneralNumbers numbers(distribution, 9, 1009, role, role == GeneralNumbers::Role::b ? 7 : 1);
        const Buffer<TypeParam> generated(*device, 20'011, 1);
        device->generate_general(generated.span(), numbers);
        std::vector<TypeParam> right(generated.size());
        fill_general(std::span(right), numbers);
        const std::vector<TypeParam> is = generated.read();
        for (std::size_t i = 0; i < right.size(); ++i)
          ASSERT_EQ(to_double(is[i]), to_double(right[i])) << device->info().name << " " << to_string(distribution);
        EXPECT_TRUE(generated.guards_intact());
      }
}

TEST(DeviceReferenceRowSums, AreTheHosts) {
  for (const std::shared_ptr<Device>& device : devices())
    for (const auto& [rows, columns, first] : {std::array<std::size_t, 3>{0, 3, 0},
                                               {1, 0, 0},
                                               {1, 1, 5},
                                               {700, 1, 3},
                                               {33, 31, 0},
                                               {17, 65, 1000},
                                               {5, 4095, 0},
                                               {3, 4096, 7},
                                               {2, 40'001, 0},
                                               {20'000, 3, 0}}) {
      const Lattice lattice{RandomStream(3, 1), exact_bits(columns)};
      for (const LatticeRows& matrix : {LatticeRows::contiguous(first, columns), {first, columns, 1, rows}}) {
        std::vector<float> right(rows);
        reference_row_sums(lattice, matrix, std::span(right));
        Buffer<float> sums(*device, rows);
        Buffer<double> in_double(*device, rows);
        sums.poison();
        in_double.poison();
        device->reference_row_sums(lattice, matrix, sums.span());
        device->reference_row_sums(lattice, matrix, in_double.span());
        EXPECT_EQ(sums.read(), right) << device->info().name << " " << rows << " x " << columns;
        EXPECT_EQ(in_double.read(), std::vector<double>(right.begin(), right.end())) << device->info().name;
        EXPECT_TRUE(sums.guards_intact() && in_double.guards_intact());
      }
    }
}

template <class T>
class DeviceCompare : public testing::Test {};
using ResultTypes = testing::Types<float, double, std::int32_t, Half, Bfloat16>;
TYPED_TEST_SUITE(DeviceCompare, ResultTypes);

/// A number that all types hold.
template <class T>
T as(float value) {
  if constexpr (std::same_as<T, Half>)
    return to_half(value);
  else if constexpr (std::same_as<T, Bfloat16>)
    return to_bfloat16(value);
  else
    return static_cast<T>(value);
}

TYPED_TEST(DeviceCompare, FindsTheHostsWorstElement) {
  for (const std::shared_ptr<Device>& device : devices())
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{1000}, std::size_t{300'001}}) {
      std::vector<TypeParam> is(n);
      std::vector<float> should_be(n);
      for (std::size_t i = 0; i < n; ++i) {
        should_be[i] = static_cast<float>(i % 100);
        is[i] = as<TypeParam>(should_be[i]);
      }
      Buffer<TypeParam> actual(*device, n, 1);
      Buffer<float> reference(*device, n);
      Buffer<double> in_double(*device, n);
      reference.write(should_be);
      in_double.write(std::vector<double>(should_be.begin(), should_be.end()));
      const auto expect_same = [&](const ErrorBound& bound) {
        actual.write(is);
        const Comparison right = compare_elements(std::span(is), std::span(should_be), bound);
        for (const TypedSpan& to : {TypedSpan(reference.span()), TypedSpan(in_double.span())}) {
          const Comparison found = device->compare(actual.span(), to, bound);
          EXPECT_EQ(found.worst.index, right.worst.index) << device->info().name << " " << n;
          EXPECT_EQ(found.worst.beyond, right.worst.beyond) << device->info().name << " " << n;
          EXPECT_DOUBLE_EQ(found.worst.share, right.worst.share);
          EXPECT_EQ(found.should_be, right.should_be);
          EXPECT_TRUE(found.is == right.is || std::isnan(right.is));
        }
        return right.worst;
      };
      EXPECT_EQ(expect_same({}).beyond, 0u);
      if (n == 0) continue;
      for (const std::size_t wrong : {n - 1, n / 2, std::size_t{0}}) {
        is[wrong] = as<TypeParam>(should_be[wrong] + 2);
        EXPECT_EQ(expect_same({}).index, wrong);  // of equals the first
        expect_same({.of_sum = 1, .of_rounding = 0.5});
        EXPECT_EQ(expect_same({.of_sum = 2}).beyond, 0u);
      }
      if constexpr (std::floating_point<TypeParam>) {
        is[n / 3] = std::numeric_limits<TypeParam>::quiet_NaN();
        const WorstElement worst = expect_same({.of_sum = 1e30});
        EXPECT_EQ(worst.index, n / 3);
        EXPECT_EQ(worst.beyond, 1u);
      }
    }
}

}  // namespace
}  // namespace crosswarp
