#include "apiserver/server/connection_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <string>

#include "apiserver/http/server.h"

namespace steward::server {
namespace {

using ::testing::HasSubstr;

TEST(ConnectionMetricsTest, FollowsTheServer) {
  prometheus::Registry registry;
  ConnectionMetrics metrics(registry);
  http::ServerStats stats;
  stats.connections = 9;
  stats.accepted = 10;
  stats.rejected_full = 1;
  metrics.Observe(stats);
  stats.connections = 3;
  stats.accepted = 25;
  stats.rejected_full = 2;
  stats.rejected_source = 4;
  stats.shed = 5;
  stats.accept_errors = 6;
  stats.handshake_errors = 7;
  stats.watches_reset = 8;
  stats.request_memory = 1000;
  stats.request_memory_limit = 2000;
  metrics.Observe(stats);
  metrics.Observe(stats);
  const std::string text = prometheus::TextSerializer().Serialize(registry.Collect());
  for (const char* line :
       {"steward_apiserver_connections 3\n", "steward_apiserver_connections_accepted_total 25\n",
        "steward_apiserver_connections_rejected_total{reason=\"total\"} 2\n",
        "steward_apiserver_connections_rejected_total{reason=\"source\"} 4\n",
        "steward_apiserver_connections_shed_total 5\n", "steward_apiserver_accept_errors_total 6\n",
        "steward_apiserver_tls_handshake_errors_total 7\n",
        "steward_apiserver_watches_reset_total 8\n",
        "steward_apiserver_request_memory_bytes 1000\n",
        "steward_apiserver_request_memory_limit_bytes 2000\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace steward::server
