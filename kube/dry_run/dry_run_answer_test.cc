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
    bool untried;
  } rows[] = {
      {absl::OkStatus(), false},
      {ToStatus(BadRequest("admission webhook \"a.example.com\" does not support dry run")), true},
      {ToStatus(BadRequest("spec.size must be a number")), false},
      {ToStatus(Forbidden({"", "v1", "pods"}, "a", "a.example.com does not support dry run")),
       false},
      {absl::UnavailableError("does not support dry run"), false},
  };
  for (const auto& row : rows) EXPECT_EQ(IsUntried(row.answer), row.untried) << row.answer;
}

}  // namespace
}  // namespace steward::kube
