#include "plugin/removal/remove.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/step.h"
#include "olm/copy.h"
#include "olm/object_facts.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/command/waiting.h"
#include "plugin/removal/installation.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using olm::ObjectFacts;

// The number of names in one sentence, at most.
constexpr size_t kMaxNames = 10;
const kube::GroupVersionResource kClusterOperators = {"config.openshift.io", "v1",
                                                      "clusteroperators"};
// The number of tries to delete the namespace, one a second.
constexpr int kMostTries = 10;
const kube::NamespacedName kPayloadOperator = {"", "steward-payload"};

std::string Names(const std::vector<std::string>& all) {
  const size_t shown = std::min(all.size(), kMaxNames);
  std::string text =
      absl::StrJoin(std::vector<std::string>(all.begin(), all.begin() + shown), ", ");
  if (all.size() > shown) StrAppend(&text, " and ", all.size() - shown, " more");
  return text;
}

std::vector<std::string> NamesOf(const std::vector<ObjectFacts>& all) {
  std::vector<std::string> names;
  for (const ObjectFacts& each : all) names.push_back(StrCat(each.key.ns, "/", each.key.name));
  return names;
}

std::vector<std::string> NamesOf(const std::vector<FoundObject>& all) {
  std::vector<std::string> names;
  for (const FoundObject& each : all) names.push_back(each.ToString());
  return names;
}

absl::Status CleanupsRun(const Installation& found) {
  const bool stopped = std::any_of(
      found.deployments.begin(), found.deployments.end(), [](const FoundDeployment& each) {
        return each.facts.key.name == "steward-controllers" && each.replicas == 0;
      });
  return Refused(StrCat(
      CountText(static_cast<int64_t>(found.cleaning.size()), "cleanup"),
      " under way, which nobody would finish: ", Names(NamesOf(found.cleaning)),
      ". Let it end, or abort it (kubectl steward status, kubectl steward abort)",
      stopped ? "; the controllers are stopped: kubectl scale deployment steward-controllers -n "
                "steward-system --replicas=2"
              : ""));
}

// Returns why the removal is refused; OK = it may start.
absl::Status Check(const Installation& found, const RemoveOptions& options) {
  if (!found.cleaning.empty()) return CleanupsRun(found);
  if (!found.opted_in.empty() && !options.release_opt_ins) {
    return Refused(StrCat(CountText(static_cast<int64_t>(found.opted_in.size()), "operator"),
                          " opted in to cleanup, which could not be deleted without Steward: ",
                          Names(NamesOf(found.opted_in)),
                          ". --release-opt-ins takes the opt-ins back, and keeps all data"));
  }
  if (!found.foreign.empty()) {
    return Refused(StrCat(
        "in the namespace ", kStewardNamespace,
        " lies what is not Steward's, and would go with it: ", Names(NamesOf(found.foreign))));
  }
  return absl::OkStatus();
}

class Remover {
 public:
  // REQUIRES: `session` outlives this object.
  Remover(Session& session, RemoveOptions options) : session_(session), options_(options) {}

  StatusTask Run() {
    CO_ASSIGN_OR_RETURN(found_, co_await ReadInstallation(session_.client));
    CO_RETURN_IF_ERROR(Check(found_, options_));
    Show();
    if (options_.dry_run) co_return absl::OkStatus();
    if (!found_.ns && !found_.registration && found_.objects.empty() && found_.held.empty()) {
      session_.terminal.Line("There is nothing of Steward in this cluster", Style::kGood);
      co_return absl::OkStatus();
    }
    CO_RETURN_IF_ERROR(Confirm(session_, "Remove Steward from this cluster?"));
    CO_RETURN_IF_ERROR(co_await StopControllers());
    CO_RETURN_IF_ERROR(co_await DeleteRegistration());
    const std::vector<std::string_view> opt_in = {olm::kCleanupFinalizer,
                                                  olm::kLegacyCleanupFinalizer};
    for (const ObjectFacts& csv : found_.opted_in) {
      const FoundObject object = {kCsvs, csv};
      CO_RETURN_IF_ERROR(co_await LetGo(object, opt_in, "opt-in of"));
    }
    const std::vector<std::string_view> hold = {olm::kHoldFinalizer};
    for (const FoundObject& object : found_.held) {
      CO_RETURN_IF_ERROR(co_await LetGo(object, hold, "hold on"));
    }
    for (const FoundObject& object : found_.objects) {
      CO_RETURN_IF_ERROR(co_await Delete(object));
    }
    CO_RETURN_IF_ERROR(co_await DeletePayloadOperator());
    if (found_.ns) {
      CO_RETURN_IF_ERROR(co_await DeleteNamespace());
      CO_RETURN_IF_ERROR(co_await AwaitNamespace());
    }
    session_.terminal.Line("Done: nothing of Steward is left", Style::kGood);
    co_return absl::OkStatus();
  }

 private:
  // Shows what will be done, in its order, and what stays.
  void Show() {
    json::array objects;
    const auto add = [&](const std::string& text) {
      objects.push_back(json::value(text));
      session_.terminal.Line(StrCat("  ", text));
    };
    session_.terminal.Line("Removing Steward deletes:", Style::kStrong);
    if (found_.registration) add(StrCat("apiservices ", found_.registration->key.name));
    for (const FoundObject& each : found_.objects) add(each.ToString());
    if (found_.ns) add(StrCat("namespaces ", kStewardNamespace, ", with all that is in it"));
    session_.document["deletes"] = std::move(objects);
    const auto tell = [this](const char* member, const std::vector<std::string>& names,
                             std::string_view what) {
      session_.document[member] = json::array(names.begin(), names.end());
      if (!names.empty()) session_.terminal.Line(StrCat(what, Names(names)), Style::kWarning);
    };
    tell("releases", NamesOf(found_.opted_in), "Opt-ins are taken back, and all data kept: ");
    tell("letsGoOf", NamesOf(found_.held), "Finalizers are taken off: ");
    tell("keeps", NamesOf(found_.added_roles), "These roles are yours, and stay: ");
    tell("keepsBindings", NamesOf(found_.added_bindings),
         "These bindings to Steward's roles are yours, and stay: ");
    const bool made_copies = std::any_of(
        found_.deployments.begin(), found_.deployments.end(),
        [](const FoundDeployment& each) { return each.facts.key.name == "steward-copied-csvs"; });
    if (made_copies && found_.copies > 0) {
      session_.terminal.Line(
          StrCat(found_.copies, found_.copies == 1 ? " copy" : " copies",
                 " of ClusterServiceVersions stay, and nobody looks after them unless OLM does. "
                 "kubectl steward copied-csvs off has them deleted first"),
          Style::kWarning);
    }
  }

  static absl::Status Failed(std::string_view what, const absl::Status& status) {
    return WithContext(what, status);
  }

  StatusTask Delete(const FoundObject& object) {
    kube::DeleteOptions options;
    options.uid = object.facts.uid;
    const absl::Status deleted =
        (co_await session_.client.Delete(object.gvr, object.facts.key, options)).status();
    // The object is gone, or another object has its name; the next run looks at that one.
    if (kube::IsNotFound(deleted, object.facts.key.name) || kube::IsConflict(deleted)) {
      co_return absl::OkStatus();
    }
    if (!deleted.ok()) {
      co_return Failed(StrCat("deleting ", object.ToString()), deleted);
    }
    session_.terminal.Line(StrCat("deleted ", object.ToString()));
    co_return absl::OkStatus();
  }

  // Deletes the APIService in its present state.
  StatusTask DeleteRegistration() {
    CO_ASSIGN_OR_RETURN(const auto found, co_await ReadRegistration(session_.client));
    if (!found) co_return absl::OkStatus();
    const FoundObject registration = {kube::kApiServices, *found};
    co_return co_await Delete(registration);
  }

  // Deletes the namespace. The policy that protects it refuses this until the kube-apiserver has
  // noticed that the APIService is gone.
  StatusTask DeleteNamespace() {
    const FoundObject ns = {kNamespaces, *found_.ns};
    absl::Status deleted = co_await Delete(ns);
    for (int tries = 1; tries < kMostTries && ExitOf(deleted) == Exit::kRefused; ++tries) {
      co_await session_.clock.Sleep(absl::Seconds(1));
      deleted = co_await Delete(ns);
    }
    co_return deleted;
  }

  // Removes finalizers, provided the object is still as it was read.
  StatusTask LetGo(const FoundObject& object, const std::vector<std::string_view>& gone,
                   std::string_view what) {
    const std::vector<std::string> kept = olm::FinalizersWithout(object.facts.finalizers, gone);
    json::object metadata = {{"resourceVersion", object.facts.resource_version}};
    metadata["finalizers"] = kept.empty() ? json::value() : json::array(kept.begin(), kept.end());
    json::object patch;
    patch["metadata"] = std::move(metadata);
    const json::value change = std::move(patch);
    kube::WriteOptions options;
    options.field_manager = kFieldManager;
    const absl::Status written =
        (co_await session_.client.Patch(object.gvr, object.facts.key, kube::PatchType::kJsonMerge,
                                        change, options))
            .status();
    if (kube::IsNotFound(written, object.facts.key.name)) co_return absl::OkStatus();
    if (kube::IsConflict(written)) {
      co_return absl::AbortedError(
          StrCat(object.ToString(), " has changed meanwhile; run it again to go on"));
    }
    if (!written.ok()) {
      co_return Failed(StrCat("taking the ", what, " ", object.ToString(), " back"), written);
    }
    session_.terminal.Line(StrCat("took back the ", what, " ", object.ToString()));
    co_return absl::OkStatus();
  }

  StatusTask Scale(const FoundDeployment& deployment, int64_t replicas) {
    json::object patch;
    patch["metadata"] = {{"uid", deployment.facts.uid}};
    patch["spec"] = {{"replicas", replicas}};
    const json::value change = std::move(patch);
    kube::WriteOptions options;
    options.field_manager = kFieldManager;
    const absl::Status written =
        (co_await session_.client.Patch(kube::kDeployments, deployment.facts.key,
                                        kube::PatchType::kJsonMerge, change, options))
            .status();
    if (kube::IsNotFound(written, deployment.facts.key.name)) co_return absl::OkStatus();
    if (!written.ok()) {
      co_return Failed(StrCat("scaling ", deployment.facts.key.name), written);
    }
    co_return absl::OkStatus();
  }

  StatusTask StopControllers() {
    for (const FoundDeployment& each : found_.deployments) {
      if (each.replicas != 0) CO_RETURN_IF_ERROR(co_await Scale(each, 0));
    }
    // Delete the APIService first: pods may take long to end, or never end if their node is gone.
    CO_RETURN_IF_ERROR(co_await DeleteRegistration());
    if (found_.ns) CO_RETURN_IF_ERROR(co_await AwaitPods());
    CO_RETURN_IF_ERROR(co_await ReadCleanups(session_.client, found_));
    if (found_.cleaning.empty() && (found_.opted_in.empty() || options_.release_opt_ins)) {
      co_return absl::OkStatus();
    }
    // A cleanup began before the controllers had stopped: bring the replicas back.
    for (const FoundDeployment& each : found_.deployments) {
      if (each.replicas != 0) CO_RETURN_IF_ERROR(co_await Scale(each, each.replicas));
    }
    session_.terminal.Note("The controllers are brought back", Style::kWarning);
    co_return Check(found_, options_);
  }

  StatusTask AwaitPods() {
    class NoPods : public Awaited {
     public:
      explicit NoPods(Session& session) : session_(session) {}
      Task<bool> IsDone(absl::Duration) override {
        const absl::StatusOr<size_t> left =
            co_await CountPods(session_.client, /*apiserver=*/false);
        if (!left.ok() && !kube::IsTransient(left.status())) co_return left.status();
        if (left.ok()) left_ = *left;
        co_return left.ok() && *left == 0;
      }
      void Show(absl::Duration waited) override {
        session_.terminal.Draw(StrCat("Waiting for ", Text(), " of the controllers to end"),
                               ElapsedText(waited));
      }
      absl::Status OutOfTime(absl::Duration, absl::Duration limit) override {
        return Stalled(StrCat(Text(), " of the controllers did not end within ",
                              DurationText(limit), "; run it again to go on"));
      }

     private:
      std::string Text() const { return CountText(static_cast<int64_t>(left_), "pod"); }

      Session& session_;
      size_t left_ = 0;
    };
    NoPods awaited(session_);
    const Deadline deadline(session_.clock, options_.timeout);
    CO_RETURN_IF_ERROR(co_await WaitFor(session_, awaited, deadline));
    session_.terminal.Clear();
    session_.terminal.Line("stopped the controllers");
    co_return absl::OkStatus();
  }

  // Deletes the payload's ClusterOperator, which would otherwise hold back updates of the cluster
  // for ever.
  StatusTask DeletePayloadOperator() {
    const kube::DeleteOptions options;
    const absl::Status deleted =
        (co_await session_.client.Delete(kClusterOperators, kPayloadOperator, options)).status();
    if (deleted.ok()) session_.terminal.Line("deleted clusteroperators steward-payload");
    if (kube::SaysNotFound(deleted)) co_return absl::OkStatus();
    if (!deleted.ok()) co_return Failed("deleting clusteroperators steward-payload", deleted);
    co_return absl::OkStatus();
  }

  StatusTask AwaitNamespace() {
    class Gone : public Awaited {
     public:
      explicit Gone(Session& session) : session_(session) {}
      Task<bool> IsDone(absl::Duration) override {
        const kube::NamespacedName name = {"", kStewardNamespace};
        const absl::Status read = (co_await session_.client.Get(kNamespaces, name)).status();
        if (!read.ok() && !kube::IsNotFound(read, name.name) && !kube::IsTransient(read)) {
          co_return read;
        }
        co_return kube::IsNotFound(read, name.name);
      }
      void Show(absl::Duration waited) override {
        session_.terminal.Draw("Waiting for the namespace to go", ElapsedText(waited));
      }
      absl::Status OutOfTime(absl::Duration, absl::Duration limit) override {
        return Stalled(StrCat("the namespace ", kStewardNamespace, " is not gone within ",
                              DurationText(limit), ": kubectl get namespace ", kStewardNamespace,
                              " -o yaml says what it waits for"));
      }

     private:
      Session& session_;
    };
    Gone awaited(session_);
    const Deadline deadline(session_.clock, options_.timeout);
    CO_RETURN_IF_ERROR(co_await WaitFor(session_, awaited, deadline));
    session_.terminal.Clear();
    co_return absl::OkStatus();
  }

  Session& session_;
  const RemoveOptions options_;
  Installation found_;
};

class RemoveCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    FlagAdder flags(app);
    AddDryRunFlag(app, options_.dry_run, "Show what would be done, and stop");
    flags.Switch("--release-opt-ins", options_.release_opt_ins,
                 "Take back the opt-ins to cleanup; nothing of the operators is deleted");
    flags.Duration("--timeout", options_.timeout,
                   "How long the pods' end, and then the namespace's, is waited for; 0 = for ever");
  }
  StatusTask Run(Session& session) override { return Remove(session, options_); }

 private:
  RemoveOptions options_;
};

}  // namespace

StatusTask Remove(Session& session, RemoveOptions options) {
  Remover remover(session, options);
  co_return co_await remover.Run();
}

KnownCommand KnownRemove() {
  return {.name = "remove",
          .description = "Remove Steward itself from the cluster",
          .report = "RemovalReport",
          .examples = {{"Show what would be deleted", "remove --dry-run"}},
          .asks = true,
          .make = [] { return std::make_unique<RemoveCommand>(); }};
}

}  // namespace steward::plugin
