#include "apiserver/views/installed_operator/watch_cursor.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "apiserver/views/installed_operator/selection.h"
#include "olm/targets.h"
#include "storage/world/rewind.h"
#include "storage/world/touched.h"

namespace steward::views {
namespace {

using storage::Source;
using storage::StateVector;
using storage::World;
using storage::WorldPtr;

// Beyond this a new list costs everybody less.
constexpr size_t kMaxLooks = 100'000;

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

int64_t Revision(uint64_t clock) { return static_cast<int64_t>(clock / storage::kTicks); }

// Every version that a source's objects had in a window of revisions.
template <typename Key, typename Ptr>
struct Versions {
  std::map<Key, std::vector<Ptr>> all;
  std::set<Key> touched;  // those that changed in the window
};

template <typename Key, typename Ptr, typename KeyOf>
Versions<Key, Ptr> VersionsOf(const World& world, Source source,
                              const storage::OrderedMap<Key, Ptr>& at_end, int64_t horizon,
                              uint64_t end, KeyOf key_of) {
  Versions<Key, Ptr> versions;
  for (auto it = at_end.begin(); !it.done(); it.Next()) {
    versions.all[it.key()].push_back(it.value());
  }
  const storage::History::Log& log = world.source(source).history.log();
  const uint64_t first = horizon < 0 ? 0 : static_cast<uint64_t>(horizon) + 1;
  for (auto it = log.LowerBound({first, 0}); !it.done() && it.key().first <= end; it.Next()) {
    const Key key = key_of(it.value().key);
    versions.touched.insert(key);
    const Ptr& before = std::get<Ptr>(it.value().before);
    if (before != nullptr) versions.all[key].push_back(before);
  }
  return versions;
}

}  // namespace

WatchCursor::WatchCursor(storage::Number start, uint64_t epoch, rest::Selection selection,
                         storage::RewindCache& past)
    : selection_(std::move(selection)),
      past_(past),
      epoch_(epoch),
      position_(start),
      number_(start.ToString()) {}

WatchCursor::Outcome WatchCursor::Next(const storage::Moment& now) {
  if (diff_) return Advance();
  // Another etcd: what the client has is of nothing that is known here.
  if (epoch_ != now.world->epoch()) return Outcome::kExpired;
  switch (now.world->Knows(position_.vector)) {
    case storage::Knowledge::kForgotten:
      return Outcome::kExpired;
    case storage::Knowledge::kNotYet:
      return Outcome::kNotYet;
    case storage::Knowledge::kKnown:
      break;
  }
  if (!BeginBurst(now)) return Outcome::kExpired;
  return diff_ ? Advance() : Outcome::kCurrent;
}

bool WatchCursor::BeginBurst(const storage::Moment& now) {
  StateVector target = now.world->Vector();
  // A component of the client's that is ahead is known to name the same state.
  for (size_t i = 0; i < target.size(); ++i) target[i] = std::max(target[i], position_.vector[i]);
  const bool complete = position_.mark == storage::Number::kComplete;
  if (complete && target == position_.vector) return true;

  std::set<kube::NamespacedName> again;
  if (!complete) {
    std::optional<std::set<kube::NamespacedName>> suspects = Suspects(now.world);
    if (!suspects) return false;
    again = *std::move(suspects);
  }
  storage::Touched touched = storage::TouchedBetween(*now.world, position_.vector, target);
  target_ = {std::max(now.clock, position_.clock), storage::Number::kComplete, target};
  // Of what is told again, anything may have happened since the horizon.
  low_ = again.empty() ? INT64_MAX : Revision(position_.clock) - PowerOfTen(position_.mark);
  if (!touched.empty()) low_ = std::min(low_, static_cast<int64_t>(touched.floor));
  has_event_ = false;
  WorldPtr before = past_.At(now.world, position_.vector);
  diff_ = std::make_unique<DiffCursor>(std::move(before), now.world, std::move(touched), selection_,
                                       std::move(again));
  return true;
}

WatchCursor::Outcome WatchCursor::Advance() {
  // One event is held back, to know the last.
  while (!diff_->done()) {
    std::optional<DiffEvent> found = diff_->Next();
    if (!found) {
      if (diff_->done()) break;
      return Outcome::kPause;
    }
    if (!has_event_) {
      has_event_ = true;
      target_.clock = std::max(target_.clock, position_.clock + 1);
      const int64_t revision = Revision(target_.clock);
      const int64_t low = std::min(low_, revision - 1);
      middle_mark_ = 0;
      while (middle_mark_ < 8 && revision - PowerOfTen(middle_mark_) > low) ++middle_mark_;
      ahead_ = std::move(found);
      continue;
    }
    event_ = std::exchange(ahead_, std::move(found));
    storage::Number middle = target_;
    middle.mark = middle_mark_;
    number_ = middle.ToString();
    return Outcome::kEvent;
  }
  number_ = target_.ToString();
  if (ahead_) {
    event_ = std::exchange(ahead_, std::nullopt);
    return Outcome::kEvent;
  }
  position_ = target_;
  event_.reset();
  diff_.reset();
  return has_event_ ? Outcome::kBurstEnd : Outcome::kQuiet;
}

// Keys that could have been visible under any combination of the versions in the window that a
// number inside a burst stands for.
std::optional<std::set<kube::NamespacedName>> WatchCursor::Suspects(const WorldPtr& now) const {
  const World& world = *now;
  const int64_t horizon = Revision(position_.clock) - PowerOfTen(position_.mark);
  for (size_t i = 0; i < storage::kSources; ++i) {
    const uint64_t part = position_.vector[i];
    const uint64_t known_from = world.source(static_cast<Source>(i)).history.KnownFrom(part);
    if (static_cast<int64_t>(part) > horizon &&
        static_cast<int64_t>(known_from) > std::max<int64_t>(horizon, 0)) {
      return std::nullopt;
    }
  }
  const WorldPtr then = past_.At(now, position_.vector);
  const auto same = [](const kube::NamespacedName& key) { return key; };
  const auto csvs = VersionsOf<kube::NamespacedName, olm::CsvPtr>(
      world, Source::kCsv, then->csvs(), horizon, position_.vector[0], same);
  const auto groups = VersionsOf<kube::NamespacedName, olm::OperatorGroupPtr>(
      world, Source::kOperatorGroup, then->operator_groups(), horizon, position_.vector[1], same);
  const auto namespaces = VersionsOf<std::string, olm::NamespacePtr>(
      world, Source::kNamespace, then->namespaces(), horizon, position_.vector[2],
      [](const kube::NamespacedName& key) { return key.name; });

  std::map<std::string, std::vector<olm::OperatorGroupPtr>> groups_in;
  for (const auto& [key, forms] : groups.all) {
    std::vector<olm::OperatorGroupPtr>& in = groups_in[key.ns];
    in.insert(in.end(), forms.begin(), forms.end());
  }
  std::set<std::string> installs_touched, names_touched;
  for (const kube::NamespacedName& key : groups.touched) installs_touched.insert(key.ns);
  for (const auto& [key, forms] : csvs.all) {
    if (csvs.touched.count(key) > 0 || installs_touched.count(key.ns) > 0) {
      names_touched.insert(key.name);
    }
  }
  const std::string* only_ns = SelectedNamespace(selection_);
  const std::string* only_name = SelectedName(selection_);
  const auto targeted = [&](const std::string& install, const std::string& ns) {
    const auto in = groups_in.find(install);
    if (in == groups_in.end()) return false;
    for (const olm::NamespacePtr& form : namespaces.all.at(ns)) {
      for (const olm::OperatorGroupPtr& group : in->second) {
        if (olm::Targets(*group, ns, form->labels)) return true;
      }
    }
    return false;
  };
  std::set<kube::NamespacedName> suspects;
  size_t looks = 0;
  const auto look = [&](const kube::NamespacedName& csv, const std::string& ns) {
    if (only_ns != nullptr && ns != *only_ns) return;
    ++looks;
    if (ns == csv.ns || targeted(csv.ns, ns)) suspects.insert({ns, csv.name});
  };
  for (const auto& [key, forms] : csvs.all) {
    if (only_name != nullptr && key.name != *only_name) continue;
    if (names_touched.count(key.name) > 0) {
      for (const auto& [ns, ns_forms] : namespaces.all) look(key, ns);
    } else {
      for (const std::string& ns : namespaces.touched) look(key, ns);
    }
    if (looks > kMaxLooks) return std::nullopt;
  }
  return suspects;
}

}  // namespace steward::views
