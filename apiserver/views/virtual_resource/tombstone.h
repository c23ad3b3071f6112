// An object whose name alone is known, reported as deleted to clients that may hold it. Immutable.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TOMBSTONE_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TOMBSTONE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/resource/resource.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"

namespace steward::views {

class Tombstone : public rest::Object {
 public:
  // `type_meta` is the beginning of the kind's JSON, up to the value of its last member, metadata,
  // in static storage. `columns` is the number of columns of the kind's table.
  Tombstone(std::string_view type_meta, size_t columns, kube::NamespacedName key)
      : type_meta_(type_meta), columns_(columns), key_(std::move(key)) {}

  std::string_view ns() const override { return key_.ns; }
  std::string_view name() const override { return key_.name; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override;

 private:
  const std::string_view type_meta_;
  const size_t columns_;
  const kube::NamespacedName key_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TOMBSTONE_H_
