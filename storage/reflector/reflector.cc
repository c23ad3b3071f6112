#include "storage/reflector/reflector.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::storage {
namespace {

// A stream that ends sooner without an event counts as a failure: the server rejects watches.
constexpr absl::Duration kShortWatch = absl::Seconds(1);
constexpr absl::Duration kMaxRetryAfter = absl::Minutes(1);

// True if the server no longer knows the position. kube-apiservers before 1.18 say Gone.
bool HasLostPosition(const absl::Status& status) {
  return kube::IsExpired(status) || kube::HasReason(status, "Gone");
}

// True if kube-apiserver says that there is no such type.
bool Denies(const absl::Status& failure) {
  if (!kube::SaysNotFound(failure)) return false;
  const kube::Status status = kube::FromStatus(failure);
  return std::all_of(status.causes.begin(), status.causes.end(), [](const kube::StatusCause& c) {
    return c.reason != "UnexpectedServerResponse" || c.message == "404 page not found";
  });
}

}  // namespace

Reflector::Reflector(kube::Client& client, Clock& clock, Random& random, ReflectorOptions options,
                     ReflectorSink& sink)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      sink_(sink),
      backoff_(options_.backoff, random) {}

VoidTask Reflector::Run() {
  while (true) {
    absl::Status status;
    if (position_) {
      status = co_await Watch();
    } else {
      status = co_await List();
    }
    if (status.ok()) continue;
    absl::Duration wait = options_.absent_poll;
    if (IsAbsence(status)) {
      BecomeAbsent();
    } else {
      wait = NoteFailure(status);
    }
    co_await clock_.Sleep(wait);
  }
}

StatusTask Reflector::List() {
  kube::ListOptions list;
  list.ns = options_.ns;
  list.label_selector = options_.label_selector;
  list.field_selector = options_.field_selector;
  list.metadata_only = options_.metadata_only;
  list.limit = std::exchange(list_whole_, false) ? 0 : options_.page_size;
  list.max_bytes = options_.page_bytes;
  kube::Pager pages(client_, options_.gvr, std::move(list));
  std::optional<uint64_t> revision;
  while (true) {
    absl::StatusOr<std::optional<kube::ListPage>> read = co_await pages.Next();
    if (!read.ok()) {
      list_whole_ = revision && HasLostPosition(read.status());
      co_return read.status();
    }
    const std::optional<kube::ListPage>& page = *read;
    if (!page) break;
    denials_ = 0;
    uint64_t page_revision = 0;
    CO_RETURN_IF_ERROR(ReadRevision(page->resource_version, page_revision));
    if (!revision) {
      sink_.OnReplaceBegin();
      revision = page_revision;
    } else if (page_revision != *revision) {
      co_return absl::DataLossError("the pages of a list have different revisions");
    }
    for (const kube::RawObject& item : page->items) sink_.OnReplaceItem(item);
  }
  sink_.OnReplaceEnd(*revision);
  position_ = revision;
  known_ = Known::kList;
  log::Verbose(2, "Listed", {{"resource", options_.gvr.GroupResource()}, {"revision", *revision}});
  co_return absl::OkStatus();
}

StatusTask Reflector::Watch() {
  kube::WatchOptions options;
  options.ns = options_.ns;
  options.label_selector = options_.label_selector;
  options.field_selector = options_.field_selector;
  options.metadata_only = options_.metadata_only;
  options.resource_version = std::to_string(*position_);
  options.timeout = options_.watch_timeout;
  CO_ASSIGN_OR_RETURN(std::unique_ptr<kube::Watch> watch,
                      co_await client_.StartWatch(options_.gvr, options));
  denials_ = 0;
  const absl::Time start = clock_.Now();
  bool healthy = false;
  BecomeConnected();
  while (true) {
    absl::StatusOr<std::optional<kube::WatchEvent>> event = co_await watch->Next();
    if (!healthy && clock_.Now() - start >= kShortWatch) {
      healthy = true;
      backoff_.Reset();
    }
    CO_RETURN_IF_ERROR(event.status());
    if (!*event) break;
    CO_RETURN_IF_ERROR(TakeEvent(**event));
    if (!healthy) backoff_.Reset();
    healthy = true;
  }
  if (healthy) co_return absl::OkStatus();
  co_return absl::UnavailableError("the server ended the watch at once");
}

absl::Status Reflector::TakeEvent(const kube::WatchEvent& event) {
  uint64_t revision = 0;
  RETURN_IF_ERROR(ReadRevision(event.resource_version, revision));
  if (event.type == kube::WatchEvent::Type::kBookmark) {
    // A bookmark below the position says nothing new.
    if (revision < *position_) return absl::OkStatus();
    position_ = revision;
    sink_.OnBookmark(revision);
    return absl::OkStatus();
  }
  if (revision < *position_) {
    return absl::DataLossError(
        StrCat("the watch went back from revision ", *position_, " to ", revision));
  }
  position_ = revision;
  sink_.OnEvent(event.type, event.object, revision);
  return absl::OkStatus();
}

void Reflector::BecomeConnected() {
  if (std::exchange(connected_, true)) return;
  sink_.OnConnected();
}

bool Reflector::IsAbsence(const absl::Status& failure) {
  if (!options_.may_be_absent || !Denies(failure)) {
    denials_ = 0;
    return false;
  }
  if (known_ == Known::kAbsent) return true;
  if (denials_++ == 0) first_denial_ = clock_.Now();
  if (denials_ < options_.absent_answers) return false;
  return known_ == Known::kNothing || clock_.Now() - first_denial_ >= options_.absent_hold;
}

void Reflector::BecomeAbsent() {
  position_.reset();
  backoff_.Reset();
  if (std::exchange(known_, Known::kAbsent) != Known::kAbsent) {
    log::Info("The resource type does not exist in the cluster; waiting for it",
              {{"resource", options_.gvr.GroupResource()}});
    sink_.OnAbsent();
  }
  BecomeConnected();
}

// Returns the time to wait before the next try.
absl::Duration Reflector::NoteFailure(const absl::Status& why) {
  connected_ = false;
  if (HasLostPosition(why) || absl::IsDataLoss(why)) position_.reset();
  const absl::Duration asked = absl::Seconds(kube::FromStatus(why).retry_after_seconds);
  const absl::Duration wait = std::max(backoff_.Next(), std::min(asked, kMaxRetryAfter));
  log::Warning("Reading from the cluster failed; will try again",
               {{"resource", options_.gvr.GroupResource()},
                {"next", position_ ? "watch" : "list"},
                {"wait", absl::FormatDuration(wait)},
                {"err", why}});
  sink_.OnDisconnected(why);
  return wait;
}

absl::Status Reflector::ReadRevision(const std::string& text, uint64_t& revision) const {
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, revision);
  if (error == std::errc() && read_to == end && revision > 0) return absl::OkStatus();
  log::Error("The server sent a resourceVersion that is no number",
             {{"resource", options_.gvr.GroupResource()}, {"resourceVersion", text}});
  return absl::DataLossError(StrCat("not a resourceVersion: \"", text, "\""));
}

}  // namespace steward::storage
