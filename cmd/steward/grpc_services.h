// The gRPC services of the families of reconcilers. Stateless functions.
#ifndef CMD_STEWARD_GRPC_SERVICES_H_
#define CMD_STEWARD_GRPC_SERVICES_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/clock/clock.h"
#include "base/flags/flag_values.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "storage/world/world_store.h"

namespace steward {

// Everything that a service may be made from. The references outlive the services, but for `flags`.
struct GrpcServiceDeps {
  kube::Client& cluster;
  storage::WorldStore& worlds;         // of operators; fed by the caller
  controllers::EventRecorder& events;  // callable from any thread
  const FlagValues& flags;             // of the reconcilers
  Random& random;
  // This process serves the virtual API itself, which no discovery of `cluster` shows.
  bool serves_views = false;
  // For the family copies alone: this process runs the reconciler copied-csvs.
  bool makes_copies = true;
  // For the family install-plans alone: of kPlanSources, fed by the caller.
  storage::WorldStore* plans = nullptr;
  // A client that may act as the user who asks for the preview of a bundle; null: bundles are not
  // previewed.
  kube::Client* bundle_requesters = nullptr;
  bool impersonates_requesters = true;  // false: there are no rights
  bool optional_manifests = false;      // the gate
};

// A service of a family's processes, each of which serves it, whether it is leader or not.
struct KnownGrpcService {
  std::string family;
  // The service keeps the objects alive that it is made of.
  std::function<rpc::ServedService(const GrpcServiceDeps& deps)> make;
};

const std::vector<KnownGrpcService>& KnownGrpcServices();
// The names of all families that have a service.
std::set<std::string> FamiliesWithGrpc();

// The services of these families, in the order of the known ones. REQUIRES: `deps` has what is
// theirs alone.
std::vector<rpc::ServedService> MakeGrpcServices(
    const std::set<std::string>& families, const GrpcServiceDeps& deps,
    const std::vector<KnownGrpcService>& known = KnownGrpcServices());

}  // namespace steward

#endif  // CMD_STEWARD_GRPC_SERVICES_H_
