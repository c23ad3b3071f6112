// Which operators a cluster-scoped object was installed with, as OLM notes it in annotations. Pure
// functions.
#ifndef OLM_ALONGSIDE_H_
#define OLM_ALONGSIDE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"

namespace steward::olm {

// The beginning of these annotations' keys.
inline constexpr std::string_view kAlongside = "operatorframework.io/installed-alongside-";

// The key of the annotation about a ClusterServiceVersion, whose value is AlongsideText.
std::string AlongsideKey(const kube::NamespacedName& csv);
// "<namespace>/<name>".
std::string AlongsideText(const kube::NamespacedName& csv);

// The ClusterServiceVersions that the annotations name. Values that are none are left out.
std::vector<kube::NamespacedName> InstalledAlongside(const boost::json::object& annotations);

}  // namespace steward::olm

#endif  // OLM_ALONGSIDE_H_
