#include "apiserver/rest/watch_handler.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/body_stream.h"
#include "apiserver/rest/encoder.h"
#include "apiserver/rest/negotiation.h"
#include "apiserver/rest/parameters.h"
#include "apiserver/rest/watch_encoder.h"
#include "apiserver/rest/watcher.h"
#include "base/async/race.h"
#include "base/async/yield.h"
#include "base/status/macros.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// Far beyond any watch's life, and far from the end of what clocks can count.
constexpr absl::Duration kLongest = absl::Hours(24 * 365);

absl::Duration TimeoutOf(const ListParameters& parameters, Random& random, absl::Duration minimum) {
  const int64_t seconds = parameters.timeout_seconds.value_or(0);
  if (seconds == 0) return minimum * (1 + random.Uniform());
  return std::clamp(absl::Seconds(seconds), absl::ZeroDuration(), kLongest);
}

StatusTask Send(http::ResponseWriter& writer, std::string& buffer) {
  std::vector<http::Segment> segments;
  segments.push_back(http::OwnedSegment(std::exchange(buffer, std::string())));
  return writer.Write(std::move(segments));
}

// How a watch is broken off when the server stops: between two writes, never within one.
struct Interruption {
  bool waiting = false;    // for an event
  bool requested = false;  // no more is to be written
};

// Writes all events, but not the end.
StatusTask WriteEvents(http::ResponseWriter& writer, WatchEncoder& encoder, EventStream& stream,
                       Interruption& interruption) {
  http::ResponseHead head;
  head.headers.Set("Content-Type", std::string(ContentType(Serializer::kJson)));
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  std::string buffer;
  for (bool over = false; !over && !interruption.requested;) {
    interruption.waiting = true;
    const absl::StatusOr<std::optional<WatchEvent>> event = co_await stream.Next();
    interruption.waiting = false;
    // The client has not seen this event: it will ask again for what comes after the last.
    if (interruption.requested) break;
    if (!event.ok()) {
      WatchEncoder::AppendError(kube::FromStatus(event.status()), buffer);
    } else if (event->has_value()) {
      encoder.Append(**event, buffer);
    }
    over = !event.ok() || !event->has_value();
    const bool full = buffer.size() >= BodyStream::kChunk;
    if (!over && !full && stream.Ready()) continue;
    if (!buffer.empty()) CO_RETURN_IF_ERROR(co_await Send(writer, buffer));
    // Neither a busy stream nor a client that reads fast ever makes this loop wait.
    if (full) co_await Yield();
  }
  co_return absl::OkStatus();
}

VoidTask Store(StatusTask task, absl::Status& result) { result = co_await std::move(task); }

// Ends when the server stops and the watch waits for an event, which that breaks off.
VoidTask Interrupt(StopSignal& stop, Interruption& interruption) {
  co_await stop.Wait();
  interruption.requested = true;
  if (interruption.waiting) co_return;
  // The writing ends by itself, after what it is at.
  StopSignal never;
  co_await never.Wait();
}

StatusTask Serve(http::ResponseWriter& writer, WatchEncoder encoder, EventStream& stream,
                 StopSignal* stop) {
  Interruption interruption;
  absl::Status written;
  if (stop == nullptr) {
    written = co_await WriteEvents(writer, encoder, stream, interruption);
  } else {
    co_await UntilOneEnds(Store(WriteEvents(writer, encoder, stream, interruption), written),
                          Interrupt(*stop, interruption));
  }
  CO_RETURN_IF_ERROR(written);
  co_return co_await writer.Finish();
}

}  // namespace

StatusTask ServeWatch(const Resource& resource, const http::Request& request,
                      http::ResponseWriter& writer, WatchLimits limits) {
  CO_ASSIGN_OR_RETURN(OutputFormat format, NegotiateWatch(request));
  CO_ASSIGN_OR_RETURN(ListParameters parameters, ParseListParameters(request, resource));
  CO_RETURN_IF_ERROR(CheckForm(resource, format, /*is_list=*/false));
  IncludeObject include_object = IncludeObject::kMetadata;
  if (format.form == Form::kTable) {
    CO_ASSIGN_OR_RETURN(include_object, ParseIncludeObject(request));
  }
  WatchOptions options;
  options.resource_version = std::move(parameters.read.resource_version);
  options.bookmarks = parameters.allow_bookmarks;
  options.send_initial_events = parameters.send_initial_events;
  options.timeout = TimeoutOf(parameters, limits.random, limits.min_timeout);
  absl::StatusOr<std::unique_ptr<EventStream>> stream =
      co_await resource.watch->Watch(parameters.selection, options);
  if (!stream.ok()) co_return stream.status();
  WatchEncoder encoder(resource, std::move(format), include_object);
  co_return co_await Serve(writer, std::move(encoder), **stream, limits.stop);
}

}  // namespace steward::rest
