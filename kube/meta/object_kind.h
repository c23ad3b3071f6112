// The kind of a JSON object of unknown content. A pure function.
#ifndef KUBE_META_OBJECT_KIND_H_
#define KUBE_META_OBJECT_KIND_H_

#include <boost/json/object.hpp>

#include "kube/meta/names.h"

namespace steward::kube {

// The kind that the members apiVersion and kind name; parts that are absent or no strings are "".
GroupVersionKind KindOf(const boost::json::object& object);

}  // namespace steward::kube

#endif  // KUBE_META_OBJECT_KIND_H_
