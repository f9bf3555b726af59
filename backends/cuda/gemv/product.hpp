// gemv of an experiment: its launches as candidates of dispatchers, and as the launches of its own variants.
#pragma once

#include <cstddef>
#include <optional>

#include "backends/cuda/gemv/combine_in_cluster.hpp"
#include "backends/cuda/gemv/combine_rows.hpp"
#include "backends/cuda/gemv/dot_rows.hpp"
#include "backends/gpu/cached_by_problem.hpp"
#include "backends/gpu/candidate.hpp"
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {
namespace {

/// Products of experiment `Of`, whose elements are of the type of their sums, and whose B is not transposed. `Variant`:
/// as for IdentityOf.
template <class Of, class Variant>
struct SumProduct {
  using Experiment = Of;
  using Args = typename Of::Args;

  static auto problem(const Args& args) { return Problem(args.a.data(), args.b.data(), args.m, args.n, args.k, false); }
  static auto output(const Args& args) { return SumOutput<typename decltype(args.c)::value_type>{args.c.data()}; }
  /// Calls `use` with the conversion of elements: `[&]<class Values>()`.
  template <class Use>
  static void with_values(const Args&, Use&& use) {
    use.template operator()<IdentityOf<Variant>>();
  }
  /// Finishes an empty product, and says whether it is one.
  static bool finish_if_empty(const Queue& queue, const Args& args) {
    if (args.k == 0) clear(queue, args.c);
    return args.c.empty() || args.k == 0;
  }
};

/// Whether C has one row or one column, and the product is not empty.
template <class Args>
bool is_vector_product(const Args& args) {
  return is_for(args.m, args.n) && !args.c.empty() && args.k > 0;
}

/// Dot products, or sums by the last block. `Product`: as SumProduct. `columns`: of a block, where rows run along n; 0:
/// the cheapest. None where it is not for this shape.
template <class Product>
auto choice(const Queue& queue, const typename Product::Args& args, std::size_t columns = 0) {
  using Args = typename Product::Args;
  using Found = std::optional<Choice<typename Product::Experiment>>;
  if (!is_vector_product(args)) return Found();
  const auto problem = Product::problem(args);
  if (problem.is_dot)
    return Found({dot_cycles(queue.device, problem), {[](const Queue& on, const Args& of) {
                    Product::with_values(of, [&]<class Values>() {
                      launch_multiply_rows<Values>(on, Product::problem(of), Product::output(of));
                    });
                  }}});
  const CombinePlan plan = last_block_plan(queue.device, problem, columns);
  return Found({plan.cycles,
                {[plan](const Queue& on, const Args& of) {
                   Product::with_values(of, [&]<class Values>() {
                     launch_combine_rows<Values>(on, Product::problem(of), plan, Product::output(of));
                   });
                 },
                 workspace_bytes(problem, plan), true}});
}

#if CROSSWARP_HAS_PTX
/// Sums in clusters, as above. `splits`: blocks of a cluster; 0: the cheapest. None, too, on a device
/// without clusters, and where rows run along k.
template <class Product>
auto cluster_choice(const Queue& queue, const typename Product::Args& args, std::size_t splits = 0) {
  using Args = typename Product::Args;
  std::optional<Choice<typename Product::Experiment>> found;
  if (!is_vector_product(args) || !queue.device.has("cluster")) return found;
  const auto problem = Product::problem(args);
  if (problem.is_dot) return found;
  Product::with_values(args, [&]<class Values>() {
    const CombinePlan plan = cluster_plan(queue.device, problem, splits, [&](unsigned size) {
      return resident_clusters_for<Values>(problem, Product::output(args), size);
    });
    found = {plan.cycles, {[plan](const Queue& on, const Args& of) {
               launch_combine_in_clusters<Values>(on, Product::problem(of), plan, Product::output(of));
             }}};
  });
  return found;
}
#endif

/// The choice of a variant with the tuning `columns`, or `splits`.
template <class Product>
auto choice_by_columns(const Queue& queue, const typename Product::Args& args) {
  return choice<Product>(queue, args, static_cast<std::size_t>(queue.tuning["columns"]));
}
#if CROSSWARP_HAS_PTX
template <class Product>
auto choice_by_splits(const Queue& queue, const typename Product::Args& args) {
  return cluster_choice<Product>(queue, args, static_cast<std::size_t>(queue.tuning["splits"]));
}
#endif

/// A variant that launches what `choice_of` returns. Requires a shape that it is for, or an empty product.
template <class Product, auto choice_of>
struct Variant {
  using Experiment = typename Product::Experiment;
  using Args = typename Product::Args;

  static std::size_t workspace(const Queue& queue, const Args& args) { return candidate(queue, args).workspace_bytes; }
  static void launch(const Queue& queue, const Args& args) {
    candidate(queue, args).launch(pdl_by_tuning(queue), args);
  }

 private:
  static Candidate<Experiment> search(const Queue& queue, const Args& args) {
    if (!is_vector_product(args)) return {[](const Queue& on, const Args& of) { Product::finish_if_empty(on, of); }};
    return choice_of(queue, args)->candidate;
  }
  static const Candidate<Experiment>& candidate(const Queue& queue, const Args& args) {
    static CachedByProblem<Experiment, Candidate<Experiment>> known(search);
    return known(queue, args);
  }
};

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
