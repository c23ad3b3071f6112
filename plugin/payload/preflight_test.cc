#include "plugin/payload/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "plugin/command/exit.h"
#include "plugin/payload/apply.h"
#include "plugin/payload/testing/payload_scene.h"

namespace steward::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PayloadPreflightTest : public ::testing::Test {
 protected:
  // The cluster has 4.5.1, and the payload is 4.6.0.
  PayloadPreflightTest() {
    scene_.Write({{"a.yaml", ConfigMapYaml("a")}});
    EXPECT_OK(scene_.Run(KnownPayloadApply()));
    scene_.Write({{"a.yaml", ConfigMapYaml("a")}}, "4.6.0");
  }
  PayloadScene scene_;
};

TEST_F(PayloadPreflightTest, MayBegin) {
  EXPECT_OK(scene_.Run(KnownPayloadPreflight()));
  EXPECT_THAT(scene_.screen, HasSubstr("from 4.5.1 to 4.6.0 may begin"));
  EXPECT_EQ(scene_.Recorded("version"), "4.5.1");
}

TEST_F(PayloadPreflightTest, NothingToBegin) {
  scene_.Write({{"a.yaml", ConfigMapYaml("a")}});
  EXPECT_OK(scene_.Run(KnownPayloadPreflight()));
  EXPECT_THAT(scene_.screen, HasSubstr("The cluster has the payload 4.5.1 already"));
  PayloadScene fresh;
  fresh.Write({{"a.yaml", ConfigMapYaml("a")}});
  EXPECT_OK(fresh.Run(KnownPayloadPreflight()));
  EXPECT_THAT(fresh.screen, HasSubstr("the first payload, 4.5.1, may begin"));
}

// R-003-37, 49: operators hold a minor update back, but not a patch update.
TEST_F(PayloadPreflightTest, R_003_37_EachReasonIsNamed) {
  scene_.ForbidUpdates("some");
  const absl::Status status = scene_.Run(KnownPayloadPreflight());
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the update from 4.5.1 to 4.6.0 may not begin, for 1 reason"));
  EXPECT_THAT(scene_.screen,
              AllOf(HasSubstr("refused: "), HasSubstr("some"), HasSubstr("wait for it")));
  EXPECT_EQ(scene_.document["reasons"].as_array().size(), 1);

  EXPECT_OK(scene_.Run(KnownPayloadPreflight(), {"--force"}));
  EXPECT_THAT(scene_.screen, AllOf(HasSubstr("warning: "), HasSubstr("may begin")));
  EXPECT_EQ(scene_.document["warnings"].as_array().size(), 1);
  EXPECT_OK(scene_.Run(KnownPayloadPreflight(), {"--payload-version=4.5.2"}));
}

// --force does not override missing rights.
TEST_F(PayloadPreflightTest, MissingRights) {
  scene_.Deny("patch configmaps");
  EXPECT_EQ(ExitOf(scene_.Run(KnownPayloadPreflight(), {"--force"})), Exit::kError);
  EXPECT_THAT(scene_.screen,
              HasSubstr("refused: a right is missing: patch configmaps \"a\" in namespace \"ns\""));
}

}  // namespace
}  // namespace steward::plugin
