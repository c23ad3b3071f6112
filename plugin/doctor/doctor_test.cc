#include "plugin/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "olm/copy.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/session.h"
#include "plugin/doctor/shipped.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kRbac[] = "rbac.authorization.k8s.io";
const kube::GroupVersionResource kClusterRoles = {kRbac, "v1", "clusterroles"};
const kube::GroupVersionResource kClusterRoleBindings = {kRbac, "v1", "clusterrolebindings"};
const kube::GroupVersionResource kRoles = {kRbac, "v1", "roles"};
const kube::GroupVersionResource kRoleBindings = {kRbac, "v1", "rolebindings"};
constexpr char kSystem[] = "steward-system";

kube::GroupVersionResource ResourceOf(std::string_view kind) {
  if (kind == "ClusterRole") return kClusterRoles;
  if (kind == "ClusterRoleBinding") return kClusterRoleBindings;
  if (kind == "Role") return kRoles;
  if (kind == "RoleBinding") return kRoleBindings;
  if (kind == "ValidatingAdmissionPolicy") return kPolicies;
  if (kind == "ValidatingAdmissionPolicyBinding") return kPolicyBindings;
  return {"", "v1", "serviceaccounts"};
}

// A cluster in which the base is installed, and nothing is wrong.
class DoctorTest : public ::testing::Test {
 public:
  DoctorTest() {
    for (const kube::GroupVersionResource& gvr :
         {kClusterRoles, kClusterRoleBindings, kRoles, kRoleBindings, kube::kSecrets,
          kube::kConfigMaps, kube::kLeases, kube::kEndpointSlices, kInstalledOperators, kNamespaces,
          kube::kDeployments, kube::kApiServices, kOlmConfigs, ResourceOf("")}) {
      scene.fake.Serve(gvr);
    }
    for (const json::object& each : ShippedFolders().front().objects) {
      scene.fake.Put(ResourceOf(KindOf(each)), json::serialize(each));
    }
    for (const char* name : {"apiserver", "controllers", "apiservice-guard"}) PutDeployment(name);
    scene.fake.Put(kube::kApiServices, Registration("True", ""));
    PutSlice(true);
    PutLease("steward-controllers", absl::Seconds(3));
    PutLease("steward-apiservice-guard", absl::Seconds(3));
    PutSecret("steward-apiserver-cert", absl::Hours(24 * 60));
  }

  void PutDeployment(const std::string& name, int available = 2, const std::string& image = "s:1") {
    const bool api_server = name == "apiserver";
    scene.fake.Put(
        kube::kDeployments,
        StrCat(R"({"metadata":{"namespace":"steward-system","name":"steward-)", name,
               R"("},"spec":{"replicas":2,"template":{"spec":{"containers":[{"image":")", image,
               R"(","args":[)", api_server ? "" : R"("--leader-elect=true")", R"(]}],"volumes":[)",
               api_server ? R"({"secret":{"secretName":"steward-apiserver-cert"}})" : "",
               R"(]}}},"status":{"availableReplicas":)", available, "}}"));
  }
  void PutOther(const std::string& name) {
    scene.fake.Put(kube::kDeployments,
                   StrCat(R"({"metadata":{"namespace":"olm","name":")", name,
                          R"("},"spec":{"replicas":1},"status":{"availableReplicas":1}})"));
  }
  static std::string Registration(const std::string& available, const std::string& more) {
    return StrCat(
        R"({"metadata":{"name":"v1alpha1.views.operators.coreos.com"},"spec":{"service":)",
        R"({"namespace":"steward-system","name":"steward-apiserver"})", more,
        R"(},"status":{"conditions":[{"type":"Available","status":")", available,
        R"(","reason":"MissingEndpoints","message":"nobody"}]}})");
  }
  void PutSlice(bool ready) {
    scene.fake.Put(kube::kEndpointSlices,
                   StrCat(R"({"metadata":{"namespace":"steward-system","name":"slice","labels":)",
                          R"({"kubernetes.io/service-name":"steward-apiserver"}},"endpoints":[)",
                          R"({"addresses":["10.0.0.1"],"conditions":{"ready":)",
                          ready ? "true" : "false", "}}]}"));
  }
  void PutLease(const std::string& name, absl::Duration age) {
    scene.fake.Put(
        kube::kLeases,
        StrCat(
            R"({"metadata":{"namespace":"steward-system","name":")", name,
            R"("},"spec":{"holderIdentity":"pod-1","leaseDurationSeconds":15,"renewTime":")",
            absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", scene.clock.Now() - age, absl::UTCTimeZone()),
            R"("}})"));
  }
  void PutSecret(const std::string& name, absl::Duration left,
                 const std::string& metadata = R"(,"labels":{"app.kubernetes.io/managed-by":)"
                                               R"("steward-certificates"})") {
    CertificateSpec spec;
    spec.common_name = "steward-apiserver";
    spec.not_after = scene.clock.Now() + left;
    spec.not_before = spec.not_after - absl::Hours(24 * 90);
    const absl::StatusOr<PemKeyPair> pair = IssueCertificate(spec);
    ASSERT_OK(pair.status());
    scene.fake.Put(kube::kSecrets,
                   StrCat(R"({"metadata":{"namespace":"steward-system","name":")", name, "\"",
                          metadata, R"(},"data":{"tls.key":"eA==","tls.crt":")",
                          absl::Base64Escape(pair->cert_pem), R"("}})"));
  }
  // Changes an object as `change` says.
  void Edit(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
            const std::function<void(json::object&)>& change) {
    json::value object = scene.Object(gvr, name);
    ASSERT_TRUE(object.is_object()) << name.name;
    change(object.get_object());
    scene.fake.Put(gvr, json::serialize(object));
  }
  void Forbid(kube::ClientVerb verb, const kube::GroupVersionResource& gvr) {
    scene.client.FailNext({verb, gvr}, kube::ToStatus(kube::Forbidden(gvr, "", "no")), 1000);
  }

  absl::Status Examine() {
    scene.screen.clear();
    scene.document = {};
    Session session = scene.session();
    return scene.Run(plugin::Examine(session));
  }
  // "check|outcome|message|remedy" of all findings that are not Ok.
  std::vector<std::string> Wrong() const {
    std::vector<std::string> wrong;
    for (const json::value& each : scene.document.at("findings").as_array()) {
      const json::object& finding = each.as_object();
      if (StringAt(finding, "outcome") == "Ok") continue;
      wrong.push_back(StrCat(StringAt(finding, "check"), "|", StringAt(finding, "outcome"), "|",
                             StringAt(finding, "message"), "|", StringAt(finding, "remedy")));
    }
    return wrong;
  }

  TestScene scene;
};

TEST_F(DoctorTest, FindsNothingWhereNothingIsWrong) {
  EXPECT_OK(Examine());
  EXPECT_THAT(Wrong(), ::testing::IsEmpty());
  EXPECT_THAT(scene.screen, HasSubstr("ok       APIService    v1alpha1"));
  EXPECT_EQ(scene.document.at("findings").as_array().size(), 14U);
}

// Renames an account's roles and bindings as OLM does for the permissions of a
// ClusterServiceVersion.
void RenameByOlm(DoctorTest& t, const char* account, const char* more = "") {
  json::value role = t.scene.Object(kClusterRoles, {"", account});
  json::object& metadata = role.as_object()["metadata"].as_object();
  metadata["name"] = StrCat(account, "-x7f");
  metadata["labels"] =
      json::parse(R"({"olm.owner":"steward.v1","olm.owner.kind":"ClusterServiceVersion",)"
                  R"("olm.owner.namespace":"steward-system"})");
  if (*more != '\0') role.as_object()["rules"].as_array().push_back(json::parse(more));
  json::value binding = t.scene.Object(kClusterRoleBindings, {"", account});
  binding.as_object()["metadata"] = metadata;
  binding.as_object()["roleRef"].as_object()["name"] = StrCat(account, "-x7f");
  t.scene.fake.Put(kClusterRoles, json::serialize(role));
  t.scene.fake.Put(kClusterRoleBindings, json::serialize(binding));
  t.scene.fake.Delete(kClusterRoles, {"", account});
  t.scene.fake.Delete(kClusterRoleBindings, {"", account});
}

TEST_F(DoctorTest, TakesWhatOlmGaveForWhatIsShipped) {
  RenameByOlm(*this, "steward-apiserver");
  RenameByOlm(*this, "steward-controllers");
  EXPECT_OK(Examine());
  EXPECT_THAT(Wrong(), ::testing::IsEmpty());
}

TEST_F(DoctorTest, NamesWhatOlmGaveBeyondIt) {
  RenameByOlm(*this, "steward-apiserver",
              R"({"apiGroups":[""],"resources":["secrets"],"verbs":["get"]})");
  EXPECT_OK(Examine());
  EXPECT_THAT(Wrong(), Contains(HasSubstr("Rights|Warning|OLM gave steward-apiserver more than is "
                                          "shipped: get secrets")));
}

// A label like OLM's does not hide a binding that grants all rights.
TEST_F(DoctorTest, NamesOtherRolesThatAreBoundAsIfByOlm) {
  scene.fake.Put(kClusterRoleBindings,
                 R"({"metadata":{"name":"mine","labels":{"olm.owner":"steward.v1",)"
                 R"("olm.owner.kind":"ClusterServiceVersion",)"
                 R"("olm.owner.namespace":"steward-system"}},"roleRef":{"kind":"ClusterRole",)"
                 R"("name":"cluster-admin"},"subjects":[{"kind":"ServiceAccount",)"
                 R"("namespace":"steward-system","name":"steward-controllers"}]})");
  EXPECT_OK(Examine());
  EXPECT_THAT(Wrong(), Contains(HasSubstr("steward-controllers is also bound to ClusterRole "
                                          "cluster-admin by ClusterRoleBinding mine")));
}

const kube::NamespacedName kRegistration = {"", "v1alpha1.views.operators.coreos.com"};
const kube::NamespacedName kPolicy = {"", "steward-cleanup-opt-in"};

struct Case {
  const char* name;
  std::function<void(DoctorTest&)> happens;
  const char* finding;  // "check|outcome|", and the beginning of the message
  const char* remedy;
};

class DoctorCase : public DoctorTest, public ::testing::WithParamInterface<Case> {};

TEST_P(DoctorCase, NamesWhatIsWrongAndItsRemedy) {
  const Case& each = GetParam();
  SCOPED_TRACE(each.name);
  each.happens(*this);
  const absl::Status status = Examine();
  const bool warns = std::string_view(each.finding).find("|Warning|") != std::string_view::npos;
  EXPECT_EQ(status.ok(), warns) << status;
  EXPECT_THAT(Wrong(),
              Contains(AllOf(::testing::StartsWith(each.finding), HasSubstr(each.remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, DoctorCase,
    ::testing::ValuesIn(std::vector<Case>{
        {"no replica", [](DoctorTest& t) { t.PutDeployment("controllers", 0); },
         "Deployments|Failed|steward-controllers has no available replica of 2",
         "kubectl describe deployment/steward-controllers -n steward-system"},
        {"one replica", [](DoctorTest& t) { t.PutDeployment("controllers", 1); },
         "Deployments|Warning|steward-controllers has 1 of 2 replicas", "kubectl logs"},
        {"scaled down",
         [](DoctorTest& t) {
           t.Edit(kube::kDeployments, {kSystem, "steward-controllers"},
                  [](json::object& object) { object["spec"].as_object()["replicas"] = 0; });
         },
         "Deployments|Failed|steward-controllers was scaled to nothing",
         "kubectl scale deployment/steward-controllers -n steward-system --replicas=2"},
        {"two versions", [](DoctorTest& t) { t.PutDeployment("controllers", 2, "s:2"); },
         "Versions|Failed|Steward's processes run different images", "-k OVERLAY"},
        {"not registered",
         [](DoctorTest& t) { t.scene.fake.Delete(kube::kApiServices, kRegistration); },
         "APIService|Failed|there is no APIService", "the guard makes it once"},
        {"not available",
         [](DoctorTest& t) { t.scene.fake.Put(kube::kApiServices, t.Registration("False", "")); },
         "APIService|Failed|the kube-apiserver does not reach the API server (MissingEndpoints",
         "kubectl logs deployment/steward-apiserver"},
        {"not checked",
         [](DoctorTest& t) {
           t.scene.fake.Put(kube::kApiServices,
                            t.Registration("True", R"(,"insecureSkipTLSVerify":true)"));
         },
         "APIService|Failed|whoever answers in the place of the API server is believed",
         "kubectl delete apiservice v1alpha1.views.operators.coreos.com"},
        {"led elsewhere",
         [](DoctorTest& t) {
           t.Edit(kube::kApiServices, kRegistration, [](json::object& object) {
             object["spec"].as_object()["service"].as_object()["name"] = "other";
           });
         },
         "APIService|Failed|APIService v1alpha1.views.operators.coreos.com does not lead",
         "kubectl delete apiservice"},
        {"no endpoints", [](DoctorTest& t) { t.PutSlice(false); },
         "Endpoints|Failed|the Service steward-apiserver leads to no replica", "kubectl describe"},
        {"stale",
         [](DoctorTest& t) {
           t.scene.client.FailNext({kube::ClientVerb::kList, kInstalledOperators},
                                   absl::DeadlineExceededError("too old"));
         },
         "Freshness|Failed|installedoperators are not answered from the cluster's newest state: "
         "too",
         "kubectl rollout restart deployment/steward-apiserver -n steward-system"},
        {"no guard",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kube::kDeployments, {kSystem, "steward-apiservice-guard"});
         },
         "Guard|Failed|the guard does not run", "-k OVERLAY"},
        {"withdrawn",
         [](DoctorTest& t) {
           t.scene.fake.Put(kube::kConfigMaps,
                            R"({"metadata":{"namespace":"steward-system",)"
                            R"("name":"steward-apiservice-guard"},"data":{"phase":"Withdrawn"}})");
         },
         "Guard|Failed|the guard has withdrawn the APIService", "have the API servers answer"},
        {"led by nobody",
         [](DoctorTest& t) { t.PutLease("steward-controllers", absl::Minutes(5)); },
         "Leaders|Failed|steward-controllers: the leader, pod-1, was there last 5m",
         "kubectl rollout restart deployment/steward-controllers"},
        {"never led",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kube::kLeases, {kSystem, "steward-controllers"});
         },
         "Leaders|Failed|nobody has ever led steward-controllers", "kubectl logs"},
        {"certificate ends",
         [](DoctorTest& t) { t.PutSecret("steward-apiserver-cert", absl::Hours(24 * 10)); },
         "Certificates|Failed|the certificate in Secret steward-apiserver-cert ends in 10 days",
         "nobody renews it, as there is no Deployment steward-certificates"},
        {"certificate of cert-manager ended",
         [](DoctorTest& t) {
           t.PutSecret("steward-apiserver-cert", -absl::Hours(49),
                       R"(,"annotations":{"cert-manager.io/certificate-name":"serving"})");
         },
         "Certificates|Failed|the certificate in Secret steward-apiserver-cert has ended, 2 days "
         "ago",
         "kubectl describe certificate serving -n steward-system"},
        {"no certificate",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kube::kSecrets, {kSystem, "steward-apiserver-cert"});
         },
         "Certificates|Failed|there is no Secret steward-apiserver-cert, without which steward-api",
         "-k OVERLAY"},
        {"a right less",
         [](DoctorTest& t) {
           t.Edit(kClusterRoles, {"", "steward-apiserver"},
                  [](json::object& object) { object["rules"].as_array().pop_back(); });
         },
         "Rights|Failed|ClusterRole steward-apiserver does not grant list namespaces, watch "
         "namespaces",
         "-k OVERLAY"},
        {"a right more",
         [](DoctorTest& t) {
           t.Edit(kClusterRoles, {"", "steward-apiserver"}, [](json::object& object) {
             object["rules"].as_array().push_back(
                 json::parse(R"({"apiGroups":[""],"resources":["secrets"],"verbs":["get"]})"));
           });
         },
         "Rights|Warning|ClusterRole steward-apiserver grants more than is shipped: get secrets",
         "-k OVERLAY"},
        {"a binding less",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kClusterRoleBindings, {"", "steward-apiserver"});
         },
         "Rights|Failed|ClusterRoleBinding steward-apiserver of deploy/base is missing: the rights "
         "of steward-apiserver",
         "-k OVERLAY"},
        {"a binding of another role",
         [](DoctorTest& t) {
           t.Edit(kClusterRoleBindings, {"", "steward-apiserver"},
                  [](json::object& object) { object["roleRef"].as_object()["name"] = "view"; });
         },
         "Rights|Failed|ClusterRoleBinding steward-apiserver binds another role",
         "kubectl delete ClusterRoleBinding steward-apiserver, then"},
        {"a binding more",
         [](DoctorTest& t) {
           t.scene.fake.Put(kClusterRoleBindings,
                            R"({"metadata":{"name":"mine"},"roleRef":{"kind":"ClusterRole",)"
                            R"("name":"cluster-admin"},"subjects":[{"kind":"ServiceAccount",)"
                            R"("namespace":"steward-system","name":"steward-controllers"}]})");
         },
         "Rights|Warning|steward-controllers is also bound to ClusterRole cluster-admin by "
         "ClusterRoleBinding mine",
         "kubectl delete ClusterRoleBinding mine"},
        {"a binding of a name that a shell would run",
         [](DoctorTest& t) {
           t.scene.fake.Put(
               kRoleBindings,
               R"({"metadata":{"name":"x $(touch it);","namespace":"tenant"},)"
               R"("roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[)"
               R"({"kind":"User",)"
               R"("name":"system:serviceaccount:steward-system:steward-controllers"}]})");
         },
         "Rights|Warning|steward-controllers is also bound to ClusterRole view by",
         "kubectl delete RoleBinding 'x $(touch it);' -n tenant"},
        {"all accounts bound",
         [](DoctorTest& t) {
           t.scene.fake.Put(kClusterRoleBindings,
                            R"({"metadata":{"name":"all"},"roleRef":{"kind":"ClusterRole",)"
                            R"("name":"cluster-admin"},"subjects":[{"kind":"Group",)"
                            R"("name":"system:serviceaccounts:steward-system"}]})");
         },
         "Rights|Warning|system:serviceaccounts:steward-system is also bound to ClusterRole "
         "cluster-admin",
         "kubectl delete ClusterRoleBinding all"},
        {"others bound to Steward's role",
         [](DoctorTest& t) {
           t.Edit(kClusterRoleBindings, {"", "steward-controllers"}, [](json::object& object) {
             object["subjects"].as_array().push_back(
                 json::parse(R"({"kind":"Group","name":"system:authenticated"})"));
           });
         },
         "Rights|Failed|ClusterRoleBinding steward-controllers also binds Group "
         "system:authenticated",
         "kubectl delete ClusterRoleBinding steward-controllers, then"},
        {"paths more",
         [](DoctorTest& t) {
           t.Edit(kClusterRoles, {"", "steward-controllers"}, [](json::object& object) {
             object["rules"].as_array().push_back(
                 json::parse(R"({"nonResourceURLs":["*"],"verbs":["*"]})"));
           });
         },
         "Rights|Warning|ClusterRole steward-controllers grants more than is shipped: * *",
         "-k OVERLAY"},
        {"no Deployment",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kube::kDeployments, {kSystem, "steward-controllers"});
         },
         "Deployments|Failed|there is no Deployment steward-controllers", "-k OVERLAY"},
        {"a Secret without a certificate",
         [](DoctorTest& t) {
           t.scene.fake.Put(kube::kSecrets,
                            R"({"metadata":{"namespace":"steward-system",)"
                            R"("name":"steward-apiserver-cert"},"data":{"x":"eQ=="}})");
         },
         "Certificates|Failed|Secret steward-apiserver-cert has no certificate", "put a new"},
        {"not checked, and no guard",
         [](DoctorTest& t) {
           t.scene.fake.Delete(kube::kDeployments, {kSystem, "steward-apiservice-guard"});
           t.scene.fake.Put(kube::kApiServices,
                            t.Registration("True", R"(,"insecureSkipTLSVerify":true)"));
         },
         "APIService|Failed|whoever answers", "have the guard run"},
        {"a policy that is void",
         [](DoctorTest& t) {
           t.Edit(kPolicies, kPolicy, [](json::object& object) {
             object["spec"].as_object()["matchConstraints"].as_object()["excludeResourceRules"] =
                 json::parse(R"([{"resources":["*"]}])");
           });
         },
         "Policies|Failed|ValidatingAdmissionPolicy steward-cleanup-opt-in is not as shipped: "
         "spec.matchConstraints.excludeResourceRules",
         "-k OVERLAY"},
        {"no policy", [](DoctorTest& t) { t.scene.fake.Delete(kPolicies, kPolicy); },
         "Policies|Failed|ValidatingAdmissionPolicy steward-cleanup-opt-in does not exist",
         "-k OVERLAY"},
        {"not bound", [](DoctorTest& t) { t.scene.fake.Delete(kPolicyBindings, kPolicy); },
         "Policies|Failed|ValidatingAdmissionPolicy steward-cleanup-opt-in has no binding",
         "-k OVERLAY"},
        {"another expression",
         [](DoctorTest& t) {
           t.Edit(kPolicies, kPolicy, [](json::object& object) {
             json::array& all = object["spec"].as_object()["validations"].as_array();
             all.front().as_object()["expression"] = "true";
           });
         },
         "Policies|Failed|ValidatingAdmissionPolicy steward-cleanup-opt-in is not as shipped: "
         "spec.validations[0].expression",
         "-k OVERLAY"},
        {"accounts of one's own",
         [](DoctorTest& t) {
           t.Edit(kPolicies, kPolicy, [](json::object& object) {
             json::array& all = object["spec"].as_object()["variables"].as_array();
             all.front().as_object()["expression"] = "false";
           });
         },
         "Policies|Warning|ValidatingAdmissionPolicy steward-cleanup-opt-in is not as shipped: "
         "spec.variables[0].expression",
         "unless an overlay of yours says so"},
        {"beside OLM",
         [](DoctorTest& t) {
           t.PutDeployment("copied-csvs");
           t.PutOther("olm-operator");
         },
         "OLM|Failed|steward-copied-csvs waits, since the Deployment olm/olm-operator runs",
         "kubectl delete deployment/steward-copied-csvs -n steward-system"},
        {"no choice",
         [](DoctorTest& t) {
           t.scene.fake.Put(kOlmConfigs, R"({"metadata":{"name":"cluster"},"spec":{"features":)"
                                         R"({"disableCopiedCSVs":"perhaps"}}})");
         },
         "Copied CSVs|Failed|The OLMConfig cluster is not understood",
         "kubectl steward copied-csvs on"},
        {"an opt-in that does not count",
         [](DoctorTest& t) {
           t.scene.PutView("NotOptedIn", true, R"(["a"])",
                           R"({"reason":"OptInUnconfirmed","message":"nobody knows"})");
         },
         "Cleanups|Failed|the opt-in of ops/widget.v1 does not count: nobody knows",
         "kubectl steward abort widget.v1 -n ops takes the opt-in back"},
        {"held for nobody",
         [](DoctorTest& t) {
           t.scene.fake.Put(
               kClusterRoles,
               StrCat(
                   R"({"metadata":{"name":"theirs","finalizers":[)",
                   R"("steward.operatorframework.io/hold-rights"],"labels":{"olm.owner":"x",)",
                   R"("olm.owner.namespace":"ops","olm.owner.kind":"ClusterServiceVersion"}}})"));
         },
         "Held rights|Failed|1 object of operators, as clusterroles",
         "kubectl rollout restart deployment/steward-controllers"},
    }));

// Objects that a tenant may not read are reported, and are no failure.
TEST_F(DoctorTest, SaysWhatItCannotSee) {
  for (const kube::GroupVersionResource& gvr :
       {kClusterRoles, kube::kSecrets, kube::kConfigMaps, kube::kLeases, kube::kEndpointSlices,
        kube::kDeployments, kPolicies, kube::kApiServices, kOlmConfigs, kCsvs, kCleanupStatuses,
        kInstalledOperators}) {
    Forbid(kube::ClientVerb::kGet, gvr);
    Forbid(kube::ClientVerb::kList, gvr);
  }
  EXPECT_OK(Examine());
  const std::vector<std::string> wrong = Wrong();
  EXPECT_EQ(wrong.size(), scene.document.at("findings").as_array().size());
  EXPECT_THAT(wrong, ::testing::Each(AllOf(HasSubstr("|Unseen|"), HasSubstr("|"))));
  EXPECT_THAT(scene.screen, HasSubstr("could not be made with your rights"));
}

TEST_F(DoctorTest, KnowsAServerThatServesTheApiItself) {
  for (const char* name : {"apiserver", "controllers", "apiservice-guard"}) {
    scene.fake.Delete(kube::kDeployments, {kSystem, StrCat("steward-", name)});
  }
  scene.fake.Withdraw(kube::kApiServices);
  scene.fake.Publish(kInstalledOperators.group_version(), {});
  Examine().IgnoreError();
  EXPECT_THAT(scene.screen, AllOf(HasSubstr("none in this cluster: Steward serves it from outside"),
                                  HasSubstr("none is needed: this server serves the API itself")));
}

}  // namespace
}  // namespace steward::plugin
