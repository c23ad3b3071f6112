#include "kube/meta/resource_version.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::HasSubstr;

TEST(ResourceVersionTest, Form) {
  const struct {
    std::string text;
    bool number, parameter;
    std::optional<std::string> canonical = std::nullopt;  // absent: the same text
  } rows[] = {
      {"", false, true},
      {"0", false, true},
      {"1", true, true},
      {"10", true, true},
      {"18446744073709551616", true, true},
      {std::string(38, '9'), true, true},
      {std::string(39, '9'), false, false},
      {"00", false, true, ""},
      {"01", false, true, "1"},
      {"0123", false, true, "123"},
      {std::string(39, '0') + "7", false, true, "7"},
      {"0" + std::string(39, '9'), false, false},
      {"0x", false, false},
      {"0-1", false, false},
      {"-1", false, false},
      {"+1", false, false},
      {"1.0", false, false},
      {"1e3", false, false},
      {" 1", false, false},
      {"1 ", false, false},
      {"abc", false, false},
      {"0x1", false, false},
      {"\xd9\xa1", false, false},  // an Arabic digit
      {std::string("1\0", 2), false, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(IsResourceVersion(row.text), row.number);
    const absl::StatusOr<std::string> parameter = ParseResourceVersionParameter(row.text);
    ASSERT_EQ(parameter.ok(), row.parameter);
    if (!row.parameter) continue;
    EXPECT_EQ(*parameter, row.canonical.value_or(row.text));
  }
  EXPECT_THAT(
      ParseResourceVersionParameter("a\"b"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr(R"(invalid resource version: resourceVersion: Invalid value: "a\"b")")));
}

TEST(ResourceVersionTest, NumericOrder) {
  const std::vector<std::string> ascending = {"",
                                              "0",
                                              "1",
                                              "9",
                                              "10",
                                              "99",
                                              "100",
                                              "18446744073709551615",
                                              "18446744073709551616",
                                              std::string(40, '1')};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(CompareResourceVersions(ascending[i], ascending[j]), i <=> j)
          << ascending[i] << " " << ascending[j];
    }
  }
}

PackedVersion Version(uint64_t clock, uint32_t sub, int mark, std::optional<uint64_t> first,
                      std::optional<uint64_t> second, std::optional<uint64_t> third) {
  return {clock, sub, mark, {first, second, third}};
}

TEST(PackedVersionTest, Layout) {
  const struct {
    const char* name;
    PackedVersion version;
    const char* text;
  } rows[] = {
      {"all at the clock", Version(1234, 0, 9, 1234, 1234, 1234), "1234009999999999999999999999"},
      {"some behind", Version(1234, 5, 9, 1234, 1200, 1), "1234059999999999999659998766"},
      {"inside a burst", Version(1234, 0, 2, 1234, 1234, 1234), "1234002999999999999999999999"},
      {"too far back", Version(99999999, 7, 9, 1, std::nullopt, 90000001),
       "99999999079000000000000000000001"},
      {"one source", Version(1234, 5, 9, 1200, std::nullopt, std::nullopt),
       "1234059999996500000000000000"},
      {"edge of the window", Version(10000000, 0, 9, 2, 1, 10000000),
       "10000000009000000100000009999999"},
      {"smallest clock", Version(1, 0, 9, 1, 1, 1), "1009999999999999999999999"},
      {"largest clock", Version(999999999999, 99, 9, 999999999999, 999999999999, 999999999999),
       "999999999999999999999999999999999999"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Pack(row.version), row.text);
    EXPECT_TRUE(IsResourceVersion(row.text));
  }
}

TEST(PackedVersionTest, ComponentsTooFarBackReadAsAbsent) {
  // 9,999,999 behind the clock is stored as 0.
  const PackedVersion version = Version(20'000'000, 0, 9, 10'000'001, 10'000'002, 20'000'000);
  ASSERT_OK_AND_ASSIGN(const PackedVersion back, Unpack(Pack(version)));
  EXPECT_EQ(back, Version(20'000'000, 0, 9, std::nullopt, 10'000'002, 20'000'000));
}

TEST(PackedVersionTest, RefusesForeignNumbers) {
  for (const char* text : {
           "",
           "0",
           "1",
           "12345",
           "18446744073709551615",
           "009999999999999999999999",               // no clock
           "0009999999999999999999999",              // leading zero
           "1000000000000009999999999999999999999",  // clock of 13 digits
           "5009000000199999999999999",              // a component 9,999,998 behind clock 5
           "12a4009999999999999999999999",
       }) {
    EXPECT_THAT(Unpack(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not one of this API")))
        << text;
  }
}

TEST(PackedVersionTest, ComponentZeroReadsAsAbsent) {
  ASSERT_OK_AND_ASSIGN(const PackedVersion version, Unpack(Pack(Version(5, 0, 9, 0, 5, 4))));
  EXPECT_EQ(version, Version(5, 0, 9, std::nullopt, 5, 4));
}

PackedVersion RandomVersion(std::mt19937_64& random) {
  const uint64_t clock = 1 + random() % (random() % 2 ? 1000 : 999'999'999'999);
  const auto component = [&]() -> std::optional<uint64_t> {
    if (random() % 8 == 0) return std::nullopt;
    const uint64_t back = random() % std::min<uint64_t>(clock, 9'999'999);
    return clock - back;
  };
  return Version(clock, random() % 100, static_cast<int>(random() % 10), component(), component(),
                 component());
}

TEST(PackedVersionTest, RoundTrip) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const PackedVersion version = RandomVersion(random);
    const std::string text = Pack(version);
    ASSERT_TRUE(IsResourceVersion(text)) << text;
    ASSERT_LE(text.size(), 36u);  // < 10^36 < 2^128
    ASSERT_OK_AND_ASSIGN(const PackedVersion back, Unpack(text));
    ASSERT_EQ(back, version) << text;
  }
}

TEST(PackedVersionTest, ProgressMakesTheNumberLarger) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const PackedVersion before = RandomVersion(random);
    PackedVersion after = before;
    std::optional<uint64_t>& component = after.components[random() % after.components.size()];
    switch (random() % 4) {
      case 0:
        if (component >= after.clock) continue;
        component =
            component.value_or(after.clock - std::min<uint64_t>(after.clock, 9'999'999)) + 1;
        break;
      case 1:
        if (after.sub == 99) continue;
        ++after.sub;
        break;
      case 2:
        if (after.clock > 900'000'000'000) continue;
        after.clock += 1 + random() % 100'000;
        after.sub = 0;
        break;
      case 3:
        if (after.mark == PackedVersion::kComplete) continue;
        after.mark = PackedVersion::kComplete;
        break;
    }
    ASSERT_EQ(CompareResourceVersions(Pack(before), Pack(after)), std::strong_ordering::less)
        << Pack(before) << " " << Pack(after);
  }
}

// If JavaScript's parseInt reads the numbers, they keep the order of clock, sub and mark.
TEST(PackedVersionTest, ADoubleTellsChangesApart) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    PackedVersion before = RandomVersion(random);
    if (before.sub == 99) continue;
    PackedVersion after = before;
    if (random() % 2) {
      ++after.sub;
    } else if (before.mark < PackedVersion::kComplete) {
      after.mark = PackedVersion::kComplete;
    } else {
      continue;
    }
    ASSERT_LT(std::strtod(Pack(before).c_str(), nullptr), std::strtod(Pack(after).c_str(), nullptr))
        << Pack(before) << " " << Pack(after);
  }
}

}  // namespace
}  // namespace steward::kube
