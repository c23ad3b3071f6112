#include "storage/embedded/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "kube/meta/status.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    store_.reset();
    StoreOptions options;
    options.directory = directory_.path();
    options.keep_revisions = 10;
    ASSERT_OK_AND_ASSIGN(store_, Store::Open(std::move(options), clock_));
  }

  static std::function<absl::Status(Transaction&)> PutMap(std::string name) {
    return [name = std::move(name)](Transaction& transaction) {
      const kube::ResourceType* type = transaction.catalog().FindStored("configmaps");
      json::object object = json::parse(R"({"metadata":{"uid":"u"}})").as_object();
      object["metadata"].as_object()["name"] = name;
      return transaction.Put(*type, "ns/" + name, object).status();
    };
  }
  absl::Status Write(std::function<absl::Status(Transaction&)> write) {
    return RunOn(io_, store_->Write(std::move(write)));
  }
  absl::StatusOr<int64_t> CountMaps() {
    std::function<absl::StatusOr<int64_t>(VersionTable&)> read = [this](VersionTable& table) {
      return table.Count("configmaps", {}, store_->revision());
    };
    return RunOn(io_, store_->Read(std::move(read)));
  }

  TestDirectory directory_;
  FakeClock clock_;
  asio::io_context io_{1};
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, WhatWasWrittenIsThereAgain) {
  ASSERT_OK(Write(PutMap("a")));
  ASSERT_OK(Write(PutMap("b")));
  const int64_t revision = store_->revision();
  Open();
  EXPECT_EQ(store_->revision(), revision);
  EXPECT_THAT(CountMaps(), IsOkAndHolds(2));
}

TEST_F(StoreTest, ADirectoryHasOneUser) {
  StoreOptions options;
  options.directory = directory_.path();
  EXPECT_THAT(Store::Open(std::move(options), clock_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("in use")));
}

TEST_F(StoreTest, ARefusedWriteChangesNothing) {
  const int64_t revision = store_->revision();
  EXPECT_THAT(Write([](Transaction&) { return kube::ToStatus(kube::BadRequest("no")); }),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(store_->revision(), revision);
}

TEST_F(StoreTest, WritersOnManyThreadsShareCommits) {
  constexpr int kThreads = 4, kWrites = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      asio::io_context io(1);
      for (int i = 0; i < kWrites; ++i) {
        const std::string name = std::to_string(t) + "-" + std::to_string(i);
        EXPECT_OK(RunOn(io, store_->Write(PutMap(name))));
        // All readers see an acknowledged write at once.
        EXPECT_GE(store_->LastChange("configmaps"), i + 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(CountMaps(), IsOkAndHolds(kThreads * kWrites));
  EXPECT_EQ(store_->revision(), 1 + kThreads * kWrites);
}

// The whole commit fails, whichever of its writes did not fit, and the store continues.
TEST_F(StoreTest, AFullDiskIsAnErrorOfTheServer) {
  const auto limit = [](int64_t pages) {
    return [pages](Transaction& transaction) { return transaction.table().LimitPages(pages); };
  };
  ASSERT_OK(Write(PutMap("before")));
  const int64_t revision = store_->revision();
  ASSERT_OK(Write(limit(1)));
  const auto huge = [](Transaction& transaction) {
    const kube::ResourceType* type = transaction.catalog().FindStored("configmaps");
    json::object object = json::parse(R"({"metadata":{"name":"big"}})").as_object();
    object["data"] = std::string(1 << 20, 'x');
    return transaction.Put(*type, "ns/big", object).status();
  };
  const absl::Status status = Write(huge);
  EXPECT_EQ(kube::FromStatus(status).code, 500);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is full"));
  EXPECT_EQ(store_->revision(), revision);
  ASSERT_OK(Write(limit(1'000'000)));
  EXPECT_OK(Write(huge));
  EXPECT_THAT(CountMaps(), IsOkAndHolds(2));
}

TEST_F(StoreTest, ThePastIsDroppedInTheBackground) {
  TaskGroup tasks(io_.get_executor());
  tasks.Spawn("maintain", store_->Maintain());
  for (int i = 0; i < 30; ++i) ASSERT_OK(Write(PutMap("a")));
  const auto compacted = [this] {
    std::function<absl::StatusOr<int64_t>(VersionTable&)> read = [](VersionTable& table) {
      return table.CompactedRevision();
    };
    return RunOn(io_, store_->Read(std::move(read)));
  };
  const int64_t expected = store_->revision() - 10;
  clock_.Advance(absl::Minutes(1));
  while (compacted().value_or(expected) < expected) {
  }
  EXPECT_THAT(compacted(), IsOkAndHolds(expected));
  EXPECT_THAT(CountMaps(), IsOkAndHolds(1));
  RunOn(io_, tasks.Stop());
}

TEST_F(StoreTest, DefinitionsChangeTheCatalogBeforeTheWriteReturns) {
  const auto define = [](Transaction& transaction) {
    const kube::ResourceType* type =
        transaction.catalog().FindStored("customresourcedefinitions.apiextensions.k8s.io");
    json::object crd = json::parse(R"({
      "metadata": {"name": "widgets.example.com"},
      "spec": {"group": "example.com", "scope": "Namespaced",
               "names": {"plural": "widgets", "kind": "Widget"},
               "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
               {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})")
                           .as_object();
    return transaction.Put(*type, "widgets.example.com", crd).status();
  };
  EXPECT_EQ(store_->catalog()->Find({"example.com", "v1", "widgets"}), nullptr);
  ASSERT_OK(Write(define));
  EXPECT_NE(store_->catalog()->Find({"example.com", "v1", "widgets"}), nullptr);
  Open();
  EXPECT_NE(store_->catalog()->FindKind({"example.com", "v1", "Widget"}), nullptr);
}

TEST_F(StoreTest, ShowsMoreTypesWhereTheirNamesAreFree) {
  kube::ResourceType gadgets;
  gadgets.gvk = {"example.com", "v1", "Gadget"};
  gadgets.plural = "gadgets";
  kube::ResourceType maps;
  maps.gvk = {"", "v2", "Map"};
  maps.plural = "configmaps";
  ASSERT_OK(RunOn(io_, store_->ShowTypes({gadgets, maps})));
  EXPECT_NE(store_->catalog()->FindKind(gadgets.gvk), nullptr);
  EXPECT_EQ(store_->catalog()->FindKind(maps.gvk), nullptr);
  ASSERT_OK(Write(PutMap("a")));
  EXPECT_NE(store_->catalog()->FindStored("gadgets.example.com"), nullptr);
  Open();
  EXPECT_EQ(store_->catalog()->FindKind(gadgets.gvk), nullptr);
}

}  // namespace
}  // namespace steward::storage
