#include "controllers/runtime/policy_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kSound[] = R"("failurePolicy":"Fail","validations":[{"expression":"false"}])";

class RecordedEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override {
    EXPECT_EQ(about.gvk.kind, "Lease");
    EXPECT_EQ(about.name.ns, "steward-system");
    EXPECT_EQ(about.name.name, "steward-widgets");
    texts.push_back(
        StrCat(type == EventType::kWarning ? "Warning " : "Normal ", reason, ": ", message));
  }
  std::vector<std::string> texts;
};

class PolicyWatchTest : public ::testing::Test {
 protected:
  PolicyWatchTest() {
    cluster_.Serve(kube::kPolicies);
    cluster_.Serve(kube::kPolicyBindings);
  }
  ~PolicyWatchTest() override { RunOn(io_, tasks_.Stop()); }

  void PutPolicy(const std::string& name, const std::string& spec = kSound) {
    cluster_.Put(kube::kPolicies,
                 StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{)", spec, "}}"));
  }
  void PutBinding(const std::string& name, const std::string& action = "Deny") {
    cluster_.Put(kube::kPolicyBindings,
                 StrCat(R"({"metadata":{"name":")", name, R"("},"spec":{"policyName":")", name,
                        R"(","validationActions":[")", action, R"("]}})"));
  }
  void Start() {
    watch_ = std::make_unique<PolicyWatch>(cluster_, clock_, events_, registry_,
                                           std::set<std::string>{"one", "two"}, options_);
    tasks_.Spawn("policies", watch_->Run());
    Settle();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    Settle();
  }
  int Missing(const std::string& policy) {
    const std::string metrics = prometheus::TextSerializer().Serialize(registry_.Collect());
    const std::string series = StrCat("steward_policy_missing{policy=\"", policy, "\"} ");
    const size_t at = metrics.find(series);
    return at == std::string::npos ? -1 : metrics[at + series.size()] - '0';
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  prometheus::Registry registry_;
  FakeClient cluster_;
  RecordedEvents events_;
  PolicyWatchOptions options_ = {.lease = {"steward-system", "steward-widgets"}};
  TaskGroup tasks_{io_.get_executor()};
  std::unique_ptr<PolicyWatch> watch_;
};

TEST_F(PolicyWatchTest, WhatIsInForceIsNotTold) {
  for (const char* name : {"one", "two"}) {
    PutPolicy(name);
    PutBinding(name);
  }
  Start();
  Pass(absl::Minutes(1));
  EXPECT_EQ(Missing("one"), 0);
  EXPECT_EQ(Missing("two"), 0);
  EXPECT_THAT(events_.texts, IsEmpty());
}

TEST_F(PolicyWatchTest, WhatIsMissingIsToldOnce) {
  PutPolicy("one");
  PutBinding("one");
  PutPolicy("two");
  PutBinding("two");
  Start();
  cluster_.Delete(kube::kPolicies, {"", "two"});
  Pass(absl::Seconds(30));
  Pass(absl::Seconds(30));
  EXPECT_EQ(Missing("one"), 0);
  EXPECT_EQ(Missing("two"), 1);
  EXPECT_THAT(events_.texts,
              ElementsAre(StartsWith("Warning PolicyMissing: "
                                     "ValidatingAdmissionPolicy two does not exist")));

  PutPolicy("two");
  Pass(absl::Seconds(30));
  EXPECT_EQ(Missing("two"), 0);
  EXPECT_THAT(events_.texts.back(), StartsWith("Normal PolicyInForce: "));
  cluster_.Delete(kube::kPolicyBindings, {"", "two"});
  Pass(absl::Seconds(30));
  EXPECT_EQ(Missing("two"), 1);
  EXPECT_THAT(events_.texts.back(), HasSubstr("two has no binding of its name that denies"));
}

TEST_F(PolicyWatchTest, WhatDoesNotDenyCountsAsMissing) {
  PutPolicy("one", R"("failurePolicy":"Ignore","validations":[{"expression":"false"}])");
  PutBinding("one");
  PutPolicy("two");
  PutBinding("two", "Warn");
  Start();
  EXPECT_EQ(Missing("one"), 1);
  EXPECT_EQ(Missing("two"), 1);
  EXPECT_THAT(events_.texts, IsEmpty()) << "the manifests may be on their way";
  Pass(absl::Seconds(30));
  EXPECT_THAT(events_.texts, ElementsAre(HasSubstr("one does not fail closed"),
                                         HasSubstr("two has no binding of its name")));
}

TEST_F(PolicyWatchTest, WhatIsNotKnownCountsAsMissingAndIsNoEvent) {
  for (const char* name : {"one", "two"}) {
    PutPolicy(name);
    PutBinding(name);
  }
  cluster_.FailNext(FakeClient::Verb::kGet, kube::kPolicies, absl::PermissionDeniedError("no"));
  cluster_.Hold(FakeClient::Verb::kGet, kube::kPolicyBindings);
  Start();
  EXPECT_EQ(Missing("one"), 1);
  EXPECT_EQ(Missing("two"), 1) << "it was not looked at yet";
  Pass(absl::Seconds(10));
  EXPECT_EQ(Missing("two"), 1) << "no answer came";
  cluster_.Release(FakeClient::Verb::kGet, kube::kPolicyBindings);
  Pass(absl::Seconds(30));
  EXPECT_EQ(Missing("one"), 0);
  EXPECT_EQ(Missing("two"), 0);
  EXPECT_THAT(events_.texts, IsEmpty());
}

}  // namespace
}  // namespace steward::controllers
