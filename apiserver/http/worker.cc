#include "apiserver/http/worker.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/http/connection/plain_stream.h"
#include "apiserver/http/http1/http1_connection.h"
#include "apiserver/http/http2/http2_connection.h"
#include "apiserver/http/tls/tls_stream.h"
#include "base/async/yield.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace asio = boost::asio;
using boost::asio::ip::tcp;

namespace {

// The time for the handshake of a provisional connection, for which there may be no place.
constexpr absl::Duration kProvisionalHandshake = absl::Seconds(3);

// "" when the peer is already gone.
std::string RemoteAddress(const tcp::socket& socket) {
  boost::system::error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return "";
  const std::string address = remote.address().to_string();
  return remote.address().is_v6() ? StrCat("[", address, "]:", remote.port())
                                  : StrCat(address, ":", remote.port());
}

// Detects a vanished peer within about `timeout`, whether acknowledgements are outstanding or not.
void SetSocketOptions(tcp::socket& socket, absl::Duration timeout) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const int fd = socket.native_handle();
  const int third = std::max(1, static_cast<int>(absl::ToInt64Seconds(timeout) / 3));
  const int probes = 2;
  const auto total = static_cast<unsigned>(absl::ToInt64Milliseconds(timeout));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &third, sizeof third);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &third, sizeof third);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &total, sizeof total);
}

}  // namespace

Worker::Slot::Slot(Worker& worker, std::unique_ptr<ConnectionGate::Pass> pass)
    : worker_(worker), pass_(std::move(pass)) {
  ++worker_.load_;
}

Worker::Slot::~Slot() { --worker_.load_; }

Worker::Worker(const asio::any_io_executor& executor, ServerShared& shared)
    : executor_(executor),
      shared_(shared),
      deadlines_(shared.tick),
      handshake_turns_(executor),
      date_(shared.clock),
      grace_(deadlines_,
             [this] {
               grace_over_ = true;
               ended_.Notify();
             }),
      ended_(executor),
      ticker_(executor),
      tasks_(executor) {}

void Worker::Start() {
  ticker_.Spawn("http deadlines", Tick());
  ticker_.Spawn("http handshakes", handshake_turns_.Run());
}

VoidTask Worker::Tick() {
  for (;;) {
    co_await shared_.clock.Sleep(shared_.tick);
    for (bool more = deadlines_.Tick(); more; more = deadlines_.RunDue()) co_await Yield();
  }
}

void Worker::Serve(tcp::socket socket, std::unique_ptr<Slot> slot) {
  // The end of the task ends everything that belongs to the connection.
  tasks_.Spawn("http connection", Contain(Run(std::move(socket), std::move(slot)), nullptr));
}

bool Worker::Settle(Slot& slot, PeerInfo& peer) {
  peer.front_proxy = peer.certificates != nullptr && shared_.is_front_proxy &&
                     shared_.is_front_proxy(*peer.certificates);
  return slot.pass().Settle(peer.front_proxy);
}

std::function<void()> Worker::Closing(std::weak_ptr<ByteStream> stream) {
  return [executor = executor_, stream = std::move(stream)] {
    asio::post(executor, [stream] {
      if (const auto open = stream.lock()) open->Abort();
    });
  };
}

VoidTask Worker::Run(tcp::socket socket, std::unique_ptr<Slot> slot) {
  struct Running {
    explicit Running(Worker& w) : worker(w) { ++worker.running_; }
    ~Running() {
      --worker.running_;
      worker.ended_.Notify();
    }
    Worker& worker;
  } running(*this);
  PeerInfo peer;
  peer.remote_address = RemoteAddress(socket);
  SetSocketOptions(socket, shared_.timeouts.write);
  const Pace pace = WatchPace(shared_.limits, shared_.timeouts);
  if (!shared_.tls) {
    if (!Settle(*slot, peer)) co_return;
    const auto stream = std::make_shared<PlainStream>(std::move(socket), deadlines_, pace);
    if (!slot->pass().Enter(Closing(stream))) co_return;
    co_await ServeOn(*stream, "", std::move(peer), slot->pass());
    co_return;
  }
  const auto stream = std::make_shared<TlsStream>(std::move(socket), shared_.tls(),
                                                  handshake_turns_, deadlines_, pace);
  if (!slot->pass().Enter(Closing(stream))) co_return;
  {
    Deadline deadline(deadlines_, [&stream] { stream->Abort(); });
    const bool hurry = slot->pass().provisional();
    deadline.Set(hurry ? kProvisionalHandshake : shared_.timeouts.handshake);
    const absl::Status status = co_await stream->Handshake();
    if (!status.ok()) {
      ++shared_.handshake_errors;
      log::Verbose(2, "TLS handshake failed", {{"remote", peer.remote_address}, {"err", status}});
      co_return;
    }
  }
  peer.certificates = stream->peer();
  if (!Settle(*slot, peer)) co_return;
  co_await ServeOn(*stream, std::string(stream->protocol()), std::move(peer), slot->pass());
}

VoidTask Worker::ServeOn(ByteStream& stream, std::string protocol, PeerInfo peer,
                         ConnectionGate::Pass& pass) {
  const Limits& limits = peer.front_proxy ? shared_.front_proxy_limits : shared_.limits;
  const ConnectionEnv env{limits,
                          shared_.timeouts,
                          shared_.handler,
                          shared_.error_body,
                          shared_.memory,
                          deadlines_,
                          date_,
                          tasks_,
                          pass};
  const std::shared_ptr<Connection> connection =
      protocol == "h2" ? MakeHttp2Connection(executor_, stream, env, std::move(peer))
                       : MakeHttp1Connection(executor_, stream, env, std::move(peer));
  struct Registered {
    Registered(Worker& w, Connection* c) : worker(w), connection(c) {
      worker.connections_.insert(c);
    }
    ~Registered() { worker.connections_.erase(connection); }
    Worker& worker;
    Connection* connection;
  };
  {
    Registered registered(*this, connection.get());
    if (draining_) connection->BeginShutdown();
    co_await connection->Serve();
  }
  co_await stream.Shutdown();
}

void Worker::BeginDrain(absl::Duration grace) {
  draining_ = true;
  grace_.Set(grace);
  for (Connection* connection : connections_) connection->BeginShutdown();
}

VoidTask Worker::Stop() {
  while (running_ > 0 && !grace_over_) co_await ended_.Wait();
  grace_.Clear();
  co_await tasks_.Stop();
  co_await ticker_.Stop();
}

}  // namespace steward::http
