// A PlanPreview that was created: a question with its answer. Immutable.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_CREATION_OBJECT_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_CREATION_OBJECT_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "base/splice/rope.h"
#include "olm/preview/preview.h"

namespace steward::views {

// It is stored nowhere: it has no UID, no resource version and no time.
class CreatedPreview : public rest::Object {
 public:
  // The question's metadata, which has a namespace and a name, and spec, and the answer.
  CreatedPreview(boost::json::object metadata, boost::json::object spec, olm::PlanPreview answer);

  std::string_view ns() const override;
  std::string_view name() const override;
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  // One for each of CreatedPreviewColumns.
  void AppendCells(std::string& out) const override;

 private:
  void AppendStatus(std::string& out) const;

  const boost::json::object metadata_;
  const boost::json::object spec_;
  const olm::PlanPreview answer_;
};

std::vector<rest::Column> CreatedPreviewColumns();

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_CREATION_OBJECT_H_
