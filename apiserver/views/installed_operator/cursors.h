// Cursors over a World's InstalledOperators. Not thread-safe.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_CURSORS_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_CURSORS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"

namespace steward::views {

// Lists all selected objects, in the order of (namespace, name), behind `after` if it is given.
// Holds the appearances of one namespace at a time. Pauses after looking at some hundred namespaces
// and appearances.
class ListCursor : public PageableCursor {
 public:
  ListCursor(storage::OperatorWorldPtr world, rest::Selection selection,
             std::optional<kube::NamespacedName> after = std::nullopt);

  const rest::Object* Next() override;
  Task<bool> More() override;
  void Keep() override { kept_.push_back(current_->appearance()); }
  std::unique_ptr<rest::Cursor> TakeKept() override;

 private:
  // Returns false if no namespace has a ClusterServiceVersion of this name, so that no object does.
  // Looks at the first few hundred namespaces that have any.
  bool MayBeInstalled(const std::string& name);
  bool NextNamespace();
  bool Selected(const Appearance& seen);

  const storage::OperatorWorldPtr world_;
  const rest::Selection selection_;
  const std::string* const only_namespace_;  // null = all
  std::optional<kube::NamespacedName> after_;
  storage::OrderedMap<std::string, olm::NamespacePtr>::Iterator next_namespace_;
  std::vector<Appearance> batch_;  // of one namespace
  size_t next_in_batch_ = 0;
  int looked_at_ = 0;  // since the last pause
  bool done_ = false;
  std::optional<InstalledOperatorObject> current_;
  std::vector<Appearance> kept_;
  std::map<std::pair<const olm::Csv*, bool>, bool> matches_;  // by labels
};

// Lists the given appearances, which borrow from `world`.
class AppearanceCursor : public rest::Cursor {
 public:
  AppearanceCursor(storage::OperatorWorldPtr world, std::vector<Appearance> appearances)
      : world_(std::move(world)), appearances_(std::move(appearances)) {}
  const rest::Object* Next() override;

 private:
  const storage::OperatorWorldPtr world_;
  std::vector<Appearance> appearances_;
  size_t next_ = 0;
  std::optional<InstalledOperatorObject> current_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_CURSORS_H_
