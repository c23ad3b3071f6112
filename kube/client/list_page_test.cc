#include "kube/client/list_page.h"

#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAreArray;

absl::StatusOr<ListPage> Parse(std::string text) {
  text.append(RawObject::kPadding, '\0');
  return ParseListPage(std::make_shared<const std::string>(std::move(text)));
}

struct PageCase {
  const char* name;
  const char* text;
  const char* resource_version;
  const char* continue_token;
  std::vector<std::string> items;
};

TEST(ListPageTest, Pages) {
  const std::vector<PageCase> rows = {
      {"empty", R"({"kind":"List","metadata":{"resourceVersion":"5"},"items":[]})", "5", "", {}},
      {"null items",
       R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":null})",
       "5",
       "",
       {}},
      {"metadata only",
       R"({"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"5"},"items":[{}]})",
       "5",
       "",
       {"{}"}},
      {"as kube-apiserver writes",
       R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"t\u002b"},)"
       R"("items":[{"a":1},{"b":[1,{"c":"}"}]}]})"
       "\n",
       "5",
       "t+",
       {R"({"a":1})", R"({"b":[1,{"c":"}"}]})"}},
      {"pretty, items first",
       "{\n \"items\": [\n  {\"a\": 1}\n  ,\n  {}\n ],\n"
       " \"metadata\": {\"remainingItemCount\": 3, \"resourceVersion\": \"5\"},\n"
       " \"kind\": \"PodList\"\n}\n",
       "5",
       "",
       {"{\"a\": 1}", "{}"}},
  };
  for (const PageCase& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<ListPage> page = Parse(row.text);
    ASSERT_OK(page);
    EXPECT_EQ(page->resource_version, row.resource_version);
    EXPECT_EQ(page->continue_token, row.continue_token);
    std::vector<std::string> items;
    for (const RawObject& item : page->items) items.emplace_back(item.json);
    EXPECT_THAT(items, ElementsAreArray(row.items));
  }
}

TEST(ListPageTest, WhatIsNoList) {
  const std::vector<const char*> rows = {
      "",
      "null",
      "[]",
      "{}",
      "<html>",
      R"({"kind":"PodList","metadata":{},"items":[]})",
      R"({"kind":"PodList","metadata":{"resourceVersion":5},"items":[]})",
      R"({"kind":"PodList","metadata":[],"items":[]})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":{}})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[1]})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{]})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"a":1})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"a":1]]})",
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{}]} {})",
  };
  for (const char* row : rows) {
    EXPECT_THAT(Parse(row), StatusIs(absl::StatusCode::kDataLoss)) << row;
  }
}

// R-000-87: a careless reader would take each of these bodies for an empty list.
TEST(ListPageTest, WhatProvesNothing) {
  const std::vector<const char*> rows = {
      R"({"kind":"PodList","metadata":{"resourceVersion":"5"}})",
      R"({"metadata":{"resourceVersion":"5"},"items":[]})",
      R"({"kind":"","metadata":{"resourceVersion":"5"},"items":[]})",
      R"({"kind":null,"metadata":{"resourceVersion":"5"},"items":[]})",
      R"({"kind":"Pod","metadata":{"resourceVersion":"5"},"items":[]})",
      R"({"kind":"Listing","metadata":{"resourceVersion":"5"},"items":null})",
      R"({"kind":"podlist","metadata":{"resourceVersion":"5"},"items":null})",
      R"({"kind":"Status","metadata":{"resourceVersion":"5"},"status":"Success"})",
      R"({"object":{"kind":"PodList","items":[]},"metadata":{"resourceVersion":"5"}})",
  };
  for (const char* row : rows) {
    EXPECT_THAT(Parse(row), StatusIs(absl::StatusCode::kDataLoss)) << row;
  }
}

TEST(ListPageTest, ItemsKeepTheBodyAlive) {
  RawObject item;
  {
    ASSERT_OK_AND_ASSIGN(
        const ListPage page,
        Parse(R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[{"a":1}]})"));
    item = page.items[0];
  }
  EXPECT_EQ(item.json, R"({"a":1})");
}

}  // namespace
}  // namespace steward::kube
