// Tests what previews reveal to whom: each cell of the table in docs/previews.md, for each set of
// rights.
#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/text/str_cat.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/preview/plan_previewer.h"
#include "controllers/rpc/copied_csv/service.h"
#include "controllers/rpc/plan/service.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "olm/preview/preview.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.grpc.pb.h"
#include "proto/steward/plan/v1/plan.grpc.pb.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world.h"
#include "storage/world/world_store.h"
#include "storage/world/world_writer.h"

namespace steward::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDocument[] = "docs/previews.md";
constexpr char kSection[] = "## Who is told what";

// The rights of one requester, like "list secrets red"; without a namespace at the end = in the
// whole cluster.
using Rights = std::set<std::string>;

bool Lists(const Rights& rights, const std::string& resource, const std::string& ns) {
  return rights.contains(StrCat("list ", resource, " ", ns)) ||
         rights.contains(StrCat("list ", resource, " "));
}

// The full text of an answer to one question; nullopt: 403.
using Answer = std::optional<std::string>;

// One row of the table: a requester with these rights sees these words.
struct Row {
  const char* question;
  const char* what;  // the subject in the words of the table
  const char* whom;
  std::string asked;  // the name of a question of this test
  std::vector<std::string> words;
  std::function<bool(const Rights&)> told;
};

const std::vector<Row>& Table() {
  const auto all = [](const Rights&) { return true; };
  const auto lists_secrets = [](const Rights& rights) { return Lists(rights, "secrets", "red"); };
  static const auto& rows = *new std::vector<Row>{
      {"`installPlan`",
       "the condition's status and reason; `hidden`, `remaining`",
       "whoever is answered",
       "waiting plan",
       {"reason: \"InstallCheckFailed\""},
       all},
      {"",
       "what an `InstallCheckFailed` names: an OperatorGroup, its account",
       "`list` of OperatorGroups and ServiceAccounts in the namespace",
       "waiting plan",
       {"group-g of account-a"},
       [](const Rights& rights) {
         return Lists(rights, "operatorgroups", "ops") && Lists(rights, "serviceaccounts", "ops");
       }},
      {"",
       "what an `InvalidPlan` names: a step",
       "`list` of the objects of all steps",
       "invalid plan",
       {"step 0 is wrong"},
       lists_secrets},
      {"",
       "a step: its object, outcome, reason, code, message, changed fields, status",
       "`list` of such objects in the object's namespace",
       "plan",
       {"resolving: \"step-resolving\"", "kind: \"StepKind\"", "namespace: \"red\"",
        "name: \"step-name\"", "outcome: \"Fail\"", "reason: \"StepReason\"", "code: 418",
        "message: \"step-message\"", "changed_fields: \"step.field\"", "status: \"StepStatus\""},
       lists_secrets},
      {"`bundle`",
       "everything: it is read and tried as whoever asks",
       "whoever is answered",
       "bundle",
       {"name: \"step-name\"", "message: \"step-message\"", "reason: \"Installable\""},
       all},
      {"",
       "what an `InstallCheckFailed` names: an OperatorGroup, its account",
       "`list` of OperatorGroups and ServiceAccounts in the namespace",
       "waiting bundle",
       {"group-g of account-a"},
       [](const Rights& rights) {
         return Lists(rights, "operatorgroups", "ops") && Lists(rights, "serviceaccounts", "ops");
       }},
      {"`uninstall`",
       "the condition; the ClusterServiceVersion; definitions that cannot be read; `hidden`, "
       "`remaining`",
       "whoever is answered",
       "uninstall",
       {"verdict: \"Allowed\""},
       all},
      {"",
       "an operand",
       "`list` of such objects in its namespace",
       "uninstall",
       {"name: \"operand-one\"", "reason: \"Accepted\""},
       [](const Rights& rights) { return Lists(rights, "widgets", "a"); }},
      {"`copiedCSVs`",
       "the condition with its numbers; `hidden`, `remaining`",
       "whoever is answered",
       "copies off",
       {"deletes: 1"},
       all},
      {"",
       "a copy that goes or stays",
       "`list` of ClusterServiceVersions in its namespace",
       "copies off",
       {"namespace: \"red\"", "operator_namespace: \"ops\"", "action: \"Delete\""},
       [](const Rights& rights) { return Lists(rights, "clusterserviceversions", "red"); }},
      {"",
       "a copy to be made",
       "`list` of ClusterServiceVersions in its namespace and in its original's",
       "copies on",
       {"namespace: \"blue\"", "action: \"Create\""},
       [](const Rights& rights) {
         return Lists(rights, "clusterserviceversions", "blue") &&
                Lists(rights, "clusterserviceversions", "ops");
       }},
  };
  return rows;
}

// The rights that a question requires, and the other rights that affect its answer.
struct Question {
  std::vector<std::string> needs;
  std::vector<std::string> others;
};

const std::map<std::string, Question>& Questions() {
  const std::vector<std::string> plan = {"create planpreviews ops", "get installplans ops"};
  const std::vector<std::string> plan_others = {
      "list secrets red", "list secrets ", "list operatorgroups ops", "list serviceaccounts ops"};
  const std::vector<std::string> copies = {
      "list clusterserviceversions red", "list clusterserviceversions blue",
      "list clusterserviceversions ops", "list clusterserviceversions "};
  static const auto& questions = *new std::map<std::string, Question>{
      {"plan", {plan, plan_others}},
      {"waiting plan", {plan, plan_others}},
      {"invalid plan", {plan, plan_others}},
      {"bundle", {{"create planpreviews ops"}, plan_others}},
      {"waiting bundle", {{"create planpreviews ops"}, plan_others}},
      {"uninstall",
       {{"get cleanupstatuses/preview ops"},
        {"list widgets a", "list widgets ", "list secrets a"}}},
      {"copies on", {{"get olmconfigs/preview "}, copies}},
      {"copies off", {{"get olmconfigs/preview "}, copies}},
  };
  return questions;
}

// Puts all words of the table into its answers, whoever asks.
class FakePreviewer : public controllers::PlanPreviewer {
 public:
  Task<controllers::LivePreview> PreviewPlan(kube::NamespacedName plan,
                                             controllers::StepPace) override {
    return Of(plan.name == "waits"     ? "InstallCheckFailed"
              : plan.name == "invalid" ? "InvalidPlan"
                                       : "Approved");
  }
  Task<controllers::LivePreview> PreviewBundle(controllers::BundleContent bundle, kube::UserInfo,
                                               controllers::StepPace) override {
    return Of(bundle.manifests.size() > 1 ? "InstallCheckFailed" : "Installable");
  }

 private:
  static Task<controllers::LivePreview> Of(std::string reason) {
    controllers::LivePreview live;
    live.preview.condition.reason = reason;
    olm::PreviewStep& step = live.preview.steps.emplace_back();
    step.resolving = "step-resolving";
    step.gvk = {"", "v1", "StepKind"};
    step.ns = "red";
    step.name = "step-name";
    step.outcome = olm::Outcome::kFail;
    step.reason = "StepReason";
    step.code = 418;
    step.message = "step-message";
    step.changed_fields = {"step.field"};
    step.status = "StepStatus";
    live.resources.emplace_back(kube::GroupVersionResource{"", "v1", "secrets"});
    if (reason == "InstallCheckFailed") {
      step.reason = reason;
      step.message = live.preview.condition.message = "group-g of account-a";
    }
    if (reason == "InvalidPlan") live.preview.condition.message = "step 0 is wrong";
    co_return live;
  }
};

Task<bool> Yes() { co_return true; }

class PreviewRightsTest : public testing::Test {
 protected:
  PreviewRightsTest() {
    PublishPlans();
    PublishOperators();
    scene_.Also(ServePlans(
        {.clock = Clock::Real(),
         .worlds = plans_,
         .outlooks = [this](const storage::WorldPtr& world) { return outlooks_.Of(world); },
         .previewer = previewer_}));
    scene_.Also(ServeCopiedCsvs({.clock = Clock::Real(),
                                 .cluster = cluster_,
                                 .worlds = operators_,
                                 .copies = copies_,
                                 .serves_installed_operators = Yes}));
    scene_.PutCsv("w.v1");
    scene_.AddWidget("a", "operand-one");
    scene_.Start();
    channel_ = scene_.ChannelAs("steward-apiserver");
  }
  ~PreviewRightsTest() override { scene_.Stop(); }

  void PublishPlans() {
    storage::WorldWriter writer(storage::kPlanSources);
    writer.Replace(storage::kInstallPlanSource, {}, 100);
    writer.Replace(storage::kDefinitionSource, {}, 100);
    plans_.Publish(writer.Snapshot());
  }
  // Adds an operator for all namespaces with a copy in red and none in blue.
  void PublishOperators() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
    cluster_.PutCsv("ops", "etcd.v1");
    cluster_.PutCsv("red", "etcd.v1",
                    {.reason = "Copied", .metadata = R"(,"labels":{"olm.copiedFrom":"ops"})"});
    storage::OperatorWriter writer;
    controllers::CopyCluster::Seen seen;
    cluster_.Observe(writer, seen);
    operators_.Publish(writer.Snapshot());
  }
  // Returns the name of a new requester with these rights, about whom nothing is cached.
  std::string With(const Rights& rights) {
    const std::string user = StrCat("user-", ++users_);
    for (const std::string& right : rights) scene_.Allow(StrCat(user, " ", right));
    return user;
  }
  template <typename Stub, typename Request, typename Response>
  static Answer Ask(Stub& stub, const std::string& user, Request request, Response response) {
    request.mutable_on_behalf_of()->set_user(user);
    grpc::Status status;
    do {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
      context.set_wait_for_ready(true);
      status = stub.Preview(&context, request, &response);
    } while (status.error_code() == grpc::UNAVAILABLE);  // copies are not known yet
    if (status.error_code() == grpc::PERMISSION_DENIED) return std::nullopt;
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.DebugString();
  }
  Answer Ask(const std::string& question, const std::string& user) {
    if (question == "uninstall") {
      cleanup::v1::PreviewRequest request;
      request.set_namespace_("ops");
      request.set_name("w.v1");
      request.set_max_operands(1000);
      const auto stub = cleanup::v1::CleanupService::NewStub(channel_);
      return Ask(*stub, user, request, cleanup::v1::PreviewResponse());
    }
    if (question.starts_with("copies")) {
      copiedcsv::v1::PreviewRequest request;
      request.set_choice(question == "copies on" ? copiedcsv::v1::CHOICE_ON
                                                 : copiedcsv::v1::CHOICE_OFF);
      request.set_try_changes(true);
      const auto stub = copiedcsv::v1::CopiedCSVService::NewStub(channel_);
      return Ask(*stub, user, request, copiedcsv::v1::PreviewResponse());
    }
    plan::v1::PreviewRequest request;
    request.set_namespace_("ops");
    if (question.ends_with("bundle")) {
      request.mutable_bundle()->add_manifests("{}");
      if (question == "waiting bundle") request.mutable_bundle()->add_manifests("{}");
    } else {
      request.set_install_plan(question == "plan"           ? "fine"
                               : question == "waiting plan" ? "waits"
                                                            : "invalid");
    }
    const auto stub = plan::v1::PlanService::NewStub(channel_);
    return Ask(*stub, user, request, plan::v1::PreviewResponse());
  }

  Scene scene_;
  storage::WorldStore plans_{storage::kPlanSources};
  storage::PlanOutlooks outlooks_;
  FakePreviewer previewer_;
  controllers::CopyCluster cluster_;  // used by the server's thread
  storage::WorldStore operators_{storage::kOperatorSources};
  controllers::FollowedCopies copies_{cluster_, Clock::Real(), Random::Real(), operators_, {}};
  std::shared_ptr<grpc::Channel> channel_;
  int users_ = 0;
};

TEST_F(PreviewRightsTest, R_PRJ_07_EachCellForEachSetOfRights) {
  for (const auto& [name, question] : Questions()) {
    std::vector<std::string> all = question.needs;
    all.insert(all.end(), question.others.begin(), question.others.end());
    for (size_t mask = 0; mask < size_t{1} << all.size(); ++mask) {
      Rights rights;
      for (size_t i = 0; i < all.size(); ++i) {
        if ((mask >> i & 1) != 0) rights.insert(all[i]);
      }
      std::string trace = name;
      for (const std::string& right : rights) StrAppend(&trace, "; ", right);
      SCOPED_TRACE(trace);
      bool answered = true;
      for (const std::string& need : question.needs) answered = answered && rights.contains(need);
      const Answer answer = Ask(name, With(rights));
      ASSERT_EQ(answer.has_value(), answered);
      if (!answered) continue;
      for (const Row& row : Table()) {
        if (row.asked != name) continue;
        for (const std::string& word : row.words) {
          if (row.told(rights)) {
            EXPECT_THAT(*answer, HasSubstr(word)) << row.what;
          } else {
            EXPECT_THAT(*answer, Not(HasSubstr(word))) << row.what;
          }
        }
      }
    }
  }
}

// Names that an answer conceals do not appear in other parts of it either.
TEST_F(PreviewRightsTest, AGeneralWordStandsForNames) {
  const Answer answer = Ask("waiting plan", With({"create planpreviews ops", "get installplans ops",
                                                  "list secrets red", "list operatorgroups ops"}));
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(*answer, HasSubstr("the namespace has no OperatorGroup that can be used"));
  EXPECT_THAT(*answer, HasSubstr("name: \"step-name\""));
}

TEST(PreviewRightsDocumentTest, TheTableIsThatOfTheTest) {
  std::ifstream file(kDocument);
  ASSERT_TRUE(file.good()) << kDocument;
  std::string expected = "| question | what | whom |\n|---|---|---|\n";
  for (const Row& row : Table()) {
    StrAppend(&expected, "| ", row.question, *row.question == '\0' ? "" : " ", "| ", row.what,
              " | ", row.whom, " |\n");
  }
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const size_t section = document.find(kSection);
  ASSERT_NE(section, std::string::npos);
  const size_t table = document.find("\n|", section);
  ASSERT_NE(table, std::string::npos);
  const size_t end = document.find("\n\n", table);
  EXPECT_EQ(document.substr(table + 1, end - table), expected);
}

}  // namespace
}  // namespace steward::rpc
