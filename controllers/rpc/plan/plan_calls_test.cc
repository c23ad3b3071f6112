#include "controllers/rpc/plan/plan_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/preview/plan_previewer.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "olm/preview/preview.h"
#include "olm/resources.h"
#include "proto/steward/plan/v1/plan.pb.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::rpc {
namespace {

namespace json = boost::json;
using controllers::LivePreview;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string PlanJson(const std::string& ns, const std::string& name, const std::string& phase) {
  return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"(","uid":"u-)", name,
                R"("},"spec":{"approved":true},"status":{"phase":")", phase,
                R"(","plan":[{"resolving":"a","status":"Unknown","resource":)",
                R"({"version":"v1","kind":"ServiceAccount","name":"a",)",
                R"("manifest":"{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\"}"}}]}})");
}

// Gives scripted answers, at once or when released.
class FakePreviewer : public controllers::PlanPreviewer {
 public:
  Task<LivePreview> PreviewPlan(kube::NamespacedName plan, controllers::StepPace pace) override {
    asked.push_back(StrCat(plan.ns, "/", plan.name));
    for (int i = 0; i < steps; ++i) {
      co_await pace();
      ++done;
    }
    if (holds)
      co_await released.WaitSince(released.Now(), std::chrono::steady_clock::time_point::max());
    co_return answer;
  }
  Task<LivePreview> PreviewBundle(controllers::BundleContent bundle, kube::UserInfo requester,
                                  controllers::StepPace) override {
    asked.push_back(StrCat(bundle.ns, ": ", bundle.manifests.size(), " as ", requester.name));
    co_return answer;
  }
  // Adds a step to the answer. Without a resource, the cluster does not serve the kind.
  void AddStep(const std::string& ns, const std::string& name,
               std::optional<kube::GroupVersionResource> resource) {
    olm::PreviewStep step;
    step.index = answer->preview.steps.size();
    step.ns = ns;
    step.name = name;
    answer->preview.steps.push_back(std::move(step));
    answer->resources.push_back(std::move(resource));
  }

  absl::StatusOr<LivePreview> answer = LivePreview();
  std::vector<std::string> asked;
  bool holds = false;
  int steps = 0;  // the number of steps of a plan
  int done = 0;
  Broadcast released;
};

// Records each message, as "a Installing" or "-a".
class Sink : public PlanSink {
 public:
  StatusTask Write(plan::v1::WatchResponse message) override {
    if (message.has_changed()) {
      said.push_back(StrCat(message.changed().name(), " ", message.changed().phase()));
    }
    if (message.has_removed()) said.push_back(StrCat("-", message.removed().name()));
    token = message.resume_token();
    co_return absl::OkStatus();
  }
  std::vector<std::string> said;
  std::string token;
};

class PlanCallsTest : public ::testing::Test {
 protected:
  PlanCallsTest() {
    cluster_.Serve(kube::kSubjectAccessReviews);
    cluster_.HandleCreate(kube::kSubjectAccessReviews, [this](const json::value& review) {
      json::value answer = review;
      const json::object& what = review.at("spec").at("resourceAttributes").as_object();
      const auto text = [&what](const char* key) {
        const auto* found = what.if_contains(key);
        return found == nullptr ? std::string() : std::string(found->as_string());
      };
      answer.as_object()["status"] = {
          {"allowed",
           rights_.contains(StrCat(text("verb"), " ", text("resource"), " ", text("namespace")))}};
      return absl::StatusOr<json::value>(answer);
    });
    alice_.user.name = "alice";
    writer_.Replace(storage::kInstallPlanSource, {}, revision_);
    writer_.Replace(storage::kDefinitionSource, {}, revision_);
    writer_.Replace(storage::kPlanGroupSource,
                    {*olm::DecodePlanGroup(R"({"metadata":{"name":"group","namespace":"ops"}})")},
                    revision_);
    Publish();
  }
  ~PlanCallsTest() override { RunOn(io_, tasks_.Stop()); }

  void Publish() { worlds_.Publish(writer_.Snapshot()); }
  void Put(const std::string& ns, const std::string& name,
           const std::string& phase = "Installing") {
    writer_.Put(storage::kInstallPlanSource, *olm::DecodePlan(PlanJson(ns, name, phase)),
                ++revision_);
    Publish();
  }
  void Remove(const std::string& ns, const std::string& name) {
    writer_.Remove(storage::kInstallPlanSource, {ns, name}, ++revision_);
    Publish();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Watch(Sink& sink, const std::string& token = "") {
    plan::v1::WatchRequest request;
    request.set_resume_token(token);
    tasks_.Spawn("watch", RunWatch(std::move(request), sink));
    Settle();
  }
  VoidTask RunWatch(plan::v1::WatchRequest request, Sink& sink) {
    (void)co_await calls_.Watch(alice_, std::move(request), sink);
  }
  absl::StatusOr<plan::v1::GetResponse> Get(const std::string& ns, const std::string& name) {
    plan::v1::GetRequest request;
    request.set_namespace_(ns);
    request.set_name(name);
    return RunOn(io_, calls_.Get(alice_, std::move(request)));
  }
  absl::StatusOr<plan::v1::PreviewResponse> Preview(plan::v1::PreviewRequest request) {
    return RunOn(io_, calls_.Preview(alice_, std::move(request)));
  }
  VoidTask RunPreview(plan::v1::PreviewRequest request) {
    const auto response = co_await calls_.Preview(alice_, std::move(request));
    codes_.push_back(response.ok() ? 200 : kube::FromStatus(response.status()).code);
  }
  static plan::v1::PreviewRequest OfPlan() {
    plan::v1::PreviewRequest request;
    request.set_namespace_("ops");
    request.set_install_plan("install-1");
    return request;
  }
  static plan::v1::PreviewRequest OfBundle(const std::vector<std::string>& manifests) {
    plan::v1::PreviewRequest request;
    request.set_namespace_("ops");
    plan::v1::Bundle& bundle = *request.mutable_bundle();
    for (const std::string& manifest : manifests) bundle.add_manifests(manifest);
    return request;
  }
  static std::vector<std::string> Names(const plan::v1::PreviewResponse& response) {
    std::vector<std::string> names;
    for (const plan::v1::Step& step : response.steps()) names.push_back(step.name());
    return names;
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  std::set<std::string> rights_ = {"get installplans ops"};
  uint64_t revision_ = 100;
  storage::WorldWriter writer_{storage::kPlanSources};
  storage::WorldStore worlds_{storage::kPlanSources};
  storage::PlanOutlooks outlooks_;
  FakePreviewer previewer_;
  Requester alice_;
  std::vector<int> codes_;  // codes of ended previews, in the order of their ends
  Access access_{cluster_, clock_};
  PlanCalls calls_{
      {.clock = clock_,
       .worlds = worlds_,
       .outlooks = [this](const storage::WorldPtr& world) { return outlooks_.Of(world); },
       .previewer = previewer_},
      access_,
      {.watch = {.pace = absl::ZeroDuration()},
       .previews = {.places = {.places = 8, .places_per_flow = 1, .reserve = true},
                    .steps = {.per_second = 10, .burst = 20}}}};
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(PlanCallsTest, GetTellsOfOnePlan) {
  Put("ops", "a");
  const auto response = Get("ops", "a");
  ASSERT_OK(response);
  EXPECT_EQ(response->preview().install_plan_uid(), "u-a");
  ASSERT_EQ(response->preview().steps_size(), 1);
  EXPECT_EQ(response->preview().steps(0).outcome(), "Create");
  const absl::Status none = Get("red", "a").status();
  EXPECT_EQ(kube::FromStatus(none).code, 404);
  EXPECT_THAT(std::string(none.message()), HasSubstr("planpreviews"));
}

TEST_F(PlanCallsTest, PagesShowOneState) {
  for (const char* name : {"a", "b", "c"}) Put("ops", name);
  Put("red", "z");
  plan::v1::ListRequest request;
  request.set_namespace_("ops");
  request.set_page_size(2);
  const auto first = RunOn(io_, calls_.List(alice_, request));
  ASSERT_OK(first);
  ASSERT_EQ(first->previews_size(), 2);
  EXPECT_EQ(first->previews(1).name(), "b");
  EXPECT_EQ(first->remaining(), 1);
  Remove("ops", "c");
  request.set_page_token(first->next_page_token());
  const auto second = RunOn(io_, calls_.List(alice_, request));
  ASSERT_OK(second);
  ASSERT_EQ(second->previews_size(), 1);
  EXPECT_EQ(second->previews(0).name(), "c");
  EXPECT_THAT(second->next_page_token(), IsEmpty());
  EXPECT_EQ(second->resume_token(), first->resume_token());
  request.set_namespace_("");
  EXPECT_EQ(kube::FromStatus(RunOn(io_, calls_.List(alice_, request)).status()).code, 400);
}

TEST_F(PlanCallsTest, AWatchResumesWhereItEnded) {
  Put("ops", "a");
  Sink first;
  Watch(first);
  EXPECT_THAT(first.said, ElementsAre("a Installing"));
  const std::string token = first.token;
  Put("ops", "a", "Complete");
  Put("ops", "b");
  Remove("ops", "b");
  Sink second;
  Watch(second, token);
  EXPECT_THAT(second.said, ElementsAre("a Complete"));
}

TEST_F(PlanCallsTest, NothingIsKnownAtFirst) {
  storage::WorldStore fresh(storage::kPlanSources);
  PlanCalls calls({.clock = clock_,
                   .worlds = fresh,
                   .outlooks = [this](const auto& world) { return outlooks_.Of(world); },
                   .previewer = previewer_},
                  access_);
  Sink sink;
  EXPECT_EQ(kube::FromStatus(RunOn(io_, calls.List(alice_, {})).status()).code, 503);
  EXPECT_EQ(kube::FromStatus(RunOn(io_, calls.Watch(alice_, {}, sink))).code, 503);
}

TEST_F(PlanCallsTest, APlansPreviewTakesARightToThePlan) {
  EXPECT_OK(Preview(OfPlan()));
  EXPECT_THAT(previewer_.asked, ElementsAre("ops/install-1"));
  plan::v1::PreviewRequest other = OfPlan();
  other.set_namespace_("red");
  EXPECT_EQ(kube::FromStatus(Preview(other).status()).code, 403);
  EXPECT_EQ(previewer_.asked.size(), 1u) << "nobody was asked";
}

TEST_F(PlanCallsTest, R_PRJ_07_StepsThatTheRequesterMayNotListAreCounted) {
  rights_.insert("list secrets red");
  previewer_.AddStep("ops", "hidden", kube::kSecrets);
  previewer_.AddStep("red", "shown", kube::kSecrets);
  previewer_.AddStep("", "of the cluster", kube::kClusterRoles);
  previewer_.AddStep("", "not served", std::nullopt);
  auto response = Preview(OfPlan());
  ASSERT_OK(response);
  EXPECT_THAT(Names(*response), ElementsAre("shown", "not served"));
  EXPECT_EQ(response->hidden(), 2);

  rights_.insert("list secrets ");
  rights_.insert("list clusterroles ");
  clock_.Advance(absl::Minutes(1));
  response = Preview(OfPlan());
  ASSERT_OK(response);
  EXPECT_EQ(response->steps_size(), 4);
  EXPECT_EQ(response->hidden(), 0);
}

TEST_F(PlanCallsTest, ABundleIsTriedAsTheRequesterWhoSeesAll) {
  previewer_.AddStep("ops", "s", kube::kSecrets);
  const auto response = Preview(OfBundle({R"({"kind":"A"})", "{}"}));
  ASSERT_OK(response);
  EXPECT_THAT(previewer_.asked, ElementsAre("ops: 2 as alice"));
  EXPECT_THAT(Names(*response), ElementsAre("s"));
}

TEST_F(PlanCallsTest, WhatIsNoManifestIsRefused) {
  std::string deep(300, '[');
  deep.append(300, ']');
  for (const std::string& bad : {std::string("[]"), std::string("{"), std::string(), deep}) {
    const absl::Status status = Preview(OfBundle({"{}", bad})).status();
    EXPECT_EQ(kube::FromStatus(status).code, 400) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr("bundle.manifests[1]"));
  }
  EXPECT_THAT(previewer_.asked, IsEmpty());
}

TEST_F(PlanCallsTest, ErrorsOfThePreviewerPass) {
  previewer_.answer = kube::ToStatus(kube::NotFound(olm::kInstallPlans, "install-1"));
  EXPECT_EQ(kube::FromStatus(Preview(OfPlan()).status()).code, 404);
}

TEST_F(PlanCallsTest, WhoTakesAllKeepsNobodyElseWaiting) {
  previewer_.holds = true;
  for (int i = 0; i < 8; ++i) tasks_.Spawn("preview", RunPreview(OfPlan()));
  Settle();
  EXPECT_THAT(codes_, ElementsAre(429, 429, 429, 429, 429, 429, 429));
  const kube::Status refused = kube::FromStatus(Preview(OfBundle({"{}"})).status());
  EXPECT_EQ(refused.code, 429);
  EXPECT_EQ(refused.retry_after_seconds, 1);
  alice_.user.name = "bob";
  EXPECT_OK(Preview(OfBundle({"{}"})));
  alice_.user.name = "alice";
  previewer_.holds = false;
  previewer_.released.Notify();
  Settle();
  EXPECT_EQ(codes_.back(), 200);
  EXPECT_OK(Preview(OfBundle({"{}"}))) << "places are given back";
}

TEST_F(PlanCallsTest, WhoHoldsAPlaceIsBoundedByStepsPerSecond) {
  previewer_.steps = 45;
  tasks_.Spawn("preview", RunPreview(OfPlan()));
  Settle();
  EXPECT_EQ(previewer_.done, 20);
  for (int tenth = 0; tenth < 10; ++tenth) {
    clock_.Advance(absl::Milliseconds(100));
    Settle();
  }
  EXPECT_EQ(previewer_.done, 30);
  alice_.user.name = "bob";
  previewer_.steps = 20;
  EXPECT_OK(Preview(OfPlan())) << "another's pace is another";
  for (int tenth = 0; tenth < 15; ++tenth) {
    clock_.Advance(absl::Milliseconds(100));
    Settle();
  }
  EXPECT_THAT(codes_, ElementsAre(200));
}

template <typename Request>
int CodeOf(const Method<Request>& method, const Request& request) {
  const absl::Status status = method.check(request);
  return status.ok() ? 200 : kube::FromStatus(status).code;
}

template <typename Request>
std::string RightOf(const Method<Request>& method, const Request& request) {
  const AccessAttributes access = method.target(request).access;
  return StrCat(access.verb, " ", access.gvr.GroupResource(), " ", access.ns, "/", access.name);
}

TEST_F(PlanCallsTest, EachMethodTakesARightOfItsOwn) {
  plan::v1::GetRequest get;
  get.set_namespace_("ops");
  get.set_name("a");
  EXPECT_EQ(RightOf(plan_methods::kGet, get), "get planpreviews.views.operators.coreos.com ops/a");
  EXPECT_EQ(RightOf(plan_methods::kList, {}), "list planpreviews.views.operators.coreos.com /");
  EXPECT_EQ(RightOf(plan_methods::kWatch, {}), "watch planpreviews.views.operators.coreos.com /");
  EXPECT_EQ(RightOf(plan_methods::kPreview, OfPlan()),
            "create planpreviews.views.operators.coreos.com ops/install-1");
  EXPECT_EQ(RightOf(plan_methods::kPreview, OfBundle({})),
            "create planpreviews.views.operators.coreos.com ops/");
}

TEST_F(PlanCallsTest, WhatCannotBeIsRefused) {
  plan::v1::GetRequest get;
  get.set_namespace_("ops");
  EXPECT_EQ(CodeOf(plan_methods::kGet, get), 400);
  plan::v1::ListRequest list;
  list.set_page_size(-1);
  EXPECT_EQ(CodeOf(plan_methods::kList, list), 400);
  plan::v1::WatchRequest watch;
  watch.set_namespace_("No Name");
  EXPECT_EQ(CodeOf(plan_methods::kWatch, watch), 400);

  EXPECT_EQ(CodeOf(plan_methods::kPreview, OfPlan()), 200);
  plan::v1::PreviewRequest preview = OfPlan();
  preview.set_namespace_("");
  EXPECT_EQ(CodeOf(plan_methods::kPreview, preview), 400);
  preview = OfPlan();
  preview.set_install_plan("No Name");
  EXPECT_EQ(CodeOf(plan_methods::kPreview, preview), 400);
  preview.clear_asked();
  EXPECT_EQ(CodeOf(plan_methods::kPreview, preview), 400) << "nothing is asked";
  EXPECT_EQ(CodeOf(plan_methods::kPreview, OfBundle({})), 200) << "the previewer refuses it";
  EXPECT_EQ(CodeOf(plan_methods::kPreview, OfBundle(std::vector<std::string>(1'001, "{}"))), 400);
  EXPECT_EQ(CodeOf(plan_methods::kPreview, OfBundle({std::string(olm::kMaxBundleBytes + 1, ' ')})),
            400);
}

}  // namespace
}  // namespace steward::rpc
