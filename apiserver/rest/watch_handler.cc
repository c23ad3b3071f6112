#include "apiserver/rest/watch_handler.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/encoding/body_stream.h"
#include "apiserver/rest/encoding/encoder.h"
#include "apiserver/rest/encoding/watch_encoder.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/watcher.h"
#include "base/async/yield.h"
#include "base/splice/gzip_rope.h"
#include "base/splice/rope.h"
#include "base/status/macros.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// The limit of durations that clients request: credentials expire, and connections should be
// redistributed now and then.
constexpr absl::Duration kLongest = absl::Hours(1);

absl::Duration TimeoutOf(const ListParameters& parameters, Random& random, absl::Duration minimum) {
  const int64_t seconds = parameters.timeout_seconds.value_or(0);
  if (seconds == 0) return minimum * (1 + random.Uniform());
  const absl::Duration longest = std::max(kLongest, minimum);
  if (absl::Seconds(seconds) > longest) return longest * (0.8 + 0.2 * random.Uniform());
  return std::max(absl::Seconds(seconds), absl::ZeroDuration());
}

// Writes all events, but does not finish the response. `messages`: each frame is a message of its
// own.
StatusTask WriteEvents(http::ResponseWriter& writer, bool messages, WatchEncoder& encoder,
                       EventStream& stream, const StopSignal* stop) {
  http::ResponseHead head;
  head.websocket = messages;
  if (!messages) head.headers.Set("Content-Type", std::string(ContentType(Serializer::kJson)));
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  stream.OnSettled([&writer] { writer.Settled(); });
  Rope buffer;
  bool midway = false;          // WatchEvent::midway of the last event
  bool written_midway = false;  // WatchEvent::midway of the last event written
  for (bool over = false; !over;) {
    const absl::StatusOr<std::optional<WatchEvent>> event = co_await stream.Next();
    // Stops before this event, unless the last written event is no place to continue from. The
    // client continues from the last written event elsewhere.
    if (stop != nullptr && stop->IsSet() && !written_midway) break;
    if (!event.ok()) {
      WatchEncoder::AppendError(kube::FromStatus(event.status()), buffer.text());
    } else if (event->has_value()) {
      encoder.Append(**event, buffer);
      midway = (*event)->midway;
    }
    over = !event.ok() || !event->has_value();
    const bool full = IsFull(buffer);
    if (!over && !full && !messages && stream.Ready()) continue;
    if (!buffer.empty()) CO_RETURN_IF_ERROR(co_await writer.Write(ToSegments(TakeBytes(buffer))));
    written_midway = midway;
    // Without this, a busy stream and a client that reads fast would keep the thread.
    if (full || messages) co_await Yield();
  }
  co_return absl::OkStatus();
}

// A watch that was accepted.
struct Accepted {
  WatchEncoder encoder;
  std::unique_ptr<EventStream> stream;
};

// A coroutine of its own, so that its state is freed while the watch lasts.
Task<Accepted> Accept(const Resource& resource, const http::Request& request, WatchLimits limits) {
  // In Kubernetes' order, in which the check for a stream comes last.
  CO_ASSIGN_OR_RETURN(OutputFormat format, NegotiateResource(request));
  CO_ASSIGN_OR_RETURN(ListParameters parameters, ParseListParameters(request, resource));
  if (format.form == Form::kTable) CO_RETURN_IF_ERROR(ParseIncludeObject(request).status());
  CO_ASSIGN_OR_RETURN(format, NegotiateWatch(request));
  CO_RETURN_IF_ERROR(CheckForm(resource, format, /*is_list=*/false));
  IncludeObject include_object = IncludeObject::kMetadata;
  if (format.form == Form::kTable) {
    CO_ASSIGN_OR_RETURN(include_object, ParseIncludeObject(request));
  }
  WatchOptions options;
  options.resource_version = std::move(parameters.read.resource_version);
  options.bookmarks = parameters.allow_bookmarks;
  options.send_initial_events = parameters.send_initial_events;
  options.stop = limits.stop;
  options.asker = request.user.name;
  options.timeout = TimeoutOf(parameters, limits.random, limits.min_timeout);
  if (const std::optional<absl::Time>& until = request.user.until) {
    options.timeout =
        std::min(options.timeout, std::max(*until - limits.clock.Now(), absl::ZeroDuration()));
  }
  absl::StatusOr<std::unique_ptr<EventStream>> stream =
      co_await resource.watch->Watch(parameters.selection, options);
  if (!stream.ok()) co_return stream.status();
  co_return Accepted{WatchEncoder(resource, std::move(format), include_object), *std::move(stream)};
}

}  // namespace

StatusTask ServeWatch(const Resource& resource, const http::Request& request,
                      http::ResponseWriter& writer, WatchLimits limits) {
  CO_ASSIGN_OR_RETURN(Accepted watch, co_await Accept(resource, request, limits));
  CO_RETURN_IF_ERROR(
      co_await WriteEvents(writer, request.websocket, watch.encoder, *watch.stream, limits.stop));
  co_return co_await writer.Finish();
}

}  // namespace steward::rest
