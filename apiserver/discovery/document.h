// Documents whose bytes never change, and the handler that serves them. Immutable, so thread-safe.
#ifndef APISERVER_DISCOVERY_DOCUMENT_H_
#define APISERVER_DISCOVERY_DOCUMENT_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::discovery {

using SharedBytes = std::shared_ptr<const std::string>;

// One form of a document. It matches an Accept clause with this media type and with these values as
// parameters `as`, `g` and `v`.
struct Representation {
  std::string media_type;  // "application/json"
  std::string as, group, version;
  std::string content_type;   // the header as sent
  std::string etag;           // quoted; "" = neither sent nor compared
  std::string cache_control;  // "" = the server's default
  SharedBytes bytes;
  SharedBytes pretty;  // null: `bytes` for all clients
  SharedBytes gzip;    // null: not worth the compression
};

// A document in all its forms.
struct Document {
  std::vector<Representation> representations;  // the first is the default
  // False: Accept is ignored.
  bool negotiated = true;
  // True: the URL has a `hash`. If the hash equals the ETag, the client may cache the answer for a
  // year. For any other hash the client gets the current content. (Kubernetes redirects instead,
  // but the kube-aggregator drops redirects.)
  bool addressed_by_hash = false;
};

// A document with `json` as JSON, indented JSON and YAML.
absl::StatusOr<Document> DiscoveryDocument(std::string_view json);

// A representation of `json` as JSON only, with an ETag, and compressed in advance.
Representation OpenApiRepresentation(std::string json);

// The quoted ETag of `content`: its SHA-512 in upper-case hexadecimal digits.
std::string ETagOf(std::string_view content);

// Writes the whole response: 200, 304, 405 (GET and HEAD are allowed) or 406. Parameters passed by
// reference outlive the task.
StatusTask Serve(const Document& document, const http::Request& request,
                 http::ResponseWriter& writer, const Clock& clock);

}  // namespace steward::discovery

#endif  // APISERVER_DISCOVERY_DOCUMENT_H_
