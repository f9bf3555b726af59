// An element of C an iteration, its factors widened to float one by one. Bound by the queue of loads, two for each
// multiply-add; where B is transposed, by its lines, of which each thread reads another. As fast as CUDA's naive.
#include "backends/kokkos/matmul_f16/half_element.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T, class To>
struct MultiplyElement {
  const T *a, *b;
  To* c;
  std::size_t n, k, to_next_row, to_next_column;  // of B

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    const std::size_t row = i / n, column = i % n;
    float sum = 0;
    for (std::size_t l = 0; l < k; ++l)
      sum += widened(a[row * k + l]) * widened(b[l * to_next_row + column * to_next_column]);
    c[i] = narrowed<To>(sum);
  }
};

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  with_types(args, [&]<class T, class To>() {
    Kokkos::parallel_for(
        range(queue, args.m * args.n),
        MultiplyElement<T, To>{reinterpret_cast<const T*>(args.a.data()), reinterpret_cast<const T*>(args.b.data()),
                               args.c_as<To>(), args.n, args.k, args.b_transposed ? 1 : args.n,
                               args.b_transposed ? args.k : 1});
  });
}

const Register<MatmulF16> variant{{
    .idea = "an element an iteration, its factors widened one by one: bound by the queue of loads",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::kokkos
