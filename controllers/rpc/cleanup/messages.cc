#include "controllers/rpc/cleanup/messages.h"

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/text/str_cat.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"

namespace steward::rpc {
namespace {

// `object` is "namespace/name", or a name alone.
bool IsElsewhere(std::string_view object, std::string_view ns) {
  const size_t slash = object.find('/');
  return slash != std::string_view::npos && object.substr(0, slash) != ns;
}

void WriteBlocker(const olm::CleanupBlocker& blocker, std::string_view ns,
                  cleanup::v1::Blocker& out) {
  out.set_reason(std::string(olm::ToString(blocker.reason)));
  out.set_message(blocker.message);
  for (const std::string& object : blocker.objects) {
    if (IsElsewhere(object, ns)) {
      out.set_objects_elsewhere(out.objects_elsewhere() + 1);
    } else {
      out.add_objects(object);
    }
  }
}

void WriteTargets(const olm::TargetSet& targets, cleanup::v1::Targets& out) {
  out.set_all(targets.all());
  for (const std::string& ns : targets.names()) out.add_namespaces(ns);
}

std::string_view StateName(olm::CrdState state) {
  switch (state) {
    case olm::CrdState::kGone:
      return "Gone";
    case olm::CrdState::kNotEstablished:
      return "NotEstablished";
    case olm::CrdState::kTerminating:
      return "Terminating";
    case olm::CrdState::kServed:
      return "Served";
    case olm::CrdState::kUnreadable:
      return "Unreadable";
  }
  return "Unreadable";
}

void WriteDefinition(const controllers::OperandCount& count, cleanup::v1::DefinitionPreview& out) {
  const olm::CrdPlan& plan = count.plan;
  out.set_name(plan.crd);
  out.set_group(plan.group);
  out.set_kind(plan.kind);
  out.set_plural(plan.plural);
  out.set_cluster_scoped(plan.cluster_scoped);
  out.set_state(std::string(StateName(plan.state)));
  out.set_unreadable(count.unreadable);
  out.set_to_delete(count.to_delete);
  out.set_waited_for(count.waited_for);
  out.set_kept(count.kept);
  out.set_kept_why(plan.kept);
}

}  // namespace

void WriteStatus(const olm::CleanupOutlook& outlook, cleanup::v1::CleanupStatus& out) {
  const std::string& ns = outlook.key.ns;
  out.set_namespace_(ns);
  out.set_name(outlook.key.name);
  out.set_csv_uid(outlook.csv_uid);
  out.set_creation_timestamp(outlook.created);
  out.set_enabled(outlook.enabled);
  out.set_opted_in(outlook.opted_in);
  out.set_phase(std::string(olm::ToString(outlook.phase)));
  for (const olm::CleanupBlocker& blocker : outlook.blockers) {
    WriteBlocker(blocker, ns, *out.add_blockers());
  }
  if (outlook.targets.all()) out.add_target_namespaces()->push_back('*');
  for (const std::string& target : outlook.targets.names()) out.add_target_namespaces(target);
  for (const olm::OwnedResource& resource : outlook.resources) {
    cleanup::v1::OwnedResource& owned = *out.add_resources();
    owned.set_group(resource.group);
    owned.set_kind(resource.kind);
    owned.set_plural(resource.plural);
  }
  for (const olm::PendingOperand& operand : outlook.pending) {
    if (!operand.ns.empty() && operand.ns != ns) {
      out.set_pending_elsewhere(out.pending_elsewhere() + 1);
      continue;
    }
    cleanup::v1::PendingInstance& pending = *out.add_pending_deletion();
    pending.set_resource(olm::ResourceOf(outlook, operand));
    pending.set_kind(operand.kind);
    pending.set_name(operand.name);
    pending.set_namespace_(operand.ns);
  }
  out.set_pending_count(static_cast<int64_t>(outlook.pending_count));
  out.set_started_at(outlook.started_at);
  out.set_stalled_since(outlook.stalled_since);
  for (const olm::SaidCondition& said : outlook.conditions) {
    cleanup::v1::Condition& condition = *out.add_conditions();
    condition.set_reason(said.reason);
    condition.set_message(said.message);
    condition.set_last_transition_time(said.last_transition);
  }
}

void WritePreview(const std::string& ns, const controllers::CleanupPreview& preview,
                  cleanup::v1::PreviewResponse& out) {
  out.set_being_deleted(preview.deleting);
  out.set_verdict(std::string(olm::ToString(preview.verdict.kind)));
  for (const olm::CleanupBlocker& blocker : preview.verdict.blockers) {
    WriteBlocker(blocker, ns, *out.add_blockers());
  }
  out.set_recorded(preview.record.has_value());
  if (preview.record.has_value()) {
    WriteTargets(preview.record->targets, *out.mutable_recorded_targets());
  }
  WriteTargets(preview.verdict.targets, *out.mutable_effective_targets());
  for (const controllers::OperandCount& count : preview.definitions) {
    WriteDefinition(count, *out.add_definitions());
  }
}

}  // namespace steward::rpc
