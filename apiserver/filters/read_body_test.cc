#include "apiserver/filters/read_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/task.h"

namespace steward::filters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kLimit = 1000;

class FakeBody final : public http::RequestBody {
 public:
  explicit FakeBody(absl::StatusOr<std::string> body) : body_(std::move(body)) {}
  Task<std::string> Read(size_t max_bytes) override {
    asked_ = max_bytes;
    ++reads_;
    co_return body_;
  }
  int reads() const { return reads_; }
  size_t asked() const { return asked_; }

 private:
  const absl::StatusOr<std::string> body_;
  int reads_ = 0;
  size_t asked_ = 0;
};

BodyLimits Limits() {
  BodyLimits limits;
  limits.max_bytes = kLimit;
  return limits;
}

TEST(ReadBodyTest, OnlyOfWritesToResources) {
  const struct {
    std::string method;
    std::string target;
    bool read;
  } rows[] = {
      {"POST", "/apis/g/v1/widgets", true},
      {"PUT", "/apis/g/v1/widgets/a", true},
      {"PATCH", "/apis/g/v1/widgets/a", true},
      {"DELETE", "/apis/g/v1/widgets/a", true},
      {"DELETE", "/apis/g/v1/widgets", true},
      {"GET", "/apis/g/v1/widgets", false},
      {"GET", "/apis/g/v1/widgets?watch=1", false},
      {"HEAD", "/apis/g/v1/widgets/a", false},
      {"OPTIONS", "/apis/g/v1/widgets", false},
      {"POST", "/livez", false},
      {"PUT", "/apis/g/v1", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.method + " " + row.target);
    http::Request request = MakeReadRequest(row.method, row.target);
    FakeBody body("text");
    request.incoming = &body;
    rest::RecordingWriter writer;
    Handle(WithBody(ServedHandler(), Limits()), request, writer);
    EXPECT_EQ(writer.status(), 200);
    EXPECT_EQ(body.reads(), row.read ? 1 : 0);
    EXPECT_EQ(request.body, row.read ? "text" : "");
  }
}

TEST(ReadBodyTest, WithoutABodyThereIsNothingToRead) {
  http::Request request = MakeReadRequest("POST", "/apis/g/v1/widgets");
  rest::RecordingWriter writer;
  Handle(WithBody(ServedHandler(), Limits()), request, writer);
  EXPECT_EQ(writer.status(), 200);
}

TEST(ReadBodyTest, Refusals) {
  const struct {
    absl::Status error;
    int status;
    std::string part;
  } rows[] = {
      {absl::OutOfRangeError("x"), 413, "limit is 1000"},
      {absl::ResourceExhaustedError("too many bytes"), 503, "too many bytes"},
      {absl::InvalidArgumentError("bad chunk"), 400, "bad chunk"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.status);
    http::Request request = MakeReadRequest("POST", "/apis/g/v1/widgets");
    FakeBody body(row.error);
    request.incoming = &body;
    rest::RecordingWriter writer;
    Handle(WithBody(ServedHandler(), Limits()), request, writer);
    EXPECT_EQ(writer.status(), row.status);
    EXPECT_THAT(writer.body(), HasSubstr(row.part));
  }
}

TEST(ReadBodyTest, CreatesOfSomeResourcesMayBeLarger) {
  BodyLimits limits = Limits();
  limits.creates[{"g", "widgets"}] = 5 * kLimit;
  limits.creates[{"g", "small"}] = 1;
  const struct {
    std::string method;
    std::string target;
    size_t limit;
  } rows[] = {
      {"POST", "/apis/g/v1/widgets", 5 * kLimit}, {"POST", "/apis/g/v1/widgets/a/status", kLimit},
      {"PUT", "/apis/g/v1/widgets/a", kLimit},    {"POST", "/apis/g/v1/gadgets", kLimit},
      {"POST", "/apis/other/v1/widgets", kLimit}, {"POST", "/apis/g/v1/small", kLimit},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.method + " " + row.target);
    http::Request request = MakeReadRequest(row.method, row.target);
    FakeBody body("text");
    request.incoming = &body;
    rest::RecordingWriter writer;
    Handle(WithBody(ServedHandler(), limits), request, writer);
    EXPECT_EQ(body.asked(), row.limit);
  }
}

TEST(ReadBodyTest, LargeBodiesAtATimeAreBounded) {
  BodyLimits limits = Limits();
  limits.creates[{"g", "widgets"}] = 5 * kLimit;
  limits.max_large = 1;
  http::Handler filter;
  const auto ask = [&filter](size_t size) {
    http::Request request = MakeReadRequest("POST", "/apis/g/v1/widgets");
    FakeBody body(std::string(size, 'x'));
    request.incoming = &body;
    rest::RecordingWriter writer;
    Handle(filter, request, writer);
    return writer.status();
  };
  // While the first request is handled, others come.
  std::vector<int> meanwhile;
  bool first = true;
  const http::Handler handler = [&](http::Request& request, http::ResponseWriter& writer) {
    if (std::exchange(first, false)) meanwhile = {ask(kLimit + 1), ask(kLimit)};
    return ServedHandler()(request, writer);
  };
  filter = WithBody(handler, limits);
  EXPECT_EQ(ask(kLimit + 1), 200);
  EXPECT_THAT(meanwhile, ElementsAre(429, 200));
  EXPECT_EQ(ask(kLimit + 1), 200) << "places are given back";
}

}  // namespace
}  // namespace steward::filters
