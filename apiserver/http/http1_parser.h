// Reads one HTTP/1 request from bytes as they come.
#ifndef APISERVER_HTTP_HTTP1_PARSER_H_
#define APISERVER_HTTP_HTTP1_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/http/http_error.h"
#include "apiserver/http/memory_budget.h"
#include "apiserver/http/message.h"
#include "apiserver/http/options.h"

namespace steward::http {

// One request, once. Stricter than RFC 9112 demands wherever two readers of a message could
// disagree on its framing.
class Http1Parser {
 public:
  // What header and body hold is taken from `lease`. Both outlive the parser.
  Http1Parser(const Limits& limits, MemoryBudget::Lease& lease);
  ~Http1Parser();

  enum class Progress {
    kNeedMore,  // call again with the bytes that were not consumed and more behind them
    kHead,      // the header is complete, said once; done() tells whether a body follows
    kDone,      // the request is complete; what was not consumed belongs to the next one
    kError,     // see error(); the connection cannot go on
  };
  // Consumes bytes from the front of `bytes`; `consumed` is how many.
  Progress Parse(std::string_view bytes, size_t& consumed);

  // After kHead: takes a body of at most `max_bytes`. Parse is not called on before, and not at all
  // when this is false: the body is announced as longer (see error()).
  bool AllowBody(size_t max_bytes);

  // From kHead on; without `body` until kDone.
  Request& request();
  // Whether the request is complete.
  bool done() const;
  // Whether the client can send another request on this connection; false before kHead.
  bool keep_alive() const;
  // Whether the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const;
  // Whether the client knows chunked bodies (HTTP/1.1).
  bool knows_chunked() const;

  const HttpError& error() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP1_PARSER_H_
