#include "storage/embedded/dump/dump_reviews.h"

#include <boost/json/object.hpp>
#include <string_view>

#include "base/json/json_access.h"
#include "base/status/macros.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

bool IsRead(std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }

bool IsAllowed(const json::object& spec) {
  if (const json::object* path = ObjectAt(spec, "nonResourceAttributes")) {
    return IsRead(StringAt(*path, "verb"));
  }
  const json::object* resource = ObjectAt(spec, "resourceAttributes");
  if (resource == nullptr) return false;
  const std::string_view verb = StringAt(*resource, "verb");
  if (verb != "create") return IsRead(verb);
  const std::string_view group = StringAt(*resource, "group");
  // Objects of these resources are answered, and stored nowhere.
  return group == "authorization.k8s.io" || (group == "views.operators.coreos.com" &&
                                             StringAt(*resource, "resource") == "planpreviews");
}

}  // namespace

Task<json::value> DumpReviews::Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                      const json::value& object,
                                      const kube::WriteOptions& options) {
  CO_ASSIGN_OR_RETURN(json::value review, co_await LocalReviews::Create(gvr, ns, object, options));
  if (gvr.resource != "subjectaccessreviews") co_return review;
  const json::object* spec = ObjectAt(review.get_object(), "spec");
  json::object status = {{"allowed", spec != nullptr && IsAllowed(*spec)}};
  if (!BoolAt(status, "allowed")) status["reason"] = kDumpIsReadOnly;
  review.get_object()["status"] = std::move(status);
  co_return review;
}

}  // namespace steward::storage
