// All-gather beside GEMM: a rank multiplies its own rows of A while the copy engine, or a few blocks, copies its peers'
// in a second stream, and multiplies each peer's rows as soon as they are there. Bound by the matrix units, less the
// multiprocessors that copy, as long as a peer's rows take no longer to arrive than to multiply.
#include <map>
#include <string>

#include "backends/cuda/all_gather_matmul/product.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr unsigned threads = 1024, unroll = 8;  // 128 KiB in flight on each multiprocessor: there are few

__global__ void __launch_bounds__(threads) copy_rows(Bfloat16* to, const Bfloat16* from, std::size_t n) {
  copy_by_grid<unroll>(to, from, n);
}

#if CROSSWARP_HAS_PTX
/// The stream beside a rank's queue. Never destroyed, since the driver may unload before the program's statics.
class Beside {
 public:
  Beside() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream create");
    for (cudaEvent_t* const event : {&begin_, &done_})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "event create");
  }
  /// A queue whose work begins behind the work of `queue`.
  Queue fork(const Queue& queue) const {
    Queue beside = queue;
    beside.stream = stream_;
    wait_for(begin_, queue, beside);
    return beside;
  }
  /// Further work of `queue` begins behind the work of `beside`. An event that is recorded again does not change
  /// earlier waits.
  void join(const Queue& beside, const Queue& queue) const { wait_for(done_, beside, queue); }

 private:
  static void wait_for(cudaEvent_t event, const Queue& first, const Queue& then) {
    check(cudaEventRecord(event, first.stream), "event record");
    check(cudaStreamWaitEvent(then.stream, event, 0), "wait for an event");
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, done_ = nullptr;
};
#else
/// The emulation has one stream: copies stand in it before the products that need them.
struct Beside {
  Queue fork(const Queue& queue) const { return queue; }
  void join(const Queue&, const Queue&) const {}
};
#endif

Beside& beside(const Queue& queue) {
  static std::map<std::string, Beside> of_ranks;
  return of_ranks[queue.device.key];
}

/// 0: the copy engine copies.
unsigned copying_blocks(const Queue& queue) { return static_cast<unsigned>(queue.tuning["copying"]); }

void multiply_by_chunks(const Queue& queue, const AllGatherMatmul::Args& args) {
  Bfloat16* const gathered = workspaces<Bfloat16>(queue, sizeof(Flags)).of[args.rank];
  const unsigned copying = copying_blocks(queue);
  const unsigned blocks = std::min(copying, blocks_for(args.part() * sizeof(Bfloat16), 16 * threads));
  const Beside& other = beside(queue);
  const Queue copies = other.fork(queue);
  launch_meeting(copies, args.rank, args.ranks);  // all rows are there
  multiply(queue, args, args.a[args.rank], args.c_of(args.rank), copying);
  for (std::size_t step = 1; step < args.ranks; ++step) {  // beginning with the next rank: each link has one reader
    const std::size_t peer = (args.rank + step) % args.ranks;
    const std::span chunk(gathered + (step - 1) * args.part(), args.part());
    if (copying == 0)
      copy(copies, chunk, args.a[peer]);
    else
      launch(copy_rows, blocks, threads, 0, copies, chunk.data(), args.a[peer].data(), args.part());
    other.join(copies, queue);
    const bool is_last = step + 1 == args.ranks;
    multiply(queue, args, chunk, args.c_of(peer), is_last ? 0 : copying);
  }
  launch_meeting(queue, args.rank, args.ranks);  // nobody reads this rank's rows any more
}

void prepare(const Queue& queue, const AllGatherMatmul::Args&) {
  beside(queue);
  preload(copy_rows);
  preload_product(queue, copying_blocks(queue));
}

std::size_t workspace(const Queue&, const AllGatherMatmul::Args& args) {
  return sizeof(Flags) + (args.ranks - 1) * args.part() * sizeof(Bfloat16);
}

Tuning tuning(int copying) { return {{{"copying", copying}}}; }

#endif

const Register<AllGatherMatmul> variant{{
    .idea = "the copy engine or a few blocks copy the next rank's rows while those that are there are multiplied",
    .bound_by = "the matrix units, less the multiprocessors that copy",
    .improves = "one_after_the_other",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .tunings = {tuning(0), tuning(4), tuning(8), tuning(16)},
    .workspace = workspace,
    .prepare = prepare,
    .launch = multiply_by_chunks,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
