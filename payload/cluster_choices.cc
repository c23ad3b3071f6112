#include "payload/cluster_choices.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/condition.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 500;

// Reads the cluster's single object of a kind of config.openshift.io/v1. The result is empty if
// there is none.
Task<json::object> ReadConfig(kube::Client& client, kube::RestMapper& mapper, std::string kind,
                              std::string object_name) {
  const kube::GroupVersionKind gvk = {"config.openshift.io", "v1", kind};
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping, co_await mapper.Find(gvk));
  if (!mapping) co_return json::object();
  const kube::NamespacedName name = {"", object_name};
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(mapping->gvr, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return json::object();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(json::value value, ParseJson(raw->json));
  if (!value.is_object()) co_return absl::DataLossError(StrCat(kind, " ", object_name, " is none"));
  co_return std::move(value.get_object());
}

const json::array& ListOf(const json::object& object, std::string_view key) {
  static const json::array kNone;
  const json::array* list = ArrayAt(object, key);
  return list == nullptr ? kNone : *list;
}

std::set<std::string> Texts(const json::array& list) {
  std::set<std::string> texts;
  for (const json::value& each : list) {
    if (each.is_string()) texts.emplace(View(each.get_string()));
  }
  return texts;
}

void TakeClusterVersion(const json::object& object, olm::ClusterChoices& choices) {
  for (const json::value& each : ListOf(PartOf(object, "spec"), "overrides")) {
    const json::object* override = each.if_object();
    if (override == nullptr || !BoolAt(*override, "unmanaged")) continue;
    const olm::PayloadIdentity identity = {
        std::string(StringAt(*override, "group")), std::string(StringAt(*override, "kind")),
        std::string(StringAt(*override, "namespace")), std::string(StringAt(*override, "name"))};
    choices.unmanaged.insert(identity.Stored());
  }
  const json::object& capabilities = PartOf(PartOf(object, "status"), "capabilities");
  if (capabilities.empty()) return;
  choices.capabilities = olm::Capabilities{Texts(ListOf(capabilities, "knownCapabilities")),
                                           Texts(ListOf(capabilities, "enabledCapabilities"))};
}

void TakeFeatureGate(const json::object& object, const std::string& version,
                     olm::ClusterChoices& choices) {
  choices.feature_set = StringAt(PartOf(object, "spec"), "featureSet");
  choices.gates_known = false;
  // The operator that writes the gates of a new release into FeatureGate may itself be part of that
  // release. Until it has done so, the gates of the last listed release are taken.
  for (const json::value& each : ListOf(PartOf(object, "status"), "featureGates")) {
    const json::object* of = each.if_object();
    if (of == nullptr) continue;
    choices.gates.clear();
    for (const json::value& gate : ListOf(*of, "enabled")) {
      if (gate.is_object()) choices.gates.emplace(StringAt(gate.get_object(), "name"));
    }
    choices.gates_known = StringAt(*of, "version") == version;
    if (choices.gates_known) return;
  }
}

// Returns `name: reason: message` if the ClusterOperator reports Upgradeable=False.
std::optional<std::string> NotUpgradeable(const json::value& value) {
  const std::string name = kube::MetadataText(value, "name");
  if (!value.is_object() || name == kPayloadOperator) return std::nullopt;
  const json::object* condition = kube::ConditionOf(value.get_object(), "Upgradeable");
  if (condition == nullptr || StringAt(*condition, "status") != "False") return std::nullopt;
  return StrCat("ClusterOperator ", name, ": ", StringAt(*condition, "reason"), ": ",
                StringAt(*condition, "message"));
}

}  // namespace

Task<olm::ClusterChoices> ReadClusterChoices(kube::Client& client, kube::RestMapper& mapper,
                                             olm::ClusterChoices given, std::string version) {
  CO_ASSIGN_OR_RETURN(const json::object cluster_version,
                      co_await ReadConfig(client, mapper, "ClusterVersion", "version"));
  TakeClusterVersion(cluster_version, given);
  CO_ASSIGN_OR_RETURN(const json::object gates,
                      co_await ReadConfig(client, mapper, "FeatureGate", "cluster"));
  if (!gates.empty()) TakeFeatureGate(gates, version, given);
  co_return given;
}

Task<std::vector<std::string>> ReadNotUpgradeable(kube::Client& client, kube::RestMapper& mapper) {
  const kube::GroupVersionKind gvk = {"config.openshift.io", "v1", "ClusterOperator"};
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping, co_await mapper.Find(gvk));
  std::vector<std::string> found;
  if (!mapping) co_return found;
  kube::ListOptions list;
  list.limit = kPage;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(
      client, mapping->gvr, list, [&found](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const json::value value, ParseJson(raw.json));
        if (std::optional<std::string> text = NotUpgradeable(value)) found.push_back(*text);
        return absl::OkStatus();
      }));
  co_return found;
}

}  // namespace steward::payload
