#include "kube/audit/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"

namespace steward::audit {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsNull;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    std::string pattern = fs::temp_directory_path() / "steward-audit-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.log_path = folder_ / "audit.log";
    options_.policy_file = folder_ / "policy.yaml";
  }
  ~OptionsTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void PutPolicy(const std::string& rules) {
    std::ofstream(options_.policy_file)
        << "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: " << rules << "\n";
  }

  fs::path folder_;
  FakeClock clock_;
  prometheus::Registry registry_;
  Options options_;
};

TEST_F(OptionsTest, NoPathIsNoLog) {
  EXPECT_THAT(Open({}, clock_, registry_), IsOkAndHolds(IsNull()));
}

TEST_F(OptionsTest, AFile) {
  PutPolicy("[{level: Metadata}]");
  {
    const auto log = Open(options_, clock_, registry_);
    ASSERT_OK(log);
    (*log)->Write({.audit_id = "one"});
  }
  std::ifstream in(options_.log_path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr(R"("auditID":"one")"));
}

TEST_F(OptionsTest, OldFilesAreCompressedWhereThatIsWanted) {
  PutPolicy("[{level: Metadata}]");
  options_.log_max_size = 1;
  options_.log_compress = true;
  const auto log = Open(options_, clock_, registry_);
  ASSERT_OK(log);
  for (int i = 0; i < 2; ++i) {
    (*log)->Write({.request_uri = std::string(600 << 10, 'x'), .max_request_uri = 1 << 20});
  }
  const auto compressed = [this] {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().string().ends_with(".log.gz")) return true;
    }
    return false;
  };
  while (!compressed()) std::this_thread::yield();
}

TEST_F(OptionsTest, WhatCannotBeUsedIsNamed) {
  EXPECT_THAT(Open(options_, clock_, registry_), StatusIs(absl::StatusCode::kNotFound));
  PutPolicy("[]");
  const auto bad = Open(options_, clock_, registry_);
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("policy.yaml: rules: there must be"));
  PutPolicy("[{level: None}]");
  options_.log_path = folder_ / "policy.yaml" / "audit.log";
  const auto nowhere = Open(options_, clock_, registry_);
  EXPECT_THAT(std::string(nowhere.status().message()), HasSubstr("policy.yaml/audit.log"));
}

TEST_F(OptionsTest, OneWithoutTheOtherIsRefused) {
  EXPECT_OK(CheckTogether({}));
  EXPECT_OK(CheckTogether(options_));
  EXPECT_FALSE(CheckTogether({.log_path = "-"}).ok());
  EXPECT_FALSE(CheckTogether({.policy_file = "policy.yaml"}).ok());
}

}  // namespace
}  // namespace steward::audit
