// Kokkos has no portable matrix instructions (kokkos#9332).
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MatmulF64> variant{{
    .idea = "matrix instructions on doubles",
    .counterparts = {"mma_multistage", "mma_tma", "adaptive", "autotuned"},
    .gaps = {{GapClass::no_api,
              "Kokkos has no portable matrix instructions (kokkos#9332), 2 ×; the rest is a slower register tile",
              {},
              [](const Point& point) {
                return point.integer("m") >= 1024 && point.integer("n") >= 1024 && point.integer("k") >= 128;
              }},
             {GapClass::not_written,
              "a faster register tile, and split-K where C is small; matrix instructions (kokkos#9332) are 2 × of it",
              {},
              [](const Point& point) { return point.integer("k") >= 128; }}},
    .not_expressible = "Kokkos has no portable matrix instructions (kokkos#9332)",
}};

}  // namespace
}  // namespace crosswarp::kokkos
