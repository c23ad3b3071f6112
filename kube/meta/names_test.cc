#include "kube/meta/names.h"

#include <gtest/gtest.h>

namespace steward::kube {
namespace {

TEST(NamesTest, GroupVersions) {
  EXPECT_EQ((GroupVersionKind{"", "v1", "Pod"}).ApiVersion(), "v1");
  EXPECT_EQ((GroupVersionKind{"g.io", "v1alpha1", "K"}).ApiVersion(), "g.io/v1alpha1");
  EXPECT_EQ((GroupVersionResource{"", "v1", "pods"}).GroupResource(), "pods");
  EXPECT_EQ((GroupVersionResource{"g.io", "v1", "widgets"}).GroupResource(), "widgets.g.io");
}

TEST(NamesTest, NamespacedNamesSortByNamespaceFirst) {
  EXPECT_LT((NamespacedName{"a", "z"}), (NamespacedName{"b", "a"}));
  EXPECT_LT((NamespacedName{"a", "a"}), (NamespacedName{"a", "b"}));
}

TEST(NamesTest, Forms) {
  const std::string a63(63, 'a'), a64(64, 'a');
  const std::string dots253 = std::string(251, 'a') + ".b";
  const struct {
    std::string name;
    bool label, subdomain, segment;
  } rows[] = {
      {"", false, false, false},    {"a", true, true, true},
      {"0", true, true, true},      {"a-b", true, true, true},
      {"-a", false, false, true},   {"a-", false, false, true},
      {"A", false, false, true},    {"a_b", false, false, true},
      {"a.b", false, true, true},   {"a..b", false, false, true},
      {".a", false, false, true},   {"a.", false, false, true},
      {"a.-b", false, false, true}, {".", false, false, false},
      {"..", false, false, false},  {"...", false, false, true},
      {"a/b", false, false, false}, {"a%b", false, false, false},
      {"é", false, false, true},    {std::string("a\0b", 3), false, false, true},
      {a63, true, true, true},      {a64, false, true, true},
      {dots253, false, true, true}, {dots253 + "b", false, false, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(IsDns1123Label(row.name), row.label);
    EXPECT_EQ(IsDns1123Subdomain(row.name), row.subdomain);
    EXPECT_EQ(IsPathSegmentName(row.name), row.segment);
  }
}

}  // namespace
}  // namespace steward::kube
