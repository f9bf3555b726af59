// Bulk asynchronous copies (TMA): Kokkos has none.
#include "backends/kokkos/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

const Register<MemoryBandwidth> variant{{
    .idea = "bulk copies (TMA)",
    .counterparts = {"bulk_copy", "cp_async"},
    .not_expressible = "kernels have no asynchronous copies into scratch memory",
    .applies =
        [](const Point& point) {
          const std::string& op = point.word("op");
          return point.word("level") == "hbm" && (op == "read" || op == "write" || op == "copy");
        },
}};

}  // namespace
}  // namespace crosswarp::kokkos
