#include "controllers/rpc/cleanup/operand_previews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/async/task.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

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

// Widgets a/one, a/three, b/two, which is being deleted, and c/elsewhere, where the operator does
// not work; and the cluster-scoped gadget "wide".
class OperandPreviewsTest : public ::testing::Test {
 protected:
  OperandPreviewsTest() {
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

  // Each operand as "a/one Delete DryRun Accepted 0".
  std::vector<std::string> Write(size_t max, SupposedOptIn opt_in = SupposedOptIn::kAsItIs) {
    const auto preview = cluster_.Run(inspector_.Preview(kCsv, opt_in, max));
    EXPECT_OK(preview);
    if (!preview.ok()) return {};
    out_.Clear();
    EXPECT_OK(cluster_.Run(WriteOperands(inspector_, *preview, max, may_list_, nullptr, out_)));
    std::vector<std::string> lines;
    for (const cleanup::v1::OperandPreview& each : out_.operands()) {
      lines.push_back(StrCat(each.namespace_(), "/", each.name(), " ", each.outcome(), " ",
                             each.basis(), " ", each.reason(), " ", each.code()));
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

TEST_F(OperandPreviewsTest, TriesWhatWouldBeDeleted) {
  EXPECT_THAT(Write(100),
              ElementsAre("/wide Keep Rule ClusterScoped 0", "a/one Delete DryRun Accepted 0",
                          "a/three Delete DryRun Accepted 0", "b/two Delete Rule BeingDeleted 0",
                          "c/elsewhere Keep Rule NoTarget 0"));
  EXPECT_EQ(deletions_, 2);
  EXPECT_EQ(out_.remaining(), 0);
  EXPECT_EQ(Write(100).size(), 5U) << "nothing was deleted";
}

TEST_F(OperandPreviewsTest, KeepsWithTheFirstReason) {
  EXPECT_THAT(Write(3, SupposedOptIn::kWithdrawn),
              ElementsAre("/wide Keep Rule NotOptedIn 0", "a/one Keep Rule NotOptedIn 0",
                          "a/three Keep Rule NotOptedIn 0"));
  EXPECT_EQ(deletions_, 0);
  EXPECT_EQ(out_.remaining(), 2);
}

TEST_F(OperandPreviewsTest, TellsTheCodeAndReasonOfARefusal) {
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

TEST_F(OperandPreviewsTest, CountsWhatTheRequesterMayNotList) {
  hidden_ns_ = "a";
  EXPECT_THAT(Write(100),
              ElementsAre("b/two Delete Rule BeingDeleted 0", "c/elsewhere Keep Rule NoTarget 0"));
  EXPECT_EQ(out_.hidden(), 3);
  EXPECT_EQ(deletions_, 0) << "of what is not shown";
}

}  // namespace
}  // namespace steward::rpc
