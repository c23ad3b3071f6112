#include "controllers/copies/followed_copies.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/race.h"
#include "base/async/yield.h"
#include "base/status/macros.h"
#include "controllers/copies/seen_copies.h"
#include "olm/copy.h"
#include "olm/copy/comparison.h"
#include "olm/copy/stored_copy.h"
#include "olm/objects.h"
#include "olm/resources.h"
#include "storage/reflector/reflector.h"

namespace steward::controllers {
namespace {

using storage::OperatorWorld;

// The limit of remembered namespaces of originals. Beyond it, the namespace of an original that is
// gone is unknown.
constexpr size_t kMaxSources = 10'000;

storage::ReflectorOptions AllCopies() {
  storage::ReflectorOptions options;
  options.gvr = olm::kCsvs;
  options.label_selector = std::string(olm::kCopiedFromLabel);
  options.metadata_only = true;
  options.may_be_absent = true;
  return options;
}

// Marks the end of a computation in its destructor, even on cancellation.
class Computing {
 public:
  Computing(bool& running, Broadcast& ended) : running_(running), ended_(ended) { running_ = true; }
  ~Computing() {
    running_ = false;
    ended_.Notify();
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  bool& running_;
  Broadcast& ended_;
};

}  // namespace

// The computation of one difference, name by name.
class FollowedCopies::Walk {
 public:
  Walk(storage::OperatorWorldPtr world, olm::CopyPolicy policy)
      : texts_(std::make_shared<std::set<std::string>>()) {
    result_.policy = std::move(policy);
    result_.world = std::move(world);
    for (auto it = result_.world->csvs().begin(); !it.done(); it.Next()) {
      if (!it.value()->copied) installs_[it.key().name].insert(it.key().ns);
    }
  }

  // The names whose slots may differ from their wanted content.
  std::set<std::string> Names(const std::set<std::string>& copies) {
    std::set<std::string> names = copies;
    for (const auto& [name, installs] : installs_) {
      size_t for_all = 0;
      for (const olm::Original& original : OriginalsIn(*result_.world, name, installs)) {
        if (olm::IsForAllNamespaces(original)) ++for_all;
      }
      result_.operators += for_all;
      if (for_all > 0) names.insert(name);
    }
    return names;
  }
  // Compares the slots of a name. False: there is neither an original nor a copy.
  bool Take(const std::string& name, const CompactIndex& index,
            const std::map<uint32_t, std::string>& sources) {
    const auto installs = installs_.find(name);
    bool any = installs != installs_.end();
    const std::vector<olm::Original> originals =
        any ? OriginalsIn(*result_.world, name, installs->second) : std::vector<olm::Original>();
    CompareSlots(
        *result_.world, index, name, originals, result_.policy,
        [&](const olm::Namespace& ns, const olm::ComparedSlot& slot) {
          any = any || slot.has_copy;
          result_.counts.Add(slot.finding);
          if (slot.finding == olm::SlotFinding::kOther ||
              slot.finding == olm::SlotFinding::kRight) {
            return;
          }
          if (slot.original != nullptr) {
            const kube::NamespacedName& key = slot.original->key;
            result_.changes.push_back({&ns, &key.name, &key.ns, slot.finding});
            return;
          }
          const auto source = sources.find(index.TagOf({ns.name, name}).value_or(0));
          result_.changes.push_back(
              {&ns, Keep(name), Keep(source == sources.end() ? "" : source->second), slot.finding});
        });
    return any;
  }
  CopiesDifferencePtr Finish(size_t copies) {
    std::sort(result_.changes.begin(), result_.changes.end(),
              [](const CopyChange& a, const CopyChange& b) { return a.place() < b.place(); });
    result_.copies = copies;
    result_.texts = std::move(texts_);
    return std::make_shared<const CopiesDifference>(std::move(result_));
  }

 private:
  const std::string* Keep(const std::string& text) { return &*texts_->insert(text).first; }

  CopiesDifference result_;
  std::shared_ptr<std::set<std::string>> texts_;
  std::map<std::string, std::set<std::string>> installs_;  // of originals, by name
};

FollowedCopies::FollowedCopies(kube::Client& client, Clock& clock, Random& random,
                               storage::WorldStore& worlds, CopyToggleDefaults defaults)
    : worlds_(worlds),
      toggle_(client, clock, random, std::move(defaults)),
      index_(client, clock, random, AllCopies(),
             {.observe = [this](const kube::RawObject& object) { return Observe(object); },
              .changed = [this](const kube::NamespacedName& copy,
                                const ContentDigest* content) { NoteCopy(copy, content); },
              .listed = [this] { NoteChange(); }}) {}

FollowedCopies::~FollowedCopies() = default;

VoidTask FollowedCopies::Run() {
  co_await UntilOneEnds(index_.Run(),
                        toggle_.Run({.told = [this] { NoteChange(); }, .other = nullptr}));
}

absl::StatusOr<CompactIndex::Observed> FollowedCopies::Observe(const kube::RawObject& object) {
  ASSIGN_OR_RETURN(const olm::StoredCopy copy, olm::ReadStoredCopy(object.json));
  const std::string source = copy.copied_from.value_or("");
  const uint32_t tag = TagOfSource(source);
  if (sources_.size() < kMaxSources) sources_.try_emplace(tag, source);
  return CompactIndex::Observed{copy.key, DigestOf(source), tag};
}

void FollowedCopies::NoteCopy(const kube::NamespacedName& copy, const ContentDigest* content) {
  if (content != nullptr) names_.insert(copy.name);
  // Before the list is complete, nothing can be compared.
  if (index_.health().ok()) NoteChange();
}

void FollowedCopies::NoteChange() {
  ++version_;
  changed_.Notify();
}

absl::Status FollowedCopies::health() const {
  RETURN_IF_ERROR(index_.health());
  if (!worlds_.Current()->synced()) {
    return absl::UnavailableError("ClusterServiceVersions are not listed yet");
  }
  return absl::OkStatus();
}

olm::CopyPolicy FollowedCopies::PolicyFor(std::optional<bool> disabled) const {
  return disabled ? toggle_.PolicyBy(disabled) : toggle_.policy();
}

CopiesDifferencePtr FollowedCopies::Remembered(const Known& known, const olm::CopyPolicy& policy,
                                               uint64_t since) const {
  if (known.difference == nullptr || known.difference->policy != policy) return nullptr;
  const bool same = known.version == version_ && known.difference->world == worlds_.Current();
  return same || known.begun > since ? known.difference : nullptr;
}

Task<CopiesDifferencePtr> FollowedCopies::Compare(std::optional<bool> disabled) {
  Known& known = known_[!disabled ? 0 : *disabled ? 1 : 2];
  const uint64_t since = begun_;
  while (true) {
    CO_RETURN_IF_ERROR(health());
    if (CopiesDifferencePtr found = Remembered(known, PolicyFor(disabled), since)) co_return found;
    if (!computing_) break;
    const Broadcast::Ticket ticket = computed_.Now();
    co_await computed_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
  }
  const Computing computing(computing_, computed_);
  const uint64_t begun = ++begun_;
  const uint64_t version = version_;
  CO_ASSIGN_OR_RETURN(CopiesDifferencePtr difference,
                      co_await Compute(OperatorWorld::Of(worlds_.Current()), PolicyFor(disabled)));
  known = {.begun = begun, .version = version, .difference = difference};
  co_return difference;
}

Task<CopiesDifferencePtr> FollowedCopies::Compute(storage::OperatorWorldPtr world,
                                                  olm::CopyPolicy policy) {
  Walk walk(std::move(world), std::move(policy));
  const uint64_t version = version_;
  std::vector<std::string> forgotten;
  for (const std::string& name : walk.Names(names_)) {
    if (!walk.Take(name, index_, sources_)) forgotten.push_back(name);
    co_await Yield();
    CO_RETURN_IF_ERROR(health());
  }
  if (version == version_) {
    for (const std::string& name : forgotten) names_.erase(name);
  }
  co_return walk.Finish(index_.size());
}

}  // namespace steward::controllers
