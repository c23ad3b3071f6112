#include "controllers/runtime/events/event_object.h"

#include <boost/json/object.hpp>
#include <utility>

#include "kube/meta/time.h"

namespace steward::controllers {

namespace json = boost::json;

json::value EventObject::ToJson() const {
  json::object involved = {{"apiVersion", about.gvk.ApiVersion()},
                           {"kind", about.gvk.kind},
                           {"name", about.name.name},
                           {"uid", about.uid}};
  if (!about.name.ns.empty()) involved["namespace"] = about.name.ns;
  return {{"apiVersion", "v1"},
          {"kind", "Event"},
          {"metadata", {{"name", name.name}, {"namespace", name.ns}}},
          {"involvedObject", std::move(involved)},
          {"reason", reason},
          {"message", message},
          {"type", type == EventType::kWarning ? "Warning" : "Normal"},
          {"source", {{"component", component}}},
          {"reportingComponent", component},
          {"reportingInstance", instance},
          {"firstTimestamp", kube::FormatRfc3339(first)},
          {"lastTimestamp", kube::FormatRfc3339(last)},
          {"count", count}};
}

}  // namespace steward::controllers
