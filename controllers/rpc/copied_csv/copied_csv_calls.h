// The work of steward.copiedcsv.v1.CopiedCSVService, without gRPC. Lives on one executor.
#ifndef CONTROLLERS_RPC_COPIED_CSV_COPIED_CSV_CALLS_H_
#define CONTROLLERS_RPC_COPIED_CSV_COPIED_CSV_CALLS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/preview_places.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/client/client.h"
#include "kube/dry_run/dry_run_client.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

// The references outlive the calls.
struct CopiedCsvCallsDeps {
  Clock& clock;
  kube::Client& cluster;  // for trying changes
  storage::WorldStore& worlds;
  controllers::FollowedCopies& copies;  // REQUIRES: another task runs it
  // Returns true if the cluster serves InstalledOperators. An error means that this is not known.
  std::function<Task<bool>()> serves_installed_operators;
  // True if this process runs the reconciler copied-csvs. Otherwise a choice has no effect.
  bool reconciles = true;
};

struct CopiedCsvCallsOptions {
  // The time between two states that a watch reads; changes within it are merged.
  absl::Duration pace = absl::Seconds(1);
  // The interval at which a client gets a message while nothing changes.
  absl::Duration progress = absl::Seconds(30);
  // The duration after which a watch ends, so that its rights are checked again.
  absl::Duration life = absl::Minutes(30);
  PreviewPlacesOptions trials;  // limits previews that try changes
};

// The methods with their checks and rights, one for each request.
namespace copied_csv_methods {
extern const Method<copiedcsv::v1::GetStateRequest> kGetState;
extern const Method<copiedcsv::v1::WatchRequest> kWatch;
extern const Method<copiedcsv::v1::PreviewRequest> kPreview;
}  // namespace copied_csv_methods

using CopiesStateSink = MessageSink<copiedcsv::v1::WatchResponse>;

// REQUIRES of each method: the request has been checked, and the requester authorized. Errors carry
// a Kubernetes Status.
class CopiedCsvCalls {
 public:
  CopiedCsvCalls(CopiedCsvCallsDeps deps, Access& access, CopiedCsvCallsOptions options = {});

  Task<copiedcsv::v1::GetStateResponse> GetState(Requester requester,
                                                 copiedcsv::v1::GetStateRequest request);
  // Sends the changed states until the watch ends. Remembers only the token of the last state, so
  // for a slow client states merge and nothing is queued. Sends nothing while copies are not known.
  StatusTask Watch(Requester requester, copiedcsv::v1::WatchRequest request, CopiesStateSink& sink);
  Task<copiedcsv::v1::PreviewResponse> Preview(Requester requester,
                                               copiedcsv::v1::PreviewRequest request);

 private:
  Task<copiedcsv::v1::State> ReadState();

  const CopiedCsvCallsDeps deps_;
  Access& access_;
  const CopiedCsvCallsOptions options_;
  kube::DryRunClient tries_;
  PreviewPlaces trials_;
  int64_t most_left_ = 0;  // the most copies left to change since none was left
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_COPIED_CSV_CALLS_H_
