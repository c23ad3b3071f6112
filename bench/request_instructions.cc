// The instructions of single requests, from the bytes that a connection of HTTP/2 receives to those
// that it sends: everything but TLS and sockets. tools/instructions runs this under callgrind,
// whose dumps are named for the requests and say how many they are. One thread does all that is
// counted; clock and chance stand still.
#include <prometheus/registry.h>
#include <valgrind/callgrind.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/http2/http2_connection.h"
#include "apiserver/http/http2/http2_test_client.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/limits/connection_gate.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/date.h"
#include "apiserver/http/message/message.h"
#include "apiserver/server/options.h"
#include "apiserver/server/server.h"
#include "apiserver/upstream/linked_previews.h"
#include "apiserver/upstream/pending_operands.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "base/tls/testing.h"
#include "bench/operators.h"
#include "cmd/steward/cluster_worlds.h"
#include "cmd/steward/virtual_api.h"
#include "kube/client/refusing_client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"

namespace steward {
namespace {

constexpr int kOperators = 6;
constexpr int kNamespaces = 1000;
constexpr std::string_view kGroupVersion = "/apis/views.operators.coreos.com/v1alpha1";
constexpr std::string_view kList =
    "/apis/views.operators.coreos.com/v1alpha1/namespaces/team-500/installedoperators";
// The first answers fill caches and compress texts.
constexpr int kUncounted = 20;
// Divisible by 16: of so many requests by certificate, the server measures the certificate of one.
constexpr int kCounted = 16;
// As many bytes as Go's client lets a server send on a stream before it has read them.
constexpr int kWindow = 4 << 20;

[[noreturn]] void Fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

template <typename T>
T OrFail(absl::StatusOr<T> result) {
  if (!result.ok()) Fail(result.status().ToString());
  return *std::move(result);
}

// Callgrind counts what runs while one of these lives: it is toggled.
class Counted {
 public:
  Counted() { CALLGRIND_TOGGLE_COLLECT; }
  ~Counted() { CALLGRIND_TOGGLE_COLLECT; }
};

// The client's work within a Counted, which callgrind leaves out.
class Uncounted : Counted {};

// Calls `once` a few times, and has callgrind write down what the last of them cost.
void Measure(std::string_view name, const std::function<void()>& once) {
  for (int i = 0; i < kUncounted; ++i) once();
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  for (int i = 0; i < kCounted; ++i) once();
  CALLGRIND_DUMP_STATS_AT(StrCat(name, " ", kCounted).c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

// A kube-apiserver that allows everything.
class Allowing : public kube::RefusingClient {
 public:
  Allowing() : RefusingClient(absl::UnavailableError("not asked here")) {}
  Task<boost::json::value> Create(const kube::GroupVersionResource&, const std::string&,
                                  const boost::json::value&, const kube::WriteOptions&) override {
    co_return boost::json::value{{"status", {{"allowed", true}}}};
  }
};

// A folder that ends with this object.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "steward-instructions-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) Fail("no temporary folder");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A stream that ends in memory. What it keeps for the client is not counted.
class Wire final : public http::ByteStream {
 public:
  explicit Wire(const boost::asio::any_io_executor& executor) : arrived_(executor) {}

  void Feed(std::string_view bytes) {
    input_ += bytes;
    arrived_.Notify();
  }
  std::string TakeOutput() { return std::exchange(output_, {}); }

  Task<std::string_view> Read() override {
    while (input_.empty()) co_await arrived_.Wait();
    current_ = std::exchange(input_, {});
    co_return current_;
  }
  StatusTask Write(std::span<const std::string_view> pieces) override {
    Uncounted client;
    for (const std::string_view piece : pieces) output_.append(piece);
    co_return absl::OkStatus();
  }
  void SetPace(http::Pace) override {}
  VoidTask Shutdown() override { co_return; }
  void Abort() override {}

 private:
  std::string input_;
  std::string current_;
  std::string output_;
  http::Event arrived_;
};

// `steward apiserver` beside a cluster that has installed operators.
class Replica {
 public:
  Replica() {
    InstallOperators(writer_, kOperators, kNamespaces);
    Publish();
    server::Options options;
    options.cert_dir = folder_.path();
    options.authentication_skip_lookup = true;
    options.requestheader_client_ca_file = folder_.path() + "/ca.crt";
    std::ofstream(options.requestheader_client_ca_file) << ca_.cert_pem();
    server_ = OrFail(server::ApiServer::Create(options,
                                               VirtualResources({.worlds = worlds_,
                                                                 .plans = plans_,
                                                                 .clock = clock_,
                                                                 .pending_operands = nobody_,
                                                                 .previews = previews_}),
                                               {},
                                               {.threads = threads_,
                                                .clock = clock_,
                                                .random = random_,
                                                .registry = registry_,
                                                .cluster = cluster_,
                                                .token_reviews = cluster_,
                                                .access_reviews = cluster_,
                                                .synced = [] { return absl::OkStatus(); }}));
  }

  // The kube-apiserver's certificate.
  std::shared_ptr<const http::PeerCertificates> FrontProxy() const {
    TestCertOptions options;
    options.common_name = "front-proxy-client";
    return filters::MakePeer({ca_.Issue(options).cert_pem});
  }

  // Takes in that an operator has changed.
  void Change(olm::CsvPtr csv) {
    writer_.Put(std::move(csv), ++revision_);
    Publish();
  }

  Clock& clock() { return clock_; }
  const http::Handler& handler() const { return server_->handler(); }

 private:
  void Publish() { worlds_.store().Publish(writer_.Snapshot()); }

  const Folder folder_;
  const TestCa ca_{"front-proxy-ca"};
  FakeClock clock_{absl::Now()};
  FixedRandom random_{0.5};
  prometheus::Registry registry_;
  Allowing cluster_;
  uint64_t revision_ = 1000;
  storage::OperatorWriter writer_;
  ClusterWorlds worlds_{cluster_, clock_, random_, registry_, OperatorSources()};
  ClusterWorlds plans_{cluster_, clock_, random_, registry_, PlanSources()};
  upstream::NoControllers nobody_{"nobody is there"};
  upstream::LinkedPreviews previews_{{.plans = {nullptr, "nobody plans"},
                                      .cleanup = {nullptr, "nobody cleans up"},
                                      .copies = {nullptr, "nobody copies"}}};
  http::IoThreads threads_{1};
  std::unique_ptr<server::ApiServer> server_;
};

// A connection of the kube-apiserver's proxy, which brings the requests of one user.
class Connection {
 public:
  explicit Connection(Replica& replica)
      : handler_(replica.handler()), date_(replica.clock()), pass_(gate_.Admit({})) {
    pass_->Enter([] {});
    pass_->Settle(/*front_proxy=*/true);
    const http::ConnectionEnv env{limits_,    timeouts_, handler_, error_body_, memory_,
                                  deadlines_, date_,     tasks_,   *pass_};
    connection_ = http::MakeHttp2Connection(io_.get_executor(), wire_, env,
                                            {.remote_address = "192.0.2.1:55",
                                             .certificates = replica.FrontProxy(),
                                             .front_proxy = true});
    tasks_.Spawn("connection", connection_->Serve());
    Exchange();
  }
  ~Connection() { RunOn(io_, tasks_.Stop()); }

  using Fields = std::vector<std::pair<std::string, std::string>>;

  // Sends a request and returns its stream, after the server has done what it can.
  int32_t Begin(std::string_view target, Fields more) {
    Fields fields = {{":method", "GET"},
                     {":scheme", "https"},
                     {":path", std::string(target)},
                     {":authority", "steward.steward.svc:443"},
                     {"user-agent", "kubectl/v1.36.0 (linux/amd64) kubernetes/0123456"},
                     {"x-forwarded-for", "192.0.2.77"},
                     {"x-remote-user", "alice"},
                     {"x-remote-group", "developers"},
                     {"x-remote-group", "system:authenticated"}};
    fields.insert(fields.end(), more.begin(), more.end());
    const int32_t id = client_.RawRequest(std::move(fields));
    client_.Widen(id, kWindow);
    Exchange();
    return id;
  }

  // Sends a request, and fails unless it is answered with this field and at least `bytes`.
  void Get(std::string_view target, Fields more, const std::pair<std::string, std::string>& field,
           size_t bytes) {
    const http::Http2TestResponse& response = client_.response(Begin(target, std::move(more)));
    const auto found = response.fields.find(field.first);
    const std::string value = found == response.fields.end() ? "" : found->second;
    if (response.status != 200 || !response.ended || response.body.size() < bytes ||
        value != field.second) {
      Fail(StrCat(target, ": ", response.status, ", ", field.first, " ", value, ", ",
                  response.body.size(), " bytes: ", response.body.substr(0, 200)));
    }
  }

  // The body that the stream has received.
  const std::string& Received(int32_t stream) { return client_.response(stream).body; }

  // Carries bytes in both directions until neither side has any.
  void Exchange() {
    for (;;) {
      Run();
      if (!client_.Receive(wire_.TakeOutput())) Fail("the server's bytes are no HTTP/2");
      const std::string bytes = client_.TakeOutput();
      if (bytes.empty()) return;
      wire_.Feed(bytes);
    }
  }

 private:
  void Run() {
    Counted server;
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_{1};
  const http::Limits limits_ = http::FrontProxyLimits({});
  const http::Timeouts timeouts_;
  const http::Handler& handler_;
  const http::ErrorBody error_body_ = [](int, std::string_view, std::string_view) {
    return std::string("{}");
  };
  http::MemoryBudget memory_{limits_};
  http::DeadlineSet deadlines_{absl::Seconds(1)};
  http::HttpDate date_;
  TaskGroup tasks_{io_.get_executor()};
  Wire wire_{io_.get_executor()};
  http::ConnectionGate gate_{8, 8};
  const std::unique_ptr<http::ConnectionGate::Pass> pass_;
  std::shared_ptr<http::Connection> connection_;
  http::Http2TestClient client_;
};

void MeasureAll() {
  Replica replica;
  Connection connection(replica);
  const auto json = [](std::string_view as) {
    return StrCat("application/json", as.empty() ? "" : ";v=v1;g=meta.k8s.io;as=", as);
  };
  const std::pair<std::string, std::string> is_json = {"content-type", json("")};
  Measure("json", [&] { connection.Get(kList, {{"accept", json("")}}, is_json, 280'000); });
  Measure("gzip", [&] {
    connection.Get(kList, {{"accept", json("")}, {"accept-encoding", "gzip"}},
                   {"content-encoding", "gzip"}, 1000);
  });
  Measure("table", [&] { connection.Get(kList, {{"accept", json("Table")}}, is_json, 1000); });
  Measure("metadata", [&] {
    connection.Get(kList, {{"accept", json("PartialObjectMetadataList")}}, is_json, 20'000);
  });
  Measure("discovery", [&] {
    connection.Get(kGroupVersion, {{"accept", json("")}}, is_json, 500);
  });

  const int32_t watch = connection.Begin(StrCat(kList, "?watch=true&allowWatchBookmarks=true"),
                                         {{"accept", json("")}});
  if (!connection.Received(watch).starts_with(R"({"type":"ADDED")")) Fail("no watch has begun");
  int changes = 0;
  Measure("watch", [&] {
    // Texts of one length.
    olm::CsvPtr csv = OrFail(olm::DecodeCsv(CsvJson(3, StrCat("Phase-", 1000 + changes++))));
    const size_t before = connection.Received(watch).size();
    {
      Counted server;
      replica.Change(std::move(csv));
    }
    connection.Exchange();
    const std::string_view events = std::string_view(connection.Received(watch)).substr(before);
    if (!events.starts_with(R"({"type":"MODIFIED")") ||
        events.find(R"({"type":"BOOKMARK")") == std::string_view::npos) {
      Fail("the watch does not say what changed");
    }
  });
}

}  // namespace
}  // namespace steward

int main() { steward::MeasureAll(); }
