#include "controllers/rpc/cleanup/uninstall_preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/async/task.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/cleanup/operands/operand_counter.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/verdict.h"
#include "proto/steward/plan/v1/preview.pb.h"

namespace steward::rpc {
namespace {

using controllers::ClusterShape;
using controllers::kCsv;
using controllers::SupposedOptIn;
using controllers::TestCluster;
using ::testing::ElementsAre;

class NoEvents : public controllers::EventRecorder {
 public:
  void Record(const controllers::ObjectReference&, controllers::EventType, std::string_view,
              std::string_view) override {}
};

// The cluster has the widgets a/one, a/three, b/two (being deleted) and c/elsewhere (where the
// operator does not work), and the cluster-scoped gadget "wide".
class UninstallPreviewTest : public ::testing::Test {
 protected:
  UninstallPreviewTest() {
    cluster_.Run(cluster_.AddWidget("a", "one", true));
    cluster_.Run(cluster_.AddWidget("a", "three", true));
    cluster_.Run(cluster_.AddWidget("b", "two", true));
    cluster_.Run(cluster_.AddWidget("c", "elsewhere", true));
    cluster_.Run(cluster_.AddGadget("wide", true));
    cluster_.Run(cluster_.Remove(controllers::kWidgets, {"b", "two"}));
    hook_.decide = [this](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (call.verb != kube::ClientVerb::kDelete) return fate;
      ++deletions_;
      fate.error = answer_;
      return fate;
    };
  }

  // Returns each operand as "a/one Delete DryRun Accepted 0".
  std::vector<std::string> Write(size_t max, SupposedOptIn opt_in = SupposedOptIn::kAsItIs) {
    const auto preview = cluster_.Run(inspector_.Preview(kCsv, opt_in, max));
    EXPECT_OK(preview);
    if (!preview.ok()) return {};
    WriteFound(*preview, max);
    std::vector<std::string> lines;
    for (const cleanup::v1::OperandPreview& each : out_.operands()) {
      lines.push_back(StrCat(each.namespace_(), "/", each.name(), " ", each.outcome(), " ",
                             each.basis(), " ", each.reason(), " ", each.code()));
    }
    return lines;
  }

  void WriteFound(const controllers::CleanupPreview& found, size_t max, bool may_delete = true) {
    out_.Clear();
    out_.set_requester_may_delete(may_delete);
    EXPECT_OK(cluster_.Run(WriteUninstall(inspector_, kCsv, found, max, may_list_, nullptr, out_)));
  }

  // Returns each step as "Widget a/one Delete DryRun Accepted 0".
  std::vector<std::string> Steps() const {
    std::vector<std::string> lines;
    for (const plan::v1::Step& each : out_.preview().steps()) {
      EXPECT_EQ(each.index(), static_cast<int64_t>(lines.size()) + 1);
      EXPECT_EQ(each.resolving(), kCsv.name);
      lines.push_back(StrCat(each.kind(), " ", each.namespace_(), "/", each.name(), " ",
                             each.outcome(), " ", each.basis(), " ", each.reason(), " ",
                             each.code()));
    }
    return lines;
  }

  TestCluster cluster_{ClusterShape()};
  kube::Hook hook_;
  kube::HookClient client_{cluster_.client(), hook_};
  NoEvents events_;
  controllers::CleanupInspector inspector_{client_, cluster_.clock(), nullptr,
                                           controllers::GuardOptions(), events_};
  absl::Status answer_;
  int deletions_ = 0;
  std::string hidden_ns_ = "-";
  MayList may_list_ = [this](kube::GroupVersionResource, std::string ns) -> Task<bool> {
    const bool shows = hidden_ns_ == "-" || (!ns.empty() && ns != hidden_ns_);
    co_return shows;
  };
  cleanup::v1::PreviewResponse out_;
};

TEST_F(UninstallPreviewTest, TriesWhatWouldBeDeleted) {
  EXPECT_THAT(Write(100),
              ElementsAre("/wide Keep Rule ClusterScoped 0", "a/one Delete DryRun Accepted 0",
                          "a/three Delete DryRun Accepted 0", "b/two Delete Rule BeingDeleted 0",
                          "c/elsewhere Keep Rule NoTarget 0"));
  EXPECT_EQ(deletions_, 2);
  EXPECT_EQ(out_.remaining(), 0);
  EXPECT_EQ(Write(100).size(), 5U) << "nothing was deleted";
}

TEST_F(UninstallPreviewTest, KeepsWithTheFirstReason) {
  EXPECT_THAT(Write(3, SupposedOptIn::kWithdrawn),
              ElementsAre("/wide Keep Rule NotOptedIn 0", "a/one Keep Rule NotOptedIn 0",
                          "a/three Keep Rule NotOptedIn 0"));
  EXPECT_EQ(deletions_, 0);
  EXPECT_EQ(out_.remaining(), 2);
}

TEST_F(UninstallPreviewTest, TellsTheCodeAndReasonOfARefusal) {
  const struct {
    absl::Status answer;
    const char* line;
  } rows[] = {
      {kube::ToStatus(kube::Forbidden(controllers::kWidgets, "one", "a secret")),
       "a/one Fail DryRun Forbidden 403"},
      {kube::ToStatus(kube::BadRequest("admission webhook \"w\" does not support dry run")),
       "a/one Unknown Rule WebhookWithoutDryRun 0"},
      {absl::UnavailableError("no route"), "a/one Unknown Rule NoAnswer 0"},
      {kube::ToStatus(kube::ServiceUnavailable("busy", 1)), "a/one Unknown Rule NoAnswer 0"},
  };
  for (const auto& row : rows) {
    answer_ = row.answer;
    const std::vector<std::string> lines = Write(2);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1], row.line);
  }
  answer_ = kube::ToStatus(kube::NotFound(controllers::kWidgets, "one"));
  EXPECT_EQ(Write(2).size(), 1U) << "one is gone";
}

TEST_F(UninstallPreviewTest, CountsWhatTheRequesterMayNotList) {
  hidden_ns_ = "a";
  EXPECT_THAT(Write(100),
              ElementsAre("b/two Delete Rule BeingDeleted 0", "c/elsewhere Keep Rule NoTarget 0"));
  EXPECT_EQ(out_.hidden(), 3);
  EXPECT_EQ(deletions_, 0) << "of what is not shown";
}

TEST_F(UninstallPreviewTest, StepsAreTheOperatorItsOperandsAndItsDefinitions) {
  answer_ = kube::ToStatus(kube::Forbidden(controllers::kWidgets, "one", "a secret"));
  auto found = cluster_.Run(inspector_.Preview(kCsv, SupposedOptIn::kAsItIs, 2));
  ASSERT_OK(found);
  for (const auto& [name, state] : {std::pair{"gone.example.com", olm::CrdState::kGone},
                                    std::pair{"going.example.com", olm::CrdState::kTerminating},
                                    std::pair{"hidden.example.com", olm::CrdState::kUnreadable}}) {
    controllers::OperandCount& count = found->definitions.emplace_back();
    count.plan.crd = name;
    count.plan.state = state;
  }
  found->definitions.back().unreadable = "forbidden";
  WriteFound(*found, 2);
  EXPECT_TRUE(out_.preview().executable().status());
  EXPECT_EQ(out_.preview().executable().reason(), "Allowed");
  EXPECT_EQ(out_.preview().remaining(), out_.remaining());
  EXPECT_THAT(
      Steps(),
      ElementsAre("ClusterServiceVersion ops/widget.v1 Delete Rule DeletedByRequester 0",
                  "Gadget /wide Keep Rule ClusterScoped 0",
                  "Widget a/one Fail DryRun Forbidden 403",
                  "CustomResourceDefinition /gadgets.example.com Keep Rule DefinitionStays 0",
                  "CustomResourceDefinition /widgets.example.com Keep Rule DefinitionStays 0",
                  "CustomResourceDefinition /going.example.com Delete Rule BeingDeleted 0",
                  "CustomResourceDefinition /hidden.example.com Unknown Rule Unreadable 0"));
  EXPECT_EQ(out_.preview().steps(2).message(), "") << "it may be about what one may not see";
  EXPECT_EQ(out_.preview().steps(6).message(), "forbidden");
}

TEST_F(UninstallPreviewTest, WhetherItIsExecutable) {
  using Kind = olm::CleanupVerdictKind;
  using Reason = olm::CleanupReason;
  const struct {
    Kind verdict;
    std::vector<Reason> blockers;
    bool may_delete;
    bool deleting;
    std::string want;  // executable, reason, message, outcome and reason of the operator's step
  } rows[] = {
      {Kind::kAllowed, {}, true, false, "true Allowed  Delete DeletedByRequester"},
      {Kind::kAllowed, {}, false, false, "false Forbidden  Fail Forbidden"},
      {Kind::kAllowed, {}, false, true, "true Allowed  Delete BeingDeleted"},
      {Kind::kRefused,
       {Reason::kSharedOwner, Reason::kInvalidSpec},
       true,
       false,
       "false Refused about SharedOwner; about InvalidSpec Delete DeletedByRequester"},
      {Kind::kRefused,
       {Reason::kNotOptedIn},
       true,
       false,
       "true OperandsKept about NotOptedIn Delete DeletedByRequester"},
      {Kind::kRefused,
       {Reason::kNotOptedIn},
       false,
       false,
       "false Forbidden about NotOptedIn Fail Forbidden"},
      {Kind::kUnknown, {}, true, false, "false Unknown  Delete DeletedByRequester"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.want);
    controllers::CleanupPreview found;
    found.deleting = row.deleting;
    found.verdict.kind = row.verdict;
    for (const Reason reason : row.blockers) {
      found.verdict.blockers.push_back({reason, StrCat("about ", olm::ToString(reason)), {}});
    }
    WriteFound(found, 0, row.may_delete);
    const plan::v1::PreviewResponse& preview = out_.preview();
    EXPECT_EQ(StrCat(preview.executable().status() ? "true " : "false ",
                     preview.executable().reason(), " ", preview.executable().message(), " ",
                     preview.steps(0).outcome(), " ", preview.steps(0).reason()),
              row.want);
  }
}

}  // namespace
}  // namespace steward::rpc
