#include "olm/payload/protected_objects.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::olm {
namespace {

constexpr char kAdmission[] = "admissionregistration.k8s.io";

std::string Reason(const PayloadIdentity& identity, bool deletes,
                   const std::string& record_namespace = "steward-system") {
  PayloadManifest manifest;
  manifest.identity = identity;
  manifest.deletes = deletes;
  return ReasonNotToName(manifest, record_namespace).value_or("");
}

TEST(ProtectedObjectsTest, NothingOfStewardsOwnIsNamed) {
  const std::string needed = "the cluster needs this namespace";
  const std::string beside =
      "it is in the namespace steward-system, where Steward keeps its record";
  const std::string own = "it belongs to Steward";
  const std::string definition = "it defines a resource of Steward";
  const std::string api = "it serves an API of Steward";
  const std::string crd = "CustomResourceDefinition";
  struct Case {
    PayloadIdentity identity;
    std::string reason;   // "" = it may be named
    bool applies = true;  // the same holds where it is applied
  };
  for (const Case& tc : std::vector<Case>{
           {{"", "Namespace", "", "default"}, needed, false},
           {{"", "Namespace", "", "kube-system"}, needed, false},
           {{"", "Namespace", "", "kube-"}, needed, false},
           {{"", "Namespace", "", "steward-system"}, "Steward keeps its record in this namespace"},
           {{"", "Namespace", "", "steward-other"}, own},
           {{"", "Namespace", "", "kubernetes"}, ""},
           {{"", "Namespace", "", "my-default"}, ""},
           {{"example.com", "Namespace", "", "default"}, ""},
           {{"", "ConfigMap", "steward-system", "steward-payload-record"}, beside},
           {{"apps", "Deployment", "steward-system", "any"}, beside},
           {{"coordination.k8s.io", "Lease", "steward-system", "steward-payload"}, beside},
           {{"apps", "Deployment", "kube-system", "any"}, ""},
           {{"rbac.authorization.k8s.io", "RoleBinding", "kube-system", "steward-apiserver"}, own},
           {{kAdmission, "ValidatingAdmissionPolicy", "", "steward-payload-writes"}, own},
           {{"", "ConfigMap", "other", "steward-payload-record"}, ""},
           {{"config.openshift.io", "ClusterOperator", "", "steward-payload"}, own},
           {{"config.openshift.io", "ClusterOperator", "", "dns"}, ""},
           {{"rbac.authorization.k8s.io", "ClusterRole", "", "steward-controllers"}, own},
           {{"rbac.authorization.k8s.io", "ClusterRole", "", "steward"}, ""},
           {{"rbac.authorization.k8s.io", "Role", "n", "steward-controllers"}, ""},
           {{"apiextensions.k8s.io", crd, "", "things.cleanup.steward.operatorframework.io"},
            definition},
           {{"apiextensions.k8s.io", crd, "", "things.steward.operatorframework.io"}, definition},
           {{"apiextensions.k8s.io", crd, "", "things.views.operators.coreos.com"}, definition},
           {{"apiextensions.k8s.io", crd, "", "operators.operators.coreos.com"}, ""},
           {{"apiextensions.k8s.io", crd, "", "things.notsteward.operatorframework.io"}, ""},
           {{"apiextensions.k8s.io", crd, "", "things"}, ""},
           {{"apiregistration.k8s.io", "APIService", "", "v1alpha1.views.operators.coreos.com"},
            api},
           {{"apiregistration.k8s.io", "APIService", "", "v1.x.steward.operatorframework.io"}, api},
           {{"apiregistration.k8s.io", "APIService", "", "v1.packages.operators.coreos.com"}, ""},
           {{"example.com", crd, "", "things.views.operators.coreos.com"}, ""},
       }) {
    const std::string reason = Reason(tc.identity, /*deletes=*/true);
    EXPECT_EQ(reason, tc.reason) << tc.identity.ToString();
    EXPECT_EQ(Reason(tc.identity, /*deletes=*/false), tc.applies ? reason : "")
        << tc.identity.ToString();
  }
  EXPECT_NE(Reason({"", "Secret", "records", "a"}, true, "records"), "");
  EXPECT_NE(Reason({"", "Secret", "steward-system", "a"}, true, "records"), "");
  EXPECT_EQ(Reason({"", "Secret", "records", "a"}, true), "");
}

// Case 48: nor do others give or take the rights of its accounts.
TEST(ProtectedObjectsTest, RightsOfStewardsAccounts) {
  struct Case {
    const char* kind;
    std::string json;
    bool named;
  };
  const std::string subject = R"({"subjects":[{"kind":"Group","name":"g"},{)";
  for (
      const Case& tc : std::vector<Case>{
          {"ClusterRoleBinding",
           subject + R"("kind":"ServiceAccount","namespace":"steward-system","name":"any"}]})",
           true},
          {"RoleBinding",
           subject + R"("kind":"User","name":"system:serviceaccount:steward-system:any"}]})", true},
          {"RoleBinding",
           subject + R"("kind":"Group","name":"system:serviceaccounts:steward-system"}]})", true},
          {"RoleBinding", subject + R"("kind":"ServiceAccount","namespace":"n","name":"any"}]})",
           false},
          {"RoleBinding", R"({"subjects":[7]})", false},
          {"RoleBinding", R"({"userNames":["system:serviceaccount:steward-system:any"]})", true},
          {"RoleBinding", R"({"groupNames":["system:serviceaccounts:steward-system"]})", true},
          {"RoleBinding", R"({"userNames":["somebody"]})", false},
          {"ClusterRole",
           R"({"metadata":{"labels":{"steward.operators.coreos.com/aggregate-to-payload":"true"}}})",
           true},
          {"ClusterRole",
           R"({"metadata":{"labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}}})",
           false},
          {"Role",
           R"({"metadata":{"labels":{"steward.operators.coreos.com/aggregate-to-payload":"true"}}})",
           false}}) {
    PayloadManifest manifest;
    const bool namespaced = std::string_view(tc.kind).starts_with("Role");
    manifest.identity = {"rbac.authorization.k8s.io", tc.kind, namespaced ? "n" : "", "a"};
    manifest.object = boost::json::parse(tc.json).as_object();
    EXPECT_EQ(ReasonNotToName(manifest, "steward-system").has_value(), tc.named) << tc.json;
    manifest.deletes = true;
    EXPECT_FALSE(ReasonNotToName(manifest, "steward-system")) << tc.json;
  }
}

TEST(ProtectedObjectsTest, DefinitionsOfOlm) {
  const std::string group = "apiextensions.k8s.io";
  const std::string kind = "CustomResourceDefinition";
  EXPECT_TRUE(DefinesOlm({group, kind, "", "clusterserviceversions.operators.coreos.com"}));
  EXPECT_TRUE(DefinesOlm({group, kind, "", "operators.operators.coreos.com"}));
  EXPECT_FALSE(DefinesOlm({group, kind, "", "things.views.operators.coreos.com"}));
  EXPECT_FALSE(DefinesOlm({group, kind, "", "widgets.example.com"}));
  EXPECT_FALSE(DefinesOlm({"", "ConfigMap", "", "clusterserviceversions.operators.coreos.com"}));
}

}  // namespace
}  // namespace steward::olm
