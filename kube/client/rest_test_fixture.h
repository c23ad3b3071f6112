// A test fixture with a REST client and a scripted server on one io_context, under a fake clock.
// Used by one thread.
#ifndef KUBE_CLIENT_REST_TEST_FIXTURE_H_
#define KUBE_CLIENT_REST_TEST_FIXTURE_H_

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/client/rest_client.h"
#include "kube/client/test_server.h"

namespace steward::kube {

inline const GroupVersionResource kPods{"", "v1", "pods"};
inline const GroupVersionResource kWidgets{"example.com", "v1", "widgets"};
inline constexpr std::string_view kEmptyList =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})";

class RestTest : public ::testing::Test {
 protected:
  RestTest() : server_(std::make_unique<TestServer>(io_)) {}
  ~RestTest() override {
    RunOn(io_, calls_.Stop());
    client_.reset();
    server_.reset();
  }

  ClientConfig Config() const {
    ClientConfig config;
    config.tls = false;
    config.host = "127.0.0.1";
    config.port = server_->port();
    return config;
  }
  void Connect(const ClientConfig& config, RestClientOptions options = {}) {
    auto client = MakeRestClient(config, io_.get_executor(), clock_, random_, std::move(options));
    ASSERT_OK(client);
    client_ = *std::move(client);
  }
  void Connect() { Connect(Config()); }

  // Runs the io_context until `condition` holds; fails the test when nothing happens for long.
  template <typename Condition>
  void RunUntil(Condition condition) {
    io_.restart();
    while (!condition()) ASSERT_GT(io_.run_one_for(std::chrono::seconds(20)), 0u) << "stuck";
  }

  // The result of a call that runs beside the test.
  template <typename T>
  using Result = std::shared_ptr<std::optional<absl::StatusOr<T>>>;
  template <typename T>
  Result<T> Begin(Task<T> task) {
    auto result = std::make_shared<std::optional<absl::StatusOr<T>>>();
    calls_.Spawn("call", Into(std::move(task), result));
    return result;
  }
  // Returns the task's result, moving the clock on whenever the task waits for a retry.
  template <typename T>
  absl::StatusOr<T> Finish(Task<T> task) {
    Result<T> result = Begin(std::move(task));
    RunUntil([&] {
      // One sleeper is the time limit; the second is a wait between tries.
      while (clock_.sleepers() >= 2) clock_.Advance(absl::Milliseconds(100));
      return result->has_value();
    });
    if (!result->has_value()) return absl::InternalError("stuck");
    return std::move(**result);
  }
  absl::StatusOr<ListPage> List(ListOptions options = {}) {
    return Finish(client_->List(kPods, options));
  }

  boost::asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0.0};
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Client> client_;
  TaskGroup calls_{io_.get_executor()};

 private:
  template <typename T>
  static VoidTask Into(Task<T> task, Result<T> result) {
    absl::StatusOr<T> value = co_await std::move(task);
    result->emplace(std::move(value));
  }
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_REST_TEST_FIXTURE_H_
