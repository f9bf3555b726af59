// Features of NVIDIA's GPUs: those that the device and the code compiled for it both have.
#include "backends/gpu/nvidia_features.hpp"

#include <gtest/gtest.h>

#include "core/device.hpp"

namespace crosswarp {
namespace {

using Names = std::vector<std::string>;

constexpr gpu::Target sm_80{.capability = 80}, sm_90{.capability = 90}, sm_90a{.capability = 90, .has_wgmma = true};

DeviceInfo described(int major, int minor, const gpu::Target& code) {
  DeviceInfo info;
  info.name = "GPU";
  info.set_features(gpu::features_of(gpu::target_of_device(major, minor)), gpu::features_of(code));
  info.how_to_compile = gpu::how_to_compile_for(10 * major + minor);
  return info;
}

TEST(NvidiaFeatures, HoldWhereDeviceAndCodeHaveThem) {
  const Names hopper{"cooperative", "mma_sync", "cluster", "pdl", "tma", "wgmma"};
  EXPECT_EQ(described(9, 0, sm_90a).features, hopper);
  EXPECT_EQ(described(9, 0, sm_90a).not_compiled, Names{});

  EXPECT_EQ(described(9, 0, sm_90).features, (Names{"cooperative", "mma_sync", "cluster", "pdl", "tma"}));
  EXPECT_EQ(described(9, 0, sm_90).not_compiled, Names{"wgmma"});

  EXPECT_EQ(described(9, 0, sm_80).features, (Names{"cooperative", "mma_sync"}));
  EXPECT_EQ(described(9, 0, sm_80).not_compiled, (Names{"cluster", "pdl", "tma", "wgmma"}));
}

TEST(NvidiaFeatures, OfADeviceAreNotMoreThanItHas) {
  EXPECT_EQ(described(8, 0, sm_80).not_compiled, Names{});
  EXPECT_EQ(described(8, 0, sm_80).features, (Names{"cooperative", "mma_sync"}));
  // Later GPUs have what Hopper's sm_90 has, but not its wgmma.
  EXPECT_EQ(described(12, 0, sm_90).features, described(9, 0, sm_90).features);
  EXPECT_EQ(described(12, 0, sm_90).not_compiled, Names{});
}

TEST(NvidiaFeatures, ThatAreLackingSayWhoLacksThem) {
  EXPECT_EQ(described(9, 0, sm_80).lack_of("wgmma"),
            "needs wgmma, which this build's code for GPU lacks: configure with -DCMAKE_CUDA_ARCHITECTURES=90a-real");
  EXPECT_EQ(described(8, 0, sm_80).lack_of("wgmma"), "needs wgmma, which GPU () lacks");
}

TEST(NvidiaFeatures, AreAllThereWhereTheBuildIsForTheDevice) {
  EXPECT_EQ(gpu::how_to_compile_for(80), "configure with -DCMAKE_CUDA_ARCHITECTURES=80-real");
  EXPECT_EQ(gpu::how_to_compile_for(120), "configure with -DCMAKE_CUDA_ARCHITECTURES=120a-real");
  EXPECT_EQ(gpu::how_to_compile_for(75), "crosswarp needs compute capability 8.0 or later");
}

}  // namespace
}  // namespace crosswarp
