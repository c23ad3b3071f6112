#include "bundle/finalized_objects.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"
#include "olm/alongside.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "olm/resources.h"

namespace steward::bundle {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 500;

// An object that may be the operator's.
struct Candidate {
  olm::ObjectFacts facts;
  std::vector<kube::NamespacedName> users;  // by its owner labels and annotations
};

absl::StatusOr<Candidate> ReadCandidate(const kube::RawObject& raw) {
  Candidate candidate;
  ASSIGN_OR_RETURN(candidate.facts, olm::DecodeObjectFacts(raw.json));
  ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
  const json::object* metadata = kube::MetadataOf(object);
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  if (annotations != nullptr) candidate.users = olm::InstalledAlongside(*annotations);
  const std::optional<kube::NamespacedName> owner = olm::OwnerOf(candidate.facts.labels);
  if (owner) candidate.users.push_back(*owner);
  return candidate;
}

}  // namespace

const std::vector<kube::GroupVersionResource>& FinalizedResources() {
  static const auto& resources = *new std::vector<kube::GroupVersionResource>{
      {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
      {"rbac.authorization.k8s.io", "v1", "clusterroles"},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"},
      kube::kApiServices,
      {"scheduling.k8s.io", "v1", "priorityclasses"},
      {"console.openshift.io", "v1", "consoleclidownloads"},
      {"console.openshift.io", "v1", "consolelinks"},
      {"console.openshift.io", "v1", "consoleplugins"},
      {"console.openshift.io", "v1", "consolequickstarts"},
      {"console.openshift.io", "v1", "consoleyamlsamples"},
  };
  return resources;
}

Task<bool> FinalizedObjects::AnyStays(std::vector<kube::NamespacedName> csvs) {
  for (const kube::NamespacedName& other : csvs) {
    if (other == csv_) continue;
    const auto known = others_.find(other);
    if (known != others_.end()) {
      if (known->second) co_return true;
      continue;
    }
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(olm::kCsvs, other);
    bool stays = false;
    if (!kube::IsNotFound(raw.status(), other.name)) {
      CO_RETURN_IF_ERROR(raw.status());
      CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
      // An operator that waits for its cleanup stays, because it needs its rights.
      const bool goes = facts.deleting() && !olm::WaitsForCleanup(facts);
      stays = !goes && !facts.labels.contains(std::string(olm::kCopiedFromLabel));
    }
    others_[other] = stays;
    if (stays) co_return true;
  }
  co_return false;
}

Task<std::vector<FinalizedObject>> FinalizedObjects::Find(kube::GroupVersionResource gvr) {
  std::vector<FinalizedObject> objects;
  // Objects name their operator in labels. A name that is no label value has none.
  if (!kube::LabelValueProblem(csv_.name).empty()) co_return objects;
  // Search by the owner labels; and by the annotation, in case another operator has become the
  // owner since.
  std::map<std::string, Candidate> found;
  const std::vector<std::string> selectors = {olm::OwnerSelector(csv_),
                                              std::string(olm::kOwnerLabel)};
  for (const std::string& selector : selectors) {
    kube::ListOptions list;
    list.label_selector = selector;
    list.limit = kPage;
    list.metadata_only = true;
    const absl::Status listed = co_await kube::VisitAll(
        client_, gvr, list, [this, &found](const kube::RawObject& raw) -> absl::Status {
          ASSIGN_OR_RETURN(Candidate candidate, ReadCandidate(raw));
          const auto& users = candidate.users;
          if (std::find(users.begin(), users.end(), csv_) == users.end()) return absl::OkStatus();
          const std::string name = candidate.facts.key.name;
          found.emplace(name, std::move(candidate));
          return absl::OkStatus();
        });
    // A cluster that does not serve the kind has none of its objects.
    if (kube::IsNotServed(listed)) co_return objects;
    CO_RETURN_IF_ERROR(listed);
  }
  for (auto& [name, candidate] : found) {
    CO_ASSIGN_OR_RETURN(const bool stays, co_await AnyStays(std::move(candidate.users)));
    objects.push_back({std::move(candidate.facts), stays});
  }
  co_return objects;
}

}  // namespace steward::bundle
