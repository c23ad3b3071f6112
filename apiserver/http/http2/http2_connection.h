// HTTP/2 on one connection. Lives on one executor.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_H_
#define APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/stream.h"

namespace steward::http {

// Each request's handler runs as a task of `env.tasks`. It may outlive Serve for the time that its
// cancellation takes.
std::shared_ptr<Connection> MakeHttp2Connection(const boost::asio::any_io_executor& executor,
                                                ByteStream& stream, const ConnectionEnv& env,
                                                PeerInfo peer);

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_CONNECTION_H_
