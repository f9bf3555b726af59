// The register tile of the float GEMM: 16-bit operands are widened to float as they are stored to scratch memory, once
// for all their multiply-adds. 16 × 8 elements of C per thread. Bound by the issue of fp32 multiply-adds: Kokkos has no
// matrix instructions (kokkos#9332).
#include "backends/kokkos/gemm_tile.hpp"
#include "backends/kokkos/matmul_f16/half_element.hpp"

namespace crosswarp::kokkos {
namespace {

using Tile = RegisterTile<128, 128, 16, 16, 8, 2>;

/// Elements of A and B of type `T`, as their bits, and of C: float, or as A's.
template <class T, class To>
struct HalfElements {
  using In = std::uint16_t;
  using Out = std::conditional_t<std::is_same_v<To, float>, float, std::uint16_t>;
  static constexpr bool is_bf16 = std::is_same_v<T, Brain16>;

  KOKKOS_INLINE_FUNCTION static float widen(In bits) {
    if constexpr (is_bf16)
      return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
    else
      return widened(element_of<T>(bits));
  }
  KOKKOS_INLINE_FUNCTION static Out narrow(float value) {
    if constexpr (std::is_same_v<To, float>)
      return value;
    else
      return bits_of_element(narrowed<To>(value));
  }
};

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (args.m == 0 || args.n == 0) return;
  with_types(args, [&]<class T, class To>() {
    using Elements = HalfElements<T, To>;
    const GemmProblem<Elements> problem{
        args.a.data(), args.b.data(), args.c_as<typename Elements::Out>(), args.m, args.n, args.k, args.k};
    args.b_transposed ? launch_tiles<Tile, Elements, true>(queue, problem)
                      : launch_tiles<Tile, Elements, false>(queue, problem);
  });
}

const Register<MatmulF16> variant{{
    .idea = "register tiles of 16 x 8 elements per thread, operands widened as they are stored to scratch",
    .bound_by = "issue of fp32 multiply-adds",
    .improves = "team_tile",
    .gaps = {{GapClass::no_api,
              "Kokkos has no matrix instructions: fp32 multiply-adds in place of tensor cores",
              {"tensor_instructions", "instructions"}}},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
