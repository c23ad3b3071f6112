#include "kube/meta/status.h"

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

const GroupVersionResource kWidgets{"g.io", "v1", "widgets"};
const GroupVersionResource kPods{"", "v1", "pods"};

struct Row {
  const char* name;
  Status status;
  const char* json;
  absl::StatusCode code;
};

std::vector<Row> Rows() {
  Status expired_page = Expired("The provided continue parameter is too old");
  expired_page.continue_token = "abc";
  Status with_uid = Conflict(kWidgets, "n", "stale");
  with_uid.uid = "u-1";
  return {
      {"bad request", BadRequest("no <b> & \"q\""),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no \u003cb\u003e \u0026 \"q\"","reason":"BadRequest","code":400})",
       absl::StatusCode::kInvalidArgument},
      {"unauthorized", Unauthorized(),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})",
       absl::StatusCode::kUnauthenticated},
      {"forbidden list",
       Forbidden(kWidgets, "", ForbiddenAccess("u", "list", kWidgets, "", "ns", "")),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.g.io is forbidden: User \"u\" cannot list resource \"widgets\" in API group \"g.io\" in the namespace \"ns\"","reason":"Forbidden","details":{"group":"g.io","kind":"widgets"},"code":403})",
       absl::StatusCode::kPermissionDenied},
      {"forbidden get",
       Forbidden(kPods, "p", ForbiddenAccess("<u>", "get", kPods, "log", "", "no rule")),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"p\" is forbidden: User \"\u0026lt;u\u0026gt;\" cannot get resource \"pods/log\" in API group \"\" at the cluster scope: no rule","reason":"Forbidden","details":{"name":"p","kind":"pods"},"code":403})",
       absl::StatusCode::kPermissionDenied},
      {"forbidden path", ForbiddenPath("u", "get", "/x?a&b", "because"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User \"u\" cannot get path \"/x?a\u0026amp;b\": because","reason":"Forbidden","details":{},"code":403})",
       absl::StatusCode::kPermissionDenied},
      {"not found", NotFound(kWidgets, "n\"m"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.g.io \"n\\\"m\" not found","reason":"NotFound","details":{"name":"n\"m","group":"g.io","kind":"widgets"},"code":404})",
       absl::StatusCode::kNotFound},
      {"not found path", NotFoundPath(),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404})",
       absl::StatusCode::kNotFound},
      {"method not allowed", MethodNotAllowed(),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405})",
       absl::StatusCode::kUnimplemented},
      {"not acceptable", NotAcceptable({"application/json", "application/yaml"}),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"only the following media types are accepted: application/json, application/yaml","reason":"NotAcceptable","code":406})",
       absl::StatusCode::kInvalidArgument},
      {"conflict", with_uid,
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Operation cannot be fulfilled on widgets.g.io \"n\": stale","reason":"Conflict","details":{"name":"n","group":"g.io","kind":"widgets","uid":"u-1"},"code":409})",
       absl::StatusCode::kAborted},
      {"already exists", AlreadyExists(kWidgets, "n"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets.g.io \"n\" already exists","reason":"AlreadyExists","details":{"name":"n","group":"g.io","kind":"widgets"},"code":409})",
       absl::StatusCode::kAlreadyExists},
      {"expired", expired_page,
       R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc"},"status":"Failure","message":"The provided continue parameter is too old","reason":"Expired","code":410})",
       absl::StatusCode::kOutOfRange},
      {"entity too large", RequestEntityTooLarge(3145728),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413})",
       absl::StatusCode::kInvalidArgument},
      {"media type", UnsupportedMediaType({"application/json"}),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the body of the request was in an unknown format - accepted media types include: application/json","reason":"UnsupportedMediaType","code":415})",
       absl::StatusCode::kInvalidArgument},
      {"invalid once",
       Invalid({"meta.k8s.io", "v1", "ListOptions"}, "",
               {{"FieldValueForbidden", "Forbidden: no", "resourceVersionMatch"}}),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: no","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueForbidden","message":"Forbidden: no","field":"resourceVersionMatch"}]},"code":422})",
       absl::StatusCode::kInvalidArgument},
      {"invalid twice",
       Invalid({"", "v1", "Pod"}, "p", {{"R", "m", "a"}, {"R", "m", "b"}, {"R", "m", "a"}}),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Pod \"p\" is invalid: [a: m, b: m]","reason":"Invalid","details":{"name":"p","kind":"Pod","causes":[{"reason":"R","message":"m","field":"a"},{"reason":"R","message":"m","field":"b"},{"reason":"R","message":"m","field":"a"}]},"code":422})", absl::StatusCode::kInvalidArgument},
      {"invalid without cause", Invalid({"", "v1", "Pod"}, "p", {}),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Pod \"p\" is invalid","reason":"Invalid","details":{"name":"p","kind":"Pod"},"code":422})",
       absl::StatusCode::kInvalidArgument},
      {"too many requests", TooManyRequests("slow down", 3),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"slow down","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429})",
       absl::StatusCode::kResourceExhausted},
      {"internal", InternalError("boom"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: boom","reason":"InternalError","details":{"causes":[{"message":"boom"}]},"code":500})",
       absl::StatusCode::kInternal},
      {"unavailable", ServiceUnavailable("not yet", 0),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not yet","reason":"ServiceUnavailable","code":503})",
       absl::StatusCode::kUnavailable},
      {"unavailable for a second", ServiceUnavailable("not yet", 1),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not yet","reason":"ServiceUnavailable","details":{"retryAfterSeconds":1},"code":503})",
       absl::StatusCode::kUnavailable},
      {"timeout", Timeout("request did not complete within the allotted timeout", 0),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504})",
       absl::StatusCode::kDeadlineExceeded},
      {"too large resource version", TooLargeResourceVersion("9", "5"),
       R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504})",
       absl::StatusCode::kDeadlineExceeded},
  };
}

TEST(StatusTest, WireForm) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(ToJson(row.status), row.json);
    EXPECT_THAT(ParseStatus(row.json), IsOkAndHolds(row.status));
  }
}

TEST(StatusTest, TravelsInsideAbslStatus) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.name);
    const absl::Status status = ToStatus(row.status);
    EXPECT_EQ(status.code(), row.code);
    EXPECT_EQ(std::string(status.message()), row.status.message);
    EXPECT_EQ(FromStatus(status), row.status);
    EXPECT_TRUE(HasReason(status, row.status.reason));
    EXPECT_FALSE(HasReason(status, "Other"));
  }
}

TEST(StatusTest, PlainAbslStatusGetsItsBestFit) {
  const struct {
    absl::Status status;
    int code;
    const char* reason;
    const char* message;
    int retry_after_seconds;
  } rows[] = {
      {absl::InvalidArgumentError("m"), 400, "BadRequest", "m", 0},
      {absl::UnauthenticatedError("secret why"), 401, "Unauthorized", "Unauthorized", 0},
      {absl::PermissionDeniedError("m"), 403, "Forbidden", "forbidden: m", 0},
      {absl::NotFoundError("m"), 404, "NotFound", "m", 0},
      {absl::UnimplementedError("m"), 405, "MethodNotAllowed", "m", 0},
      {absl::AlreadyExistsError("m"), 409, "AlreadyExists", "m", 0},
      {absl::AbortedError("m"), 409, "Conflict", "m", 0},
      {absl::FailedPreconditionError("m"), 409, "Conflict", "m", 0},
      {absl::OutOfRangeError("m"), 410, "Expired", "m", 0},
      {absl::ResourceExhaustedError("m"), 429, "TooManyRequests", "m", 1},
      {absl::InternalError("m"), 500, "InternalError", "Internal error occurred: m", 0},
      {absl::UnknownError("m"), 500, "InternalError", "Internal error occurred: m", 0},
      {absl::DataLossError("m"), 500, "InternalError", "Internal error occurred: m", 0},
      {absl::UnavailableError("m"), 503, "ServiceUnavailable", "m", 1},
      {absl::CancelledError("m"), 503, "ServiceUnavailable", "m", 1},
      {absl::DeadlineExceededError("m"), 504, "Timeout", "Timeout: m", 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.status.ToString());
    const Status status = FromStatus(row.status);
    EXPECT_EQ(status.code, row.code);
    EXPECT_EQ(status.reason, row.reason);
    EXPECT_EQ(status.message, row.message);
    EXPECT_EQ(status.retry_after_seconds, row.retry_after_seconds);
    EXPECT_FALSE(HasReason(row.status, row.reason));
  }
}

TEST(StatusTest, CodesWithoutTheirOwnConstructor) {
  const struct {
    int code;
    absl::StatusCode absl_code;
  } rows[] = {{402, absl::StatusCode::kInvalidArgument}, {418, absl::StatusCode::kInvalidArgument},
              {500, absl::StatusCode::kInternal},        {501, absl::StatusCode::kUnimplemented},
              {502, absl::StatusCode::kUnavailable},     {599, absl::StatusCode::kInternal}};
  for (const auto& row : rows) {
    Status status;
    status.code = row.code;
    EXPECT_EQ(ToStatus(status).code(), row.absl_code) << row.code;
  }
}

TEST(StatusTest, ParsesWhatServersSend) {
  ASSERT_OK_AND_ASSIGN(
      const Status status,
      ParseStatus(
          R"({ "apiVersion": "meta.k8s.io/v1", "kind": "Status", "metadata": null, "details": null, "extra": [1], "message": "m" })"));
  EXPECT_EQ(status.code, 500);
  EXPECT_EQ(status.message, "m");
  EXPECT_EQ(status.reason, "");
  ASSERT_OK_AND_ASSIGN(const Status odd,
                       ParseStatus(R"({"kind":"Status","apiVersion":"v1","code":99999})"));
  EXPECT_EQ(odd.code, 500);
}

TEST(StatusTest, RefusesWhatIsNoStatus) {
  for (const char* text : {
           "",
           "404 page not found",
           "[]",
           "{}",
           R"({"kind":"Pod","apiVersion":"v1"})",
           R"({"kind":"Status","apiVersion":"g.io/v1"})",
           R"({"kind":"Status"})",
           R"({"kind":["Status"],"apiVersion":"v1"})",
           R"({"kind":"Status","apiVersion":"v1","status":"Success","code":200})",
           R"({"kind":"Status","apiVersion":"v1","message":1})",
           R"({"kind":"Status","apiVersion":"v1","code":"404"})",
           R"({"kind":"Status","apiVersion":"v1","code":5000000000})",
           R"({"kind":"Status","apiVersion":"v1","metadata":1})",
           R"({"kind":"Status","apiVersion":"v1","details":[]})",
           R"({"kind":"Status","apiVersion":"v1","details":{"causes":{}}})",
           R"({"kind":"Status","apiVersion":"v1","details":{"causes":[1]}})",
           R"({"kind":"Status","apiVersion":"v1","details":{"causes":[{"field":1}]}})",
       }) {
    EXPECT_THAT(ParseStatus(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace steward::kube
