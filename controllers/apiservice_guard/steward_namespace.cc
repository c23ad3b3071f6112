#include "controllers/apiservice_guard/steward_namespace.h"

#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "kube/client/object_meta.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"

namespace steward::controllers {

Task<bool> NamespaceStands(kube::Client& client, const std::string& ns) {
  const kube::NamespacedName name = {"", ns};
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kube::kNamespaces, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return false;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const kube::VersionedMeta meta, kube::DecodeObjectMeta(*raw));
  co_return !meta.meta.deleting;
}

}  // namespace steward::controllers
