// The field's name: successive halving (Jamieson and Talwalkar, AISTATS 2016).
#include "core/tuning_search.hpp"

#include <algorithm>
#include <cmath>

namespace crosswarp {
namespace {

constexpr double least_speed = 0.5;  // of the fastest, to stay

}  // namespace

std::size_t search_rounds(std::size_t candidates) {
  std::size_t rounds = 1;
  for (; candidates > 2; candidates = (candidates + 1) / 2) ++rounds;
  return rounds;
}

StopRule search_rule(const StopRule& last, std::size_t round, std::size_t rounds) {
  StopRule rule = last;
  const double share = std::pow(0.25, static_cast<double>(rounds - 1 - round));
  const auto part = [&](std::size_t whole, std::size_t least) {
    const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(whole)));
    return std::min(whole, std::max(count, least));
  };
  rule.min_time *= share;
  rule.time_limit *= share;
  rule.placements = part(last.placements, 2);
  rule.min_samples = part(last.min_samples, 8);
  rule.max_samples = part(last.max_samples, 8);
  return rule;
}

std::vector<std::size_t> survivors(const std::vector<std::optional<double>>& seconds) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    if (seconds[i]) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *seconds[i]; });
  if (order.size() > 1) order.resize((order.size() + 1) / 2);
  if (!order.empty())
    std::erase_if(order,
                  [&, least = *seconds[order.front()]](std::size_t i) { return *seconds[i] * least_speed > least; });
  return order;
}

}  // namespace crosswarp
