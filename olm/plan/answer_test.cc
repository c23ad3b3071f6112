#include "olm/plan/answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "kube/client/http_status.h"
#include "kube/meta/status.h"

namespace steward::olm {
namespace {

struct Row {
  int code;
  const char* reason;
  AnswerVerdict on_create;
  AnswerVerdict on_update;
};

absl::Status Answer(int code, const std::string& reason) {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = "no";
  return kube::ToStatus(status);
}

constexpr AnswerVerdict kNot = AnswerVerdict::kNotCreated;
constexpr AnswerVerdict kFails = AnswerVerdict::kFailure;

TEST(AnswerTest, R_002_30_to_47_ByReasonThenByCode) {
  for (const Row& row :
       std::vector<Row>{                                            // By reason, whatever the code.
                        {401, "Unauthorized", kNot, kNot},          // R-002-30
                        {403, "Forbidden", kNot, kNot},             // R-002-31
                        {404, "NotFound", kNot, kNot},              // R-002-32
                        {422, "Invalid", kNot, kNot},               // R-002-33
                        {406, "NotAcceptable", kNot, kNot},         // R-002-34
                        {415, "UnsupportedMediaType", kNot, kNot},  // R-002-35
                        {409, "Conflict", kNot, kFails},            // R-002-36
                        {410, "Gone", kFails, kFails},              // R-002-37
                        {500, "ServerTimeout", kFails, kFails},     // R-002-38
                        {504, "Timeout", kFails, kFails},           // R-002-39
                        {429, "TooManyRequests", kFails, kFails},   // R-002-40
                        {400, "BadRequest", kFails, kFails},        // R-002-41
                        {405, "MethodNotAllowed", kFails, kFails},  // R-002-42
                        {413, "RequestEntityTooLarge", kFails, kFails},          // R-002-43
                        {500, "InternalError", kFails, kFails},                  // R-002-44
                        {410, "Expired", kFails, kFails},                        // R-002-45
                        {503, "ServiceUnavailable", kFails, kFails},             // R-002-46
                        {409, "AlreadyExists", AnswerVerdict::kExists, kFails},  // R-002-47
                        {500, "StorageReadError", kFails, kFails},
                        {500, "Forbidden", kNot, kNot},
                        {403, "ServiceUnavailable", kFails, kFails},
                        // The code decides where the reason says nothing.
                        {401, "", kNot, kNot},
                        {403, "", kNot, kNot},
                        {404, "", kNot, kNot},
                        {406, "", kNot, kNot},
                        {415, "", kNot, kNot},
                        {422, "", kNot, kNot},
                        {422, "Odd", kNot, kNot},
                        {409, "", AnswerVerdict::kExists, kFails},
                        {400, "", kFails, kFails},
                        {405, "", kFails, kFails},
                        {410, "", kFails, kFails},
                        {413, "", kFails, kFails},
                        {418, "", kFails, kFails},
                        {418, "Teapot", kFails, kFails},
                        {429, "", kFails, kFails},
                        {500, "", kFails, kFails},
                        {502, "", kFails, kFails},
                        {503, "", kFails, kFails},
                        {504, "", kFails, kFails}}) {
    SCOPED_TRACE(StrCat(row.code, " ", row.reason));
    EXPECT_EQ(ClassifyAnswer(Answer(row.code, row.reason), StepWrite::kCreate), row.on_create);
    EXPECT_EQ(ClassifyAnswer(Answer(row.code, row.reason), StepWrite::kUpdate), row.on_update);
  }
}

// The client gives such an answer a reason by its code.
TEST(AnswerTest, R_002_47_AnAnswerWithoutAStatusGoesByItsCode) {
  for (const Row& row : std::vector<Row>{{302, "", kFails, kFails},
                                         {400, "", kFails, kFails},
                                         {401, "", kNot, kNot},
                                         {403, "", kNot, kNot},
                                         {404, "", kNot, kNot},
                                         {405, "", kFails, kFails},
                                         {406, "", kNot, kNot},
                                         {409, "", AnswerVerdict::kExists, kFails},
                                         {410, "", kFails, kFails},
                                         {413, "", kFails, kFails},
                                         {415, "", kNot, kNot},
                                         {418, "", kFails, kFails},
                                         {422, "", kNot, kNot},
                                         {429, "", kFails, kFails},
                                         {500, "", kFails, kFails},
                                         {502, "", kFails, kFails},
                                         {503, "", kFails, kFails},
                                         {504, "", kFails, kFails}}) {
    for (const char* body : {"", "<html></html>", "{}"}) {
      SCOPED_TRACE(StrCat(row.code, " ", body));
      const absl::Status answer = kube::StatusOfHttpError(row.code, body, absl::ZeroDuration());
      EXPECT_EQ(ClassifyAnswer(answer, StepWrite::kCreate), row.on_create);
      EXPECT_EQ(ClassifyAnswer(answer, StepWrite::kUpdate), row.on_update);
    }
  }
}

TEST(AnswerTest, SuccessAndNoAnswer) {
  for (const StepWrite write : {StepWrite::kCreate, StepWrite::kUpdate}) {
    EXPECT_EQ(ClassifyAnswer(absl::OkStatus(), write), AnswerVerdict::kCreated);
    for (const absl::Status& none :
         {absl::UnavailableError("refused"), absl::DeadlineExceededError("late"),
          absl::NotFoundError("of our own"), absl::PermissionDeniedError("of our own")}) {
      EXPECT_EQ(ClassifyAnswer(none, write), kFails);
    }
  }
}

}  // namespace
}  // namespace steward::olm
