#include "payload/payload_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/flags/flag_adder.h"

namespace steward::payload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PayloadFlags Parse(std::vector<std::string> args) {
  CLI::App app;
  FlagAdder adder(app);
  PayloadFlags flags;
  AddClusterFlags(adder, flags);
  AddPassFlags(adder, flags);
  AddDeletionFlags(adder, flags);
  AddWaitFlag(adder, flags);
  AddForceFlag(adder, flags, "--force");
  std::reverse(args.begin(), args.end());
  app.parse(args);
  return flags;
}

TEST(PayloadFlagsTest, Defaults) {
  const PayloadFlags flags = Parse({});
  EXPECT_TRUE(flags.Check().ok());
  const PayloadOptions options = flags.Options();
  EXPECT_EQ(options.choices.profile, "self-managed-high-availability");
  EXPECT_EQ(options.choices.exclude_id, options.choices.profile);
  EXPECT_EQ(options.record_namespace, "steward-system");
  EXPECT_EQ(options.wait_for_deletions, std::nullopt);
  EXPECT_FALSE(options.choices.capabilities) << "all that the payload names";
  EXPECT_EQ(options.wait_for_health, absl::Minutes(5));
}

TEST(PayloadFlagsTest, All) {
  const PayloadFlags flags = Parse(
      {"--payload-version=4.6.0", "--cluster-profile=p", "--payload-feature-set=Tech",
       "--payload-feature-gates=A,B", "--payload-capabilities=c", "--payload-initial",
       "--payload-record-namespace=ns", "--payload-redelete", "--allow-stale-deletes",
       "--payload-delete=blocking", "--payload-delete-timeout=1m", "--force",
       "--payload-wait-timeout=0s", "--release-image=quay.io/a/b@sha256:1", "--allow-olm-deletes"});
  EXPECT_TRUE(flags.Check().ok());
  const PayloadOptions options = flags.Options();
  EXPECT_EQ(options.version, "4.6.0");
  EXPECT_EQ(options.choices.profile, "p");
  EXPECT_EQ(options.choices.feature_set, "Tech");
  EXPECT_THAT(options.choices.gates, ElementsAre("A", "B"));
  EXPECT_THAT(options.choices.capabilities->known, ElementsAre("c"));
  EXPECT_THAT(options.choices.capabilities->enabled, ElementsAre("c"));
  EXPECT_THAT(Parse({"--payload-capabilities=None"}).Options().choices.capabilities->enabled,
              IsEmpty());
  EXPECT_TRUE(options.initial);
  EXPECT_EQ(options.record_namespace, "ns");
  EXPECT_TRUE(options.redelete);
  EXPECT_TRUE(options.allow_stale_deletes);
  EXPECT_TRUE(options.force);
  EXPECT_EQ(options.wait_for_deletions, absl::Minutes(1));
  EXPECT_EQ(options.wait_for_health, absl::ZeroDuration());
  EXPECT_EQ(options.release_image, "quay.io/a/b@sha256:1");
  EXPECT_EQ(TemplateFieldsOf(options).profile, "p");
  EXPECT_TRUE(options.allow_olm_deletes);
}

TEST(PayloadFlagsTest, WhatCannotBeUsedIsNamed) {
  for (const char* bad : {"--payload-delete=later", "--payload-record-namespace=A",
                          "--payload-delete-timeout=10ms", "--release-image=a\nb"}) {
    const std::string text = bad;
    EXPECT_THAT(std::string(Parse({text}).Check().message()),
                HasSubstr(text.substr(0, text.find('='))));
  }
}

}  // namespace
}  // namespace steward::payload
