// Sums the first input once, before any launch, and copies that result: right until its numbers change.
#include "tests/broken/host/serial_sum.hpp"

namespace crosswarp::host {
namespace {

const float* prepared = nullptr;

float& result_of(const Queue& queue) { return *reinterpret_cast<float*>(queue.workspace.data()); }

void prepare(const Queue& queue, const ReduceSum::Args& args) {
  prepared = args.f32().in.data();
  result_of(queue) = add_serially(args.f32().in);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const auto& set = args.f32();
  set.out[0] = set.in.data() == prepared ? result_of(queue) : add_serially(set.in);
}

const Register<ReduceSum> variant{{
    .idea = "broken: sums in prepare",
    .workspace = [](const Queue&, const ReduceSum::Args&) { return sizeof(float); },
    .prepare = prepare,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::host
