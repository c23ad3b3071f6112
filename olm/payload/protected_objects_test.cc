#include "olm/payload/protected_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward::olm {
namespace {

TEST(ProtectedObjectsTest, ReasonNotToDelete) {
  const std::string needed = "the cluster needs this namespace";
  const std::string beside =
      "it is in the namespace steward-system, where Steward keeps its record";
  const std::string own = "it belongs to Steward";
  const std::string definition = "it defines a resource of Steward";
  const std::string api = "it serves an API of Steward";
  const std::string crd = "CustomResourceDefinition";
  struct Case {
    PayloadIdentity identity;
    std::string reason;  // "" = it may be deleted
  };
  for (const Case& tc : std::vector<Case>{
           {{"", "Namespace", "", "default"}, needed},
           {{"", "Namespace", "", "kube-system"}, needed},
           {{"", "Namespace", "", "kube-"}, needed},
           {{"", "Namespace", "", "steward-system"}, "Steward keeps its record in this namespace"},
           {{"", "Namespace", "", "steward-other"}, own},
           {{"", "Namespace", "", "kubernetes"}, ""},
           {{"", "Namespace", "", "my-default"}, ""},
           {{"example.com", "Namespace", "", "default"}, ""},
           {{"", "ConfigMap", "steward-system", "steward-payload-record"}, beside},
           {{"apps", "Deployment", "steward-system", "any"}, beside},
           {{"apps", "Deployment", "kube-system", "any"}, ""},
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
    EXPECT_EQ(ReasonNotToDelete(tc.identity, "steward-system").value_or(""), tc.reason)
        << tc.identity.ToString();
  }
  EXPECT_TRUE(ReasonNotToDelete({"", "Secret", "records", "a"}, "records").has_value());
  EXPECT_FALSE(ReasonNotToDelete({"", "Secret", "steward-system", "a"}, "records").has_value());
}

}  // namespace
}  // namespace steward::olm
