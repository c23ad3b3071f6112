#include "payload/payload_preview.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/in_flight.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/client/pager.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "payload/dependencies.h"
#include "payload/object_applier.h"
#include "payload/object_remover.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr int64_t kPage = 500;
constexpr size_t kWidth = 8;

// Counts the objects of a resource, in one namespace or in all ("").
Task<int64_t> CountObjects(kube::Client& client, kube::GroupVersionResource gvr, std::string ns) {
  kube::ListOptions list;
  list.ns = std::move(ns);
  list.limit = kPage;
  list.metadata_only = true;
  int64_t count = 0;
  CO_RETURN_IF_ERROR(co_await kube::VisitAll(client, gvr, list, [&count](const kube::RawObject&) {
    ++count;
    return absl::OkStatus();
  }));
  co_return count;
}

// Returns the namespaced resources that can be listed, each in one version.
Task<std::vector<kube::GroupVersionResource>> NamespacedResources(kube::Client& client) {
  CO_ASSIGN_OR_RETURN(const std::vector<kube::GroupVersion> served,
                      co_await client.DiscoverGroups());
  std::vector<kube::GroupVersionResource> found;
  std::set<std::pair<std::string, std::string>> seen;
  for (const kube::GroupVersion& gv : served) {
    const absl::StatusOr<std::vector<kube::ApiResource>> resources = co_await client.Discover(gv);
    // An API whose server is unavailable, or that has just disappeared, is not counted.
    if (!resources.ok()) continue;
    for (const kube::ApiResource& each : *resources) {
      const bool listed =
          std::find(each.verbs.begin(), each.verbs.end(), "list") != each.verbs.end();
      if (!each.namespaced || !listed || !seen.emplace(gv.group, each.resource).second) continue;
      found.push_back({gv.group, gv.version, each.resource});
    }
  }
  co_return found;
}

Task<std::vector<PreviewedLoss>> CountLosses(kube::Client& client,
                                             std::vector<kube::GroupVersionResource> resources,
                                             std::string ns) {
  std::vector<PreviewedLoss> all(resources.size());
  co_await ForEachInFlight(resources.size(), kWidth, [&](size_t i) -> VoidTask {
    all[i].resource = resources[i].GroupResource();
    const absl::StatusOr<int64_t> count = co_await CountObjects(client, resources[i], ns);
    if (count.ok()) all[i].count = *count;
  });
  std::erase_if(all, [](const PreviewedLoss& each) { return each.count == 0; });
  co_return all;
}

// Counts the objects that are deleted along with the object.
Task<std::vector<PreviewedLoss>> LossesOf(kube::Client& client, const RemovalInspection& look,
                                          bool is_namespace) {
  const kube::GroupVersionResource& gvr = look.mapping->gvr;
  std::vector<kube::GroupVersionResource> resources;
  if (is_namespace) {
    CO_ASSIGN_OR_RETURN(resources, co_await NamespacedResources(client));
    co_return co_await CountLosses(client, std::move(resources), look.name.name);
  }
  if (gvr.group == "apiextensions.k8s.io" && gvr.resource == "customresourcedefinitions") {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw, co_await client.Get(gvr, look.name));
    CO_ASSIGN_OR_RETURN(const json::value definition, ParseJson(raw.json));
    const json::object* spec =
        definition.is_object() ? ObjectAt(definition.get_object(), "spec") : nullptr;
    const json::array* versions = spec == nullptr ? nullptr : ArrayAt(*spec, "versions");
    const json::object* names = spec == nullptr ? nullptr : ObjectAt(*spec, "names");
    if (versions != nullptr && names != nullptr) {
      for (const json::value& each : *versions) {
        if (!each.is_object() || !BoolAt(each.get_object(), "served")) continue;
        resources = {{std::string(StringAt(*spec, "group")),
                      std::string(StringAt(each.get_object(), "name")),
                      std::string(StringAt(*names, "plural"))}};
      }
    }
    co_return co_await CountLosses(client, std::move(resources), "");
  }
  co_return std::vector<PreviewedLoss>();
}

// Returns the object without the fields that change at each write.
json::object Comparable(const json::value& object) {
  json::object copy = object.get_object();
  if (json::value* metadata = copy.if_contains("metadata"); metadata && metadata->is_object()) {
    for (const char* key : {"managedFields", "resourceVersion", "generation"}) {
      metadata->get_object().erase(key);
    }
  }
  return copy;
}

class Previewer {
 public:
  Previewer(const PassDeps& deps, const PassPlan& plan, const PayloadOptions& options)
      : deps_(deps),
        plan_(plan),
        dependencies_(plan.included, GraphOf(plan)),
        applier_(deps.client, deps.mapper, deps.clock),
        remover_(deps.client, deps.mapper, deps.clock, deps.record, RemovalOptionsOf(plan, options),
                 nullptr) {}

  StatusTask Look(size_t index, PreviewedObject& object) {
    const olm::PayloadManifest& manifest = plan_.included[index];
    object.where = manifest.where;
    object.identity = manifest.identity;
    absl::Status looked;
    if (manifest.deletes) {
      looked = co_await LookAtRemoval(manifest, object);
    } else {
      looked = co_await LookAtApply(index, object);
    }
    if (!looked.ok()) co_return WithContext(manifest.identity.ToString(), looked);
    co_return looked;
  }

 private:
  // Turns the error into a refused action if it is a refusal, and otherwise returns it.
  static absl::Status Refused(const absl::Status& error, PreviewedObject& object) {
    const bool refusal =
        absl::IsFailedPrecondition(error) || (kube::IsAnswer(error) && !kube::IsTransient(error));
    if (!refusal) return error;
    object.action = PreviewAction::kRefused;
    object.reason = ToStd(error.message());
    return absl::OkStatus();
  }

  // Returns why an object whose namespace is missing will be refused; "" if the payload creates the
  // namespace first.
  std::string LacksNamespace(size_t index, const absl::Status& refusal) const {
    const std::optional<size_t> made = dependencies_.NamespaceOf(index);
    if (!made) return std::string(ToStd(refusal.message()));
    if (dependencies_.MayComeBefore(*made, index)) return "";
    return StrCat("its namespace is made later, by ", plan_.included[*made].where);
  }

  // Does the same for an object that no dry run can try, because the payload adds its definition.
  Task<std::string> WhyNotToBring(size_t index, size_t definition) {
    const std::string& ns = plan_.included[index].identity.ns;
    if (!dependencies_.MayComeBefore(definition, index)) {
      co_return StrCat("its definition is made later, by ", plan_.included[definition].where);
    }
    if (ns.empty()) co_return "";
    const kube::NamespacedName name = {"", ns};
    const absl::Status there = (co_await deps_.client.Get(kube::kNamespaces, name)).status();
    if (!kube::IsNotFound(there, ns)) co_return "";
    co_return LacksNamespace(index, there);
  }

  // Returns true if the payload changes the kind's definition before it applies the object.
  Task<bool> ChangesDefinition(size_t index) {
    const std::optional<size_t> definition = dependencies_.DefinitionOf(index);
    if (!definition || !dependencies_.MayComeBefore(*definition, index)) co_return false;
    const absl::StatusOr<ApplyPlan> plan = co_await applier_.Plan(plan_.included[*definition]);
    co_return plan.ok() && plan->action != ApplyAction::kUnchanged;
  }

  StatusTask LookAtApply(size_t index, PreviewedObject& object) {
    const olm::PayloadManifest& manifest = plan_.included[index];
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                        co_await deps_.mapper.Find(manifest.gvk));
    const std::optional<size_t> definition = dependencies_.DefinitionOf(index);
    if (!mapping && definition) {
      CO_ASSIGN_OR_RETURN(const std::string refused, co_await WhyNotToBring(index, *definition));
      object.action = refused.empty() ? PreviewAction::kCreate : PreviewAction::kRefused;
      object.reason = refused.empty() ? "the payload brings its definition" : refused;
      co_return absl::OkStatus();
    }
    absl::StatusOr<ApplyPlan> plan = co_await applier_.Plan(manifest);
    if (!plan.ok()) co_return Refused(plan.status(), object);
    switch (plan->action) {
      case ApplyAction::kUnchanged:
        co_return absl::OkStatus();
      case ApplyAction::kLeft:
        object.reason = "it is there, and is only to be created";
        co_return absl::OkStatus();
      case ApplyAction::kCreate:
        object.action = PreviewAction::kCreate;
        break;
      case ApplyAction::kUpdate:
        object.action = PreviewAction::kUpdate;
        object.fields = plan->fields;
        break;
    }
    const absl::StatusOr<json::value> tried =
        co_await applier_.Write(manifest, *plan, /*dry_run=*/true);
    if (!tried.ok()) {
      if (plan->action == ApplyAction::kCreate && kube::SaysNotFound(tried.status())) {
        const std::string refused = LacksNamespace(index, tried.status());
        if (!refused.empty()) object.action = PreviewAction::kRefused;
        object.reason = refused.empty() ? "the payload makes its namespace" : refused;
        co_return absl::OkStatus();
      }
      CO_RETURN_IF_ERROR(Refused(tried.status(), object));
      CO_ASSIGN_OR_RETURN(const bool changes, co_await ChangesDefinition(index));
      if (!changes) co_return absl::OkStatus();
      object.action =
          plan->action == ApplyAction::kCreate ? PreviewAction::kCreate : PreviewAction::kUpdate;
      object.reason = "the payload changes its definition first, so it cannot be tried";
      co_return absl::OkStatus();
    }
    if (plan->action == ApplyAction::kUpdate && tried->is_object() &&
        Comparable(*tried) == Comparable(plan->live)) {
      object.action = PreviewAction::kUnchanged;
      object.fields.clear();
    }
    co_return absl::OkStatus();
  }

  StatusTask LookAtRemoval(const olm::PayloadManifest& manifest, PreviewedObject& object) {
    const absl::StatusOr<RemovalInspection> look =
        co_await remover_.Inspect(manifest.identity, manifest.StoredVersion());
    if (!look.ok()) co_return Refused(look.status(), object);
    const olm::RemovalDecision& decision = look->decision;
    if (!decision.removal) {
      object.action = PreviewAction::kKept;
      object.reason = plan_.state == olm::PayloadState::kInitializing
                          ? "an installation deletes nothing"
                          : "nothing is deleted once the update is completed";
      co_return absl::OkStatus();
    }
    const olm::Removal& removal = *decision.removal;
    if (!look->refused.empty()) {
      object.action = PreviewAction::kRefused;
      object.reason = look->refused;
      co_return absl::OkStatus();
    }
    if (!look->live) {
      object.reason = "it is not there";
      co_return absl::OkStatus();
    }
    if (removal.state == olm::RemovalState::kReappeared) {
      object.action = PreviewAction::kKept;
      object.reason = removal.note;
      co_return absl::OkStatus();
    }
    if (!decision.deletes && !look->live->deleting) {
      object.action = PreviewAction::kKept;
      object.reason = "nothing is deleted once the update is completed";
      co_return absl::OkStatus();
    }
    object.action = PreviewAction::kDelete;
    if (look->live->deleting) object.reason = "it is being deleted already";
    CO_ASSIGN_OR_RETURN(object.losses,
                        co_await LossesOf(deps_.client, *look, manifest.identity.IsNamespace()));
    co_return absl::OkStatus();
  }

  const PassDeps& deps_;
  const PassPlan& plan_;
  const Dependencies dependencies_;
  ObjectApplier applier_;
  ObjectRemover remover_;
};

}  // namespace

std::string_view NameOf(PreviewAction action) {
  switch (action) {
    case PreviewAction::kCreate:
      return "create";
    case PreviewAction::kUpdate:
      return "update";
    case PreviewAction::kUnchanged:
      return "unchanged";
    case PreviewAction::kDelete:
      return "delete";
    case PreviewAction::kKept:
      return "kept";
    case PreviewAction::kRefused:
      return "refused";
  }
  return "";
}

Task<Preview> MakePreview(const PassDeps& deps, const Release& release,
                          const PayloadOptions& options) {
  CO_RETURN_IF_ERROR(co_await deps.record.Load());
  CO_ASSIGN_OR_RETURN(PassPlan plan, co_await MakePassPlan(deps, release, options));
  Preview preview;
  preview.state = plan.state;
  preview.version = plan.version;
  preview.preconditions = plan.preconditions;
  preview.left_out = plan.left_out;
  preview.faults = plan.faults;
  preview.notes = plan.notes;
  if (!preview.faults.empty()) co_return preview;
  preview.objects.resize(plan.included.size());
  Previewer previewer(deps, plan, options);
  absl::Status failure;
  co_await ForEachInFlight(plan.included.size(), kWidth, [&](size_t i) -> VoidTask {
    if (!failure.ok()) co_return;
    failure.Update(co_await previewer.Look(i, preview.objects[i]));
  });
  CO_RETURN_IF_ERROR(failure);
  co_return preview;
}

}  // namespace steward::payload
