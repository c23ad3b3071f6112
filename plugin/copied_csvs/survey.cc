#include "plugin/copied_csvs/survey.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/metadata_access.h"
#include "olm/copy.h"
#include "olm/copy/comparison.h"
#include "olm/decode.h"
#include "olm/resources.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr int64_t kPageSize = 500;
// Originals are tens of kB each.
constexpr int64_t kCsvPageSize = 50;

std::string CopiedFrom(const json::value& object) {
  const json::object* metadata = ObjectAt(object.get_object(), "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  return labels == nullptr ? "" : std::string(StringAt(*labels, olm::kCopiedFromLabel));
}

// Lists everything of a kind. If a page has expired, the error tells the user to try again.
StatusTask VisitEach(kube::Client& client, kube::GroupVersionResource gvr,
                     kube::ListOptions options,
                     std::function<absl::Status(const kube::RawObject&)> visit) {
  const absl::Status status = co_await kube::VisitAll(client, gvr, options, visit);
  if (!status.ok()) co_return WithContext(StrCat("listing ", gvr.GroupResource()), status);
  co_return absl::OkStatus();
}

using Found = std::map<kube::NamespacedName, OperatorCopies>;

OperatorCopies& EntryOf(const kube::NamespacedName& csv, Found& found) {
  OperatorCopies& copies = found[csv];
  copies.csv = csv;
  return copies;
}

// Enters the slot of the copy `name` in the namespace `ns`. `source` is the namespace of the
// original that an existing copy names.
void Enter(const olm::ComparedSlot& slot, const std::string& ns, const std::string& source,
           const std::string& name, Found& found) {
  using Finding = olm::SlotFinding;
  if (slot.finding == Finding::kOther) return;
  OperatorCopies& copies = EntryOf(
      slot.original == nullptr ? kube::NamespacedName{source, name} : slot.original->key, found);
  if (slot.has_copy) ++copies.present;
  switch (slot.finding) {
    case Finding::kMissing:
      copies.creates.insert(ns);
      return;
    case Finding::kOrphan:
      copies.gone = true;
      copies.deletes.insert(ns);
      return;
    case Finding::kUnwanted:
      copies.deletes.insert(ns);
      return;
    case Finding::kLeftByDeletion:
    case Finding::kLeftWithoutGroup:
      copies.stays.insert(ns);
      copies.stays_since = olm::WhyItStays(slot.finding);
      return;
    case Finding::kOther:
    case Finding::kRight:
      return;
  }
}

}  // namespace

Task<CopiesSurvey> CopiesSurvey::Read(kube::Client& client) {
  CopiesSurvey survey;
  CO_RETURN_IF_ERROR(co_await survey.ReadAll(client));
  co_return survey;
}

StatusTask CopiesSurvey::ReadAll(kube::Client& client) {
  kube::ListOptions options;
  options.limit = kPageSize;
  CO_RETURN_IF_ERROR(co_await VisitEach(
      client, kNamespaces, options, [this](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::NamespacePtr ns, olm::DecodeNamespace(raw.json));
        namespaces_.push_back(std::move(ns));
        return absl::OkStatus();
      }));
  CO_RETURN_IF_ERROR(co_await VisitEach(
      client, olm::kOperatorGroups, options, [this](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::OperatorGroupPtr group, olm::DecodeOperatorGroup(raw.json));
        groups_[group->key.ns].push_back(std::move(group));
        return absl::OkStatus();
      }));
  options.label_selector = olm::kCopiedFromLabel;
  options.metadata_only = true;
  CO_RETURN_IF_ERROR(co_await VisitEach(
      client, olm::kCsvs, options, [this](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const json::value copy, ParseObject(raw.json));
        copies_[kube::NameOf(copy)] = CopiedFrom(copy);
        return absl::OkStatus();
      }));
  options.label_selector = StrCat("!", olm::kCopiedFromLabel);
  options.metadata_only = false;
  options.limit = kCsvPageSize;
  co_return co_await VisitEach(client, olm::kCsvs, options,
                               [this](const kube::RawObject& raw) -> absl::Status {
                                 ASSIGN_OR_RETURN(olm::CsvPtr csv, olm::DecodeCsv(raw.json));
                                 csvs_[csv->key] = csv;
                                 return absl::OkStatus();
                               });
}

std::vector<olm::Original> CopiesSurvey::OriginalsOf(const std::string& name) const {
  std::vector<olm::Original> found;
  for (const auto& [key, csv] : csvs_) {
    if (key.name != name || csv->copied) continue;
    const auto groups = groups_.find(key.ns);
    const bool one = groups != groups_.end() && groups->second.size() == 1;
    found.push_back({csv.get(), one ? groups->second.front().get() : nullptr});
  }
  return found;
}

std::vector<OperatorCopies> CopiesSurvey::Compare(bool off) const {
  olm::CopyPolicy policy;
  if (off) policy.global = olm::CopyPolicy::Global::kNotCopied;
  Found found;
  std::set<std::string> names;
  for (const auto& [key, csv] : csvs_) names.insert(key.name);
  for (const auto& [key, source] : copies_) names.insert(key.name);
  for (const std::string& name : names) {
    const std::vector<olm::Original> originals = OriginalsOf(name);
    for (const olm::Original& original : originals) {
      if (olm::IsForAllNamespaces(original)) EntryOf(original.csv->key, found);
    }
    for (const olm::NamespacePtr& ns : namespaces_) {
      const kube::NamespacedName key{ns->name, name};
      const auto copy = copies_.find(key);
      const auto copied = std::find_if(
          originals.begin(), originals.end(), [&copy, this](const olm::Original& original) {
            return copy != copies_.end() && original.csv->key.ns == copy->second;
          });
      const olm::ComparedSlot slot =
          olm::CompareSlot(*ns, originals,
                           {.taken = csvs_.contains(key),
                            .has_copy = copy != copies_.end(),
                            .copied = copied == originals.end() ? nullptr : &*copied},
                           policy);
      Enter(slot, ns->name, copy == copies_.end() ? "" : copy->second, name, found);
    }
  }
  std::vector<OperatorCopies> all;
  for (auto& [key, copies] : found) all.push_back(std::move(copies));
  return all;
}

}  // namespace steward::plugin
