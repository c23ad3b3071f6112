#include "controllers/copied_rbac/rbac_writer.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/time.h"
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

// Returns the object of the server's answer if it has the content that was sent; else nullopt.
std::optional<json::object> Obeyed(json::value& answer, const olm::WantedRbac& wanted) {
  std::optional<json::object> object;
  if (!answer.is_object()) return object;
  const absl::StatusOr<olm::StoredRbac> now = olm::ReadRbac(wanted.kind, Serialize(answer));
  if (!now.ok() || olm::Compare(*now, wanted) != olm::Difference::kNone) return object;
  object = std::move(answer.get_object());
  return object;
}

bool IsCopyAs(const olm::StoredRbac& stored, const olm::WantedRbac& wanted) {
  return olm::IsCopyFrom(stored, wanted.labels.at(std::string(olm::kCopiedFromLabel)));
}

}  // namespace

RbacWriter::Written RbacWriter::As(std::optional<json::object> obeyed) {
  Written written;
  written.result = obeyed ? PutResult::kDone : PutResult::kNotObeyed;
  if (obeyed) written.object = *std::move(obeyed);
  return written;
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
    co_return As(Obeyed(*created, wanted));
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

Task<RbacWriter::Written> RbacWriter::Update(const olm::WantedRbac& wanted, json::object stored,
                                             kube::SendCheck may_send) {
  const json::value object = olm::Updated(std::move(stored), wanted);
  const kube::WriteOptions options = Options(std::move(may_send));
  absl::StatusOr<json::value> updated =
      co_await client_.Update(olm::ResourceOf(wanted.kind), object, options);
  Written written;
  if (kube::IsOvertaken(updated.status())) {
    written.result = PutResult::kStale;
    co_return written;
  }
  CO_RETURN_IF_ERROR(updated.status());
  metrics_.updated.Increment();
  co_return As(Obeyed(*updated, wanted));
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
  CO_ASSIGN_OR_RETURN(written,
                      co_await Update(wanted, std::move(now->object), std::move(may_send)));
  if (widens && written.result == PutResult::kDone) slot.locked = std::move(written.object);
  co_return written.result;
}

Task<PutResult> RbacWriter::PutBinding(const RbacSlot& slot, kube::SendCheck may_send) {
  Written written;
  if (slot.binding_there != nullptr) {
    CO_ASSIGN_OR_RETURN(std::optional<olm::StoredRbac> now, co_await ReadNow(*slot.binding_there));
    if (!now || !IsCopyAs(*now, slot.binding)) co_return PutResult::kStale;
    switch (olm::Compare(*now, slot.binding)) {
      case olm::Difference::kNone:
        co_return PutResult::kDone;
      case olm::Difference::kUpdate: {
        CO_ASSIGN_OR_RETURN(
            written, co_await Update(slot.binding, std::move(now->object), std::move(may_send)));
        co_return written.result;
      }
      case olm::Difference::kReplace: {
        // A finalizer keeps the old binding.
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
  CO_ASSIGN_OR_RETURN(const Written written,
                      co_await Update(slot.role, *slot.locked, std::move(may_send)));
  co_return written.result;
}

Task<PutResult> RbacWriter::TakeBack(const RbacSlot& slot, kube::SendCheck may_send) {
  CO_ASSIGN_OR_RETURN(std::optional<olm::StoredRbac> now, co_await ReadNow(*slot.role_there));
  if (!now || !IsCopyAs(*now, slot.role)) co_return PutResult::kStale;
  const olm::WantedRbac wanted = olm::Locked(slot.role, {});
  if (olm::Compare(*now, wanted) == olm::Difference::kNone) co_return PutResult::kDone;
  CO_ASSIGN_OR_RETURN(const Written written,
                      co_await Update(wanted, std::move(now->object), std::move(may_send)));
  co_return written.result;
}

Task<bool> RbacWriter::NoteWait(olm::StoredRbac& copy, absl::Time since, kube::SendCheck may_send) {
  const std::string text = kube::FormatRfc3339(since);
  json::object annotations;
  annotations[olm::kUnwantedSinceAnnotation] = text;
  const json::value patch = {{"metadata",
                              {{"uid", copy.facts.uid},
                               {"resourceVersion", copy.facts.resource_version},
                               {"annotations", std::move(annotations)}}}};
  const kube::WriteOptions options = Options(std::move(may_send));
  const absl::StatusOr<json::value> noted = co_await client_.Patch(
      olm::ResourceOf(copy.kind), copy.facts.key, kube::PatchType::kJsonMerge, patch, options);
  if (kube::IsOvertaken(noted.status())) co_return false;
  CO_RETURN_IF_ERROR(noted.status());
  metrics_.updated.Increment();
  copy.facts.resource_version = kube::MetadataText(*noted, "resourceVersion");
  copy.unwanted_since = text;
  co_return true;
}

Task<PutResult> RbacWriter::Remove(const olm::StoredRbac& copy, kube::SendCheck may_send) {
  if (!copy.facts.deleting()) {
    CO_ASSIGN_OR_RETURN(const bool deleted, co_await Delete(copy, std::move(may_send)));
    co_return deleted ? PutResult::kDone : PutResult::kStale;
  }
  CO_ASSIGN_OR_RETURN(const std::optional<olm::StoredRbac> now, co_await ReadNow(copy));
  if (!now) co_return PutResult::kDone;
  if (now->facts.resource_version != copy.facts.resource_version) co_return PutResult::kStale;
  if (olm::GrantsNothing(*now)) co_return PutResult::kDone;
  const json::value object = olm::Emptied(*now);
  const kube::WriteOptions options = Options(std::move(may_send));
  const absl::StatusOr<json::value> emptied =
      co_await client_.Update(olm::ResourceOf(copy.kind), object, options);
  if (kube::IsOvertaken(emptied.status())) co_return PutResult::kStale;
  CO_RETURN_IF_ERROR(emptied.status());
  metrics_.updated.Increment();
  const absl::StatusOr<olm::StoredRbac> left = olm::ReadRbac(copy.kind, Serialize(*emptied));
  co_return left.ok() && olm::GrantsNothing(*left) ? PutResult::kDone : PutResult::kNotObeyed;
}

}  // namespace steward::controllers
