// Requests and responses as handlers and filters see them, independent of the protocol (HTTP/1.1 or
// HTTP/2). Each belongs to its connection's executor.
#ifndef APISERVER_HTTP_MESSAGE_MESSAGE_H_
#define APISERVER_HTTP_MESSAGE_MESSAGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "base/async/task.h"
#include "kube/meta/user_info.h"

namespace steward::http {

// Header fields in the order they came; names compare case-insensitively.
class Headers {
 public:
  void Add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
  }
  // Replaces every value of `name`.
  void Set(std::string_view name, std::string value);
  void Remove(std::string_view name);
  // Removes every field for which `matches(name)` is true; calls it once for each field, however
  // many are removed.
  template <typename Predicate>
  void RemoveIf(Predicate matches) {
    std::erase_if(fields_,
                  [&](const auto& field) { return matches(std::string_view(field.first)); });
  }
  // The first value, or null.
  const std::string* Find(std::string_view name) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  std::vector<std::string_view> FindAll(std::string_view name) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// The client's certificate chain as presented in the TLS handshake, DER, leaf first. Only the
// client's possession of the leaf's key was verified; the authenticator verifies the chain per
// request, against CAs that may change.
struct PeerCertificates {
  explicit PeerCertificates(std::vector<std::string> chain);
  const std::vector<std::string> der;
  const std::string digest;  // SHA-256 of the chain, computed once and not for each request
};

// The verb and object of a request, read from method, path and query as in Kubernetes; filled in by
// the request-info filter.
struct RequestInfo {
  bool is_resource = false;
  std::string verb;  // get list watch create update patch delete deletecollection; lower-case
                     // method for non-resources
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  std::string subresource;
  std::string name;
};

// The notes that filters and handlers make for the audit log about a request and its outcome. Lives
// on the connection's executor.
class AuditNotes {
 public:
  virtual ~AuditNotes() = default;
  // Called when Request.user is known.
  virtual void NoteUser() = 0;
  virtual void NoteDecision(bool allowed, std::string_view reason) = 0;
  // Called when authorization failed to decide.
  virtual void NoteUndecided() = 0;
  // Called when the response is this metav1.Status, as JSON.
  virtual void NoteStatus(std::string_view json) = 0;
};

// The body of a request, which may still be on its way. Lives on the connection's executor, as long
// as the handler runs.
class RequestBody {
 public:
  virtual ~RequestBody() = default;
  // Returns the whole body; may be called once. Before this call, the connection accepts only as
  // much of the body as the client may send unrequested. kOutOfRange: it is longer than
  // `max_bytes`. kResourceExhausted: the server, or the connection, holds too many bytes.
  // kInvalidArgument: it is malformed. kUnavailable: the client is gone.
  virtual Task<std::string> Read(size_t max_bytes) = 0;
};

struct Request {
  std::string method;
  std::string target;                                      // as sent
  std::string path;                                        // percent-decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  Headers headers;
  RequestBody* incoming = nullptr;  // null: there is no body, or it was read
  std::string body;                 // set when a filter has read it
  std::string protocol;             // "HTTP/1.1" or "HTTP/2.0"
  std::string remote_address;       // "127.0.0.1:1234"
  bool websocket = false;           // the client asks for a WebSocket, and the connection can
                                    // become one
  std::shared_ptr<const PeerCertificates> peer;  // null when the client presented none
  bool front_proxy = false;                      // the peer is a verified front proxy

  std::string audit_id;
  std::string traceparent;  // W3C's Trace Context, validated; "" = the request is in no trace
  RequestInfo info;
  kube::UserInfo user;          // the authenticated one; filled in by the authentication filter
  AuditNotes* audit = nullptr;  // null: not recorded; outlives every handler that it is set for
  bool authenticated = false;   // `user` has shown credentials; set by the authentication filter
  // True: `user` is anonymous only because the cluster's CAs have not been read yet. Set by the
  // authentication filter, too.
  bool may_be_anybody = false;

  // The first value of a query parameter, or null if there is none.
  const std::string* Query(std::string_view key) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
};

// Bytes of a body and the owner that keeps them alive until they are sent (null: static bytes).
struct Segment {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
  // True: `owner` keeps the bytes for other responses anyway, so their waiting here costs no
  // memory.
  bool shared = false;
};

// Bytes that wait for this response alone.
size_t OwnBytes(std::span<const Segment> segments);

// Owns `bytes`.
Segment OwnedSegment(std::string bytes);

struct ResponseHead {
  int status = 200;
  // "Connection: close" ends the connection after this response, gracefully also in HTTP/2. The
  // connection itself sets Content-Length, Date and all other connection-level fields. It drops
  // those that `headers` contains, except Date.
  Headers headers;
  // A known length is sent as Content-Length. With an unknown one, the body ends with Finish, and
  // each Write is flushed.
  std::optional<uint64_t> content_length;
  // True: a request for a WebSocket gets one (RFC 6455): the status becomes 101, each Write is
  // one text message, which must be UTF-8, and Finish closes the WebSocket in order.
  bool websocket = false;
};

// The response of a handler. The calls come in this order: WriteHead once, Write any number of
// times, Finish once. Each returns when the connection has taken the bytes (back-pressure), or with
// an error when the client is gone; then the handler must stop. For HEAD and for statuses without a
// body, Write drops its bytes. WriteHead refuses a WebSocket with an unacceptable handshake by
// kInvalidArgument (400) or kPermissionDenied (403); nothing was sent then, and another head may be
// written. Lives on the connection's executor; used by one handler at a time.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;
  virtual StatusTask WriteHead(ResponseHead head) = 0;
  virtual StatusTask Write(std::vector<Segment> segments) = 0;
  virtual StatusTask Finish() = 0;
  // Says that a watch has sent its initial state and from now on mostly waits. So filters release
  // its place, and the connection lets the client read more slowly (WatchPace).
  virtual void Settled() = 0;
  // The status sent, 0 before WriteHead; and the body's bytes so far. For metrics and audit.
  virtual int status() const = 0;
  virtual uint64_t bytes_written() const = 0;
};

// A function that answers a request and always completes the response. `request` and `writer`
// outlive the returned task. Handlers are shared by all threads. When the client leaves, the task
// is cancelled.
using Handler = std::function<VoidTask(Request& request, ResponseWriter& writer)>;

// Writes head, body and end in one call. Sets Content-Length.
StatusTask Respond(ResponseWriter& writer, int status, std::string_view content_type,
                   std::string body);

}  // namespace steward::http

#endif  // APISERVER_HTTP_MESSAGE_MESSAGE_H_
