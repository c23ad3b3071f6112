// Sets up a payload in a folder, a cluster in memory and a user at a terminal. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_TESTING_PAYLOAD_SCENE_H_
#define PLUGIN_PAYLOAD_TESTING_PAYLOAD_SCENE_H_

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/testing/test_directory.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "plugin/command/command.h"

namespace steward::plugin {

inline constexpr char kDeletes[] = "release.openshift.io/delete: \"true\"";

// Returns a manifest of ConfigMap `name` in namespace "ns", which the test's cluster includes.
std::string ConfigMapYaml(const std::string& name, const std::string& annotation = "",
                          const std::string& data = "");

struct PayloadScene {
  // Serves ConfigMaps, Namespaces and ClusterOperators.
  PayloadScene();

  // Replaces the folder's files, and writes release-metadata unless `version` is "".
  void Write(const std::map<std::string, std::string>& files, const std::string& version = "4.5.1");
  absl::Status Run(const KnownCommand& command, std::vector<std::string> args = {});

  void PutConfigMap(const std::string& name, const std::string& more = "");
  boost::json::value ConfigMap(const std::string& name, const std::string& ns = "ns") const;
  bool Has(const std::string& name) const { return !ConfigMap(name).is_null(); }
  // Returns the value of a key in the record.
  std::string Recorded(const std::string& key) const;
  // Adds a ClusterOperator `name` that reports Upgradeable=False.
  void ForbidUpdates(const std::string& name);
  // Denies a right from now on, like "patch configmaps".
  void Deny(const std::string& right);

  kube::FakeClient client;
  boost::json::object document;
  std::string screen;               // the output of the last command
  std::deque<std::string> answers;  // the answers that the user types
  bool can_ask = false;
  bool live = false;
  bool yes = false;

 private:
  TestDirectory directory_;
  boost::asio::io_context io_{1};
};

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_TESTING_PAYLOAD_SCENE_H_
