#include "storage/embedded/types/builtin_types.h"

#include <string>
#include <utility>

#include "base/text/str_cat.h"
#include "olm/csv_content/csv_content.h"

namespace steward::storage {
namespace {

using kube::PrinterColumn;
using kube::ResourceType;

constexpr bool kNamespaced = true;
constexpr bool kClusterScoped = false;

ResourceType Type(std::string group, std::string version, std::string kind, std::string plural,
                  std::string singular, bool namespaced, std::vector<std::string> short_names = {},
                  std::vector<PrinterColumn> columns = {}) {
  ResourceType type;
  type.gvk = {std::move(group), std::move(version), std::move(kind)};
  type.list_kind = StrCat(type.gvk.kind, "List");
  type.plural = std::move(plural);
  type.singular = std::move(singular);
  type.namespaced = namespaced;
  type.short_names = std::move(short_names);
  type.columns = std::move(columns);
  return type;
}

PrinterColumn Column(std::string name, std::string path, std::string description,
                     std::string type = "string") {
  PrinterColumn column;
  column.name = std::move(name);
  column.type = std::move(type);
  column.description = std::move(description);
  column.json_path = std::move(path);
  return column;
}

PrinterColumn Age() {
  return Column("Age", ".metadata.creationTimestamp", "How long the object has existed", "date");
}

PrinterColumn CreatedAt() {
  return Column("Created At", ".metadata.creationTimestamp", "When the object was created");
}

// The schema of a kind. kubectl needs the members beside metadata for its merge patches. `members`
// are JSON schemas by name.
std::string SchemaOf(std::string_view description, std::string_view members) {
  return StrCat(R"({"type":"object","description":")", description,
                R"(","properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},)",
                R"("metadata":{"type":"object"},)", members, "}}");
}

constexpr std::string_view kRules =
    R"("rules":{"type":"array","description":"What may be done to which resources.",)"
    R"("items":{"type":"object","properties":{)"
    R"("apiGroups":{"type":"array","items":{"type":"string"}},)"
    R"("resources":{"type":"array","items":{"type":"string"}},)"
    R"("resourceNames":{"type":"array","items":{"type":"string"}},)"
    R"("nonResourceURLs":{"type":"array","items":{"type":"string"}},)"
    R"("verbs":{"type":"array","items":{"type":"string"}}}}})";

constexpr std::string_view kAggregation =
    R"(,"aggregationRule":{"type":"object","x-kubernetes-preserve-unknown-fields":true})";

constexpr std::string_view kBinding =
    R"("subjects":{"type":"array","description":"Who is granted the role.",)"
    R"("items":{"type":"object","properties":{"apiGroup":{"type":"string"},)"
    R"("kind":{"type":"string"},"name":{"type":"string"},"namespace":{"type":"string"}}}},)"
    R"("roleRef":{"type":"object","description":"The role that is granted.",)"
    R"("properties":{"apiGroup":{"type":"string"},"kind":{"type":"string"},)"
    R"("name":{"type":"string"}}})";

void AddCore(std::vector<ResourceType>& types) {
  ResourceType namespaces =
      Type("", "v1", "Namespace", "namespaces", "namespace", kClusterScoped, {"ns"},
           {Column("Status", ".status.phase", "Active or Terminating"), Age()});
  namespaces.status_subresource = true;
  types.push_back(std::move(namespaces));
  types.push_back(Type("", "v1", "ConfigMap", "configmaps", "configmap", kNamespaced, {"cm"}));
  types.push_back(Type("", "v1", "Secret", "secrets", "secret", kNamespaced, {},
                       {Column("Type", ".type", "What the secret is used for"), Age()}));
  types.push_back(
      Type("", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", kNamespaced, {"sa"}));
  // kubectl's columns without External-IP and Port(s), which no path leads to.
  ResourceType services = Type("", "v1", "Service", "services", "service", kNamespaced, {"svc"},
                               {Column("Type", ".spec.type", "How the service is reached"),
                                Column("Cluster-IP", ".spec.clusterIP", "Its address"), Age()});
  services.status_subresource = true;
  types.push_back(std::move(services));
  types.push_back(
      Type("", "v1", "Event", "events", "event", kNamespaced, {"ev"},
           {Column("Last Seen", ".lastTimestamp", "When it was last observed", "date"),
            Column("Type", ".type", "Normal or Warning"),
            Column("Reason", ".reason", "Why the event was made"),
            Column("Object", ".involvedObject.name", "The object that the event is about"),
            Column("Message", ".message", "What happened")}));
}

// Adds the kinds that operators' bundles bring beside those above.
void AddBundled(std::vector<ResourceType>& types) {
  ResourceType budgets =
      Type("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget",
           kNamespaced, {"pdb"},
           {Column("Min Available", ".spec.minAvailable", "How many pods must be left"),
            Column("Max Unavailable", ".spec.maxUnavailable", "How many pods may be missing"),
            Column("Allowed Disruptions", ".status.disruptionsAllowed",
                   "How many pods may be evicted now", "integer"),
            Age()});
  budgets.status_subresource = true;
  types.push_back(std::move(budgets));
  types.push_back(Type("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies",
                       "networkpolicy", kNamespaced, {"netpol"}));
  types.push_back(
      Type("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "priorityclass",
           kClusterScoped, {"pc"},
           {Column("Value", ".value", "The priority of pods of this class", "integer"),
            Column("Global-Default", ".globalDefault", "Whether it is that of other pods, too",
                   "boolean"),
            Age(),
            Column("PreemptionPolicy", ".preemptionPolicy", "Whether others are evicted for it")}));
}

void AddRbac(std::vector<ResourceType>& types) {
  const std::string group = "rbac.authorization.k8s.io";
  const auto add = [&types](std::string schema, ResourceType type) {
    type.schema = std::move(schema);
    types.push_back(std::move(type));
  };
  const std::vector<PrinterColumn> of_a_binding = {
      Column("Role", ".roleRef.name", "The role that is granted"), Age()};
  add(SchemaOf("Rules that hold in one namespace.", kRules),
      Type(group, "v1", "Role", "roles", "role", kNamespaced, {}, {CreatedAt()}));
  add(SchemaOf("Grants a role in one namespace.", kBinding),
      Type(group, "v1", "RoleBinding", "rolebindings", "rolebinding", kNamespaced, {},
           of_a_binding));
  add(SchemaOf("Rules that hold in the whole cluster.", StrCat(kRules, kAggregation)),
      Type(group, "v1", "ClusterRole", "clusterroles", "clusterrole", kClusterScoped, {},
           {CreatedAt()}));
  add(SchemaOf("Grants a role in the whole cluster.", kBinding),
      Type(group, "v1", "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding",
           kClusterScoped, {}, of_a_binding));
}

void AddApiExtensions(std::vector<ResourceType>& types) {
  ResourceType crds =
      Type("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
           "customresourcedefinition", kClusterScoped, {"crd", "crds"}, {CreatedAt()});
  crds.status_subresource = true;
  crds.categories = {"api-extensions"};
  types.push_back(std::move(crds));
}

// The schema in the form of olm::CsvSchema.
constexpr char kOperatorGroupSchema[] =
#include "storage/embedded/types/operator_group_schema.json.inc"
    ;

void AddOlm(std::vector<ResourceType>& types) {
  const std::string group = "operators.coreos.com";
  const auto add = [&types](ResourceType type, std::string_view schema = "") {
    type.schema = schema;
    type.status_subresource = true;
    type.categories = {"olm"};
    types.push_back(std::move(type));
  };
  add(Type(group, "v1alpha1", "ClusterServiceVersion", "clusterserviceversions",
           "clusterserviceversion", kNamespaced, {"csv", "csvs"},
           {Column("Display", ".spec.displayName", "The name of the CSV"),
            Column("Version", ".spec.version", "The version of the CSV"),
            Column("Release", ".spec.release", "The release of this version of the CSV"),
            Column("Replaces", ".spec.replaces", "The name of a CSV that this one replaces"),
            Column("Phase", ".status.phase", "")}),
      olm::CsvSchema());
  for (const char* version : {"v1", "v1alpha2"}) {
    add(Type(group, version, "OperatorGroup", "operatorgroups", "operatorgroup", kNamespaced,
             {"og"}),
        kOperatorGroupSchema);
  }
  add(Type(group, "v1", "OLMConfig", "olmconfigs", "olmconfig", kClusterScoped));
  add(Type(group, "v1alpha1", "InstallPlan", "installplans", "installplan", kNamespaced, {"ip"},
           {Column("CSV", ".spec.clusterServiceVersionNames[0]",
                   "The first CSV in the list of clusterServiceVersionNames"),
            Column("Approval", ".spec.approval", "The approval mode"),
            Column("Approved", ".spec.approved", "", "boolean")}));
  add(Type(group, "v1alpha1", "Subscription", "subscriptions", "subscription", kNamespaced,
           {"sub", "subs"},
           {Column("Package", ".spec.name", "The package subscribed to"),
            Column("Source", ".spec.source", "The catalog source for the specified package"),
            Column("Channel", ".spec.channel", "The channel of updates to subscribe to")}));
  add(Type(group, "v1", "Operator", "operators", "operator", kClusterScoped));
}

std::vector<ResourceType> AllTypes() {
  std::vector<ResourceType> types;
  AddCore(types);
  AddBundled(types);
  AddRbac(types);
  AddApiExtensions(types);
  AddOlm(types);
  return types;
}

}  // namespace

const std::vector<ResourceType>& BuiltinTypes() {
  static const auto& types = *new std::vector<ResourceType>(AllTypes());
  return types;
}

}  // namespace steward::storage
