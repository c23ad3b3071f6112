#include "base/lines/descriptor_sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

class DescriptorSinkTest : public ::testing::Test {
 protected:
  DescriptorSinkTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~DescriptorSinkTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  // Everything that lies in the pipe.
  std::string Read() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(ends_[0], buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(n));
    }
    return text;
  }

  int ends_[2] = {-1, -1};
};

TEST_F(DescriptorSinkTest, Writes) {
  DescriptorSink sink(ends_[1]);
  EXPECT_OK(sink.Write("one\n"));
  EXPECT_OK(sink.Write("two\nthree\n"));
  EXPECT_EQ(Read(), "one\ntwo\nthree\n");
}

TEST_F(DescriptorSinkTest, AReaderThatDoesNotReadIsGivenUp) {
  DescriptorSink sink(ends_[1], std::chrono::milliseconds(1));
  const std::string much = std::string(1 << 20, 'x') + "\n";
  EXPECT_THAT(sink.Write(much), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(sink.Write("lost\n"), StatusIs(absl::StatusCode::kDeadlineExceeded));
  Read();
  // The line that was cut off is ended first.
  EXPECT_OK(sink.Write("next\n"));
  EXPECT_EQ(Read(), "\nnext\n");
}

TEST_F(DescriptorSinkTest, AFullDisk) {
  const int full = open("/dev/full", O_WRONLY);
  DescriptorSink sink(full);
  EXPECT_THAT(sink.Write("lost\n"), StatusIs(absl::StatusCode::kResourceExhausted));
  close(full);
}

}  // namespace
}  // namespace steward
