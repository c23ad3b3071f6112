// Simulates a cluster for tests of payloads, and processes that work on it. Not thread-safe.
#ifndef PAYLOAD_TESTING_PAYLOAD_CLUSTER_H_
#define PAYLOAD_TESTING_PAYLOAD_CLUSTER_H_

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/fake_clock.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/payload/payload_record.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "payload/record_store.h"

namespace steward::payload {

inline const kube::GroupVersionResource kTestConfigMaps = {"", "v1", "configmaps"};
inline const kube::GroupVersionResource kTestNamespaces = {"", "v1", "namespaces"};
inline const kube::GroupVersionResource kTestJobs = {"batch", "v1", "jobs"};
inline const kube::GroupVersionResource kTestDefinitions = {"apiextensions.k8s.io", "v1",
                                                            "customresourcedefinitions"};
inline const kube::GroupVersionResource kTestWidgets = {"example.com", "v1", "widgets"};
inline const kube::GroupVersionResource kTestCsvs = {"operators.coreos.com", "v1alpha1",
                                                     "clusterserviceversions"};
inline const kube::GroupVersionResource kTestReviews = {"authorization.k8s.io", "v1",
                                                        "selfsubjectaccessreviews"};

// One document of a payload: a file name and its JSON.
struct TestFile {
  std::string name;
  std::string json;
};
// Returns a manifest of ConfigMap n/`name`. `annotations` is the inside of a JSON object.
std::string TestConfigMap(std::string_view name, std::string_view value,
                          std::string_view annotations = "");
// Returns a delete manifest of ConfigMap n/`name`.
std::string TestDeletion(std::string_view name);
Release TestRelease(std::string version, const std::vector<TestFile>& files);

// Serves the kinds above. Grants every right that is not in `denied`.
class PayloadCluster {
 public:
  PayloadCluster();

  FakeClock& clock() { return clock_; }
  kube::FakeClient& client() { return client_; }
  // Entries like "patch configmaps a": verb, resource, and a name that may be missing.
  std::vector<std::string> denied;

  void Put(const kube::GroupVersionResource& gvr, std::string_view json) { client_.Put(gvr, json); }
  // Returns null if the object does not exist.
  boost::json::value Find(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);
  boost::json::value ConfigMap(const std::string& name) {
    return Find(kTestConfigMaps, {"n", name});
  }
  std::string Uid(const std::string& config_map);
  // Returns the data of the record's ConfigMap; empty if there is none.
  boost::json::object RecordData();
  olm::PayloadRecord Record();
  // Returns the state of the removal of ConfigMap n/`name`; "" = none.
  std::string Removal(const std::string& name);

 private:
  FakeClock clock_;
  kube::FakeClient client_;
};

// A process that may die at any point.
class PayloadProcess {
 public:
  explicit PayloadProcess(PayloadCluster& cluster);

  kube::Hook& hook() { return hook_; }
  PassDeps deps() { return {client_, mapper_, cluster_.clock(), record_}; }

  // Runs one pass. Nullopt: the process died in it and must not be used again.
  std::optional<PassResult> Pass(const Release& release, const PayloadOptions& options);
  absl::Status Follow();

  // The observers' reports, like `created ConfigMap "n/a"` or `Initiated ConfigMap "n/a"`.
  std::vector<std::string> told;

 private:
  bool Runs(const bool& done);

  PayloadCluster& cluster_;
  std::unique_ptr<boost::asio::io_context> io_ = std::make_unique<boost::asio::io_context>(1);
  kube::Hook hook_;
  kube::HookClient client_;
  kube::RestMapper mapper_;
  RecordStore record_;
  PassObserver observer_;
};

// Returns options with which every manifest is included.
PayloadOptions TestOptions();

}  // namespace steward::payload

#endif  // PAYLOAD_TESTING_PAYLOAD_CLUSTER_H_
