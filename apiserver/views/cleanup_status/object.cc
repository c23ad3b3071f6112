#include "apiserver/views/cleanup_status/object.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/views/virtual_resource/json_member.h"
#include "apiserver/views/virtual_resource/tombstone.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/human_duration.h"
#include "kube/meta/time.h"
#include "kube/meta/uuid.h"

namespace steward::views {
namespace {

constexpr std::string_view kTypeMeta =
    R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"CleanupStatus","metadata":)";

// Appends `,` unless an array has just begun.
void NextElement(std::string& out) {
  if (out.back() != '[') out.push_back(',');
}

void AppendFlag(std::string_view key, bool value, std::string& out) {
  AppendKey(key, out);
  out.append(value ? "true" : "false");
}

void AppendText(std::string_view key, std::string_view value, std::string& out) {
  if (!value.empty()) AppendMember(key, value, out);
}

void AppendCount(std::string_view key, size_t count, std::string& out) {
  AppendKey(key, out);
  StrAppend(&out, count);
}

// `object` is "ns/name", or the name of a cluster-scoped object.
bool IsElsewhere(std::string_view object, std::string_view ns) {
  const size_t slash = object.find('/');
  return slash != std::string_view::npos && object.substr(0, slash) != ns;
}

void AppendBlocker(const olm::CleanupBlocker& blocker, std::string_view ns, std::string& out) {
  const auto elsewhere = static_cast<size_t>(
      std::count_if(blocker.objects.begin(), blocker.objects.end(),
                    [ns](const std::string& object) { return IsElsewhere(object, ns); }));
  NextElement(out);
  out.push_back('{');
  AppendMember("message", blocker.message, out);
  if (elsewhere < blocker.objects.size()) {
    AppendKey("objects", out);
    out.push_back('[');
    for (const std::string& object : blocker.objects) {
      if (IsElsewhere(object, ns)) continue;
      NextElement(out);
      AppendJsonString(object, out);
    }
    out.push_back(']');
  }
  if (elsewhere > 0) AppendCount("objectsElsewhere", elsewhere, out);
  AppendMember("reason", olm::ToString(blocker.reason), out);
  out.push_back('}');
}

void AppendCondition(const olm::SaidCondition& condition, std::string& out) {
  NextElement(out);
  out.push_back('{');
  AppendText("lastTransitionTime", condition.last_transition, out);
  AppendText("lastUpdateTime", condition.last_update, out);
  AppendText("message", condition.message, out);
  AppendText("phase", condition.phase, out);
  AppendMember("reason", condition.reason, out);
  out.push_back('}');
}

void AppendOperand(const olm::CleanupOutlook& outlook, const olm::PendingOperand& operand,
                   std::string& out) {
  NextElement(out);
  out.push_back('{');
  AppendMember("kind", operand.kind, out);
  AppendMember("name", operand.name, out);
  AppendText("namespace", operand.ns, out);
  AppendText("resource", olm::ResourceOf(outlook, operand), out);
  out.push_back('}');
}

void AppendResource(const olm::OwnedResource& resource, std::string& out) {
  NextElement(out);
  out.push_back('{');
  AppendMember("group", resource.group, out);
  AppendText("kind", resource.kind, out);
  AppendMember("plural", resource.plural, out);
  out.push_back('}');
}

// Appends `,"key":[...]` unless the list is empty. `append` is called for each element.
template <typename List, typename Append>
void AppendList(std::string_view key, const List& list, std::string& out, Append append) {
  if (list.empty()) return;
  AppendKey(key, out);
  out.push_back('[');
  for (const auto& element : list) append(element);
  out.push_back(']');
}

void AppendPending(const olm::CleanupOutlook& outlook, std::string& out) {
  std::vector<const olm::PendingOperand*> here;
  for (const olm::PendingOperand& operand : outlook.pending) {
    if (operand.ns.empty() || operand.ns == outlook.key.ns) here.push_back(&operand);
  }
  AppendCount("pendingCount", outlook.pending_count, out);
  AppendList("pendingDeletion", here, out,
             [&](const olm::PendingOperand* operand) { AppendOperand(outlook, *operand, out); });
  const size_t elsewhere = outlook.pending.size() - here.size();
  if (elsewhere > 0) AppendCount("pendingElsewhere", elsewhere, out);
}

void AppendTargets(const olm::TargetSet& targets, std::string& out) {
  AppendKey("targetNamespaces", out);
  out.push_back('[');
  if (targets.all()) out.append(R"("*")");
  for (const std::string& name : targets.names()) {
    NextElement(out);
    AppendJsonString(name, out);
  }
  out.push_back(']');
}

}  // namespace

void CleanupStatusObject::AppendJson(std::string_view resource_version, Rope& out) const {
  out.text().append(kTypeMeta);
  AppendMetadata(resource_version, out);
  out.text().append(R"(,"status":)");
  AppendStatus(out.text());
  out.text().push_back('}');
}

void CleanupStatusObject::AppendMetadata(std::string_view resource_version, Rope& rope) const {
  std::string& out = rope.text();
  out.push_back('{');
  AppendMember("creationTimestamp", outlook_->created, out);
  AppendLabels(outlook_->labels, out);
  AppendMember("name", outlook_->key.name, out);
  AppendMember("namespace", outlook_->key.ns, out);
  AppendMember("resourceVersion", resource_version, out);
  AppendMember("uid", kube::UuidV5(outlook_->csv_uid, "CleanupStatus"), out);
  out.push_back('}');
}

void CleanupStatusObject::AppendStatus(std::string& out) const {
  const olm::CleanupOutlook& outlook = *outlook_;
  out.push_back('{');
  AppendList("blockers", outlook.blockers, out, [&](const olm::CleanupBlocker& blocker) {
    AppendBlocker(blocker, outlook.key.ns, out);
  });
  AppendList("conditions", outlook.conditions, out,
             [&](const olm::SaidCondition& condition) { AppendCondition(condition, out); });
  AppendFlag("enabled", outlook.enabled, out);
  AppendFlag("optedIn", outlook.opted_in, out);
  AppendPending(outlook, out);
  AppendMember("phase", olm::ToString(outlook.phase), out);
  AppendList("resources", outlook.resources, out,
             [&](const olm::OwnedResource& resource) { AppendResource(resource, out); });
  AppendText("stalledSince", outlook.stalled_since, out);
  AppendText("startedAt", outlook.started_at, out);
  AppendTargets(outlook.targets, out);
  out.push_back('}');
}

void CleanupStatusObject::AppendCells(std::string& out) const {
  const olm::CleanupOutlook& outlook = *outlook_;
  std::string blockers, resources;
  for (const olm::CleanupBlocker& blocker : outlook.blockers) {
    StrAppend(&blockers, blockers.empty() ? "" : ",", olm::ToString(blocker.reason));
  }
  for (const olm::OwnedResource& resource : outlook.resources) {
    StrAppend(&resources, resources.empty() ? "" : ",", resource.plural, ".", resource.group);
  }
  const absl::StatusOr<absl::Time> created = kube::ParseRfc3339(outlook.created);
  const std::string age =
      created.ok() ? kube::HumanDuration(clock_.Now() - *created) : std::string("<unknown>");
  const std::string targets =
      outlook.targets.all() ? "*" : StrCat(outlook.targets.names().size(), " namespaces");
  out.push_back('[');
  AppendJsonString(outlook.key.name, out);
  out.push_back(',');
  AppendJsonString(olm::ToString(outlook.phase), out);
  StrAppend(&out, ",", outlook.pending_count);
  for (const std::string& cell : {blockers, age, targets, resources}) {
    out.push_back(',');
    AppendJsonString(cell, out);
  }
  out.push_back(']');
}

std::unique_ptr<const rest::Object> CleanupStatusTombstone(kube::NamespacedName key) {
  static const size_t columns = CleanupStatusColumns().size();
  return std::make_unique<Tombstone>(kTypeMeta, columns, std::move(key));
}

std::vector<rest::Column> CleanupStatusColumns() {
  return {
      {"Name", "string", "name", "The operator's ClusterServiceVersion", 0},
      {"Phase", "string", "",
       "What would become of a cleanup (Disabled, NotOptedIn, Ready, Refused, Unknown), or where "
       "it "
       "stands (Deleting, Draining, Stalled, Refused, Unknown)",
       0},
      {"Pending", "integer", "", "Custom resources that are waited for", 0},
      {"Blockers", "string", "", "What stands in the way", 0},
      {"Age", "string", "", "How long ago the ClusterServiceVersion was created", 0},
      {"Targets", "string", "", "Where custom resources may be deleted; * is everywhere", 1},
      {"Resources", "string", "", "What may be deleted", 1},
  };
}

}  // namespace steward::views
