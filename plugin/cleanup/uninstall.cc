#include "plugin/cleanup/uninstall.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/target_set.h"
#include "olm/csv_facts.h"
#include "plugin/cleanup/agreement.h"
#include "plugin/cleanup/follow.h"
#include "plugin/cleanup/ready.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/related.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/preview/preview_table.h"
#include "plugin/saving/save.h"
#include "plugin/saving/save_folder.h"
#include "plugin/saving/save_index.h"
#include "plugin/saving/saved_path.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr int kTries = 10;
constexpr absl::Duration kPause = absl::Milliseconds(200);

class Uninstallation {
 public:
  Uninstallation(Session& session, UninstallOptions options)
      : session_(session), options_(std::move(options)) {}

  StatusTask Run();

 private:
  const olm::CsvFacts& facts() const { return preview_.csv.facts; }
  const OptInChange& opt_in_change() const { return preview_.opt_in_change; }
  // True if this run saves the operands. If a cleanup is under way, an earlier run has saved them.
  bool saves() const {
    return options_.save && opt_in_change().deletes_operands && !facts().deleting();
  }

  std::string Folder() const;
  std::string Saving() const;
  // Returns an error if the uninstallation must not start; OK if nothing is known that speaks
  // against it.
  StatusTask FindRefusal();
  StatusTask Tell(bool refused);
  StatusTask TryWrites();
  StatusTask TryDelete(olm::CsvFacts facts);
  StatusTask TryDeleteOptedIn();
  // Finds the policy whose proof confirms this opt-in. Without it, the controllers have to confirm
  // the opt-in.
  StatusTask FindPolicy();
  StatusTask WriteOptIn(bool dry_run);
  absl::Status AskOnce();
  StatusTask Save();
  StatusTask CheckAgain();
  StatusTask ChangeOptIn();
  ReadyQuestion Question() const;
  StatusTask UntilReady();
  StatusTask TakeBack();
  StatusTask DeleteAllRelated();
  StatusTask DeleteIt();
  // Makes one try; kConflict if the object has changed since it was read.
  StatusTask DeleteOnce();
  StatusTask Proceed();
  StatusTask WaitForEnd();

  Session& session_;
  const UninstallOptions options_;
  std::optional<Deadline> deadline_;  // starts when the user has agreed
  Preview preview_;
  std::unique_ptr<Saver> saver_;
  std::string proof_;
  bool opted_in_here_ = false;
};

std::string Uninstallation::Folder() const {
  return options_.folder.empty() ? SaveFolderFor(options_.csv, facts().uid) : options_.folder;
}

std::string Uninstallation::Saving() const {
  if (saves()) return StrCat("They are saved before, as YAML, in ", Folder());
  const absl::StatusOr<SaveIndex> index = SaveFolder(Folder()).ReadIndex();
  if (index.ok() && index->complete && index->csv_uid == facts().uid) {
    return StrCat("They were saved, as YAML, in ", Folder());
  }
  return facts().deleting() ? StrCat("They are not saved: there is nothing of it in ", Folder())
                            : "They are not saved";
}

StatusTask Uninstallation::FindRefusal() {
  if (!facts().deleting() && !preview_.Blockers().empty()) {
    co_return Refused(
        "its custom resources would be kept for what stands against it; nothing was "
        "changed. --keep uninstalls it and keeps them");
  }
  co_return co_await TryWrites();
}

StatusTask Uninstallation::Tell(bool refused) {
  if (saves()) {
    saver_ = std::make_unique<Saver>(session_.client, session_.clock, Folder(), options_.csv,
                                     facts().uid);
  }
  session_.document["clusterServiceVersion"] = IdentityJson(facts());
  session_.document["preview"] = PreviewJson(preview_);
  for (const Terminal::Row& row : PreviewRows(preview_, Saving(), refused)) {
    session_.terminal.Line(row);
  }
  json::object uninstall = {{"clusterServiceVersion", options_.csv.name}};
  if (options_.policy != OperandPolicy::kAsItIs)
    uninstall["cleanup"] = options_.policy == OperandPolicy::kDelete;
  json::object spec = {{"uninstall", std::move(uninstall)}};
  co_return co_await ShowAskedPreview(session_, std::move(spec), options_.csv.ns);
}

// Tries every later write as a dry run.
StatusTask Uninstallation::TryWrites() {
  if (opt_in_change().opt_in || opt_in_change().opt_out) {
    CO_RETURN_IF_ERROR(co_await FindPolicy());
    CO_RETURN_IF_ERROR(co_await WriteOptIn(/*dry_run=*/true));
  }
  for (const RelatedObject& object : preview_.related) {
    if (object.kept()) continue;
    const absl::Status status = co_await DeleteRelated(session_.client, object, /*dry_run=*/true);
    CO_RETURN_IF_ERROR(status);
  }
  if (facts().deleting()) co_return absl::OkStatus();
  co_return co_await TryDelete(facts());
}

StatusTask Uninstallation::TryDelete(olm::CsvFacts facts) {
  const absl::Status status =
      co_await DeleteCsv(session_.client, std::move(facts), /*dry_run=*/true);
  if (kube::IsForbidden(status)) {
    co_return Refused(StrCat("it may not be deleted: ", ToStd(status.message())));
  }
  // Another client writes the object at this moment; the deletion itself will find out.
  if (kube::IsConflict(status)) co_return absl::OkStatus();
  co_return status;
}

// A user who may opt in may still not be allowed to delete an opted-in operator. That can only be
// tried after the opt-in (R-000-77).
StatusTask Uninstallation::TryDeleteOptedIn() {
  if (!opted_in_here_) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(Csv now, co_await ReadCsv(session_.client, options_.csv));
  const absl::Status status = co_await TryDelete(std::move(now.facts));
  // TakeBack reports its own failure; the refusal is the result.
  if (!status.ok() && ExitOf(status) == Exit::kRefused) (void)co_await TakeBack();
  co_return status;
}

StatusTask Uninstallation::FindPolicy() {
  if (!opt_in_change().opt_in) co_return absl::OkStatus();
  absl::StatusOr<std::string> proof = co_await ReadOptInProof(session_.client);
  if (kube::IsForbidden(proof.status())) {
    session_.terminal.Note(
        StrCat("You may not read the admission policy ", olm::kOptInPolicy,
               " and its binding, so Steward's controllers have to confirm the opt-in"));
    co_return absl::OkStatus();
  }
  CO_RETURN_IF_ERROR(proof.status());
  proof_ = *std::move(proof);
  co_return absl::OkStatus();
}

StatusTask Uninstallation::WriteOptIn(bool dry_run) {
  absl::Status status;
  if (opt_in_change().opt_in) {
    CsvCheck agreed = [agreed = preview_.Agreed()](const Csv& now) {
      return CheckOwned(agreed, now);
    };
    status = co_await OptIn(session_.client, options_.csv, facts().uid, proof_, std::move(agreed),
                            dry_run);
  } else {
    status = co_await OptOut(session_.client, options_.csv, facts().uid, dry_run);
  }
  if (kube::IsForbidden(status)) co_return ExplainOptInDenied(status);
  co_return status;
}

absl::Status Uninstallation::AskOnce() {
  // An uninstallation that is under way, with no related object to delete, leaves nothing to
  // decide.
  const bool deletes_related =
      std::any_of(preview_.related.begin(), preview_.related.end(),
                  [](const RelatedObject& object) { return !object.kept(); });
  if (facts().deleting() && !deletes_related) return absl::OkStatus();
  const int64_t count = opt_in_change().deletes_operands ? preview_.operands->pending() : 0;
  const std::string question =
      StrCat("Uninstall ", options_.csv.name,
             count > 0 ? StrCat(" and delete ", CountText(count, "custom resource")) : "", "?");
  return Confirm(session_, question);
}

StatusTask Uninstallation::Save() {
  if (saver_ == nullptr) co_return absl::OkStatus();
  const bool again = session_.document.contains("saved");
  absl::StatusOr<size_t> saved = co_await saver_->Save(preview_.plans);
  if (!saved.ok())
    co_return WithContext("not everything could be saved, so nothing is deleted", saved.status());
  session_.document["saved"] = json::object({{"folder", saver_->folder()}, {"count", *saved}});
  if (!again) {
    session_.terminal.Line(StrCat("Saved ",
                                  CountText(static_cast<int64_t>(*saved), "custom resource"),
                                  " to ", saver_->folder()));
  }
  co_return absl::OkStatus();
}

// Checks right before the opt-in what its write cannot check. After the opt-in, others need a right
// to make the operator own more, and Steward reports what it would delete; IsReady checks both
// then.
StatusTask Uninstallation::CheckAgain() {
  CO_ASSIGN_OR_RETURN(CleanupStatus status,
                      co_await ReadCleanupStatus(session_.client, options_.csv));
  CO_ASSIGN_OR_RETURN(const olm::TargetSet targets,
                      co_await ReadTargets(session_.client, std::move(status)));
  CO_RETURN_IF_ERROR(CheckTargets(preview_.Agreed(), targets));
  Agreement agreed = preview_.Agreed();
  co_return co_await CheckDefinitions(session_.client, std::move(agreed));
}

StatusTask Uninstallation::ChangeOptIn() {
  if (!opt_in_change().opt_in && !opt_in_change().opt_out) co_return absl::OkStatus();
  if (opt_in_change().opt_in) CO_RETURN_IF_ERROR(co_await CheckAgain());
  CO_RETURN_IF_ERROR(co_await WriteOptIn(/*dry_run=*/false));
  opted_in_here_ = opt_in_change().opt_in;
  session_.terminal.Line(opt_in_change().opt_in ? "Opted in to cleanup"
                                                : "Removed the opt-in to cleanup");
  co_return absl::OkStatus();
}

// Removes the opt-in that this run added. An opt-in from before was the user's decision, so it
// stays.
StatusTask Uninstallation::TakeBack() {
  if (!opted_in_here_) co_return absl::OkStatus();
  const absl::Status status =
      co_await OptOut(session_.client, options_.csv, facts().uid, /*dry_run=*/false);
  session_.terminal.Line(
      status.ok() ? "Took the opt-in back"
                  : StrCat("The opt-in could not be taken back: ", ToStd(status.message())),
      status.ok() ? Style::kPlain : Style::kWarning);
  co_return status;
}

ReadyQuestion Uninstallation::Question() const {
  return {options_.csv, facts().uid, preview_.Agreed()};
}

StatusTask Uninstallation::UntilReady() {
  if (!opt_in_change().deletes_operands) co_return absl::OkStatus();
  const ReadyQuestion question = Question();
  const absl::Status status = co_await WaitUntilReady(session_, question, *deadline_);
  session_.terminal.Clear();
  if (status.ok()) {
    session_.terminal.Note("Nothing stands against it, and the operator's rights are held");
  } else if (ExitOf(status) == Exit::kRefused) {
    // TakeBack reports its own failure; the refusal is the result.
    (void)co_await TakeBack();
  }
  co_return status;
}

StatusTask Uninstallation::DeleteAllRelated() {
  // Reads them again: a newer one would also make OLM install the operator again.
  CO_ASSIGN_OR_RETURN(const std::vector<RelatedObject> related,
                      co_await FindRelated(session_.client, options_.csv));
  json::array& deleted =
      session_.document.emplace("deletedRelated", json::array()).first->value().as_array();
  for (const RelatedObject& object : related) {
    if (object.kept()) continue;
    CO_RETURN_IF_ERROR(co_await DeleteRelated(session_.client, object, /*dry_run=*/false));
    deleted.emplace_back(Describe(object));
    session_.terminal.Line(StrCat("Deleted the ", Describe(object)));
  }
  co_return absl::OkStatus();
}

StatusTask Uninstallation::DeleteOnce() {
  CO_ASSIGN_OR_RETURN(const Csv now, co_await ReadCsv(session_.client, options_.csv));
  if (now.facts.uid != facts().uid) {
    co_return Refused(StrCat(options_.csv.ns, "/", options_.csv.name,
                             " is another object now than was looked at; nothing of it was "
                             "touched"));
  }
  if (now.facts.deleting()) co_return absl::OkStatus();
  if (now.cleans_up() != opt_in_change().deletes_operands) {
    co_return Refused(StrCat("somebody has ", now.cleans_up() ? "opted in to" : "called off",
                             " the cleanup meanwhile; look at it again"));
  }
  if (opt_in_change().deletes_operands) {
    const ReadyQuestion question = Question();
    const absl::StatusOr<bool> ready = co_await IsReady(session_, question, now);
    // TakeBack reports its own result; the refusal is the result of the command.
    if (ExitOf(ready.status()) == Exit::kRefused) (void)co_await TakeBack();
    CO_RETURN_IF_ERROR(ready.status());
    if (!*ready) co_return absl::AbortedError("Steward's controllers do not hold the rights");
  }
  co_return co_await DeleteCsv(session_.client, now.facts, /*dry_run=*/false);
}

StatusTask Uninstallation::DeleteIt() {
  absl::Status status;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    status = co_await DeleteOnce();
    // The object changed between read and deletion; the next try reads its new state.
    if (!kube::IsConflict(status) && !absl::IsAborted(status)) break;
    co_await session_.clock.Sleep(kPause);
  }
  if (kube::IsNotFound(status, options_.csv.name)) status = absl::OkStatus();
  CO_RETURN_IF_ERROR(status);
  session_.document["deletionRequested"] = true;
  session_.terminal.Line(StrCat("Deleted the ClusterServiceVersion ", options_.csv.ns, "/",
                                options_.csv.name,
                                opt_in_change().deletes_operands ? "; Steward cleans up" : ""));
  if (options_.wait && session_.terminal.live()) {
    session_.terminal.Note("Ctrl-C ends the watching, not the uninstallation", Style::kFaint);
  }
  co_return absl::OkStatus();
}

StatusTask Uninstallation::WaitForEnd() {
  Followed followed;
  followed.csv = options_.csv;
  followed.uid = facts().uid;
  followed.deletes_operands = opt_in_change().deletes_operands;
  followed.plans = preview_.plans;
  followed.shown = preview_.operands;
  CO_ASSIGN_OR_RETURN(const FollowResult result,
                      co_await Follow(session_, std::move(followed), *deadline_));
  const std::string gone = StrCat(options_.csv.ns, "/", options_.csv.name, " is gone");
  if (!opt_in_change().deletes_operands) {
    session_.terminal.Line(gone, Style::kGood);
    co_return absl::OkStatus();
  }
  if (!result.left.has_value()) {
    co_return absl::UnknownError(
        StrCat(gone, "; whether its custom resources are could not be seen"));
  }
  const int64_t left = result.left->pending();
  session_.document["left"] = left;
  const int64_t kept = result.left->kept();
  session_.document["kept"] = kept;
  if (left == 0) {
    const int64_t deleted = preview_.operands->pending();
    const std::string of_them =
        kept == 0      ? "are its custom resources"
        : deleted == 1 ? "is the custom resource that was to be deleted"
                       : StrCat("are the ", deleted, " custom resources that were to be deleted");
    const std::string others =
        kept == 0 ? "" : StrCat("; ", kept, kept == 1 ? " was kept" : " were kept");
    session_.terminal.Line(StrCat(gone, ", and so ", of_them, others), Style::kGood);
    co_return absl::OkStatus();
  }
  co_return Refused(StrCat(
      gone, ", but ", CountText(left, "custom resource"), " of it ", left == 1 ? "is" : "are",
      " still there: the cleanup was refused or aborted, or they were created "
      "late. Its events say more: kubectl get events -n ",
      options_.csv.ns, " --field-selector involvedObject.name=", options_.csv.name));
}

StatusTask Uninstallation::Proceed() {
  deadline_.emplace(session_.clock, options_.timeout);
  if (!facts().deleting()) {
    CO_RETURN_IF_ERROR(co_await Save());
    CO_RETURN_IF_ERROR(co_await ChangeOptIn());
    CO_RETURN_IF_ERROR(co_await UntilReady());
    CO_RETURN_IF_ERROR(co_await TryDeleteOptedIn());
  }
  CO_RETURN_IF_ERROR(co_await DeleteAllRelated());
  if (!facts().deleting()) {
    CO_RETURN_IF_ERROR(co_await Save());
    CO_RETURN_IF_ERROR(co_await DeleteIt());
  }
  if (options_.wait) co_return co_await WaitForEnd();
  co_return absl::OkStatus();
}

StatusTask Uninstallation::Run() {
  absl::StatusOr<Preview> preview =
      co_await MakePreview(session_.client, options_.csv, options_.policy);
  if (!preview.ok() && options_.ignore_not_found &&
      kube::IsNotFound(preview.status(), options_.csv.name)) {
    session_.terminal.Note(
        StrCat("There is no ClusterServiceVersion ", options_.csv.ns, "/", options_.csv.name));
    co_return absl::OkStatus();
  }
  CO_RETURN_IF_ERROR(preview.status());
  preview_ = *std::move(preview);
  const absl::Status refusal = co_await FindRefusal();
  CO_RETURN_IF_ERROR(co_await Tell(ExitOf(refusal) == Exit::kRefused));
  CO_RETURN_IF_ERROR(refusal);
  if (options_.dry_run) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(AskOnce());
  co_return co_await Proceed();
}

}  // namespace

std::string SaveFolderFor(const kube::NamespacedName& csv, const std::string& uid) {
  return StrCat("steward-saved/", SafeFileName(csv.ns), "/", SafeFileName(csv.name), "-",
                SafeFileName(uid).substr(0, 8));
}

StatusTask Uninstall(Session& session, UninstallOptions options) {
  Uninstallation uninstallation(session, std::move(options));
  co_return co_await uninstallation.Run();
}

}  // namespace steward::plugin
