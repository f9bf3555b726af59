// The API of handwritten kernels: launches, warps and lane masks without a vendor's name. Each file is compiled for
// every platform; kernels and shared device functions stand in anonymous namespaces, which keeps these compilations
// apart.
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

/// Registers this file's variant: as not expressible, with the reason, where the platform lacks one of its `needs`. The
/// file leaves out `launch` there.
template <class E>
class Register : crosswarp::Register<E, Queue> {
 public:
  Register(Variant<E, Queue> variant, const char* file = __builtin_FILE())
      : crosswarp::Register<E, Queue>(resolved(std::move(variant)), file) {}

 private:
  /// Keeps in `needs` the features that a device may lack; puts those that the platform lacks into `not_expressible`.
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

/// Blocks of `per_block` elements that cover n; at least one, since a grid must not be empty.
constexpr unsigned blocks_for(std::size_t n, std::size_t per_block) {
  return static_cast<unsigned>(std::max<std::size_t>(1, (n + per_block - 1) / per_block));
}

/// The queue, with programmatic dependent launch (PDL) where its tuning `pdl` is set and the device supports it.
inline Queue pdl_by_tuning(Queue queue) {
  queue.pdl = queue.tuning["pdl"] != 0 && queue.device.has("pdl");
  return queue;
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
