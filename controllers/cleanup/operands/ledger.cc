#include "controllers/cleanup/operands/ledger.h"

#include <algorithm>
#include <functional>

#include "base/text/str_cat.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kAfterRecreation = absl::Seconds(5);
constexpr absl::Duration kAfterDenial = absl::Seconds(10);
constexpr absl::Duration kMaxWait = absl::Minutes(5);

uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

uint64_t KeyOf(const std::string& crd, const kube::NamespacedName& name) {
  return HashOf(StrCat(crd, "/", name.ns, "/", name.name));
}

absl::Duration Doubled(absl::Duration first, int times) {
  return std::min(first * static_cast<double>(1 << std::min(times, 10)), kMaxWait);
}

}  // namespace

DeletionLedger::Answer DeletionLedger::Ask(const std::string& crd, const kube::NamespacedName& name,
                                           std::string_view uid, absl::Duration now) const {
  const auto found = entries_.find(KeyOf(crd, name));
  if (found == entries_.end()) return entries_.size() < kMaxNames ? Answer::kDelete : Answer::kFull;
  const Entry& entry = found->second;
  const bool came_back = entry.uid != HashOf(uid);
  if (came_back && entry.deletions >= kMaxDeletions) return Answer::kRecreated;
  if ((came_back || entry.denials > 0) && now < entry.next) return Answer::kNotYet;
  return Answer::kDelete;
}

void DeletionLedger::NoteSent(const std::string& crd, const kube::NamespacedName& name,
                              std::string_view uid, absl::Duration now) {
  Entry& entry = entries_[KeyOf(crd, name)];
  if (entry.deletions > 0 && entry.uid == HashOf(uid)) return;
  entry.uid = HashOf(uid);
  ++entry.deletions;
  entry.denials = 0;
  entry.next = now + Doubled(kAfterRecreation, entry.deletions - 1);
}

void DeletionLedger::NoteDenied(const std::string& crd, const kube::NamespacedName& name,
                                absl::Duration now) {
  Entry& entry = entries_[KeyOf(crd, name)];
  entry.next = now + Doubled(kAfterDenial, entry.denials);
  if (entry.denials < 100) ++entry.denials;
}

}  // namespace steward::controllers
