// The bytes that a process still sends after it hangs or dies, with real processes and signals
// (R-000-78).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "base/async/run.h"
#include "base/clock/clock.h"
#include "kube/client/rest_client.h"
#include "kube/client/test_server.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::SizeIs;

// Exit codes of the child.
constexpr int kSucceeded = 10;
constexpr int kRefused = 11;
constexpr int kFailed = 12;

// More bytes than the buffers of two kernels hold.
constexpr size_t kBig = 64 << 20;

// A child process. It is forked before the test holds any resource that the child must not inherit,
// and waits for the port.
class Child {
 public:
  // Makes a single write of about `size` bytes.
  explicit Child(size_t size) {
    permitted_ = new (mmap(nullptr, sizeof(*permitted_), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<bool>(true);
    if (pipe(ends_) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) _exit(Write(size));
  }
  ~Child() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(ends_[0]);
    close(ends_[1]);
    munmap(permitted_, sizeof(*permitted_));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Begin(uint16_t port) {
    ASSERT_EQ(write(ends_[1], &port, sizeof(port)), ssize_t{sizeof(port)});
  }
  void Forbid() { *permitted_ = false; }
  // Returns once the process is stopped.
  void Stop() {
    ASSERT_EQ(kill(pid_, SIGSTOP), 0);
    int status = 0;
    ASSERT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
    ASSERT_TRUE(WIFSTOPPED(status));
  }
  void Resume() { ASSERT_EQ(kill(pid_, SIGCONT), 0); }
  void Kill() {
    ASSERT_EQ(kill(pid_, SIGKILL), 0);
    ASSERT_EQ(waitpid(pid_, nullptr, 0), pid_);
    ended_ = true;
  }
  // True when the process has ended by itself; `code` is its exit code.
  bool Ended(int& code) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
    ended_ = true;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
  }

 private:
  int Write(size_t size) {
    uint16_t port = 0;
    if (read(ends_[0], &port, sizeof(port)) != ssize_t{sizeof(port)}) return kFailed;
    asio::io_context io{1};
    ClientConfig config;
    config.tls = false;
    config.host = "127.0.0.1";
    config.port = port;
    const auto client = MakeRestClient(config, io.get_executor(), Clock::Real(), Random::Real());
    if (!client.ok()) return kFailed;
    const absl::Status no = absl::FailedPreconditionError("the lease is lost");
    WriteOptions options;
    options.may_send = [this, no] { return *permitted_ ? absl::OkStatus() : no; };
    const GroupVersionResource widgets{"example.com", "v1", "widgets"};
    const NamespacedName name{"n", "a"};
    const boost::json::value patch = {{"spec", std::string(size, 'x')}};
    const absl::Status status =
        RunOn(io, (*client)->Patch(widgets, name, PatchType::kJsonMerge, patch, options)).status();
    if (status == no) return kRefused;
    return status.ok() ? kSucceeded : kFailed;
  }

  std::atomic<bool>* permitted_;
  int ends_[2];
  pid_t pid_ = 0;
  bool ended_ = false;
};

class RestStoppedTest : public ::testing::TestWithParam<bool> {};

// The process is stopped after its first try. If `forbidden`, its permission ends before it goes
// on.
TEST_P(RestStoppedTest, AProcessThatStoodStillSendsNothingThatItMayNoMore) {
  const bool forbidden = GetParam();
  Child child(1);
  asio::io_context io{1};
  TestServer server(io);
  server.Answer("", TestServer::Then::kHold);
  server.Answer(Response(200, "{}"));
  ASSERT_NO_FATAL_FAILURE(child.Begin(server.port()));
  while (server.requests().empty()) ASSERT_GT(io.run_one_for(std::chrono::minutes(2)), 0u);
  ASSERT_NO_FATAL_FAILURE(child.Stop());
  server.Push(Response(429, "", "Retry-After: 1\r\nConnection: close\r\n"));
  if (forbidden) child.Forbid();
  ASSERT_NO_FATAL_FAILURE(child.Resume());
  int code = 0;
  while (!child.Ended(code)) io.run_one_for(std::chrono::milliseconds(10));
  EXPECT_EQ(code, forbidden ? kRefused : kSucceeded);
  EXPECT_THAT(server.requests(), SizeIs(forbidden ? 1 : 2));
}

INSTANTIATE_TEST_SUITE_P(Forbidden, RestStoppedTest, ::testing::Bool());

TEST(RestKilledTest, TheRestOfAWriteDiesWithItsProcess) {
  Child child(kBig);
  asio::io_context io{1};
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0));
  ASSERT_NO_FATAL_FAILURE(child.Begin(acceptor.local_endpoint().port()));
  tcp::socket peer = acceptor.accept();
  std::array<char, 65536> buffer;
  size_t received = peer.read_some(asio::buffer(buffer));
  ASSERT_NO_FATAL_FAILURE(child.Kill());
  boost::system::error_code end;
  while (!end) received += peer.read_some(asio::buffer(buffer), end);
  EXPECT_EQ(end, asio::error::connection_reset);
  EXPECT_LT(received, kBig);
}

}  // namespace
}  // namespace steward::kube
