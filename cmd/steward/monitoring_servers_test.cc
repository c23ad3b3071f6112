// Tests of metrics and probes over real sockets, with reviews by a cluster in memory.
#include "cmd/steward/monitoring_servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "absl/status/status.h"
#include "apiserver/http/tls/tls_test_client.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "cmd/steward/monitoring_options.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

class MonitoringServersTest : public ::testing::Test {
 protected:
  MonitoringServersTest() {
    prometheus::BuildCounter()
        .Name("beans_total")
        .Help("x")
        .Register(registry_)
        .Add({})
        .Increment(7);
    // In this cluster, the token of a user is the user's name.
    cluster_.HandleCreate(kTokenReviews, [](const json::value& review) {
      return json::value{{"status",
                          {{"authenticated", true},
                           {"user", {{"username", review.at("spec").at("token").as_string()}}}}}};
    });
    cluster_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
      return json::value{{"status", {{"allowed", review.at("spec").at("user") == "prometheus"}}}};
    });
    options_.metrics = {"127.0.0.1", 0};
    options_.probes = {"127.0.0.1", 0};
  }

  MonitoringDeps Deps() {
    return {.reviews = &cluster_,
            .registry = registry_,
            .threads = threads_,
            .checks = {server::PingCheck()}};
  }

  std::string Ask(uint16_t port, bool tls, const std::string& path, const std::string& token) {
    http::TlsTestOptions options;
    options.tls = tls;
    http::TlsTestClient client(port, options);
    const std::string credentials = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    client.Write("GET " + path + " HTTP/1.1\r\nHost: h\r\n" + credentials +
                 "Connection: close\r\n\r\n");
    return client.ReadAll();
  }

  asio::io_context io_{1};
  kube::FakeClient cluster_;
  prometheus::Registry registry_;
  http::IoThreads threads_{1};
  MonitoringOptions options_;
};

TEST_F(MonitoringServersTest, MetricsAreForThoseWhomTheClusterLets) {
  MonitoringServers servers(options_, Deps());
  ASSERT_OK(servers.Start());
  const uint16_t port = servers.metrics_port();
  const struct {
    std::string token;
    std::string status;
  } kRows[] = {{"", "HTTP/1.1 401"}, {"tom", "HTTP/1.1 403"}, {"prometheus", "HTTP/1.1 200"}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.token);
    const std::string answer = Ask(port, true, "/metrics", row.token);
    EXPECT_THAT(answer, StartsWith(row.status));
    if (row.token == "prometheus") {
      EXPECT_THAT(answer, HasSubstr("beans_total 7"));
    } else {
      EXPECT_THAT(answer, Not(HasSubstr("beans")));
    }
  }
  // Without TLS there is no answer.
  EXPECT_THAT(Ask(port, false, "/metrics", "prometheus"), Not(HasSubstr("beans")));
  RunOn(io_, servers.Stop());
}

TEST_F(MonitoringServersTest, ProbesAreForEverybody) {
  MonitoringServers servers(options_, Deps());
  ASSERT_OK(servers.Start());
  const uint16_t port = servers.probes_port();
  EXPECT_THAT(Ask(port, false, "/healthz", ""), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask(port, false, "/metrics", ""), StartsWith("HTTP/1.1 404"));
  RunOn(io_, servers.Stop());
}

TEST_F(MonitoringServersTest, PlainWhereThatIsWanted) {
  options_.secure = false;
  MonitoringServers servers(options_, Deps());
  ASSERT_OK(servers.Start());
  EXPECT_THAT(Ask(servers.metrics_port(), false, "/metrics", ""), HasSubstr("beans_total 7"));
  RunOn(io_, servers.Stop());
}

TEST_F(MonitoringServersTest, NothingWhereNothingIsWanted) {
  options_.metrics = {};
  options_.probes = {};
  MonitoringServers servers(options_, Deps());
  ASSERT_OK(servers.Start());
  EXPECT_EQ(servers.metrics_port(), 0);
  EXPECT_EQ(servers.probes_port(), 0);
  RunOn(io_, servers.Stop());
}

TEST_F(MonitoringServersTest, WhatListensIsStoppedAfterAnError) {
  MonitoringServers first(options_, Deps());
  ASSERT_OK(first.Start());
  options_.secure = false;
  options_.probes.port = first.probes_port();
  MonitoringServers second(options_, Deps());
  EXPECT_THAT(second.Start(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("listening on")));
  RunOn(io_, second.Stop());
  RunOn(io_, first.Stop());
}

}  // namespace
}  // namespace steward
