#include "kube/dry_run/dry_run_answer.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

TEST(DryRunAnswer, TellsWhatWasNotTried) {
  const struct {
    absl::Status answer;
    DryRunVerdict verdict;
  } rows[] = {
      {absl::OkStatus(), DryRunVerdict::kAccepted},
      {ToStatus(BadRequest("admission webhook \"a.example.com\" does not support dry run")),
       DryRunVerdict::kUntried},
      {ToStatus(BadRequest("spec.size must be a number")), DryRunVerdict::kRefused},
      {ToStatus(Forbidden({"", "v1", "pods"}, "a", "a.example.com does not support dry run")),
       DryRunVerdict::kRefused},
      {absl::UnavailableError("does not support dry run"), DryRunVerdict::kNoAnswer},
      {ToStatus(ServiceUnavailable("busy", 1)), DryRunVerdict::kNoAnswer},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(JudgeDryRun(row.answer), row.verdict) << row.answer;
    EXPECT_EQ(IsUntried(row.answer), row.verdict == DryRunVerdict::kUntried);
  }
  EXPECT_EQ(RefusalReason(rows[2].answer), "BadRequest");
}

}  // namespace
}  // namespace steward::kube
