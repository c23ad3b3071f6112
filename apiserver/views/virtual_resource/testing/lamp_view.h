// An invented virtual resource, for tests: a light for each lamp whose room exists. Not
// thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_LAMP_VIEW_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_LAMP_VIEW_H_

#include <memory>
#include <string>
#include <string_view>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "storage/world/testing/lamp_world.h"

namespace steward::views {

// One object, which borrows nothing.
class Light : public rest::Object {
 public:
  Light(const storage::Lamp& lamp, const storage::Room& room);

  bool operator==(const Light& other) const;
  const std::string& uid() const { return uid_; }
  bool SelectedBy(const rest::Selection& selection) const;

  std::string_view ns() const override { return key_.ns; }
  std::string_view name() const override { return key_.name; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  void AppendCells(std::string& out) const override { out.append("[]"); }

 private:
  const kube::NamespacedName key_;
  const std::string uid_;
  const kube::LabelMap labels_;
  const bool shines_;
};

// The projection of kLampSources to lights.
std::shared_ptr<const Projection> MakeLampProjection();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_LAMP_VIEW_H_
