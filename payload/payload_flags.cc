#include "payload/payload_flags.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/quote.h"

namespace steward::payload {
namespace {

constexpr char kNoCapability[] = "None";

// Returns true if the text can be an image's name and is safe between the quotes of any manifest.
bool IsReference(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._-:/@").find(c) != std::string_view::npos;
  });
}

}  // namespace

PayloadOptions PayloadFlags::Options() const {
  PayloadOptions all = options;
  all.choices.gates = std::set<std::string>(gates.begin(), gates.end());
  if (!capabilities.empty()) {
    olm::Capabilities& given = all.choices.capabilities.emplace();
    given.enabled = std::set<std::string>(capabilities.begin(), capabilities.end());
    given.enabled.erase(kNoCapability);
    given.known = given.enabled;
  }
  all.choices.exclude_id = all.choices.profile;
  if (deletion == "blocking") all.wait_for_deletions = deletion_timeout;
  return all;
}

absl::Status PayloadFlags::Check() const {
  if (deletion != "blocking" && deletion != "non-blocking") {
    return absl::InvalidArgumentError(
        StrCat("--payload-delete: \"", deletion, "\" is neither blocking nor non-blocking"));
  }
  if (!kube::IsDns1123Label(options.record_namespace)) {
    return absl::InvalidArgumentError(StrCat("--payload-record-namespace: \"",
                                             options.record_namespace,
                                             "\" is no name of a namespace"));
  }
  if (!IsReference(options.release_image)) {
    return absl::InvalidArgumentError(StrCat(
        "--release-image: ", kube::Quote(options.release_image), " is no reference to an image"));
  }
  if (deletion_timeout < absl::Seconds(1)) {
    return absl::InvalidArgumentError("--payload-delete-timeout: at least 1s");
  }
  return absl::OkStatus();
}

void AddClusterFlags(FlagAdder& adder, PayloadFlags& flags) {
  PayloadOptions& options = flags.options;
  adder.Text("--cluster-profile", options.choices.profile,
             "Profile for which manifests must be included; empty: all of them are");
  adder.Text("--payload-feature-set", options.choices.feature_set,
             "Feature set, where the cluster has no FeatureGate; empty: Default");
  adder.List("--payload-feature-gates", flags.gates,
             "Feature gates that are on, where the cluster has no FeatureGate");
  adder.List("--payload-capabilities", flags.capabilities,
             "Capabilities that are on, where the cluster has no ClusterVersion; None: none is; "
             "without it all that the payload names are");
  adder.Text("--release-image", options.release_image,
             "Image of the release, for manifests with {{.ReleaseImage}}");
  adder.Text("--payload-record-namespace", options.record_namespace,
             "Namespace of the ConfigMap in which removals are recorded");
}

void AddVersionFlag(FlagAdder& adder, PayloadFlags& flags) {
  adder.Text("--payload-version", flags.options.version,
             "Version of the payload; empty: that of its file release-metadata");
}

void AddPassFlags(FlagAdder& adder, PayloadFlags& flags) {
  PayloadOptions& options = flags.options;
  AddVersionFlag(adder, flags);
  adder.Switch("--payload-initial", options.initial,
               "The cluster is being installed: nothing is deleted");
  adder.Switch("--payload-redelete", options.redelete,
               "Delete an object again that came back after it was removed");
  adder.Switch("--allow-olm-deletes", options.allow_olm_deletes,
               "Delete definitions of OLM's although there are operators, which go with them");
  adder.Switch("--allow-stale-deletes", options.allow_stale_deletes,
               "Begin a minor update whose payload deletes what an earlier version removed");
}

void AddDeletionFlags(FlagAdder& adder, PayloadFlags& flags) {
  adder.Text("--payload-delete", flags.deletion,
             "non-blocking: go on while objects are being deleted; blocking: wait for their end");
  adder.Duration("--payload-delete-timeout", flags.deletion_timeout,
                 "The time after which a deletion that is waited for fails");
}

void AddWaitFlag(FlagAdder& adder, PayloadFlags& flags) {
  adder.Duration(
      "--payload-wait-timeout", flags.options.wait_for_health,
      "The time in which what is applied is to become healthy; 0s: it is not waited for");
}

void AddForceFlag(FlagAdder& adder, PayloadFlags& flags, const char* name) {
  adder.Switch(name, flags.options.force,
               "Begin a minor update although removals or operators hold it back");
}

}  // namespace steward::payload
