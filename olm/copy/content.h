// The content of a copy: the part of a ClusterServiceVersion that other namespaces see.
// InstalledOperators and the copies that Steward writes both consist of it. Pure functions.
#ifndef OLM_COPY_CONTENT_H_
#define OLM_COPY_CONTENT_H_

#include <string>
#include <string_view>

#include "base/splice/rope.h"
#include "olm/objects.h"

namespace steward::olm {

enum class SeenFrom { kOwnNamespace, kElsewhere };

// Each appends one member of an object, without a comma. AppendAnnotations and AppendLabels append
// nothing if the member would be empty, and return whether they appended anything. Long texts are
// shared, not copied.
bool AppendAnnotations(const Csv& csv, Rope& out);            // "annotations":{...}
bool AppendLabels(const Csv& csv, SeenFrom from, Rope& out);  // "labels":{...}
void AppendSpec(const Csv& csv, Rope& out);                   // "spec":{...}
void AppendStatus(const Csv& csv, SeenFrom from, Rope& out);  // "status":{...}

// The copy of `original` in namespace `ns`, as OLM makes it, as JSON.
std::string CopyJson(const Csv& original, std::string_view ns);

}  // namespace steward::olm

#endif  // OLM_COPY_CONTENT_H_
