#include "cmd/steward/monitoring.h"

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/filters/request_metrics.h"
#include "apiserver/http/tls/tls_test_client.h"
#include "base/async/run.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MonitoringTest : public ::testing::Test {
 protected:
  void Serve(http::Handler handler) {
    auto monitoring = Monitoring::Start({"127.0.0.1", 0}, nullptr, std::move(handler), threads_);
    ASSERT_OK(monitoring);
    monitoring_ = *std::move(monitoring);
  }
  ~MonitoringTest() override {
    if (monitoring_ != nullptr) RunOn(io_, monitoring_->Stop());
  }

  std::string Ask(const std::string& method, const std::string& path) {
    http::TlsTestOptions plain;
    plain.tls = false;
    http::TlsTestClient client(monitoring_->port(), plain);
    client.Write(method + " " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return client.ReadAll();
  }

  asio::io_context io_{1};
  http::IoThreads threads_{1};
  prometheus::Registry registry_;
  std::atomic<bool> synced_{false};
  std::unique_ptr<Monitoring> monitoring_;
};

TEST_F(MonitoringTest, Metrics) {
  prometheus::BuildCounter().Name("beans_total").Help("x").Register(registry_).Add({}).Increment(7);
  Serve(ServeMetrics(filters::MetricsHandler(registry_)));
  const std::string answer = Ask("GET", "/metrics");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("beans_total 7"));
  EXPECT_THAT(Ask("POST", "/metrics"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Ask("GET", "/metrics/more"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Ask("GET", "/healthz"), StartsWith("HTTP/1.1 404"));
}

TEST_F(MonitoringTest, Probes) {
  server::HealthCheck synced;
  synced.name = "caches";
  synced.in_healthz = false;
  synced.check = [this] { return synced_ ? absl::OkStatus() : absl::UnavailableError("not yet"); };
  Serve(ServeProbes({server::PingCheck(), synced}));
  EXPECT_THAT(Ask("GET", "/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("GET", "/readyz"), StartsWith("HTTP/1.1 500"));
  synced_ = true;
  EXPECT_THAT(Ask("GET", "/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("GET", "/readyz?verbose"), HasSubstr("[+]caches ok"));
  EXPECT_THAT(Ask("GET", "/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Ask("GET", "/metrics"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Ask("GET", "/healthz/nope"), StartsWith("HTTP/1.1 404"));
}

TEST_F(MonitoringTest, ALongTargetIsRefused) {
  Serve(ServeProbes({}));
  EXPECT_THAT(Ask("GET", "/healthz?" + std::string(1900, 'x')), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("GET", "/healthz?" + std::string(2100, 'x')), StartsWith("HTTP/1.1 414"));
}

TEST_F(MonitoringTest, OneAddressHasFewConnections) {
  Serve(ServeProbes({}));
  http::TlsTestOptions plain;
  plain.tls = false;
  std::vector<std::unique_ptr<http::TlsTestClient>> clients;
  for (int i = 0; i < 21; ++i) {
    clients.push_back(std::make_unique<http::TlsTestClient>(monitoring_->port(), plain));
  }
  const auto answer = [&clients](size_t i) {
    clients[i]->Write("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return clients[i]->ReadAll();
  };
  EXPECT_THAT(answer(20), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(answer(0), "") << "displaced";
  EXPECT_THAT(answer(1), StartsWith("HTTP/1.1 200"));
}

TEST_F(MonitoringTest, AnAddressThatIsTakenIsAnError) {
  Serve(ServeProbes({}));
  const auto other =
      Monitoring::Start({"127.0.0.1", monitoring_->port()}, nullptr, ServeProbes({}), threads_);
  EXPECT_THAT(other, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("listening on")));
}

}  // namespace
}  // namespace steward
