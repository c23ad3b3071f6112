#include "olm/copy.h"

#include <gtest/gtest.h>

namespace steward::olm {
namespace {

// The values of OLM's own test of its copy prototype.
TEST(CopyTest, KeepsAndDropsLabelsAndAnnotations) {
  EXPECT_FALSE(CopyKeepsLabel("operators.coreos.com/foo"));
  EXPECT_FALSE(CopyKeepsLabel("operators.coreos.com/bar"));
  EXPECT_TRUE(CopyKeepsLabel("untouched"));
  EXPECT_TRUE(CopyKeepsLabel("olm.managed"));
  EXPECT_TRUE(CopyKeepsLabel("operators.coreos.com"));  // no slash: not the prefix
  EXPECT_FALSE(CopyKeepsAnnotation("olm.targetNamespaces"));
  EXPECT_FALSE(CopyKeepsAnnotation("kubectl.kubernetes.io/last-applied-configuration"));
  for (const char* kept : {"preserved", "olm.operatorGroup", "olm.operatorNamespace",
                           "operatorframework.io/properties", "alm-examples"}) {
    EXPECT_TRUE(CopyKeepsAnnotation(kept)) << kept;
  }
}

TEST(CopyTest, MessageNamesTheInstallNamespace) {
  EXPECT_EQ(CopiedMessage("foo"), "The operator is running in foo but is managing this namespace");
}

TEST(CopyTest, IsCopied) {
  struct Row {
    const char* name;
    CopyMarks marks;
    bool copied;
  };
  const Row rows[] = {
      {"original", {.ns = "a", .reason = "InstallSucceeded"}, false},
      {"by reason", {.ns = "a", .reason = "Copied"}, true},
      {"by label, even an empty one", {.ns = "a", .has_copied_from_label = true}, true},
      {"operator namespace is its own", {.ns = "a", .operator_namespace_annotation = "a"}, false},
      {"operator namespace is another", {.ns = "b", .operator_namespace_annotation = "a"}, true},
      {"operator namespace is empty", {.ns = "b", .operator_namespace_annotation = ""}, true},
  };
  for (const Row& row : rows) EXPECT_EQ(IsCopied(row.marks), row.copied) << row.name;
}

TEST(CopyTest, IsUncopiable) {
  EXPECT_TRUE(IsUncopiable("", ""));
  for (const char* phase :
       {"Pending", "InstallReady", "Installing", "Succeeded", "Failed", "Replacing", "Deleting"}) {
    EXPECT_FALSE(IsUncopiable(phase, "SomethingElse")) << phase;
  }
  for (const char* reason :
       {"Copied", "InvalidInstallModes", "NoTargetNamespaces", "UnsupportedOperatorGroup",
        "NoOperatorGroup", "TooManyOperatorGroups", "InterOperatorGroupOwnerConflict",
        "CannotModifyStaticOperatorGroupProvidedAPIs"}) {
    EXPECT_TRUE(IsUncopiable("Failed", reason)) << reason;
  }
}

}  // namespace
}  // namespace steward::olm
