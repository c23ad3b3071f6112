#include "controllers/cleanup/guards/live_reads.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

// What a client makes of an answer that is no Status.
kube::Status Foreign(kube::Status answer) {
  answer.causes.push_back({.reason = "UnexpectedServerResponse", .message = "<html>", .field = ""});
  return answer;
}

TEST(LiveReadsTest, R_000_70_OnlyTheApiServerKnowsOfAbsence) {
  const kube::Status gone = kube::NotFound(kCsvs, "x");
  EXPECT_TRUE(IsAbsence(kube::ToStatus(gone), "x"));
  EXPECT_FALSE(IsAbsence(kube::ToStatus(gone), "y"));
  EXPECT_FALSE(IsAbsence(kube::ToStatus(Foreign(gone)), "x"));
  EXPECT_FALSE(IsAbsence(absl::OkStatus(), "x"));
  EXPECT_FALSE(IsAbsence(absl::NotFoundError("x"), "x"));
  EXPECT_FALSE(IsAbsence(kube::ToStatus(kube::InternalError("x")), "x"));
}

TEST(LiveReadsTest, R_000_18_OnlyTheApiServerKnowsWhatIsSupported) {
  const kube::Status not_listed = kube::MethodNotAllowed();
  EXPECT_TRUE(IsUnsupported(kube::ToStatus(not_listed)));
  EXPECT_FALSE(IsUnsupported(kube::ToStatus(Foreign(not_listed))));
  EXPECT_FALSE(IsUnsupported(kube::ToStatus(kube::NotFound(kCsvs, "x"))));
  EXPECT_FALSE(IsUnsupported(absl::OkStatus()));
}

}  // namespace
}  // namespace steward::controllers
