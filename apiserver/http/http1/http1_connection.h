// HTTP/1.0 and HTTP/1.1 on one connection. Lives on one executor.
#ifndef APISERVER_HTTP_HTTP1_HTTP1_CONNECTION_H_
#define APISERVER_HTTP_HTTP1_HTTP1_CONNECTION_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/stream.h"

namespace steward::http {

// Requests are answered one after the other, pipelined ones in order. While a handler runs, the
// connection is read (16 KiB ahead at most), so that the handler is cancelled when the client
// leaves. A handler runs as soon as the header is there; the body is read when the handler asks for
// it. If a request's body was not read, the connection ends after the response.
std::shared_ptr<Connection> MakeHttp1Connection(const boost::asio::any_io_executor& executor,
                                                ByteStream& stream, const ConnectionEnv& env,
                                                PeerInfo peer);

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP1_HTTP1_CONNECTION_H_
