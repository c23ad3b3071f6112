#include "apiserver/server/debug_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/log/log.h"

namespace steward::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Whether level 4 is shown now.
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
    request.body = row.body;
    rest::RecordingWriter writer;
    filters::Handle(VerbosityHandler(), request, writer);
    EXPECT_EQ(writer.status(), row.code);
    EXPECT_THAT(writer.body(), HasSubstr(row.says));
    EXPECT_EQ(writer.Header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(IsVerbose(), row.verbose);
  }
}

TEST(DebugFlagsTest, ABodyIsShownInPart) {
  http::Request request = filters::MakeReadRequest("PUT", kVerbosityPath);
  request.body = std::string(100'000, 'x');
  rest::RecordingWriter writer;
  filters::Handle(VerbosityHandler(), request, writer);
  EXPECT_EQ(writer.status(), 400);
  EXPECT_LT(writer.body().size(), 200u);
  EXPECT_THAT(writer.body(), Not(HasSubstr(std::string(65, 'x'))));
}

}  // namespace
}  // namespace steward::server
