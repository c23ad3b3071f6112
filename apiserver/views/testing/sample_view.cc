#include "apiserver/views/testing/sample_view.h"

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/views/virtual_resource/json_member.h"
#include "apiserver/views/virtual_resource/map_projection.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world.h"

namespace steward::views {
namespace {

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1", "Sample"};
constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"Sample","metadata":)";

// The content of one object.
struct Sample {
  kube::NamespacedName key;
  std::string uid;
  std::string phase;
  kube::LabelMap labels;
  bool operator==(const Sample&) const = default;
};

class SampleObject : public rest::Object {
 public:
  explicit SampleObject(std::shared_ptr<const Sample> sample) : sample_(std::move(sample)) {}

  std::string_view ns() const override { return sample_->key.ns; }
  std::string_view name() const override { return sample_->key.name; }
  void AppendJson(std::string_view resource_version, Rope& out) const override {
    out.text().append(kTypeMeta);
    AppendMetadata(resource_version, out);
    AppendMember("phase", sample_->phase, out.text());
    out.text().push_back('}');
  }
  void AppendMetadata(std::string_view resource_version, Rope& out) const override {
    out.text().push_back('{');
    AppendMember("name", sample_->key.name, out.text());
    AppendMember("namespace", sample_->key.ns, out.text());
    AppendMember("resourceVersion", resource_version, out.text());
    AppendMember("uid", sample_->uid, out.text());
    out.text().push_back('}');
  }
  void AppendCells(std::string& out) const override {
    out.push_back('[');
    AppendJsonString(sample_->key.name, out);
    out.push_back(']');
  }

 private:
  std::shared_ptr<const Sample> sample_;
};

struct SampleEncoder {
  using Object = SampleObject;
  static const kube::LabelMap& LabelsOf(const Sample& sample) { return sample.labels; }
  static const std::string& UidOf(const Sample& sample) { return sample.uid; }
  SampleObject Encode(std::shared_ptr<const Sample> sample) const {
    return SampleObject(std::move(sample));
  }
  std::unique_ptr<const rest::Object> Tombstone(kube::NamespacedName key) const {
    return std::make_unique<views::Tombstone>(kTypeMeta, 1, std::move(key));
  }
};

class SampleProjection : public MapProjection<Sample, SampleEncoder> {
 public:
  SampleProjection() : MapProjection(SampleEncoder()) {}

  const storage::SourceSet& sources() const override { return storage::kOperatorSources; }
  // A client that lacks changes must list again.
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      Window, const rest::Selection&) const override {
    co_return std::nullopt;
  }

 private:
  MapPtr MapOf(const storage::WorldPtr& world) const override {
    auto map = std::make_shared<Map>();
    const storage::OperatorWorldPtr operators = storage::OperatorWorld::Of(world);
    for (auto it = operators->csvs().begin(); !it.done(); it.Next()) {
      const olm::Csv& csv = *it.value();
      if (csv.copied) continue;
      (*map)[csv.key] = std::make_shared<Sample>(Sample{csv.key, csv.uid, csv.phase, csv.labels});
    }
    return map;
  }
};

}  // namespace

Samples::Samples(storage::WorldStore& worlds, VirtualResourceOptions options)
    : reads_(worlds, std::make_shared<const SampleProjection>(),
             {kKind.group, kKind.version, "samples"}, std::move(options)) {}

rest::Resource Samples::Resource() {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = "samples";
  resource.descriptor.singular = "sample";
  resource.columns = {{"Name", "string", "name", "The operator's ClusterServiceVersion", 0}};
  resource.openapi_schema = R"({"type":"object","description":"An operator's phase."})";
  reads_.ServeIn(resource);
  return resource;
}

}  // namespace steward::views
