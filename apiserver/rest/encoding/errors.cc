#include "apiserver/rest/encoding/errors.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apiserver/rest/encoding/array_document.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "base/status/macros.h"

namespace steward::rest {
namespace {

StatusTask Send(http::ResponseWriter& writer, http::ResponseHead head, std::string body) {
  head.headers.Set("Cache-Control", "no-cache, private");
  head.content_length = body.size();
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  std::vector<http::Segment> segments;
  segments.push_back(http::OwnedSegment(std::move(body)));
  CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
  co_return co_await writer.Finish();
}

}  // namespace

StatusTask RespondStatus(const http::Request& request, http::ResponseWriter& writer,
                         kube::Status status) {
  OutputFormat format;
  format.pretty = true;
  if (std::optional<OutputFormat> negotiated = NegotiatePlain(request)) format = *negotiated;

  http::ResponseHead head;
  head.status = status.code;
  head.headers.Set("Content-Type", std::string(ContentType(format.serializer)));
  if (status.retry_after_seconds > 0) {
    head.headers.Set("Retry-After", absl::StrCat(status.retry_after_seconds));
  }
  // A refusal quotes the client's input; no browser may treat it as a page.
  if (status.code == 403) head.headers.Set("X-Content-Type-Options", "nosniff");

  const std::string json = kube::ToJson(status);
  if (request.audit != nullptr) request.audit->NoteStatus(json);
  std::string body;
  CO_RETURN_IF_ERROR(AppendDocument(format, json, body));
  co_return co_await Send(writer, std::move(head), std::move(body));
}

StatusTask RespondError(const http::Request& request, http::ResponseWriter& writer,
                        absl::Status error) {
  return RespondStatus(request, writer, kube::FromStatus(error));
}

StatusTask RespondNoSuchPath(http::ResponseWriter& writer) {
  http::ResponseHead head;
  head.status = 404;
  head.headers.Set("Content-Type", "text/plain; charset=utf-8");
  head.headers.Set("X-Content-Type-Options", "nosniff");
  return Send(writer, std::move(head), "404 page not found\n");
}

}  // namespace steward::rest
