// Every number times a factor. Bound by reading them and writing them once.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

/// out[i] = factor · in[i]. The factor is a small integer and inputs have few bits: products are exact, the bound is 0.
class Scale {
 public:
  static constexpr std::string_view name = "scale";
  static constexpr std::string_view summary = "numbers times a factor";

  struct Args {
    std::span<const float> in;  ///< Device memory.
    std::span<float> out;       ///< Device memory, as many, poisoned.
    float factor;
  };

  static std::vector<crosswarp::Axis> axes() {
    return {{.name = "n", .meaning = "elements", .bench = {std::int64_t{1} << 20, std::int64_t{1} << 26}},
            {.name = "factor", .meaning = "what they are multiplied by", .bench = {std::int64_t{3}}, .most = 16}};
  }
  static std::vector<crosswarp::TestPoint> test_points() {
    std::vector<crosswarp::TestPoint> points;
    for (crosswarp::Point& point : crosswarp::product(axes(), {{{0}, {1}, {33}, {65'537}}, {{3}}}))
      points.push_back({std::move(point)});
    return points;
  }
  static crosswarp::Cost cost(const crosswarp::Point& point) {
    const auto n = static_cast<double>(point.integer("n"));
    return {.bytes_read = 4 * n, .bytes_written = 4 * n, .flops = n, .accesses = 2 * n};
  }
  static std::size_t footprint(const crosswarp::Point& point) {
    return 8 * static_cast<std::size_t>(point.integer("n")) + 4 * crosswarp::Buffer<float>::guard;
  }

  Scale(crosswarp::Device& device, const crosswarp::Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device), seed_(seed), factor_(static_cast<float>(point.integer("factor"))) {
    const auto n = static_cast<std::size_t>(point.integer("n"));
    for (std::size_t set = 0; set < sets; ++set) {
      in_.emplace_back(device, n);
      out_.emplace_back(device, n);
    }
  }

  /// Other numbers at the same addresses, so that nobody can remember results.
  void refill(std::uint64_t generation) {
    numbers_.clear();
    for (std::size_t set = 0; set < in_.size(); ++set) {
      numbers_.push_back({crosswarp::RandomStream(crosswarp::generation_seed(seed_, generation), set), 16});
      device_.generate(in_[set].span(), numbers_.back());
    }
  }

  Args args(std::size_t set) const { return {in_[set].span(), out_[set].span(), factor_}; }

  crosswarp::Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  void poison() {
    for (auto& out : out_) out.poison();
  }

  crosswarp::Verdict check(crosswarp::ResultIn) const {
    for (std::size_t set = 0; set < out_.size(); ++set) {
      if (!in_[set].guards_intact() || !out_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside in or out was written to"};
      const std::vector<float> out = out_[set].read();
      for (std::size_t i = 0; i < out.size(); ++i)
        if (const float right = factor_ * numbers_[set](i); out[i] != right)
          return {.ok = false,
                  .error = std::abs(double{out[i]} - right),
                  .where = crosswarp::mismatch("out[" + std::to_string(i) + "]", out[i], right)};
    }
    return {.ok = true, .error = 0, .where = {}};
  }

 private:
  crosswarp::Device& device_;
  std::uint64_t seed_;
  float factor_;
  std::vector<crosswarp::Lattice> numbers_;
  std::vector<crosswarp::Buffer<float>> in_, out_;
};
