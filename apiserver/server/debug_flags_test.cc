#include "apiserver/server/debug_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/task.h"
#include "base/log/log.h"

namespace steward::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class IncomingBody final : public http::RequestBody {
 public:
  explicit IncomingBody(absl::StatusOr<std::string> body) : body_(std::move(body)) {}
  Task<std::string> Read(size_t max_bytes) override {
    EXPECT_LE(max_bytes, 1024u);
    co_return body_;
  }

 private:
  const absl::StatusOr<std::string> body_;
};

// True when lines of level 4 are shown now.
bool IsVerbose() {
  ::testing::internal::CaptureStderr();
  log::Verbose(4, "detail");
  return ::testing::internal::GetCapturedStderr().find("detail") != std::string::npos;
}

TEST(DebugFlagsTest, SetsTheVerbosity) {
  struct Row {
    std::string method;
    std::string body;
    int code;
    std::string says;
    bool verbose;
  };
  const Row rows[] = {
      {"PUT", "4", 200, "successfully set klog.logging.verbosity to 4\n", true},
      {"PUT", " 0\n", 200, "to 0", false},
      {"PUT", "4", 200, "to 4", true},
      {"PUT", "", 400, "failed to set", true},
      {"PUT", "11", 400, "failed to set", true},
      {"PUT", "-1", 400, "failed to set", true},
      {"PUT", "<b>\n", 400, "\"<b>\\n\"", true},
      {"GET", "", 406, "unsupported http method", true},
      {"POST", "0", 406, "unsupported http method", true},
      {"PUT", "0", 200, "to 0", false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.method + " " + row.body);
    http::Request request = filters::MakeReadRequest(row.method, kVerbosityPath);
    IncomingBody body(row.body);
    request.incoming = &body;
    rest::RecordingWriter writer;
    filters::Handle(VerbosityHandler(), request, writer);
    EXPECT_EQ(writer.status(), row.code);
    EXPECT_THAT(writer.body(), HasSubstr(row.says));
    EXPECT_EQ(writer.Header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(IsVerbose(), row.verbose);
  }
}

TEST(DebugFlagsTest, ABodyThatCannotBeRead) {
  http::Request request = filters::MakeReadRequest("PUT", kVerbosityPath);
  IncomingBody body(absl::OutOfRangeError("too long"));
  request.incoming = &body;
  rest::RecordingWriter writer;
  filters::Handle(VerbosityHandler(), request, writer);
  EXPECT_EQ(writer.status(), 400);
  EXPECT_EQ(writer.body(), "error reading request body: too long\n");
}

TEST(DebugFlagsTest, ABodyIsShownInPart) {
  http::Request request = filters::MakeReadRequest("PUT", kVerbosityPath);
  IncomingBody body(std::string(1000, 'x'));
  request.incoming = &body;
  rest::RecordingWriter writer;
  filters::Handle(VerbosityHandler(), request, writer);
  EXPECT_EQ(writer.status(), 400);
  EXPECT_LT(writer.body().size(), 200u);
  EXPECT_THAT(writer.body(), Not(HasSubstr(std::string(65, 'x'))));
}

}  // namespace
}  // namespace steward::server
