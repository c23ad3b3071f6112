#include "kube/testing/fake_resource.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status/macros.h"
#include "kube/client/raw_object.h"
#include "kube/meta/status.h"
#include "kube/testing/list_filter.h"

namespace steward::kube {
namespace {

bool IsIn(const std::string& ns, const NamespacedName& name) { return ns.empty() || name.ns == ns; }

// Continue tokens are "<revision>.<index of the next item>".
bool ReadToken(const std::string& token, uint64_t& revision, size_t& index) {
  const char* const end = token.data() + token.size();
  const auto first = std::from_chars(token.data(), end, revision);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  const auto second = std::from_chars(first.ptr + 1, end, index);
  return second.ec == std::errc() && second.ptr == end;
}

}  // namespace

void FakeStream::Push(Item item) {
  if (over) return;
  items.push_back(std::move(item));
  if (reader) std::exchange(reader, nullptr)->Wake();
}

bool FakeStream::Takes(const NamespacedName& name, const RawObject& object) const {
  return IsIn(ns, name) && filter.Takes(object);
}

void FakeResource::PushToAll(const FakeStream::Item& item) {
  for (const std::shared_ptr<FakeStream>& stream : streams) stream->Push(item);
}

void FakeResource::Tell(FakeStream& stream, const Change& change) {
  const bool was = change.before && stream.Takes(change.name, *change.before);
  WatchEvent event = change.event;
  if (event.type == WatchEvent::Type::kDeleted || !stream.Takes(change.name, event.object)) {
    if (!was) return;
    event.type = WatchEvent::Type::kDeleted;
  } else {
    event.type = was ? WatchEvent::Type::kModified : WatchEvent::Type::kAdded;
  }
  stream.Push(std::move(event));
}

void FakeResource::Record(uint64_t revision, const NamespacedName& name, const RawObject& object,
                          std::optional<RawObject> before, bool deleted) {
  const WatchEvent::Type type = deleted  ? WatchEvent::Type::kDeleted
                                : before ? WatchEvent::Type::kModified
                                         : WatchEvent::Type::kAdded;
  history.push_back(
      {revision, name, WatchEvent{type, absl::StrCat(revision), object}, std::move(before)});
  for (const std::shared_ptr<FakeStream>& stream : streams) Tell(*stream, history.back());
}

std::shared_ptr<FakeStream> FakeResource::OpenStream(std::string ns, ListFilter filter,
                                                     std::optional<uint64_t> revision,
                                                     bool bookmarked, uint64_t now) {
  auto stream = std::make_shared<FakeStream>(FakeStream{std::move(ns), std::move(filter)});
  const std::string text = absl::StrCat(now);
  if (!revision) {
    for (const auto& [name, object] : objects) {
      if (!stream->Takes(name, object)) continue;
      stream->Push(WatchEvent{WatchEvent::Type::kAdded, text, object});
    }
  } else {
    for (const Change& change : history) {
      if (change.revision > *revision) Tell(*stream, change);
    }
  }
  if (bookmarked) {
    stream->Push(WatchEvent{
        WatchEvent::Type::kBookmark, text,
        OwnedRawObject(absl::StrCat(R"({"metadata":{"resourceVersion":")", text,
                                    R"(","annotations":{"k8s.io/initial-events-end":"true"}}})"))});
  }
  streams.push_back(stream);
  return stream;
}

absl::StatusOr<FakeResource::Snapshot> FakeResource::StateAt(const std::string& ns,
                                                             uint64_t revision) const {
  std::map<NamespacedName, RawObject> state = objects;
  for (auto change = history.rbegin(); change != history.rend() && change->revision > revision;
       ++change) {
    const auto before = std::find_if(std::next(change), history.rend(),
                                     [&](const Change& c) { return c.name == change->name; });
    if (before != history.rend() && before->event.type != WatchEvent::Type::kDeleted) {
      state[change->name] = before->event.object;
    } else if (before != history.rend() || change->event.type == WatchEvent::Type::kAdded) {
      state.erase(change->name);
    } else {
      return ToStatus(Expired("The provided resourceVersion is too old"));
    }
  }
  Snapshot in_namespace;
  for (const auto& [name, object] : state) {
    if (IsIn(ns, name)) in_namespace.emplace_back(name, object);
  }
  return in_namespace;
}

absl::StatusOr<ListPage> FakeResource::ListAt(const ListOptions& options, uint64_t now) {
  uint64_t revision = now;
  size_t begin = 0;
  Snapshot all;
  const Snapshot* snapshot = &all;
  if (options.continue_token.empty()) {
    if (options.resource_version_match == "Exact") {
      if (!absl::SimpleAtoi(options.resource_version, &revision) || revision > now) {
        return ToStatus(TooLargeResourceVersion(options.resource_version, absl::StrCat(now)));
      }
    }
    absl::StatusOr<Snapshot> state = StateAt(options.ns, revision);
    if (!state.ok()) return state.status();
    all = *std::move(state);
    ASSIGN_OR_RETURN(const ListFilter filter,
                     ListFilter::Of(options.label_selector, options.field_selector));
    std::erase_if(all, [&filter](const auto& entry) { return !filter.Takes(entry.second); });
  } else {
    if (!ReadToken(options.continue_token, revision, begin)) {
      return ToStatus(BadRequest("invalid continue token"));
    }
    const auto it = snapshots.find(revision);
    if (it == snapshots.end()) {
      return ToStatus(Expired("The provided continue parameter is too old"));
    }
    snapshot = &it->second;
  }
  size_t limit = max_list_bytes;
  if (options.max_bytes > 0) limit = std::min(limit, options.max_bytes);
  size_t end = snapshot->size();
  if (options.limit > 0) end = std::min(end, begin + static_cast<size_t>(options.limit));
  ListPage page;
  page.resource_version = absl::StrCat(revision);
  size_t bytes = 0;
  for (size_t i = begin; i < end; ++i) {
    page.items.push_back((*snapshot)[i].second);
    bytes += page.items.back().json.size();
  }
  if (bytes > limit) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the API server's answer is larger than ", limit, " bytes"));
  }
  if (end < snapshot->size()) {
    page.continue_token = absl::StrCat(revision, ".", end);
    if (snapshot == &all) snapshots[revision] = std::move(all);
  }
  return page;
}

}  // namespace steward::kube
