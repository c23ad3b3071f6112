// A cluster for tests of payloads, and processes that work on it. Not thread-safe.
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

// Documents of a payload: each a file and its JSON.
struct TestFile {
  std::string name;
  std::string json;
};
// A ConfigMap n/`name`; with `annotations`, the inside of an object, beside them.
std::string TestConfigMap(std::string_view name, std::string_view value,
                          std::string_view annotations = "");
// A delete manifest of ConfigMap n/`name`.
std::string TestDeletion(std::string_view name);
Release TestRelease(std::string version, const std::vector<TestFile>& files);

// Serves the kinds above. Whoever asks for a right has it, unless it is in `denied`.
class PayloadCluster {
 public:
  PayloadCluster();

  FakeClock& clock() { return clock_; }
  kube::FakeClient& client() { return client_; }
  // "patch configmaps a": verb, resource and name, which may be missing.
  std::vector<std::string> denied;

  void Put(const kube::GroupVersionResource& gvr, std::string_view json) { client_.Put(gvr, json); }
  // null: there is none.
  boost::json::value Find(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);
  boost::json::value ConfigMap(const std::string& name) {
    return Find(kTestConfigMaps, {"n", name});
  }
  std::string Uid(const std::string& config_map);
  // What lies in the record's ConfigMap; empty where there is none.
  boost::json::object RecordData();
  olm::PayloadRecord Record();
  // The state of the removal of ConfigMap n/`name`; "" = none.
  std::string Removal(const std::string& name);

 private:
  FakeClock clock_;
  kube::FakeClient client_;
};

// A process, which may die in the midst.
class PayloadProcess {
 public:
  explicit PayloadProcess(PayloadCluster& cluster);

  kube::Hook& hook() { return hook_; }
  PassDeps deps() { return {client_, mapper_, cluster_.clock(), record_}; }

  // One pass. Nullopt: the process died in it, and may not be used again.
  std::optional<PassResult> Pass(const Release& release, const PayloadOptions& options);
  absl::Status Follow();

  // What the passes have told: `created ConfigMap "n/a"`, `Initiated ConfigMap "n/a"`.
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

// Every manifest is included.
PayloadOptions TestOptions();

}  // namespace steward::payload

#endif  // PAYLOAD_TESTING_PAYLOAD_CLUSTER_H_
