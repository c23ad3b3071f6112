#include "controllers/cleanup/testing/moment.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "base/json/json_access.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

// The names are repeated on purpose, instead of being taken from the code under test.
constexpr char kOptIn[] = "operatorframework.io/delete-custom-resources";
constexpr char kCsvDefinition[] = "clusterserviceversions.operators.coreos.com";
constexpr char kRecord[] = "steward.operatorframework.io/cleanup-record";
constexpr char kConfirmed[] = "steward.operatorframework.io/opt-in-confirmed";
constexpr char kRefused[] = "steward.operatorframework.io/cleanup-refused";
constexpr char kLetGo[] = "steward.operatorframework.io/rights-released";
constexpr char kHold[] = "steward.operatorframework.io/hold-rights";
constexpr char kOptOut[] = "console.openshift.io/disable-operand-delete";

const json::object kEmpty;

const json::object& MetaOf(const json::value& object) { return In(object.as_object(), "metadata"); }

bool Has(const json::value& object, const char* finalizer) {
  const std::vector<std::string> finalizers = FinalizersOf(object);
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

// The names in a list; `odd` is set when an entry has none.
std::set<std::string> NamesIn(const json::object& parent, std::string_view key, bool& odd) {
  std::set<std::string> names;
  const json::value* list = parent.if_contains(key);
  if (list == nullptr) return names;
  odd = odd || !list->is_array();
  if (!list->is_array()) return names;
  for (const json::value& entry : list->get_array()) {
    const json::value* name = entry.is_object() ? entry.get_object().if_contains("name") : nullptr;
    if (name == nullptr || !name->is_string() || name->get_string().empty()) {
      odd = true;
    } else {
      names.emplace(name->get_string());
    }
  }
  return names;
}

Places PlacesOf(const json::value& value) {
  Places places;
  places.all = value.is_string();
  if (!value.is_array()) return places;
  for (const json::value& name : value.get_array()) {
    if (name.is_string()) places.names.emplace(name.get_string());
  }
  places.all = places.names.contains("");
  if (places.all) places.names.clear();
  return places;
}

std::optional<SeenRecord> RecordOf(std::string_view text) {
  boost::system::error_code error;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !parsed.is_object()) return std::nullopt;
  const json::object& object = parsed.get_object();
  const json::value* targets = object.if_contains("targets");
  if (targets == nullptr) return std::nullopt;
  SeenRecord record;
  record.targets = PlacesOf(*targets);
  record.csv_uid = StringAt(object, "csvUID");
  record.group_uid = StringAt(object, "operatorGroupUID");
  for (const auto& [name, uid] : In(object, "definitions")) {
    // For an API it is an object.
    const json::object* api = uid.if_object();
    record.definitions.emplace(name,
                               api != nullptr ? StringAt(*api, "uid") : View(uid.as_string()));
  }
  return record;
}

SeenCsv CsvOf(const json::value& object) {
  const json::object& spec = In(object.as_object(), "spec");
  const json::object& status = In(object.as_object(), "status");
  const json::object& annotations = In(MetaOf(object), "annotations");
  const json::object& labels = In(MetaOf(object), "labels");
  bool odd = false;
  SeenCsv csv;
  csv.key = {MetadataText(object, "namespace"), MetadataText(object, "name")};
  csv.uid = MetadataText(object, "uid");
  csv.resource_version = MetadataText(object, "resourceVersion");
  csv.deleting = IsMarked(object);
  csv.enabled = BoolAt(In(spec, "cleanup"), "enabled");
  csv.finalizer = Has(object, kOptIn);
  csv.confirmed = StringAt(labels, kConfirmed);
  csv.owned = NamesIn(In(spec, "customresourcedefinitions"), "owned", odd);
  csv.required = NamesIn(In(spec, "customresourcedefinitions"), "required", odd);
  csv.deployments = NamesIn(In(In(spec, "install"), "spec"), "deployments", odd);
  csv.replaces = StringAt(spec, "replaces");
  if (labels.contains("olm.copiedFrom")) csv.copied_from = StringAt(labels, "olm.copiedFrom");
  const std::string_view opted_out = StringAt(annotations, kOptOut);
  const json::array* owners = ArrayAt(MetaOf(object), "ownerReferences");
  csv.itself = StringAt(status, "phase") == "Succeeded" && StringAt(status, "reason") != "Copied" &&
               !csv.copied_from.has_value() && !Has(object, "foregroundDeletion") &&
               !Has(object, "orphan") && (opted_out.empty() || opted_out == "false") &&
               (owners == nullptr || owners->empty()) && !odd;
  csv.marked = annotations.contains(kRefused);
  csv.let_go = StringAt(annotations, kLetGo);
  csv.noted = annotations.contains(kRecord);
  if (csv.noted) csv.record = RecordOf(StringAt(annotations, kRecord));
  return csv;
}

void AddGroup(const json::value& group, const std::vector<json::value>& namespaces,
              std::map<std::string, SeenGroup>& groups) {
  SeenGroup& seen = groups[MetadataText(group, "namespace")];
  ++seen.count;
  seen.deleting = seen.deleting || IsMarked(group);
  seen.uid = MetadataText(group, "uid");
  const json::object& spec = In(group.as_object(), "spec");
  const json::object& labels = In(In(spec, "selector"), "matchLabels");
  if (const json::value* list = spec.if_contains("targetNamespaces"); list != nullptr) {
    seen.spec = PlacesOf(*list);
  } else if (labels.empty()) {
    seen.spec.all = true;
  } else {
    for (const json::value& ns : namespaces) {
      if (StringAt(In(MetaOf(ns), "labels"), "team") == StringAt(labels, "team")) {
        seen.spec.names.insert(MetadataText(ns, "name"));
      }
    }
  }
  const json::array* synced = ArrayAt(In(group.as_object(), "status"), "namespaces");
  if (synced != nullptr && !synced->empty()) seen.synced = PlacesOf(*synced);
}

bool Overlap(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const auto& name) { return b.contains(name); });
}

// The group means nothing any more of what was recorded, whatever its status says.
bool IsElsewhere(const SeenGroup& group, const SeenCsv& csv) {
  if (!csv.record.has_value()) return false;
  const Places& a = group.spec;
  const Places& b = csv.record->targets;
  if (a.all || b.all) return !a.all && a.names.empty();
  return !Overlap(a.names, b.names);
}

}  // namespace

const json::object& In(const json::object& parent, std::string_view key) {
  const json::object* member = ObjectAt(parent, key);
  return member == nullptr ? kEmpty : *member;
}

bool Share(const SeenCsv& a, const SeenCsv& b) { return Overlap(a.owned, b.owned); }

const SeenCsv* Moment::Find(const kube::NamespacedName& key, const std::string& uid) const {
  const auto found = csvs.find(key);
  return found == csvs.end() || found->second.uid != uid ? nullptr : &found->second;
}

const SeenGroup* Moment::GroupOf(const SeenCsv& csv) const {
  const auto found = groups.find(csv.key.ns);
  return found == groups.end() ? nullptr : &found->second;
}

// R-000-85: true by its label, when there is an original that owns and requires no less.
bool Moment::IsCopy(const SeenCsv& csv) const {
  if (!csv.copied_from.has_value()) return false;
  const auto original = csvs.find({*csv.copied_from, csv.key.name});
  if (original == csvs.end() || original->second.copied_from.has_value()) return false;
  const auto has = [](const std::set<std::string>& all, const std::set<std::string>& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return has(original->second.owned, csv.owned) && has(original->second.required, csv.required);
}

bool Moment::IsNeededByOthers(const SeenCsv& csv) const {
  return std::any_of(csvs.begin(), csvs.end(), [&](const auto& entry) {
    const SeenCsv& other = entry.second;
    if (other.key == csv.key || IsCopy(other)) return false;
    const bool replaces = other.key.ns == csv.key.ns && other.replaces == csv.key.name;
    return replaces || Share(other, csv) || Overlap(other.required, csv.owned);
  });
}

bool Moment::IsOperatorGone(const SeenCsv& csv) const {
  return std::any_of(csv.deployments.begin(), csv.deployments.end(), [&](const auto& name) {
    return !deployments.contains({csv.key.ns, name});
  });
}

std::vector<std::pair<std::string_view, bool>> Moment::GuardsOf(const SeenCsv& csv) const {
  const SeenGroup* group = GroupOf(csv);
  const bool one = group != nullptr && group->count == 1 && !group->deleting;
  return {
      {"not being deleted", csv.deleting},
      {"not enabled", csv.enabled},
      {"not opted in", csv.finalizer},
      {"the CSV forbids it", csv.itself},
      {"it is marked as refused", !csv.marked},
      {"another operator needs it", !IsNeededByOthers(csv)},
      {"its namespace is going", namespaces.contains(csv.key.ns)},
      {"all CSVs are going", has_csvs},
      {"opting in is not protected", !opt_in_proof.empty()},
      {"the opt-in is not confirmed", csv.confirmed == opt_in_proof},
      {"deletion is not protected", protects_deletion},
      {"the operator is gone", !IsOperatorGone(csv)},
      {"there is not one OperatorGroup", one},
      {"it is another OperatorGroup",
       one && (!csv.record.has_value() || csv.record->group_uid == group->uid)},
      {"the OperatorGroup is not synced",
       one && (group->synced.has_value() || IsElsewhere(*group, csv))},
  };
}

bool Moment::Allows(const SeenCsv& csv) const {
  const auto guards = GuardsOf(csv);
  return std::all_of(guards.begin(), guards.end(), [](const auto& guard) { return guard.second; });
}

boost::asio::awaitable<Moment> ReadMoment(TestCluster& cluster) {
  Moment moment;
  moment.since = cluster.clock().Monotonic();
  const std::vector<json::value> csvs = co_await cluster.All(kCsvs);
  for (const json::value& object : csvs) {
    SeenCsv csv = CsvOf(object);
    const kube::NamespacedName key = csv.key;
    moment.csvs.emplace(key, std::move(csv));
  }
  const std::vector<json::value> namespaces = co_await cluster.All(kNamespaces);
  for (const json::value& ns : namespaces) {
    if (!IsMarked(ns)) moment.namespaces.insert(MetadataText(ns, "name"));
  }
  const std::vector<json::value> groups = co_await cluster.All(kOperatorGroups);
  for (const json::value& group : groups) AddGroup(group, namespaces, moment.groups);
  const std::vector<json::value> policies = co_await cluster.All(kPolicies);
  const std::vector<json::value> bindings = co_await cluster.All(kPolicyBindings);
  for (const json::value& policy : policies) {
    const std::string name = MetadataText(policy, "name");
    const auto bound = std::find_if(bindings.begin(), bindings.end(), [&name](const auto& binding) {
      return StringAt(In(binding.as_object(), "spec"), "policyName") == name;
    });
    if (bound == bindings.end()) continue;
    if (name == "steward-cleanup-opt-in") moment.opt_in_proof = ProofOf(policy, *bound);
    if (name == "steward-cleanup-uninstall") moment.protects_deletion = true;
  }
  const std::vector<json::value> deployments = co_await cluster.All(kDeployments);
  for (const json::value& object : deployments) {
    if (IsMarked(object)) continue;
    moment.deployments.insert({MetadataText(object, "namespace"), MetadataText(object, "name")});
  }
  const std::vector<json::value> definitions = co_await cluster.All(kCrds);
  for (const json::value& crd : definitions) {
    const std::string name = MetadataText(crd, "name");
    moment.definitions[name] = {MetadataText(crd, "uid"), IsMarked(crd)};
    if (name == kCsvDefinition) moment.has_csvs = !IsMarked(crd);
  }
  const std::vector<json::value> roles = co_await cluster.All(kClusterRoles);
  for (const json::value& role : roles) {
    if (!Has(role, kHold)) continue;
    const json::object& labels = In(MetaOf(role), "labels");
    moment.held[MetadataText(role, "name")] = {std::string(StringAt(labels, "olm.owner.namespace")),
                                               std::string(StringAt(labels, "olm.owner"))};
  }
  co_return moment;
}

}  // namespace steward::controllers
