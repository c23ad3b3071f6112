#include "controllers/copied_rbac/rbac_writer.h"

#include <boost/json/value.hpp>
#include <string_view>
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

}  // namespace

bool RbacSlot::IsRight() const {
  return IsRightIn(role_there, role) && IsRightIn(binding_there, binding);
}

bool RbacSlot::Widens() const {
  return role_there == nullptr || !olm::Covers(role_there->rules, role.rules);
}

Task<PutResult> RbacWriter::Create(const olm::WantedRbac& wanted, kube::SendCheck may_send) {
  const json::value object = wanted.ToJson();
  const kube::GroupVersionResource& gvr = olm::ResourceOf(wanted.kind);
  const kube::WriteOptions options = Options(std::move(may_send));
  const absl::Status created =
      (co_await client_.Create(gvr, wanted.key.ns, object, options)).status();
  if (created.ok()) {
    metrics_.created.Increment();
    co_return PutResult::kDone;
  }
  if (!kube::IsAlreadyExists(created)) co_return created;
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(gvr, wanted.key);
  if (kube::IsNotFound(raw.status(), wanted.key.name)) co_return PutResult::kStale;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::StoredRbac there, olm::ReadRbac(wanted.kind, raw->json));
  const std::string& source = wanted.labels.at(std::string(olm::kCopiedFromLabel));
  if (olm::IsCopyFrom(there, source)) co_return PutResult::kStale;
  co_return wanted.kind == olm::RbacKind::kRole ? PutResult::kForeignRole
                                                : PutResult::kForeignBinding;
}

Task<bool> RbacWriter::Update(olm::RbacKind kind, json::value object, kube::SendCheck may_send) {
  const kube::WriteOptions options = Options(std::move(may_send));
  const absl::Status updated =
      (co_await client_.Update(olm::ResourceOf(kind), object, options)).status();
  if (kube::IsOvertaken(updated)) co_return false;
  CO_RETURN_IF_ERROR(updated);
  metrics_.updated.Increment();
  co_return true;
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

Task<bool> RbacWriter::Correct(const olm::StoredRbac* there, const olm::WantedRbac& wanted,
                               kube::SendCheck may_send) {
  if (there == nullptr) co_return true;
  switch (olm::Compare(*there, wanted)) {
    case olm::Difference::kNone:
      co_return true;
    case olm::Difference::kUpdate:
      co_return co_await Update(wanted.kind, olm::Updated(*there, wanted), std::move(may_send));
    case olm::Difference::kReplace:
      co_return co_await Delete(*there, std::move(may_send));
  }
  co_return true;
}

Task<PutResult> RbacWriter::Put(const RbacSlot& slot, kube::SendCheck may_send) {
  const bool replaced =
      slot.binding_there != nullptr &&
      olm::Compare(*slot.binding_there, slot.binding) == olm::Difference::kReplace;
  CO_ASSIGN_OR_RETURN(bool current, co_await Correct(slot.binding_there, slot.binding, may_send));
  if (!current) co_return PutResult::kStale;
  if (slot.role_there == nullptr) {
    CO_ASSIGN_OR_RETURN(const PutResult created, co_await Create(slot.role, may_send));
    if (created != PutResult::kDone) co_return created;
  } else {
    CO_ASSIGN_OR_RETURN(current, co_await Correct(slot.role_there, slot.role, may_send));
    if (!current) co_return PutResult::kStale;
  }
  if (slot.binding_there != nullptr && !replaced) co_return PutResult::kDone;
  co_return co_await Create(slot.binding, std::move(may_send));
}

Task<PutResult> RbacWriter::Narrow(const RbacSlot& slot, kube::SendCheck may_send) {
  CO_ASSIGN_OR_RETURN(bool current, co_await Correct(slot.binding_there, slot.binding, may_send));
  if (current && slot.role_there != nullptr) {
    olm::WantedRbac role = slot.role;
    role.rules = olm::Within(slot.role_there->rules, role.rules);
    CO_ASSIGN_OR_RETURN(current, co_await Correct(slot.role_there, role, std::move(may_send)));
  }
  co_return current ? PutResult::kForeignBinding : PutResult::kStale;
}

Task<bool> RbacWriter::Remove(const olm::StoredRbac& copy, kube::SendCheck may_send) {
  if (!copy.facts.deleting()) co_return co_await Delete(copy, std::move(may_send));
  if (olm::GrantsNothing(copy)) co_return true;
  co_return co_await Update(copy.kind, olm::Emptied(copy), std::move(may_send));
}

Task<bool> RbacWriter::Empty(kube::NamespacedName role, std::string source,
                             kube::SendCheck may_send) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(olm::kRoles, role);
  if (kube::IsNotFound(raw.status(), role.name)) co_return true;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::StoredRbac there, olm::ReadRbac(olm::RbacKind::kRole, raw->json));
  if (!olm::IsCopyFrom(there, source)) co_return true;
  co_return co_await Update(olm::RbacKind::kRole, olm::Emptied(there), std::move(may_send));
}

}  // namespace steward::controllers
