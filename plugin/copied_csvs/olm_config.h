// The cluster's word on whether there are copies of ClusterServiceVersions. Values; reads run on
// the caller's executor.
#ifndef PLUGIN_COPIED_CSVS_OLM_CONFIG_H_
#define PLUGIN_COPIED_CSVS_OLM_CONFIG_H_

#include <boost/json/object.hpp>
#include <string_view>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::plugin {

enum class Copies {
  kOn,             // also where nobody said anything
  kOff,            // of operators for all namespaces
  kUnknown,        // the user may not read it
  kNotUnderstood,  // it says neither true nor false: the controllers change nothing
};

// For people, of kNotUnderstood.
inline constexpr std::string_view kChoiceNotUnderstood =
    "The OLMConfig cluster is not understood: its disableCopiedCSVs is neither true nor false. "
    "Copies stay as they are until it says one of them";

// The choice of an OLMConfig: its spec, in either spelling of the field, else the state that the
// controllers report in its status.
Copies CopiesBy(const boost::json::object& olm_config);

// Reads the OLMConfig `cluster`; the others mean nothing (R-004-23).
Task<Copies> ReadCopies(kube::Client& client);

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_OLM_CONFIG_H_
