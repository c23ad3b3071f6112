#include "controllers/olm_config/disabled_notices.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_object.h"
#include "kube/client/pager.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/config/olm_config.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kComponent[] = "steward-copied-csvs";
// The component in the Events of olm-operator, which writes one for each operator.
constexpr std::string_view kOlmComponent = "operator-lifecycle-manager";
constexpr int64_t kPageSize = 500;

const kube::GroupVersionKind kNamespaceKind = {"", "v1", "Namespace"};

using Global = olm::CopyPolicy::Global;

// The operators for all namespaces that are copied while copies are enabled.
std::vector<const olm::Csv*> NotCopied(const storage::OperatorWorld& world) {
  std::vector<const olm::Csv*> found;
  // A namespace that gets a copy while copies are enabled.
  olm::Namespace elsewhere;
  const olm::CopyPolicy copied;
  for (auto it = world.csvs().begin(); !it.done(); it.Next()) {
    const olm::Csv& csv = *it.value();
    const storage::EffectiveGroup* group = world.GroupIn(csv.key.ns);
    if (group == nullptr) continue;
    const olm::Original original{&csv, group->group.get()};
    if (!olm::IsForAllNamespaces(original)) continue;
    if (olm::ClaimOn(original, elsewhere, copied) == olm::Claim::kWants) found.push_back(&csv);
  }
  return found;
}

std::string EventName(const ObjectReference& about) {
  const std::string digest =
      Sha256(StrCat(about.gvk.kind, "/", about.name.ns, "/", about.name.name, "/", about.uid));
  return StrCat("steward-copies-disabled-", absl::BytesToHexString(digest.substr(0, 8)));
}

}  // namespace

// An Event of the reason in the cluster.
struct DisabledNotices::Written {
  kube::NamespacedName name;
  std::string uid;
  std::string about_kind;
  std::string about_uid;
};

std::vector<Notice> NoticesFor(const storage::OperatorWorld& world, const olm::CopyPolicy& policy) {
  std::vector<Notice> notices;
  if (policy.global != Global::kNotCopied) return notices;
  std::set<std::string> installs;
  for (const olm::Csv* csv : NotCopied(world)) {
    installs.insert(csv->key.ns);
    notices.push_back({{olm::kCsvKind, csv->key, csv->uid},
                       StrCat("CSV copying disabled for ", csv->key.ns, "/", csv->key.name)});
  }
  for (auto it = world.namespaces().begin(); !it.done(); it.Next()) {
    const olm::Namespace& ns = *it.value();
    const size_t others = installs.size() - installs.count(ns.name);
    if (others == 0 || ns.terminating || policy.protected_namespaces.contains(ns.name)) continue;
    notices.push_back(
        {{kNamespaceKind, {ns.name, ns.name}, ns.uid},
         "Operators for all namespaces work here but are not copied here (OLMConfig cluster: "
         "disableCopiedCSVs); where Steward serves them, InstalledOperators show them: kubectl get "
         "installedoperators, or in the console Installed Operators of this project"});
  }
  return notices;
}

Task<std::vector<DisabledNotices::Written>> DisabledNotices::ReadAll() {
  std::vector<Written> found;
  kube::ListOptions options;
  options.field_selector = StrCat("reason=", olm::kDisabledCopiedCsvs);
  options.limit = kPageSize;
  const auto take = [&found](const kube::RawObject& object) -> absl::Status {
    ASSIGN_OR_RETURN(const json::value value, ParseJson(object.json));
    const json::object* event = value.if_object();
    if (event == nullptr || StringAt(*event, "reason") != olm::kDisabledCopiedCsvs) {
      return absl::OkStatus();
    }
    const json::object* source = ObjectAt(*event, "source");
    const json::object* about = ObjectAt(*event, "involvedObject");
    if (source == nullptr || about == nullptr) return absl::OkStatus();
    const std::string_view component = StringAt(*source, "component");
    if (component != kComponent && component != kOlmComponent) return absl::OkStatus();
    found.push_back({.name = kube::NameOf(value),
                     .uid = kube::MetadataText(value, "uid"),
                     .about_kind = std::string(StringAt(*about, "kind")),
                     .about_uid = std::string(StringAt(*about, "uid"))});
    return absl::OkStatus();
  };
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(client_, kEvents, options, take));
  co_return found;
}

StatusTask DisabledNotices::Bring(std::vector<Notice> wanted) {
  CO_ASSIGN_OR_RETURN(std::vector<Written> written, co_await ReadAll());
  std::map<std::pair<std::string, std::string>, const Notice*> missing;  // by kind and UID
  for (const Notice& notice : wanted) {
    missing.emplace(std::pair(notice.about.gvk.kind, notice.about.uid), &notice);
  }
  std::vector<Written> surplus;
  for (Written& event : written) {
    // A second Event about the same object is surplus, because its notice is not missing any more.
    if (missing.erase({event.about_kind, event.about_uid}) == 0) {
      surplus.push_back(std::move(event));
    }
  }
  std::vector<const Notice*> create;
  for (const auto& [key, notice] : missing) create.push_back(notice);
  const absl::Time now = clock_.Now();
  const auto write = [&, this](size_t number, kube::SendCheck may_send) -> StatusTask {
    if (number < create.size()) {
      const Notice& notice = *create[number];
      const EventObject event{.name = {notice.about.name.ns, EventName(notice.about)},
                              .about = notice.about,
                              .type = EventType::kWarning,
                              .reason = std::string(olm::kDisabledCopiedCsvs),
                              .message = notice.message,
                              .component = kComponent,
                              .instance = kComponent,
                              .first = now,
                              .last = now};
      kube::WriteOptions options;
      options.may_send = std::move(may_send);
      const json::value object = event.ToJson();
      co_return (co_await client_.Create(kEvents, event.name.ns, object, options)).status();
    }
    const Written& event = surplus[number - create.size()];
    kube::DeleteOptions options;
    options.uid = event.uid;
    options.may_send = std::move(may_send);
    co_return (co_await client_.Delete(kEvents, event.name, options)).status();
  };
  const WriteCounts counts = co_await writer_.Run(create.size() + surplus.size(), write);
  CO_RETURN_IF_ERROR(counts.ended);
  co_return counts.failure;
}

}  // namespace steward::controllers
