// Documents whose bytes never change, and how they are served.
#ifndef APISERVER_DISCOVERY_DOCUMENT_H_
#define APISERVER_DISCOVERY_DOCUMENT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::discovery {

using SharedBytes = std::shared_ptr<const std::string>;

// One way to say a document. The Accept clause that asks for it has this media type and, as
// parameters `as`, `g` and `v`, this form.
struct Representation {
  std::string media_type;  // "application/json"
  std::string as, group, version;
  std::string content_type;   // as sent
  std::string etag;           // quoted; "" = neither sent nor compared
  std::string cache_control;  // "" = the server's default
  SharedBytes bytes;
  SharedBytes pretty;  // null: `bytes` for everyone
  SharedBytes gzip;    // null: not worth it
};

struct Document {
  std::vector<Representation> representations;  // the first for clients that take anything
  // False: Accept is not looked at.
  bool negotiated = true;
  // The URL has a `hash`: when it is the ETag's, the client may keep the answer for a year; any
  // other gets the present content. (A redirect, as Kubernetes sends, does not survive the
  // kube-aggregator.)
  bool addressed_by_hash = false;
};

// `json` as JSON, indented JSON and YAML.
absl::StatusOr<Document> DiscoveryDocument(std::string_view json);

// `json` as JSON only, with an ETag, and compressed beforehand.
Representation OpenApiRepresentation(std::string json);

// The quoted ETag of `content`: its SHA-512 in upper-case hexadecimal digits.
std::string ETagOf(std::string_view content);

// The whole response: 200, 304, 405 (GET and HEAD are allowed) or 406. Parameters by reference
// outlive the task.
StatusTask Serve(const Document& document, const http::Request& request,
                 http::ResponseWriter& writer, const Clock& clock);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_DOCUMENT_H_
