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

bool IsWithin(const NamespacedName& name, const NamespacedName& within) {
  return (within.ns.empty() || name.ns == within.ns) &&
         (within.name.empty() || name.name == within.name);
}

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

void FakeResource::PushToAll(const FakeStream::Item& item) {
  for (const std::shared_ptr<FakeStream>& stream : streams) stream->Push(item);
}

void FakeResource::Record(uint64_t revision, const NamespacedName& name, WatchEvent::Type type,
                          const RawObject& object) {
  history.push_back({revision, name, WatchEvent{type, absl::StrCat(revision), object}});
  for (const std::shared_ptr<FakeStream>& stream : streams) {
    if (IsWithin(name, stream->within)) stream->Push(history.back().event);
  }
}

std::shared_ptr<FakeStream> FakeResource::OpenStream(const NamespacedName& within,
                                                     std::optional<uint64_t> revision,
                                                     uint64_t now) {
  auto stream = std::make_shared<FakeStream>();
  stream->within = within;
  if (!revision) {
    for (const auto& [name, object] : objects) {
      if (!IsWithin(name, within)) continue;
      stream->Push(WatchEvent{WatchEvent::Type::kAdded, absl::StrCat(now), object});
    }
  } else {
    for (const Change& change : history) {
      if (change.revision > *revision && IsWithin(change.name, within)) stream->Push(change.event);
    }
  }
  streams.push_back(stream);
  return stream;
}

std::shared_ptr<FakeStream> FakeResource::OpenStreamWithInitialEvents(const NamespacedName& within,
                                                                      uint64_t now) {
  std::shared_ptr<FakeStream> stream = OpenStream(within, std::nullopt, now);
  const std::string revision = absl::StrCat(now);
  stream->Push(WatchEvent{
      WatchEvent::Type::kBookmark, revision,
      OwnedRawObject(absl::StrCat(R"({"metadata":{"resourceVersion":")", revision,
                                  R"(","annotations":{"k8s.io/initial-events-end":"true"}}})"))});
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
    if (IsWithin(name, {ns, ""})) in_namespace.emplace_back(name, object);
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
    ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Of(options));
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
