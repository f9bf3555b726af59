// What handwritten kernels are written against: launches, warps and lane masks, without a vendor's name. The same file
// is compiled for every platform; its kernels, and the device functions that it shares with others, stand in anonymous
// namespaces, so that these compilations do not meet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/gpu/features.hpp"
#include "core/error.hpp"
#include "core/variant.hpp"
#include "platform/kernel.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Registers the variant that stands in this file. Where the platform cannot express what it needs, it is registered as
/// not expressible, with that reason; its file leaves out `launch` there.
template <class E>
class Register : crosswarp::Register<E, Queue> {
 public:
  Register(Variant<E, Queue> variant, const char* file = __builtin_FILE())
      : crosswarp::Register<E, Queue>(resolved(std::move(variant)), file) {}

 private:
  /// Leaves in `needs` what a device may lack, and says in `not_expressible` what the platform lacks.
  static Variant<E, Queue> resolved(Variant<E, Queue> variant) {
    std::erase_if(variant.needs, [&](std::string_view need) {
      const auto feature = std::ranges::find(features, need, &Feature::name);
      if (feature == features.end()) throw Error("backends/gpu/features.hpp knows no '" + std::string(need) + "'");
      if (!feature->expressible && variant.not_expressible.empty())
        variant.not_expressible = "needs " + std::string(need) + ", " + std::string(feature->what);
      return !feature->of_device;
    });
    return variant;
  }
};

/// Blocks of `per_block` that cover n, and at least one: an empty grid is no launch.
constexpr unsigned blocks_for(std::size_t n, std::size_t per_block) {
  return static_cast<unsigned>(std::max<std::size_t>(1, (n + per_block - 1) / per_block));
}

/// The queue with programmatic dependent launch on, if its tuning `pdl` asks for it and the device has it.
inline Queue pdl_by_tuning(Queue queue) {
  queue.pdl = queue.tuning["pdl"] != 0 && queue.device.has("programmatic");
  return queue;
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
