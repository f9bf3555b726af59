// A range over vectors of four floats, one 16-byte access each. Bound by memory bandwidth. In a cache each iteration
// reads another vector in each sweep.
//
// On an H200 its copies match CUDA's. Writes reach 3.37 of 4.65 TB/s, bound by the starts of the 2^19 blocks of 128
// threads that parallel_for makes of 2^26 vectors. Reads reach 4.03 of 4.54 TB/s: threads of parallel_reduce have one
// load in flight. team_vectors has larger blocks for writes, and several loads for reads.
#include "backends/kokkos/memory_bandwidth/stream.hpp"

namespace crosswarp::kokkos {
namespace {

KOKKOS_INLINE_FUNCTION Four sum_of(const Four& a, float s, const Four& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

void read(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto a = vectors(args.a);
  const auto words = array(args.a);
  const std::size_t n = a.extent(0), whole = 4 * n, left = words.extent(0) - whole, sweeps = args.sweeps;
  // A golden-ratio step, so that no sweep returns to vectors that L1 still holds.
  const auto step = static_cast<std::size_t>(0.618034 * static_cast<double>(n));
  Kokkos::parallel_reduce(
      range(queue, std::max(n, left)),
      KOKKOS_LAMBDA(std::size_t i, std::uint32_t & sum) {
        std::size_t at = i;
        for (std::size_t s = 0; i < n && s < sweeps; ++s) {
          sum += bits_of(a(at));
          at += step;
          if (at >= n) at -= n;
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
        if (i < n) sum += dot_product(a(i), b(i));
        if (i < left) sum += words(whole + i) * others(whole + i);
      },
      scalar(args.dot));
}

/// out = p·a + q·b of the arrays that it reads, or `fill` if it reads none.
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
    .idea = "a range over vectors of four floats, one 16-byte access each",
    .bound_by = "memory or L2 bandwidth",
    .improves = "range",
    .counterparts = {"vector16", "read_l2"},
    .gaps = {{GapClass::tuning,
              "one load in flight for each thread of parallel_reduce",
              {"blocks", "dram_throughput"},
              [](const Point& point) { return point.word("level") == "hbm" && point.word("op") == "read"; }},
             {GapClass::tuning,
              "parallel_for starts a block for every 128 vectors, which stores alone do not hide",
              {"blocks", "dram_throughput"},
              [](const Point& point) { return point.word("op") == "write"; }}},
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "hbm" || (level == "l2" && point.word("op") == "read");
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
