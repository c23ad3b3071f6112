#include "olm/plan/answer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kube/meta/errors.h"
#include "kube/meta/status.h"

namespace steward::olm {
namespace {

// The rules of R-002 for an answer to a create, by reason.
struct Row {
  std::string_view reason;
  int code;
  bool refuses;  // NotCreated; else a failure
};
constexpr std::array<Row, 18> kRows = {{
    {"Unauthorized", 401, true},            // R-002-30
    {"Forbidden", 403, true},               // R-002-31
    {"NotFound", 404, true},                // R-002-32
    {"Invalid", 422, true},                 // R-002-33
    {"NotAcceptable", 406, true},           // R-002-34
    {"UnsupportedMediaType", 415, true},    // R-002-35
    {"Conflict", 409, true},                // R-002-36
    {"Gone", 410, false},                   // R-002-37
    {"ServerTimeout", 500, false},          // R-002-38
    {"Timeout", 504, false},                // R-002-39
    {"TooManyRequests", 429, false},        // R-002-40
    {"BadRequest", 400, false},             // R-002-41
    {"MethodNotAllowed", 405, false},       // R-002-42
    {"RequestEntityTooLarge", 413, false},  // R-002-43
    {"InternalError", 500, false},          // R-002-44
    {"Expired", 410, false},                // R-002-45
    {"ServiceUnavailable", 503, false},     // R-002-46
    {"StorageReadError", 500, false},
}};

// True if the answer had no Status, and the client made one, with its reason, from the code.
bool IsGuessed(const kube::Status& status) {
  return std::any_of(
      status.causes.begin(), status.causes.end(),
      [](const kube::StatusCause& cause) { return cause.reason == "UnexpectedServerResponse"; });
}

}  // namespace

AnswerVerdict ClassifyAnswer(const absl::Status& answer, StepWrite write) {
  if (answer.ok()) return AnswerVerdict::kCreated;
  if (!kube::IsAnswer(answer)) return AnswerVerdict::kFailure;
  const kube::Status status = kube::FromStatus(answer);
  const bool creates = write == StepWrite::kCreate;
  if (status.reason == "AlreadyExists")
    return creates ? AnswerVerdict::kExists : AnswerVerdict::kFailure;
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&status](const Row& each) {
    return each.reason == status.reason;
  });
  // A 409 without a reason from the server means that the name is taken.
  if (status.code == 409 && (row == kRows.end() || IsGuessed(status))) {
    return creates ? AnswerVerdict::kExists : AnswerVerdict::kFailure;
  }
  if (row == kRows.end()) {
    row = std::find_if(kRows.begin(), kRows.end(),
                       [&status](const Row& each) { return each.code == status.code; });
  }
  if (row == kRows.end() || !row->refuses) return AnswerVerdict::kFailure;
  if (!creates && row->code == 409) return AnswerVerdict::kFailure;
  return AnswerVerdict::kNotCreated;
}

}  // namespace steward::olm
