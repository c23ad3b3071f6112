#include "controllers/operator/operator_writer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/operator/component.h"
#include "olm/operator/component_label.h"
#include "olm/resources.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-operators";
constexpr int kPage = 500;
constexpr size_t kMaxNamed = 10;

std::string TextOf(const olm::ComponentRef& ref) {
  return ref.name.ns.empty() ? StrCat(ref.gvk.kind, " ", ref.name.name)
                             : StrCat(ref.gvk.kind, " ", ref.name.ns, "/", ref.name.name);
}

// The size in JSON in bytes, or a little more.
size_t SizeOf(const olm::ComponentRef& ref) {
  constexpr size_t kMembers = 80;
  return kMembers + ref.gvk.kind.size() + ref.gvk.group.size() + ref.gvk.version.size() +
         ref.name.ns.size() + ref.name.name.size() + Serialize(ref.conditions).size();
}

bool IsGenerated(const json::value& object) {
  const auto component = olm::ReadComponent(object.get_object());
  return component.ok() && component->generated;
}

// True if the label does not count on this listed object, because the object has more component
// labels than kMaxOperatorsOfOne.
bool BearsNot(const kube::RawObject& raw, const std::string& name) {
  const absl::StatusOr<json::value> value = ParseJson(raw.json);
  if (!value.ok() || !value->is_object()) return false;
  const absl::StatusOr<olm::Component> component = olm::ReadComponent(value->get_object());
  return component.ok() && component->more_operators && !component->operators.contains(name);
}

}  // namespace

OperatorWriter::OperatorWriter(const ReconcilerDeps& deps, ComponentIndex& index,
                               OperatorMetrics& metrics)
    : deps_(deps), index_(index), metrics_(metrics), mapper_(deps.client, deps.clock) {}

Task<ReconcileResult> OperatorWriter::Reconcile(std::string name) {
  const bool bare = index_.ComponentsOf(name).empty();
  if (bare && index_.Find({kOperatorKindAt, {"", name}}) == nullptr) {
    settled_.erase(name);
    co_return ReconcileResult::Done();
  }
  CO_ASSIGN_OR_RETURN(Shown shown, co_await ReadRefs(name));
  co_return co_await Write(std::move(name), std::move(shown));
}

Task<OperatorWriter::Shown> OperatorWriter::ReadRefs(std::string name) {
  const std::set<ComponentId>& all = index_.ComponentsOf(name);
  const size_t total = all.size();
  const size_t read = std::min(total, kMaxShown);
  const std::vector<ComponentId> components(
      all.begin(), std::next(all.begin(), static_cast<std::ptrdiff_t>(read)));
  Shown shown;
  shown.left_out = total - read;
  size_t bytes = 0;
  for (size_t i = 0; i < read; ++i) {
    const ComponentId& id = components[i];
    CO_ASSIGN_OR_RETURN(std::optional<json::array> conditions, co_await ReadConditionsOf(id, name));
    if (!conditions) continue;
    olm::ComponentRef ref;
    ref.gvk = index_.kinds()[id.kind].gvk;
    ref.name = id.name;
    ref.conditions = *std::move(conditions);
    bytes += SizeOf(ref);
    if (bytes > kMaxShownBytes) {
      shown.left_out += read - i;
      break;
    }
    shown.refs.push_back(std::move(ref));
  }
  co_return shown;
}

Task<std::optional<json::array>> OperatorWriter::ReadConditionsOf(ComponentId id,
                                                                  std::string name) {
  std::optional<json::array> conditions;
  if (id.kind == kCsvKindAt) {
    const auto world = storage::OperatorWorld::Of(deps_.worlds.Current());
    if (const olm::CsvPtr* csv = world->csvs().Find(id.name)) conditions = ConditionsOf(**csv);
    co_return conditions;
  }
  const WatchedKind& kind = index_.kinds()[id.kind];
  conditions.emplace();
  if (!kind.conditions) co_return conditions;
  if (const std::string* kept = index_.ConditionsOf(id)) {
    CO_ASSIGN_OR_RETURN(const json::value value, ParseJson(*kept));
    if (value.is_array()) *conditions = value.get_array();
    co_return conditions;
  }
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kind.gvr, id.name);
  if (kube::IsNotFound(raw.status(), id.name.name)) co_return std::nullopt;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value value, ParseJson(raw->json));
  if (!value.is_object()) co_return absl::DataLossError("a component is no object");
  const json::object& object = value.get_object();
  CO_ASSIGN_OR_RETURN(const olm::Component component, olm::ReadComponent(object));
  if (!component.operators.contains(name) || component.copied) co_return std::nullopt;
  *conditions = olm::ReadConditions(object);
  index_.KeepConditions(id, component.resource_version, Serialize(*conditions));
  co_return conditions;
}

Task<ReconcileResult> OperatorWriter::Write(std::string name, Shown shown) {
  const kube::NamespacedName key = {"", name};
  const std::vector<olm::ComponentRef>& refs = shown.refs;
  const bool unused = refs.empty() && shown.left_out == 0;
  const int width = std::bit_width(shown.left_out);
  const json::object components = olm::ComponentsOf(name, refs);
  const olm::Component* known = index_.Find({kOperatorKindAt, key});
  const auto settled = settled_.find(name);
  const int told = settled == settled_.end() ? 0 : settled->second.left_out_width;
  if (known != nullptr && settled != settled_.end() && known->uid == settled->second.uid &&
      known->resource_version == settled->second.resource_version &&
      components == settled->second.components && width == told) {
    co_return ReconcileResult::Done();
  }
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(olm::kOperators, key);
  json::value object;
  if (kube::IsNotFound(raw.status(), name)) {
    // An Operator cannot have an invalid name.
    if (unused || !kube::IsDns1123Subdomain(name)) co_return ReconcileResult::Done();
    const json::value fresh = olm::NewOperator(name);
    kube::WriteOptions options;
    options.field_manager = kManager;
    CO_ASSIGN_OR_RETURN(object, co_await deps_.client.Create(olm::kOperators, "", fresh, options));
    metrics_.created.Increment();
    log::Info("Made an Operator", {{"name", name}});
  } else {
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(object, ParseJson(raw->json));
  }
  if (!object.is_object()) co_return absl::DataLossError("an Operator is no object");
  // The watch will report its deletion, and then the Operator is created again.
  if (!kube::MetadataText(object, "deletionTimestamp").empty()) co_return ReconcileResult::Done();
  // While UncutNamesOf has names, objects are about to get its label, so do not delete it.
  if (unused && IsGenerated(object) && index_.UncutNamesOf(name).empty()) {
    co_return co_await Remove(std::move(name), std::move(object));
  }
  if (olm::SetComponents(components, object.get_object())) {
    Report(name, refs, object);
    kube::WriteOptions options;
    options.field_manager = kManager;
    options.subresource = "status";
    // A conflict is an ordinary error: the retry reads the Operator again.
    CO_ASSIGN_OR_RETURN(object, co_await deps_.client.Update(olm::kOperators, object, options));
    metrics_.status_written.Increment();
  }
  Settled found;
  found.uid = kube::MetadataText(object, "uid");
  found.resource_version = kube::MetadataText(object, "resourceVersion");
  found.components = components;
  found.left_out_width = width;
  if (width > told) ReportLeftOut(name, shown.left_out, found.uid);
  settled_.insert_or_assign(name, std::move(found));
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> OperatorWriter::Remove(std::string name, json::value object) {
  CO_RETURN_IF_ERROR(co_await ProveUnused(name));
  kube::DeleteOptions options;
  options.uid = kube::MetadataText(object, "uid");
  options.resource_version = kube::MetadataText(object, "resourceVersion");
  const kube::NamespacedName key = {"", name};
  const absl::Status deleted =
      (co_await deps_.client.Delete(olm::kOperators, key, options)).status();
  if (kube::IsNotFound(deleted, name)) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(deleted);
  metrics_.deleted.Increment();
  log::Info("Deleted an Operator, as nothing bears its label any more", {{"name", name}});
  co_return ReconcileResult::Done();
}

StatusTask OperatorWriter::ProveUnused(std::string name) {
  for (const WatchedKind& kind : index_.kinds()) {
    if (!kind.component) continue;
    kube::ListOptions options;
    options.label_selector = olm::ComponentLabel(name);
    if (kind.selector == olm::kManagedSelector) {
      StrAppend(&options.label_selector, ",", kind.selector);
    }
    StrAppend(&options.label_selector, ",!olm.copiedFrom");
    options.limit = kPage;
    options.metadata_only = true;
    std::function<absl::Status(const kube::RawObject&)> refuse =
        [&kind, &name](const kube::RawObject& raw) {
          return BearsNot(raw, name)
                     ? absl::OkStatus()
                     : absl::UnavailableError(StrCat("the label is still borne by an object of ",
                                                     kind.gvr.GroupResource()));
        };
    const absl::Status listed =
        co_await kube::VisitAll(deps_.client, kind.gvr, options, std::move(refuse));
    if (listed.ok()) continue;
    if (!kube::IsNotServed(listed)) co_return listed;
    // Only discovery proves that the cluster lacks the kind.
    CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> served,
                        co_await mapper_.Find(kind.gvk));
    if (served) co_return listed;
  }
  co_return absl::OkStatus();
}

void OperatorWriter::ReportLeftOut(const std::string& name, size_t left_out,
                                   const std::string& uid) {
  const ObjectReference about = {index_.kinds()[kOperatorKindAt].gvk, {"", name}, uid};
  deps_.events.Record(
      about, EventType::kWarning, "TooManyComponents",
      StrCat("Its status shows the first of its components, and leaves out ", left_out, " more"));
}

void OperatorWriter::Report(const std::string& name, const std::vector<olm::ComponentRef>& refs,
                            const json::value& object) {
  const ObjectReference about = {
      index_.kinds()[kOperatorKindAt].gvk, {"", name}, kube::MetadataText(object, "uid")};
  const std::set<std::string> uncut = index_.UncutNamesOf(name);
  if (uncut.size() > 1) {
    deps_.events.Record(about, EventType::kWarning, "NameShared",
                        StrCat("This Operator shows the components of ", uncut.size(),
                               " operators, as a label's name ends after 63 characters: ",
                               absl::StrJoin(uncut, ", ")));
  }
  const bool outlives =
      uncut.empty() && !refs.empty() &&
      std::none_of(refs.begin(), refs.end(), [this](const olm::ComponentRef& ref) {
        return ref.gvk == index_.kinds()[kCsvKindAt].gvk ||
               ref.gvk == index_.kinds()[kSubscriptionKindAt].gvk;
      });
  if (!outlives) return;
  std::vector<std::string> named;
  for (const olm::ComponentRef& ref : refs) {
    if (named.size() < kMaxNamed) named.push_back(TextOf(ref));
  }
  std::string message =
      StrCat("Its ClusterServiceVersion and its Subscription are gone, but these bear its label ",
             olm::ComponentLabel(name), ": ", absl::StrJoin(named, ", "));
  if (refs.size() > named.size()) StrAppend(&message, " and ", refs.size() - named.size(), " more");
  if (IsGenerated(object)) StrAppend(&message, ". It is deleted once nothing bears the label");
  deps_.events.Record(about, EventType::kNormal, "OperatorKept", message);
}

}  // namespace steward::controllers
