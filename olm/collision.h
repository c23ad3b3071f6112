// The choice between two operators of one name that reach one namespace. A pure function.
#ifndef OLM_COLLISION_H_
#define OLM_COLLISION_H_

#include <string_view>

#include "olm/objects.h"

namespace steward::olm {

// True when namespace `ns` shows `a` rather than `b`: the namespace's own ClusterServiceVersion
// wins, else the older, else the one with the smaller UID. A strict order: exactly one of (a, b)
// and (b, a) is true. REQUIRES: a and b are different objects of equal name.
bool WinsIn(std::string_view ns, const Csv& a, const Csv& b);

}  // namespace steward::olm

#endif  // OLM_COLLISION_H_
