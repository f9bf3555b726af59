#include "core/kernel_name.hpp"

#include <gtest/gtest.h>

namespace crosswarp {
namespace {

TEST(KernelName, IsThatOfTheSourceWithoutWhatEveryKernelHas) {
  EXPECT_EQ(kernel_name("_ZN9crosswarp3gpu4cuda8matmul_x37_GLOBAL__N__c8963765_5_kn_cu_d5e09a4c4gemmILb1ELj64ENS2_"
                        "1PEEEvS5_T1_"),
            "matmul_x::gemm<true, 64u, matmul_x::P>");
  EXPECT_EQ(kernel_name("_ZN9crosswarp3gpu4cuda8matmul_x5plainENS2_1PE"), "matmul_x::plain");
  EXPECT_EQ(kernel_name("no symbol (of C++)"), "no symbol (of C++)");
}

}  // namespace
}  // namespace crosswarp
