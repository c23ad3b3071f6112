// The content of a copy: what is seen of a ClusterServiceVersion outside of its own namespace.
// InstalledOperators and the copies that Steward writes are both made of it. Pure functions.
#ifndef OLM_COPY_CONTENT_H_
#define OLM_COPY_CONTENT_H_

#include <string>
#include <string_view>

#include "base/splice/rope.h"
#include "olm/objects.h"

namespace steward::olm {

enum class SeenFrom { kOwnNamespace, kElsewhere };

// Each appends one member of an object, without a comma, if there is something to say; returns
// whether it appended anything. Long texts are shared, not copied.
bool AppendAnnotations(const Csv& csv, Rope& out);            // "annotations":{...}
bool AppendLabels(const Csv& csv, SeenFrom from, Rope& out);  // "labels":{...}
void AppendSpec(const Csv& csv, Rope& out);                   // "spec":{...}
void AppendStatus(const Csv& csv, SeenFrom from, Rope& out);  // "status":{...}

// The ClusterServiceVersion in namespace `ns` that is the copy of `original`, as OLM makes it.
std::string CopyJson(const Csv& original, std::string_view ns);

}  // namespace steward::olm

#endif  // OLM_COPY_CONTENT_H_
