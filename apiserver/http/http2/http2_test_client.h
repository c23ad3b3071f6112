// The client's side of an HTTP/2 connection, without I/O: tests carry its bytes. Not thread-safe.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_TEST_CLIENT_H_
#define APISERVER_HTTP_HTTP2_HTTP2_TEST_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct nghttp2_session;

namespace steward::http {

struct Http2TestResponse {
  int status = 0;         // the final one
  int informational = 0;  // 1xx responses before it
  std::map<std::string, std::string> fields;
  std::string body;
  bool ended = false;              // END_STREAM was received
  std::optional<uint32_t> closed;  // error code of the stream's end
};

class Http2TestClient {
 public:
  // `windows`: reports received bytes as read at once; otherwise only ReadMore does.
  explicit Http2TestClient(bool windows = true);
  ~Http2TestClient();

  // Sends a request and returns its stream. Without `end` the request stays open behind its body.
  int32_t Request(std::string_view method, std::string_view path, std::string body = "",
                  std::vector<std::pair<std::string, std::string>> fields = {}, bool end = true);
  // Sends exactly these fields, pseudo-header fields included.
  int32_t RawRequest(std::vector<std::pair<std::string, std::string>> fields);
  void Reset(int32_t id, uint32_t error);
  void Ping();
  // Reports everything received on the stream so far as read.
  void ReadMore(int32_t id);
  // Lets the server send `bytes` more on the stream.
  void Widen(int32_t id, int bytes);

  // Returns the bytes for the server.
  std::string TakeOutput();
  // Receives bytes from the server; false when they violate the protocol.
  bool Receive(std::string_view bytes);

  const Http2TestResponse& response(int32_t id) { return responses_[id]; }
  // The error code of the last GOAWAY.
  std::optional<uint32_t> goaway() const { return goaway_; }
  uint32_t remote_setting(int id) const;

 private:
  struct Callbacks;

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Http2TestResponse> responses_;
  std::map<int32_t, std::pair<std::string, bool>>
      bodies_;  // left to send; true: the stream ends behind it
  std::map<int32_t, size_t> unread_;
  std::optional<uint32_t> goaway_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_TEST_CLIENT_H_
