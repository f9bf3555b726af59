// KokkosBlas::gemv of the matrix and a vector of ones: Kokkos Kernels, the library beside Kokkos. Bound by memory
// bandwidth; it reads the ones, too, and multiplies.
#include <limits>

#include "backends/kokkos/queue.hpp"
#include "experiments/row_sum.hpp"

#ifdef CROSSWARP_HAS_KOKKOS_KERNELS
#include <KokkosBlas2_gemv.hpp>
#endif

namespace crosswarp::kokkos {
namespace {

#ifdef CROSSWARP_HAS_KOKKOS_KERNELS
template <class T>
using Of = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::Device<Exec, Memory>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// On the queue's stream, which the library takes since version 4.
template <class E>
constexpr bool takes_instance = requires(const E& exec, Of<const float**> in, Of<const float*> x, Of<float*> out) {
  KokkosBlas::gemv(exec, "N", 1.0f, in, x, 0.0f, out);
};
template <class E>
void multiply(const E& exec, const Of<const float**>& in, const Of<const float*>& x, const Of<float*>& out) {
  if constexpr (takes_instance<E>)
    KokkosBlas::gemv(exec, "N", 1.0f, in, x, 0.0f, out);
  else
    KokkosBlas::gemv("N", 1.0f, in, x, 0.0f, out);
}

std::size_t workspace(const Queue&, const RowSum::Args& args) { return args.columns * sizeof(float); }

Of<float*> ones(const Queue& queue, const RowSum::Args& args) {
  return Of<float*>(reinterpret_cast<float*>(queue.workspace.data()), args.columns);
}

void prepare(const Queue& queue, const RowSum::Args& args) {
  if (args.columns > 0) Kokkos::deep_copy(queue.exec, ones(queue, args), 1.0f);
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  if (args.columns == 0) return Kokkos::deep_copy(queue.exec, array(args.out), 0.0f);
  multiply(queue.exec, Of<const float**>(args.in.data(), args.rows(), args.columns), ones(queue, args),
           Of<float*>(args.out.data(), args.rows()));
}

std::string why_missing() {
  return takes_instance<Exec> || !is_asynchronous ? "" : "this Kokkos Kernels is too old to take a stream";
}
#else
std::string why_missing() { return "Kokkos Kernels was not found when this was built"; }
void sum(const Queue&, const RowSum::Args&) {}
#endif

/// A BLAS counts in int.
bool applies(const Point& point) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return point.integer("m") <= most && point.integer("n") <= most;
}

const Register<RowSum> variant{{
    .idea = "KokkosBlas::gemv with a vector of ones: the portable library",
    .bound_by = "memory bandwidth",
    .counterparts = {"gemv"},
    .library = true,
    .applies = applies,
#ifdef CROSSWARP_HAS_KOKKOS_KERNELS
    .workspace = workspace,
    .prepare = prepare,
#endif
    .missing = why_missing,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
