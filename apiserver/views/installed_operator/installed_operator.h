// The virtual resource installedoperators: which operators watch a namespace, computed on each read
// and stored nowhere.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_

#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "storage/world/world_store.h"

namespace steward::views {

struct InstalledOperatorOptions {
  // How long a read waits for the first sync before it answers 503.
  absl::Duration sync_wait = absl::Seconds(1);
  // How long a read waits for a resourceVersion that this replica has not reached before it answers
  // 504.
  absl::Duration version_wait = absl::Seconds(3);
};

// Thread-safe. Reads take one World and answer from it alone: memory per read is O(operators).
// Errors: 404 NotFound; 503 before the first sync; 504 for a resourceVersion beyond what arrives in
// time; 410 Expired for resourceVersionMatch=Exact at another state than the present one; 400 for a
// number that is not one of ours.
class InstalledOperators : public rest::Getter, public rest::Lister, public rest::BlobGetter {
 public:
  explicit InstalledOperators(storage::WorldStore& worlds, InstalledOperatorOptions options = {});

  // Refers to this object.
  rest::Resource Resource();

  Task<rest::Reading> Get(const kube::NamespacedName& name,
                          const rest::ReadOptions& options) override;
  Task<rest::Reading> List(const rest::Selection& selection,
                           const rest::ReadOptions& options) override;
  // The operator's icon, from spec.icon[0].
  Task<rest::Blob> GetBlob(const kube::NamespacedName& name) override;

 private:
  // The World that `options` ask for.
  Task<storage::WorldPtr> Read(rest::ReadOptions options);

  storage::WorldStore& worlds_;
  const InstalledOperatorOptions options_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_INSTALLED_OPERATOR_H_
