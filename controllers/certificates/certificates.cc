#include "controllers/certificates/certificates.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/expiry.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kAuthoritySecret[] = "steward-authority";
constexpr char kRegistration[] = "v1alpha1.views.operators.coreos.com";
constexpr char kManager[] = "steward-certificates";
constexpr std::string_view kTlsType = "kubernetes.io/tls";
// The time between looks; shorter for certificates with a short life.
constexpr absl::Duration kLook = absl::Minutes(1);
constexpr int kLooksInALife = 12;
const kube::GroupVersionKind kSecretKind = {"", "v1", "Secret"};

using Keeper = ManagedSecret::Keeper;

}  // namespace

CertificateMetrics::CertificateMetrics(prometheus::Registry& registry)
    : expiration(GaugeFamily(registry, "steward_certificate_expiration_timestamp_seconds",
                             "End of the certificate in the Secret, in seconds since 1970")),
      issued(CounterFamily(registry, "steward_certificate_issued_total",
                           "Certificates that were issued into the Secret")),
      foreign(GaugeFamily(registry, "steward_certificate_foreign_secrets",
                          "Secrets for certificates that others keep, which are left alone")
                  .Add({})) {}

CertificatesReconciler::CertificatesReconciler(const ReconcilerDeps& deps,
                                               CertificateMetrics& metrics,
                                               const CertificateTerms& terms)
    : deps_(deps), metrics_(metrics), terms_(terms), wanted_(WantedCertificates(terms.ns)) {}

VoidTask CertificatesReconciler::Feed(WorkQueue& queue) {
  queue.Add({"", "certificates"});
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> CertificatesReconciler::Reconcile(Key) {
  const absl::Status passed = co_await Pass();
  // Somebody wrote an object after it was read, so read it again.
  if (kube::IsConflict(passed) || kube::IsAlreadyExists(passed)) {
    co_return ReconcileResult::After(absl::Seconds(1));
  }
  CO_RETURN_IF_ERROR(passed);
  co_return ReconcileResult::After(std::min(kLook, terms_.life / kLooksInALife));
}

StatusTask CertificatesReconciler::Pass() {
  kube::NamespacedName name = {terms_.ns, kAuthoritySecret};
  CO_ASSIGN_OR_RETURN(ManagedSecret kept, co_await ReadSecret(deps_.client, name));
  if (kept.keeper == Keeper::kForeign) {
    TellOnce(kept, "ForeignAuthority",
             "somebody else keeps this Secret: no certificates are issued");
    co_return absl::OkStatus();
  }
  absl::StatusOr<Authority> authority = Authority::Read(kept.data);
  if (!authority.ok()) {
    TellOnce(kept, "AuthorityUnreadable",
             StrCat("no certificates are issued: ", authority.status().message(),
                    ". Delete the Secret to have another authority founded"));
    co_return absl::OkStatus();
  }
  std::vector<ManagedSecret> secrets;
  for (const WantedCertificate& wanted : wanted_) {
    name = {terms_.ns, wanted.secret};
    CO_ASSIGN_OR_RETURN(ManagedSecret secret, co_await ReadSecret(deps_.client, name));
    secrets.push_back(std::move(secret));
  }
  CO_ASSIGN_OR_RETURN(Registration registration, co_await ReadRegistration());
  if (!terms_.serving || secrets.front().keeper == Keeper::kForeign) registration.ours = false;
  const bool trusts_us = registration.exists && registration.ours;

  std::string trusted;
  bool spread = !trusts_us || authority->IsIn(registration.ca_bundle);
  int foreign = 0;
  for (const ManagedSecret& secret : secrets) {
    foreign += secret.keeper == Keeper::kForeign ? 1 : 0;
    if (secret.keeper != Keeper::kUs) continue;
    if (trusted.empty()) trusted = std::string(secret.Text("ca.crt"));
    spread = spread && authority->IsIn(secret.Text("ca.crt"));
  }
  metrics_.foreign.Set(foreign);
  CO_RETURN_IF_ERROR(co_await KeepAuthority(kept, *authority, trusted, spread));
  if (trusts_us) {
    const std::string bundle = authority->Bundle();
    CO_RETURN_IF_ERROR(co_await KeepRegistration(registration, bundle));
  }
  // A certificate that cannot be written does not delay the others.
  absl::Status first = absl::OkStatus();
  for (size_t i = 0; i < secrets.size(); ++i) {
    // If somebody else injects the authority, they also issue the certificate, perhaps later.
    if (i == 0 && secrets[i].keeper == Keeper::kNobody && !registration.ours) continue;
    if (secrets[i].keeper == Keeper::kForeign) {
      TellOnce(secrets[i], "ForeignSecret", "somebody else keeps this Secret: it is left alone");
      continue;
    }
    const absl::Status status = co_await KeepCertificate(secrets[i], wanted_[i].spec, *authority);
    if (first.ok()) first = status;
  }
  co_return first;
}

Task<CertificatesReconciler::Registration> CertificatesReconciler::ReadRegistration() {
  Registration registration;
  const kube::NamespacedName name = {"", kRegistration};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kube::kApiServices, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return registration;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  const json::object* metadata = kube::MetadataOf(object);
  if (metadata == nullptr) co_return absl::DataLossError("the APIService has no metadata");
  registration.exists = true;
  registration.ours = !IsInjected(ObjectAt(*metadata, "annotations"));
  registration.resource_version = kube::MetadataText(object, "resourceVersion");
  const json::object* spec = ObjectAt(object.get_object(), "spec");
  const std::string_view encoded = spec == nullptr ? "" : StringAt(*spec, "caBundle");
  // A bundle that is not base64 is not ours.
  if (!absl::Base64Unescape(absl::string_view(encoded.data(), encoded.size()),
                            &registration.ca_bundle)) {
    registration.ca_bundle.clear();
  }
  co_return registration;
}

StatusTask CertificatesReconciler::KeepAuthority(ManagedSecret& kept, Authority& authority,
                                                 std::string_view trusted, bool spread) {
  const std::vector<Root> before = authority.roots();
  CO_RETURN_IF_ERROR(authority.Advance(terms_.authority, deps_.clock.Now(), trusted, spread));
  const SecretData data = authority.Write();
  if (data != kept.data) {
    CO_RETURN_IF_ERROR(co_await WriteSecret(deps_.client, kept, "Opaque", data));
    if (before.empty() || !(before.back() == authority.roots().back())) {
      metrics_.issued.Add({{"secret", kAuthoritySecret}}).Increment();
      Tell(kept, EventType::kNormal, "RootMade",
           before.empty() ? "founded an authority"
                          : "made the next root; it signs once everybody trusts it");
    }
  }
  metrics_.expiration.Add({{"secret", kAuthoritySecret}})
      .Set(absl::ToDoubleSeconds(authority.signer()->validity.end - absl::UnixEpoch()));
  co_return absl::OkStatus();
}

StatusTask CertificatesReconciler::KeepRegistration(const Registration& registration,
                                                    const std::string& bundle) {
  if (registration.ca_bundle == bundle) co_return absl::OkStatus();
  json::object patch;
  patch["metadata"] = {{"resourceVersion", registration.resource_version}};
  patch["spec"] = {{"caBundle", absl::Base64Escape(bundle)}};
  const json::value change = std::move(patch);
  const kube::NamespacedName name = {"", kRegistration};
  kube::WriteOptions options;
  options.field_manager = kManager;
  const absl::Status written =
      (co_await deps_.client.Patch(kube::kApiServices, name, kube::PatchType::kJsonMerge, change,
                                   options))
          .status();
  // The APIService was deleted a moment ago.
  if (kube::IsNotFound(written, name.name)) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(written);
  log::Info("Set the caBundle", {{"apiService", name.name}});
  co_return absl::OkStatus();
}

StatusTask CertificatesReconciler::KeepCertificate(ManagedSecret& secret,
                                                   const CertificateSpec& wanted,
                                                   const Authority& authority) {
  const absl::Time now = deps_.clock.Now();
  const Root& signer = *authority.signer();
  SecretData data = secret.data;
  data["ca.crt"] = authority.Bundle();
  PemKeyPair pair = {data["tls.crt"], data["tls.key"]};
  const bool stands = Stands(pair, wanted, authority, now);
  if (!stands) {
    CertificateSpec spec = wanted;
    spec.not_before = now - Backdate(terms_.life);
    spec.not_after = std::min(now + terms_.life, signer.validity.end);
    CO_ASSIGN_OR_RETURN(pair, IssueCertificate(spec, &signer.pair));
    data["tls.crt"] = pair.cert_pem;
    data["tls.key"] = pair.key_pem;
  }
  if (data != secret.data) {
    CO_RETURN_IF_ERROR(co_await WriteSecret(deps_.client, secret, kTlsType, data));
  }
  if (!stands) {
    metrics_.issued.Add({{"secret", secret.name.name}}).Increment();
    Tell(secret, EventType::kNormal, "CertificateIssued", "issued a certificate");
  }
  CO_ASSIGN_OR_RETURN(const Validity validity, ValidityOfPem(pair.cert_pem));
  metrics_.expiration.Add({{"secret", secret.name.name}})
      .Set(absl::ToDoubleSeconds(validity.end - absl::UnixEpoch()));
  co_return absl::OkStatus();
}

void CertificatesReconciler::Tell(const ManagedSecret& about, EventType type,
                                  std::string_view reason, std::string_view message) {
  log::Info(StrCat("Certificates: ", message), {{"secret", about.name.name}});
  deps_.events.Record({kSecretKind, about.name, about.uid}, type, reason, message);
}

void CertificatesReconciler::TellOnce(const ManagedSecret& about, std::string_view reason,
                                      std::string_view message) {
  if (!told_.insert(StrCat(about.name.name, " ", about.uid, " ", reason)).second) return;
  Tell(about, EventType::kWarning, reason, message);
}

}  // namespace steward::controllers
