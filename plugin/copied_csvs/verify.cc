#include "plugin/copied_csvs/verify.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/flags/flag_adder.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/copy.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/command/exit.h"
#include "plugin/copied_csvs/difference.h"
#include "plugin/copied_csvs/olm_config.h"
#include "plugin/copied_csvs/ordered_list.h"
#include "plugin/copied_csvs/tally.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

// The number of suspects to collect before they are read again.
constexpr size_t kMostSuspects = 1000;
// The pause between the lists and the second read. By then a change has reached both OLM's copies
// and Steward's view.
constexpr absl::Duration kBeforeLookingAgain = absl::Seconds(2);
constexpr int kTries = 3;
constexpr absl::Duration kBetweenTries = absl::Seconds(1);

constexpr char kAllNamespaces[] = "AllNamespaces";

const std::string kCopiedFrom(olm::kCopiedFromLabel);

bool HasCopiedFrom(const json::object& object) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* labels = metadata == nullptr ? nullptr : ObjectAt(*metadata, "labels");
  return labels != nullptr && labels->contains(kCopiedFrom);
}

bool IsGoing(const json::object& object) {
  const json::object* metadata = ObjectAt(object, "metadata");
  return metadata != nullptr && !StringAt(*metadata, "deletionTimestamp").empty();
}

std::string_view ModeOf(const json::object& view) {
  const json::object* scope = ObjectAt(view, "scope");
  return scope == nullptr ? std::string_view() : StringAt(*scope, "installMode");
}

// Adds to a read's error what to do about it.
absl::Status Explain(const kube::GroupVersionResource& gvr, const absl::Status& status) {
  if (!kube::IsNotServed(status)) return status;
  if (gvr == kInstalledOperators) {
    return absl::NotFoundError(
        StrCat("this cluster does not serve ", gvr.GroupResource(), ": ", kWhereViewsAreNotServed));
  }
  return absl::NotFoundError(StrCat("this cluster does not serve ", gvr.GroupResource(),
                                    ": it has no OLM, and no copies"));
}

// Objects for which the two lists seem to differ.
using Suspects = std::vector<kube::NamespacedName>;

class Verification {
 public:
  Verification(Session& session, const VerifyOptions& options)
      : session_(session), options_(options), deadline_(session.clock, options.timeout) {}

  StatusTask Run();

 private:
  // One object as both sides show it now.
  struct Pair {
    std::optional<json::value> copy;
    std::optional<json::value> view;
    size_t copy_bytes = 0;
  };

  StatusTask ReadToggle();
  StatusTask FindNamespaces();
  StatusTask CompareAll();
  StatusTask CompareLists(const std::string& ns, Tally& tally, Suspects& suspects);
  StatusTask LookAgain();
  StatusTask Judge(const kube::NamespacedName& key);
  StatusTask ReadPair(const kube::NamespacedName& key, Pair& pair);
  boost::asio::awaitable<bool> NamespaceIsGoing(const std::string& ns);
  StatusTask Patiently(std::function<StatusTask()> attempt);
  bool NeedsNoCopy(const json::object& view) const {
    return copies_ == Copies::kOff && ModeOf(view) == kAllNamespaces;
  }
  void Add(Found found);
  absl::Status OutOfTime() const;

  Session& session_;
  const VerifyOptions& options_;
  const Deadline deadline_;

  Copies copies_ = Copies::kUnknown;
  std::vector<std::string> namespaces_;
  Suspects suspects_;
  Tally tally_;
  size_t found_ = 0;
  json::array shown_;
};

// Repeats an attempt that failed for a reason that may pass.
StatusTask Verification::Patiently(std::function<StatusTask()> attempt) {
  for (int tries = 1;; ++tries) {
    absl::Status status = co_await attempt();
    const bool passes = kube::IsTransient(status) || kube::IsExpired(status);
    if (!passes || tries == kTries) co_return status;
    co_await session_.clock.Sleep(kBetweenTries);
  }
}

StatusTask Verification::ReadToggle() {
  CO_ASSIGN_OR_RETURN(copies_, co_await ReadCopies(session_.client));
  co_return absl::OkStatus();
}

StatusTask Verification::FindNamespaces() {
  if (!options_.ns.empty()) {
    namespaces_ = {options_.ns};
    co_return absl::OkStatus();
  }
  namespaces_.clear();
  tally_.going = 0;
  const auto take = [this](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const json::value object, ParseObject(raw.json));
    if (IsGoing(object.get_object())) {
      ++tally_.going;
      return absl::OkStatus();
    }
    const json::object* metadata = ObjectAt(object.get_object(), "metadata");
    if (metadata != nullptr) namespaces_.emplace_back(StringAt(*metadata, "name"));
    return absl::OkStatus();
  };
  const absl::Status status =
      co_await VisitAll(session_.client, kNamespaces, "", /*metadata_only=*/true, take);
  if (kube::IsForbidden(status)) {
    co_return Refused(
        StrCat(ToStd(status.message()), "; without --all-namespaces, -n verifies one namespace"));
  }
  if (!status.ok()) co_return WithContext("listing namespaces", status);
  co_return absl::OkStatus();
}

// Walks through both lists at once. No difference is missed, even if a list is not sorted, because
// an object that does not meet its counterpart is read again.
StatusTask Verification::CompareLists(const std::string& ns, Tally& tally, Suspects& suspects) {
  OrderedList copies(session_.client, kCsvs, ns, kCopiedFrom);
  OrderedList views(session_.client, kInstalledOperators, ns, kCopiedFrom);
  const auto next = [](OrderedList& list, const kube::GroupVersionResource& gvr) -> Task<bool> {
    absl::StatusOr<bool> more = co_await list.Next();
    if (!more.ok()) co_return Explain(gvr, more.status());
    co_return more;
  };
  CO_ASSIGN_OR_RETURN(bool more_copies, co_await next(copies, kCsvs));
  CO_ASSIGN_OR_RETURN(bool more_views, co_await next(views, kInstalledOperators));
  while (more_copies || more_views) {
    const int order = !more_copies ? 1 : !more_views ? -1 : copies.name().compare(views.name());
    const std::string name(order <= 0 ? copies.name() : views.name());
    if (order > 0 && NeedsNoCopy(views.object())) {
      ++tally.needs_none;
    } else if (order == 0 && Compare(copies.object(), views.object()).empty()) {
      tally.AddCopy(ModeOf(views.object()), copies.bytes());
    } else {
      suspects.push_back({ns, name});
    }
    if (order <= 0) {
      CO_ASSIGN_OR_RETURN(more_copies, co_await next(copies, kCsvs));
    }
    if (order >= 0) {
      CO_ASSIGN_OR_RETURN(more_views, co_await next(views, kInstalledOperators));
    }
  }
  ++tally.namespaces;
  co_return absl::OkStatus();
}

StatusTask Verification::ReadPair(const kube::NamespacedName& key, Pair& pair) {
  pair = Pair();
  for (const bool is_copy : {true, false}) {
    const kube::GroupVersionResource& gvr = is_copy ? kCsvs : kInstalledOperators;
    const absl::StatusOr<kube::RawObject> raw = co_await session_.client.Get(gvr, key);
    if (!raw.ok()) {
      if (kube::IsNotFound(raw.status(), key.name)) continue;
      co_return Explain(
          gvr, WithContext(StrCat("reading ", gvr.GroupResource(), " ", key.ns, "/", key.name),
                           raw.status()));
    }
    CO_ASSIGN_OR_RETURN(json::value object, ParseObject(raw->json));
    if (is_copy) pair.copy_bytes = raw->json.size();
    (is_copy ? pair.copy : pair.view) = std::move(object);
  }
  co_return absl::OkStatus();
}

boost::asio::awaitable<bool> Verification::NamespaceIsGoing(const std::string& ns) {
  const kube::NamespacedName name{"", ns};
  const absl::StatusOr<json::value> object =
      co_await ReadObject(session_.client, kNamespaces, name);
  if (object.ok()) co_return IsGoing(object->get_object());
  co_return kube::IsNotFound(object.status(), ns);
}

// Judges a suspect by the present objects of both sides.
StatusTask Verification::Judge(const kube::NamespacedName& key) {
  Pair pair;
  CO_RETURN_IF_ERROR(co_await Patiently([&] { return ReadPair(key, pair); }));
  const json::object* copy = pair.copy ? &pair.copy->get_object() : nullptr;
  const json::object* view = pair.view ? &pair.view->get_object() : nullptr;
  const bool is_copy = copy != nullptr && HasCopiedFrom(*copy);
  const bool shows_copy = view != nullptr && HasCopiedFrom(*view);
  // The object is gone on both sides, or both show an original of this namespace.
  if (!is_copy && !shows_copy) co_return absl::OkStatus();
  if (copy != nullptr && view != nullptr) {
    tally_.AddCopy(ModeOf(*view), pair.copy_bytes);
    Differences differences = Compare(*copy, *view);
    if (differences.empty()) co_return absl::OkStatus();
    ++tally_.differ;
    Add({key, Found::What::kDiffers, std::move(differences)});
  } else if (copy != nullptr) {
    tally_.AddCopy("", pair.copy_bytes);
    ++tally_.only_copy;
    Add({key, Found::What::kOnlyCopy});
  } else if (NeedsNoCopy(*view)) {
    ++tally_.needs_none;
  } else if (!co_await NamespaceIsGoing(key.ns)) {
    ++tally_.only_view;
    Add({key, Found::What::kOnlyView});
  }
  co_return absl::OkStatus();
}

StatusTask Verification::LookAgain() {
  if (suspects_.empty()) co_return absl::OkStatus();
  session_.terminal.Draw("Looking again at what seemed to differ", StrCat(suspects_.size()));
  co_await session_.clock.Sleep(kBeforeLookingAgain);
  // Copies may have been turned off meanwhile.
  CO_RETURN_IF_ERROR(co_await Patiently([this] { return ReadToggle(); }));
  const Suspects suspects = std::exchange(suspects_, {});
  for (const kube::NamespacedName& key : suspects) {
    if (deadline_.Passed()) co_return OutOfTime();
    CO_RETURN_IF_ERROR(co_await Judge(key));
  }
  co_return absl::OkStatus();
}

void Verification::Add(Found found) {
  if (++found_ > kMostShown) return;
  ShowFound(session_.terminal, found);
  shown_.push_back(FoundJson(found));
}

absl::Status Verification::OutOfTime() const {
  return Stalled(StrCat("not all was compared within ", DurationText(deadline_.limit()), ": ",
                        tally_.namespaces, " of ", namespaces_.size(), " namespaces were read"));
}

StatusTask Verification::CompareAll() {
  CO_RETURN_IF_ERROR(co_await Patiently([this] { return FindNamespaces(); }));
  CO_RETURN_IF_ERROR(co_await Patiently([this] { return ReadToggle(); }));
  for (const std::string& ns : namespaces_) {
    if (deadline_.Passed()) co_return OutOfTime();
    session_.terminal.Draw("Comparing",
                           StrCat(tally_.namespaces, " of ", namespaces_.size(), " namespaces"));
    Tally tally;
    Suspects suspects;
    CO_RETURN_IF_ERROR(co_await Patiently([&] {
      tally = Tally();
      suspects.clear();
      return CompareLists(ns, tally, suspects);
    }));
    tally_ += tally;
    suspects_.insert(suspects_.end(), suspects.begin(), suspects.end());
    if (suspects_.size() >= kMostSuspects) CO_RETURN_IF_ERROR(co_await LookAgain());
  }
  co_return co_await LookAgain();
}

StatusTask Verification::Run() {
  const absl::Status status = co_await CompareAll();
  session_.terminal.Clear();
  if (found_ > kMostShown) {
    session_.terminal.Line(StrCat("and ", found_ - kMostShown, " more"), Style::kBad);
  }
  session_.document["differences"] = std::move(shown_);
  AddTally(tally_, copies_, status.ok(), session_.document);
  if (!status.ok() && tally_.namespaces == 0) co_return status;
  ShowTally(session_.terminal, tally_, copies_, status.ok());
  CO_RETURN_IF_ERROR(status);
  co_return plugin::Judge(tally_);
}

class VerifyCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    FlagAdder flags(app);
    AddAllNamespacesFlag(app, all_namespaces_, "In all namespaces");
    flags.Duration("--timeout", options_.timeout,
                   "How long to compare at most; 0s: as long as it takes");
    app.footer(StrCat("Everything is compared but ", absl::StrJoin(NotCompared(), ", "), ".\n\n",
                      app.get_footer()));
  }
  StatusTask Run(Session& session) override {
    options_.ns = all_namespaces_ ? "" : session.ns;
    return VerifyCopies(session, options_);
  }

 private:
  static std::vector<std::string> NotCompared() {
    return {std::begin(kNotCompared), std::end(kNotCompared)};
  }

  VerifyOptions options_;
  bool all_namespaces_ = false;
};

}  // namespace

StatusTask VerifyCopies(Session& session, VerifyOptions options) {
  Verification verification(session, options);
  co_return co_await verification.Run();
}

KnownCommand KnownVerify() {
  return {.name = "verify",
          .description = "Compare copies with InstalledOperators, field by field",
          .report = "VerifyReport",
          .examples = {{"Compare the whole cluster", "copied-csvs verify -A"}},
          .make = [] { return std::make_unique<VerifyCommand>(); }};
}

}  // namespace steward::plugin
