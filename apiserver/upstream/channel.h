// Calls the controllers: any method of any of their services. Thread-safe.
#ifndef APISERVER_UPSTREAM_CHANNEL_H_
#define APISERVER_UPSTREAM_CHANNEL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/upstream/asker.h"
#include "apiserver/upstream/circuit.h"
#include "base/async/backoff.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/status/macros.h"
#include "proto/steward/common/v1/requester.pb.h"

namespace steward::upstream {

struct ChannelOptions {
  // "host:port", or any target that gRPC supports; a name with several addresses stands for all of
  // them.
  std::string address;
  // PEM files, checked again every reload_seconds. The controllers' certificate must be issued by
  // this authority for the host of `address`; this client's certificate names its user
  // (--grpc-frontends).
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  unsigned reload_seconds = 10;

  size_t connections = 2;  // connections to each address
  int max_calls = 100;     // at a time; further calls are refused with 429 at once
  int max_streams = 100;   // the same for streams
  absl::Duration call_timeout = absl::Seconds(30);  // for all attempts together
  int attempts = 3;
  BackoffOptions retry = {absl::Milliseconds(100), absl::Seconds(2), 2.0, 0.5};
  CircuitOptions circuit;
};

// The messages of one call's response stream, as bytes. Used by one task at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Returns the next message, or none when the stream has ended without an error. REQUIRES: no
  // earlier call returned none or an error, or was cancelled.
  virtual Task<std::optional<std::string>> Next() = 0;
};

// The messages of one call's response stream; the call is cancelled when this object is destroyed.
// Used by one task at a time.
template <typename Response>
class ResponseStream {
 public:
  explicit ResponseStream(std::unique_ptr<ByteStream> bytes) : bytes_(std::move(bytes)) {}

  // Returns the next message, as ByteStream::Next does.
  Task<std::optional<Response>> Next() {
    CO_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, co_await bytes_->Next());
    if (!bytes.has_value()) co_return std::nullopt;
    Response response;
    if (!response.ParseFromString(*bytes)) co_return absl::InternalError("an unreadable message");
    co_return response;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
};

// Calls that do not reach the controllers are repeated as the options say; after repeated failures
// the circuit opens, and calls fail at once with 503. The controllers' own answers are passed on
// unchanged. All services and their clients share the connections, the circuit and the limits.
class Channel {
 public:
  // Connects with the first call. Errors name a file that cannot be used; a missing file may still
  // appear. REQUIRES: `clock` and `random` outlive this object and its calls.
  static absl::StatusOr<std::unique_ptr<Channel>> Create(ChannelOptions options, Clock& clock,
                                                         Random& random);
  ~Channel();

  // Calls `method` ("/steward.cleanup.v1.CleanupService/Get") for `asker`, and sets on_behalf_of to
  // it. Cancellable.
  template <typename Request, typename Response>
  Task<Response> Call(std::string method, Asker asker, Request request) {
    SetRequester(asker, *request.mutable_on_behalf_of());
    CO_ASSIGN_OR_RETURN(
        const std::string bytes,
        co_await CallBytes(std::move(method), std::move(asker), request.SerializeAsString()));
    Response response;
    if (!response.ParseFromString(bytes)) co_return absl::InternalError("an unreadable answer");
    co_return response;
  }

  // Calls a method that answers with a stream. It has no deadline and is not repeated, because only
  // the reader knows where to resume. The error of a refusal comes with the first Next. REQUIRES:
  // this object outlives the stream.
  template <typename Request, typename Response>
  absl::StatusOr<ResponseStream<Response>> Stream(std::string method, Asker asker,
                                                  Request request) {
    SetRequester(asker, *request.mutable_on_behalf_of());
    ASSIGN_OR_RETURN(std::unique_ptr<ByteStream> bytes,
                     StreamBytes(std::move(method), asker, request.SerializeAsString()));
    return ResponseStream<Response>(std::move(bytes));
  }

 private:
  struct Impl;
  explicit Channel(std::unique_ptr<Impl> impl);

  static void SetRequester(const Asker& asker, common::v1::Requester& requester);
  Task<std::string> CallBytes(std::string method, Asker asker, std::string request);
  absl::StatusOr<std::unique_ptr<ByteStream>> StreamBytes(std::string method, const Asker& asker,
                                                          const std::string& request);

  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_CHANNEL_H_
