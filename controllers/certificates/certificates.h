// The reconciler "certificates", which runs Steward's own certificate authority. Lives on one
// executor.
#ifndef CONTROLLERS_CERTIFICATES_CERTIFICATES_H_
#define CONTROLLERS_CERTIFICATES_CERTIFICATES_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/certificates/authority.h"
#include "controllers/certificates/managed_secret.h"
#include "controllers/certificates/wanted_certificates.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// The settings that the flags make.
struct CertificateTerms {
  std::string ns = "steward-system";
  // False: somebody else issues the API server's certificate, and sets the APIService's caBundle.
  bool serving = true;
  absl::Duration life = absl::Hours(24 * 90);  // of a certificate, at most
  AuthorityTerms authority = {absl::Hours(24 * 1095), absl::Minutes(10)};
};

// Series: steward_certificate_expiration_timestamp_seconds{secret} and
// steward_certificate_issued_total{secret}; {secret="steward-authority"} is the root that signs.
// steward_certificate_foreign_secrets: the number of Secrets that others keep. Thread-safe.
struct CertificateMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit CertificateMetrics(prometheus::Registry& registry);

  prometheus::Family<prometheus::Gauge>& expiration;
  prometheus::Family<prometheus::Counter>& issued;
  prometheus::Gauge& foreign;
};

// There is one key, handled once a minute. Reads the Secrets live, because a right to watch them
// would be a right to read all Secrets of the namespace.
//
//   the authority's Secret: its roots follow one another, and are stored before they are used
//   ─► caBundle of the APIService, if it is there: the kube-apiserver trusts a root before it sees
//      it at work
//   ─► each Secret with a certificate: issued where there is none, and at two thirds of its life,
//      with the trusted roots in its ca.crt
//
// The serving certificate is not issued while somebody else injects an authority into the
// APIService. A Secret changes in one write, with its resourceVersion as a precondition. Secrets of
// others are left alone; if the serving certificate's Secret is one, so is the caBundle. An
// authority that cannot be read is never replaced: nothing is issued until an administrator has
// repaired it.
class CertificatesReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps` and `metrics` outlive this object.
  CertificatesReconciler(const ReconcilerDeps& deps, CertificateMetrics& metrics,
                         const CertificateTerms& terms);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  // The APIService: the parts that this reconciler writes.
  struct Registration {
    bool exists = false;
    bool ours = true;
    std::string resource_version;
    std::string ca_bundle;  // PEM
  };

  StatusTask Pass();
  Task<Registration> ReadRegistration();
  StatusTask KeepAuthority(ManagedSecret& kept, Authority& authority, std::string_view trusted,
                           bool spread);
  StatusTask KeepRegistration(const Registration& registration, const std::string& bundle);
  StatusTask KeepCertificate(ManagedSecret& secret, const CertificateSpec& wanted,
                             const Authority& authority);
  void Tell(const ManagedSecret& about, EventType type, std::string_view reason,
            std::string_view message);
  // As Tell, but only once for each term of leadership and Secret.
  void TellOnce(const ManagedSecret& about, std::string_view reason, std::string_view message);

  const ReconcilerDeps deps_;
  CertificateMetrics& metrics_;
  const CertificateTerms terms_;
  const std::vector<WantedCertificate> wanted_;
  std::set<std::string> told_;  // names of Secrets, with the reason
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_CERTIFICATES_H_
