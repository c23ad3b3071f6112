#include "bundle/owned_objects.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_access.h"
#include "base/json/json_object.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"

namespace steward::bundle {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 500;
// The number of kinds that are read at the same time.
constexpr size_t kWidth = 8;
constexpr size_t kMaxOwned = 100'000;

bool Has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

StatusTask VisitMetadata(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                         std::string selector,
                         std::function<void(const json::object& metadata)> take) {
  kube::ListOptions options;
  options.ns = std::move(ns);
  options.label_selector = std::move(selector);
  options.limit = kPage;
  options.metadata_only = true;
  const auto visit = [take = std::move(take)](const kube::RawObject& raw) {
    const absl::StatusOr<json::object> object = ParseJsonObject(raw.json);
    const json::object* metadata = object.ok() ? ObjectAt(*object, "metadata") : nullptr;
    if (metadata != nullptr) take(*metadata);
    return absl::OkStatus();
  };
  return kube::VisitAll(client, std::move(gvr), std::move(options), visit);
}

kube::NamespacedName NameIn(const json::object& metadata) {
  return {std::string(StringAt(metadata, "namespace")), std::string(StringAt(metadata, "name"))};
}

// For each resource, takes the version that its group prefers among those that serve it.
StatusTask OwnedObjectReader::Discover() {
  CO_ASSIGN_OR_RETURN(const std::vector<kube::GroupVersion> versions,
                      co_await client_.DiscoverGroups());
  std::set<std::pair<std::string, std::string>> known;
  for (const kube::GroupVersion& version : versions) {
    const absl::StatusOr<std::vector<kube::ApiResource>> served =
        co_await client_.Discover(version);
    if (kube::IsNotServed(served.status())) continue;
    if (!served.ok()) {
      unread_.push_back({version.ApiVersion(), served.status()});
      continue;
    }
    for (const kube::ApiResource& each : *served) {
      kind_names_[{version.group, version.version, each.resource}] = each.kind;
      const bool counts = each.namespaced && Has(each.verbs, "list") && Has(each.verbs, "delete");
      if (!counts || !known.emplace(version.group, each.resource).second) continue;
      if (each.kind == "Event") continue;
      kinds_.push_back({{version.group, version.version, each.resource}, each.kind});
    }
  }
  co_return absl::OkStatus();
}

const std::string& OwnedObjectReader::KindOf(const kube::GroupVersionResource& gvr) const {
  const auto known = kind_names_.find(gvr);
  return known == kind_names_.end() ? gvr.resource : known->second;
}

VoidTask OwnedObjectReader::ReadKind(const Kind& kind, const std::string& ns, OwnedObjects& found) {
  const auto take = [&kind, &found](const json::object& metadata) {
    std::string uid(StringAt(metadata, "uid"));
    const json::array* owners = ArrayAt(metadata, "ownerReferences");
    if (owners != nullptr && !owners->empty() && found.by_uid.size() < kMaxOwned) {
      OwnedObject owned{{kind.gvr.group, kind.gvr.version, kind.kind}, NameIn(metadata), uid, {}};
      for (const json::value& each : *owners) {
        if (each.is_object()) owned.owners.emplace(StringAt(each.get_object(), "uid"));
      }
      found.by_uid.try_emplace(uid, std::move(owned));
    }
    found.present.insert(std::move(uid));
  };
  const absl::Status listed = co_await VisitMetadata(client_, kind.gvr, ns, "", take);
  if (listed.ok() || kube::IsNotServed(listed)) co_return;
  const bool core = kind.gvr.group.empty();
  found.unread.push_back({StrCat(kind.gvr.resource, core ? "" : ".", kind.gvr.group), listed});
}

Task<OwnedObjects> OwnedObjectReader::Read(std::string ns) {
  OwnedObjects found;
  const auto read = [&](size_t i) { return ReadKind(kinds_[i], ns, found); };
  co_await ForEachInFlight(kinds_.size(), kWidth, read);
  co_return std::move(found);
}

}  // namespace steward::bundle
