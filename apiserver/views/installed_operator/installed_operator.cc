#include "apiserver/views/installed_operator/installed_operator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/views/installed_operator/continue_token.h"
#include "apiserver/views/installed_operator/count.h"
#include "apiserver/views/installed_operator/cursors.h"
#include "apiserver/views/installed_operator/event_stream.h"
#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/openapi/openapi.h"
#include "apiserver/views/installed_operator/projection.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"
#include "olm/decode.h"

namespace steward::views {
namespace {

using storage::World;
using storage::WorldPtr;

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1",
                                      "InstalledOperator"};
const kube::GroupVersionResource kResource = {"views.operators.coreos.com", "v1alpha1",
                                              "installedoperators"};

// What a read of `world` answers, but for its objects.
rest::Reading ReadingOf(const World& world, const storage::Number& number) {
  rest::Reading reading;
  reading.resource_version = number.ToString();
  if (!world.connected()) {
    reading.warning =
        "the stream of changes from the kube-apiserver is interrupted: this answer may be out of "
        "date";
  }
  return reading;
}

// 410 for a continue token whose state is no longer known; `fresh` goes on with what there is now.
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

// 400 for what is no number of ours.
absl::StatusOr<storage::Number> ParseNumber(const std::string& text) {
  absl::StatusOr<storage::Number> number = storage::Number::Parse(text);
  if (number.ok()) return number;
  return kube::ToStatus(
      kube::BadRequest(StrCat("invalid resource version: ", number.status().message())));
}

// A page is held while it is written; a larger one is cut, and its token goes on.
constexpr int64_t kMaxPage = 5000;

// A part of a list.
struct Page {
  WorldPtr world;
  rest::Selection selection;
  std::optional<kube::NamespacedName> after;
  std::optional<int64_t> left;  // from `after` on, if known

  // Whether there is another page is said before the first object.
  StatusTask Read(int64_t limit, rest::Reading& reading) {
    ListCursor cursor(world, selection, after);
    std::vector<Appearance> page;
    while (true) {
      const rest::Object* object = cursor.Next();
      if (object == nullptr) {
        CO_ASSIGN_OR_RETURN(const bool more, co_await cursor.More());
        if (!more) break;
        continue;
      }
      if (static_cast<int64_t>(page.size()) == limit) {
        CO_RETURN_IF_ERROR(co_await AddNext(page, reading));
        break;
      }
      page.push_back(cursor.current());
    }
    reading.cursor = std::make_unique<AppearanceCursor>(std::move(world), std::move(page));
    co_return absl::OkStatus();
  }

 private:
  StatusTask AddNext(const std::vector<Appearance>& page, rest::Reading& reading) {
    if (selection.labels.empty() && selection.fields.empty()) {
      if (!left) {
        CO_ASSIGN_OR_RETURN(left, co_await CountBehind(world, selection.ns, after));
      }
      reading.remaining_item_count = *left - static_cast<int64_t>(page.size());
    }
    const Appearance& last = page.back();
    const ContinueToken next{reading.resource_version,
                             {last.ns->name, last.csv->key.name},
                             reading.remaining_item_count};
    reading.continue_token = next.Encode(selection);
    co_return absl::OkStatus();
  }
};

std::vector<Appearance> One(Appearance seen) {
  std::vector<Appearance> one;
  one.push_back(std::move(seen));
  return one;
}

}  // namespace

InstalledOperators::InstalledOperators(storage::WorldStore& worlds,
                                       InstalledOperatorOptions options)
    : worlds_(worlds), options_(options) {}

rest::Resource InstalledOperators::Resource() {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = kResource.resource;
  resource.descriptor.singular = "installedoperator";
  resource.descriptor.short_names = {"iop"};
  resource.descriptor.categories = {"olm"};
  resource.columns = InstalledOperatorColumns();
  resource.openapi_schema = InstalledOperatorSchema();
  resource.get = this;
  resource.list = this;
  resource.watch = this;
  resource.pages = true;
  resource.subresources = {{"icon", this}};
  return resource;
}

Task<InstalledOperators::Snapshot> InstalledOperators::ReadNewest() {
  if (options_.on_newest_read) options_.on_newest_read();
  WorldPtr world = worlds_.Current();
  if (!world->synced()) {
    world =
        co_await worlds_.WaitUntil([](const World& w) { return w.synced(); }, options_.sync_wait);
    if (!world->synced()) {
      co_return kube::ToStatus(kube::ServiceUnavailable(
          "the operators of this cluster are still being read; try again shortly", 1));
    }
  }
  storage::Moment moment = worlds_.Lifted();
  const storage::Number number = moment.number();
  Snapshot snapshot{std::move(moment.world), number};
  co_return snapshot;
}

StatusTask InstalledOperators::WaitFor(storage::Number number) {
  const auto reached = [vector = number.vector](const World& world) {
    return world.HasReached(vector);
  };
  const WorldPtr world = co_await worlds_.WaitUntil(reached, options_.version_wait);
  if (reached(*world)) co_return absl::OkStatus();
  co_return kube::ToStatus(
      kube::TooLargeResourceVersion(number.ToString(), worlds_.Now().number().ToString()));
}

Task<InstalledOperators::Snapshot> InstalledOperators::Read(rest::ReadOptions options) {
  CO_ASSIGN_OR_RETURN(Snapshot newest, co_await ReadNewest());
  if (options.resource_version.empty() || options.resource_version == "0") co_return newest;

  CO_ASSIGN_OR_RETURN(const storage::Number asked, ParseNumber(options.resource_version));
  CO_RETURN_IF_ERROR(co_await WaitFor(asked));
  storage::Moment moment = worlds_.Now();
  if (options.resource_version_match != "Exact") {
    // What is not older than a number does not carry a smaller one.
    storage::Number number = moment.number();
    number.clock = std::max(number.clock, asked.clock);
    for (size_t i = 0; i < number.vector.size(); ++i) {
      const storage::History& history =
          moment.world->source(static_cast<storage::Source>(i)).history;
      if (asked.vector[i] > number.vector[i] &&
          history.Knows(asked.vector[i]) == storage::Knowledge::kKnown) {
        number.vector[i] = asked.vector[i];  // names the same state
      }
    }
    Snapshot snapshot{std::move(moment.world), number};
    co_return snapshot;
  }
  if (asked.mark != storage::Number::kComplete ||
      moment.world->Knows(asked.vector) != storage::Knowledge::kKnown) {
    co_return kube::ToStatus(
        kube::Expired("The resourceVersion for the provided list is too old."));
  }
  Snapshot snapshot{past_.At(moment.world, asked.vector), asked};
  co_return snapshot;
}

Task<rest::Reading> InstalledOperators::Get(const kube::NamespacedName& name,
                                            const rest::ReadOptions& options) {
  CO_ASSIGN_OR_RETURN(Snapshot snapshot, co_await Read(options));
  std::optional<Appearance> seen = FindAppearance(*snapshot.world, name.ns, name.name);
  if (!seen) co_return kube::ToStatus(kube::NotFound(kResource, name.name));
  rest::Reading reading = ReadingOf(*snapshot.world, snapshot.number);
  reading.cursor =
      std::make_unique<AppearanceCursor>(std::move(snapshot.world), One(*std::move(seen)));
  co_return reading;
}

Task<rest::Reading> InstalledOperators::List(const rest::Selection& selection,
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
  absl::StatusOr<Snapshot> snapshot = co_await Read(read);
  if (after && kube::HasReason(snapshot.status(), "Expired")) {
    co_return TooOldToContinue(ContinueToken{"", *after}.Encode(selection));
  }
  CO_RETURN_IF_ERROR(snapshot.status());
  rest::Reading reading = ReadingOf(*snapshot->world, snapshot->number);
  if (read.limit == 0) {
    reading.cursor =
        std::make_unique<ListCursor>(std::move(snapshot->world), selection, std::move(after));
    co_return reading;
  }
  Page page{std::move(snapshot->world), selection, std::move(after), start.left};
  CO_RETURN_IF_ERROR(co_await page.Read(std::min(read.limit, kMaxPage), reading));
  co_return reading;
}

Task<std::unique_ptr<rest::EventStream>> InstalledOperators::Watch(
    const rest::Selection& selection, const rest::WatchOptions& options) {
  rest::Selection selected = selection;
  StreamStart start;
  start.bookmarks = options.bookmarks;
  start.timeout = options.timeout;
  start.stop = options.stop;
  const bool numbered = !options.resource_version.empty() && options.resource_version != "0";
  if (numbered && !options.send_initial_events) {
    CO_ASSIGN_OR_RETURN(start.number, ParseNumber(options.resource_version));
  } else {
    rest::ReadOptions read;
    read.resource_version = options.resource_version;
    absl::StatusOr<Snapshot> snapshot = co_await Read(read);
    // Clients look for this one among the events.
    if (kube::HasReason(snapshot.status(), "Timeout")) {
      co_return std::make_unique<FailedStream>(snapshot.status());
    }
    CO_RETURN_IF_ERROR(snapshot.status());
    start.number = snapshot->number;
    if (options.send_initial_events) {
      start.initial = std::make_unique<ListCursor>(std::move(snapshot->world), selected);
    }
  }
  co_return std::make_unique<InstalledOperatorStream>(streams_, std::move(selected),
                                                      std::move(start));
}

Task<rest::Blob> InstalledOperators::GetBlob(const kube::NamespacedName& name) {
  CO_ASSIGN_OR_RETURN(const Snapshot snapshot, co_await ReadNewest());
  const std::optional<Appearance> seen = FindAppearance(*snapshot.world, name.ns, name.name);
  if (!seen) co_return kube::ToStatus(kube::NotFound(kResource, name.name));
  absl::StatusOr<olm::Icon> icon = olm::DecodeIcon(*seen->csv);
  if (!icon.ok()) co_return kube::ToStatus(kube::NotFound(kResource, StrCat(name.name, "/icon")));
  rest::Blob blob;
  // Whoever writes a ClusterServiceVersion chooses the type: nothing but an image goes out under
  // its own name.
  blob.content_type =
      icon->media_type.starts_with("image/") ? icon->media_type : "application/octet-stream";
  blob.etag = StrCat("\"", kube::UuidV5(seen->csv->uid, icon->bytes), "\"");
  blob.bytes = std::move(icon->bytes);
  co_return blob;
}

}  // namespace steward::views
