#include <boost/json/parse.hpp>
#include <string>

#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "kube/testing/conformance/cases.h"
#include "kube/testing/conformance/objects.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kValidation = "pkg/apis/*/validation of each kind";
const GroupVersionResource kServices{"", "v1", "services"};
const GroupVersionResource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses"};

json::value Object(std::string_view api_version, std::string_view kind, std::string_view name,
                   std::string_view rest) {
  return json::parse(StrCat(R"({"apiVersion":")", api_version, R"(","kind":")", kind,
                            R"(","metadata":{"name":")", name, R"("},)", rest, "}"));
}

void StringsInConfigMaps(Trial& t) {
  const std::string ns = t.Namespace();
  t.Fails("a number in a ConfigMap",
          t.Create(kConfigMaps, ns, Object("v1", "ConfigMap", "a", R"("data":{"a":1})")), 400,
          "BadRequest",
          "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal "
          "number into Go struct field ConfigMap.data of type string");
  t.Fails("a truth in a Secret",
          t.Create(kube::kSecrets, ns, Object("v1", "Secret", "a", R"("stringData":{"a":true})")),
          400, "BadRequest",
          "cannot unmarshal bool into Go struct field Secret.stringData of type string");
}

void ImmutableData(Trial& t) {
  const std::string ns = t.Namespace();
  t.Ok("create", t.Create(kConfigMaps, ns,
                          Object("v1", "ConfigMap", "a", R"("immutable":true,"data":{"a":"1"})")));
  t.Fails("data", t.Patch(kConfigMaps, {ns, "a"}, json::parse(R"({"data":{"a":"2"}})")), 422,
          "Invalid", "data: Forbidden: field is immutable when `immutable` is set");
  t.Fails("the mark", t.Patch(kConfigMaps, {ns, "a"}, json::parse(R"({"immutable":null})")), 422,
          "Invalid", "immutable: Forbidden: field is immutable when `immutable` is set");
  t.Ok("labels",
       t.Patch(kConfigMaps, {ns, "a"}, json::parse(R"({"metadata":{"labels":{"a":"b"}}})")));
}

void TypeOfASecret(Trial& t) {
  const std::string ns = t.Namespace();
  t.Ok("create",
       t.Create(kube::kSecrets, ns, Object("v1", "Secret", "a", R"("type":"example.com/a")")));
  t.Fails("type", t.Patch(kube::kSecrets, {ns, "a"}, json::parse(R"({"type":"example.com/b"})")),
          422, "Invalid", "type: Invalid value: \"example.com/b\": field is immutable");
}

void PortsOfAService(Trial& t) {
  const std::string ns = t.Namespace();
  const auto service = [](std::string_view spec) {
    return Object("v1", "Service", "a", StrCat(R"("spec":)", spec));
  };
  t.Fails("none", t.Create(kServices, ns, service(R"({"selector":{"a":"b"}})")), 422, "Invalid",
          "spec.ports: Required value");
  t.Fails("two of a name",
          t.Create(kServices, ns,
                   service(R"({"ports":[{"name":"a","port":1},{"name":"a","port":2}]})")),
          422, "Invalid", "spec.ports[1].name: Duplicate value: \"a\"");
  t.Fails("one without a name",
          t.Create(kServices, ns, service(R"({"ports":[{"name":"a","port":1},{"port":2}]})")), 422,
          "Invalid", "spec.ports[1].name: Required value");
  t.Ok("a headless one",
       t.Create(kServices, ns, service(R"({"clusterIP":"None","selector":{"a":"b"}})")));
  t.Fails("another address",
          t.Patch(kServices, {ns, "a"},
                  json::parse(R"({"spec":{"clusterIP":"10.0.0.7","clusterIPs":["10.0.0.7"],)"
                              R"("ports":[{"port":1}]}})")),
          422, "Invalid", "may not change once set");
}

void RoleThatIsBound(Trial& t) {
  const std::string ns = t.Namespace();
  const auto binding = [](std::string_view role) {
    return Object("rbac.authorization.k8s.io/v1", "RoleBinding", "a",
                  StrCat(R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)",
                         R"("name":")", role, R"("},"subjects":[])"));
  };
  t.Ok("create", t.Create(kube::kRoleBindings, ns, binding("one")));
  json::value other = binding("two");
  SetText(other, "metadata.namespace", ns);
  t.Fails("another role", t.Update(kube::kRoleBindings, other), 422, "Invalid",
          "cannot change roleRef");
}

void ValueOfAPriorityClass(Trial& t) {
  const std::string name = t.id();
  t.Created(kPriorityClasses, name);
  t.Ok("create", t.Create(kPriorityClasses, "",
                          Object("scheduling.k8s.io/v1", "PriorityClass", name, R"("value":1)")));
  t.Fails("another value", t.Patch(kPriorityClasses, {"", name}, json::parse(R"({"value":2})")),
          422, "Invalid", "value: Forbidden: may not be changed in an update.");
}

void SchemasAndScopes(Trial& t) {
  json::value definition = Definition(StrCat(t.id(), ".example.com"), "Gadget", {"v1"});
  json::value bare = definition;
  bare.at("spec").at("versions").at(0).as_object().erase("schema");
  t.Fails("no schema", t.Create(kDefinitions, "", bare), 422, "Invalid",
          "spec.versions[0].schema.openAPIV3Schema: Required value");
  t.Define(definition);
  t.Fails("another scope",
          t.Patch(kDefinitions, NameOf(definition), json::parse(R"({"spec":{"scope":"Cluster"}})")),
          422, "Invalid", "spec.scope: Invalid value: \"Cluster\": field is immutable");
}

}  // namespace

std::vector<Case> ContentCases() {
  return {
      {"Content.StringsInConfigMaps", kValidation, StringsInConfigMaps},
      {"Content.ImmutableData", kValidation, ImmutableData},
      {"Content.TypeOfASecret", kValidation, TypeOfASecret},
      {"Content.PortsOfAService", kValidation, PortsOfAService},
      {"Content.RoleThatIsBound", kValidation, RoleThatIsBound},
      {"Content.ValueOfAPriorityClass", kValidation, ValueOfAPriorityClass},
      {"Content.SchemasAndScopes", kValidation, SchemasAndScopes},
  };
}

}  // namespace steward::kube::conformance
