// 32 steps of eight chains between two branches, for each type that the language has. Bound by the arithmetic units;
// special functions by what the compiler makes of a division.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128, count = 8, unroll = 32;

using Type = PeakCompute::Type;

bool is_of_the_language(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return type == Type::f32 || type == Type::f64 || type == Type::i32 || type == Type::special;
}

void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  switch (args.type) {
    case Type::f64:
      return launch_chains<block, count, unroll, double>(queue, args, fused_step<double>(args));
    case Type::i32:
      return launch_chains<block, count, unroll, std::uint32_t>(queue, args, fused_step<std::uint32_t>(args));
    case Type::special:
      return launch_chains<block, count, 4, float>(queue, args, Reciprocal{static_cast<float>(args.b)});
    default:
      return launch_chains<block, count, unroll, float>(queue, args, fused_step<float>(args));
  }
}

const Register<PeakCompute> variant{{
    .idea = "32 steps of eight chains between two branches: bound by the arithmetic units",
    .improves = "fused",
    .applies = is_of_the_language,
    .launch = multiply_add,
    .instructions = {{"FFMA", 256}, {"DFMA", 256}, {"IMAD", 256}, {"MUFU.RCP", 8}},
}};

}  // namespace
}  // namespace crosswarp::gpu
