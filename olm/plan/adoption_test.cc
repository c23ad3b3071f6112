#include "olm/plan/adoption.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

json::object Parsed(const std::string& text) { return json::parse(text).as_object(); }

TEST(AdoptionTest, Adopt) {
  const json::object live = Parsed(R"({"metadata": {"name": "a", "uid": "u", "generation": 4,
    "resourceVersion": "3", "finalizers": ["x/y"], "labels": {"mine": "1", "both": "old"},
    "ownerReferences": [{"uid": "first"}]}, "spec": {"a": 1, "gone": 1}, "status": {"s": 1}})");
  const json::object wanted = Parsed(R"({"metadata": {"name": "a", "labels": {"both": "new"},
    "annotations": {"n": "1"}, "ownerReferences": [{"uid": "csv"}, {"uid": "first"}]},
    "spec": {"a": 2}})");
  const json::object adopted = Adopt(live, wanted);
  EXPECT_EQ(adopted, Parsed(R"({"metadata": {"name": "a", "uid": "u", "resourceVersion": "3",
    "finalizers": ["x/y"], "labels": {"both": "new", "mine": "1"}, "annotations": {"n": "1"},
    "ownerReferences": [{"uid": "first"}, {"uid": "csv"}]}, "spec": {"a": 2},
    "status": {"s": 1}})"))
      << Serialize(adopted);
  EXPECT_FALSE(IsUnchanged(live, adopted));
  EXPECT_EQ(AdoptionPatch(live, adopted), Parsed(R"({"metadata": {"resourceVersion": "3",
    "labels": {"both": "new"}, "annotations": {"n": "1"},
    "ownerReferences": [{"uid": "first"}, {"uid": "csv"}]}, "spec": {"a": 2, "gone": null}})"));
  json::object after = adopted;
  after["metadata"].as_object()["generation"] = 5;
  EXPECT_TRUE(IsUnchanged(after, Adopt(after, wanted)));
  EXPECT_EQ(AdoptionPatch(after, Adopt(after, wanted)), json::object());
  after["spec"].as_object()["gone"] = 1;
  EXPECT_FALSE(IsUnchanged(after, Adopt(after, wanted))) << "what is wanted no more goes";
}

struct KindCase {
  const char* name;
  const char* head;  // apiVersion and kind
  const char* live;
  const char* manifest;
  const char* after;  // but for the head
};

TEST(AdoptionTest, EachKind) {
  constexpr char kService[] = R"("apiVersion":"v1","kind":"Service",)";
  constexpr char kConfigMap[] = R"("apiVersion":"v1","kind":"ConfigMap",)";
  constexpr char kSecret[] = R"("apiVersion":"v1","kind":"Secret",)";
  constexpr char kAccount[] = R"("apiVersion":"v1","kind":"ServiceAccount",)";
  constexpr char kDefinition[] =
      R"("apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)";
  constexpr char kRole[] = R"("apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)";
  constexpr char kBudget[] = R"("apiVersion":"policy/v1","kind":"PodDisruptionBudget",)";
  for (
      const KindCase& tc : std::vector<KindCase>{
          {"a port and a selector that change", kService,
           R"("spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],)"
           R"("ipFamilyPolicy":"SingleStack","type":"ClusterIP","sessionAffinity":"None",)"
           R"("ports":[{"name":"https","port":8443,"protocol":"TCP","targetPort":8443}],)"
           R"("selector":{"app":"lemon","control-plane":"old"}})",
           R"("spec":{"ports":[{"name":"https","port":8444}],"selector":{"app":"lemon"}})",
           R"("spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],)"
           R"("ipFamilyPolicy":"SingleStack","ports":[{"name":"https","port":8444}],)"
           R"("selector":{"app":"lemon"}})"},
          {"another address is the manifest's", kService,
           R"("spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"]})",
           R"("spec":{"clusterIP":"None"})", R"("spec":{"clusterIP":"None"})"},
          {"no address for a name elsewhere", kService,
           R"("spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"]})",
           R"("spec":{"type":"ExternalName","externalName":"a.example"})",
           R"("spec":{"type":"ExternalName","externalName":"a.example"})"},
          {"numbers on the nodes", kService,
           R"("spec":{"type":"LoadBalancer","healthCheckNodePort":31000,"loadBalancerClass":"a/b",)"
           R"("externalTrafficPolicy":"Local","ports":[{"port":1,"nodePort":30001},)"
           R"({"port":2,"nodePort":30002,"protocol":"UDP"},{"port":3,"nodePort":30003}]})",
           R"("spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":1},)"
           R"({"port":2},{"port":3,"nodePort":30009}]})",
           R"("spec":{"type":"LoadBalancer","healthCheckNodePort":31000,"loadBalancerClass":"a/b",)"
           R"("externalTrafficPolicy":"Local","ports":[{"port":1,"nodePort":30001},)"
           R"({"port":2},{"port":3,"nodePort":30009}]})"},
          {"no numbers on the nodes any more", kService,
           R"("spec":{"type":"NodePort","ports":[{"port":1,"nodePort":30001}]})",
           R"("spec":{"ports":[{"port":1}]})", R"("spec":{"ports":[{"port":1}]})"},
          {"keys that an upgrade drops", kConfigMap,
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a,old"}},)"
           R"("data":{"a":"1","old":"1","custom":"mine"},"immutable":false)",
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a"}},)"
           R"("data":{"a":"2"})",
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a"}},)"
           R"("data":{"a":"2","custom":"mine"},"immutable":false)"},
          {"keys of which nobody knows whose they are", kConfigMap, R"("data":{"a":"1","old":"1"})",
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a"}},)"
           R"("data":{"a":"2"})",
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a"}},)"
           R"("data":{"a":"2","old":"1"})"},
          {"all keys go", kSecret,
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":"a"}},)"
           R"("data":{"a":"MQ==","token":"MQ=="},"type":"x/y")",
           R"("metadata":{})",
           R"("metadata":{"annotations":{"operatorframework.io/installed-keys":""}},)"
           R"("data":{"token":"MQ=="},"type":"x/y")"},
          {"what administrators set", kAccount,
           R"("automountServiceAccountToken":false,"secrets":[{"name":"t"}],)"
           R"("imagePullSecrets":[{"name":"p"}])",
           R"("imagePullSecrets":[{"name":"q"}])",
           R"("automountServiceAccountToken":false,"secrets":[{"name":"t"}],)"
           R"("imagePullSecrets":[{"name":"q"},{"name":"p"}])"},
          {"a manifest that says it", kAccount, R"("automountServiceAccountToken":false)",
           R"("automountServiceAccountToken":true)", R"("automountServiceAccountToken":true)"},
          {"a conversion", kDefinition, R"("spec":{"conversion":{"strategy":"Webhook"},"old":1})",
           R"("spec":{"new":1})", R"("spec":{"conversion":{"strategy":"Webhook"},"new":1})"},
          {"another conversion", kDefinition, R"("spec":{"conversion":{"strategy":"Webhook"}})",
           R"("spec":{"conversion":{"strategy":"None"}})",
           R"("spec":{"conversion":{"strategy":"None"}})"},
          {"rules that go", kRole, R"("rules":[{"verbs":["a"]},{"verbs":["b"]}])",
           R"("rules":[{"verbs":["a"]}])", R"("rules":[{"verbs":["a"]}])"},
          {"rules that are gathered", kRole, R"("aggregationRule":{},"rules":[{"verbs":["a"]}])",
           R"("aggregationRule":{})", R"("aggregationRule":{},"rules":[{"verbs":["a"]}])"},
          {"any other kind", kBudget, R"("spec":{"minAvailable":1})",
           R"("spec":{"maxUnavailable":1})", R"("spec":{"maxUnavailable":1})"}}) {
    const auto made = [&tc](const char* rest) {
      json::object object = Parsed(StrCat("{", tc.head, rest, "}"));
      if (!object.contains("metadata")) object["metadata"].emplace_object();
      return object;
    };
    EXPECT_EQ(Adopt(made(tc.live), made(tc.manifest)), made(tc.after))
        << tc.name << ": " << Serialize(Adopt(made(tc.live), made(tc.manifest)));
  }
}

TEST(AdoptionTest, WhatSomebodyElseMadeIsNotTheOperators) {
  const json::object wanted =
      Parsed(R"({"metadata": {"name": "a", "ownerReferences": [{"uid": "csv"}],
    "labels": {"team": "a", "olm.managed": "true", "olm.owner": "reed.v1"}}})");
  for (const auto& [live, owned] : std::vector<std::pair<const char*, bool>>{
           {R"({"metadata":{"name":"a"}})", false},
           {R"({"metadata":{"name":"a","labels":{"olm.managed":"false"}}})", false},
           {R"({"metadata":{"name":"a","labels":{"olm.managed":"true"}}})", true},
           {R"({"metadata":{"name":"a","labels":{"olm.owner.kind":"ClusterServiceVersion"}}})",
            true},
           {R"({"metadata":{"name":"a","ownerReferences":[{"kind":"ClusterServiceVersion",)"
            R"("apiVersion":"operators.coreos.com/v1alpha1"}]}})",
            true},
           {R"({"metadata":{"name":"a","ownerReferences":[{"kind":"ConfigMap"}]}})", false}}) {
    json::object after = wanted;
    Disown(Parsed(live), after);
    EXPECT_EQ(after, owned ? wanted : Parsed(R"({"metadata":{"name":"a","labels":{"team":"a"}}})"));
  }
}

}  // namespace
}  // namespace steward::olm
