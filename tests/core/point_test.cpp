// Parser of axis values; points and their names.
#include "core/point.hpp"

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using Integers = std::vector<std::int64_t>;

const Axis n{.name = "n", .meaning = "elements", .bench = {}};
const Axis type{.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32", "f64", "bf16"}};

std::int64_t integer(std::string_view text) { return std::get<std::int64_t>(parse_value(n, text)); }

Integers integers(const Axis& axis, std::string_view text) {
  Integers all;
  for (const Value& v : parse_values(axis, text)) all.push_back(std::get<std::int64_t>(v));
  return all;
}

TEST(ParseValue, ComputesProductsPowersAndOffsets) {
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("4096"), 4096);
  EXPECT_EQ(integer("2^20"), 1 << 20);
  EXPECT_EQ(integer("1024*65535"), 1024 * 65535);
  EXPECT_EQ(integer("2^20-1"), (1 << 20) - 1);
  EXPECT_EQ(integer("3*2^10+2*5"), 3082);
  EXPECT_EQ(integer("7^0"), 1);
  EXPECT_EQ(integer("1^999"), 1);
  EXPECT_EQ(integer("0^5"), 0);
}

TEST(ParseValue, ReachesTheLargestIntegerAndNoFurther) {
  EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer("2^62"), std::int64_t{1} << 62);
  for (const char* text :
       {"9223372036854775808", "2^63", "3^40", "2^62*2", "2^62+2^62", "10^99", "99999999999999999999"})
    EXPECT_TRUE(refuses([&] { parse_value(n, text); }, "does not fit in 64 bits")) << text;
}

TEST(ParseValue, RefusesWhatIsNoNumber) {
  for (const char* text : {"lots", "-4", "+5", "2^", "^2", "2**3", "2*", "2^3^2", "2^-1", "1e6", "0x10", " 8", "8 ",
                           "4k", "1.5", "9-1-1", "1:8", "٣"})
    EXPECT_TRUE(refuses([&] { parse_value(n, text); }, std::string("--n ") + text + ": not a number")) << text;
  EXPECT_TRUE(refuses([&] { parse_value(n, ""); }, "--n '': a value is missing"));
}

TEST(ParseValue, RefusesInOneLineWhateverWasTyped) {
  EXPECT_TRUE(refuses([&] { parse_value(n, "1\n2"); }, "not a number"));
  EXPECT_TRUE(refuses([&] { parse_value(type, "f\n32"); }, "f32"));
}

TEST(ParseValue, HoldsIntegersToTheRangeOfTheAxis) {
  const Axis narrow{.name = "m", .meaning = "rows", .bench = {}, .least = 2, .most = 8};
  EXPECT_EQ(parse_value(narrow, "2"), Value(std::int64_t{2}));
  EXPECT_EQ(parse_value(narrow, "2^3"), Value(std::int64_t{8}));
  EXPECT_TRUE(refuses([&] { parse_value(narrow, "1"); }, "--m 1: 1 is outside 2 … 8"));
  EXPECT_TRUE(refuses([&] { parse_value(narrow, "2^3+1"); }, "9 is outside 2 … 8"));
  EXPECT_TRUE(refuses([&] { parse_value(n, "1-2"); }, "-1 is outside 0"));
  EXPECT_TRUE(refuses([&] { parse_values(narrow, "4:16"); }, "16 is outside 2 … 8"));
}

TEST(ParseValue, KnowsWordsByName) {
  EXPECT_EQ(parse_value(type, "bf16"), Value("bf16"));
  EXPECT_TRUE(refuses([&] { parse_value(type, "f31"); }, "--type f31: unknown; did you mean 'f32'?"));
  EXPECT_TRUE(refuses([&] { parse_value(type, "F32:"); }, "--type F32:"));
}

TEST(ParseValues, ExpandsRanges) {
  EXPECT_EQ(integers(n, "1:8"), (Integers{1, 2, 4, 8}));
  EXPECT_EQ(integers(n, "1:7"), (Integers{1, 2, 4}));
  EXPECT_EQ(integers(n, "5:5"), (Integers{5}));
  EXPECT_EQ(integers(n, "2^10:2^20:x32"), (Integers{1 << 10, 1 << 15, 1 << 20}));
  EXPECT_EQ(integers(n, "0:25:+10"), (Integers{0, 10, 20}));
}

TEST(ParseValues, EndsARangeWhereTheNextValueWouldOverflow) {
  EXPECT_EQ(integers(n, "1:2^62").size(), 63u);
  EXPECT_EQ(integers(n, "2^62:9223372036854775807:x3"), (Integers{std::int64_t{1} << 62}));
  EXPECT_EQ(integers(n, "9223372036854775800:9223372036854775807:+5").size(), 2u);
}

TEST(ParseValues, RefusesRangesThatNeverEnd) {
  for (const char* text : {"1:8:x1", "1:8:x0", "1:8:+0", "0:8", "0:8:x2"})
    EXPECT_TRUE(refuses([&] { parse_values(n, text); }, "never ends")) << text;
}

TEST(ParseValues, RefusesRangesThatAreNone) {
  EXPECT_TRUE(refuses([&] { parse_values(n, "8:1"); }, "ends before it starts"));
  for (const char* text : {"1:8:2", "1:8:x", "1:8:", "1:8:-1", "1:8:x2:3", ":8", "1:", "1:8:x2-1"})
    EXPECT_TRUE(refuses([&] { parse_values(n, text); }, std::string("--n ") + text + ": ")) << text;
}

TEST(ParseValues, LimitsTheLengthOfARange) {
  EXPECT_EQ(integers(n, "1:4096:+1").size(), 4096u);
  EXPECT_TRUE(refuses([&] { parse_values(n, "1:4097:+1"); }, "more than 4096 values"));
  EXPECT_TRUE(refuses([&] { parse_values(n, "0:2^62:+1"); }, "more than 4096 values"));
}

TEST(ParseValues, SortsListsAndDropsRepetitions) {
  EXPECT_EQ(integers(n, "100,8:32,16,9"), (Integers{8, 9, 16, 32, 100}));
  EXPECT_EQ(parse_values(type, "f64,f32,f64"), (std::vector<Value>{"f32", "f64"}));
  for (const char* text : {"", ",", "1,", ",1", "1,,2"})
    EXPECT_TRUE(refuses([&] { parse_values(n, text); }, "a value is missing")) << text;
}

TEST(Point, IsNamedByWhatDoesNotGoWithoutSaying) {
  const Point point = Point().set("n", std::int64_t{1024}).set("offset", std::int64_t{0}, true).set("type", "f32");
  EXPECT_EQ(point.name(), "n:1024/type:f32");
  EXPECT_EQ(point.integer("offset"), 0);
  EXPECT_EQ(point.word("type"), "f32");
  EXPECT_EQ(Point().name(), "");
}

TEST(Point, RefusesAnAxisThatItLacksOrThatIsOfTheOtherKind) {
  const Point point = Point().set("n", std::int64_t{8}).set("type", "f32");
  EXPECT_TRUE(refuses([&] { (void)point.integer("m"); }, "point n:8/type:f32 has no axis 'm'"));
  EXPECT_TRUE(refuses([&] { (void)point.integer("type"); }, "'type' of point n:8/type:f32 is not an integer"));
  EXPECT_TRUE(refuses([&] { (void)point.word("n"); }, "'n' of point n:8/type:f32 is not a word"));
}

TEST(Point, IsOrderedByNumbersNotByDigits) {
  EXPECT_LT(Point().set("n", std::int64_t{256}), Point().set("n", std::int64_t{1024}));
}

TEST(Product, RunsThroughTheLastAxisFastest) {
  const Axis offset{.name = "offset", .meaning = "elements", .bench = {}, .implied = std::int64_t{0}};
  const auto points = product({n, offset}, {{std::int64_t{1}, std::int64_t{2}}, {std::int64_t{0}, std::int64_t{3}}});
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].name(), "n:1");
  EXPECT_EQ(points[1].name(), "n:1/offset:3");
  EXPECT_EQ(points[2].name(), "n:2");
  EXPECT_EQ(points[3].name(), "n:2/offset:3");
  EXPECT_TRUE(product({n}, {{}}).empty());
}

}  // namespace
}  // namespace crosswarp
