// Suggestions for mistyped names.
#include "core/names.hpp"

#include <gtest/gtest.h>

namespace crosswarp {
namespace {

TEST(DidYouMean, SuggestsTheNearest) {
  EXPECT_EQ(did_you_mean("cudda", {"cuda", "host", "kokkos"}),
            "unknown; did you mean 'cuda'? (there are: cuda, host, kokkos)");
  EXPECT_EQ(did_you_mean("reduce_sun", {"row_sum", "reduce_sum", "reduce"}),
            "unknown; did you mean 'reduce_sum'? (there are: row_sum, reduce_sum, reduce)");
}

TEST(DidYouMean, CountsInsertionsDeletionsAndSubstitutions) {
  for (const char* typed : {"float4x", "loat4", "floatt4", "float", "flout4"})
    EXPECT_NE(did_you_mean(typed, {"float4", "last_block"}).find("did you mean 'float4'?"), std::string::npos) << typed;
}

TEST(DidYouMean, TakesTwoLettersSwappedForOneMistake) {
  EXPECT_EQ(did_you_mean("f23", {"f32", "f64"}), "unknown; did you mean 'f32'? (there are: f32, f64)");
}

TEST(DidYouMean, SuggestsNothingThatIsFarOff) {
  EXPECT_EQ(did_you_mean("xyz", {"cuda", "host"}), "unknown; there are: cuda, host");
  EXPECT_EQ(did_you_mean("", {"cuda", "host"}), "unknown; there are: cuda, host");
}

TEST(DidYouMean, SaysSoWhereThereAreNoNames) { EXPECT_EQ(did_you_mean("cuda", {}), "unknown; there are none"); }

TEST(DidYouMean, DoesNotListAHundredNamesBesideASuggestion) {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("variant_" + std::to_string(i));
  EXPECT_EQ(did_you_mean("variant_4x2", many), "unknown; did you mean 'variant_42'?");
  EXPECT_EQ(did_you_mean("cub", many),
            "unknown; the nearest of 100: variant_0, variant_1, variant_2, variant_3, variant_4");
}

}  // namespace
}  // namespace crosswarp
