#include "apiserver/discovery/document.h"

#include <openssl/sha.h>

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "apiserver/rest/encoding/body_stream.h"
#include "apiserver/rest/encoding/errors.h"
#include "apiserver/rest/negotiation/accept.h"
#include "apiserver/rest/negotiation/etag.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "base/json/json_text.h"
#include "base/splice/gzip.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "kube/meta/status.h"

namespace steward::discovery {
namespace {

constexpr int kSmallest = 9;

SharedBytes Share(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

struct Choice {
  const Representation* representation = nullptr;
  bool pretty = false;
};

bool AsksFor(const rest::AcceptClause& clause, const Representation& representation) {
  const std::string_view media_type = representation.media_type;
  const size_t slash = media_type.find('/');
  if (!clause.Matches(media_type.substr(0, slash), media_type.substr(slash + 1))) return false;
  std::string_view as, group, version;
  for (const auto& [key, value] : clause.parameters) {
    if (key == "as") as = value;
    if (key == "g") group = value;
    if (key == "v") version = value;
  }
  return as == representation.as && group == representation.group &&
         version == representation.version;
}

Choice Choose(const Document& document, const http::Request& request) {
  const bool pretty = rest::WantsPretty(request);
  const std::string* accept = request.headers.Find("Accept");
  if (!document.negotiated || accept == nullptr || accept->empty()) {
    return {&document.representations.front(), pretty};
  }
  for (const rest::AcceptClause& clause : rest::ParseAccept(*accept)) {
    for (const Representation& representation : document.representations) {
      if (!AsksFor(clause, representation)) continue;
      bool clause_pretty = false;
      for (const auto& [key, value] : clause.parameters) {
        clause_pretty = clause_pretty || (key == "pretty" && value == "1");
      }
      return {&representation, pretty || clause_pretty};
    }
  }
  return {};
}

absl::Status NotAcceptable(const Document& document) {
  std::vector<std::string> media_types;
  for (const Representation& representation : document.representations) {
    if (representation.as.empty()) media_types.push_back(representation.media_type);
  }
  return kube::ToStatus(kube::NotAcceptable(media_types));
}

// The head of a 200 or 304, with the ETag and the time that the answer may be cached.
http::ResponseHead HeadOf(const Document& document, const Representation& representation,
                          const http::Request& request, const Clock& clock) {
  http::ResponseHead head;
  if (document.negotiated) head.headers.Add("Vary", "Accept");
  if (representation.gzip != nullptr) head.headers.Add("Vary", "Accept-Encoding");
  if (!representation.cache_control.empty()) {
    head.headers.Set("Cache-Control", representation.cache_control);
  }
  if (representation.etag.empty()) return head;
  head.headers.Set("ETag", representation.etag);
  const std::string* hash = request.Query("hash");
  if (document.addressed_by_hash && hash != nullptr &&
      StrCat("\"", *hash, "\"") == representation.etag) {
    head.headers.Set("Cache-Control", "public, immutable");
    const absl::Time expires = clock.Now() + absl::Hours(24 * 365);
    head.headers.Set("Expires",
                     absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", expires, absl::UTCTimeZone()));
  }
  return head;
}

// Returns the bytes to send, and sets the headers that belong to them.
SharedBytes TakeBytes(const Choice& choice, const http::Request& request,
                      http::ResponseHead& head) {
  const Representation& representation = *choice.representation;
  head.headers.Set("Content-Type", representation.content_type);
  if (choice.pretty && representation.pretty != nullptr) return representation.pretty;
  if (representation.gzip != nullptr && rest::AcceptsGzip(request)) {
    head.headers.Set("Content-Encoding", "gzip");
    return representation.gzip;
  }
  return representation.bytes;
}

}  // namespace

absl::StatusOr<Document> DiscoveryDocument(std::string_view json) {
  std::string yaml;
  RETURN_IF_ERROR(WriteJsonAsYaml(json, yaml));
  Representation as_json, as_yaml;
  as_json.media_type = as_json.content_type = "application/json";
  as_json.bytes = Share(StrCat(json, "\n"));
  as_json.pretty = Share(IndentJson(json));
  as_yaml.media_type = as_yaml.content_type = "application/yaml";
  as_yaml.bytes = Share(std::move(yaml));
  Document document;
  document.representations = {std::move(as_json), std::move(as_yaml)};
  return document;
}

Representation OpenApiRepresentation(std::string json) {
  Representation representation;
  representation.media_type = representation.content_type = "application/json";
  representation.etag = ETagOf(json);
  representation.gzip = Share(Gzip(json, kSmallest));
  representation.bytes = Share(std::move(json));
  return representation;
}

std::string ETagOf(std::string_view content) {
  unsigned char digest[SHA512_DIGEST_LENGTH];
  SHA512(reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest);
  const absl::string_view bytes(reinterpret_cast<const char*>(digest), sizeof(digest));
  return StrCat("\"", absl::AsciiStrToUpper(absl::BytesToHexString(bytes)), "\"");
}

StatusTask Serve(const Document& document, const http::Request& request,
                 http::ResponseWriter& writer, const Clock& clock) {
  if (request.method != "GET" && request.method != "HEAD") {
    co_return co_await rest::RespondStatus(request, writer, kube::MethodNotAllowed());
  }
  const Choice choice = Choose(document, request);
  if (choice.representation == nullptr) {
    co_return co_await rest::RespondError(request, writer, NotAcceptable(document));
  }
  http::ResponseHead head = HeadOf(document, *choice.representation, request, clock);
  if (rest::ClientHolds(request, choice.representation->etag)) {
    head.status = 304;
    CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
    co_return co_await writer.Finish();
  }
  SharedBytes bytes = TakeBytes(choice, request, head);
  head.content_length = bytes->size();
  CO_RETURN_IF_ERROR(co_await writer.WriteHead(std::move(head)));
  std::vector<http::Segment> segments;
  segments.push_back({*bytes, bytes});
  CO_RETURN_IF_ERROR(co_await writer.Write(std::move(segments)));
  co_return co_await writer.Finish();
}

}  // namespace steward::discovery
