// Split-K: several teams per tile of C, each with a range of k; a second launch adds their partial sums. Fills the
// device where C has few tiles. Bound by the issue of multiply-adds, and by the traffic of partial sums.
#include <algorithm>

#include "backends/kokkos/four.hpp"
#include "backends/kokkos/matmul_f32/dispatch.hpp"

namespace crosswarp::kokkos {
namespace matmul_f32_split_k {

using matmul_f32_register_tiles::Tile;

std::size_t workspace(const MatmulF32::Args& args, std::size_t splits) {
  return splits > 1 ? splits * args.c.size_bytes() : 0;
}

void gemm(const Queue& queue, const MatmulF32::Args& args, Tile tile, std::size_t splits) {
  auto* const partials = reinterpret_cast<float*>(queue.workspace.data());
  float* const c = args.c.data();
  matmul_f32_register_tiles::gemm(queue, args, tile, splits, splits > 1 ? partials : c);
  if (splits == 1) return;
  const std::size_t count = args.c.size();
  // In 16-byte vectors; partial matrices start on their boundaries where C is whole vectors.
  if (count % 4 == 0) {
    const auto* const from = reinterpret_cast<const Four*>(partials);
    auto* const to = reinterpret_cast<Four*>(c);
    Kokkos::parallel_for(
        range(queue, count / 4), KOKKOS_LAMBDA(std::size_t i) {
          Four sum = from[i];
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 8
#endif
          for (std::size_t split = 1; split < splits; ++split) {
            const Four v = from[split * (count / 4) + i];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
          }
          to[i] = sum;
        });
  } else {
    Kokkos::parallel_for(
        range(queue, count), KOKKOS_LAMBDA(std::size_t i) {
          float sum = partials[i];
          for (std::size_t split = 1; split < splits; ++split) sum += partials[split * count + i];
          c[i] = sum;
        });
  }
}

/// The tuning's `splits`; 0: as many as fill the device, of at least four k-tiles each.
static std::size_t splits_for(const Queue& queue, const MatmulF32::Args& args) {
  if (const int given = queue.tuning["splits"]; given > 0) return static_cast<std::size_t>(given);
  if (args.c.empty()) return 1;
  const auto& shape = matmul_f32_register_tiles::shapes.at(static_cast<std::size_t>(queue.tuning["tile"]));
  const auto pieces = [](std::size_t n, int piece) { return (n + static_cast<std::size_t>(piece) - 1) / piece; };
  const std::size_t tiles = pieces(args.m, shape.m) * pieces(args.n, shape.n);
  const auto resident = static_cast<std::size_t>(is_asynchronous ? shape.resident * queue.device.compute_units : 1);
  return std::clamp<std::size_t>(resident / tiles, 1, args.k / (4 * static_cast<std::size_t>(shape.k)) + 1);
}

static std::size_t tuned_workspace(const Queue& queue, const MatmulF32::Args& args) {
  return workspace(args, splits_for(queue, args));
}

static void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (!args.c.empty()) gemm(queue, args, static_cast<Tile>(queue.tuning["tile"]), splits_for(queue, args));
}

static Tuning tuning(Tile tile, int splits) { return {{{"tile", tile}, {"splits", splits}}}; }

const Register<MatmulF32> variant{{
    .idea = "several teams per tile, each with a range of k; a second launch adds the partial sums",
    .bound_by = "issue of multiply-adds; traffic of partial sums",
    .improves = "register_tiles",
    .counterparts = {"split_k"},
    .tunings = {tuning(matmul_f32_register_tiles::medium, 0), tuning(matmul_f32_register_tiles::medium, 4),
                tuning(matmul_f32_register_tiles::small, 0), tuning(matmul_f32_register_tiles::large, 0)},
    .workspace = tuned_workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_split_k
}  // namespace crosswarp::kokkos
