#include "apiserver/stored/json_path.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::stored {
namespace {

constexpr char kObject[] = R"json({
  "metadata": {"name": "w", "labels": {"example.com/tier": "gold", "a.b": "dotted"}},
  "spec": {"size": 3, "ratio": 0.5, "on": false, "nothing": null, "list": [1, 2, 3],
           "nested": [[10, 11], [20]]},
  "status": {"conditions": [
    {"type": "Synced", "status": "False", "code": 1},
    {"status": "odd"},
    {"type": "Ready", "status": "True", "code": 2, "last": [{"x": "deep"}]},
    "not an object"]}
})json";

TEST(JsonPathTest, FindsTheFirstValue) {
  const struct {
    std::string path, want;  // "" = nothing
  } kRows[] = {
      {".metadata.name", R"("w")"},
      {"$.metadata.name", R"("w")"},
      {".spec.size", "3"},
      {".spec.ratio", "5E-1"},
      {".spec.on", "false"},
      {".spec.nothing", "null"},
      {".spec.nothing.more", ""},
      {".spec.absent", ""},
      {".spec.size.more", ""},
      {".spec.list", "[1,2,3]"},
      {".spec.list[0]", "1"},
      {".spec.list[-1]", "3"},
      {".spec.list[3]", ""},
      {".spec.list[-4]", ""},
      {".spec[0]", ""},
      {".spec.list.size", ""},
      {".spec.list[*]", "1"},
      {".spec.nested[*][1]", "11"},
      {".spec.nested[1][*]", "20"},
      {".metadata.labels.*", R"("gold")"},
      {R"(.metadata.labels.a\.b)", R"("dotted")"},
      {R"(.metadata.labels.example\.com/tier)", R"("gold")"},
      {".metadata.labels['a.b']", R"("dotted")"},
      {R"(.metadata.labels['a\.b'])", R"("dotted")"},
      {R"(.metadata.labels["example.com/tier"])", R"("gold")"},
      {R"(.status.conditions[?(@.type=="Ready")].status)", R"("True")"},
      {R"(.status.conditions[?(@.type == 'Ready')].status)", R"("True")"},
      {R"(.status.conditions[?( @['type']=='Ready' )].last[0].x)", R"("deep")"},
      {R"(.status.conditions[?(@.type!="Synced")].status)", R"("True")"},
      {R"(.status.conditions[?(@.code==2)].type)", R"("Ready")"},
      {R"(.status.conditions[?(@.code==2.0)].type)", R"("Ready")"},
      {R"(.status.conditions[?(@.last)].type)", R"("Ready")"},
      {R"(.status.conditions[?(@.type=="Gone")].status)", ""},
      {R"(.status.conditions[?(@.code=="2")].type)", ""},
      {R"(.status[?(@.type=="Ready")].status)", ""},
      {R"(.spec.list[?(@==2)])", "2"},
      {".status.conditions[*].last[*].x", R"("deep")"},
  };
  const boost::json::value root = *ParseJson(kObject);
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.path);
    const auto path = JsonPath::Parse(row.path);
    ASSERT_OK(path);
    const boost::json::value* found = path->FindFirst(root);
    if (row.want.empty()) {
      EXPECT_EQ(found, nullptr);
    } else {
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(*found, *ParseJson(row.want));
    }
  }
}

TEST(JsonPathTest, RefusesWhatItDoesNotKnow) {
  for (const char* path : {"",
                           "$",
                           "spec.size",
                           ".",
                           "..name",
                           ".a..b",
                           ".a.",
                           ".a b",
                           ".a[",
                           ".a[]",
                           ".a[0",
                           ".a[0:2]",
                           ".a[0,1]",
                           ".a['b]",
                           ".a[\"b']",
                           ".a[x]",
                           ".a]",
                           ".a[?(",
                           ".a[?(@.b==\"c\")",
                           ".a[?(@.b==)]",
                           ".a[?(@.b==null)]",
                           ".a[?(.b)]",
                           ".a[?(@.b<3)]",
                           ".a[?(@.b=='c)]",
                           ".a[?(@[?(@.b)])]",
                           "{.a}",
                           ".a[99999999999999999999]"}) {
    EXPECT_THAT(JsonPath::Parse(path), StatusIs(absl::StatusCode::kInvalidArgument)) << path;
  }
  EXPECT_OK(JsonPath::Parse("." + std::string(JsonPath::kMaxLength - 1, 'a')));
  EXPECT_FALSE(JsonPath::Parse("." + std::string(JsonPath::kMaxLength, 'a')).ok());
}

}  // namespace
}  // namespace steward::stored
