// GEMV, one row or one column of C: dot products of rows of the other operand by groups of threads, added in float, for
// any k. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/gemv/dot_rows.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "backends/cuda/matmul_f8/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_gemv {

using Matrix = gemv::Matrix<std::uint8_t>;
using Problem = gemv::Problem<std::uint8_t>;

using Floats4 = gemv::Elements<float, 4>;

/// Four elements of type `T`, the first from the lowest byte.
template <class T>
__device__ Floats4 to_floats(std::uint32_t elements) {
  const auto value = [&](unsigned i) { return to_float(T{static_cast<std::uint8_t>(elements >> 8 * i)}); };
  return {value(0), value(1), value(2), value(3)};
}

/// Two binary16 as floats, the first from the lower half.
__device__ inline float2 halves_to_floats(std::uint32_t halves) {
  return {half_value(Half{static_cast<std::uint16_t>(halves)}),
          half_value(Half{static_cast<std::uint16_t>(halves >> 16)})};
}

/// E5M2 is the upper half of a binary16.
template <>
__device__ inline Floats4 to_floats<E5m2>(std::uint32_t elements) {
  const float2 even = halves_to_floats(elements << 8 & 0xff00ff00), odd = halves_to_floats(elements & 0xff00ff00);
  return {even.x, odd.x, even.y, odd.y};
}

#if CROSSWARP_HAS_PTX && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890)
/// By an instruction that widens two to binary16, in which all are exact.
template <>
__device__ inline Floats4 to_floats<E4m3>(std::uint32_t elements) {
  std::uint32_t low, high;
  asm("{\n"
      ".reg .b16 low, high;\n"
      "mov.b32 {low, high}, %2;\n"
      "cvt.rn.f16x2.e4m3x2 %0, low;\n"
      "cvt.rn.f16x2.e4m3x2 %1, high;\n"
      "}"
      : "=r"(low), "=r"(high)
      : "r"(elements));
  const float2 first = halves_to_floats(low), last = halves_to_floats(high);
  return {first.x, first.y, last.x, last.y};
}
#endif

/// Conversion of a load of elements of type `T`, which are packed in `Word`s.
template <class T>
struct ToFloats {
  template <class Word, unsigned width>
  __device__ auto operator()(const gemv::Elements<Word, width>& words) const {
    constexpr unsigned packed = sizeof(Word);
    gemv::Elements<float, packed * width> values;
#pragma unroll
    for (unsigned i = 0; i < width; ++i) {
      const Floats4 four = to_floats<T>(words.of[i]);
#pragma unroll
      for (unsigned j = 0; j < packed; ++j) values.of[packed * i + j] = four.of[j];
    }
    return values;
  }
};

/// An unsigned integer of so many bytes.
template <unsigned bytes>
using UnsignedOf =
    std::conditional_t<bytes == 1, std::uint8_t, std::conditional_t<bytes == 2, std::uint16_t, std::uint32_t>>;

/// Resident on a multiprocessor. In 64 registers a thread has as many loads in flight as in 80, by ptxas' order for
/// sm_90a.
constexpr unsigned min_blocks = 4;

/// `M`, `V`: types of the matrix's and the vector's elements. Loads them packed in words: ptxas separates bytes and
/// puts them together again otherwise.
template <class M, class V, unsigned width, unsigned lanes, unsigned loads>
__global__ void __launch_bounds__(gemv::dot_block, min_blocks)
    dot_rows(Matrix matrix, const std::uint8_t* vector, ScaledOutput c) {
  constexpr unsigned packed = std::min(width, 4u);
  const auto* const rows = reinterpret_cast<const UnsignedOf<packed>*>(matrix.data);
  gemv::dot_rows<width / packed, lanes, loads>(
      gemv::Matrix<UnsignedOf<packed>>{rows, matrix.rows, matrix.columns / packed},
      reinterpret_cast<const UnsignedOf<packed>*>(vector), c, ToFloats<M>(), ToFloats<V>());
}

Problem problem_of(const MatmulF8::Args& args) { return {args.a.data(), args.b.data(), args.m, args.n, args.k, true}; }

template <class M, class V>
void launch_typed(const Queue& queue, const MatmulF8::Args& args) {
  gemv::launch_dot_rows(
      queue, problem_of(args), scaled_output(args),
      [&]<unsigned width, unsigned lanes, unsigned loads>() { return dot_rows<M, V, width, lanes, loads>; });
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (finish_if_empty(queue, args)) return;
  with_type_of_a(
      args, [&]<class A>() { args.n == 1 ? launch_typed<A, E4m3>(queue, args) : launch_typed<E4m3, A>(queue, args); });
}

double expected_cycles(const Queue& queue, const MatmulF8::Args& args) {
  if (!gemv::is_for(args.m, args.n) || args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
  return gemv::dot_cycles(queue.device, problem_of(args));
}

void launch_tuned(const Queue& queue, const MatmulF8::Args& args) { gemm(pdl_by_tuning(queue), args); }

bool applies(const Point& point) { return gemv::is_for(shape_of(point).m, shape_of(point).n); }

const Register<MatmulF8> variant{{
    .idea = "one row or column: dot products by groups of threads, in float",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "naive",
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .applies = applies,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f8_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
