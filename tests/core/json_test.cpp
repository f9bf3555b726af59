// JSON from files: errors with their place.
#include "core/json.hpp"

#include <gtest/gtest.h>

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

TEST(ParseJson, SaysWhereItIsWrong) {
  EXPECT_EQ(parse_json("{\"a\": [1, 2]}").at("a").size(), 2u);
  const auto refused = [](const std::string& text, const std::string& says) {
    return refuses([&] { parse_json(text); }, says);
  };
  EXPECT_TRUE(refused("x", "not JSON (line 1, column 1)"));
  EXPECT_TRUE(refused("{\"a\": 1,\n \"b\": x}", "not JSON (line 2, column 7)"));
  EXPECT_TRUE(refused("[1]\n\n]", "not JSON (line 3, column 1)"));
  EXPECT_TRUE(refused("[NaN]", "not JSON (line 1, column 2)"));
  EXPECT_TRUE(refused("\"\xff\"", "not JSON (line 1, column 2)"));
  EXPECT_TRUE(refused("[1,\n2", "JSON that is cut off (line 2, column 2)"));
  EXPECT_TRUE(refused("", "empty"));
  EXPECT_TRUE(refused(" \n", "empty"));
  EXPECT_TRUE(refused("[1e999]", "number overflow"));
  EXPECT_TRUE(refuses([] { parse_json("}", 12); }, "not JSON (line 12, column 1)"));
}

TEST(ParseJson, LeavesTheLibrarysPrefixOut) {
  try {
    (void)parse_json("{}").at("context");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(plain(error), "key 'context' not found");
  }
  EXPECT_EQ(plain(Error("[x] y")), "[x] y");
}

}  // namespace
}  // namespace crosswarp
