// The library: ncclAllReduce as most call it, without registered windows, NVLink multicast off. The yardstick.
#include "backends/cuda/all_reduce/peers.hpp"
#if CROSSWARP_HAS_NCCL
#include "backends/cuda/nccl.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_NCCL

template <class T>
constexpr ncclDataType_t type_of = std::same_as<T, float>  ? ncclFloat32
                                   : std::same_as<T, Half> ? ncclFloat16
                                                           : ncclBfloat16;

/// The calls for all ranks are one group, which the last one ends: one thread calls them all.
void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  std::visit(
      [&]<class T>(const AllReduce::Typed<T>& a) {
        if (a.rank == 0) check(nccl().group_start(), "ncclGroupStart");
        check(nccl().all_reduce(a.in[a.rank].data(), a.out[a.rank].data(), a.size(), type_of<T>, ncclSum,
                                nccl_communicator(a.rank, a.ranks), queue.stream),
              "ncclAllReduce");
        if (a.rank == a.ranks - 1) check(nccl().group_end(), "ncclGroupEnd");
      },
      args.typed);
}

void prepare(const Queue&, const AllReduce::Args& args) {
  std::visit([](const auto& a) { make_nccl_communicator(a.rank, a.ranks); }, args.typed);
}

#endif

const Register<AllReduce> variant{{
    .idea = "NCCL: ncclAllReduce, arrays not registered",
    .bound_by = "the link",
    .not_expressible = needs_nccl,
    .library = true,
#if CROSSWARP_HAS_NCCL
    .prepare = prepare,
    .missing = why_no_nccl,
    .launch = all_reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
