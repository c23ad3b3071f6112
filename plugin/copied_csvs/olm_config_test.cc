#include "plugin/copied_csvs/olm_config.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/testing/fault_script.h"
#include "plugin/cluster/resources.h"
#include "plugin/testing/scene.h"

namespace steward::plugin {
namespace {

TEST(CopiesByTest, R_004_24_BothSpellings) {
  struct Case {
    const char* name;
    const char* config;
    Copies want;
  };
  for (const Case& c : {
           Case{"nothing", "{}", Copies::kOn},
           Case{"no features", R"({"spec":{}})", Copies::kOn},
           Case{"OLM's", R"({"spec":{"features":{"disableCopiedCSVs":true}}})", Copies::kOff},
           Case{"the seed's", R"({"spec":{"features":{"disable-copied-csvs":true}}})",
                Copies::kOff},
           Case{"false", R"({"spec":{"features":{"disableCopiedCSVs":false}}})", Copies::kOn},
           Case{"OLM's counts",
                R"({"spec":{"features":{"disable-copied-csvs":true,"disableCopiedCSVs":false}}})",
                Copies::kOn},
           Case{"no truth value", R"({"spec":{"features":{"disableCopiedCSVs":"true"}}})",
                Copies::kNotUnderstood},
           Case{"by a flag of the controllers",
                R"({"status":{"conditions":[{},{"type":"DisabledCopiedCSVs","status":"True"}]}})",
                Copies::kOff},
           Case{"by a flag of the controllers, and not done",
                R"({"status":{"conditions":[{"type":"DisabledCopiedCSVs","status":"False",)"
                R"("reason":"CopiedCSVsDisabled"}]}})",
                Copies::kOff},
           Case{"being turned on",
                R"({"spec":{"features":{"disableCopiedCSVs":false}},)"
                R"("status":{"conditions":[{"type":"DisabledCopiedCSVs","status":"True"}]}})",
                Copies::kOn},
           Case{"not true",
                R"({"status":{"conditions":[{"type":"DisabledCopiedCSVs",)"
                R"("status":"False"},7]}})",
                Copies::kOn},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(CopiesBy(boost::json::parse(c.config).as_object()), c.want);
  }
}

TEST(CopiesByTest, R_004_23_OnlyThatNamedClusterIsRead) {
  TestScene scene;
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), IsOkAndHolds(Copies::kOn));  // not served
  scene.fake.Serve(kOlmConfigs);
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), IsOkAndHolds(Copies::kOn));
  scene.fake.Put(kOlmConfigs, R"({"metadata":{"name":"another"},)"
                              R"("spec":{"features":{"disableCopiedCSVs":true}}})");
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), IsOkAndHolds(Copies::kOn));
  scene.fake.Put(kOlmConfigs, R"({"metadata":{"name":"cluster"},)"
                              R"("spec":{"features":{"disableCopiedCSVs":true}}})");
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), IsOkAndHolds(Copies::kOff));
}

TEST(CopiesByTest, WhatCannotBeRead) {
  TestScene scene;
  scene.fake.Serve(kOlmConfigs);
  const kube::Calls gets{kube::ClientVerb::kGet, kOlmConfigs};
  scene.client.FailNext(gets, kube::ToStatus(kube::Forbidden(kOlmConfigs, "cluster", "no")));
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), IsOkAndHolds(Copies::kUnknown));
  scene.client.FailNext(gets, absl::UnavailableError("gone"));
  EXPECT_THAT(scene.Run(ReadCopies(scene.client)), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace steward::plugin
