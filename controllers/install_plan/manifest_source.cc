#include "controllers/install_plan/manifest_source.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

bool IsOfACatalog(const json::value& config_map) {
  const json::object* metadata = kube::MetadataOf(config_map);
  const json::array* owners = metadata == nullptr ? nullptr : ArrayAt(*metadata, "ownerReferences");
  if (owners == nullptr) return false;
  return std::any_of(owners->begin(), owners->end(), [](const json::value& each) {
    return each.is_object() && StringAt(each.get_object(), "kind") == "CatalogSource" &&
           StringAt(each.get_object(), "apiVersion").starts_with("operators.coreos.com/");
  });
}

}  // namespace

Task<FoundManifest> ManifestSource::Find(olm::PlanStep step) {
  FoundManifest found;
  CO_ASSIGN_OR_RETURN(olm::StepManifest manifest, olm::ReadStepManifest(step));
  if (!manifest.reference) {
    found.object = std::move(manifest.object);
    co_return found;
  }
  const olm::BundleReference& reference = *manifest.reference;
  CO_ASSIGN_OR_RETURN(const Bundle* bundle, co_await Open(reference.config_map));
  absl::StatusOr<json::object> object = olm::FindManifest(*bundle, step, reference);
  if (!object.ok()) {
    co_return WithContext(
        StrCat("the bundle's ConfigMap ", reference.config_map.ns, "/", reference.config_map.name),
        object.status());
  }
  found.object = *std::move(object);
  found.properties = reference.properties;
  co_return found;
}

Task<const ManifestSource::Bundle*> ManifestSource::Open(kube::NamespacedName config_map) {
  const auto known = bundles_.find(config_map);
  if (known != bundles_.end()) co_return &known->second;
  if (bundles_.size() >= kMaxBundles) {
    co_return absl::ResourceExhaustedError(
        StrCat("the plan refers to more than ", kMaxBundles, " bundles"));
  }
  const std::string what = StrCat("the bundle's ConfigMap ", config_map.ns, "/", config_map.name);
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kube::kConfigMaps, config_map);
  if (kube::IsNotFound(raw.status(), config_map.name)) {
    co_return absl::NotFoundError(StrCat(what, " is not there"));
  }
  if (!raw.ok()) co_return WithContext(what, raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  if (!object.is_object()) co_return absl::InvalidArgumentError(StrCat(what, " is no object"));
  if (config_map.ns != ns_ && !IsOfACatalog(object)) {
    co_return absl::NotFoundError(StrCat(what, " is not there"));
  }
  absl::StatusOr<Bundle> bundle = olm::ReadBundle(object.get_object());
  if (!bundle.ok()) co_return WithContext(what, bundle.status());
  co_return &bundles_.emplace(std::move(config_map), *std::move(bundle)).first->second;
}

}  // namespace steward::controllers
