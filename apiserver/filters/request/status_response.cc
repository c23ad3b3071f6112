#include "apiserver/filters/request/status_response.h"

#include <utility>
#include <vector>

#include "apiserver/rest/encoding/errors.h"

namespace steward::filters {

VoidTask RespondStatus(const http::Request& request, http::ResponseWriter& writer,
                       kube::Status status) {
  const absl::Status sent = co_await rest::RespondStatus(request, writer, std::move(status));
  sent.IgnoreError();
}

kube::Status UsersNotKnown() {
  return kube::ServiceUnavailable("this server does not know its users yet", 1);
}

VoidTask RespondText(http::ResponseWriter& writer, int status, std::string text,
                     http::Headers headers) {
  text += "\n";
  http::ResponseHead head;
  head.status = status;
  head.headers = std::move(headers);
  head.headers.Set("Content-Type", "text/plain; charset=utf-8");
  head.headers.Set("X-Content-Type-Options", "nosniff");
  head.content_length = text.size();
  absl::Status sent = co_await writer.WriteHead(std::move(head));
  if (!sent.ok()) co_return;
  std::vector<http::Segment> segments;
  segments.push_back(http::OwnedSegment(std::move(text)));
  sent = co_await writer.Write(std::move(segments));
  if (sent.ok()) sent = co_await writer.Finish();
  sent.IgnoreError();
}

}  // namespace steward::filters
