// A cluster with namespaces, OperatorGroups and ClusterServiceVersions, in which a test is
// kube-apiserver, webhook and tenant. Not thread-safe.
#ifndef CONTROLLERS_COPIES_TESTING_COPY_CLUSTER_H_
#define CONTROLLERS_COPIES_TESTING_COPY_CLUSTER_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kTestCsvs = {"operators.coreos.com", "v1alpha1",
                                                     "clusterserviceversions"};
inline const kube::GroupVersionResource kTestGroups = {"operators.coreos.com", "v1",
                                                       "operatorgroups"};
inline const kube::GroupVersionResource kTestNamespaces = {"", "v1", "namespaces"};
inline const kube::GroupVersionResource kTestOlmConfigs = {"operators.coreos.com", "v1",
                                                           "olmconfigs"};
inline const kube::GroupVersionResource kTestEvents = {"", "v1", "events"};

// Behaves like a kube-apiserver where a FakeClient does not: status is dropped on creation; nothing
// is created in namespaces that are absent or Terminating.
class CopyCluster : public kube::ForwardingClient {
 public:
  CopyCluster();

  // Changes the object of a create or update of a ClusterServiceVersion, before it is stored.
  std::function<void(boost::json::object& object, bool create)> webhook;
  // Called before each write of ClusterServiceVersions takes effect.
  std::function<void()> before_write;
  // Called after each update or deletion of a ClusterServiceVersion through the client, with the
  // object as it was before.
  std::function<void(const boost::json::object& before)> written;
  bool keeps_status_on_create = false;

  kube::FakeClient& fake() { return fake_; }

  // --- What others do.
  void PutNamespace(const std::string& name, const std::string& team = "",
                    bool terminating = false);
  void DropNamespace(const std::string& name);  // with what is in it
  // `spec`: "{}" = all namespaces.
  void PutGroup(const std::string& ns, const std::string& name, const std::string& spec);
  void DropGroup(const std::string& ns, const std::string& name);
  struct Csv {
    std::string phase = "Succeeded";
    std::string reason = "InstallSucceeded";
    std::string note = "1";  // in spec, labels, annotations and status
    bool deleting = false;
    std::string metadata;  // further members, beginning with a comma
  };
  void PutCsv(const std::string& ns, const std::string& name, const Csv& csv);
  void PutCsv(const std::string& ns, const std::string& name) { PutCsv(ns, name, Csv()); }
  void DropCsv(const std::string& ns, const std::string& name);
  // `features`: of the OLMConfig `cluster`, such as {"disableCopiedCSVs":true}. Its status stays.
  void PutOlmConfig(const std::string& features, const std::string& name = "cluster");
  void DropOlmConfig();
  // Edits a stored ClusterServiceVersion.
  void Edit(const kube::NamespacedName& name,
            const std::function<void(boost::json::object& object)>& edit);

  // --- What is there.
  std::vector<boost::json::object> All(const kube::GroupVersionResource& gvr) const;
  const boost::json::object* Find(const kube::NamespacedName& csv);
  std::set<std::string> Copies() const;  // "namespace/name"
  std::string Text(const kube::NamespacedName& csv) const;

  // The objects as an observer saw them last.
  using Seen = std::map<kube::GroupVersionResource, std::map<kube::NamespacedName, std::string>>;
  // Brings the writer to the present state, from what was seen before.
  void Observe(storage::OperatorWriter& writer, Seen& seen);

  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override;
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override;

 private:
  template <typename Decode>
  void ObserveKind(storage::OperatorWriter& writer, Seen& all_seen, storage::Source source,
                   const kube::GroupVersionResource& gvr, Decode decode);

  kube::FakeClient fake_;
  boost::json::object found_;
  int uids_ = 0;
  uint64_t observed_ = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_TESTING_COPY_CLUSTER_H_
