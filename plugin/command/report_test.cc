#include "plugin/command/report.h"

#include <boost/json/object.hpp>

#include "base/status/matchers.h"
#include "base/status/with_context.h"
#include "plugin/command/exit.h"

namespace steward::plugin {
namespace {

TEST(ExitTest, ErrorsSayHowTheCommandEnds) {
  EXPECT_EQ(ExitOf(absl::OkStatus()), Exit::kDone);
  EXPECT_EQ(ExitOf(absl::InternalError("x")), Exit::kError);
  EXPECT_EQ(ExitOf(Misused("x")), Exit::kUsage);
  EXPECT_EQ(ExitOf(Refused("x")), Exit::kRefused);
  EXPECT_EQ(ExitOf(WithContext("doing", Stalled("x"))), Exit::kStalled);
  boost::json::object document = NewReport("UninstallReport");
  Conclude(Stalled("stuck"), document);
  EXPECT_EQ(ReportText(document),
            "{\n  \"apiVersion\": \"steward.operatorframework.io/v1\",\n"
            "  \"kind\": \"UninstallReport\",\n  \"result\": \"Stalled\",\n  \"exitCode\": 4,\n"
            "  \"message\": \"stuck\"\n}\n");
}

}  // namespace
}  // namespace steward::plugin
