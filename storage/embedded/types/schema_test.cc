#include "kube/schema/schema.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {
namespace {

namespace json = boost::json;

json::object Object(const std::string& text) {
  absl::StatusOr<json::value> value = ParseJson(text);
  EXPECT_OK(value) << text;
  return value.ok() && value->is_object() ? value->get_object() : json::object();
}

// The fields that the schema of `plural` refuses.
std::string Refused(const Catalog& catalog, const kube::GroupVersionResource& gvr,
                    const std::string& object) {
  const kube::ResourceType* type = catalog.Find(gvr);
  const kube::Schema* schema = type == nullptr ? nullptr : catalog.SchemaOf(*type);
  if (schema == nullptr) return "no schema";
  std::vector<std::string> fields;
  for (const kube::StatusCause& cause : schema->Validate(Object(object), nullptr)) {
    fields.push_back(cause.field);
  }
  return absl::StrJoin(fields, " ");
}

TEST(CatalogSchemaTest, OlmsKindsRefuseWhatNoDecoderCouldRead) {
  const Catalog catalog({});
  const kube::GroupVersionResource csvs = {"operators.coreos.com", "v1alpha1",
                                           "clusterserviceversions"};
  const kube::GroupVersionResource groups = {"operators.coreos.com", "v1", "operatorgroups"};
  const struct {
    const kube::GroupVersionResource& gvr;
    const char* object;
    const char* fields;
  } kRows[] = {
      {csvs, R"({"spec":{"version":"1.10","anything":{"else":[1]}}})", ""},
      {csvs, R"({"spec":{"version":1.10}})", "spec.version"},
      {csvs, R"({"spec":{"icon":"data"}})", "spec.icon"},
      {csvs, R"({"spec":{"provider":"us"}})", "spec.provider"},
      {csvs, R"({"spec":{"cleanup":{"enabled":"true"}}})", "spec.cleanup.enabled"},
      {csvs, R"({"spec":{"customresourcedefinitions":{"owned":{}}}})",
       "spec.customresourcedefinitions.owned"},
      {csvs, R"({"spec":{"installModes":[{"supported":true}]}})", "spec.installModes[0].type"},
      {csvs, R"({"spec":[]})", "spec"},
      {csvs, R"({"spec":{},"status":{"phase":3}})", "status.phase"},
      {csvs, R"({"spec":{},"status":{"conditions":{}}})", "status.conditions"},
      {groups, R"({"spec":{"selector":{"matchLabels":{"a":"b"}}},"status":{"namespaces":[""]}})",
       ""},
      {groups, R"({"spec":"all"})", "spec"},
      {groups, R"({"spec":{"targetNamespaces":"a"}})", "spec.targetNamespaces"},
      {groups, R"({"spec":{"targetNamespaces":[1]}})", "spec.targetNamespaces[0]"},
      {groups, R"({"spec":{"selector":"a=b"}})", "spec.selector"},
      {groups, R"({"spec":{"selector":{"matchLabels":{"a":true}}}})",
       "spec.selector.matchLabels.a"},
      {groups, R"({"status":{"namespaces":"all"}})", "status.namespaces"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Refused(catalog, row.gvr, row.object), row.fields) << row.object;
  }
}

// Nothing that a CSV has is lost here, whatever the schema knows.
TEST(CatalogSchemaTest, OlmsKindsKeepUnknownFields) {
  const Catalog catalog({});
  const kube::ResourceType* type =
      catalog.Find({"operators.coreos.com", "v1alpha1", "clusterserviceversions"});
  ASSERT_NE(type, nullptr);
  const json::object before = Object(
      R"({"spec":{"x":{"y":1},"provider":{"z":1},"icon":[{"w":1}],"install":{"spec":{"v":{"u":1}}},)"
      R"("customresourcedefinitions":{"owned":[{"specDescriptors":[{"path":"a"}]}]}},)"
      R"("status":{"conditions":[{"t":1}],"requirementStatus":[{"s":1}]}})");
  json::object after = before;
  catalog.SchemaOf(*type)->Complete(after);
  EXPECT_EQ(after, before);
}

TEST(CatalogSchemaTest, ADefinitionsSchemaIsUsed) {
  const Catalog catalog({Object(R"({"metadata":{"name":"widgets.example.com"},
      "spec":{"group":"example.com","names":{"plural":"widgets","kind":"Widget"},
              "scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object","properties":{
                  "spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}})")});
  const kube::GroupVersionResource widgets = {"example.com", "v1", "widgets"};
  EXPECT_EQ(Refused(catalog, widgets, R"({"spec":{"size":"1"}})"), "spec.size");
  // A built-in kind of Kubernetes has no schema that is enforced.
  EXPECT_EQ(Refused(catalog, {"rbac.authorization.k8s.io", "v1", "roles"}, "{}"), "no schema");
}

}  // namespace
}  // namespace steward::storage
