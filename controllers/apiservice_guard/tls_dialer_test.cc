#include "controllers/apiservice_guard/tls_dialer.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/testing.h"
#include "kube/client/test_server.h"

namespace steward::controllers {
namespace {

struct Row {
  const char* name;
  TestCertOptions server;
  std::string ca_pem;
  bool insecure;
  std::string response;  // "" = it closes the connection
  ReplicaAnswer wanted;
};

TEST(TlsDialerTest, Answers) {
  const TestCa ca("ca");
  const TestCa other("other");
  TestCertOptions named;
  named.dns_names = {"api.ns.svc"};
  TestCertOptions expired = named;
  expired.not_after = absl::Now() - absl::Minutes(1);
  TestCertOptions elsewhere;
  elsewhere.dns_names = {"other.ns.svc"};
  const std::string found = kube::Response(
      200, R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"a/v1","resources":[]})");
  const std::string refused = kube::Response(401, "who are you");
  const std::vector<Row> rows = {
      {"it is discovered", named, ca.cert_pem(), false, found, ReplicaAnswer::kTrusted},
      {"a refusal is an answer", named, ca.cert_pem(), false, refused, ReplicaAnswer::kTrusted},
      {"of another authority", named, other.cert_pem(), false, refused, ReplicaAnswer::kUntrusted},
      {"no bundle", named, "", false, refused, ReplicaAnswer::kUntrusted},
      {"no authority", named, "damaged", false, refused, ReplicaAnswer::kUntrusted},
      {"expired", expired, ca.cert_pem(), false, refused, ReplicaAnswer::kUntrusted},
      {"another name", elsewhere, ca.cert_pem(), false, refused, ReplicaAnswer::kUntrusted},
      {"anybody is trusted", expired, "", true, refused, ReplicaAnswer::kTrusted},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    boost::asio::io_context io(1);
    const TestKeyPair pair = ca.Issue(row.server);
    const kube::TestServerTls tls = {pair.cert_pem, pair.key_pem, ""};
    kube::TestServer server(io, &tls);
    server.Answer(row.response, kube::TestServer::Then::kClose);
    ServiceTarget target;
    target.service = {"ns", "api"};
    target.ca_pem = row.ca_pem;
    target.insecure = row.insecure;
    const ReplicaAddress address = {"127.0.0.1", server.port()};
    FakeClock clock;  // it does not lose patience
    TlsDialer dialer(clock, Random::Real());
    EXPECT_THAT(RunOn(io, dialer.Dial(address, target)), IsOkAndHolds(row.wanted));
  }
}

TEST(TlsDialerTest, NobodyIsThere) {
  boost::asio::io_context io(1);
  std::optional<kube::TestServer> server(std::in_place, io);
  const ReplicaAddress address = {"127.0.0.1", server->port()};
  server.reset();
  TlsDialer dialer(Clock::Real(), Random::Real());
  io.restart();
  EXPECT_THAT(RunOn(io, dialer.Dial(address, ServiceTarget())),
              IsOkAndHolds(ReplicaAnswer::kSilent));
}

}  // namespace
}  // namespace steward::controllers
