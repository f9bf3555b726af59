// parallel_for, one element of C an iteration; each operand element is widened to float as it is loaded. Bound by load
// requests, two for each multiply-add; where B is transposed, by its cache lines, a different one for each thread.
#include "backends/kokkos/matmul_f16/half_element.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T, class To>
struct GemmElement {
  const T *a, *b;
  To* c;
  std::size_t n, k, b_row_stride, b_column_stride;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    const std::size_t row = i / n, column = i % n;
    float sum = 0;
    for (std::size_t l = 0; l < k; ++l)
      sum += widened(a[row * k + l]) * widened(b[l * b_row_stride + column * b_column_stride]);
    c[i] = narrowed<To>(sum);
  }
};

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  with_types(args, [&]<class T, class To>() {
    Kokkos::parallel_for(range(queue, args.m * args.n),
                         GemmElement<T, To>{reinterpret_cast<const T*>(args.a.data()),
                                            reinterpret_cast<const T*>(args.b.data()), args.c_as<To>(), args.n, args.k,
                                            args.b_transposed ? 1 : args.n, args.b_transposed ? args.k : 1});
  });
}

const Register<MatmulF16> variant{{
    .idea = "parallel_for, one element of C an iteration, operands widened one by one",
    .bound_by = "load requests for single elements",
    .counterparts = {"naive"},
    .applies =
        [](const Point& point) { return point.word("layout") == "nn" || is_short_for_strided_lanes(shape_of(point)); },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
