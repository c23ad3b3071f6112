#include "plugin/doctor/certificates_check.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "base/tls/expiry.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "plugin/cluster/reads.h"
#include "plugin/removal/installation.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr char kCertificates[] = "steward-certificates";

// The Deployments that mount a Secret.
struct Mounted {
  bool needed = false;
  std::set<std::string> by;
};

std::string TextIn(const json::object& secret, std::string_view member, std::string_view key) {
  const json::object* metadata = ObjectAt(secret, "metadata");
  const json::object* texts = metadata == nullptr ? nullptr : ObjectAt(*metadata, member);
  return texts == nullptr ? "" : std::string(StringAt(*texts, key));
}

// How to renew a certificate. The Secret says who keeps it.
std::string Renewal(const std::string& name, const json::object& secret,
                    const Environment& environment) {
  const std::string in = StrCat(" -n ", kStewardNamespace);
  if (TextIn(secret, "labels", "app.kubernetes.io/managed-by") == kCertificates) {
    return environment.Has(kCertificates)
               ? StrCat("kubectl rollout restart deployment/", kCertificates, in,
                        "; it renews certificates, and its log says what keeps it from that")
               : StrCat("nobody renews it, as there is no Deployment ", kCertificates, ": ",
                        kApplyAgain);
  }
  if (const std::string by = TextIn(secret, "annotations", "cert-manager.io/certificate-name");
      !by.empty()) {
    return StrCat("kubectl describe certificate ", ShellWord(by), in,
                  " says why cert-manager does not renew "
                  "it");
  }
  if (!TextIn(secret, "annotations", "service.beta.openshift.io/originating-service-name")
           .empty()) {
    return StrCat("kubectl delete secret ", name, in, ": the service CA makes another one");
  }
  return StrCat("put a new certificate into it, as whoever made the Secret ", kStewardNamespace,
                "/", name, " did");
}

std::string LeftText(absl::Duration left) {
  const int64_t days = left / absl::Hours(24);
  return days > 0 ? CountText(days, "day") : StrCat(left / absl::Minutes(1), " minutes");
}

class Judge {
 public:
  Judge(Environment& environment, CheckFindings& findings)
      : environment_(environment), findings_(findings) {}

  void Missing(const std::string& name, const Mounted& mounted) {
    const std::string by = absl::StrJoin(mounted.by, ", ");
    const std::string remedy = environment_.Has(kCertificates)
                                   ? StrCat("kubectl rollout restart deployment/", kCertificates,
                                            " -n ", kStewardNamespace, "; it makes what is missing")
                                   : std::string(kApplyAgain);
    if (mounted.needed) {
      findings_.Fail(StrCat("there is no Secret ", name, ", without which ", by, " does not start"),
                     remedy);
    } else {
      findings_.Warn(StrCat("there is no Secret ", name, ": ", by,
                            " does without what it is for (gRPC, or trusted metrics)"),
                     remedy);
    }
  }

  void Look(const std::string& name, const Mounted& mounted, const json::object& secret) {
    const json::object* data = ObjectAt(secret, "data");
    const std::string_view encoded = data == nullptr ? "" : StringAt(*data, "tls.crt");
    std::string pem;
    const bool whole = !encoded.empty() && !StringAt(*data, "tls.key").empty();
    if (!whole && mounted.needed) {
      findings_.Fail(
          StrCat("Secret ", name, " has no certificate (tls.crt, tls.key), without which ",
                 absl::StrJoin(mounted.by, ", "), " does not start"),
          Renewal(name, secret, environment_));
    }
    if (!whole) return;
    absl::Base64Unescape(absl::string_view(encoded.data(), encoded.size()), &pem);
    const absl::StatusOr<Validity> validity = ValidityOfPem(pem);
    const std::string remedy = Renewal(name, secret, environment_);
    if (!validity.ok()) {
      findings_.Fail(StrCat("the certificate in Secret ", name, " cannot be read"), remedy);
      return;
    }
    const absl::Duration left = validity->end - environment_.now;
    if (left <= absl::ZeroDuration()) {
      findings_.Fail(
          StrCat("the certificate in Secret ", name, " has ended, ", LeftText(-left), " ago"),
          remedy);
    } else if (environment_.now < validity->begin) {
      findings_.Fail(StrCat("the certificate in Secret ", name, " is of the future"), remedy);
    } else if (left < validity->length() / 6) {
      findings_.Fail(StrCat("the certificate in Secret ", name, " ends in ", LeftText(left),
                            ", and was not renewed"),
                     remedy);
    } else {
      ++count_;
      first_ = std::min(first_, left);
    }
  }

  void Conclude() {
    if (!findings_.clean() || count_ == 0) return;
    findings_.Ok(StrCat(LeftText(first_), " until the first of ", CountText(count_, "certificate"),
                        " ends"));
  }

 private:
  Environment& environment_;
  CheckFindings& findings_;
  int64_t count_ = 0;
  absl::Duration first_ = absl::InfiniteDuration();
};

}  // namespace

VoidTask CheckCertificates(Environment& environment) {
  CheckFindings findings("Certificates", environment.findings);
  if (!environment.deployments.ok()) {
    findings.Unseen("the certificates", environment.deployments.status());
    co_return;
  }
  if (environment.dump) {
    findings.Unseen("the certificates", OnlyLive());
    co_return;
  }
  std::map<std::string, Mounted> mounted;
  for (const auto& [deployment, each] : *environment.deployments) {
    for (const auto& [secret, needed] : each.secrets) {
      mounted[secret].needed |= needed;
      mounted[secret].by.insert(deployment);
    }
  }
  Judge judge(environment, findings);
  for (const auto& [name, each] : mounted) {
    const kube::NamespacedName key = {kStewardNamespace, name};
    const absl::StatusOr<json::value> secret =
        co_await ReadObject(environment.client, kube::kSecrets, key);
    if (kube::IsNotFound(secret.status(), name)) {
      judge.Missing(name, each);
    } else if (!secret.ok()) {
      findings.Unseen(StrCat("the certificates in ", kStewardNamespace), secret.status());
      if (kube::IsForbidden(secret.status())) co_return;
    } else {
      judge.Look(name, each, secret->get_object());
    }
  }
  judge.Conclude();
}

}  // namespace steward::plugin
