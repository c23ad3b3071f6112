// For any file, each object is planned or refused, exactly once, and every planned object can be
// created.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/manifest/manifest_files.h"
#include "storage/embedded/loader/manifest_plan.h"
#include "storage/embedded/types/catalog.h"

namespace {

using steward::kube::Manifests;
using steward::storage::Catalog;
using steward::storage::ManifestPlan;
using steward::storage::PlannedObject;

void Check(bool condition) {
  if (!condition) std::abort();
}

void CheckObjects(const std::vector<PlannedObject>& objects) {
  for (const PlannedObject& planned : objects) {
    Check(!planned.where.empty() && !planned.name.name.empty());
    Check(!planned.object.at("metadata").as_object().contains("resourceVersion"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Manifests manifests;
  steward::kube::ParseManifests("a.yaml", text, manifests);
  const size_t found = manifests.objects.size() + manifests.problems.size();
  static const Catalog& catalog = *new Catalog({});
  const ManifestPlan plan = PlanManifests(std::move(manifests), catalog);
  Check(plan.definitions.size() + plan.namespaces.size() + plan.others.size() +
            plan.problems.size() ==
        found);
  CheckObjects(plan.definitions);
  CheckObjects(plan.namespaces);
  CheckObjects(plan.others);
  return 0;
}
