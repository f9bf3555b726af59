// The register tile of the float GEMM on E4M3, which is widened to float as it is stored to scratch memory, once for
// all its multiply-adds. Bound by the issue of those: Kokkos has no matrix instructions (kokkos#9332). Without factors,
// which the tile's epilogue does not take.
#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/half.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::kokkos {
namespace {

using Tile = RegisterTile<128, 128, 16, 16, 8, 2>;

/// Elements of A and B are E4M3, those of C float or bfloat16.
template <class To>
struct ByteElements {
  using In = std::uint8_t;
  using Out = To;

  KOKKOS_INLINE_FUNCTION static float widen(In bits) { return to_float(E4m3{bits}); }
  KOKKOS_INLINE_FUNCTION static Out narrow(float value) { return narrowed<To>(value); }
};

template <class To>
void gemm_as(const Queue& queue, const MatmulF8::Args& args) {
  using Elements = ByteElements<To>;
  launch_tiles<Tile, Elements, true>(
      queue, GemmProblem<Elements>{args.a.data(), args.b.data(), args.c_as<To>(), args.m, args.n, args.k, args.k});
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  args.f32_out ? gemm_as<float>(queue, args) : gemm_as<Brain16>(queue, args);
}

const Register<MatmulF8> variant{{
    .idea = "register tiles of 16 x 8 elements per thread, E4M3 widened as it is stored to scratch",
    .bound_by = "issue of fp32 multiply-adds",
    .improves = "naive",
    .gaps = {{GapClass::no_api, "Kokkos has no matrix instructions: fp32 multiply-adds in place of tensor cores"}},
    .applies = [](const Point& point) { return point.word("type") == "e4m3" && point.word("scale") == "none"; },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
