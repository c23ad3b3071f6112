#include "storage/embedded/embedded_watch.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/raw_object.h"
#include "kube/meta/status.h"
#include "storage/embedded/operations/list_operation.h"
#include "storage/embedded/store/object_body.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr int64_t kBatch = 200;
constexpr size_t kBatchBytes = 1 << 20;
// The extra time that a stream may take to catch up when its timeout has passed.
constexpr std::chrono::seconds kOvertime{10};

std::chrono::steady_clock::time_point After(absl::Duration duration) {
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(duration);
}

absl::Status TooOld(int64_t asked, int64_t compacted) {
  return kube::ToStatus(
      kube::Expired(StrCat("too old resource version: ", asked, " (", compacted, ")")));
}

}  // namespace

EmbeddedWatch::EmbeddedWatch(Store& store, kube::ResourceType type, ObjectFilter filter,
                             WatchStart start)
    : store_(store),
      type_(std::move(type)),
      resource_(type_.gvr().GroupResource()),
      filter_(std::move(filter)),
      start_(start),
      deadline_(After(std::min(start.timeout, absl::Hours(24)))),
      next_bookmark_(After(start.bookmark_period)),
      cursor_(start.revision),
      listing_(start.initial) {}

Task<std::optional<kube::WatchEvent>> EmbeddedWatch::Next() {
  if (over_) co_return std::nullopt;
  // The watch is over if this call is cancelled or fails.
  over_ = true;
  while (events_.empty()) {
    // The time limit also ends a watch that never catches up.
    if (!listing_ && std::chrono::steady_clock::now() >= deadline_ + kOvertime)
      co_return std::nullopt;
    const Broadcast::Ticket ticket = store_.committed().Now();
    CO_RETURN_IF_ERROR(co_await Fill());
    if (!events_.empty()) break;
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= deadline_ || !Served()) co_return std::nullopt;
    if (now >= next_bookmark_) {
      AddBookmark(false);
      break;
    }
    co_await store_.committed().WaitSince(ticket, std::min(deadline_, next_bookmark_));
  }
  kube::WatchEvent event = std::move(events_.front());
  events_.pop_front();
  over_ = false;
  co_return event;
}

// The deletion of a definition ends its watches.
bool EmbeddedWatch::Served() const { return store_.catalog()->Find(type_.gvr()) != nullptr; }

StatusTask EmbeddedWatch::Fill() {
  if (listing_) co_return co_await FillInitial();
  // The revision is read first, so that LastChange is at least as new.
  const int64_t upto = store_.revision();
  if (store_.LastChange(resource_) <= cursor_) {
    cursor_ = std::max(cursor_, upto);
    co_return absl::OkStatus();
  }
  while (events_.empty() && cursor_ < upto) {
    CO_RETURN_IF_ERROR(co_await FillChanges(upto));
  }
  co_return absl::OkStatus();
}

StatusTask EmbeddedWatch::FillInitial() {
  kube::ListOptions options;
  options.limit = kBatch;
  options.continue_token = initial_token_;
  if (initial_token_.empty()) options.continue_token = ContinueToken{start_.revision, ""}.Encode();
  std::function<absl::StatusOr<kube::ListPage>(VersionTable&)> read =
      [this, &options](VersionTable& table) {
        return ListObjects(table, type_, filter_, options, start_.revision);
      };
  CO_ASSIGN_OR_RETURN(kube::ListPage page, co_await store_.Read(std::move(read)));
  for (kube::RawObject& object : page.items) {
    kube::WatchEvent event;
    event.type = kube::WatchEvent::Type::kAdded;
    event.resource_version = RevisionOf(object.json);
    event.object = std::move(object);
    events_.push_back(std::move(event));
  }
  initial_token_ = page.continue_token;
  if (initial_token_.empty()) {
    listing_ = false;
    if (start_.initial_bookmark) AddBookmark(true);
  }
  co_return absl::OkStatus();
}

StatusTask EmbeddedWatch::FillChanges(int64_t upto) {
  const int64_t after = cursor_;
  std::function<absl::StatusOr<std::vector<Change>>(VersionTable&)> read =
      [this, after, upto](VersionTable& table) -> absl::StatusOr<std::vector<Change>> {
    ASSIGN_OR_RETURN(const int64_t compacted, table.CompactedRevision());
    if (after < compacted) return TooOld(after, compacted);
    return table.Changes(resource_, after, upto, kBatch, kBatchBytes);
  };
  CO_ASSIGN_OR_RETURN(const std::vector<Change> changes, co_await store_.Read(std::move(read)));
  for (const Change& change : changes) {
    CO_RETURN_IF_ERROR(AddChange(change));
    cursor_ = change.revision;
  }
  if (changes.empty()) cursor_ = upto;
  co_return absl::OkStatus();
}

absl::Status EmbeddedWatch::AddChange(const Change& change) {
  const std::string_view key = change.key;
  if (key.substr(0, filter_.key_prefix().size()) != filter_.key_prefix()) return absl::OkStatus();
  bool was_in = change.previous.has_value();
  bool is_in = change.body.has_value();
  if (filter_.selective()) {
    if (was_in) {
      ASSIGN_OR_RETURN(was_in, filter_.Matches(key, *change.previous));
    }
    if (is_in) {
      ASSIGN_OR_RETURN(is_in, filter_.Matches(key, *change.body));
    }
  }
  using Type = kube::WatchEvent::Type;
  if (is_in) {
    Add(was_in ? Type::kModified : Type::kAdded, change.revision, *change.body);
  } else if (was_in) {
    Add(Type::kDeleted, change.revision, *change.previous);
  }
  return absl::OkStatus();
}

void EmbeddedWatch::Add(kube::WatchEvent::Type type, int64_t revision, std::string_view body) {
  kube::WatchEvent event;
  event.type = type;
  event.resource_version = std::to_string(revision);
  event.object = RenderRaw(type_.gvk, revision, body);
  events_.push_back(std::move(event));
}

void EmbeddedWatch::AddBookmark(bool initial_events_end) {
  next_bookmark_ = After(start_.bookmark_period);
  json::object metadata{{"resourceVersion", std::to_string(cursor_)}};
  if (initial_events_end) {
    metadata["annotations"] = json::object{{"k8s.io/initial-events-end", "true"}};
  }
  kube::WatchEvent event;
  event.type = kube::WatchEvent::Type::kBookmark;
  event.resource_version = std::to_string(cursor_);
  event.object = kube::OwnedRawObject(Serialize(json::object{{"apiVersion", type_.gvk.ApiVersion()},
                                                             {"kind", type_.gvk.kind},
                                                             {"metadata", std::move(metadata)}}));
  events_.push_back(std::move(event));
}

}  // namespace steward::storage
