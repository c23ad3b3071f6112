#include "kube/meta/errors.h"

#include <gtest/gtest.h>

#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

const GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

// An answer that is no Status, in the form in which a client reports it.
Status Foreign(Status answer) {
  answer.causes.push_back({.reason = "UnexpectedServerResponse", .message = "<html>", .field = ""});
  return answer;
}

TEST(ErrorsTest, R_000_70_OnlyTheApiServerKnowsOfAbsence) {
  const Status gone = NotFound(kWidgets, "x");
  EXPECT_TRUE(IsNotFound(ToStatus(gone), "x"));
  EXPECT_FALSE(IsNotFound(ToStatus(gone), "y"));
  EXPECT_FALSE(IsNotFound(ToStatus(Foreign(gone)), "x"));
  EXPECT_FALSE(IsNotFound(ToStatus(NotFoundPath()), "x"));
  EXPECT_FALSE(IsNotFound(absl::OkStatus(), "x"));
  EXPECT_FALSE(IsNotFound(absl::NotFoundError("x"), "x"));
  EXPECT_FALSE(IsNotFound(ToStatus(InternalError("x")), "x"));
}

// Servers that do not know the object may also answer NotFound.
TEST(ErrorsTest, WhatSaysNotFound) {
  const Status gone = NotFound(kWidgets, "x");
  for (const Status& answer : {gone, Foreign(gone), NotFoundPath(), Foreign(NotFoundPath())}) {
    EXPECT_TRUE(SaysNotFound(ToStatus(answer))) << answer.message;
    EXPECT_TRUE(IsOvertaken(ToStatus(answer))) << answer.message;
  }
  EXPECT_TRUE(IsOvertaken(ToStatus(Conflict(kWidgets, "x", "changed"))));
  for (const absl::Status& other :
       {absl::OkStatus(), absl::NotFoundError("x"), absl::AbortedError("x"),
        ToStatus(AlreadyExists(kWidgets, "x")), ToStatus(Forbidden(kWidgets, "x", "no"))}) {
    EXPECT_FALSE(SaysNotFound(other)) << other;
    EXPECT_FALSE(IsOvertaken(other)) << other;
  }
}

TEST(ErrorsTest, WhatWasAnswered) {
  EXPECT_TRUE(IsAnswer(absl::OkStatus()));
  EXPECT_TRUE(IsAnswer(ToStatus(NotFound(kWidgets, "x"))));
  EXPECT_TRUE(IsAnswer(ToStatus(InternalError("x"))));
  EXPECT_TRUE(IsAnswer(ToStatus(Status{})));
  for (const absl::Status& failure :
       {absl::UnavailableError("x"), absl::DeadlineExceededError("x"), absl::NotFoundError("x"),
        absl::CancelledError("x"), absl::InternalError("x")}) {
    EXPECT_FALSE(IsAnswer(failure)) << failure;
  }
}

TEST(ErrorsTest, WhatIsNotServed) {
  EXPECT_TRUE(IsNotServed(ToStatus(NotFoundPath())));
  EXPECT_TRUE(IsNotServed(ToStatus(Foreign(NotFoundPath()))));
  EXPECT_FALSE(IsNotServed(ToStatus(NotFound(kWidgets, "x"))));
  EXPECT_FALSE(IsNotServed(ToStatus(MethodNotAllowed())));
  EXPECT_FALSE(IsNotServed(absl::OkStatus()));
}

TEST(ErrorsTest, R_000_18_OnlyTheApiServerKnowsWhatIsSupported) {
  const Status not_listed = MethodNotAllowed();
  EXPECT_TRUE(IsUnsupported(ToStatus(not_listed)));
  EXPECT_FALSE(IsUnsupported(ToStatus(Foreign(not_listed))));
  EXPECT_FALSE(IsUnsupported(ToStatus(NotFound(kWidgets, "x"))));
  EXPECT_FALSE(IsUnsupported(absl::OkStatus()));
}

TEST(ErrorsTest, ByReason) {
  struct Case {
    const char* name;
    bool (*is)(const absl::Status&);
    Status yes;
  };
  const Case cases[] = {
      {"forbidden", IsForbidden, Forbidden(kWidgets, "x", "no")},
      {"already exists", IsAlreadyExists, AlreadyExists(kWidgets, "x")},
      {"conflict", IsConflict, Conflict(kWidgets, "x", "changed")},
      {"expired", IsExpired, Expired("too old")},
      {"too many requests", IsTooManyRequests, TooManyRequests("busy", 1)},
      {"timeout", IsTimeout, Timeout("late", 1)},
      {"not found", SaysNotFound, NotFound(kWidgets, "x")},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    for (const Case& other : cases) {
      EXPECT_EQ(c.is(ToStatus(other.yes)), &c == &other) << other.name;
    }
    EXPECT_FALSE(c.is(absl::OkStatus()));
    EXPECT_FALSE(c.is(absl::UnknownError("?")));
  }
}

TEST(ErrorsTest, WhatMaySucceedLater) {
  EXPECT_TRUE(IsTransient(absl::UnavailableError("")));
  EXPECT_TRUE(IsTransient(absl::DeadlineExceededError("")));
  EXPECT_TRUE(IsTransient(ToStatus(ServiceUnavailable("", 1))));
  EXPECT_TRUE(IsTransient(ToStatus(TooManyRequests("", 1))));
  EXPECT_TRUE(IsTransient(ToStatus(InternalError(""))));
  EXPECT_FALSE(IsTransient(absl::DataLossError("")));
  EXPECT_FALSE(IsTransient(ToStatus(NotFound(kWidgets, "x"))));
  EXPECT_FALSE(IsTransient(ToStatus(Forbidden(kWidgets, "x", ""))));
  EXPECT_FALSE(IsTransient(absl::OkStatus()));
}

}  // namespace
}  // namespace steward::kube
