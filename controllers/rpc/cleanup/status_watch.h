// A watch of the statuses of cleanups, for one client. Lives on one executor.
#ifndef CONTROLLERS_RPC_CLEANUP_STATUS_WATCH_H_
#define CONTROLLERS_RPC_CLEANUP_STATUS_WATCH_H_

#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/cleanup/outlook_source.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

using StatusSink = MessageSink<cleanup::v1::WatchResponse>;

struct StatusWatchOptions {
  // The time between two looks at the changes: changes within it are merged.
  absl::Duration pace = absl::Milliseconds(100);
  // The interval at which a client that sees no change gets a newer token.
  absl::Duration progress = absl::Seconds(30);
  // The duration after which the watch ends, so that its rights are checked again.
  absl::Duration life = absl::Minutes(30);
  // The longest wait for a state that other replicas have shown already.
  absl::Duration catch_up = absl::Seconds(3);
};

// One watch. It remembers only the last state that it sent: while the client is slow, states merge,
// and nothing is queued. Run is called once.
class StatusWatch {
 public:
  // `ns` "" = all namespaces. REQUIRES: the references outlive this object.
  StatusWatch(storage::WorldStore& worlds, storage::RewindCache& past, const OutlookSource& source,
              Clock& clock, std::string ns, StatusSink& sink, StatusWatchOptions options);

  // Runs from the state of `resume_token`, or with a snapshot, until `life` has passed (OK), the
  // sink fails, or it is cancelled.
  StatusTask Run(std::string resume_token);

 private:
  boost::asio::awaitable<bool> Resume(std::string token);
  StatusTask SendSnapshot();
  // Sends the changes from `sent_` to `now`, and then the token.
  StatusTask SendChanges(storage::OutlookMapPtr now, std::string token);
  StatusTask Send(cleanup::v1::WatchResponse message, const std::string& token);
  storage::OutlookMap::const_iterator Begin(const storage::OutlookMap& map) const;
  bool Includes(const storage::OutlookMap& map, storage::OutlookMap::const_iterator it) const;

  storage::WorldStore& worlds_;
  storage::RewindCache& past_;
  const OutlookSource& source_;
  Clock& clock_;
  const std::string ns_;
  StatusSink& sink_;
  const StatusWatchOptions options_;

  storage::OutlookMapPtr sent_;  // the state that the client has
  std::string token_;            // the token of that state; "" = nothing sent yet
  absl::Duration told_;          // when the last message went, monotonic
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_STATUS_WATCH_H_
