// Calls of the REST client from other threads than its own.
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/client/rest_client.h"
#include "kube/client/test_server.h"

namespace steward::kube {
namespace {

using Then = TestServer::Then;

const GroupVersionResource kPods{"", "v1", "pods"};
constexpr std::string_view kList =
    R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":1}]})";

// A fixture whose client and server run on a thread of their own.
class RestThreadsTest : public ::testing::Test {
 protected:
  RestThreadsTest() : server_(std::make_unique<TestServer>(own_)) {
    ClientConfig config;
    config.tls = false;
    config.host = "127.0.0.1";
    config.port = server_->port();
    client_ = *MakeRestClient(config, own_.get_executor(), Clock::Real(), Random::Real());
  }
  void StartThread() {
    thread_ = std::thread([this] { own_.run(); });
  }
  ~RestThreadsTest() override {
    client_.reset();
    work_.reset();
    own_.stop();
    if (thread_.joinable()) thread_.join();
    own_.restart();
    server_.reset();
  }

  boost::asio::io_context own_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      own_.get_executor()};
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Client> client_;
  std::thread thread_;
};

TEST_F(RestThreadsTest, CallersOnManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 25;
  for (int i = 0; i < kThreads * kCalls; ++i) server_->Answer(Response(200, kList));
  StartThread();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, &good] {
      boost::asio::io_context io{1};
      const ListOptions options;
      for (int i = 0; i < kCalls; ++i) {
        const absl::StatusOr<ListPage> page = RunOn(io, client_->List(kPods, options));
        if (page.ok() && page->items.size() == 1) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads * kCalls);
}

TEST_F(RestThreadsTest, WatchOnAnotherThread) {
  std::string frames;
  for (int i = 1; i <= 100; ++i) {
    StrAppend(&frames, Chunk(StrCat(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":")",
                                    i, "\"}}}\n")));
  }
  server_->Answer(StrCat(ChunkedHead(), frames, Chunk("")));
  StartThread();
  boost::asio::io_context io{1};
  const WatchOptions options;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Watch> watch,
                       RunOn(io, client_->StartWatch(kPods, options)));
  for (int i = 1; i <= 100; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto event, RunOn(io, watch->Next()));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->resource_version, StrCat(i));
  }
  ASSERT_OK_AND_ASSIGN(const auto end, RunOn(io, watch->Next()));
  EXPECT_FALSE(end);
}

VoidTask ListOnce(Client& client, std::atomic<int>& ended) {
  struct AtEnd {
    std::atomic<int>& ended;
    ~AtEnd() { ++ended; }
  } at_end{ended};
  const ListOptions options;
  (void)co_await client.List(kPods, options);
}

// Calls are cancelled just when their answers arrive, again and again.
TEST_F(RestThreadsTest, CancellationMeetsCompletion) {
  constexpr int kRounds = 150;
  for (int i = 0; i < kRounds * 2; ++i) server_->Answer(Response(200, kList));
  StartThread();
  boost::asio::io_context io{1};
  std::atomic<int> ended = 0;
  for (int round = 0; round < kRounds; ++round) {
    TaskGroup group(io.get_executor());
    group.Spawn("call", ListOnce(*client_, ended));
    io.restart();
    for (int step = 0; step < round % 12; ++step) {
      io.poll();
      std::this_thread::yield();
    }
    RunOn(io, group.Stop());
  }
  EXPECT_EQ(ended, kRounds);
}

}  // namespace
}  // namespace steward::kube
