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

// Everything that a service may be made from. The references, except `flags`, outlive the services.
struct GrpcServiceDeps {
  kube::Client& cluster;
  storage::WorldStore& worlds;         // the Worlds of operators, kept current by the caller
  controllers::EventRecorder& events;  // may be called from any thread
  const FlagValues& flags;             // of the reconcilers
  Random& random;
  // This process serves the virtual API itself, so the discovery of `cluster` does not show it.
  bool serves_views = false;
  // For the family copies alone: this process runs the reconciler copied-csvs.
  bool makes_copies = true;
  // For the family install-plans alone: the Worlds of kPlanSources, which the caller keeps current.
  storage::WorldStore* plans = nullptr;
  // A client that may act as the user who asks for the preview of a bundle; null: bundles are not
  // previewed.
  kube::Client* bundle_requesters = nullptr;
  bool impersonates_requesters = true;  // false: this process lacks the rights
  bool optional_manifests = false;      // the feature gate
};

// A gRPC service of a family. Each process of the family serves it, leader or not.
struct KnownGrpcService {
  std::string family;
  // Makes the service, which keeps alive the objects that it is made of.
  std::function<rpc::ServedService(const GrpcServiceDeps& deps)> make;
};

const std::vector<KnownGrpcService>& KnownGrpcServices();
// The names of all families that have a service.
std::set<std::string> FamiliesWithGrpc();

// The services of these families, in the order of the known ones. REQUIRES: the fields of `deps`
// that only one family uses are set if that family is in `families`.
std::vector<rpc::ServedService> MakeGrpcServices(
    const std::set<std::string>& families, const GrpcServiceDeps& deps,
    const std::vector<KnownGrpcService>& known = KnownGrpcServices());

}  // namespace steward

#endif  // CMD_STEWARD_GRPC_SERVICES_H_
