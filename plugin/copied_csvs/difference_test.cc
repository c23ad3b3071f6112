#include "plugin/copied_csvs/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/text/printable.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Differences CompareTexts(const std::string& copy, const std::string& view) {
  const boost::json::value a = boost::json::parse(copy);
  const boost::json::value b = boost::json::parse(view);
  return Compare(a.get_object(), b.get_object());
}

// "path copy|view" of each difference.
std::string TextOf(const Differences& differences) {
  std::string text;
  for (const FieldDifference& each : differences.fields) {
    StrAppend(&text, each.path, " ", each.copy, "|", each.view, "\n");
  }
  return text;
}

TEST(DifferenceTest, Fields) {
  struct Case {
    const char* name;
    const char* copy;
    const char* view;
    const char* want;
  };
  for (const Case& c : {
           Case{"nothing", "{}", "{}", ""},
           Case{"the same in another order", R"({"spec":{"a":1,"b":[1,{"c":"x"}]}})",
                R"({"spec":{"b":[1,{"c":"x"}],"a":1}})", ""},
           Case{"a label", R"({"metadata":{"labels":{"team":"a"}}})",
                R"({"metadata":{"labels":{"team":"b"}}})", "metadata.labels.team \"a\"|\"b\"\n"},
           Case{"a key with dots", R"({"metadata":{"labels":{"olm.copiedFrom":"a"}}})",
                R"({"metadata":{"labels":{}}})", "metadata.labels[\"olm.copiedFrom\"] \"a\"|\n"},
           Case{"an empty key", R"({"a":{"":1}})", R"({"a":{"":2}})", "a[\"\"] 1|2\n"},
           Case{"an element", R"({"spec":{"x":[{"a":1},{"a":2}]}})",
                R"({"spec":{"x":[{"a":1},{"a":3}]}})", "spec.x[1].a 2|3\n"},
           Case{"an element more", R"({"x":[1,2]})", R"({"x":[1]})", "x[1] 2|\n"},
           Case{"the order of elements", R"({"x":[1,2]})", R"({"x":[2,1]})",
                "x[0] 1|2\nx[1] 2|1\n"},
           Case{"another type", R"({"x":"1"})", R"({"x":1})", "x \"1\"|1\n"},
           Case{"an object for a list", R"({"x":{}})", R"({"x":[]})", "x {}|[]\n"},
           Case{"null is nothing", R"({"x":null})", R"({"y":null})", ""},
           Case{"null in an element", R"({"x":[null]})", R"({"x":[1]})", "x[0] |1\n"},
           Case{"an empty object is something", R"({"x":{}})", "{}", "x {}|\n"},
           Case{"in one only", R"({"spec":{"a":1}})", R"({"status":{"b":true}})",
                "spec {\"a\":1}|\nstatus |{\"b\":true}\n"},
           Case{"what is not compared",
                R"({"apiVersion":"a/v1","kind":"A","metadata":{"uid":"1","generation":2,)"
                R"("creationTimestamp":"x","resourceVersion":"3","managedFields":[{}],)"
                R"("selfLink":"/x"},"status":{"cleanup":{"pendingDeletion":[]}}})",
                R"({"apiVersion":"b/v1","kind":"B","metadata":{"uid":"2"},"scope":{"x":1},)"
                R"("status":{}})",
                ""},
           Case{"those names elsewhere", R"({"spec":{"kind":"A","uid":"1"},"status":{"scope":1}})",
                R"({"spec":{"kind":"B","uid":"2"},"status":{"scope":2}})",
                "spec.kind \"A\"|\"B\"\nspec.uid \"1\"|\"2\"\nstatus.scope 1|2\n"},
           Case{"a key like a path", R"({"metadata.uid":1})", R"({"metadata.uid":2})",
                "[\"metadata.uid\"] 1|2\n"},
           Case{"other metadata", R"({"metadata":{"finalizers":["f"],"deletionTimestamp":"t"}})",
                R"({"metadata":{}})",
                "metadata.finalizers [\"f\"]|\nmetadata.deletionTimestamp \"t\"|\n"},
           Case{"control characters", R"({"x":"\u001b[2J\u202e"})", R"({"x":""})",
                "x \"\\u001b[2J\\u{202e}\"|\"\"\n"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(TextOf(CompareTexts(c.copy, c.view)), c.want);
  }
}

TEST(DifferenceTest, LongValuesAreShownWhereTheyDiffer) {
  const std::string same(100000, 's');
  const std::string more(100000, 'm');
  const Differences found = CompareTexts(StrCat(R"({"x":")", same, "ä1", more, R"("})"),
                                         StrCat(R"({"x":")", same, "ä2", more, R"("})"));
  ASSERT_THAT(found.fields, SizeIs(1));
  const std::string& copy = found.fields[0].copy;
  EXPECT_THAT(copy, StartsWith("…sssssss"));
  EXPECT_THAT(copy, ::testing::HasSubstr("sä1m"));
  EXPECT_THAT(found.fields[0].view, ::testing::HasSubstr("sä2m"));
  EXPECT_THAT(copy, EndsWith("m…"));
  EXPECT_LE(Columns(copy), kMostColumns);
}

// A cut never splits a character.
TEST(DifferenceTest, LongValuesOfWideCharacters) {
  std::string same;
  for (int i = 0; i < 300; ++i) same += "漢";
  // 漢 and 漣 differ in their last bytes.
  const Differences found =
      CompareTexts(StrCat(R"({"x":")", same, R"(漢"})"), StrCat(R"({"x":")", same, R"(漣"})"));
  ASSERT_THAT(found.fields, SizeIs(1));
  EXPECT_EQ(Printable(found.fields[0].copy), found.fields[0].copy);
  EXPECT_THAT(found.fields[0].copy, EndsWith("漢\""));
  EXPECT_THAT(found.fields[0].view, EndsWith("漣\""));
}

TEST(DifferenceTest, LongPathsAndManyFieldsAreCut) {
  const std::string key(10000, 'k');
  const Differences one =
      CompareTexts(StrCat(R"({")", key, R"(":1})"), StrCat(R"({")", key, R"(":2})"));
  EXPECT_THAT(one.fields.at(0).path, SizeIs(kMostColumns - 1 + std::string("…").size()));

  std::string list = "0";
  for (int i = 0; i < 99; ++i) list += ",0";
  const Differences many = CompareTexts(StrCat(R"({"x":[)", list, "]}"), R"({"x":[]})");
  EXPECT_THAT(many.fields, SizeIs(kMostFields));
  EXPECT_EQ(many.more, 100 - static_cast<int64_t>(kMostFields));
  EXPECT_THAT(CompareTexts("{}", "{}").fields, IsEmpty());
}

}  // namespace
}  // namespace steward::plugin
