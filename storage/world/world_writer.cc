#include "storage/world/world_writer.h"

#include <algorithm>
#include <utility>

#include "storage/world/world_editor.h"

namespace steward::storage {
namespace {

const kube::NamespacedName& KeyOf(const olm::Csv& csv) { return csv.key; }
const kube::NamespacedName& KeyOf(const olm::OperatorGroup& group) { return group.key; }
kube::NamespacedName KeyOf(const olm::Namespace& ns) { return {"", ns.name}; }

}  // namespace

template <typename T>
void WorldWriter::PutOne(Source source, T object, uint64_t revision) {
  state(source).history.Extend(revision);
  const bool visible = ChangeAndLog(source, std::move(object), revision, revision - 1);
  Advance(source, revision, visible);
}

void WorldWriter::Put(olm::CsvPtr csv, uint64_t revision) {
  PutOne(Source::kCsv, std::move(csv), revision);
}
void WorldWriter::Put(olm::OperatorGroupPtr group, uint64_t revision) {
  PutOne(Source::kOperatorGroup, std::move(group), revision);
}
void WorldWriter::Put(olm::NamespacePtr ns, uint64_t revision) {
  PutOne(Source::kNamespace, std::move(ns), revision);
}

void WorldWriter::Remove(Source source, const kube::NamespacedName& key, uint64_t revision) {
  state(source).history.Extend(revision);
  Advance(source, revision, DropAndLog(source, key, revision, revision - 1));
}

void WorldWriter::Replace(std::vector<olm::CsvPtr> objects, uint64_t revision) {
  ReplaceAll(Source::kCsv, Keys(Source::kCsv), std::move(objects), revision);
}
void WorldWriter::Replace(std::vector<olm::OperatorGroupPtr> objects, uint64_t revision) {
  ReplaceAll(Source::kOperatorGroup, Keys(Source::kOperatorGroup), std::move(objects), revision);
}
void WorldWriter::Replace(std::vector<olm::NamespacePtr> objects, uint64_t revision) {
  ReplaceAll(Source::kNamespace, Keys(Source::kNamespace), std::move(objects), revision);
}

void WorldWriter::ReplaceAbsent(Source source) {
  // An absent kind has no revision of its own; what vanished with it did so no earlier than the
  // newest one known.
  uint64_t newest = 1;
  for (const SourceState& s : world_.sources_) newest = std::max(newest, s.seen());
  SourceState& s = state(source);
  const uint64_t floor = s.seen();
  s.history.HoldFrom(newest);
  bool visible = !s.synced;
  for (const kube::NamespacedName& key : Keys(source)) {
    visible |= DropAndLog(source, key, newest, floor);
  }
  s.synced = true;
  s.absent = true;
  Advance(source, newest, visible);
}

template <typename T>
void WorldWriter::ReplaceAll(Source source, std::vector<kube::NamespacedName> present,
                             std::vector<T> objects, uint64_t revision) {
  std::vector<kube::NamespacedName> listed;
  listed.reserve(objects.size());
  for (const T& object : objects) listed.push_back(KeyOf(*object));
  std::sort(listed.begin(), listed.end());

  SourceState& s = state(source);
  const uint64_t floor = s.seen();
  // A list from before what was seen is of another etcd: where this source stands begins anew.
  bool visible = !s.synced || revision < floor;
  if (revision < floor) {
    s.rev = 0;
    ++world_.epoch_;
  }
  s.history.BeginAnew(revision);
  // The first list is no change of anything that was known.
  const bool logged = s.synced && floor <= revision;
  for (const kube::NamespacedName& key : present) {
    if (std::binary_search(listed.begin(), listed.end(), key)) continue;
    visible |=
        logged ? DropAndLog(source, key, revision, floor) : WorldEditor(world_).Drop(source, key);
  }
  for (T& object : objects) {
    visible |= logged ? ChangeAndLog(source, std::move(object), revision, floor)
                      : WorldEditor(world_).Change(std::move(object));
  }
  s.synced = true;
  s.absent = false;
  Advance(source, revision, visible);
}

bool WorldWriter::DropAndLog(Source source, const kube::NamespacedName& key, uint64_t revision,
                             uint64_t floor) {
  LoggedChange change{floor, key, Present(source, key)};
  if (!WorldEditor(world_).Drop(source, key)) return false;
  state(source).history.Add(revision, std::move(change));
  return true;
}

template <typename T>
bool WorldWriter::ChangeAndLog(Source source, T object, uint64_t revision, uint64_t floor) {
  const kube::NamespacedName key = KeyOf(*object);
  LoggedChange change{floor, key, Present(source, key)};
  if (!WorldEditor(world_).Change(std::move(object))) return false;
  state(source).history.Add(revision, std::move(change));
  return true;
}

SourceObject WorldWriter::Present(Source source, const kube::NamespacedName& key) const {
  switch (source) {
    case Source::kCsv: {
      const olm::CsvPtr* found = world_.csvs_.Find(key);
      return found == nullptr ? olm::CsvPtr() : *found;
    }
    case Source::kOperatorGroup: {
      const olm::OperatorGroupPtr* found = world_.groups_.Find(key);
      return found == nullptr ? olm::OperatorGroupPtr() : *found;
    }
    case Source::kNamespace: {
      const olm::NamespacePtr* found = world_.namespaces_.Find(key.name);
      return found == nullptr ? olm::NamespacePtr() : *found;
    }
  }
  return olm::CsvPtr();
}

std::vector<kube::NamespacedName> WorldWriter::Keys(Source source) const {
  std::vector<kube::NamespacedName> keys;
  switch (source) {
    case Source::kCsv:
      for (auto it = world_.csvs_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
      break;
    case Source::kOperatorGroup:
      for (auto it = world_.groups_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
      break;
    case Source::kNamespace:
      for (auto it = world_.namespaces_.begin(); !it.done(); it.Next()) {
        keys.push_back({"", it.key()});
      }
      break;
  }
  return keys;
}

void WorldWriter::Progress(Source source, uint64_t revision) {
  state(source).history.Extend(revision);
  Advance(source, revision, false);
}

void WorldWriter::Bookmark(Source source, uint64_t revision, absl::Time now) {
  state(source).history.Extend(revision);
  std::deque<Evidence>& evidence = evidence_[static_cast<size_t>(source)];
  // Many bookmarks within a second are one.
  if (!evidence.empty() && now - evidence.back().time < absl::Seconds(1)) evidence.pop_back();
  evidence.push_back({now, state(source).seen()});
  while (evidence.size() > 1 && now - evidence[1].time >= kBookmarkAge) evidence.pop_front();
  if (now - evidence.front().time >= kBookmarkAge) {
    lift_[static_cast<size_t>(source)] = evidence.front().revision;
  }
  Advance(source, revision, false);
}

void WorldWriter::Confirm(Source source, uint64_t revision) {
  state(source).history.BeginAnew(revision);
  Advance(source, revision, false);
}

void WorldWriter::SetConnected(Source source, bool connected) {
  state(source).connected = connected;
}

void WorldWriter::Advance(Source source, uint64_t revision, bool visible) {
  SourceState& s = state(source);
  if (visible) {
    s.rev = std::max(s.rev, revision);
    ++world_.changes_;
  }
  uint64_t& lift = lift_[static_cast<size_t>(source)];
  // Evidence of another etcd says nothing of this one.
  if (lift > s.seen()) lift = 0;
  s.component = std::max(s.rev, lift);
  // A state that only this source's forgotten past could name is named by its newest revision.
  if (s.synced && s.history.Knows(s.component) != Knowledge::kKnown) s.component = s.seen();
  RaiseAbsent();
}

// Nothing is heard of an absent kind: its state is named by what the others have come to, lest its
// component fall ever farther behind the clock.
void WorldWriter::RaiseAbsent() {
  uint64_t newest = 0;
  for (const SourceState& s : world_.sources_) {
    if (!s.absent) newest = std::max(newest, s.component);
  }
  for (SourceState& s : world_.sources_) {
    if (!s.absent || newest <= s.component) continue;
    s.history.Extend(newest);
    s.component = newest;
  }
}

}  // namespace steward::storage
