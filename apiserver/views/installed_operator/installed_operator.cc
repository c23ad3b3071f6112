#include "apiserver/views/installed_operator/installed_operator.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/openapi/openapi.h"
#include "apiserver/views/installed_operator/projection.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/status.h"
#include "kube/meta/uuid.h"
#include "olm/copy.h"
#include "olm/decode.h"

namespace steward::views {
namespace {

using storage::Source;
using storage::World;
using storage::WorldPtr;

const kube::GroupVersionKind kKind = {"views.operators.coreos.com", "v1alpha1",
                                      "InstalledOperator"};
const kube::GroupVersionResource kResource = {"views.operators.coreos.com", "v1alpha1",
                                              "installedoperators"};

// True when every source has come as far as `version` says; a component too far back says nothing.
bool HasReached(const World& world, const kube::PackedVersion& version) {
  return version.csv.value_or(0) <= world.source(Source::kCsv).seen &&
         version.operator_group.value_or(0) <= world.source(Source::kOperatorGroup).seen &&
         version.namespaces.value_or(0) <= world.source(Source::kNamespace).seen;
}

// What a read of `world` answers, but for its objects.
rest::Reading ReadingOf(const World& world) {
  rest::Reading reading;
  reading.resource_version = world.ResourceVersion();
  if (!world.connected()) {
    reading.warning =
        "the stream of changes from the kube-apiserver is interrupted: this answer may be out of "
        "date";
  }
  return reading;
}

// Exactly one object.
class SingleCursor : public rest::Cursor {
 public:
  SingleCursor(WorldPtr world, Appearance seen)
      : world_(std::move(world)), object_(std::move(seen)) {}
  const rest::Object* Next() override { return std::exchange(done_, true) ? nullptr : &object_; }

 private:
  WorldPtr world_;
  InstalledOperatorObject object_;
  bool done_ = false;
};

// Walks the namespaces of a World and, in each, its appearances: holds one namespace's at a time.
class ListCursor : public rest::Cursor {
 public:
  ListCursor(WorldPtr world, rest::Selection selection)
      : world_(std::move(world)),
        selection_(std::move(selection)),
        only_namespace_(selection_.ns.empty()
                            ? selection_.fields.RequiredValue("metadata.namespace")
                            : &selection_.ns),
        next_namespace_(only_namespace_ == nullptr
                            ? world_->namespaces().begin()
                            : world_->namespaces().LowerBound(*only_namespace_)) {}

  const rest::Object* Next() override {
    for (;;) {
      while (!batch_.empty()) {
        Appearance seen = std::move(batch_.front());
        batch_.pop_front();
        if (!Selected(seen)) continue;
        current_.emplace(std::move(seen));
        return &*current_;
      }
      if (!NextNamespace()) return nullptr;
    }
  }

 private:
  bool NextNamespace() {
    if (next_namespace_.done()) return false;
    const std::string& ns = next_namespace_.key();
    if (only_namespace_ != nullptr && ns != *only_namespace_) return false;
    if (const std::string* name = selection_.fields.RequiredValue("metadata.name")) {
      if (auto seen = FindAppearance(*world_, ns, *name)) batch_.push_back(*std::move(seen));
    } else {
      for (Appearance& seen : AppearancesIn(*world_, ns)) batch_.push_back(std::move(seen));
    }
    next_namespace_.Next();
    return true;
  }

  bool Selected(const Appearance& seen) {
    const auto field = [&seen](std::string_view path) -> std::string_view {
      return path == "metadata.name" ? seen.csv->key.name : seen.ns->name;
    };
    return selection_.fields.Matches(field) && (selection_.labels.empty() || LabelsMatch(seen));
  }

  // All appearances of one ClusterServiceVersion have the same labels, but for the one in its own
  // namespace.
  bool LabelsMatch(const Appearance& seen) {
    const auto [it, is_new] = matches_.try_emplace(std::make_pair(seen.csv, seen.own), false);
    if (is_new) {
      if (seen.own) {
        it->second = selection_.labels.Matches(seen.csv->labels);
      } else {
        kube::LabelMap labels = seen.csv->labels;
        labels.insert_or_assign(std::string(olm::kCopiedFromLabel), seen.csv->key.ns);
        it->second = selection_.labels.Matches(labels);
      }
    }
    return it->second;
  }

  const WorldPtr world_;
  const rest::Selection selection_;
  const std::string* const only_namespace_;  // null = all
  storage::OrderedMap<std::string, olm::NamespacePtr>::Iterator next_namespace_;
  std::deque<Appearance> batch_;
  std::optional<InstalledOperatorObject> current_;
  std::map<std::pair<const olm::Csv*, bool>, bool> matches_;
};

}  // namespace

InstalledOperators::InstalledOperators(storage::WorldStore& worlds,
                                       InstalledOperatorOptions options)
    : worlds_(worlds), options_(options) {}

rest::Resource InstalledOperators::Resource() {
  rest::Resource resource;
  resource.descriptor.gvk = kKind;
  resource.descriptor.plural = kResource.resource;
  resource.descriptor.singular = "installedoperator";
  resource.descriptor.short_names = {"iop"};
  resource.descriptor.categories = {"olm"};
  resource.columns = InstalledOperatorColumns();
  resource.openapi_schema = InstalledOperatorSchema();
  resource.get = this;
  resource.list = this;
  resource.subresources = {{"icon", this}};
  return resource;
}

Task<WorldPtr> InstalledOperators::Read(rest::ReadOptions options) {
  WorldPtr world = worlds_.Current();
  if (!world->synced()) {
    world =
        co_await worlds_.WaitUntil([](const World& w) { return w.synced(); }, options_.sync_wait);
    if (!world->synced()) {
      co_return kube::ToStatus(kube::ServiceUnavailable(
          "the operators of this cluster are still being read; try again shortly", 1));
    }
  }
  if (options.resource_version.empty() || options.resource_version == "0") co_return world;

  absl::StatusOr<kube::PackedVersion> asked = kube::Unpack(options.resource_version);
  if (!asked.ok()) {
    co_return kube::ToStatus(
        kube::BadRequest(StrCat("invalid resource version: ", asked.status().message())));
  }
  if (options.resource_version_match == "Exact") {
    if (world->ResourceVersion() == options.resource_version) co_return world;
    co_return kube::ToStatus(kube::Expired(StrCat(
        "The resourceVersion for the provided list is too old: ", options.resource_version)));
  }
  if (!HasReached(*world, *asked)) {
    const kube::PackedVersion wanted = *asked;
    world = co_await worlds_.WaitUntil([wanted](const World& w) { return HasReached(w, wanted); },
                                       options_.version_wait);
    if (!HasReached(*world, wanted)) {
      co_return kube::ToStatus(
          kube::TooLargeResourceVersion(options.resource_version, world->ResourceVersion()));
    }
  }
  co_return world;
}

Task<rest::Reading> InstalledOperators::Get(const kube::NamespacedName& name,
                                            const rest::ReadOptions& options) {
  CO_ASSIGN_OR_RETURN(WorldPtr world, co_await Read(options));
  std::optional<Appearance> seen = FindAppearance(*world, name.ns, name.name);
  if (!seen) co_return kube::ToStatus(kube::NotFound(kResource, name.name));
  rest::Reading reading = ReadingOf(*world);
  reading.cursor = std::make_unique<SingleCursor>(std::move(world), *std::move(seen));
  co_return reading;
}

Task<rest::Reading> InstalledOperators::List(const rest::Selection& selection,
                                             const rest::ReadOptions& options) {
  rest::Selection selected = selection;
  CO_ASSIGN_OR_RETURN(WorldPtr world, co_await Read(options));
  rest::Reading reading = ReadingOf(*world);
  reading.cursor = std::make_unique<ListCursor>(std::move(world), std::move(selected));
  co_return reading;
}

Task<rest::Blob> InstalledOperators::GetBlob(const kube::NamespacedName& name) {
  // Named, since g++ 12 destroys an aggregate temporary in a co_await expression twice.
  const rest::ReadOptions newest;
  CO_ASSIGN_OR_RETURN(WorldPtr world, co_await Read(newest));
  const std::optional<Appearance> seen = FindAppearance(*world, name.ns, name.name);
  if (!seen) co_return kube::ToStatus(kube::NotFound(kResource, name.name));
  absl::StatusOr<olm::Icon> icon = olm::DecodeIcon(*seen->csv);
  if (!icon.ok()) co_return kube::ToStatus(kube::NotFound(kResource, StrCat(name.name, "/icon")));
  rest::Blob blob;
  // Whoever writes a ClusterServiceVersion chooses the type: nothing but an image goes out under
  // its own name.
  blob.content_type =
      icon->media_type.starts_with("image/") ? icon->media_type : "application/octet-stream";
  blob.etag = StrCat("\"", kube::UuidV5(seen->csv->uid, icon->bytes), "\"");
  blob.bytes = std::move(icon->bytes);
  co_return blob;
}

}  // namespace steward::views
