#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/time.h"
#include "storage/embedded/rules/content_rules.h"
#include "storage/embedded/rules/identity_checks.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/metadata_checks.h"
#include "storage/embedded/rules/object_decode.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/schema_checks.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

// The largest length that leaves room for the suffix in a DNS label.
constexpr size_t kMaxGenerateName = 58;

void SetSystemFields(const kube::ResourceType& type, const WriteContext& context,
                     json::object& meta) {
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds"}) meta.erase(key);
  meta["uid"] = context.new_uid;
  meta["creationTimestamp"] = kube::FormatRfc3339(context.now);
  if (CountsGenerations(type)) meta["generation"] = 1;
  const std::string_view generate = StringAt(meta, "generateName");
  if (StringAt(meta, "name").empty() && !generate.empty()) {
    meta["name"] = StrCat(generate.substr(0, kMaxGenerateName), context.name_suffix);
  }
}

}  // namespace

absl::StatusOr<json::object> PrepareCreate(const kube::ResourceType& type, const std::string& ns,
                                           json::object object, const WriteContext& context) {
  ASSIGN_OR_RETURN(json::object created, DecodeBody(type, std::move(object)));
  if (context.schema != nullptr) context.schema->Complete(created);
  json::object& meta = created["metadata"].get_object();
  RETURN_IF_ERROR(EnsureNamespace(type, ns, meta));
  SetSystemFields(type, context, meta);
  if (type.status_subresource) created.stable_erase("status");

  std::vector<kube::StatusCause> causes = TypeCauses(type, created);
  if (causes.empty()) {
    causes = CreateCauses(type, meta);
    for (kube::StatusCause& cause : ContentCauses(type, created, nullptr)) {
      causes.push_back(std::move(cause));
    }
    AddSchemaCauses(context.schema, created, nullptr, causes);
  }
  if (!causes.empty()) {
    return kube::ToStatus(kube::Invalid(GvkOf(created), StringAt(meta, "name"), std::move(causes)));
  }
  // Kubernetes ignores a resourceVersion that isn't a number.
  const absl::StatusOr<uint64_t> version = ParseVersion(StringAt(meta, "resourceVersion"));
  if (version.ok() && *version != 0) {
    return BareError("resourceVersion should not be set on objects to be created");
  }
  meta.erase("resourceVersion");
  meta = InOrder(meta);
  return created;
}

}  // namespace steward::storage
