#include "controllers/rpc/worlds/map_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "olm/cleanup/outlook.h"
#include "olm/decode.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "storage/cleanup/outlooks.h"
#include "storage/operators/testing/operator_writer.h"

namespace steward::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Message = cleanup::v1::WatchResponse;
using Watch = MapWatch<olm::CleanupOutlook, cleanup::v1::CleanupStatus, Message>;

// A client that takes a message only when told to.
class SlowClient : public MessageSink<Message> {
 public:
  StatusTask Write(Message message) override {
    const Broadcast::Ticket ticket = room_.Now();
    Handle(message);
    co_await room_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    co_return gone_ ? absl::CancelledError("gone") : absl::OkStatus();
  }
  void MakeRoom() { room_.Notify(); }
  void Leave() {
    gone_ = true;
    room_.Notify();
  }

  std::map<std::string, std::string> state;  // name -> phase
  std::string token;
  std::vector<std::string> log;

 private:
  void Handle(const Message& message) {
    if (message.has_snapshot_begin()) fresh_.emplace();
    if (message.has_changed()) {
      auto& into = fresh_.has_value() ? *fresh_ : state;
      into[message.changed().name()] = message.changed().phase();
      log.push_back(StrCat(message.changed().name(), " ", message.changed().phase()));
    }
    if (message.has_removed()) {
      state.erase(message.removed().name());
      log.push_back(StrCat("-", message.removed().name()));
    }
    if (message.has_snapshot_end()) state = *std::exchange(fresh_, std::nullopt);
    if (message.has_progress()) log.emplace_back("progress");
    token = message.resume_token();
  }
  Broadcast room_;
  bool gone_ = false;
  std::optional<std::map<std::string, std::string>> fresh_;
};

class MapWatchTest : public ::testing::Test {
 protected:
  MapWatchTest() {
    writer_.Replace(std::vector<olm::CsvPtr>{}, revision_);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>{}, revision_);
    writer_.Replace(std::vector<olm::NamespacePtr>{}, revision_);
    Publish();
  }
  ~MapWatchTest() override { RunOn(io_, group_.Stop()); }

  void Put(const std::string& name, bool enabled, const std::string& ns = "ops") {
    ++revision_;
    const std::string text = StrCat(
        R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
        R"(","uid":"u","resourceVersion":")", revision_, R"("},"spec":{"cleanup":{"enabled":)",
        enabled ? "true" : "false", R"(}},"status":{"phase":"Succeeded"}})");
    writer_.Put(*olm::DecodeCsv(text), revision_);
    Publish();
  }
  void Remove(const std::string& name) {
    writer_.Remove(storage::kCsvSource, {"ops", name}, ++revision_);
    Publish();
  }
  void Publish() { worlds_.Publish(writer_.Snapshot()); }
  void Begin(SlowClient& client, const std::string& token = "", const std::string& ns = "") {
    MapWatchOptions options;
    options.pace = absl::ZeroDuration();
    watches_.push_back(
        std::make_unique<Watch>(worlds_, past_, source_, clock_, ns, client, options));
    group_.Spawn("watch", RunAndNote(*watches_.back(), token));
    Settle();
  }
  VoidTask RunAndNote(Watch& watch, std::string token) {
    end_ = co_await watch.Run(std::move(token));
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }
  void Drain(SlowClient& client) {
    std::string before;
    do {
      before = StrCat(client.token, client.log.size());
      client.MakeRoom();
      Settle();
      client.MakeRoom();
      Settle();
    } while (StrCat(client.token, client.log.size()) != before);
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  uint64_t revision_ = 100;
  storage::OperatorWriter writer_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::RewindCache past_;
  storage::CleanupOutlooks outlooks_;
  const Watch::Source source_ = {
      [this](const storage::WorldPtr& world) { return outlooks_.Of(world); },
      [](const olm::CleanupOutlook& outlook, cleanup::v1::CleanupStatus& out) {
        out.set_name(outlook.key.name);
        out.set_phase(std::string(olm::ToString(outlook.phase)));
      }};
  std::vector<std::unique_ptr<SlowClient>> clients_;  // kept, as watches may still use them
  std::vector<std::unique_ptr<Watch>> watches_;
  TaskGroup group_{io_.get_executor()};
  std::optional<absl::Status> end_;
};

TEST_F(MapWatchTest, StatesMergeWhileTheClientIsSlow) {
  Put("w", false);
  SlowClient client;
  Begin(client);
  Drain(client);
  client.log.clear();
  Put("w", true);
  Settle();
  for (int i = 0; i < 100; ++i) Put("w", i % 2 == 0);
  Put("gone", true);
  Remove("gone");
  Put("x", true);
  Settle();
  EXPECT_THAT(client.log, ElementsAre("w NotOptedIn"));
  Drain(client);
  EXPECT_THAT(client.log, ElementsAre("w NotOptedIn", "w Disabled", "x NotOptedIn"));
}

TEST_F(MapWatchTest, OneNamespaceAlone) {
  Put("w", true);
  Put("w", true, "other");
  Put("w", true, "ops-2");
  SlowClient client;
  Begin(client, "", "ops");
  Drain(client);
  EXPECT_THAT(client.log, ElementsAre("w NotOptedIn"));
  client.log.clear();
  Put("w", false, "ops-2");
  Put("a", true, "aaa");
  Settle();
  Drain(client);
  EXPECT_THAT(client.log, IsEmpty());
}

TEST_F(MapWatchTest, ProgressRenewsTheTokenOfAQuietClient) {
  SlowClient client;
  Begin(client, "", "quiet");
  Drain(client);
  const std::string first = client.token;
  Put("w", true);
  Settle();
  EXPECT_EQ(client.token, first);
  clock_.Advance(absl::Seconds(31));
  Put("w", false);
  Settle();
  EXPECT_THAT(client.log, ElementsAre("progress"));
  EXPECT_NE(client.token, first);
}

TEST_F(MapWatchTest, ItEndsWhenTheClientIsGone) {
  SlowClient client;
  Begin(client);
  client.Leave();
  Settle();
  ASSERT_TRUE(end_.has_value());
  EXPECT_FALSE(end_->ok());
}

TEST_F(MapWatchTest, ItEndsWellWhenItsTimeIsOver) {
  SlowClient client;
  Begin(client);
  Drain(client);
  clock_.Advance(absl::Minutes(31));
  Put("w", true);
  Settle();
  Drain(client);
  ASSERT_TRUE(end_.has_value());
  EXPECT_TRUE(end_->ok());
}

// A client that breaks off and resumes at any point reaches the present state.
TEST_F(MapWatchTest, AClientThatResumesAnywhereArrivesAtThePresent) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    SlowClient* client = clients_.emplace_back(std::make_unique<SlowClient>()).get();
    Begin(*client);
    for (int step = 0; step < 60; ++step) {
      const std::string name = StrCat("w", random() % 6);
      switch (random() % 6) {
        case 0:
          Remove(name);
          break;
        case 1:
        case 2:
          Put(name, random() % 2 == 0);
          break;
        case 3:
          client->MakeRoom();
          break;
        case 4:
          Drain(*client);
          break;
        case 5: {
          // The connection breaks; a new one continues with the state of the client.
          SlowClient* next = clients_.emplace_back(std::make_unique<SlowClient>()).get();
          next->state = client->state;
          next->token = client->token;
          client->Leave();
          client = next;
          Begin(*client, client->token);
          break;
        }
      }
      Settle();
    }
    Drain(*client);
    std::map<std::string, std::string> present;
    for (const auto& [key, outlook] : *outlooks_.Of(worlds_.Current())) {
      present[key.name] = std::string(olm::ToString(outlook->phase));
    }
    EXPECT_EQ(client->state, present) << "round " << round;
    client->Leave();
    Settle();
  }
}

}  // namespace
}  // namespace steward::rpc
