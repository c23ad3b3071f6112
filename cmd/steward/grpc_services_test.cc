#include "cmd/steward/grpc_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/clock.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"
#include "cmd/steward/grpc.h"
#include "cmd/steward/grpc_options.h"
#include "cmd/steward/reconcilers.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/known_reconciler.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world_store.h"

namespace steward {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class NoEvents : public controllers::EventRecorder {
 public:
  void Record(const controllers::ObjectReference&, controllers::EventType, std::string_view,
              std::string_view) override {}
};

class GrpcServicesTest : public testing::Test {
 protected:
  std::vector<std::string> NamesFor(const std::set<std::string>& families) {
    std::vector<std::string> names;
    const GrpcServiceDeps deps = {.cluster = cluster_,
                                  .worlds = worlds_,
                                  .events = events_,
                                  .flags = flags_,
                                  .random = Random::Real(),
                                  .plans = &plans_,
                                  .bundle_requesters = &cluster_};
    for (const rpc::ServedService& service : MakeGrpcServices(families, deps)) {
      names.push_back(service.name);
    }
    return names;
  }

  kube::FakeClient cluster_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::WorldStore plans_{storage::kPlanSources};
  NoEvents events_;
  FlagValues flags_;
};

TEST_F(GrpcServicesTest, AFamilyServesItsOwnServices) {
  EXPECT_THAT(NamesFor({"cleanup"}), ElementsAre("steward.cleanup.v1.CleanupService"));
  EXPECT_THAT(NamesFor({"copies"}), ElementsAre("steward.copiedcsv.v1.CopiedCSVService"));
  EXPECT_THAT(NamesFor({"install-plans"}), ElementsAre("steward.plan.v1.PlanService"));
  EXPECT_THAT(NamesFor(FamiliesWithGrpc()), SizeIs(KnownGrpcServices().size()));
  EXPECT_THAT(NamesFor({"operators", "payload"}), IsEmpty());
}

// Worlds of plans are read by the service alone.
TEST_F(GrpcServicesTest, EachServiceIsOfAFamilyThatReadsItsWorlds) {
  for (const KnownGrpcService& service : KnownGrpcServices()) {
    SCOPED_TRACE(service.family);
    EXPECT_TRUE(FamiliesWithGrpc().contains(service.family));
    bool found = false;
    for (const controllers::KnownReconciler& reconciler : KnownReconcilers()) {
      if (reconciler.family.name != service.family) continue;
      found = true;
      EXPECT_TRUE(reconciler.family.uses_worlds || service.family == "install-plans");
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(GrpcServicesTest, AServerWithoutServicesIsRefused) {
  prometheus::Registry registry;
  EXPECT_THAT(
      GrpcServing::Start(GrpcOptions(), {.access_reviews = cluster_, .registry = registry}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--grpc-bind-address")));
}

}  // namespace
}  // namespace steward
