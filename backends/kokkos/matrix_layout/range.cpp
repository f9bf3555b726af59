// parallel_for over the rows of a View, the loop over columns inside. A View without a layout of its own gets the one
// that suits this loop: LayoutLeft on a GPU, whose neighbouring threads have neighbouring rows, LayoutRight on a host.
#include "backends/kokkos/matrix_layout/views.hpp"

namespace crosswarp::kokkos {
namespace {

template <class View>
void add_rows(const Queue& queue, const View& in, const MatrixLayout::Args& args) {
  const auto out = array(args.out);
  Kokkos::parallel_for(
      range(queue, out.extent(0)), KOKKOS_LAMBDA(std::size_t row) {
        float sum = 0;
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#pragma unroll 8
#endif
        for (std::size_t column = 0; column < in.extent(1); ++column) sum += in(row, column);
        out(row) = sum;
      });
}

void run(const Queue& queue, const MatrixLayout::Args& args) {
  with_view(args, [&](const auto& in) { add_rows(queue, in, args); });
}

const Register<MatrixLayout> variant{{
    .idea = "parallel_for over the rows of a View, the loop over columns inside",
    .bound_by = "memory with the execution space's own layout, else the parts of sectors and cache lines that it uses",
    .counterparts = {"thread_per_row"},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
