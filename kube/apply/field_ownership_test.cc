#include "kube/apply/field_ownership.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

json::object Parse(const std::string& text) { return json::parse(text).as_object(); }

// An entry of managedFields.
std::string Entry(const std::string& manager, const std::string& operation,
                  const std::string& version, const std::string& fields) {
  return StrCat(R"({"manager":")", manager, R"(","operation":")", operation, R"(","apiVersion":")",
                version, R"(","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":)",
                fields, "}");
}

std::string Applied(const std::string& version, const std::string& fields) {
  return StrCat("[", Entry("me", "Apply", version, fields), "]");
}

json::object WithManagedFields(const std::string& object, const std::string& managed_fields) {
  json::object live = Parse(object);
  live["metadata"].as_object()["managedFields"] = json::parse(managed_fields);
  return live;
}

struct Case {
  const char* name;
  std::string wanted;
  std::string live;            // without managedFields
  std::string managed_fields;  // all of them
  std::vector<std::string> fields;
  bool adopts = false;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& tc : cases) {
    SCOPED_TRACE(tc.name);
    const ApplyDifference difference =
        CompareForApply(Parse(tc.wanted), WithManagedFields(tc.live, tc.managed_fields), "me");
    EXPECT_EQ(difference.fields, tc.fields);
    EXPECT_EQ(difference.adopts, tc.adopts);
    EXPECT_EQ(difference.any(), tc.adopts || !tc.fields.empty());
  }
}

// ---- As kube-apiservers write them.

// A Deployment; the arguments are put into its places.
struct Deployment {
  std::string replicas = R"("replicas":2,)";
  std::string image = "i:1";
  std::string env = R"({"name":"A","value":"1"})";
  std::string ports = R"({"containerPort":80,"name":"http"},{"containerPort":53,"protocol":"UDP"})";
  std::string more_containers;
  std::string more_spec;

  std::string Wanted() const {
    return StrCat(R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"d","namespace":"n","labels":{"app":"d"},"creationTimestamp":null},
      "spec":{)",
                  replicas, R"("selector":{"matchLabels":{"app":"d"}},
        "template":{"metadata":{"labels":{"app":"d"},"creationTimestamp":null},
          "spec":{)",
                  more_spec, R"("containers":[{"name":"a","image":")", image, R"(","env":[)", env,
                  R"(],"ports":[)", ports, R"(],"args":["-v","2"],"resources":{}})",
                  more_containers, R"(],"tolerations":[{"operator":"Exists"}]}}},
      "status":{"replicas":7}})");
  }
};

const char* const kDeploymentLive = R"({"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"d","namespace":"n","uid":"u","resourceVersion":"9","generation":3,
    "creationTimestamp":"2024-01-01T00:00:00Z","labels":{"app":"d","other":"x"},
    "annotations":{"deployment.kubernetes.io/revision":"1"}},
  "spec":{"replicas":2,"selector":{"matchLabels":{"app":"d"}},"revisionHistoryLimit":10,
    "strategy":{"type":"RollingUpdate"},
    "template":{"metadata":{"labels":{"app":"d"},"creationTimestamp":null},
      "spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst",
        "containers":[{"name":"a","image":"i:1","imagePullPolicy":"Always",
          "env":[{"name":"A","value":"1"},{"name":"B","value":"others"}],
          "ports":[{"containerPort":80,"name":"http","protocol":"TCP"},
                   {"containerPort":53,"protocol":"UDP"}],
          "args":["-v","2"],"resources":{}}],
        "tolerations":[{"operator":"Exists"}]}}},
  "status":{"replicas":2}})";

const std::string kDeploymentFields = StrCat(
    "[",
    Entry("me", "Apply", "apps/v1",
          R"({"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{},"f:selector":{},
  "f:template":{"f:metadata":{"f:creationTimestamp":{},"f:labels":{"f:app":{}}},
    "f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:args":{},
      "f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}},
      "f:image":{},"f:name":{},
      "f:ports":{"k:{\"containerPort\":53,\"protocol\":\"UDP\"}":
                   {".":{},"f:containerPort":{},"f:protocol":{}},
                 "k:{\"containerPort\":80,\"protocol\":\"TCP\"}":
                   {".":{},"f:containerPort":{},"f:name":{}}},
      "f:resources":{}}},
      "f:tolerations":{}}}}})"),
    ",",
    Entry("kube-controller-manager", "Update", "apps/v1",
          R"({"f:metadata":{"f:annotations":{".":{},
    "f:deployment.kubernetes.io/revision":{}}},"f:status":{"f:replicas":{}}})"),
    "]");

TEST(FieldOwnershipTest, Deployment) {
  Check({
      {"the same", Deployment{}.Wanted(), kDeploymentLive, kDeploymentFields, {}},
      {"another image and number",
       Deployment{.replicas = R"("replicas":3,)", .image = "i:2"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.replicas", "spec.template.spec.containers[name=a].image"}},
      {"the number is no longer said",
       Deployment{.replicas = ""}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.replicas"}},
      {"a field that nobody had",
       Deployment{.more_spec = R"("serviceAccountName":"s",)"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.serviceAccountName"}},
      {"one that the server set to the same",
       Deployment{.more_spec = R"("restartPolicy":"Always",)"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.restartPolicy"}},
      {"one that is an object",
       Deployment{.more_spec = R"("securityContext":{"runAsNonRoot":true,"fsGroup":5},)"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.securityContext.fsGroup",
        "spec.template.spec.securityContext.runAsNonRoot"}},
      {"an associative list without items",
       Deployment{.more_spec = R"("imagePullSecrets":[],"nodeName":null,)"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {}},
      {"another container",
       Deployment{.more_containers = R"(,{"name":"b","image":"i"})"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.containers[name=b]"}},
      {"another variable instead",
       Deployment{.env = R"({"name":"B","value":"1"})"}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.containers[name=a].env[name=A]",
        "spec.template.spec.containers[name=a].env[name=B]"}},
      {"no variables",
       Deployment{.env = ""}.Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.containers[name=a].env[name=A]"}},
      {"the default of a key, said",
       Deployment{.ports = R"({"containerPort":80,"name":"http","protocol":"TCP"},
                              {"containerPort":53,"protocol":"UDP"})"}
           .Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.containers[name=a].ports[containerPort=80,protocol=TCP].protocol"}},
      {"another protocol",
       Deployment{.ports = R"({"containerPort":80,"name":"http","protocol":"UDP"},
                              {"containerPort":53,"protocol":"UDP"})"}
           .Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {"spec.template.spec.containers[name=a].ports[containerPort=80,protocol=TCP]",
        "spec.template.spec.containers[name=a].ports[containerPort=80,protocol=UDP]"}},
      {"another order of the items",
       Deployment{.ports = R"({"containerPort":53,"protocol":"UDP"},
                              {"containerPort":80,"name":"http"})"}
           .Wanted(),
       kDeploymentLive,
       kDeploymentFields,
       {}},
      {"applied as another version",
       Deployment{.image = "i:2"}.Wanted(),
       kDeploymentLive,
       Applied("apps/v1beta1", R"({"f:spec":{}})"),
       // Nothing shows that these lists are associative.
       {"spec.template.spec.containers"},
       true},
  });
}

// Two items that differ only in a key field, which one of them leaves out because it is the
// default.
TEST(FieldOwnershipTest, AnItemWithTheWholeKeyComesFirst) {
  const std::string fields = Applied("v1", R"({"f:spec":{"f:ports":{
        "k:{\"port\":53,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}},
        "k:{\"port\":53,\"protocol\":\"UDP\"}":{".":{},"f:name":{},"f:port":{},
                                                "f:protocol":{}}}}})");
  const std::string live =
      R"({"metadata":{"name":"s"},"spec":{"ports":[{"name":"u","port":53,"protocol":"UDP"},
                                                   {"name":"t","port":53,"protocol":"TCP"}]}})";
  Check({
      {"the default first",
       R"({"apiVersion":"v1","spec":{"ports":[{"name":"t","port":53},
                                              {"name":"u","port":53,"protocol":"UDP"}]}})",
       live,
       fields,
       {}},
      {"and last",
       R"({"apiVersion":"v1","spec":{"ports":[{"name":"u","port":53,"protocol":"UDP"},
                                              {"name":"t","port":53}]}})",
       live,
       fields,
       {}},
  });
}

TEST(FieldOwnershipTest, OtherKinds) {
  const std::string config_map_fields = Applied("v1", R"({"f:data":{"f:a.yaml":{},"f:b":{}}})");
  const char* const config_map = R"({"metadata":{"name":"c"},"data":{"a.yaml":"1","b":"2"}})";
  const std::string role_fields = Applied("rbac.authorization.k8s.io/v1", R"({"f:rules":{}})");
  const char* const role =
      R"({"metadata":{"name":"r"},
          "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})";
  const std::string namespace_fields =
      Applied("v1", R"({"f:metadata":{"f:annotations":{"f:a.io/b":{}},"f:labels":{"f:team":{}}}})");
  const char* const ns =
      R"({"metadata":{"name":"n","uid":"u","annotations":{"a.io/b":"1","else":"x"},
                      "labels":{"kubernetes.io/metadata.name":"n","team":"t"}},
          "spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})";
  const std::string crd_fields = Applied("apiextensions.k8s.io/v1", R"({
      "f:spec":{"f:group":{},"f:names":{"f:kind":{},"f:plural":{},"f:shortNames":{}},
                "f:preserveUnknownFields":{},"f:scope":{},"f:versions":{}}})");
  const auto crd = [](const std::string& more, const std::string& versions) {
    return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"ws.x"},"spec":{)",
                  more, R"("group":"x","names":{"kind":"W","plural":"ws","shortNames":["w"]},
                  "scope":"Namespaced","versions":[)",
                  versions, "]}}");
  };
  const std::string v1 = R"({"name":"v1","served":true,"storage":true,
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object"}}}}})";
  const std::string finalizer_fields =
      Applied("v1", R"({"f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{}}}})");
  Check({
      {"a ConfigMap, the same",
       R"({"apiVersion":"v1","data":{"a.yaml":"1","b":"2"}})",
       config_map,
       config_map_fields,
       {}},
      {"of which a key goes and one changes",
       R"({"apiVersion":"v1","data":{"a.yaml":"3"}})",
       config_map,
       config_map_fields,
       {"data.b", R"(data["a.yaml"])"}},
      {"without any data", R"({"apiVersion":"v1"})", config_map, config_map_fields, {"data"}},
      {"with data that another has taken over",
       R"({"apiVersion":"v1","data":{"a.yaml":"1","b":"2"}})",
       config_map,
       Applied("v1", R"({"f:data":{"f:a.yaml":{}}})"),
       {"data.b"}},
      {"rules, the same",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1",
           "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})",
       role,
       role_fields,
       {}},
      {"other rules",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1",
           "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]})",
       role,
       role_fields,
       {"rules"}},
      {"a Namespace, the same",
       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n","labels":{"team":"t"},
           "annotations":{"a.io/b":"1"}}})",
       ns,
       namespace_fields,
       {}},
      {"with another label and without the annotation",
       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n",
           "labels":{"team":"t","x.io/y":""}}})",
       ns,
       namespace_fields,
       {"metadata.annotations", R"(metadata.labels["x.io/y"])"}},
      {"a CustomResourceDefinition, with a false that the server does not keep",
       crd(R"("preserveUnknownFields":false,)", v1),
       crd(R"("conversion":{"strategy":"None"},)", v1),
       crd_fields,
       {}},
      {"with another version",
       crd(R"("preserveUnknownFields":false,)", v1 + R"(,{"name":"v2"})"),
       crd("", v1),
       crd_fields,
       {"spec.versions"}},
      {"a ServiceAccount that says nothing but its name",
       R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"s","namespace":"n"}})",
       R"({"metadata":{"name":"s","namespace":"n"},"imagePullSecrets":[{"name":"x"}]})",
       Applied("v1", "{}"),
       {}},
      {"one with labels that are none",
       R"({"apiVersion":"v1","metadata":{"name":"s","labels":{}},"secrets":[]})",
       R"({"metadata":{"name":"s"}})",
       Applied("v1", R"({"f:metadata":{"f:labels":{}}})"),
       {}},
      {"finalizers, the same",
       R"({"apiVersion":"v1","metadata":{"finalizers":["a/b"]}})",
       R"({"metadata":{"finalizers":["c","a/b"]}})",
       finalizer_fields,
       {}},
      {"another one instead",
       R"({"apiVersion":"v1","metadata":{"finalizers":["c"]}})",
       R"({"metadata":{"finalizers":["c","a/b"]}})",
       finalizer_fields,
       {R"(metadata.finalizers[="a/b"])", "metadata.finalizers[=c]"}},
  });
}

// ---- Values.

TEST(FieldOwnershipTest, Values) {
  const std::string owned = Applied("v1", R"({"f:a":{}})");
  const auto wanted = [](const std::string& value) {
    return StrCat(R"({"apiVersion":"v1","a":)", value, "}");
  };
  const auto live = [](const std::string& value) {
    return StrCat(R"({"metadata":{},"a":)", value, "}");
  };
  const std::string nothing = R"({"metadata":{}})";
  Check({
      {"a number", wanted("1"), live("1.0"), owned, {}},
      {"a large number", wanted("18446744073709551615"), live("-1"), owned, {"a"}},
      {"another", wanted("1"), live("2"), owned, {"a"}},
      {"a string for it", wanted("1"), live(R"("1")"), owned, {"a"}},
      {"null for null", wanted("null"), live("null"), owned, {}},
      {"null for nothing", wanted("null"), nothing, owned, {}},
      {"null for something", wanted("null"), live("1"), owned, {"a"}},
      {"false for nothing", wanted("false"), nothing, owned, {}},
      {"true for nothing", wanted("true"), nothing, owned, {"a"}},
      {"false for true", wanted("false"), live("true"), owned, {"a"}},
      {"an object of which the server knows more",
       wanted(R"([{"x":1}])"),
       live(R"([{"x":1,"y":2}])"),
       owned,
       {}},
      {"one that lacks something",
       wanted(R"([{"x":1,"y":0}])"),
       live(R"([{"x":1}])"),
       owned,
       {"a"}},
      {"a list that is longer", wanted("[1]"), live("[1,2]"), owned, {"a"}},
      {"an object in place of a scalar", wanted(R"({"x":1})"), live("1"), owned, {"a"}},
      {"a scalar in place of an object",
       wanted("1"),
       live(R"({"x":1})"),
       Applied("v1", R"({"f:a":{"f:x":{}}})"),
       {"a"}},
      {"a scalar in place of a list",
       wanted("1"),
       live("[]"),
       Applied("v1", R"({"f:a":{"v:1":{}}})"),
       {"a"}},
      {"by index",
       wanted("[1,2,3]"),
       live("[1,5]"),
       Applied("v1", R"({"f:a":{"i:0":{},"i:1":{},"i:9":{}}})"),
       {"a[1]", "a[2]", "a[9]"}},
      {"not owned by the main resource",
       wanted("1"),
       live("1"),
       R"([{"manager":"me","operation":"Apply","apiVersion":"v1","subresource":"status",
            "fieldsType":"FieldsV1","fieldsV1":{"f:a":{}}}])",
       {},
       true},
      {"an update by the manager",
       wanted("1"),
       live("1"),
       StrCat("[", Entry("me", "Update", "v1", R"({"f:a":{}})"), "]"),
       {},
       true},
      {"an apply by another",
       wanted("1"),
       live("2"),
       StrCat("[", Entry("you", "Apply", "v1", R"({"f:a":{}})"), "]"),
       {"a"},
       true},
      {"nothing managed",
       wanted(R"({"x":1,"y":[2]})"),
       live(R"({"x":1,"y":[3],"z":4})"),
       "[]",
       {"a.y"},
       true},
  });
}

TEST(FieldOwnershipTest, WhatCannotBeUnderstoodIsApplied) {
  for (const auto& [fields, value] : std::vector<std::pair<std::string, std::string>>{
           {"1", "1"},
           {"null", "1"},
           {R"({"a":{}})", "1"},
           {R"({"":{}})", "1"},
           {R"({"f:a":1})", "1"},
           {R"({"f:a":{"x:":{}}})", "[]"},
           {R"({"f:a":{"":{}}})", "[]"},
           {R"({"f:a":{"f:x":{},"v:1":{}}})", "{}"},
           {R"({"f:a":{"k:{":{}}})", "[]"},
           {R"({"f:a":{"k:{}":{}}})", "[]"},
           {R"({"f:a":{"k:[]":{}}})", "[]"},
           {R"({"f:a":{"v:":{}}})", "[]"},
           {R"({"f:a":{"i:-1":{}}})", "[]"},
           {R"({"f:a":{"i:1x":{}}})", "[]"},
       }) {
    Check({{fields.c_str(),
            StrCat(R"({"apiVersion":"v1","a":)", value, "}"),
            StrCat(R"({"metadata":{},"a":)", value, "}"),
            Applied("v1", fields),
            {},
            true}});
  }
  for (const char* managed : {"1", "{}", "[1]", R"([{"manager":"me","operation":"Apply"}])"}) {
    Check({{managed, R"({"apiVersion":"v1"})", R"({"metadata":{}})", managed, {}, true}});
  }
}

TEST(FieldOwnershipTest, ManagedFieldsHaveABoundedDepth) {
  const json::parse_options deep = [] {
    json::parse_options options;
    options.max_depth = 1000;
    return options;
  }();
  for (const auto& [depth, adopts] : {std::pair{64, false}, std::pair{65, true}}) {
    std::string fields = "{}";
    std::string value = "1";
    for (int i = 0; i < depth; ++i) {
      fields = StrCat(R"({"f:a":)", fields, "}");
      value = StrCat(R"({"a":)", value, "}");
    }
    json::object live = json::parse(value, {}, deep).as_object();
    json::object wanted = live;
    wanted["apiVersion"] = "v1";
    live["metadata"] = {{"managedFields", json::parse(Applied("v1", fields), {}, deep)}};
    const ApplyDifference difference = CompareForApply(wanted, live, "me");
    EXPECT_EQ(difference.adopts, adopts) << depth;
    EXPECT_TRUE(difference.fields.empty()) << depth;
  }
}

TEST(FieldOwnershipTest, TheWorkIsBounded) {
  json::object owned;
  json::array items;
  for (int i = 0; i < 2000; ++i) {
    owned[StrCat("k:{\"n\":", i, "}")] = json::object();
    items.push_back(json::object{{"n", 4000 - i}});
  }
  json::object live = WithManagedFields(R"({"metadata":{}})", Applied("v1", "{}"));
  live["metadata"].at("managedFields").at(0).at("fieldsV1").as_object()["f:a"] = owned;
  live["a"] = items;
  EXPECT_TRUE(CompareForApply({{"apiVersion", "v1"}, {"a", items}}, live, "me").adopts);
}

TEST(FieldOwnershipTest, AtMostSoManyFields) {
  json::object data;
  for (int i = 100; i < 200; ++i) data[StrCat("k", i)] = "v";
  const ApplyDifference difference =
      CompareForApply({{"apiVersion", "v1"}, {"data", data}},
                      WithManagedFields(R"({"metadata":{}})", Applied("v1", "{}")), "me");
  ASSERT_EQ(difference.fields.size(), kMaxApplyFields + 1);
  EXPECT_EQ(difference.fields.front(), "data.k100");
  EXPECT_EQ(difference.fields[kMaxApplyFields - 1], "data.k163");
  EXPECT_EQ(difference.fields.back(), "…");
}

TEST(FieldOwnershipTest, NamesFromOutsideArePrintable) {
  const std::string bytes = StrCat("a\n", std::string(200, 'b'));
  const ApplyDifference difference = CompareForApply({{"apiVersion", "v1"}, {"data", {{bytes, 1}}}},
                                                     {{"metadata", json::object()}}, "me");
  EXPECT_EQ(difference.fields, std::vector<std::string>{"data"});
  const ApplyDifference member =
      CompareForApply({{"apiVersion", "v1"}, {"data", {{bytes, 1}}}},
                      {{"metadata", json::object()}, {"data", json::object()}}, "me");
  EXPECT_EQ(member.fields,
            std::vector<std::string>{StrCat("data[\"a\\n", std::string(126, 'b'), "\"…]")});
}

}  // namespace
}  // namespace steward::kube
