#include "experiments/reduce_sum.hpp"

namespace crosswarp {

// Apart from the header, whose visits clang 15 leaves undefined in a HIP compilation.
ReduceSum::Args ReduceSum::args(std::size_t set) const {
  return std::visit([&](const auto& s) { return args_of(s, set); }, sets_);
}

bool ReduceSum::refill_general(Distribution distribution, std::uint64_t draw) {
  if (operation_ != Operation::sum) return false;
  const GeneralNumbers numbers(distribution, generation_seed(seed_, draw), n_);
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> bool {
        if constexpr (!std::same_as<T, std::int32_t>) {
          device_.generate_general(s.in[0].span(), numbers);
          general_sum_ = reference_sums<T>(numbers, 0, 1, n_).front();
        }
        return !std::same_as<T, std::int32_t>;
      },
      sets_);
}

Errors ReduceSum::errors(ResultIn where) const {
  device_.synchronize();
  return std::visit(
      [&]<class T>(const Sets<T>& s) -> Errors {
        Errors errors;
        if constexpr (!std::same_as<T, std::int32_t>)
          errors.add(where == ResultIn::host ? s.host_out[0] : s.out[0].read(0), general_sum_);
        return errors;
      },
      sets_);
}

Memory ReduceSum::outputs(std::size_t set) const {
  return std::visit([&](const auto& s) -> Memory { return {s.out[set].bytes()}; }, sets_);
}

template ExperimentEntry describe<ReduceSum>();

}  // namespace crosswarp
