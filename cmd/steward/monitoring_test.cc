#include "cmd/steward/monitoring.h"

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MonitoringTest : public ::testing::Test {
 protected:
  MonitoringTest() {
    prometheus::BuildCounter()
        .Name("beans_total")
        .Help("x")
        .Register(registry_)
        .Add({})
        .Increment(7);
    server::HealthCheck synced;
    synced.name = "caches";
    synced.in_healthz = false;
    synced.check = [this] {
      return synced_ ? absl::OkStatus() : absl::UnavailableError("not yet");
    };
    auto monitoring =
        Monitoring::Start("127.0.0.1", 0, {server::PingCheck(), synced}, registry_, threads_);
    monitoring_ = std::move(monitoring).value();
  }
  ~MonitoringTest() override { RunOn(io_, monitoring_->Stop()); }

  std::string Ask(const std::string& method, const std::string& path) {
    tcp::socket socket(io_);
    socket.connect({asio::ip::address_v4::loopback(), monitoring_->port()});
    asio::write(socket, asio::buffer(method + " " + path +
                                     " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    std::string answer;
    boost::system::error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    return answer;
  }

  asio::io_context io_{1};
  http::IoThreads threads_{1};
  prometheus::Registry registry_;
  std::atomic<bool> synced_{false};
  std::unique_ptr<Monitoring> monitoring_;
};

TEST_F(MonitoringTest, Metrics) {
  const std::string answer = Ask("GET", "/metrics");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("beans_total 7"));
}

TEST_F(MonitoringTest, Health) {
  EXPECT_THAT(Ask("GET", "/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("GET", "/readyz"), StartsWith("HTTP/1.1 500"));
  synced_ = true;
  EXPECT_THAT(Ask("GET", "/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("GET", "/readyz?verbose"), HasSubstr("[+]caches ok"));
}

TEST_F(MonitoringTest, NothingElse) {
  EXPECT_THAT(Ask("GET", "/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Ask("POST", "/metrics"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Ask("GET", "/healthz/nope"), StartsWith("HTTP/1.1 404"));
}

TEST_F(MonitoringTest, AnAddressThatIsTakenIsAnError) {
  const auto other = Monitoring::Start("127.0.0.1", monitoring_->port(), {}, registry_, threads_);
  EXPECT_THAT(other, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("listening on")));
}

}  // namespace
}  // namespace steward
