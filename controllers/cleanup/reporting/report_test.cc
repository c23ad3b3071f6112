#include "controllers/cleanup/reporting/report.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/str_cat.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {
namespace {

TEST(DescribeTest, ObjectsInNamespacesAreCountedNotNamed) {
  struct Row {
    std::vector<std::string> objects;
    std::string want;
  } const rows[] = {
      {{}, "SharedOwner: why"},
      {{"widgets.example.com"}, "SharedOwner: why (widgets.example.com)"},
      {{"tenant/secret-operator.v1"}, "SharedOwner: why (1 object in a namespace)"},
      {{"a/x", "b/y"}, "SharedOwner: why (2 objects in namespaces)"},
      {{"a/x", "b/y", "c"}, "SharedOwner: why (c, and 2 objects in namespaces)"},
  };
  for (const Row& row : rows) {
    const std::vector<olm::CleanupBlocker> blockers = {
        {olm::CleanupReason::kSharedOwner, "why", row.objects}};
    EXPECT_EQ(Describe(blockers), row.want);
  }
  std::vector<std::string> many;
  for (int i = 0; i < 12; ++i) many.push_back(StrCat("crd-", 10 + i));
  const std::string text = Describe({{olm::CleanupReason::kSharedOwner, "why", many}});
  EXPECT_TRUE(text.ends_with("crd-19, and 2 more)")) << text;
}

TEST(DescribeTest, DefinitionsAreNoCustomResourcesThatAreLeft) {
  OperandListing listing;
  EXPECT_EQ(DescribeLeft(listing), "");
  listing.terminating_crds = {"widgets.example.com"};
  EXPECT_EQ(DescribeLeft(listing), "definitions being deleted: widgets.example.com");
  OperandsOfCrd widgets;
  widgets.plan.kind = "Widget";
  widgets.pending.resize(1);
  widgets.pending[0].name = {"a", "x"};
  listing.crds = {widgets};
  EXPECT_EQ(DescribeLeft(listing),
            "1 custom resource is left: Widget a/x; "
            "definitions being deleted: widgets.example.com");
}

}  // namespace
}  // namespace steward::controllers
