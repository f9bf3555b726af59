// Column accesses to a row-major tile in team scratch. On a GPU bound by the wavefronts of the busiest bank.
#include "backends/kokkos/bank_conflict/columns.hpp"

namespace crosswarp::kokkos {
namespace {

/// Less than eight-way; stride 0 is a broadcast.
bool has_few_conflicts(const Point& point) {
  const std::int64_t stride = point.integer("stride");
  return stride == 0 || stride % 8 != 0;
}

const Register<BankConflict> variant{{
    .idea = "column accesses to a row-major tile in team scratch",
    .bound_by = "bank conflicts: one wavefront per word of the busiest bank",
    .counterparts = {"plain"},
    .gaps = {{GapClass::tuning,
              "not explained yet: its time does not depend on bank conflicts below eight-way ones",
              {},
              has_few_conflicts}},
    .applies = applies,
    .launch = access<tile_columns::Plain>,
}};

}  // namespace
}  // namespace crosswarp::kokkos
