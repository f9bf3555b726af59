// KokkosBlas::gemm of Kokkos Kernels, the library beside Kokkos. It calls the vendor's BLAS where it was built with
// one.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

#ifdef CROSSWARP_HAS_KOKKOS_KERNELS
#include <KokkosBlas3_gemm.hpp>
#endif

namespace crosswarp::kokkos {
namespace {

#ifdef CROSSWARP_HAS_KOKKOS_KERNELS
template <class T>
using Matrix =
    Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::Device<Exec, Memory>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// On the queue's stream, which the library takes since version 4.
template <class E>
constexpr bool takes_instance = requires(const E& exec, Matrix<const float> in, Matrix<float> out) {
  KokkosBlas::gemm(exec, "N", "N", 1.0f, in, in, 0.0f, out);
};
template <class E>
void multiply(const E& exec, const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& c) {
  if constexpr (takes_instance<E>)
    KokkosBlas::gemm(exec, "N", "N", 1.0f, a, b, 0.0f, c);
  else
    KokkosBlas::gemm("N", "N", 1.0f, a, b, 0.0f, c);
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return Kokkos::deep_copy(queue.exec, array(args.c), 0.0f);
  using In = Matrix<const float>;
  multiply(queue.exec, In(args.a.data(), args.m, args.k), In(args.b.data(), args.k, args.n),
           Matrix<float>(args.c.data(), args.m, args.n));
}

std::string why_missing() {
  return takes_instance<Exec> || !is_asynchronous ? "" : "this Kokkos Kernels is too old to take a stream";
}
#else
std::string why_missing() { return "Kokkos Kernels was not found when this was built"; }
void gemm(const Queue&, const MatmulF32::Args&) {}
#endif

const Register<MatmulF32> variant{{
    .idea = "KokkosBlas::gemm: the portable library",
    .counterparts = {"cublas"},
    .library = true,
    .missing = why_missing,
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
