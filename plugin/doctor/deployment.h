// A Deployment as doctor looks at it. Values; reads run on the caller's executor.
#ifndef PLUGIN_DOCTOR_DEPLOYMENT_H_
#define PLUGIN_DOCTOR_DEPLOYMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::plugin {

struct Deployment {
  kube::NamespacedName name;
  int64_t replicas = 1;
  int64_t available = 0;
  std::string image;              // of its first container
  std::vector<std::string> args;  // of that container
  // The Secrets that it mounts, by name. False = optional: the Deployment runs without the Secret.
  std::map<std::string, bool> secrets;

  // The value of a flag that is given as --flag=value; nullopt = it is not given.
  std::optional<std::string> Flag(std::string_view flag) const;
};

// Steward's Deployments in its namespace, by name.
using Deployments = std::map<std::string, Deployment>;
Task<Deployments> ReadDeployments(kube::Client& client);

// A Deployment with an available replica that is called `name`, or else has the label app=`name`,
// because OLM may be installed under another name. nullopt = the cluster has none.
Task<std::optional<kube::NamespacedName>> FindRunning(kube::Client& client, std::string name);

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_DEPLOYMENT_H_
