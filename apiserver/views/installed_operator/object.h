// An InstalledOperator in each of its written forms. Immutable.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_OBJECT_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_OBJECT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/installed_operator/projection.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"

namespace steward::views {

// The replacement of OLM's copy of a ClusterServiceVersion: the content of the copy, plus `scope`.
// Valid as long as the World that the appearance borrows from.
class InstalledOperatorObject : public rest::Object {
 public:
  explicit InstalledOperatorObject(Appearance appearance) : seen_(std::move(appearance)) {}

  const Appearance& appearance() const { return seen_; }
  std::string_view ns() const override { return seen_.ns->name; }
  std::string_view name() const override { return seen_.csv->key.name; }
  std::string OwnVersion() const override;
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override;

 private:
  void AppendScope(std::string& out) const;

  Appearance seen_;
};

// An object whose name alone is known, reported as deleted.
std::unique_ptr<const rest::Object> InstalledOperatorTombstone(kube::NamespacedName key);

// The columns that AppendCells fills.
std::vector<rest::Column> InstalledOperatorColumns();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_OBJECT_H_
