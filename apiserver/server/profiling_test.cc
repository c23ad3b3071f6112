#include "apiserver/server/profiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward::server {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

class FakeProfiler : public CpuProfiler {
 public:
  absl::Status Start(const std::string& path) override {
    if (!failure_.ok()) return failure_;
    EXPECT_FALSE(running_);
    running_ = true;
    path_ = path;
    return absl::OkStatus();
  }
  void Stop() override {
    EXPECT_TRUE(running_);
    running_ = false;
    std::ofstream(path_, std::ios::binary) << "a profile";
  }

  absl::Status failure_;
  bool running_ = false;
  std::string path_;
};

class ProfilingTest : public ::testing::Test {
 protected:
  ~ProfilingTest() override { RunOn(io_, tasks_.Stop()); }

  // Runs until all tasks wait for the clock.
  void Begin(http::Request& request, http::ResponseWriter& writer) {
    tasks_.Spawn("request", handler_(request, writer));
    Run();
  }
  void Run() {
    io_.restart();
    io_.poll();
  }

  asio::io_context io_{1};
  FakeClock clock_;
  FakeProfiler profiler_;
  const http::Handler handler_ = WithProfiling(filters::ServedHandler(), profiler_, clock_);
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(ProfilingTest, OneProfileAtATime) {
  http::Request first = filters::MakeRequest("GET", "/debug/pprof/profile?seconds=5");
  http::Request second = filters::MakeRequest("GET", "/debug/pprof/profile");
  rest::RecordingWriter first_answer;
  rest::RecordingWriter second_answer;
  first.audit_id = "id-1";
  ::testing::internal::CaptureStderr();
  Begin(first, first_answer);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("auditID=\"id-1\""), std::string::npos);
  EXPECT_TRUE(profiler_.running_);
  EXPECT_EQ(first_answer.status(), 0);
  Begin(second, second_answer);
  EXPECT_EQ(second_answer.status(), 409);
  EXPECT_TRUE(profiler_.running_);
  clock_.Advance(absl::Seconds(5));
  Run();
  EXPECT_FALSE(profiler_.running_);
  EXPECT_EQ(first_answer.status(), 200);
  EXPECT_EQ(first_answer.body(), "a profile");
  // After its end, the next profile may run.
  rest::RecordingWriter third_answer;
  Begin(second, third_answer);
  EXPECT_TRUE(profiler_.running_);
  clock_.Advance(absl::Seconds(30));
  Run();
  EXPECT_EQ(third_answer.status(), 200);
}

TEST_F(ProfilingTest, EndsWithItsRequest) {
  http::Request request = filters::MakeRequest("GET", "/debug/pprof/profile");
  rest::RecordingWriter answer;
  Begin(request, answer);
  EXPECT_TRUE(profiler_.running_);
  RunOn(io_, tasks_.Stop());
  EXPECT_FALSE(profiler_.running_);
  EXPECT_EQ(answer.status(), 0);
}

TEST_F(ProfilingTest, WhatIsRefused) {
  for (const char* seconds : {"0", "51", "-1", "x", ""}) {
    http::Request request =
        filters::MakeRequest("GET", std::string("/debug/pprof/profile?seconds=") + seconds);
    rest::RecordingWriter answer;
    filters::Handle(handler_, request, answer);
    EXPECT_EQ(answer.status(), 400) << seconds;
  }
  http::Request request = filters::MakeRequest("GET", "/debug/pprof/profile");
  profiler_.failure_ = absl::UnimplementedError("no library");
  rest::RecordingWriter absent;
  filters::Handle(handler_, request, absent);
  EXPECT_EQ(absent.status(), 501);
  profiler_.failure_ = absl::InternalError("broken");
  rest::RecordingWriter broken;
  filters::Handle(handler_, request, broken);
  EXPECT_EQ(broken.status(), 500);
}

TEST_F(ProfilingTest, HeapAndTheRest) {
  http::Request heap = filters::MakeRequest("GET", "/debug/pprof/heap");
  rest::RecordingWriter answer;
  filters::Handle(handler_, heap, answer);
  EXPECT_EQ(answer.status(), 200);
  EXPECT_THAT(answer.body(), HasSubstr("<malloc"));
  http::Request other = filters::MakeRequest("GET", "/debug/pprof/else");
  rest::RecordingWriter served;
  filters::Handle(handler_, other, served);
  EXPECT_EQ(served.body(), "served");
}

}  // namespace
}  // namespace steward::server
