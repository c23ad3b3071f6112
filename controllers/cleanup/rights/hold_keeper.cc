#include "controllers/cleanup/rights/hold_keeper.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/async/in_flight.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

using olm::HoldAction;

constexpr char kFieldManager[] = "steward-cleanup";

bool IsHeld(const olm::ObjectFacts& facts) { return facts.HasFinalizer(olm::kHoldFinalizer); }

// True if the kind is not served here.
bool IsUnserved(const absl::Status& status) {
  if (!kube::SaysNotFound(status)) return false;
  const kube::Status answer = kube::FromStatus(status);
  return answer.causes.empty() && answer.name.empty();
}

absl::Status Named(const HeldObject& object, const absl::Status& failure) {
  return absl::Status(failure.code(), StrCat(object.gvr.resource, " ", object.facts.key.name, ": ",
                                             Describe(failure)));
}

}  // namespace

size_t HoldState::held() const {
  size_t count = 0;
  for (const HeldObject& object : objects) count += IsHeld(object.facts) ? 1 : 0;
  return count;
}

std::vector<olm::ObjectFacts> HoldState::facts() const {
  std::vector<olm::ObjectFacts> facts;
  for (const HeldObject& object : objects) facts.push_back(object.facts);
  return facts;
}

StatusTask HoldKeeper::ListAll(std::string selector, std::vector<HeldObject>& objects) {
  // All kinds are listed at the same time: see GuardReader::Look.
  const std::vector<kube::GroupVersionResource>& kinds = olm::HeldResources();
  std::vector<std::vector<HeldObject>> found(kinds.size());
  std::vector<absl::Status> outcomes(kinds.size());
  const auto list = [this, &kinds, &selector, &found, &outcomes](size_t i) {
    return ListKind(kinds[i], selector, found[i], outcomes[i]);
  };
  co_await ForEachInFlight(kinds.size(), width_, list);
  absl::Status outcome;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (!outcomes[i].ok()) {
      if (!IsUnserved(outcomes[i])) outcome.Update(outcomes[i]);
      continue;
    }
    std::move(found[i].begin(), found[i].end(), std::back_inserter(objects));
  }
  co_return outcome;
}

VoidTask HoldKeeper::ListKind(kube::GroupVersionResource kind, std::string selector,
                              std::vector<HeldObject>& objects, absl::Status& outcome) {
  outcome = co_await ListLive(client_, kind, "", std::move(selector), Detail::kMetadata,
                              [&objects, &kind](const kube::RawObject& raw) -> absl::Status {
                                ASSIGN_OR_RETURN(olm::ObjectFacts facts,
                                                 olm::DecodeObjectFacts(raw.json));
                                if (IsHeld(facts) || olm::OwnerOf(facts.labels)) {
                                  objects.push_back({kind, std::move(facts)});
                                }
                                return absl::OkStatus();
                              });
}

Task<HoldState> HoldKeeper::Look(kube::NamespacedName csv) {
  HoldState state;
  // OLM cannot have used the name as a label's value, and a server refuses to select by it.
  if (!kube::LabelValueProblem(csv.name).empty()) co_return state;
  CO_RETURN_IF_ERROR(co_await ListAll(olm::OwnerSelector(csv), state.objects));
  co_return state;
}

StatusTask HoldKeeper::SetHold(const HeldObject& object, bool held) {
  std::vector<std::string> finalizers = object.facts.finalizers;
  if (held) {
    finalizers.emplace_back(olm::kHoldFinalizer);
  } else {
    finalizers = olm::FinalizersWithout(finalizers, {olm::kHoldFinalizer});
  }
  json::object metadata{{"resourceVersion", object.facts.resource_version}};
  if (finalizers.empty()) {
    metadata["finalizers"] = nullptr;
  } else {
    metadata["finalizers"] = json::array(finalizers.begin(), finalizers.end());
  }
  const json::value patch = json::object{{"metadata", std::move(metadata)}};
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  const absl::Status status = (co_await client_.Patch(object.gvr, object.facts.key,
                                                      kube::PatchType::kJsonMerge, patch, options))
                                  .status();
  if (kube::IsOvertaken(status)) co_return absl::OkStatus();
  // The kube-apiserver permits a write that changes only finalizers, because it grants nothing. But
  // with an old resourceVersion the write would change more, and is refused with "attempting to
  // grant RBAC permissions not currently held" before the conflict is noticed. (So is a write that
  // a mutating webhook changes; that stays a failure of this object.)
  if (kube::IsForbidden(status)) {
    const absl::StatusOr<bool> changed = co_await HasChanged(object);
    if (changed.ok() && *changed) co_return absl::OkStatus();
  }
  co_return status;
}

// Uses a list, because the account may only list roles and bindings.
Task<bool> HoldKeeper::HasChanged(const HeldObject& object) {
  kube::ListOptions options;
  options.field_selector = StrCat("metadata.name=", object.facts.key.name);
  options.metadata_only = true;
  CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client_.List(object.gvr, options));
  for (const kube::RawObject& now : page.items) {
    CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(now.json));
    if (facts.uid == object.facts.uid && facts.resource_version == object.facts.resource_version) {
      co_return false;
    }
  }
  co_return true;
}

StatusTask HoldKeeper::Hold(const olm::CsvFacts& csv, const HoldState& state) {
  absl::Status outcome;
  for (const HeldObject& object : state.objects) {
    const HoldAction action = olm::NextHoldAction(object.facts, &csv);
    if (action == HoldAction::kNone) continue;
    outcome.Update(co_await SetHold(object, action == HoldAction::kAdd));
  }
  co_return outcome;
}

StatusTask HoldKeeper::Release(const HoldState& state) {
  absl::Status outcome;
  for (const HeldObject& object : state.objects) {
    if (IsHeld(object.facts)) outcome.Update(co_await SetHold(object, false));
  }
  co_return outcome;
}

// The operators of held objects, as far as they are known.
struct HoldKeeper::Owners {
  std::map<kube::NamespacedName, olm::CsvFacts> opted_in;
  std::set<kube::NamespacedName> known;  // read or listed; others may exist, too
  // Operators whose own cleanup releases their rights, so the sweep leaves them alone.
  std::set<kube::NamespacedName> waiting;
  absl::Status failure;  // the first; an operator that could not be read is unknown

  explicit Owners(CsvListing listing)
      : known(std::move(listing.names)), waiting(std::move(listing.waiting)) {
    known.insert(waiting.begin(), waiting.end());
    for (olm::CsvFacts& csv : listing.csvs) TakeOptedIn(std::move(csv));
  }
  void TakeOptedIn(olm::CsvFacts csv) {
    if (!csv.OptedIn()) return;
    kube::NamespacedName key = csv.key;
    opted_in.emplace(std::move(key), std::move(csv));
  }
  void Take(const kube::NamespacedName& owner, std::optional<olm::CsvFacts> csv) {
    known.insert(owner);
    if (!csv.has_value()) return;
    if (olm::WaitsForCleanup(*csv)) waiting.insert(owner);
    TakeOptedIn(*std::move(csv));
  }
  bool MayLetGo(const std::optional<kube::NamespacedName>& owner) const {
    return !owner || (known.contains(*owner) && !waiting.contains(*owner));
  }
};

VoidTask HoldKeeper::FindUnlisted(CsvLister& csvs, const std::vector<HeldObject>& objects,
                                  Owners& owners) {
  std::set<kube::NamespacedName> unlisted;
  for (const HeldObject& object : objects) {
    if (!IsHeld(object.facts)) continue;
    const std::optional<kube::NamespacedName> owner = olm::OwnerOf(object.facts.labels);
    if (owner && !owners.known.contains(*owner)) unlisted.insert(*owner);
  }
  for (const kube::NamespacedName& owner : unlisted) {
    absl::StatusOr<std::optional<olm::CsvFacts>> csv = co_await csvs.Find(owner);
    if (csv.ok()) {
      owners.Take(owner, *std::move(csv));
    } else {
      owners.failure.Update(csv.status());
    }
  }
}

asio::awaitable<SweepResult> HoldKeeper::Sweep(CsvLister& csvs) {
  SweepResult result;
  // Read the operators after the objects. So if an operator is not being deleted now, it was not
  // being deleted when its object was listed as being deleted.
  std::vector<HeldObject> objects;
  result.failure = co_await ListAll("", objects);
  absl::StatusOr<CsvListing> listing = co_await csvs.List(CopyReading::kIgnored);
  if (!listing.ok()) {
    result.failure = listing.status();
    co_return result;
  }
  Owners owners(*std::move(listing));
  co_await FindUnlisted(csvs, objects, owners);
  result.failure.Update(owners.failure);
  result.look_at = owners.waiting;
  for (const HeldObject& object : objects) {
    const std::optional<kube::NamespacedName> owner = olm::OwnerOf(object.facts.labels);
    const auto found = owner ? owners.opted_in.find(*owner) : owners.opted_in.end();
    const olm::CsvFacts* csv = found == owners.opted_in.end() ? nullptr : &found->second;
    const HoldAction action = olm::NextHoldAction(object.facts, csv);
    const bool add = action == HoldAction::kAdd;
    if (action == HoldAction::kNone || (add && csv->deleting())) continue;
    if (!add && !owners.MayLetGo(owner)) continue;
    const absl::Status written = co_await SetHold(object, add);
    if (!written.ok()) {
      result.failure.Update(Named(object, written));
      continue;
    }
    ++(add ? result.added : result.released);
    if (add) result.look_at.insert(*owner);
  }
  if (result.added + result.released > 0) {
    log::Info("Operators' rights were swept",
              {{"held", result.added}, {"released", result.released}});
  }
  co_return result;
}

asio::awaitable<SweepResult> HoldKeeper::ReleaseAll() {
  SweepResult result;
  HoldState state;
  result.failure = co_await ListAll("", state.objects);
  for (const HeldObject& object : state.objects) {
    if (!IsHeld(object.facts)) continue;
    const absl::Status written = co_await SetHold(object, false);
    if (written.ok()) ++result.released;
    if (!written.ok()) result.failure.Update(Named(object, written));
  }
  co_return result;
}

}  // namespace steward::controllers
