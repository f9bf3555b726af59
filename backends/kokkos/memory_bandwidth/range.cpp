// parallel_for and parallel_reduce over a range, one element per iteration. On a GPU bound by the 4 bytes in flight per
// thread of parallel_reduce, and by the block starts of parallel_for, which has 128 elements per block. An H200 starts
// 1.65 blocks per nanosecond, so write, copy, scale, add and triad of 2^28 elements all take the 1.27 ms of 2^21
// blocks.
#include "backends/kokkos/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto a = array(args.a), b = array(args.b);
  const auto out = array(args.out);
  const float s = args.scalar;
  const auto over_a = range(queue, a.extent(0)), over_out = range(queue, out.extent(0));
  switch (args.op) {
    case StreamOp::read:
      return Kokkos::parallel_reduce(
          over_a, KOKKOS_LAMBDA(std::size_t i, std::uint32_t & sum) { sum += __builtin_bit_cast(std::uint32_t, a(i)); },
          scalar(args.sum));
    case StreamOp::dot:
      return Kokkos::parallel_reduce(
          over_a, KOKKOS_LAMBDA(std::size_t i, float& sum) { sum += a(i) * b(i); }, scalar(args.dot));
    case StreamOp::write:
      return Kokkos::parallel_for(
          over_out, KOKKOS_LAMBDA(std::size_t i) { out(i) = s; });
    case StreamOp::copy:
      return Kokkos::parallel_for(
          over_out, KOKKOS_LAMBDA(std::size_t i) { out(i) = a(i); });
    case StreamOp::scale:
      return Kokkos::parallel_for(
          over_out, KOKKOS_LAMBDA(std::size_t i) { out(i) = s * a(i); });
    case StreamOp::add:
      return Kokkos::parallel_for(
          over_out, KOKKOS_LAMBDA(std::size_t i) { out(i) = a(i) + b(i); });
    case StreamOp::triad:
      return Kokkos::parallel_for(
          over_out, KOKKOS_LAMBDA(std::size_t i) { out(i) = a(i) + s * b(i); });
  }
}

/// parallel_for; reductions have fewer blocks.
bool is_loop(const Point& point) { return point.word("op") != "read" && point.word("op") != "dot"; }

const Register<MemoryBandwidth> variant{{
    .idea = "parallel_for and parallel_reduce over a range, one element per iteration",
    .bound_by = "bytes in flight (reductions), block starts (stores)",
    .counterparts = {"scalar"},
    .gaps = {{GapClass::tuning,
              "parallel_for starts a block for every 128 elements",
              {"blocks", "dram_throughput"},
              is_loop}},
    .applies = [](const Point& point) { return point.word("level") == "hbm"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
