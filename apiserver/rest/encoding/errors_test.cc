#include "apiserver/rest/encoding/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "absl/status/status.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"

namespace steward::rest {
namespace {

const kube::GroupVersionResource kWidgets{"example.com", "v1", "widgets"};

// The bodies are those of kube-apiserver 1.36.
TEST(RespondStatusTest, InTheTypeTheClientAccepts) {
  const std::string compact =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
      R"("widgets.example.com \"b\" not found","reason":"NotFound","details":{"name":"b",)"
      R"("group":"example.com","kind":"widgets"},"code":404})"
      "\n";
  const std::string pretty = R"({
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {},
  "status": "Failure",
  "message": "widgets.example.com \"b\" not found",
  "reason": "NotFound",
  "details": {
    "name": "b",
    "group": "example.com",
    "kind": "widgets"
  },
  "code": 404
})";
  const std::string yaml = R"(apiVersion: v1
code: 404
details:
  group: example.com
  kind: widgets
  name: b
kind: Status
message: widgets.example.com "b" not found
metadata: {}
reason: NotFound
status: Failure
)";
  const struct {
    std::string accept, type, body;
  } kRows[] = {
      {"", "application/json", compact},
      {"application/json", "application/json", compact},
      {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "application/json",
       compact},
      {"application/json;pretty=1", "application/json", pretty},
      {"application/yaml", "application/yaml", yaml},
      {"text/html", "application/json", pretty},
      {"application/json;as=Table;v=v1;g=meta.k8s.io", "application/json", pretty},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.accept);
    boost::asio::io_context io;
    http::Request request;
    request.headers.Add("Accept", row.accept);
    RecordingWriter writer;
    ASSERT_OK(RunOn(io, RespondStatus(request, writer, kube::NotFound(kWidgets, "b"))));
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_TRUE(writer.finished());
    EXPECT_EQ(writer.status(), 404);
    EXPECT_EQ(writer.Header("Content-Type"), row.type);
    EXPECT_EQ(writer.Header("Cache-Control"), "no-cache, private");
    EXPECT_EQ(writer.head().content_length, row.body.size());
    EXPECT_EQ(writer.body(), row.body);
  }
}

TEST(RespondErrorTest, CodesAndHeaders) {
  const struct {
    std::string name;
    absl::Status error;
    int code;
    std::string retry_after, nosniff;
  } kRows[] = {
      {"plain", absl::NotFoundError("x"), 404, "", ""},
      {"unknown", absl::UnknownError("x"), 500, "", ""},
      {"before sync", kube::ToStatus(kube::ServiceUnavailable("not synced", 3)), 503, "3", ""},
      {"too large", kube::ToStatus(kube::TooLargeResourceVersion("9", "5")), 504, "1", ""},
      {"expired", kube::ToStatus(kube::Expired("too old")), 410, "", ""},
      {"forbidden", kube::ToStatus(kube::Forbidden(kWidgets, "b", "no")), 403, "", "nosniff"},
      {"busy", kube::ToStatus(kube::TooManyRequests("busy", 1)), 429, "1", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    boost::asio::io_context io;
    http::Request request;
    RecordingWriter writer;
    ASSERT_OK(RunOn(io, RespondError(request, writer, row.error)));
    EXPECT_EQ(writer.status(), row.code);
    EXPECT_EQ(writer.Header("Retry-After"), row.retry_after);
    EXPECT_EQ(writer.Header("X-Content-Type-Options"), row.nosniff);
  }
}

TEST(RespondErrorTest, TheClientMayBeGone) {
  for (int call = 0; call < 3; ++call) {
    boost::asio::io_context io;
    http::Request request;
    RecordingWriter writer;
    writer.FailFrom(call);
    EXPECT_THAT(RunOn(io, RespondError(request, writer, absl::UnknownError("x"))),
                StatusIs(absl::StatusCode::kCancelled));
    EXPECT_EQ(writer.misuse(), "");
  }
}

TEST(RespondNoSuchPathTest, IsText) {
  boost::asio::io_context io;
  RecordingWriter writer;
  ASSERT_OK(RunOn(io, RespondNoSuchPath(writer)));
  EXPECT_EQ(writer.status(), 404);
  EXPECT_EQ(writer.Header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(writer.Header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(writer.body(), "404 page not found\n");
}

}  // namespace
}  // namespace steward::rest
