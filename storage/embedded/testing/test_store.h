// A store in a temporary directory, for tests. Not thread-safe.
#ifndef STORAGE_EMBEDDED_TESTING_TEST_STORE_H_
#define STORAGE_EMBEDDED_TESTING_TEST_STORE_H_

#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/testing/test_directory.h"
#include "kube/client/client.h"
#include "storage/embedded/embedded_client.h"
#include "storage/embedded/lifecycle/lifecycle.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

// Ends the process if the store cannot be opened.
inline std::unique_ptr<Store> OpenTestStore(const std::string& directory) {
  StoreOptions options;
  options.directory = directory;
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(std::move(options), Clock::Real());
  if (!store.ok()) {
    std::fprintf(stderr, "%s\n", std::string(store.status().message()).c_str());
    std::abort();
  }
  return *std::move(store);
}

// A store, its client and lifecycle on one executor, which runs only during calls of Run.
class TestStore {
 public:
  explicit TestStore(EmbeddedClientOptions options = {})
      : store_(OpenTestStore(directory_.path())),
        client_(*store_, Clock::Real(), Random::Real(), options),
        tasks_(io_.get_executor()) {}
  ~TestStore() { RunOn(io_, tasks_.Stop()); }

  Store& store() { return *store_; }
  EmbeddedClient& client() { return client_; }
  boost::asio::io_context& io() { return io_; }

  // Starts the lifecycle, which works from now on during calls of Run.
  void StartLifecycle() {
    lifecycle_.emplace(*store_, Clock::Real(), FreshContexts(Clock::Real(), Random::Real()));
    tasks_.Spawn("lifecycle", lifecycle_->Run());
  }

  template <typename T>
  T Run(boost::asio::awaitable<T> task) {
    return RunOn(io_, std::move(task));
  }

  absl::StatusOr<boost::json::value> Create(const kube::GroupVersionResource& gvr,
                                            const std::string& ns, std::string_view object) {
    const kube::WriteOptions options;
    const boost::json::value value = boost::json::parse(object);
    return Run(client_.Create(gvr, ns, value, options));
  }

 private:
  TestDirectory directory_;
  boost::asio::io_context io_{1};
  std::unique_ptr<Store> store_;
  EmbeddedClient client_;
  std::optional<Lifecycle> lifecycle_;
  TaskGroup tasks_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TESTING_TEST_STORE_H_
