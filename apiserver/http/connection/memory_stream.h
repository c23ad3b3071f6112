// A ByteStream in memory, whose peer is the test. Lives on one executor.
#ifndef APISERVER_HTTP_CONNECTION_MEMORY_STREAM_H_
#define APISERVER_HTTP_CONNECTION_MEMORY_STREAM_H_

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/connection/stream.h"
#include "apiserver/http/limits/options.h"

namespace steward::http {

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(const boost::asio::any_io_executor& executor)
      : arrived_(executor), released_(executor) {}

  // Feed and End are the peer's side.
  void Feed(std::string bytes) {
    if (!bytes.empty()) input_.push_back(std::move(bytes));
    arrived_.Notify();
  }
  void End() {
    ended_ = true;
    arrived_.Notify();
  }
  // While held, a Write takes its bytes but does not return.
  void HoldWrites(bool hold) {
    hold_ = hold;
    released_.Notify();
  }
  // Returns the bytes written since the last call.
  std::string TakeOutput() { return std::exchange(output_, {}); }
  bool aborted() const { return aborted_; }
  // The window of the pace that the last Write used.
  absl::Duration write_window() const { return used_pace_.window; }
  absl::Duration longest_write_window() const { return longest_window_; }
  size_t highest_write_rate() const { return highest_rate_; }

  Task<std::string_view> Read() override {
    current_.clear();
    while (input_.empty() && !ended_ && !aborted_) co_await arrived_.Wait();
    if (aborted_) co_return absl::UnavailableError("aborted");
    if (input_.empty()) co_return std::string_view();
    current_ = std::move(input_.front());
    input_.pop_front();
    co_return current_;
  }

  StatusTask Write(std::span<const std::string_view> pieces) override {
    if (aborted_) co_return absl::UnavailableError("aborted");
    used_pace_ = pace_;
    longest_window_ = std::max(longest_window_, pace_.window);
    highest_rate_ = std::max(highest_rate_, pace_.rate);
    for (const std::string_view piece : pieces) output_.append(piece);
    while (hold_ && !aborted_) co_await released_.Wait();
    if (aborted_) co_return absl::UnavailableError("aborted");
    co_return absl::OkStatus();
  }

  void SetPace(Pace pace) override { pace_ = pace; }

  VoidTask Shutdown() override { co_return; }

  void Abort() override {
    aborted_ = true;
    arrived_.Notify();
    released_.Notify();
  }

 private:
  std::deque<std::string> input_;
  std::string current_;
  std::string output_;
  bool ended_ = false;
  bool aborted_ = false;
  bool hold_ = false;
  Pace pace_;
  Pace used_pace_;
  absl::Duration longest_window_;
  size_t highest_rate_ = 0;
  Event arrived_;
  Event released_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_MEMORY_STREAM_H_
