// steward.cleanup.v1.CleanupService for gRPC: hands calls over from its threads to an executor, and
// back.
#ifndef CONTROLLERS_RPC_SERVICE_H_
#define CONTROLLERS_RPC_SERVICE_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "controllers/rpc/call_record.h"
#include "controllers/rpc/cleanup_calls.h"
#include "controllers/rpc/requester.h"
#include "kube/audit/log.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"

namespace steward::controllers {

struct CleanupServiceOptions {
  std::vector<std::string> frontends;
  int max_calls = 200;
  int max_watches = 200;
  absl::Duration call_timeout = absl::Minutes(1);
};

// Every call becomes one task on the executor, and ends when that ends, whatever happens: a call
// whose task cannot be run any more is answered with UNAVAILABLE. When the client cancels, or its
// deadline passes, the task is cancelled.
class CleanupService final : public cleanup::v1::CleanupService::CallbackService {
 public:
  // REQUIRES: `executor` runs one handler at a time; `calls`, `clock` and `registry` outlive the
  // service, and the service its gRPC server; so does `audit_log`, which may be null.
  CleanupService(boost::asio::any_io_executor executor, CleanupCalls& calls, Clock& clock,
                 prometheus::Registry& registry, audit::Log* audit_log,
                 CleanupServiceOptions options);
  ~CleanupService() override;

  // Both on the executor. Watches that run end, and new ones at once.
  VoidTask EndWatches();
  // Ends what is left; nothing begins any more.
  VoidTask Stop();

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const cleanup::v1::GetRequest* request,
                                cleanup::v1::GetResponse* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const cleanup::v1::ListRequest* request,
                                 cleanup::v1::ListResponse* response) override;
  grpc::ServerWriteReactor<cleanup::v1::WatchResponse>* Watch(
      grpc::CallbackServerContext* context, const cleanup::v1::WatchRequest* request) override;
  grpc::ServerUnaryReactor* ListPending(grpc::CallbackServerContext* context,
                                        const cleanup::v1::ListPendingRequest* request,
                                        cleanup::v1::ListPendingResponse* response) override;
  grpc::ServerUnaryReactor* Preview(grpc::CallbackServerContext* context,
                                    const cleanup::v1::PreviewRequest* request,
                                    cleanup::v1::PreviewResponse* response) override;
  grpc::ServerUnaryReactor* Abort(grpc::CallbackServerContext* context,
                                  const cleanup::v1::AbortRequest* request,
                                  cleanup::v1::AbortResponse* response) override;

 private:
  class Call;
  class UnaryReactor;
  class WatchReactor;
  class GrpcSink;
  // `work` is called as Task<Response>(CleanupCalls&, Requester, Request).
  template <typename Request, typename Response, typename Work>
  grpc::ServerUnaryReactor* Unary(const char* name, grpc::CallbackServerContext* context,
                                  const Request* request, Response* response, Work work);
  template <typename Response>
  VoidTask RunUnary(std::unique_ptr<Call> call, Task<Response> work, Response* response);
  VoidTask RunWatch(std::unique_ptr<Call> call, WatchReactor* reactor, Requester requester,
                    cleanup::v1::WatchRequest request);
  template <typename Request>
  std::shared_ptr<CallRecord> RecordOf(const char* name, const grpc::CallbackServerContext& context,
                                       const Request& request) const;
  template <typename Request>
  absl::StatusOr<Requester> RequesterFor(const grpc::CallbackServerContext& context,
                                         const Request& request,
                                         const std::shared_ptr<CallRecord>& record) const;
  // Counts a call of one kind, or refuses it.
  absl::Status Admit(std::atomic<int>& count, int limit, const char* what);
  // Counts and records the end of a call, and says what the client is told.
  grpc::Status NoteEnd(const std::string& method, CallRecord& record, const absl::Status& status);

  const boost::asio::any_io_executor executor_;
  CleanupCalls& calls_;
  Clock& clock_;
  audit::Log* const audit_log_;
  const CleanupServiceOptions options_;
  prometheus::Family<prometheus::Counter>& ended_;
  prometheus::Gauge& watching_;
  TaskGroup tasks_;
  TaskGroup watches_;
  std::atomic<int> running_{0};
  std::atomic<int> watchers_{0};
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RPC_SERVICE_H_
