#include "plugin/bundle/install.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "base/digest/digest.h"
#include "base/flags/flag_adder.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/splice/gzip.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "bundle/requirements.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "olm/plan/install_plan.h"
#include "olm/preview/preview.h"
#include "plugin/bundle/findings.h"
#include "plugin/bundle/steps.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

constexpr char kPlanApi[] = "operators.coreos.com/v1alpha1";
constexpr char kPlanKind[] = "InstallPlan";
// The annotation that says from which bundle a plan was made.
constexpr char kDigestAnnotation[] = "steward.operatorframework.io/bundle-digest";
// kube-apiserver refuses ConfigMaps whose data is longer.
constexpr size_t kMaxData = 1 << 20;
constexpr size_t kConfigMapDigits = 63;  // as OLM's
constexpr size_t kPlanDigits = 10;
constexpr int kSmallest = 9;  // zlib's level
// The number of plans of one bundle in a namespace before old ones have to go.
constexpr int kMaxPlans = 100;

// The objects to create for the bundle.
struct Made {
  std::string digest;  // of manifests, properties and namespace
  kube::NamespacedName plan;
  kube::NamespacedName config_map;
  json::object data;  // the ConfigMap's binaryData
  json::array steps;
  std::string csv;
};

json::object StepJson(const olm::PlanStep& step, const std::string& manifest) {
  json::object entry = {{"resolving", step.resolving},
                        {"status", step.status},
                        {"resource",
                         {{"sourceName", ""},
                          {"sourceNamespace", ""},
                          {"group", step.gvk.group},
                          {"version", step.gvk.version},
                          {"kind", step.gvk.kind},
                          {"name", step.name},
                          {"manifest", manifest}}}};
  if (step.optional) entry["optional"] = true;
  return entry;
}

// The name of the plan that replaces the Complete plan with the UID `follows`; "" = of the first
// plan.
std::string PlanName(const std::string& digest, const std::string& follows) {
  const std::string of =
      follows.empty() ? digest : absl::BytesToHexString(Sha256(StrCat(digest, "/", follows)));
  return StrCat("install-", of.substr(0, kPlanDigits));
}

absl::StatusOr<Made> Make(const BundleFolder& bundle, const std::string& ns) {
  ASSIGN_OR_RETURN(const std::vector<olm::PlanStep> steps, StepsOfFolder(bundle, ns));
  Made made;
  std::string all = bundle.properties;
  size_t size = 0;
  for (size_t i = 0; i < bundle.manifests.size(); ++i) {
    const std::string text = Serialize(bundle.manifests[i].object);
    StrAppend(&all, "\n", text);
    const std::string packed = Gzip(text, kSmallest);
    size += packed.size();
    made.data[absl::StrFormat("%04d.json", i)] = absl::Base64Escape(packed);
  }
  if (size > kMaxData) {
    return Refused(StrCat("the bundle's manifests take ", size,
                          " bytes, compressed; a ConfigMap holds no more than ", kMaxData));
  }
  made.digest = absl::BytesToHexString(Sha256(StrCat(ns, "\n", all)));
  made.config_map = {ns, made.digest.substr(0, kConfigMapDigits)};
  made.plan = {ns, PlanName(made.digest, "")};
  const json::object reference = {
      {"kind", "ConfigMap"},     {"name", made.config_map.name}, {"namespace", ns},
      {"catalogSourceName", ""}, {"catalogSourceNamespace", ""}, {"replaces", ""},
      {"properties", ""}};
  json::object with_properties = reference;
  with_properties["properties"] = bundle.properties;
  for (size_t i = 0; i < steps.size(); ++i) {
    // The steps of the bundle's own manifests come first, then generated ones.
    const bool generated = i >= bundle.manifests.size();
    std::string manifest = steps[i].manifest;
    if (!generated) manifest = Serialize(i == 0 ? with_properties : reference);
    made.steps.push_back(StepJson(steps[i], manifest));
  }
  made.csv = steps.front().name;
  return made;
}

kube::WriteOptions Options(std::string subresource = "") {
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  options.subresource = std::move(subresource);
  return options;
}

absl::Status Failed(std::string_view doing, const absl::Status& status) {
  return WithContext(doing, status);
}

// Creates the object. If it exists already, reads it. Returns the result.
Task<json::value> CreateOrRead(kube::Client& client, kube::GroupVersionResource gvr,
                               kube::NamespacedName name, json::value object) {
  const std::string what = StrCat(gvr.GroupResource(), " ", name.ns, "/", name.name);
  const kube::WriteOptions options = Options();
  absl::StatusOr<json::value> created = co_await client.Create(gvr, name.ns, object, options);
  if (created.ok()) co_return created;
  if (!kube::IsAlreadyExists(created.status())) {
    co_return Failed(StrCat("creating ", what), created.status());
  }
  absl::StatusOr<json::value> read = co_await ReadObject(client, gvr, name);
  if (!read.ok()) co_return Failed(StrCat("reading ", what), read.status());
  if (!kube::MetadataText(*read, "deletionTimestamp").empty()) {
    co_return Stalled(StrCat(what, " is being deleted: try again once it has gone"));
  }
  co_return read;
}

Task<json::value> PutPlan(kube::Client& client, const Made& made, bool approve) {
  const json::value wanted = {
      {"apiVersion", kPlanApi},
      {"kind", kPlanKind},
      {"metadata",
       {{"name", made.plan.name},
        {"namespace", made.plan.ns},
        {"annotations", {{kDigestAnnotation, made.digest}}}}},
      {"spec",
       {{"approval", "Manual"},
        {"approved", approve},
        {"clusterServiceVersionNames", json::array({json::value(made.csv)})}}}};
  CO_ASSIGN_OR_RETURN(json::value plan,
                      co_await CreateOrRead(client, kInstallPlans, made.plan, wanted));
  const json::object* metadata = kube::MetadataOf(plan);
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  if (annotations == nullptr || StringAt(*annotations, kDigestAnnotation) != made.digest) {
    co_return Refused(StrCat("the InstallPlan ", made.plan.ns, "/", made.plan.name,
                             " is there, and is not of this bundle"));
  }
  co_return plan;
}

// Creates the ConfigMap. The plan owns it, so it is deleted with the plan.
StatusTask PutConfigMap(kube::Client& client, const Made& made, std::string plan_uid) {
  const json::object owner = {
      {"apiVersion", kPlanApi}, {"kind", kPlanKind}, {"name", made.plan.name}, {"uid", plan_uid}};
  const json::value wanted = {{"apiVersion", "v1"},
                              {"kind", "ConfigMap"},
                              {"metadata",
                               {{"name", made.config_map.name},
                                {"namespace", made.config_map.ns},
                                {"ownerReferences", json::array({json::value(owner)})}}},
                              {"binaryData", made.data}};
  CO_ASSIGN_OR_RETURN(const json::value there,
                      co_await CreateOrRead(client, kube::kConfigMaps, made.config_map, wanted));
  const json::object* data = ObjectAt(there.get_object(), "binaryData");
  if (data == nullptr || *data != made.data || there.get_object().contains("data")) {
    co_return Refused(StrCat("the ConfigMap ", made.config_map.ns, "/", made.config_map.name,
                             " is there, and does not hold this bundle"));
  }
  const json::object* metadata = kube::MetadataOf(there);
  const json::array* owners = ArrayAt(*metadata, "ownerReferences");
  const bool owned =
      owners != nullptr && std::any_of(owners->begin(), owners->end(), [&](const json::value& one) {
        return one.is_object() && StringAt(one.get_object(), "uid") == plan_uid;
      });
  if (owned) co_return absl::OkStatus();
  // The ConfigMap is there already. Its owner is a plan that is gone, with which the garbage
  // collector would delete it, or a Complete plan.
  json::array all = owners == nullptr ? json::array() : *owners;
  all.push_back(owner);
  const json::value patch = {{"metadata",
                              {{"resourceVersion", kube::MetadataText(there, "resourceVersion")},
                               {"ownerReferences", std::move(all)}}}};
  const kube::WriteOptions options = Options();
  const absl::Status patched = (co_await client.Patch(kube::kConfigMaps, made.config_map,
                                                      kube::PatchType::kJsonMerge, patch, options))
                                   .status();
  co_return patched.ok() ? patched : Failed("writing the bundle's ConfigMap", patched);
}

bool HasSteps(const json::value& plan) {
  const json::object* status = ObjectAt(plan.get_object(), "status");
  const json::array* steps = status == nullptr ? nullptr : ArrayAt(*status, "plan");
  return steps != nullptr && !steps->empty();
}

std::string MessageOf(const json::value& plan) {
  const json::object* status = ObjectAt(plan.get_object(), "status");
  return status == nullptr ? "" : std::string(StringAt(*status, "message"));
}

bool IsApproved(const json::value& plan) {
  const json::object* spec = ObjectAt(plan.get_object(), "spec");
  return spec != nullptr && BoolAt(*spec, "approved");
}

std::string PhaseOf(const json::value& plan) {
  const json::object* status = ObjectAt(plan.get_object(), "status");
  return status == nullptr ? "" : std::string(StringAt(*status, "phase"));
}

StatusTask Approve(kube::Client& client, const Made& made) {
  const json::value patch = {{"spec", {{"approved", true}}}};
  const kube::WriteOptions options = Options();
  const absl::Status patched =
      (co_await client.Patch(kInstallPlans, made.plan, kube::PatchType::kJsonMerge, patch, options))
          .status();
  co_return patched.ok() ? patched : Failed("approving the InstallPlan", patched);
}

StatusTask WriteSteps(kube::Client& client, const Made& made, json::value plan, bool approved) {
  plan.as_object()["status"] = {
      {"phase", approved ? olm::kPlanInstalling.data() : olm::kPlanRequiresApproval.data()},
      {"catalogSources", json::array()},
      {"plan", made.steps}};
  const kube::WriteOptions options = Options("status");
  const absl::Status written = (co_await client.Update(kInstallPlans, plan, options)).status();
  co_return written.ok() ? written : Failed("writing the status of the InstallPlan", written);
}

// Warns about faults that OLM would ignore silently.
void WarnOf(const BundleFolder& bundle, Terminal& terminal) {
  for (const Finding& finding : bundle.findings.all()) {
    if (finding.severity == Finding::Severity::kHint) continue;
    terminal.Note(StrCat("warning: ", finding.where, ": ", finding.what), Style::kWarning);
  }
}

// True if the Complete plan's objects are all there and unchanged, as far as a preview tells. If
// there is no preview, true if the ClusterServiceVersion is there.
Task<bool> IsWhole(Session& session, const BundleFolder& bundle, const Made& made) {
  const kube::NamespacedName csv = {made.plan.ns, made.csv};
  const absl::StatusOr<json::value> there = co_await ReadObject(session.client, kCsvs, csv);
  if (!there.ok() && !kube::SaysNotFound(there.status())) {
    co_return Failed(StrCat("reading ClusterServiceVersion ", csv.ns, "/", csv.name),
                     there.status());
  }
  if (!there.ok()) co_return false;
  if (!kube::MetadataText(*there, "deletionTimestamp").empty()) {
    co_return Stalled(StrCat("ClusterServiceVersion ", csv.ns, "/", csv.name,
                             " is being deleted: try again once it has gone"));
  }
  const absl::StatusOr<AskedPreview> preview =
      co_await AskPreview(session.client, session.ns, bundle.PreviewSpec());
  if (!preview.ok()) {
    if (IsWithoutPreviews(preview.status()) || kube::IsTooLarge(preview.status())) co_return true;
    co_return Failed("asking for a preview", preview.status());
  }
  co_return std::none_of(
      preview->said.steps.begin(), preview->said.steps.end(), [](const olm::PreviewStep& step) {
        return step.outcome == olm::Outcome::kCreate || step.outcome == olm::Outcome::kUpdate;
      });
}

// Returns the bundle's existing plan, or a new one. The plan is new, with its name in `made`, if
// the last plan is Complete and IsWhole is false.
Task<json::value> PutLatestPlan(Session& session, const BundleFolder& bundle, Made& made,
                                bool approve) {
  for (int i = 0; i < kMaxPlans; ++i) {
    CO_ASSIGN_OR_RETURN(json::value plan, co_await PutPlan(session.client, made, approve));
    if (PhaseOf(plan) != olm::kPlanComplete) co_return plan;
    const std::string next = PlanName(made.digest, kube::MetadataText(plan, "uid"));
    const kube::NamespacedName key = {made.plan.ns, next};
    const absl::StatusOr<json::value> later =
        co_await ReadObject(session.client, kInstallPlans, key);
    if (!later.ok()) {
      if (!kube::SaysNotFound(later.status())) {
        co_return Failed(StrCat("reading InstallPlan ", key.ns, "/", key.name), later.status());
      }
      CO_ASSIGN_OR_RETURN(const bool whole, co_await IsWhole(session, bundle, made));
      if (whole) co_return plan;
    }
    made.plan = key;
  }
  co_return Refused(StrCat("this bundle has ", kMaxPlans, " InstallPlans in ", made.plan.ns,
                           ": delete those that are Complete"));
}

// Shows the unmet requirements, and adds them to the session's report.
void ShowUnmet(Session& session, const std::vector<std::string>& unmet) {
  json::array list;
  for (const std::string& each : unmet) {
    session.terminal.Line(StrCat("not there: ", each), Style::kWarning);
    list.emplace_back(each);
  }
  session.document["unmetRequirements"] = std::move(list);
}

StatusTask CheckRequirements(Session& session, const BundleFolder& bundle, bool ignore) {
  const std::vector<json::object> manifests = bundle.Objects();
  const bundle::Candidate candidate = {session.ns, manifests, bundle.AllProperties()};
  const absl::StatusOr<std::vector<std::string>> unmet =
      co_await bundle::UnmetRequirements(session.client, session.clock, candidate);
  if (!unmet.ok()) {
    if (ignore) co_return absl::OkStatus();
    co_return Failed("looking for what the bundle needs", unmet.status());
  }
  ShowUnmet(session, *unmet);
  if (unmet->empty() || ignore) co_return absl::OkStatus();
  co_return Refused(
      StrCat("the bundle needs what is not there; nothing was installed. --ignore-requirements "
             "installs it all the same"));
}

class InstallCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("DIR", folder_, "Folder of the bundle, with manifests/ and metadata/")
        ->required();
    FlagAdder flags(app);
    flags.Switch("--approve", options_.approve,
                 "Approve the InstallPlan, so that it is executed at once");
    flags.Switch("--ignore-requirements", options_.ignore_requirements,
                 "Install it although something is not there that it needs");
  }

  StatusTask Run(Session& session) override {
    CO_ASSIGN_OR_RETURN(BundleFolder bundle, ReadBundleFolder(folder_));
    co_return co_await InstallBundle(session, std::move(bundle), options_);
  }

 private:
  std::string folder_;
  InstallOptions options_;
};

}  // namespace

StatusTask InstallBundle(Session& session, BundleFolder bundle, InstallOptions options) {
  CO_ASSIGN_OR_RETURN(Made made, Make(bundle, session.ns));
  WarnOf(bundle, session.terminal);
  CO_RETURN_IF_ERROR(co_await CheckRequirements(session, bundle, options.ignore_requirements));
  const bool approve = options.approve;
  CO_ASSIGN_OR_RETURN(json::value plan, co_await PutLatestPlan(session, bundle, made, approve));
  session.document["namespace"] = made.plan.ns;
  session.document["installPlan"] = made.plan.name;
  session.document["configMap"] = made.config_map.name;
  bool approved = IsApproved(plan);
  const bool begun = HasSteps(plan);
  if (approve && !approved) {
    CO_RETURN_IF_ERROR(co_await Approve(session.client, made));
    CO_ASSIGN_OR_RETURN(plan, co_await ReadObject(session.client, kInstallPlans, made.plan));
    approved = true;
  }
  const std::string phase = PhaseOf(plan);
  const std::string message = MessageOf(plan);
  if (phase != olm::kPlanComplete && phase != olm::kPlanFailed) {
    CO_RETURN_IF_ERROR(
        co_await PutConfigMap(session.client, made, kube::MetadataText(plan, "uid")));
  }
  if (!begun) {
    CO_RETURN_IF_ERROR(co_await WriteSteps(session.client, made, std::move(plan), approved));
  }
  session.document["approved"] = approved;
  const std::string name = StrCat("InstallPlan ", made.plan.ns, "/", made.plan.name);
  if (phase == olm::kPlanFailed) {
    const std::string patch = StrCat("kubectl patch installplan -n ", made.plan.ns, " ",
                                     made.plan.name, " --type=merge -p '{\"spec\":{\"approved\":");
    co_return Stalled(
        StrCat(name, " is there, and has failed: ", message,
               ". It is tried again when its approval is taken back and given again: ", patch,
               "false}}', and once its phase is RequiresApproval ", patch, "true}}'"));
  }
  if (phase == olm::kPlanComplete) {
    session.terminal.Line(
        StrCat(name, " is there, and Complete; nothing of ", made.csv, " is missing or different"));
  } else {
    session.terminal.Line(
        StrCat(name, " has ", made.steps.size(), " steps for ", made.csv,
               approved ? "" : ", and waits for approval: run this again with --approve"));
  }
  session.terminal.Note(
      StrCat("Follow it: kubectl get installplan -n ", made.plan.ns, " ", made.plan.name,
             " -o jsonpath='{.status.phase} {.status.message}{range .status.conditions[*]} "
             "{.message}{end}'"));
  co_return absl::OkStatus();
}

KnownCommand KnownBundleInstall() {
  return {
      .name = "install",
      .description = "Make the InstallPlan of a bundle, with your own rights",
      .report = "BundleInstall",
      .examples = {{"Install a bundle without a catalog", "bundle install ./bundle -n operators"}},
      .make = [] { return std::make_unique<InstallCommand>(); }};
}

}  // namespace steward::plugin
