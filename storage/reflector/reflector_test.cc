#include "storage/reflector/reflector.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/seeds/seeds.h"
#include "base/status/matchers.h"
#include "kube/client/raw_object.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::storage {
namespace {

using kube::FakeClient;
using kube::NamespacedName;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using Verb = FakeClient::Verb;
using Type = kube::WatchEvent::Type;

const kube::GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

std::string Widget(const std::string& name) {
  return absl::StrCat(R"({"metadata":{"namespace":"n","name":")", name, R"("}})");
}

// Rebuilds the source's state, and records the calls in short: "begin", "item a", "end", "A a", "M
// a", "D a", "mark", "absent", "on", "off <first word of the reason>". Checks the order of calls
// that sinks are promised.
class RecordingSink : public ReflectorSink {
 public:
  std::vector<std::string> Take() { return std::exchange(log_, {}); }
  // name → JSON.
  const std::optional<std::map<NamespacedName, std::string>>& state() const { return state_; }
  bool connected() const { return connected_; }
  uint64_t revision() const { return revision_; }
  int replacements() const { return replacements_; }

  void OnReplaceBegin() override {
    pending_.emplace();
    log_.push_back("begin");
  }
  void OnReplaceItem(const kube::RawObject& object) override {
    ASSERT_TRUE(pending_);
    const NamespacedName name = NameOf(object);
    EXPECT_TRUE(pending_->emplace(name, object.json).second) << "listed twice: " << name.name;
    log_.push_back("item " + name.name);
  }
  void OnReplaceEnd(uint64_t revision) override {
    ASSERT_TRUE(pending_);
    state_ = std::exchange(pending_, std::nullopt);
    revision_ = revision;
    absent_ = false;
    ++replacements_;
    log_.push_back("end");
  }
  void OnEvent(Type type, const kube::RawObject& object, uint64_t revision) override {
    ASSERT_TRUE(state_ && !pending_ && !absent_);
    EXPECT_GT(revision, revision_) << "an event twice or out of order";
    revision_ = revision;
    const NamespacedName name = NameOf(object);
    EXPECT_EQ(state_->contains(name), type != Type::kAdded) << name.name;
    if (type == Type::kDeleted) {
      state_->erase(name);
    } else {
      (*state_)[name] = object.json;
    }
    log_.push_back(std::string(1, "AMD"[static_cast<int>(type)]) + " " + name.name);
  }
  void OnBookmark(uint64_t revision) override {
    ASSERT_TRUE(state_ && !pending_ && !absent_);
    EXPECT_GE(revision, revision_);
    revision_ = revision;
    log_.push_back("mark");
  }
  void OnAbsent() override {
    EXPECT_FALSE(absent_) << "told twice";
    pending_.reset();
    state_.emplace();
    absent_ = true;
    log_.push_back("absent");
  }
  void OnConnected() override {
    EXPECT_FALSE(connected_) << "told twice";
    connected_ = true;
    log_.push_back("on");
  }
  void OnDisconnected(const absl::Status& why) override {
    connected_ = false;
    const std::string message(why.message());
    log_.push_back("off " + message.substr(0, message.find(' ')));
  }

 private:
  static NamespacedName NameOf(const kube::RawObject& object) {
    const boost::json::value value =
        boost::json::parse(boost::json::string_view(object.json.data(), object.json.size()));
    const boost::json::value& metadata = value.at("metadata");
    return {metadata.at("namespace").as_string().c_str(), metadata.at("name").as_string().c_str()};
  }

  std::vector<std::string> log_;
  std::optional<std::map<NamespacedName, std::string>> state_;
  std::optional<std::map<NamespacedName, std::string>> pending_;
  uint64_t revision_ = 0;
  bool absent_ = false;
  bool connected_ = false;
  int replacements_ = 0;
};

class ReflectorTest : public ::testing::Test {
 protected:
  explicit ReflectorTest(int64_t page_size = 2) {
    ReflectorOptions options;
    options.gvr = kWidgets;
    options.page_size = page_size;
    options.may_be_absent = true;
    options.backoff.initial = absl::Seconds(1);
    options.backoff.max = absl::Seconds(8);
    reflector_ = std::make_unique<Reflector>(cluster_, clock_, random_, options, sink_);
  }
  ~ReflectorTest() override { RunOn(io_, group_.Stop()); }

  void Start() {
    group_.Spawn("reflector", reflector_->Run());
    Poll();
  }
  void Poll() {
    io_.restart();
    io_.poll();
  }
  void Advance(absl::Duration duration) {
    clock_.Advance(duration);
    Poll();
  }
  // Starts a reflector that watches a cluster with a, b and c, and forgets the calls so far.
  void StartSynced() {
    cluster_.Serve(kWidgets);
    for (const char* name : {"a", "b", "c"}) cluster_.Put(kWidgets, Widget(name));
    Start();
    ASSERT_EQ(sink_.state(), cluster_.Objects(kWidgets));
    sink_.Take();
  }
  kube::RawObject Object(const std::string& name) { return kube::OwnedRawObject(Widget(name)); }

  boost::asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0.0};
  FakeClient cluster_;
  RecordingSink sink_;
  TaskGroup group_{io_.get_executor()};
  std::unique_ptr<Reflector> reflector_;
};

TEST_F(ReflectorTest, ListsByPagesThenWatches) {
  cluster_.Serve(kWidgets);
  for (const char* name : {"a", "b", "c"}) cluster_.Put(kWidgets, Widget(name));
  Start();
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "item a", "item b", "item c", "end", "on"));
  EXPECT_EQ(cluster_.calls(Verb::kList, kWidgets), 2);
  cluster_.Put(kWidgets, Widget("d"));
  cluster_.Put(kWidgets, Widget("a"));
  cluster_.Delete(kWidgets, {"n", "b"});
  cluster_.Touch();
  cluster_.Bookmark(kWidgets);
  Poll();
  EXPECT_THAT(sink_.Take(), ElementsAre("A d", "M a", "D b", "mark"));
  EXPECT_EQ(sink_.revision(), cluster_.revision());
}

// A disturbance of a stream, and the calls that follow. "change" is made while the stream is away.
struct StreamCase {
  const char* name;
  std::function<void(FakeClient&)> disturb;
  std::vector<std::string> told;  // including the change "A d" or a new list
};

class StreamTest : public ReflectorTest, public ::testing::WithParamInterface<StreamCase> {};

TEST_P(StreamTest, IsFollowed) {
  StartSynced();
  cluster_.Touch();
  cluster_.Bookmark(kWidgets);  // the stream is healthy
  Poll();
  sink_.Take();
  GetParam().disturb(cluster_);
  cluster_.Put(kWidgets, Widget("d"));
  Poll();
  for (int i = 0; i < 20; ++i) Advance(absl::Seconds(1));
  EXPECT_EQ(sink_.Take(), GetParam().told);
  EXPECT_EQ(sink_.state(), cluster_.Objects(kWidgets));
  EXPECT_TRUE(sink_.connected());
}

std::vector<std::string> Relisted(const std::string& why) {
  return {why, "begin", "item a", "item b", "item c", "item d", "end", "on"};
}

absl::Status HttpError(int code, const std::string& reason) {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = reason;
  return kube::ToStatus(status);
}

kube::WatchEvent EventAt(Type type, const std::string& resource_version) {
  return {type, resource_version, kube::OwnedRawObject(Widget("a"))};
}

INSTANTIATE_TEST_SUITE_P(
    Streams, StreamTest,
    ::testing::Values(
        StreamCase{"undisturbed", [](FakeClient&) {}, {"A d"}},
        StreamCase{"ended cleanly", [](FakeClient& c) { c.CloseWatches(kWidgets); }, {"A d"}},
        StreamCase{"broken",
                   [](FakeClient& c) { c.BreakWatches(kWidgets); },
                   {"off connection", "on", "A d"}},
        StreamCase{"server away for a while",
                   [](FakeClient& c) {
                     c.BreakWatches(kWidgets);
                     c.FailNext(Verb::kWatch, kWidgets, absl::UnavailableError("refused"), 2);
                   },
                   {"off connection", "off refused", "off refused", "on", "A d"}},
        StreamCase{"too many requests",
                   [](FakeClient& c) {
                     c.BreakWatches(kWidgets);
                     c.FailNext(Verb::kWatch, kWidgets, HttpError(429, "TooManyRequests"));
                   },
                   {"off connection", "off TooManyRequests", "on", "A d"}},
        StreamCase{"forbidden for a while",
                   [](FakeClient& c) { c.BreakWatches(kWidgets, HttpError(403, "Forbidden")); },
                   {"off Forbidden", "on", "A d"}},
        StreamCase{"denied for a while",
                   [](FakeClient& c) {
                     c.BreakWatches(kWidgets);
                     c.FailNext(Verb::kWatch, kWidgets, kube::ToStatus(kube::NotFoundPath()), 3);
                   },
                   {"off connection", "off the", "off the", "off the", "on", "A d"}},
        StreamCase{"expired by an event",
                   [](FakeClient& c) { c.BreakWatches(kWidgets, HttpError(410, "Expired")); },
                   Relisted("off Expired")},
        StreamCase{"gone by an event",
                   [](FakeClient& c) { c.BreakWatches(kWidgets, HttpError(410, "Gone")); },
                   Relisted("off Gone")},
        StreamCase{"undecodable",
                   [](FakeClient& c) { c.BreakWatches(kWidgets, absl::DataLossError("rubbish")); },
                   Relisted("off rubbish")},
        StreamCase{"revision is no number",
                   [](FakeClient& c) { c.SendEvent(kWidgets, EventAt(Type::kModified, "12x")); },
                   Relisted("off not")},
        StreamCase{"bookmark's revision is no number",
                   [](FakeClient& c) { c.SendEvent(kWidgets, EventAt(Type::kBookmark, "-7")); },
                   Relisted("off not")},
        StreamCase{"revision too large for a number",
                   [](FakeClient& c) {
                     c.SendEvent(kWidgets, EventAt(Type::kModified, "18446744073709551616"));
                   },
                   Relisted("off not")},
        StreamCase{"revision is zero",
                   [](FakeClient& c) { c.SendEvent(kWidgets, EventAt(Type::kModified, "0")); },
                   Relisted("off not")},
        StreamCase{"event went back",
                   [](FakeClient& c) { c.SendEvent(kWidgets, EventAt(Type::kModified, "2")); },
                   Relisted("off the")},
        StreamCase{"bookmark comes late", [](FakeClient& c) { c.Bookmark(kWidgets, 2); }, {"A d"}},
        StreamCase{"bookmark comes twice",
                   [](FakeClient& c) {
                     c.Bookmark(kWidgets);
                     c.Bookmark(kWidgets);
                   },
                   {"mark", "mark", "A d"}}));

TEST_F(ReflectorTest, ExpiredRevisionIsListedAnew) {
  StartSynced();
  cluster_.BreakWatches(kWidgets);
  Poll();
  cluster_.Delete(kWidgets, {"n", "a"});
  cluster_.Expire(kWidgets);
  Advance(absl::Seconds(1));
  Advance(absl::Seconds(4));
  EXPECT_THAT(sink_.Take(),
              ElementsAre("off connection", "off too", "begin", "item b", "item c", "end", "on"));
}

TEST_F(ReflectorTest, ResumesAtABookmark) {
  StartSynced();
  for (int i = 0; i < 5; ++i) cluster_.Touch();
  cluster_.Bookmark(kWidgets);
  Poll();
  cluster_.Expire(kWidgets);  // only the bookmark's revision survives
  cluster_.CloseWatches(kWidgets);
  Poll();
  EXPECT_THAT(sink_.Take(), ElementsAre("mark"));
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
}

TEST_F(ReflectorTest, ListFailingMidwayBeginsAgain) {
  cluster_.Serve(kWidgets);
  for (const char* name : {"a", "b", "c"}) cluster_.Put(kWidgets, Widget(name));
  cluster_.FailNext(Verb::kList, kWidgets, absl::UnavailableError("refused"));
  Start();
  EXPECT_THAT(sink_.Take(), ElementsAre("off refused"));
  cluster_.FailNext(Verb::kList, kWidgets, absl::OkStatus());  // the first page is given
  cluster_.FailNext(Verb::kList, kWidgets, absl::UnavailableError("reset"));
  Advance(absl::Seconds(1));
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "item a", "item b", "off reset"));
  EXPECT_FALSE(sink_.state());
  Advance(absl::Seconds(2));
  EXPECT_EQ(sink_.state(), cluster_.Objects(kWidgets));
}

// When the pages of a list expire while they are read, the next list is made whole, so that it
// ends.
TEST_F(ReflectorTest, APageThatIsTooLargeIsReadInSmallerOnes) {
  cluster_.Serve(kWidgets);
  for (const char* name : {"a", "b", "c"}) cluster_.Put(kWidgets, Widget(name));
  cluster_.LimitLists(kWidgets, 2 * Widget("a").size());
  Start();
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "item a", "item b", "item c", "end", "on"));
}

TEST_F(ReflectorTest, ExpiredContinueTokenMakesAWholeList) {
  cluster_.Serve(kWidgets);
  for (const char* name : {"a", "b", "c", "d", "e"}) cluster_.Put(kWidgets, Widget(name));
  cluster_.FailNext(Verb::kList, kWidgets, absl::OkStatus());
  cluster_.FailNext(Verb::kList, kWidgets, HttpError(410, "Expired"));
  Start();
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "item a", "item b", "off Expired"));
  cluster_.Delete(kWidgets, {"n", "a"});
  Advance(absl::Seconds(1));
  EXPECT_EQ(sink_.state(), cluster_.Objects(kWidgets));
  EXPECT_EQ(cluster_.calls(Verb::kList, kWidgets), 3);
}

TEST_F(ReflectorTest, AbsentTypeIsPolledUntilItAppears) {
  Start();
  Advance(absl::Seconds(1));
  EXPECT_THAT(sink_.Take(), ElementsAre("off the", "off the"));
  Advance(absl::Seconds(2));
  EXPECT_THAT(sink_.Take(), ElementsAre("absent", "on"));
  for (int i = 0; i < 3; ++i) Advance(absl::Seconds(2));
  EXPECT_THAT(sink_.Take(), ElementsAre());
  EXPECT_EQ(cluster_.calls(Verb::kList, kWidgets), 6);
  cluster_.Serve(kWidgets);
  cluster_.Put(kWidgets, Widget("a"));
  Advance(absl::Seconds(2));
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "item a", "end"));
  EXPECT_TRUE(sink_.connected());
}

TEST_F(ReflectorTest, VanishingTypeIsAbsentAgain) {
  StartSynced();
  const auto held = sink_.state();
  cluster_.Withdraw(kWidgets);
  Poll();
  for (int second = 0; second < 30; ++second) {
    EXPECT_EQ(sink_.state(), held) << second;
    EXPECT_FALSE(sink_.connected());
    Advance(absl::Seconds(1));
  }
  EXPECT_THAT(sink_.Take(), Not(Contains("absent")));
  for (int second = 0; second < 10; ++second) Advance(absl::Seconds(1));
  EXPECT_THAT(sink_.Take(), Contains("absent"));
  EXPECT_TRUE(sink_.state()->empty());
  EXPECT_TRUE(sink_.connected());
  cluster_.FailNext(Verb::kList, kWidgets, absl::UnavailableError("refused"));
  Advance(absl::Seconds(2));
  EXPECT_THAT(sink_.Take(), ElementsAre("off refused"));
  Advance(absl::Seconds(10));
  EXPECT_THAT(sink_.Take(), ElementsAre("on"));  // still absent, so it is told only once
  cluster_.Serve(kWidgets);
  Advance(absl::Seconds(2));
  EXPECT_THAT(sink_.Take(), ElementsAre("begin", "end"));
}

// The list fails ten times, then succeeds.
struct DenialCase {
  const char* name;
  bool may_be_absent;
  absl::Status failure;
  bool absent;  // meanwhile
};

absl::Status NotFoundSaying(const std::string& body) {
  kube::Status status = kube::NotFoundPath();
  status.causes.push_back({"UnexpectedServerResponse", body, ""});
  return kube::ToStatus(status);
}

class DenialTest : public ReflectorTest, public ::testing::WithParamInterface<DenialCase> {};

TEST_P(DenialTest, IsAbsenceOrAFailure) {
  cluster_.Serve(kWidgets);
  cluster_.Put(kWidgets, Widget("a"));
  cluster_.FailNext(Verb::kList, kWidgets, GetParam().failure, 10);
  ReflectorOptions options;
  options.gvr = kWidgets;
  options.may_be_absent = GetParam().may_be_absent;
  Reflector reflector(cluster_, clock_, random_, options, sink_);
  group_.Spawn("reflector", reflector.Run());
  Poll();
  for (int i = 0; i < 60; ++i) {
    EXPECT_TRUE(!sink_.state() || sink_.state()->size() == 1 || GetParam().absent);
    Advance(absl::Seconds(1));
  }
  const std::vector<std::string> told = sink_.Take();
  EXPECT_EQ(std::count(told.begin(), told.end(), "absent"), GetParam().absent ? 1 : 0);
  EXPECT_EQ(sink_.state(), cluster_.Objects(kWidgets));
  EXPECT_TRUE(sink_.connected());
  RunOn(io_, group_.Stop());
}

INSTANTIATE_TEST_SUITE_P(
    Denials, DenialTest,
    ::testing::Values(DenialCase{"a Status", true, kube::ToStatus(kube::NotFoundPath()), true},
                      DenialCase{"the bare text", true, NotFoundSaying("404 page not found"), true},
                      DenialCase{"a proxy's page", true,
                                 NotFoundSaying("<html>no such backend</html>"), false},
                      DenialCase{"an empty answer", true, NotFoundSaying(""), false},
                      DenialCase{"no answer", true, absl::NotFoundError("no such file"), false},
                      DenialCase{"a Status, of what must be there", false,
                                 kube::ToStatus(kube::NotFoundPath()), false},
                      DenialCase{"the bare text, for what must be there", false,
                                 NotFoundSaying("404 page not found"), false}));

TEST_F(ReflectorTest, OnlyDenialsInARowCount) {
  cluster_.Serve(kWidgets);
  const absl::Status denial = kube::ToStatus(kube::NotFoundPath());
  const absl::Status failure = absl::UnavailableError("refused");
  for (const absl::Status& error : {denial, denial, failure, denial, denial}) {
    cluster_.FailNext(Verb::kList, kWidgets, error);
  }
  Start();
  for (int i = 0; i < 60; ++i) Advance(absl::Seconds(1));
  EXPECT_THAT(sink_.Take(), ElementsAre("off the", "off the", "off refused", "off the", "off the",
                                        "begin", "end", "on"));
}

TEST_F(ReflectorTest, BackoffGrowsAndStartsOverOnceHealthy) {
  StartSynced();
  cluster_.BreakWatches(kWidgets);
  cluster_.FailNext(Verb::kWatch, kWidgets, absl::UnavailableError("refused"), 4);
  Poll();
  int calls = cluster_.calls(Verb::kWatch, kWidgets);
  for (const int seconds : {1, 2, 4, 8, 8}) {
    SCOPED_TRACE(seconds);
    Advance(absl::Seconds(seconds) - absl::Milliseconds(1));
    EXPECT_EQ(cluster_.calls(Verb::kWatch, kWidgets), calls);
    Advance(absl::Milliseconds(1));
    EXPECT_EQ(cluster_.calls(Verb::kWatch, kWidgets), ++calls);
  }
  cluster_.Put(kWidgets, Widget("a"));  // the stream brings something
  Poll();
  cluster_.BreakWatches(kWidgets);
  Poll();
  Advance(absl::Seconds(1));
  EXPECT_EQ(cluster_.calls(Verb::kWatch, kWidgets), ++calls);
}

TEST_F(ReflectorTest, WatchThatEndsAtOnceIsAFailure) {
  StartSynced();
  cluster_.CloseWatches(kWidgets);
  Poll();
  EXPECT_THAT(sink_.Take(), ElementsAre("off the"));
  const int calls = cluster_.calls(Verb::kWatch, kWidgets);
  Advance(absl::Seconds(1));
  EXPECT_EQ(cluster_.calls(Verb::kWatch, kWidgets), calls + 1);
}

TEST_F(ReflectorTest, QuietWatchOfUsualLifeIsNoFailure) {
  StartSynced();
  Advance(absl::Minutes(5));
  cluster_.CloseWatches(kWidgets);
  Poll();
  EXPECT_THAT(sink_.Take(), ElementsAre());
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
}

struct RetryAfterCase {
  const char* name;
  int asked_seconds;
  int waited_seconds;
};

class RetryAfterTest : public ReflectorTest,
                       public ::testing::WithParamInterface<RetryAfterCase> {};

TEST_P(RetryAfterTest, IsHonoured) {
  cluster_.Serve(kWidgets);
  kube::Status status = kube::ServiceUnavailable("starting", GetParam().asked_seconds);
  cluster_.FailNext(Verb::kList, kWidgets, kube::ToStatus(status));
  Start();
  Advance(absl::Seconds(GetParam().waited_seconds) - absl::Milliseconds(1));
  EXPECT_EQ(cluster_.calls(Verb::kList, kWidgets), 1);
  Advance(absl::Milliseconds(1));
  EXPECT_EQ(cluster_.calls(Verb::kList, kWidgets), 2);
}

INSTANTIATE_TEST_SUITE_P(Waits, RetryAfterTest,
                         ::testing::Values(RetryAfterCase{"shorter than the backoff", 0, 1},
                                           RetryAfterCase{"longer", 7, 7},
                                           RetryAfterCase{"unreasonable", 86400, 60}));

TEST_F(ReflectorTest, ListWithoutNumericRevisionIsAFailure) {
  class BadClient : public FakeClient {
   public:
    Task<kube::ListPage> List(const kube::GroupVersionResource&,
                              const kube::ListOptions&) override {
      co_return kube::ListPage{"abc", "", {}};
    }
  } bad;
  Reflector reflector(bad, clock_, random_, {.gvr = kWidgets}, sink_);
  group_.Spawn("reflector", reflector.Run());
  Poll();
  EXPECT_THAT(sink_.Take(), ElementsAre("off not"));
  RunOn(io_, group_.Stop());
}

TEST_F(ReflectorTest, CancellationReleasesTheWatch) {
  StartSynced();
  EXPECT_EQ(cluster_.running_watches(kWidgets), 1u);
  RunOn(io_, group_.Stop());
  EXPECT_EQ(cluster_.running_watches(kWidgets), 0u);
}

// Random faults and changes: in the end the sink always knows exactly the cluster's state. The sink
// itself checks that the order is right and that nothing is told twice.
class RandomScheduleTest : public ReflectorTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  RandomScheduleTest() : random_source_(GetParam()) {}

  int Pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_source_); }
  std::string AnyName() { return std::string(1, static_cast<char>('a' + Pick(8))); }

  void Change() {
    if (!served_) return;
    const std::string name = AnyName();
    if (Pick(3) == 0 && cluster_.Objects(kWidgets).contains({"n", name})) {
      cluster_.Delete(kWidgets, {"n", name});
    } else {
      cluster_.Put(kWidgets, Widget(name));
    }
  }

  absl::Status AnyError() {
    switch (Pick(6)) {
      case 0:
        return HttpError(410, "Expired");
      case 1:
        return HttpError(429, "TooManyRequests");
      case 2:
        return HttpError(500, "InternalError");
      case 3:
        return absl::DataLossError("rubbish");
      case 4:
        return absl::DeadlineExceededError("silence");
      default:
        return absl::UnavailableError("reset");
    }
  }

  void Disturb() {
    const Verb verb = Pick(2) == 0 ? Verb::kList : Verb::kWatch;
    switch (Pick(12)) {
      case 0:
        return cluster_.BreakWatches(kWidgets, AnyError());
      case 1:
        return cluster_.CloseWatches(kWidgets);
      case 2:
        return cluster_.Expire(kWidgets);
      case 3:
        if (Pick(3) == 0) cluster_.FailNext(verb, kWidgets, AnyError(), 1 + Pick(3));
        return;
      case 4:
        return cluster_.Hold(verb, kWidgets);
      case 5:
        return cluster_.Release(verb, kWidgets);
      case 6:
        return cluster_.Bookmark(kWidgets);
      case 7:
        return cluster_.Bookmark(kWidgets, 1 + Pick(static_cast<int>(cluster_.revision())));
      case 8:
        cluster_.Touch();
        return;
      case 9:
        if (Pick(4) != 0) return;
        served_ ? cluster_.Withdraw(kWidgets) : cluster_.Serve(kWidgets);
        served_ = !served_;
        return;
      default:
        return Change();
    }
  }

  std::mt19937 random_source_;
  bool served_ = true;
};

TEST_P(RandomScheduleTest, EndsInTheClustersState) {
  cluster_.Serve(kWidgets);
  Start();
  for (int step = 0; step < 400; ++step) {
    Change();
    Disturb();
    // Sometimes several things happen before the reflector runs.
    if (Pick(3) != 0) Poll();
    if (Pick(3) == 0) Advance(absl::Milliseconds(Pick(5000)));
    if (HasFailure()) FAIL() << "step " << step;
  }
  cluster_.ForgetFaults(kWidgets);
  if (!served_) cluster_.Serve(kWidgets);
  cluster_.Put(kWidgets, Widget("last"));
  for (int i = 0; i < 300; ++i) Advance(absl::Seconds(1));
  cluster_.Put(kWidgets, Widget("very last"));
  Poll();
  EXPECT_EQ(sink_.state(), cluster_.Objects(kWidgets));
  EXPECT_TRUE(sink_.connected());
  EXPECT_EQ(sink_.revision(), cluster_.revision());
  EXPECT_GT(sink_.replacements(), 1);
}

const Seeds kSeeds = SeedsOr({0, 60});
INSTANTIATE_TEST_SUITE_P(Seeds, RandomScheduleTest, ::testing::Range(kSeeds.first, kSeeds.end()));

}  // namespace
}  // namespace steward::storage
