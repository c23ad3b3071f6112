#include "cmd/steward/foreground_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "base/async/run.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

// Only one ForegroundProgram may exist at a time, because it handles the process's signals.
class ForegroundProgramTest : public testing::Test {
 protected:
  ForegroundProgramTest() {
    auto program = ForegroundProgram::Create(io_.get_executor());
    EXPECT_OK(program);
    program_ = *std::move(program);
  }

  absl::StatusOr<int> Shell(const std::string& script) {
    const absl::Status started = program_->Start({"sh", "-c", script}, {"PATH=/usr/bin:/bin"});
    if (!started.ok()) return started;
    return RunOn(io_, program_->WaitForEnd());
  }

  boost::asio::io_context io_{1};
  std::unique_ptr<ForegroundProgram> program_;
};

TEST_F(ForegroundProgramTest, ItsExitCodeIsTheResult) {
  EXPECT_THAT(Shell("exit 7"), IsOkAndHolds(7));
}

TEST_F(ForegroundProgramTest, TheSignalThatEndedItIsTheResult) {
  EXPECT_THAT(Shell("kill -KILL $$"), IsOkAndHolds(128 + SIGKILL));
}

TEST_F(ForegroundProgramTest, SignalsReachIt) {
  EXPECT_THAT(Shell("trap 'exit 5' TERM; kill -TERM $PPID; while :; do :; done"), IsOkAndHolds(5));
}

TEST_F(ForegroundProgramTest, WithoutAProgramASignalIsTheEnd) {
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  EXPECT_THAT(RunOn(io_, program_->WaitForEnd()), IsOkAndHolds(128 + SIGINT));
}

TEST_F(ForegroundProgramTest, WhatIsNoProgramIsTold) {
  EXPECT_THAT(program_->Start({"/no/such/program"}, {}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(program_->Start({"/"}, {}), StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace steward
