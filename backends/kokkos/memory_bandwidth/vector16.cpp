// As range, over vectors of four floats that the compiler moves in one access of 16 bytes. Bound by memory. A cache is
// swept by all in turn, each iteration elsewhere in each sweep.
//
// On an H200 its copies are as fast as CUDA's. It is behind in writing (3.37 of 4.65 TB/s), bound by how fast the 2^19
// blocks of 128 threads start that parallel_for makes of 2^26 vectors, and in reading (4.03 of 4.54), since threads of
// parallel_reduce have one load in flight: reduce_sum/unrolled has several.
#include "backends/kokkos/four.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

KOKKOS_INLINE_FUNCTION Four sum_of(const Four& a, float s, const Four& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

template <class T>
auto vectors(std::span<T> memory) {
  using V = std::conditional_t<std::is_const_v<T>, const Four, Four>;
  return View<V*>(reinterpret_cast<V*>(memory.data()), memory.size() / 4);
}

void read(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto a = vectors(args.a);
  const auto words = array(args.a);
  const std::size_t n = a.extent(0), whole = 4 * n, left = words.extent(0) - whole, sweeps = args.sweeps;
  // By the golden section, so that no sweep comes back to what L1 still has of one before.
  const auto step = static_cast<std::size_t>(0.618034 * static_cast<double>(n));
  Kokkos::parallel_reduce(
      range(queue, std::max(n, left)),
      KOKKOS_LAMBDA(std::size_t i, std::uint32_t & sum) {
        std::size_t place = i;
        for (std::size_t s = 0; i < n && s < sweeps; ++s) {
          sum += bits_of(a(place));
          place += step;
          if (place >= n) place -= n;
        }
        if (i < left) sum += static_cast<std::uint32_t>(sweeps) * bits_of(words(whole + i));
      },
      scalar(args.sum));
}

void dot(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto a = vectors(args.a), b = vectors(args.b);
  const auto words = array(args.a), others = array(args.b);
  const std::size_t n = a.extent(0), whole = 4 * n, left = words.extent(0) - whole;
  Kokkos::parallel_reduce(
      range(queue, std::max(n, left)),
      KOKKOS_LAMBDA(std::size_t i, float& sum) {
        if (i < n) sum += (a(i).x * b(i).x + a(i).y * b(i).y) + (a(i).z * b(i).z + a(i).w * b(i).w);
        if (i < left) sum += words(whole + i) * others(whole + i);
      },
      scalar(args.dot));
}

/// out = p·a + q·b, where a factor of 0 means that the array is not read; `fill` is added.
template <bool has_a, bool has_b>
void combine(const Queue& queue, const MemoryBandwidth::Args& args, float p, float q, float fill) {
  const auto a = vectors(args.a), b = vectors(args.b);
  const auto out = vectors(args.out);
  const auto word_a = array(args.a), word_b = array(args.b);
  const auto word_out = array(args.out);
  const std::size_t n = out.extent(0), whole = 4 * n, left = word_out.extent(0) - whole;
  Kokkos::parallel_for(
      range(queue, std::max(n, left)), KOKKOS_LAMBDA(std::size_t i) {
        if (i < n) {
          Four v{fill, fill, fill, fill};
          if (has_a) v = Four{p * a(i).x, p * a(i).y, p * a(i).z, p * a(i).w};
          if (has_b) v = sum_of(v, q, b(i));
          out(i) = v;
        }
        if (i < left) {
          float v = fill;
          if (has_a) v = p * word_a(whole + i);
          if (has_b) v += q * word_b(whole + i);
          word_out(whole + i) = v;
        }
      });
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const float s = args.scalar;
  switch (args.op) {
    case StreamOp::read:
      return read(queue, args);
    case StreamOp::dot:
      return dot(queue, args);
    case StreamOp::write:
      return combine<false, false>(queue, args, 0, 0, s);
    case StreamOp::copy:
      return combine<true, false>(queue, args, 1, 0, 0);
    case StreamOp::scale:
      return combine<true, false>(queue, args, s, 0, 0);
    case StreamOp::add:
      return combine<true, true>(queue, args, 1, 1, 0);
    case StreamOp::triad:
      return combine<true, true>(queue, args, 1, s, 0);
  }
}

const Register<MemoryBandwidth> variant{{
    .idea = "a range over vectors of four floats, each moved in one access: bound by memory, or by L2",
    .improves = "range",
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "hbm" || level == "l2";
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
