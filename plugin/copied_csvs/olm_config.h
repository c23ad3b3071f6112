// The cluster's setting for copies of ClusterServiceVersions. Values; reads run on the caller's
// executor.
#ifndef PLUGIN_COPIED_CSVS_OLM_CONFIG_H_
#define PLUGIN_COPIED_CSVS_OLM_CONFIG_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::plugin {

enum class Copies {
  kOn,             // also if nothing is set
  kOff,            // no copies of operators for all namespaces
  kUnknown,        // the user may not read it
  kNotUnderstood,  // it is neither true nor false: the controllers change nothing
};

// The text about kNotUnderstood for people.
inline constexpr std::string_view kChoiceNotUnderstood =
    "The OLMConfig cluster is not understood: its disableCopiedCSVs is neither true nor false. "
    "Copies stay as they are until it says one of them";

// The setting in an OLMConfig: that of its spec, in either spelling of the field. If the spec has
// none, the state that the controllers report in its status.
Copies CopiesBy(const boost::json::object& olm_config);

// Reads the OLMConfig named `cluster`; OLMConfigs of other names mean nothing (R-004-23).
Task<Copies> ReadCopies(kube::Client& client);

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_OLM_CONFIG_H_
