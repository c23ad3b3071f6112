#include "controllers/copied_rbac/rbac_writer.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/copied_rbac/policy_rule.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-copied-rbac";

kube::WriteOptions Options(kube::SendCheck may_send) {
  kube::WriteOptions options;
  options.field_manager = kManager;
  options.may_send = std::move(may_send);
  return options;
}

bool IsRightIn(const olm::StoredRbac* there, const olm::WantedRbac& wanted) {
  return there != nullptr && olm::Compare(*there, wanted) == olm::Difference::kNone;
}

bool IsCopyAs(const olm::StoredRbac& stored, const olm::WantedRbac& wanted) {
  return olm::IsCopyFrom(stored, wanted.labels.at(std::string(olm::kCopiedFromLabel)));
}

}  // namespace

bool RbacSlot::IsRight() const {
  return IsRightIn(role_there, role) && IsRightIn(binding_there, binding);
}

Task<RbacWriter::Written> RbacWriter::Create(const olm::WantedRbac& wanted,
                                             kube::SendCheck may_send) {
  const json::value object = wanted.ToJson();
  const kube::GroupVersionResource& gvr = olm::ResourceOf(wanted.kind);
  const kube::WriteOptions options = Options(std::move(may_send));
  absl::StatusOr<json::value> created =
      co_await client_.Create(gvr, wanted.key.ns, object, options);
  Written written;
  if (created.ok()) {
    metrics_.created.Increment();
    if (created->is_object()) written.object = std::move(created->get_object());
    co_return written;
  }
  if (!kube::IsAlreadyExists(created.status())) co_return created.status();
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(gvr, wanted.key);
  written.result = PutResult::kStale;
  if (kube::IsNotFound(raw.status(), wanted.key.name)) co_return written;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::StoredRbac there, olm::ReadRbac(wanted.kind, raw->json));
  if (IsCopyAs(there, wanted)) co_return written;
  written.result =
      wanted.kind == olm::RbacKind::kRole ? PutResult::kForeignRole : PutResult::kForeignBinding;
  co_return written;
}

Task<RbacWriter::Written> RbacWriter::Update(olm::RbacKind kind, json::value object,
                                             kube::SendCheck may_send) {
  const kube::WriteOptions options = Options(std::move(may_send));
  absl::StatusOr<json::value> updated =
      co_await client_.Update(olm::ResourceOf(kind), object, options);
  Written written;
  if (kube::IsOvertaken(updated.status())) {
    written.result = PutResult::kStale;
    co_return written;
  }
  CO_RETURN_IF_ERROR(updated.status());
  metrics_.updated.Increment();
  if (updated->is_object()) written.object = std::move(updated->get_object());
  co_return written;
}

Task<bool> RbacWriter::Delete(const olm::StoredRbac& copy, kube::SendCheck may_send) {
  kube::DeleteOptions options;
  options.uid = copy.facts.uid;
  options.resource_version = copy.facts.resource_version;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  options.may_send = std::move(may_send);
  const absl::Status deleted =
      (co_await client_.Delete(olm::ResourceOf(copy.kind), copy.facts.key, options)).status();
  if (kube::IsOvertaken(deleted)) co_return false;
  CO_RETURN_IF_ERROR(deleted);
  metrics_.deleted.Increment();
  co_return true;
}

Task<std::optional<olm::StoredRbac>> RbacWriter::ReadNow(const olm::StoredRbac& listed) {
  const kube::NamespacedName& key = listed.facts.key;
  const absl::StatusOr<kube::RawObject> raw =
      co_await client_.Get(olm::ResourceOf(listed.kind), key);
  std::optional<olm::StoredRbac> now;
  if (kube::IsNotFound(raw.status(), key.name)) co_return now;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(now, olm::ReadRbac(listed.kind, raw->json));
  if (now->facts.uid != listed.facts.uid) now.reset();
  co_return now;
}

Task<PutResult> RbacWriter::PutRole(RbacSlot& slot, kube::SendCheck may_send) {
  Written written;
  if (slot.role_there == nullptr) {
    const bool grants = !slot.role.rules.empty();
    const olm::WantedRbac wanted = grants ? olm::Locked(slot.role, {}) : slot.role;
    CO_ASSIGN_OR_RETURN(written, co_await Create(wanted, std::move(may_send)));
    if (grants && written.result == PutResult::kDone) slot.locked = std::move(written.object);
    co_return written.result;
  }
  CO_ASSIGN_OR_RETURN(std::optional<olm::StoredRbac> now, co_await ReadNow(*slot.role_there));
  if (!now || !IsCopyAs(*now, slot.role)) co_return PutResult::kStale;
  const bool widens = !olm::Covers(now->rules, slot.role.rules);
  const olm::WantedRbac wanted = widens ? olm::Locked(slot.role, now->rules) : slot.role;
  if (olm::Compare(*now, wanted) == olm::Difference::kNone) {
    if (widens) slot.locked = std::move(now->object);
    co_return PutResult::kDone;
  }
  json::value object = olm::Updated(now->object, wanted);
  CO_ASSIGN_OR_RETURN(
      written, co_await Update(olm::RbacKind::kRole, std::move(object), std::move(may_send)));
  if (widens && written.result == PutResult::kDone) slot.locked = std::move(written.object);
  co_return written.result;
}

Task<PutResult> RbacWriter::PutBinding(const RbacSlot& slot, kube::SendCheck may_send) {
  Written written;
  if (slot.binding_there != nullptr) {
    CO_ASSIGN_OR_RETURN(const std::optional<olm::StoredRbac> now,
                        co_await ReadNow(*slot.binding_there));
    if (!now || !IsCopyAs(*now, slot.binding)) co_return PutResult::kStale;
    switch (olm::Compare(*now, slot.binding)) {
      case olm::Difference::kNone:
        co_return PutResult::kDone;
      case olm::Difference::kUpdate: {
        json::value object = olm::Updated(now->object, slot.binding);
        CO_ASSIGN_OR_RETURN(written, co_await Update(olm::RbacKind::kRoleBinding, std::move(object),
                                                     std::move(may_send)));
        co_return written.result;
      }
      case olm::Difference::kReplace: {
        // Somebody's finalizer holds it.
        if (now->facts.deleting()) co_return PutResult::kForeignBinding;
        CO_ASSIGN_OR_RETURN(const bool deleted, co_await Delete(*now, may_send));
        if (!deleted) co_return PutResult::kStale;
        break;
      }
    }
  }
  CO_ASSIGN_OR_RETURN(written, co_await Create(slot.binding, std::move(may_send)));
  co_return written.result;
}

Task<PutResult> RbacWriter::Prepare(RbacSlot& slot, kube::SendCheck may_send) {
  if (!slot.locked) {
    CO_ASSIGN_OR_RETURN(const PutResult role, co_await PutRole(slot, may_send));
    if (role != PutResult::kDone) co_return role;
  }
  co_return co_await PutBinding(slot, std::move(may_send));
}

Task<PutResult> RbacWriter::Give(const RbacSlot& slot, kube::SendCheck may_send) {
  json::value object = olm::Updated(*slot.locked, slot.role);
  CO_ASSIGN_OR_RETURN(
      const Written written,
      co_await Update(olm::RbacKind::kRole, std::move(object), std::move(may_send)));
  co_return written.result;
}

Task<bool> RbacWriter::Remove(const olm::StoredRbac& copy, kube::SendCheck may_send) {
  if (!copy.facts.deleting()) co_return co_await Delete(copy, std::move(may_send));
  CO_ASSIGN_OR_RETURN(const std::optional<olm::StoredRbac> now, co_await ReadNow(copy));
  if (!now) co_return true;
  if (now->facts.resource_version != copy.facts.resource_version) co_return false;
  if (olm::GrantsNothing(*now)) co_return true;
  json::value object = olm::Emptied(*now);
  CO_ASSIGN_OR_RETURN(const Written written,
                      co_await Update(copy.kind, std::move(object), std::move(may_send)));
  co_return written.result == PutResult::kDone;
}

}  // namespace steward::controllers
