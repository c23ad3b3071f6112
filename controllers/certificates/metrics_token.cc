#include "controllers/certificates/metrics_token.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/client/object_meta.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kReader[] = "steward-metrics-reader";  // the ServiceAccount, and its Secret
constexpr char kToken[] = "token";
constexpr char kReplaceAfter[] = "replace-after";  // in RFC 3339
constexpr char kAccount[] = "account";  // the UID of the ServiceAccount that the token is for
constexpr absl::Duration kLook = absl::Minutes(1);
const kube::GroupVersionKind kSecretKind = {"", "v1", "Secret"};

using Keeper = ManagedSecret::Keeper;

// Compares the account's UID, because the tokens of an account that was deleted are invalid for its
// successor.
bool IsFresh(const ManagedSecret& secret, const std::string& account, absl::Time now) {
  const absl::StatusOr<absl::Time> end = kube::ParseRfc3339(secret.Text(kReplaceAfter));
  return !secret.Text(kToken).empty() && secret.Text(kAccount) == account && end.ok() && now < *end;
}

json::value TokenRequest(const ManagedSecret& secret, absl::Duration life) {
  json::object spec;
  spec["expirationSeconds"] = absl::ToInt64Seconds(life);
  spec["boundObjectRef"] = {
      {"apiVersion", "v1"}, {"kind", "Secret"}, {"name", secret.name.name}, {"uid", secret.uid}};
  json::object request = {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}};
  request["metadata"] = {{"name", kReader}, {"namespace", secret.name.ns}};
  request["spec"] = std::move(spec);
  return request;
}

}  // namespace

MetricsTokenReconciler::MetricsTokenReconciler(const ReconcilerDeps& deps, MetricsTokenTerms terms)
    : deps_(deps), terms_(std::move(terms)) {}

VoidTask MetricsTokenReconciler::Feed(WorkQueue& queue) {
  queue.Add({terms_.ns, kReader});
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> MetricsTokenReconciler::Reconcile(Key) {
  const absl::Status passed = co_await Pass();
  // Somebody wrote the object after it was read, so read it again.
  if (kube::IsConflict(passed) || kube::IsAlreadyExists(passed)) {
    co_return ReconcileResult::After(absl::Seconds(1));
  }
  CO_RETURN_IF_ERROR(passed);
  co_return ReconcileResult::After(kLook);
}

StatusTask MetricsTokenReconciler::Pass() {
  const kube::NamespacedName name = {terms_.ns, kReader};
  const absl::StatusOr<kube::RawObject> raw =
      co_await deps_.client.Get(kube::kServiceAccounts, name);
  // Without the ServiceAccount nobody needs the token.
  if (kube::IsNotFound(raw.status(), name.name)) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const kube::VersionedMeta account, kube::DecodeObjectMeta(*raw));
  CO_ASSIGN_OR_RETURN(ManagedSecret secret, co_await ReadSecret(deps_.client, name));
  if (secret.keeper == Keeper::kForeign) {
    TellOnce(secret, "ForeignSecret",
             "somebody else keeps this Secret: it is left alone. Delete it to have a token in it "
             "that ends");
    co_return absl::OkStatus();
  }
  if (secret.keeper == Keeper::kUs && IsFresh(secret, account.meta.uid, deps_.clock.Now())) {
    co_return absl::OkStatus();
  }
  co_return co_await Replace(secret, account.meta.uid);
}

StatusTask MetricsTokenReconciler::Replace(ManagedSecret& secret, const std::string& account) {
  // Create the Secret first, because the token is bound to it.
  if (secret.keeper == Keeper::kNobody) {
    const SecretData nothing;
    CO_RETURN_IF_ERROR(co_await WriteSecret(deps_.client, secret, "Opaque", nothing));
  }
  const absl::Time now = deps_.clock.Now();
  const json::value request = TokenRequest(secret, terms_.life);
  kube::WriteOptions options;
  options.subresource = "token";
  CO_ASSIGN_OR_RETURN(
      const json::value answer,
      co_await deps_.client.Create(kube::kServiceAccounts, terms_.ns, request, options));
  const json::object* object = answer.if_object();
  const json::object* status = object == nullptr ? nullptr : ObjectAt(*object, "status");
  if (status == nullptr || StringAt(*status, "token").empty()) {
    co_return absl::DataLossError("the answer to a TokenRequest has no token");
  }
  // The cluster may grant less time than was asked for.
  CO_ASSIGN_OR_RETURN(const absl::Time end,
                      kube::ParseRfc3339(StringAt(*status, "expirationTimestamp")));
  const SecretData data = {{kToken, std::string(StringAt(*status, "token"))},
                           {kReplaceAfter, kube::FormatRfc3339(now + (end - now) / 2)},
                           {kAccount, account}};
  CO_RETURN_IF_ERROR(co_await WriteSecret(deps_.client, secret, "Opaque", data));
  log::Info("Replaced the token that reads metrics", {{"secret", secret.name.name}});
  co_return absl::OkStatus();
}

void MetricsTokenReconciler::TellOnce(const ManagedSecret& about, std::string_view reason,
                                      std::string_view message) {
  if (!told_.insert(StrCat(about.uid, " ", reason)).second) return;
  log::Warning(StrCat("The token that reads metrics: ", message), {{"secret", about.name.name}});
  deps_.events.Record({kSecretKind, about.name, about.uid}, EventType::kWarning, reason, message);
}

}  // namespace steward::controllers
