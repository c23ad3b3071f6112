#include "controllers/apiservice_guard/apiservice_removal.h"

#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/apiservice_guard/registration.h"
#include "controllers/apiservice_guard/steward_namespace.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kLook = absl::Minutes(1);
constexpr absl::Duration kLookAgain = absl::Seconds(1);

}  // namespace

ApiServiceRemoval::ApiServiceRemoval(const ReconcilerDeps& deps, std::string ns)
    : deps_(deps), ns_(std::move(ns)) {}

VoidTask ApiServiceRemoval::Feed(WorkQueue& queue) {
  MetadataSelection selection;
  selection.gvr = kube::kNamespaces;
  selection.field_selector = StrCat("metadata.name=", ns_);
  const auto add = [&queue, this] { queue.Add({"", ns_}); };
  const auto watch = deps_.metadata.Open(
      std::move(selection),
      {.changed = [add](const auto&) { add(); }, .synced = add, .listed = nullptr});
  add();
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> ApiServiceRemoval::Reconcile(Key) {
  CO_ASSIGN_OR_RETURN(const bool stands, co_await NamespaceStands(deps_.client, ns_));
  if (stands) co_return ReconcileResult::After(kLook);
  CO_RETURN_IF_ERROR(co_await Remove());
  co_return ReconcileResult::After(kLookAgain);
}

StatusTask ApiServiceRemoval::Remove() {
  const kube::NamespacedName name = {"", std::string(kGuardedApiService)};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kube::kApiServices, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const boost::json::value object, ParseJson(raw->json));
  CO_ASSIGN_OR_RETURN(const Registration registration, ReadRegistration(object));
  CO_ASSIGN_OR_RETURN(const ServiceTarget target, TargetOf(object));
  if (registration.terminating || target.service.ns != ns_) co_return absl::OkStatus();
  kube::DeleteOptions options;
  options.uid = registration.uid;
  const absl::Status deleted =
      (co_await deps_.client.Delete(kube::kApiServices, name, options)).status();
  // It is gone, or is another object by now, which the next look finds.
  if (kube::IsNotFound(deleted, name.name) || kube::IsConflict(deleted)) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(deleted);
  log::Warning("Guard: deleted the APIService, since its namespace is being deleted",
               {{"apiService", name.name}, {"namespace", ns_}});
  co_return absl::OkStatus();
}

}  // namespace steward::controllers
