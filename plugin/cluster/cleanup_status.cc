#include "plugin/cluster/cleanup_status.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

absl::Status Malformed(std::string_view what) {
  return absl::DataLossError(StrCat("a CleanupStatus that cannot be understood: ", what));
}

std::string Text(const json::object& object, std::string_view key) {
  return std::string(StringAt(object, key));
}

int64_t CountAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) return 0;
  if (value->is_int64()) return std::max<int64_t>(0, value->get_int64());
  return value->is_uint64() ? static_cast<int64_t>(value->get_uint64() >> 1) : 0;
}

// The objects in a list; elements of other types are left out.
std::vector<const json::object*> ObjectsAt(const json::object& object, std::string_view key) {
  std::vector<const json::object*> objects;
  const json::array* list = ArrayAt(object, key);
  if (list == nullptr) return objects;
  for (const json::value& value : *list) {
    if (value.is_object()) objects.push_back(&value.get_object());
  }
  return objects;
}

std::vector<std::string> TextsAt(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::array* list = ArrayAt(object, key);
  if (list == nullptr) return texts;
  for (const json::value& value : *list) {
    if (value.is_string()) texts.emplace_back(View(value.get_string()));
  }
  return texts;
}

// The targets decide where operands may be deleted, so any unexpected form is an error.
absl::StatusOr<olm::TargetSet> DecodeTargets(const json::object& status) {
  const json::value* value = status.if_contains("targetNamespaces");
  if (value == nullptr || value->is_null()) return olm::TargetSet();
  const json::array* list = value->if_array();
  const std::vector<std::string> names = TextsAt(status, "targetNamespaces");
  if (list == nullptr || list->size() != names.size()) {
    return Malformed("targetNamespaces is no list of names");
  }
  if (std::find(names.begin(), names.end(), "*") == names.end()) return olm::TargetSet::Of(names);
  if (names.size() > 1) return Malformed("targetNamespaces has names beside *");
  return olm::TargetSet::All();
}

void DecodeLists(const json::object& status, CleanupStatus& out) {
  for (const json::object* each : ObjectsAt(status, "blockers")) {
    out.blockers.push_back({Text(*each, "reason"), Text(*each, "message"),
                            TextsAt(*each, "objects"), CountAt(*each, "objectsElsewhere")});
  }
  for (const json::object* each : ObjectsAt(status, "resources")) {
    out.resources.push_back(StrCat(StringAt(*each, "plural"), ".", StringAt(*each, "group")));
  }
  for (const json::object* each : ObjectsAt(status, "pendingDeletion")) {
    out.pending.push_back(
        {Text(*each, "resource"), {Text(*each, "namespace"), Text(*each, "name")}});
  }
  for (const json::object* each : ObjectsAt(status, "conditions")) {
    std::string reason = Text(*each, "reason");
    if (reason.empty()) reason = Text(*each, "type");
    out.conditions.push_back(
        {std::move(reason), Text(*each, "message"), Text(*each, "lastTransitionTime")});
  }
}

}  // namespace

absl::StatusOr<CleanupStatus> DecodeCleanupStatus(const json::value& object) {
  const json::object* root = object.if_object();
  const json::object* metadata = kube::MetadataOf(object);
  const json::object* status = root == nullptr ? nullptr : ObjectAt(*root, "status");
  if (metadata == nullptr || status == nullptr) return Malformed("no metadata or no status");
  CleanupStatus out;
  out.csv = kube::NameOf(object);
  if (out.csv.name.empty()) return Malformed("no name");
  out.created = Text(*metadata, "creationTimestamp");
  out.enabled = BoolAt(*status, "enabled");
  out.opted_in = BoolAt(*status, "optedIn");
  out.phase = Text(*status, "phase");
  if (out.phase.empty()) return Malformed("no phase");
  ASSIGN_OR_RETURN(out.targets, DecodeTargets(*status));
  out.pending_count = CountAt(*status, "pendingCount");
  out.started_at = Text(*status, "startedAt");
  out.stalled_since = Text(*status, "stalledSince");
  DecodeLists(*status, out);
  return out;
}

absl::StatusOr<CleanupStatus> DecodeCleanupStatusText(std::string_view json) {
  ASSIGN_OR_RETURN(const json::value value, ParseObject(json));
  return DecodeCleanupStatus(value);
}

Task<CleanupStatus> ReadCleanupStatus(kube::Client& client, kube::NamespacedName csv) {
  absl::StatusOr<kube::RawObject> raw = co_await client.Get(kCleanupStatuses, csv);
  if (raw.ok()) co_return DecodeCleanupStatusText(raw->json);
  if (kube::IsNotFound(raw.status(), csv.name)) {
    co_return absl::NotFoundError(
        StrCat("Steward does not know the ClusterServiceVersion ", csv.ns, "/", csv.name,
               ": it is new (try again in a moment), a copy, or lies in another namespace; "
               "\"kubectl steward status -A\" lists those it knows"));
  }
  if (kube::IsNotServed(raw.status())) {
    co_return absl::NotFoundError(
        StrCat("this cluster does not serve cleanupstatuses.views.operators.coreos.com: ",
               kWhereViewsAreNotServed));
  }
  const std::string doing =
      StrCat("reading cleanupstatuses.views.operators.coreos.com ", csv.ns, "/", csv.name);
  if (kube::IsTransient(raw.status())) {
    co_return WithContext(StrCat(doing, " (", kWhereViewsAreNotServed, ")"), raw.status());
  }
  co_return WithContext(doing, raw.status());
}

Task<std::vector<CleanupStatus>> ListCleanupStatuses(kube::Client& client, std::string ns,
                                                     std::string selector) {
  std::vector<CleanupStatus> statuses;
  const auto take = [&statuses](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(CleanupStatus status, DecodeCleanupStatusText(raw.json));
    statuses.push_back(std::move(status));
    return absl::OkStatus();
  };
  const absl::Status status = co_await VisitAll(client, kCleanupStatuses, std::move(ns),
                                                /*metadata_only=*/false, take, std::move(selector));
  if (kube::IsNotServed(status)) {
    co_return absl::NotFoundError(
        StrCat("this cluster does not serve cleanupstatuses.views.operators.coreos.com: ",
               kWhereViewsAreNotServed));
  }
  if (!status.ok()) {
    co_return WithContext("listing cleanupstatuses.views.operators.coreos.com", status);
  }
  std::sort(statuses.begin(), statuses.end(),
            [](const CleanupStatus& a, const CleanupStatus& b) { return a.csv < b.csv; });
  co_return statuses;
}

std::string DescribeBlocker(const CleanupStatus::Blocker& blocker) {
  std::string text = StrCat(blocker.reason, ": ", blocker.message);
  if (blocker.objects.empty() && blocker.elsewhere == 0) return text;
  constexpr size_t kShown = 5;
  std::vector<std::string> shown(
      blocker.objects.begin(),
      blocker.objects.begin() + static_cast<ptrdiff_t>(std::min(kShown, blocker.objects.size())));
  const int64_t more =
      static_cast<int64_t>(blocker.objects.size() - shown.size()) + blocker.elsewhere;
  if (more > 0) shown.push_back(StrCat(more, " more"));
  StrAppend(&text, " (", absl::StrJoin(shown, ", "), ")");
  return text;
}

}  // namespace steward::plugin
