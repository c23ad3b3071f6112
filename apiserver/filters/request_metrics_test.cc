#include "apiserver/filters/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward::filters {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::Not;

class RequestMetricsTest : public ::testing::Test {
 protected:
  void Ask(const std::string& method, const std::string& target) {
    http::Request request = MakeReadRequest(method, target);
    rest::RecordingWriter writer;
    Handle(WithMetrics(ServedHandler(), metrics_, clock_), request, writer);
  }
  std::string Text() {
    http::Request request = MakeReadRequest("GET", "/metrics");
    rest::RecordingWriter writer;
    Handle(MetricsHandler(registry_), request, writer);
    EXPECT_EQ(writer.Header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    return writer.body();
  }
  static int CountSeries(const std::string& text, const std::string& name) {
    int count = 0;
    for (size_t at = text.find("\n" + name + "{"); at != std::string::npos;
         at = text.find("\n" + name + "{", at + 1)) {
      ++count;
    }
    return count;
  }

  FakeClock clock_;
  prometheus::Registry registry_;
  RequestMetrics metrics_{registry_, {{"g", "v1", "widgets", {"icon"}}}};
};

TEST_F(RequestMetricsTest, Labels) {
  struct Row {
    std::string method;
    std::string target;
    std::string labels;
  };
  const std::string known = R"(,component="apiserver",dry_run="",group="g",resource="widgets",)";
  const Row rows[] = {
      {"GET", "/apis/g/v1/widgets", known + R"(scope="cluster",subresource="",verb="LIST",)"},
      {"GET", "/apis/g/v1/namespaces/n/widgets",
       known + R"(scope="namespace",subresource="",verb="LIST",)"},
      {"GET", "/apis/g/v1/namespaces/n/widgets/w",
       known + R"(scope="resource",subresource="",verb="GET",)"},
      {"GET", "/apis/g/v1/namespaces/n/widgets/w/icon",
       known + R"(scope="resource",subresource="icon",verb="GET",)"},
      {"GET", "/apis/g/v1/widgets?watch=1",
       known + R"(scope="cluster",subresource="",verb="WATCH",)"},
      {"POST", "/apis/g/v1/widgets", known + R"(scope="resource",subresource="",verb="POST",)"},
      {"DELETE", "/apis/g/v1/widgets",
       known + R"(scope="cluster",subresource="",verb="DELETECOLLECTION",)"},
      {"BREW", "/apis/g/v1/widgets", known + R"(scope="cluster",subresource="",verb="other",)"},
      {"HEAD", "/version",
       R"(,component="apiserver",dry_run="",group="",resource="",scope="",subresource="",verb="GET",)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.method + " " + row.target);
    prometheus::Registry registry;
    RequestMetrics metrics(registry, {{"g", "v1", "widgets", {"icon"}}});
    http::Request request = MakeReadRequest(row.method, row.target);
    metrics.ObserveRequest(request, 200, absl::Milliseconds(10), 5);
    rest::RecordingWriter writer;
    Handle(MetricsHandler(registry), request, writer);
    // Prometheus sorts labels by name: the code comes first, the version after the verb.
    EXPECT_THAT(writer.body(), HasSubstr(R"(apiserver_request_total{code="200")" + row.labels));
  }
}

TEST_F(RequestMetricsTest, TheProcesssOwnAreBesideThem) {
  http::Request request = MakeReadRequest("GET", "/metrics");
  rest::RecordingWriter writer;
  Handle(MetricsHandler(registry_), request, writer);
  EXPECT_THAT(writer.body(), HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST_F(RequestMetricsTest, ClientsCannotMakeSeries) {
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    Ask("GET", "/apis/g" + n + "/v1/widgets");
    Ask("GET", "/apis/g/v1/r" + n);
    Ask("GET", "/apis/g/v1/widgets/w/sub" + n);
    Ask("VERB" + n, "/path" + n);
  }
  EXPECT_LE(CountSeries(Text(), "apiserver_request_total"), 4);
}

TEST_F(RequestMetricsTest, ResourcesComeAndGo) {
  constexpr char kWidgets[] = R"(resource="widgets")";
  constexpr char kGadgets[] = R"(resource="gadgets")";
  Ask("GET", "/apis/g/v1/gadgets");
  EXPECT_THAT(Text(), Not(HasSubstr(kGadgets)));
  metrics_.SetKnownResources({{"g", "v1", "gadgets", {}}});
  Ask("GET", "/apis/g/v1/gadgets");
  Ask("GET", "/apis/g/v1/widgets");
  EXPECT_THAT(Text(), HasSubstr(kGadgets));
  EXPECT_THAT(Text(), Not(HasSubstr(kWidgets)));
}

TEST_F(RequestMetricsTest, SeriesAreBounded) {
  std::vector<KnownResource> known;
  for (size_t i = 0; i < RequestMetrics::kMaxSeries + 50; ++i) {
    known.push_back({"g", "v1", "r" + std::to_string(i), {}});
  }
  metrics_.SetKnownResources(known);
  for (const KnownResource& resource : known) {
    const http::Request request = MakeReadRequest("GET", "/apis/g/v1/" + resource.resource);
    metrics_.ObserveRequest(request, 200, absl::Milliseconds(10), 5);
  }
  EXPECT_EQ(CountSeries(Text(), "apiserver_request_total"),
            static_cast<int>(RequestMetrics::kMaxSeries) + 1);
}

TEST_F(RequestMetricsTest, DurationsAndSizes) {
  Ask("GET", "/apis/g/v1/widgets");
  Ask("GET", "/apis/g/v1/widgets?watch=1");
  Ask("POST", "/apis/g/v1/widgets");
  const std::string text = Text();
  EXPECT_EQ(CountSeries(text, "apiserver_request_duration_seconds_count"), 2);
  EXPECT_EQ(CountSeries(text, "apiserver_response_sizes_count"), 1);
  EXPECT_THAT(text, HasSubstr("apiserver_longrunning_requests"));
}

VoidTask SleepForEver(FakeClock& clock) { co_await clock.Sleep(absl::Hours(1)); }

TEST_F(RequestMetricsTest, LongRunningAndAborts) {
  asio::io_context io;
  TaskGroup group(io.get_executor());
  const http::Handler handler =
      WithMetrics([this](http::Request&, http::ResponseWriter&) { return SleepForEver(clock_); },
                  metrics_, clock_);
  http::Request request = MakeReadRequest("GET", "/apis/g/v1/widgets?watch=1");
  rest::RecordingWriter writer;
  group.Spawn("watch", handler(request, writer));
  io.poll();
  const std::string during = Text();
  EXPECT_THAT(during, HasSubstr("apiserver_longrunning_requests{"));
  EXPECT_THAT(during.substr(during.find("apiserver_longrunning_requests{")),
              HasSubstr(R"(version="v1"} 1)"));
  metrics_.SetKnownResources({});
  RunOn(io, group.Stop());
  const std::string after = Text();
  EXPECT_THAT(after.substr(after.find("apiserver_longrunning_requests{")),
              HasSubstr(R"(version="v1"} 0)"));
  EXPECT_EQ(CountSeries(after, "apiserver_request_aborts_total"), 1);
  // A request without a status does not count as answered.
  EXPECT_EQ(CountSeries(after, "apiserver_request_total"), 0);
}

}  // namespace
}  // namespace steward::filters
