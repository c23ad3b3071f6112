#include "console/server/file_handler.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "apiserver/filters/request/status_response.h"
#include "apiserver/rest/encoding/body_stream.h"
#include "base/async/task.h"
#include "base/text/str_cat.h"

namespace steward::console {
namespace {

struct State {
  std::shared_ptr<const FileIndex> files;
  FileHandlerOptions options;
};

// The form of the file that this client accepts.
struct Variant {
  std::string_view bytes;
  bool gzip = false;
  std::string etag;
};

Variant Choose(const StaticFile& file, const http::Request& request) {
  const bool gzip = !file.gzip.empty() && rest::AcceptsGzip(request);
  return {gzip ? file.gzip : file.content, gzip,
          StrCat("\"", file.digest, gzip ? "-gzip" : "", "\"")};
}

// RFC 9110, 13.1.2: by the weak comparison.
bool IsKnown(const http::Request& request, std::string_view etag) {
  for (std::string_view rest : request.headers.FindAll("If-None-Match")) {
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      std::string_view one = ToStd(absl::StripAsciiWhitespace(ToAbsl(rest.substr(0, comma))));
      if (one.starts_with("W/")) one.remove_prefix(2);
      if (one == etag || one == "*") return true;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
  return false;
}

const StaticFile* Find(const State& state, std::string_view path) {
  const StaticFile* file = state.files->Find(path);
  if (file != nullptr || state.options.page.empty() || HasFileExtension(path)) return file;
  return state.files->Find(state.options.page);
}

StatusTask SendFile(const State& state, const StaticFile& file, const http::Request& request,
                    http::ResponseWriter& writer) {
  const Variant variant = Choose(file, request);
  http::ResponseHead head;
  head.headers = state.options.headers;
  head.headers.Add("X-Content-Type-Options", "nosniff");
  head.headers.Add("ETag", variant.etag);
  head.headers.Add("Cache-Control",
                   file.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (!file.gzip.empty()) head.headers.Add("Vary", "Accept-Encoding");
  if (IsKnown(request, variant.etag)) {
    head.status = 304;
  } else {
    head.headers.Add("Content-Type", std::string(file.content_type));
    if (variant.gzip) head.headers.Add("Content-Encoding", "gzip");
    head.content_length = variant.bytes.size();
  }
  const bool has_body = head.status == 200;
  absl::Status sent = co_await writer.WriteHead(std::move(head));
  if (sent.ok() && has_body) {
    const http::Segment segment = {variant.bytes, state.files, /*shared=*/true};
    sent = co_await writer.Write({segment});
  }
  if (sent.ok()) sent = co_await writer.Finish();
  co_return sent;
}

VoidTask Serve(std::shared_ptr<const State> state, http::Request& request,
               http::ResponseWriter& writer) {
  http::Headers headers = state->options.headers;
  headers.Add("X-Content-Type-Options", "nosniff");
  if (request.method != "GET" && request.method != "HEAD") {
    headers.Add("Allow", "GET, HEAD");
    co_await filters::RespondText(writer, 405, "only GET and HEAD", std::move(headers));
    co_return;
  }
  const StaticFile* file = Find(*state, request.path);
  if (file == nullptr) {
    co_await filters::RespondText(writer, 404, "there is no such file", std::move(headers));
    co_return;
  }
  const absl::Status sent = co_await SendFile(*state, *file, request, writer);
  sent.IgnoreError();  // the client is gone
}

}  // namespace

http::Handler ServeFiles(std::shared_ptr<const FileIndex> files, FileHandlerOptions options) {
  const auto state = std::make_shared<const State>(State{std::move(files), std::move(options)});
  return [state](http::Request& request, http::ResponseWriter& writer) {
    return Serve(state, request, writer);
  };
}

}  // namespace steward::console
