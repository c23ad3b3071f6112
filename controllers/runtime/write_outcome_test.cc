#include "controllers/runtime/write_outcome.h"

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};

absl::Status Answer(int code) {
  kube::Status answer;
  answer.code = code;
  answer.reason = "Any";
  return kube::ToStatus(answer);
}

TEST(WriteOutcomeTest, OfEachAnswer) {
  const std::pair<absl::Status, WriteOutcome> rows[] = {
      {absl::OkStatus(), WriteOutcome::kDone},
      {kube::ToStatus(kube::NotFound(kWidgets, "a")), WriteOutcome::kAbsent},
      {kube::ToStatus(kube::Conflict(kWidgets, "a", "x")), WriteOutcome::kConflict},
      {kube::ToStatus(kube::AlreadyExists(kWidgets, "a")), WriteOutcome::kConflict},
      {kube::ToStatus(kube::TooManyRequests("busy", 3)), WriteOutcome::kThrottled},
      {kube::ToStatus(kube::Forbidden(kWidgets, "a", "x")), WriteOutcome::kRefused},
      {kube::ToStatus(kube::BadRequest("x")), WriteOutcome::kRefused},
      {Answer(422), WriteOutcome::kRefused},
      {kube::ToStatus(kube::Unauthorized()), WriteOutcome::kFailed},
      {Answer(408), WriteOutcome::kFailed},
      {Answer(410), WriteOutcome::kFailed},
      {Answer(500), WriteOutcome::kFailed},
      {kube::ToStatus(kube::ServiceUnavailable("x", 1)), WriteOutcome::kFailed},
      {kube::ToStatus(kube::Timeout("x", 1)), WriteOutcome::kFailed},
  };
  for (const auto& [status, outcome] : rows) EXPECT_EQ(OutcomeOf(status), outcome) << status;
}

// Codes of Steward's own are no answers, however similar they are.
TEST(WriteOutcomeTest, WithoutAnAnswerItFailed) {
  const absl::Status rows[] = {
      absl::NotFoundError("x"),          absl::AlreadyExistsError("x"),
      absl::UnavailableError("x"),       absl::DeadlineExceededError("x"),
      absl::FailedPreconditionError(""), absl::ResourceExhaustedError("x"),
      absl::AbortedError("x"),
  };
  for (const absl::Status& status : rows) {
    EXPECT_EQ(OutcomeOf(status), WriteOutcome::kFailed) << status;
  }
}

}  // namespace
}  // namespace steward::controllers
