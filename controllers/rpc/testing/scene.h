// A cluster in memory, a gRPC server on it, and clients with certificates. One thread calls its
// members, except those that servers call.
#ifndef CONTROLLERS_RPC_TESTING_SCENE_H_
#define CONTROLLERS_RPC_TESTING_SCENE_H_

#include <grpcpp/channel.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock/clock.h"
#include "base/sync/mutex.h"
#include "base/testing/test_directory.h"
#include "base/tls/testing.h"
#include "controllers/cleanup/inspector.h"
#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/cleanup/cleanup_calls.h"
#include "controllers/rpc/server.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/audit/log.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"
#include "storage/cleanup/outlooks.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::rpc {

inline const kube::GroupVersionResource kSceneCsvs = {"operators.coreos.com", "v1alpha1",
                                                      "clusterserviceversions"};
inline const kube::GroupVersionResource kSceneWidgets = {"example.com", "v1", "widgets"};

// Has the namespaces ops, a and b, and an OperatorGroup in ops that targets a and b. The cluster
// answers live reads, the World reads of watched objects: PutCsv changes both.
class Scene : private controllers::EventRecorder {
 public:
  Scene();
  ~Scene() override;

  // Serves CleanupService and the services given to Also, with `options` except address and files.
  void Start(ServerOptions options = {}, CleanupCallsOptions calls = {});
  void Stop();

  // Puts a ClusterServiceVersion into ops that owns widgets.example.com and has the finalizer of
  // the opt-in; `enabled` is its spec.cleanup.enabled.
  void PutCsv(const std::string& name, bool enabled = true);
  void RemoveCsv(const std::string& name);
  void AddWidget(const std::string& ns, const std::string& name);

  // A rule has the form "alice get cleanupstatuses/pending ops"; "" at the end = the whole cluster.
  void Allow(const std::string& rule);
  void Forbid(const std::string& rule);

  // Servers that are started later serve this service, too.
  void Also(ServedService service) { others_.push_back(std::move(service)); }
  // Calls of servers that are started later are recorded.
  void UseAuditLog(audit::Log& log) { audit_log_ = &log; }
  // The events so far as "Reason: message", in order.
  std::vector<std::string> events();

  // Each result has a connection of its own.
  std::shared_ptr<grpc::Channel> ChannelAs(const std::string& common_name);
  std::shared_ptr<grpc::Channel> ChannelWith(const TestKeyPair& pair);
  std::unique_ptr<cleanup::v1::CleanupService::Stub> As(const std::string& common_name);

  kube::FakeClient& cluster() { return cluster_; }
  storage::WorldStore& worlds() { return worlds_; }
  Server& server() { return *server_; }
  const TestDirectory& directory() const { return directory_; }
  const TestCa& ca() const { return ca_; }
  prometheus::Registry& registry() { return registry_; }
  std::string Address() const;
  ServerOptions WithFiles(ServerOptions options) const;
  // Resets the World to that of a process that has not read from the cluster yet.
  void ForgetWorld();
  absl::StatusOr<std::unique_ptr<Server>> StartAnother(ServerOptions options,
                                                       CleanupCallsOptions calls = {});

 private:
  void Publish();
  void Record(const controllers::ObjectReference& about, controllers::EventType type,
              std::string_view reason, std::string_view message) override;

  TestDirectory directory_;
  const TestCa ca_{"scene-ca"};
  kube::FakeClient cluster_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  storage::CleanupOutlooks outlooks_;
  controllers::CleanupInspector inspector_;
  prometheus::Registry registry_;
  uint64_t revision_ = 100;
  Mutex mutex_;
  std::set<std::string> rules_;
  std::vector<std::string> events_;
  audit::Log* audit_log_ = nullptr;
  std::vector<ServedService> others_;
  std::unique_ptr<Server> server_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_TESTING_SCENE_H_
