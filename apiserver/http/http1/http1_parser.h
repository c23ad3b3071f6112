// An incremental parser of one HTTP/1 request. Not thread-safe.
#ifndef APISERVER_HTTP_HTTP1_HTTP1_PARSER_H_
#define APISERVER_HTTP_HTTP1_HTTP1_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/http/connection/http_error.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/message.h"

namespace steward::http {

// Parses a single request. Stricter than RFC 9112 wherever two readers of a message could disagree
// on its framing.
class Http1Parser {
 public:
  // Memory for header and body is taken from `lease`. Both references outlive the parser.
  Http1Parser(const Limits& limits, MemoryBudget::Lease& lease);
  ~Http1Parser();

  enum class Progress {
    kNeedMore,  // call again with the bytes that were not consumed and more behind them
    kHead,      // the header is complete, reported once; done() tells whether a body follows
    kDone,      // the request is complete; bytes not consumed belong to the next one
    kError,     // see error(); the connection cannot go on
  };
  // Consumes bytes from the front of `bytes`; `consumed` receives their number.
  Progress Parse(std::string_view bytes, size_t& consumed);

  // Accepts a body of at most `max_bytes`. Call it after kHead and before the next Parse. False:
  // the announced body is longer (see error()), and Parse must not be called again.
  bool AllowBody(size_t max_bytes);

  // Valid from kHead on; its `body` is valid from kDone on.
  Request& request();
  // True when the request is complete.
  bool done() const;
  // True when the client can send another request on this connection; false before kHead.
  bool keep_alive() const;
  // True when the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  // True when the client understands chunked bodies (HTTP/1.1).
  bool knows_chunked() const;

  const HttpError& error() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP1_HTTP1_PARSER_H_
