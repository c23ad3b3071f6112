#include "apiserver/views/installed_operator/installed_operator.h"

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/views/installed_operator/count.h"
#include "apiserver/views/installed_operator/cursors.h"
#include "apiserver/views/installed_operator/diff.h"
#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/openapi/openapi.h"
#include "apiserver/views/installed_operator/projection.h"
#include "apiserver/views/installed_operator/suspects.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"
#include "olm/decode.h"
#include "storage/operators/operator_world.h"

namespace steward::views {
namespace {

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1",
                                      "InstalledOperator"};
const kube::GroupVersionResource kResource = {"views.operators.coreos.com", "v1alpha1",
                                              "installedoperators"};

using storage::OperatorWorld;

class InstalledOperatorProjection : public Projection {
 public:
  const storage::SourceSet& sources() const override { return storage::kOperatorSources; }
  std::unique_ptr<const rest::Object> Find(const storage::WorldPtr& world,
                                           const kube::NamespacedName& key) const override {
    std::optional<Appearance> seen = FindAppearance(OperatorWorld::Of(*world), key.ns, key.name);
    if (!seen) return nullptr;
    return std::make_unique<InstalledOperatorObject>(*std::move(seen));
  }
  std::unique_ptr<PageableCursor> List(storage::WorldPtr world, rest::Selection selection,
                                       std::optional<kube::NamespacedName> after) const override {
    return std::make_unique<ListCursor>(OperatorWorld::Of(std::move(world)), std::move(selection),
                                        std::move(after));
  }
  Task<int64_t> Count(storage::WorldPtr world, std::string ns,
                      std::optional<kube::NamespacedName> after) const override {
    return CountBehind(OperatorWorld::Of(std::move(world)), std::move(ns), std::move(after));
  }
  std::unique_ptr<Difference> Compare(Span span, rest::Selection selection) const override {
    return std::make_unique<DiffCursor>(std::move(span), std::move(selection));
  }
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window window, const rest::Selection& selection) const override {
    return InstalledOperatorSuspects(std::move(window), selection);
  }
};

}  // namespace

std::shared_ptr<const Projection> MakeInstalledOperatorProjection() {
  return std::make_shared<const InstalledOperatorProjection>();
}

InstalledOperators::InstalledOperators(storage::WorldStore& worlds, VirtualResourceOptions options)
    : worlds_(worlds),
      reads_(worlds, MakeInstalledOperatorProjection(), kResource, std::move(options)) {}

rest::Resource InstalledOperators::Resource() {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = kResource.resource;
  resource.descriptor.singular = "installedoperator";
  resource.descriptor.short_names = {"iop"};
  resource.descriptor.categories = {"olm"};
  resource.columns = InstalledOperatorColumns();
  resource.openapi_schema = InstalledOperatorSchema();
  reads_.ServeIn(resource);
  resource.subresources = {{"icon", this}};
  resource.where_to_write = [this](const kube::NamespacedName& name) {
    const storage::WorldPtr world = worlds_.Current();
    const std::optional<Appearance> seen =
        FindAppearance(OperatorWorld::Of(*world), name.ns, name.name);
    return WhereToWrite("InstalledOperators", "ClusterServiceVersion",
                        seen ? seen->csv->key : kube::NamespacedName());
  };
  return resource;
}

Task<rest::Blob> InstalledOperators::GetBlob(const kube::NamespacedName& name) {
  CO_ASSIGN_OR_RETURN(const Snapshot snapshot, co_await reads_.reader().ReadNewest());
  const std::optional<Appearance> seen =
      FindAppearance(OperatorWorld::Of(*snapshot.world), name.ns, name.name);
  if (!seen) co_return kube::ToStatus(kube::NotFound(kResource, name.name));
  absl::StatusOr<olm::Icon> icon = olm::DecodeIcon(*seen->csv);
  if (!icon.ok()) {
    kube::Status missing = kube::NotFound(kResource, StrCat(name.name, "/icon"));
    if (!absl::IsNotFound(icon.status())) {
      missing.message = StrCat("the icon of ", kResource.GroupResource(), " \"", name.name,
                               "\" cannot be decoded: ", ToStd(icon.status().message()));
    }
    co_return kube::ToStatus(missing);
  }
  rest::Blob blob;
  // The author of a ClusterServiceVersion chooses the media type, so only images are sent under
  // their own type.
  blob.content_type =
      icon->media_type.starts_with("image/") ? icon->media_type : "application/octet-stream";
  blob.etag = StrCat("\"", kube::UuidV5(seen->csv->uid, icon->bytes), "\"");
  blob.bytes = std::move(icon->bytes);
  co_return blob;
}

}  // namespace steward::views
