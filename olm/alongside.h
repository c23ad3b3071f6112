// OLM's annotations on a cluster-scoped object that name the operators it was installed with. Pure
// functions.
#ifndef OLM_ALONGSIDE_H_
#define OLM_ALONGSIDE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta/names.h"

namespace steward::olm {

// The prefix of the keys of these annotations.
inline constexpr std::string_view kAlongside = "operatorframework.io/installed-alongside-";

// The key of the annotation about a ClusterServiceVersion, whose value is AlongsideText.
std::string AlongsideKey(const kube::NamespacedName& csv);
// "<namespace>/<name>".
std::string AlongsideText(const kube::NamespacedName& csv);

// The ClusterServiceVersions that the annotations name. Skips values of any other form.
std::vector<kube::NamespacedName> InstalledAlongside(const boost::json::object& annotations);

}  // namespace steward::olm

#endif  // OLM_ALONGSIDE_H_
