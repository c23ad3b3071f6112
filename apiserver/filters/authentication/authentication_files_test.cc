#include "apiserver/filters/authentication/authentication_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/testing.h"

namespace steward::filters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AuthenticationFilesTest : public ::testing::Test {
 protected:
  ~AuthenticationFilesTest() override { RunOn(io_, group_.Stop()); }
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = ::testing::TempDir() + "/" + name;
    std::ofstream(path, std::ios::trunc) << text;
    return path;
  }
  void PassAMinute() {
    clock_.Advance(absl::Minutes(1));
    io_.restart();
    io_.poll();
  }

  const TestCa a_{"a"};
  const TestCa b_{"b"};
  FakeClock clock_;
  AuthenticationConfigStore store_;
  boost::asio::io_context io_;
  TaskGroup group_{io_.get_executor()};
};

TEST_F(AuthenticationFilesTest, Loads) {
  AuthenticationFlags flags;
  flags.client_ca_file = Write("client", a_.cert_pem());
  flags.request_header_ca_file = Write("front", b_.cert_pem());
  flags.allowed_names = {"cn"};
  AuthenticationFiles files(flags, store_, clock_);
  ASSERT_OK(files.Load());
  const auto config = store_.Get();
  EXPECT_EQ(config->settings.client_ca_pem, a_.cert_pem());
  EXPECT_EQ(config->settings.request_header->ca_pem, b_.cert_pem());
  EXPECT_THAT(config->settings.request_header->allowed_names, ElementsAre("cn"));
  EXPECT_THAT(config->settings.request_header->username_headers, ElementsAre("x-remote-user"));
}

TEST_F(AuthenticationFilesTest, BadFilesAreNamed) {
  AuthenticationFlags missing;
  missing.client_ca_file = ::testing::TempDir() + "/no-such-file";
  EXPECT_THAT(AuthenticationFiles(missing, store_, clock_).Load(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no-such-file")));
  AuthenticationFlags garbage;
  garbage.client_ca_file = Write("garbage", "x");
  EXPECT_THAT(AuthenticationFiles(garbage, store_, clock_).Load(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("client CA")));
}

TEST_F(AuthenticationFilesTest, FollowsChangesAndKeepsTheLastGood) {
  AuthenticationFlags flags;
  flags.client_ca_file = Write("rotated", a_.cert_pem());
  AuthenticationFiles files(flags, store_, clock_);
  ASSERT_OK(files.Load());
  group_.Spawn("poll", files.Poll());
  io_.poll();
  Write("rotated", b_.cert_pem());
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, a_.cert_pem());
  PassAMinute();
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
  Write("rotated", "half a certif");
  PassAMinute();
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, b_.cert_pem());
  Write("rotated", a_.cert_pem());
  PassAMinute();
  EXPECT_EQ(store_.Get()->settings.client_ca_pem, a_.cert_pem());
}

}  // namespace
}  // namespace steward::filters
