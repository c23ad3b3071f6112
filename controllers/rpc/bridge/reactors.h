// The reactors by which gRPC drives a call: one for a single response, one for a watch. Called by
// gRPC's threads; each deletes itself when gRPC is done with the call.
#ifndef CONTROLLERS_RPC_BRIDGE_REACTORS_H_
#define CONTROLLERS_RPC_BRIDGE_REACTORS_H_

#include <grpcpp/support/server_callback.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/sync/mutex.h"
#include "controllers/rpc/bridge/cancellation.h"

namespace steward::rpc {

class UnaryReactor final : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryReactor(std::shared_ptr<Cancellation> cancellation)
      : cancellation_(std::move(cancellation)) {}

  // Ends the call. On any thread, once.
  void End(const grpc::Status& status) { Finish(status); }

 private:
  void OnCancel() override { cancellation_->Ask(); }
  void OnDone() override { delete this; }

  const std::shared_ptr<Cancellation> cancellation_;
};

template <typename Message>
class WatchReactor final : public grpc::ServerWriteReactor<Message> {
 public:
  explicit WatchReactor(std::shared_ptr<Cancellation> cancellation)
      : cancellation_(std::move(cancellation)) {}

  // Sends one message at a time. On the executor. REQUIRES: End was not called.
  StatusTask Write(Message message) {
    const Broadcast::Ticket ticket = written_.Now();
    {
      MutexLock lock(&mutex_);
      message_ = std::move(message);
      writing_ = true;
    }
    this->StartWrite(&message_);
    co_await written_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
    MutexLock lock(&mutex_);
    if (ok_) co_return absl::OkStatus();
    co_return absl::CancelledError("the client is gone");
  }

  // Ends the call; a message under way goes first. On any thread, once.
  void End(const grpc::Status& status) {
    {
      MutexLock lock(&mutex_);
      if (writing_) {
        end_ = status;
        return;
      }
    }
    this->Finish(status);
  }

 private:
  void OnWriteDone(bool ok) override {
    std::optional<grpc::Status> end;
    {
      MutexLock lock(&mutex_);
      writing_ = false;
      ok_ = ok;
      end = end_;
    }
    written_.Notify();
    if (end.has_value()) this->Finish(*end);
  }
  void OnCancel() override { cancellation_->Ask(); }
  void OnDone() override { delete this; }

  const std::shared_ptr<Cancellation> cancellation_;
  Broadcast written_;
  Mutex mutex_;
  Message message_;  // owned by gRPC while writing_
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool ok_ ABSL_GUARDED_BY(mutex_) = true;
  std::optional<grpc::Status> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_REACTORS_H_
