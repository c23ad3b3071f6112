#include "olm/plan/step_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

constexpr char kOlm[] = "operators.coreos.com";
constexpr char kRbac[] = "rbac.authorization.k8s.io";

struct Row {
  std::string group;
  const char* kind;
  StepKind step;
  bool never_optional;
  bool can_be;
  std::string resource;  // "" = discovery knows
};

TEST(StepKindTest, R_002_15_16_ByGroupAndKind) {
  for (const Row& row : std::vector<Row>{
           {kOlm, "ClusterServiceVersion", StepKind::kCsv, true, false, "clusterserviceversions"},
           {"", "Secret", StepKind::kBuiltIn, true, false, "secrets"},
           {"", "BundleSecret", StepKind::kBuiltIn, true, false, "secrets"},
           {"", "ServiceAccount", StepKind::kServiceAccount, true, false, "serviceaccounts"},
           {kRbac, "Role", StepKind::kRole, true, false, "roles"},
           {kRbac, "RoleBinding", StepKind::kBinding, true, false, "rolebindings"},
           {kRbac, "ClusterRole", StepKind::kRole, true, false, "clusterroles"},
           {kRbac, "ClusterRoleBinding", StepKind::kBinding, true, false, "clusterrolebindings"},
           {"", "Service", StepKind::kBuiltIn, true, false, "services"},
           {"", "ConfigMap", StepKind::kBuiltIn, true, false, "configmaps"},
           {kOlm, "Subscription", StepKind::kSubscription, false, false, "subscriptions"},
           {"apiextensions.k8s.io", "CustomResourceDefinition", StepKind::kDefinition, false, false,
            "customresourcedefinitions"},
           {"monitoring.coreos.com", "ServiceMonitor", StepKind::kOther, false, true, ""},
           {"autoscaling.k8s.io", "VerticalPodAutoscaler", StepKind::kOther, false, true, ""},
           {"example.com", "NetworkPolicy", StepKind::kOther, false, true, ""},
           // Another group's kind of the same name: OLM goes by kind.
           {"example.com", "Service", StepKind::kBuiltIn, false, false, "services"},
           {"iam.services.k8s.aws", "Role", StepKind::kRole, false, false, "roles"},
           {"messaging.knative.dev", "Subscription", StepKind::kUnsupported, false, false, ""},
           {"apps", "Deployment", StepKind::kUnsupported, false, false, ""}}) {
    SCOPED_TRACE(StrCat(row.kind, ".", row.group));
    const kube::GroupVersionKind gvk = {row.group, "v1", row.kind};
    EXPECT_EQ(StepKindOf(gvk), row.step);
    EXPECT_EQ(IsNeverOptional(gvk), row.never_optional);
    EXPECT_EQ(CanBeOptional(gvk), row.can_be);
    const auto resource = BuiltInResource(gvk);
    EXPECT_EQ(resource ? resource->gvr.resource : "", row.resource);
  }
}

TEST(StepKindTest, GroupAndVersionAreThoseOfOlmsClients) {
  const kube::GroupVersionKind csv = {kOlm, "v1alpha1", "ClusterServiceVersion"};
  for (const char* group : {kOlm, "binding.operators.coreos.com", ""}) {
    EXPECT_EQ(ObjectKind({group, "v1", csv.kind}), csv) << group;
    EXPECT_EQ(StepKindOf({group, "v1", csv.kind}), StepKind::kCsv) << group;
  }
  for (const char* kind : {"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}) {
    const kube::GroupVersionKind object = {kRbac, "v1", kind};
    EXPECT_EQ(ObjectKind({kRbac, "v1beta1", kind}), object) << kind;
    EXPECT_EQ(ObjectKind({"", "", kind}), object) << kind;
    const bool binding = std::string_view(kind).ends_with("Binding");
    EXPECT_EQ(StepKindOf({"", "", kind}), binding ? StepKind::kBinding : StepKind::kRole) << kind;
  }
  EXPECT_EQ(ObjectKind({"", "", "Service"}), (kube::GroupVersionKind{"", "v1", "Service"}));
  const kube::GroupVersionKind definition = {"apiextensions.k8s.io", "v1beta1",
                                             "CustomResourceDefinition"};
  EXPECT_EQ(ObjectKind(definition), definition);
  EXPECT_EQ(StepKindOf({"", "", definition.kind}), StepKind::kUnsupported);
  const kube::GroupVersionKind other = {"policy", "v1beta1", "PodDisruptionBudget"};
  EXPECT_EQ(ObjectKind(other), other);
}

TEST(StepKindTest, ABundleSecretIsASecret) {
  EXPECT_EQ(ObjectKind({"", "v1", "BundleSecret"}), (kube::GroupVersionKind{"", "v1", "Secret"}));
  EXPECT_EQ(ObjectKind({"", "", "BundleSecret"}).version, "v1");
  EXPECT_EQ(ObjectKind({"a.b", "v1", "Secret"}), (kube::GroupVersionKind{"", "v1", "Secret"}));
}

}  // namespace
}  // namespace steward::olm
