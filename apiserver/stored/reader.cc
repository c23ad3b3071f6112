#include "apiserver/stored/reader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/stored/cursors.h"
#include "apiserver/stored/json_object.h"
#include "base/async/race.h"
#include "base/async/stop_signal.h"
#include "base/status/macros.h"

namespace steward::stored {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

rest::WatchEvent::Type TypeOf(kube::WatchEvent::Type type) {
  switch (type) {
    case kube::WatchEvent::Type::kAdded:
      return rest::WatchEvent::Type::kAdded;
    case kube::WatchEvent::Type::kModified:
      return rest::WatchEvent::Type::kModified;
    case kube::WatchEvent::Type::kDeleted:
      return rest::WatchEvent::Type::kDeleted;
    case kube::WatchEvent::Type::kBookmark:
      break;
  }
  return rest::WatchEvent::Type::kBookmark;
}

class Events : public rest::EventStream {
 public:
  Events(std::unique_ptr<kube::Watch> watch, const rest::WatchOptions& options,
         const Columns& columns, const Clock& clock)
      : watch_(std::move(watch)),
        bookmarks_(options.bookmarks),
        stop_(options.stop),
        columns_(columns),
        clock_(clock) {}

  Task<std::optional<rest::WatchEvent>> Next() override {
    while (true) {
      CO_ASSIGN_OR_RETURN(std::optional<kube::WatchEvent> event, co_await NextOrStop());
      if (!event) co_return std::nullopt;
      rest::WatchEvent next;
      next.type = TypeOf(event->type);
      next.resource_version = std::move(event->resource_version);
      const bool bookmark = next.type == rest::WatchEvent::Type::kBookmark;
      // The kube::Client always requests bookmarks.
      if (bookmark && !bookmarks_) continue;
      current_.emplace(std::move(event->object), columns_, clock_);
      if (bookmark) {
        next.initial_events_end = current_->HasAnnotation(kInitialEventsEnd);
      } else {
        next.object = &*current_;
      }
      co_return next;
    }
  }

  // A kube::Watch cannot say whether an event is ready.
  bool Ready() const override { return false; }

 private:
  using Event = absl::StatusOr<std::optional<kube::WatchEvent>>;

  static VoidTask Store(Task<std::optional<kube::WatchEvent>> task, Event& result) {
    result = co_await std::move(task);
  }
  Task<std::optional<kube::WatchEvent>> NextOrStop() {
    if (stop_ == nullptr) co_return co_await watch_->Next();
    Event event = std::nullopt;
    co_await UntilOneEnds(Store(watch_->Next(), event), stop_->Wait());
    co_return event;
  }

  const std::unique_ptr<kube::Watch> watch_;
  const bool bookmarks_;
  const StopSignal* const stop_;
  const Columns& columns_;
  const Clock& clock_;
  std::optional<JsonObject> current_;
};

}  // namespace

Task<rest::Reading> Reader::Get(const kube::NamespacedName& name, const rest::ReadOptions&) {
  kube::NamespacedName key = name;
  // The path of a Namespace names it twice.
  if (!namespaced_) key.ns.clear();
  CO_ASSIGN_OR_RETURN(kube::RawObject object, co_await client_.Get(gvr_, key));
  co_return ReadingOf(std::move(object), columns_, clock_);
}

Task<rest::Reading> Reader::List(const rest::Selection& selection,
                                 const rest::ReadOptions& options) {
  kube::ListOptions asked;
  if (namespaced_) asked.ns = selection.ns;
  asked.label_selector = selection.labels.ToString();
  asked.field_selector = selection.fields.ToString();
  const bool one_page = options.limit > 0 || !options.continue_token.empty();
  asked.limit = options.limit > 0 ? std::min(options.limit, kPageSize) : kPageSize;
  asked.continue_token = options.continue_token;
  // When any state is acceptable, the newest is read.
  if (options.resource_version != "0") {
    asked.resource_version = options.resource_version;
    asked.resource_version_match = options.resource_version_match;
    // Together with a limit, a version alone would request exactly that state.
    if (!one_page && !asked.resource_version.empty() && asked.resource_version_match.empty()) {
      asked.resource_version_match = "NotOlderThan";
    }
  }
  CO_ASSIGN_OR_RETURN(kube::ListPage page, co_await client_.List(gvr_, asked));
  rest::Reading reading;
  reading.resource_version = page.resource_version;
  if (one_page) reading.continue_token = std::exchange(page.continue_token, std::string());
  PageSource source{client_, gvr_, columns_, clock_};
  reading.cursor = CursorOver(std::move(source), std::move(asked), std::move(page));
  co_return reading;
}

Task<std::unique_ptr<rest::EventStream>> Reader::Watch(const rest::Selection& selection,
                                                       const rest::WatchOptions& options) {
  kube::WatchOptions asked;
  if (namespaced_) asked.ns = selection.ns;
  asked.label_selector = selection.labels.ToString();
  asked.field_selector = selection.fields.ToString();
  asked.resource_version = options.resource_version;
  asked.send_initial_events = options.send_initial_events;
  asked.timeout = options.timeout;
  const bool numbered = !asked.resource_version.empty() && asked.resource_version != "0";
  if (!numbered && !options.send_initial_events) {
    // Starts from now: a client's watch without a version would begin with the existing objects.
    kube::ListOptions newest;
    newest.limit = 1;
    CO_ASSIGN_OR_RETURN(const kube::ListPage page, co_await client_.List(gvr_, newest));
    asked.resource_version = page.resource_version;
  }
  CO_ASSIGN_OR_RETURN(std::unique_ptr<kube::Watch> watch, co_await client_.StartWatch(gvr_, asked));
  co_return std::make_unique<Events>(std::move(watch), options, columns_, clock_);
}

}  // namespace steward::stored
