#include "apiserver/views/virtual_resource/virtual_resource.h"

#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/views/virtual_resource/continue_token.h"
#include "apiserver/views/virtual_resource/page.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "storage/world/number.h"

namespace steward::views {
namespace {

// A 410 for a continue token whose state is no longer known; `fresh` continues with the present
// state.
absl::Status TooOldToContinue(std::string fresh) {
  kube::Status status = kube::Expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  status.continue_token = std::move(fresh);
  return kube::ToStatus(status);
}

}  // namespace

std::string WhereToWrite(std::string_view kinds, std::string_view source,
                         const kube::NamespacedName& name) {
  if (name.name.empty()) return StrCat(kinds, " are computed from ", source, "s; change these");
  return StrCat(kinds, " are computed from ", source, " ", name.ns, "/", name.name,
                "; change that one");
}

VirtualResource::VirtualResource(storage::WorldStore& worlds,
                                 std::shared_ptr<const Projection> projection,
                                 kube::GroupVersionResource gvr, VirtualResourceOptions options)
    : projection_(std::move(projection)),
      gvr_(std::move(gvr)),
      reader_(worlds, past_, {options.sync_wait, options.version_wait}, options.on_newest_read,
              options.on_awaited),
      streams_{worlds,
               past_,
               *projection_,
               options.on_newest_read,
               options.on_awaited,
               options.bookmark_period} {
  assert(&worlds.sources() == &projection_->sources());
}

void VirtualResource::ServeIn(rest::Resource& resource) {
  resource.get = this;
  resource.list = this;
  resource.watch = this;
  resource.pages = true;
}

Task<rest::Reading> VirtualResource::Get(const kube::NamespacedName& name,
                                         const rest::ReadOptions& options) {
  CO_ASSIGN_OR_RETURN(Snapshot snapshot, co_await reader_.Read(options));
  std::unique_ptr<const rest::Object> object = projection_->Find(snapshot.world, name);
  if (object == nullptr) co_return kube::ToStatus(kube::NotFound(gvr_, name.name));
  rest::Reading reading = snapshot.Reading();
  reading.cursor = std::make_unique<OneObject>(std::move(snapshot.world), std::move(object));
  co_return reading;
}

Task<rest::Reading> VirtualResource::List(const rest::Selection& selection,
                                          const rest::ReadOptions& options) {
  rest::ReadOptions read = options;
  ContinueToken start;
  std::optional<kube::NamespacedName> after;
  if (!read.continue_token.empty()) {
    CO_ASSIGN_OR_RETURN(start, ContinueToken::Decode(read.continue_token, selection));
    after = start.after;
    read.resource_version = start.number;
    read.resource_version_match = read.resource_version.empty() ? "" : "Exact";
  }
  absl::StatusOr<Snapshot> snapshot = co_await reader_.Read(read);
  if (after && kube::IsExpired(snapshot.status())) {
    co_return TooOldToContinue(ContinueToken{"", *after}.Encode(selection));
  }
  CO_RETURN_IF_ERROR(snapshot.status());
  rest::Reading reading = snapshot->Reading();
  if (read.limit == 0) {
    reading.cursor = projection_->List(std::move(snapshot->world), selection, std::move(after));
    co_return reading;
  }
  Page page{std::move(snapshot->world), selection, std::move(after), start.left};
  CO_RETURN_IF_ERROR(co_await page.Read(*projection_, read.limit, reading));
  co_return reading;
}

Task<std::unique_ptr<rest::EventStream>> VirtualResource::Watch(const rest::Selection& selection,
                                                                const rest::WatchOptions& options) {
  rest::Selection selected = selection;
  StreamStart start;
  start.bookmarks = options.bookmarks;
  start.timeout = options.timeout;
  start.stop = options.stop;
  start.asker = options.asker;
  const bool numbered = !options.resource_version.empty() && options.resource_version != "0";
  if (numbered && !options.send_initial_events) {
    const absl::StatusOr<storage::Number> number = storage::Number::Parse(options.resource_version);
    // The number is of another API, or has an older or unknown format. 410 makes clients list
    // again.
    if (!number.ok()) {
      CO_ASSIGN_OR_RETURN(const Snapshot newest, co_await reader_.ReadNewest());
      co_return std::make_unique<FailedStream>(
          TooOldToWatch(options.resource_version, newest.number));
    }
    start.number = *number;
  } else {
    rest::ReadOptions read;
    read.resource_version = options.resource_version;
    absl::StatusOr<Snapshot> snapshot = co_await reader_.Read(read);
    // Clients expect this error as an event, not as the response.
    if (kube::IsTimeout(snapshot.status())) {
      co_return std::make_unique<FailedStream>(snapshot.status());
    }
    CO_RETURN_IF_ERROR(snapshot.status());
    start.number = snapshot->number;
    if (options.send_initial_events) {
      start.initial = projection_->List(std::move(snapshot->world), selected, std::nullopt);
    }
  }
  co_return std::make_unique<ViewStream>(streams_, std::move(selected), std::move(start));
}

}  // namespace steward::views
