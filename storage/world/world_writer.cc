#include "storage/world/world_writer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace steward::storage {

void WorldWriter::Put(Source source, ObjectPtr object, uint64_t revision) {
  state(source).history.Extend(revision);
  Advance(source, revision, PutAndLog(source, std::move(object), revision, revision - 1));
}

void WorldWriter::Remove(Source source, const kube::NamespacedName& key, uint64_t revision) {
  state(source).history.Extend(revision);
  Advance(source, revision, DropAndLog(source, key, revision, revision - 1));
}

void WorldWriter::ReplaceAbsent(Source source) {
  // An absent kind has no revision of its own. Its objects are logged as deleted at the newest
  // revision known of any source.
  uint64_t newest = 1;
  for (const SourceState& s : states()) newest = std::max(newest, s.seen());
  SourceState& s = state(source);
  const uint64_t floor = s.seen();
  s.history.HoldFrom(newest);
  bool visible = !s.synced;
  for (const kube::NamespacedName& key : world_->KeysOf(source)) {
    visible |= DropAndLog(source, key, newest, floor);
  }
  s.synced = true;
  s.absent = true;
  Advance(source, newest, visible);
}

void WorldWriter::Replace(Source source, std::vector<ObjectPtr> objects, uint64_t revision) {
  const SourceKind& kind = world_->set().kind(source);
  std::vector<kube::NamespacedName> listed;
  listed.reserve(objects.size());
  for (const ObjectPtr& object : objects) listed.push_back(kind.key_of(object));
  std::sort(listed.begin(), listed.end());

  SourceState& s = state(source);
  const uint64_t floor = s.seen();
  // A list below the seen revision is of another etcd, so this source starts over.
  bool visible = !s.synced || revision < floor;
  if (revision < floor) {
    // The revisions and bookmarks of another etcd mean nothing for this one.
    s.rev = s.component = 0;
    evidence_[static_cast<size_t>(source)].clear();
    lift_[static_cast<size_t>(source)] = 0;
    ++world_->epoch_;
  }
  s.history.BeginAnew(revision);
  // The first list changes nothing that was known before.
  const bool logged = s.synced && floor <= revision;
  for (const kube::NamespacedName& key : world_->KeysOf(source)) {
    if (std::binary_search(listed.begin(), listed.end(), key)) continue;
    visible |=
        logged ? DropAndLog(source, key, revision, floor) : world_->Drop(source, key).has_value();
  }
  for (ObjectPtr& object : objects) {
    visible |= logged ? PutAndLog(source, std::move(object), revision, floor)
                      : world_->Put(source, std::move(object)).has_value();
  }
  s.synced = true;
  s.absent = false;
  Advance(source, revision, visible);
}

bool WorldWriter::PutAndLog(Source source, ObjectPtr object, uint64_t revision, uint64_t floor) {
  kube::NamespacedName key = world_->set().kind(source).key_of(object);
  std::optional<ObjectPtr> before = world_->Put(source, std::move(object));
  if (!before.has_value()) return false;
  Log(source, floor, std::move(key), *std::move(before), revision);
  return true;
}

bool WorldWriter::DropAndLog(Source source, const kube::NamespacedName& key, uint64_t revision,
                             uint64_t floor) {
  std::optional<ObjectPtr> before = world_->Drop(source, key);
  if (!before.has_value()) return false;
  Log(source, floor, key, *std::move(before), revision);
  return true;
}

void WorldWriter::Log(Source source, uint64_t floor, kube::NamespacedName key, ObjectPtr before,
                      uint64_t revision) {
  const size_t bytes = before == nullptr ? 0 : world_->set().kind(source).size_of(before);
  state(source).history.Add(revision, {floor, std::move(key), std::move(before), bytes});
}

void WorldWriter::Progress(Source source, uint64_t revision) {
  state(source).history.Extend(revision);
  Advance(source, revision, false);
}

void WorldWriter::Bookmark(Source source, uint64_t revision, absl::Time now) {
  state(source).history.Extend(revision);
  std::deque<Evidence>& evidence = evidence_[static_cast<size_t>(source)];
  // Bookmarks within a second count as one.
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

namespace {

void Undo(World& world, Source source, const std::vector<const LoggedChange*>& changes) {
  for (size_t i = changes.size(); i-- > 0;) {
    if (changes[i]->before == nullptr) {
      world.Drop(source, changes[i]->key);
    } else {
      world.Put(source, changes[i]->before);
    }
  }
}

}  // namespace

void WorldWriter::Recall(Source source, uint64_t revision,
                         std::optional<std::vector<ObjectPtr>> objects) {
  History& history = state(source).history;
  const std::optional<History::Gap> gap = history.GapAt(revision);
  if (!gap.has_value()) return;
  const SourceKind& kind = world_->set().kind(source);
  const auto change = [&kind](uint64_t floor, const kube::NamespacedName& key, ObjectPtr before) {
    const size_t bytes = before == nullptr ? 0 : kind.size_of(before);
    return LoggedChange{floor, key, std::move(before), bytes};
  };
  // Goes from the current state back to the gap's end, and then to `revision`.
  const std::shared_ptr<World> then = world_->Copy();
  Undo(*then, source, history.Across({gap->after, UINT64_MAX}));
  const std::shared_ptr<World> before = then->Copy();
  std::vector<LoggedChange> since;
  std::set<kube::NamespacedName> touched;
  if (objects.has_value()) {
    std::set<kube::NamespacedName> listed;
    for (const ObjectPtr& object : *objects) {
      const kube::NamespacedName key = kind.key_of(object);
      listed.insert(key);
      if (then->Put(source, object).has_value()) since.push_back(change(revision, key, object));
    }
    for (const kube::NamespacedName& key : then->KeysOf(source)) {
      if (listed.contains(key) || !then->Drop(source, key).has_value()) continue;
      since.push_back(change(revision, key, nullptr));
    }
    for (const LoggedChange& each : since) touched.insert(each.key);
  }
  // Goes from the gap's end back to its beginning.
  std::vector<LoggedChange> until;
  if (gap->before != 0) {
    const std::vector<const LoggedChange*> across = history.Across(*gap);
    for (const LoggedChange* each : across) touched.insert(each->key);
    Undo(*before, source, across);
    for (const kube::NamespacedName& key : touched) {
      const std::optional<ObjectPtr> was = before->Drop(source, key);
      const bool differs = was.has_value() ? then->Put(source, *was).has_value()
                                           : then->Drop(source, key).has_value();
      if (differs) until.push_back(change(gap->before, key, was.value_or(nullptr)));
    }
  }
  // If objects changed between `revision` and the gap's end, the source has a visible change at the
  // gap's end.
  const bool changed = !since.empty();
  history.Bridge(revision, *gap, std::move(until), std::move(since));
  Advance(source, gap->after, changed);
}

void WorldWriter::SetConnected(Source source, bool connected) {
  state(source).connected = connected;
}

void WorldWriter::Advance(Source source, uint64_t revision, bool visible) {
  SourceState& s = state(source);
  if (visible) {
    s.rev = std::max(s.rev, revision);
    ++world_->changes_;
  }
  // The component never goes down. An earlier component still names the current state, unless `rev`
  // is above it.
  s.component = std::max({s.component, s.rev, lift_[static_cast<size_t>(source)]});
  // If the component is in the source's forgotten past, the newest revision names the state
  // instead.
  if (s.synced && s.history.Knows(s.component) != Knowledge::kKnown) s.component = s.seen();
  RaiseAbsent();
}

// An absent kind has no events. So its component is raised to the newest component of the others,
// and does not fall behind the clock.
void WorldWriter::RaiseAbsent() {
  uint64_t newest = 0;
  for (const SourceState& s : states()) {
    if (!s.absent) newest = std::max(newest, s.component);
  }
  for (SourceState& s : states()) {
    if (!s.absent || newest <= s.component) continue;
    s.history.Extend(newest);
    s.component = newest;
  }
}

}  // namespace steward::storage
