// parallel_for, one element of C an iteration. Kokkos has no 8-bit floating-point types: elements are bytes, widened by
// core's functions. Bound by load requests, two for each multiply-add, and by the lines of B, a different one for each
// thread.
#include "backends/kokkos/half.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::kokkos {
namespace {

template <class A, class To>
struct GemmElement {
  const std::uint8_t *a, *b;
  To* c;
  const float* factors;  ///< Null for none.
  std::size_t n, k;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    const std::uint8_t* const row = a + i / n * k;
    const std::uint8_t* const column = b + i % n * k;
    float sum = 0;
    for (std::size_t l = 0; l < k; ++l) sum += to_float(A{row[l]}) * to_float(E4m3{column[l]});
    c[i] = narrowed<To>(factors ? factors[0] * factors[MatmulF8::factor_pitch] * sum : sum);
  }
};

template <class A, class To>
void gemm_as(const Queue& queue, const MatmulF8::Args& args) {
  Kokkos::parallel_for(range(queue, args.m * args.n),
                       GemmElement<A, To>{args.a.data(), args.b.data(), args.c_as<To>(),
                                          args.scales.empty() ? nullptr : args.scales.data(), args.n, args.k});
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (args.e5m2)
    args.f32_out ? gemm_as<E5m2, float>(queue, args) : gemm_as<E5m2, Brain16>(queue, args);
  else
    args.f32_out ? gemm_as<E4m3, float>(queue, args) : gemm_as<E4m3, Brain16>(queue, args);
}

const Register<MatmulF8> variant{{
    .idea = "parallel_for, one element of C an iteration, operands widened one by one",
    .bound_by = "load requests for single bytes",
    .counterparts = {"naive"},
    .applies = [](const Point& point) { return is_short_for_strided_lanes(shape_of(point)); },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
