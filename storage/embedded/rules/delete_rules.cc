#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/meta/time.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/rules/object_rules.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

using Propagation = kube::DeleteOptions::Propagation;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

absl::Status CheckPreconditions(const kube::ResourceType& type, const json::object& meta,
                                const kube::DeleteOptions& options) {
  // Like those of Kubernetes, these conflicts name the kind where others name the resource.
  const kube::GroupVersionResource kind{type.gvk.group, type.gvk.version, type.gvk.kind};
  const std::string_view name = StringAt(meta, "name");
  if (const std::string_view uid = StringAt(meta, "uid");
      !options.uid.empty() && options.uid != uid) {
    return kube::ToStatus(kube::Conflict(
        kind, name,
        StrCat("the UID in the precondition (", options.uid, ") does not match the UID in record (",
               uid, "). The object might have been deleted and then recreated")));
  }
  if (const std::string_view version = StringAt(meta, "resourceVersion");
      !options.resource_version.empty() && options.resource_version != version) {
    return kube::ToStatus(
        kube::Conflict(kind, name,
                       StrCat("the ResourceVersion in the precondition (", options.resource_version,
                              ") does not match the ResourceVersion in record (", version,
                              "). The object might have been modified")));
  }
  return absl::OkStatus();
}

// The object's finalizers, with the one by which `propagation` instructs the garbage collector.
json::array FinalizersFor(Propagation propagation, const json::object& meta) {
  json::array finalizers;
  if (const json::array* stored = ArrayAt(meta, "finalizers")) finalizers = *stored;
  if (propagation == Propagation::kDefault) return finalizers;
  std::string_view wanted;
  if (propagation == Propagation::kForeground) wanted = kForeground;
  if (propagation == Propagation::kOrphan) wanted = kOrphan;
  json::array out;
  bool found = false;
  for (json::value& finalizer : finalizers) {
    const std::string_view name = View(finalizer.get_string());
    found |= name == wanted;
    if (name == wanted || (name != kForeground && name != kOrphan)) {
      out.push_back(std::move(finalizer));
    }
  }
  if (!wanted.empty() && !found) out.push_back(Key(wanted));
  return out;
}

}  // namespace

void MarkDeleted(absl::Time now, json::object& meta) {
  if (!meta.contains("deletionTimestamp")) {
    meta["deletionTimestamp"] = kube::FormatRfc3339(now);
    json::value* generation = meta.if_contains("generation");
    if (generation != nullptr && generation->is_int64()) ++generation->get_int64();
  }
  meta["deletionGracePeriodSeconds"] = 0;
}

absl::StatusOr<DeleteOutcome> PrepareDelete(const kube::ResourceType& type,
                                            const json::object& stored,
                                            const kube::DeleteOptions& options,
                                            const WriteContext& context) {
  RETURN_IF_ERROR(CheckPreconditions(type, MetaOf(stored), options));
  const Propagation propagation =
      MayHaveDependents(type) ? options.propagation : Propagation::kBackground;
  json::array finalizers = FinalizersFor(propagation, MetaOf(stored));
  if (finalizers.empty()) return DeleteOutcome{DeleteOutcome::Kind::kRemoved, stored};

  DeleteOutcome outcome{DeleteOutcome::Kind::kMarked, stored};
  json::object& meta = outcome.object["metadata"].get_object();
  meta["finalizers"] = std::move(finalizers);
  MarkDeleted(context.now, meta);
  meta = InOrder(meta);
  if (outcome.object == stored) outcome.kind = DeleteOutcome::Kind::kUnchanged;
  return outcome;
}

json::object DeletedStatus(const kube::ResourceType& type, const json::object& object) {
  const json::object& meta = MetaOf(object);
  json::object details;
  details["name"] = Key(StringAt(meta, "name"));
  if (!type.gvk.group.empty()) details["group"] = type.gvk.group;
  details["kind"] = type.plural;
  details["uid"] = Key(StringAt(meta, "uid"));
  json::object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"] = json::object();
  status["status"] = "Success";
  status["details"] = std::move(details);
  return status;
}

}  // namespace steward::storage
