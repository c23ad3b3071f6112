#include "plugin/doctor/operator_checks.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "olm/cleanup/holds.h"
#include "olm/csv_facts.h"
#include "olm/object_facts.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/copied_csvs/olm_config.h"
#include "plugin/copied_csvs/survey.h"
#include "plugin/removal/installation.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

// A Deployment of Steward, and the operator for which it waits.
struct Pair {
  std::string_view ours;
  std::string_view folder;
  const char* theirs;
};
constexpr Pair kPairs[] = {
    {"steward-operators", "operators", "olm-operator"},
    {"steward-copied-csvs", "copies", "olm-operator"},
    {"steward-install-plans", "install-plans", "catalog-operator"},
    {"steward-payload", "payload", "cluster-version-operator"},
};

// The Deployment of Steward that makes and deletes copies; "" = none.
Task<std::string> FindCopier(const Environment& environment) {
  if (environment.deployments.ok()) {
    const auto ours = environment.deployments->find("steward-copied-csvs");
    if (ours != environment.deployments->end() && ours->second.available > 0) {
      co_return ours->first;
    }
  }
  const std::string name = "olm-operator";
  CO_ASSIGN_OR_RETURN(const std::optional<kube::NamespacedName> theirs,
                      co_await FindRunning(environment.client, name));
  co_return theirs ? theirs->name : "";
}

struct CopyCounts {
  int64_t present = 0;
  int64_t missing = 0;
  int64_t unwanted = 0;
};

std::string CopiesText(int64_t count) { return StrCat(count, count == 1 ? " copy" : " copies"); }

CopyCounts Count(const CopiesSurvey& survey, bool off) {
  CopyCounts counts;
  for (const OperatorCopies& each : survey.Compare(off)) {
    counts.present += each.present;
    counts.missing += static_cast<int64_t>(each.creates.size());
    counts.unwanted += static_cast<int64_t>(each.deletes.size());
  }
  return counts;
}

void JudgeCopies(const CopyCounts& counts, bool off, const std::string& copier,
                 CheckFindings& findings) {
  constexpr char kNobody[] =
      "run one of them: with OLM its olm-operator, without OLM deploy/overlays/copies";
  const std::string unwanted = CopiesText(counts.unwanted);
  if (counts.unwanted > 0 && copier.empty()) {
    findings.Fail(
        StrCat(unwanted, " of ClusterServiceVersions ", counts.unwanted == 1 ? "is" : "are",
               " to be deleted, and nobody does that: neither olm-operator nor "
               "steward-copied-csvs runs"),
        kNobody);
  } else if (counts.unwanted > 0) {
    findings.Warn(StrCat(copier, " still has to delete ", unwanted, " of ClusterServiceVersions"),
                  "kubectl steward copied-csvs status says how far it is");
  } else if (off) {
    findings.Ok("copies of operators for all namespaces are turned off, and gone");
  } else if (counts.missing > 0 && copier.empty()) {
    findings.Ok("nobody makes copies of ClusterServiceVersions, which nobody has turned off");
  } else if (counts.missing > 0) {
    findings.Warn(StrCat(copier, " still has to make ", CopiesText(counts.missing),
                         " of ClusterServiceVersions"),
                  "kubectl steward copied-csvs status says how far it is");
  } else {
    findings.Ok(StrCat(CopiesText(counts.present),
                       " of operators for all namespaces; kubectl steward copied-csvs verify -A "
                       "says what doing without them saves"));
  }
}

std::string Named(const kube::NamespacedName& csv) { return StrCat(csv.ns, "/", csv.name); }
std::string Argument(const kube::NamespacedName& csv) { return StrCat(csv.name, " -n ", csv.ns); }

}  // namespace

VoidTask CheckPeers(Environment& environment) {
  CheckFindings findings("OLM", environment.findings);
  std::map<std::string, kube::NamespacedName> running;
  for (const char* name : {"olm-operator", "catalog-operator", "cluster-version-operator"}) {
    const std::string peer = name;
    const absl::StatusOr<std::optional<kube::NamespacedName>> found =
        co_await FindRunning(environment.client, peer);
    if (!found.ok()) {
      findings.Unseen("whether OLM runs", found.status());
      co_return;
    }
    if (*found) running.emplace(peer, **found);
  }
  for (const Pair& pair : kPairs) {
    const std::string ours(pair.ours);
    const auto theirs = running.find(pair.theirs);
    if (theirs == running.end() || !environment.Has(ours)) continue;
    findings.Fail(
        StrCat(ours, " waits, since the Deployment ", theirs->second.ns, "/", theirs->second.name,
               " runs, which counts as ", pair.theirs, " and so does the same work"),
        StrCat("if it is ", pair.theirs, ": kubectl delete deployment/", ours, " -n ",
               kStewardNamespace, ", and take overlays/", pair.folder, " out of your overlay"));
  }
  if (!findings.clean()) co_return;
  findings.Ok(running.contains("olm-operator") ? "OLM runs, and nothing of Steward does its work"
                                               : "OLM does not run in this cluster");
}

VoidTask CheckCopies(Environment& environment) {
  CheckFindings findings("Copied CSVs", environment.findings);
  const absl::StatusOr<Copies> choice = co_await ReadCopies(environment.client);
  if (!choice.ok()) {
    findings.Unseen("the OLMConfig cluster", choice.status());
    co_return;
  }
  if (*choice == Copies::kUnknown) {
    findings.Unseen("the OLMConfig cluster",
                    absl::PermissionDeniedError("whether copies are turned off is not known"));
    co_return;
  }
  if (*choice == Copies::kNotUnderstood) {
    findings.Fail(std::string(kChoiceNotUnderstood),
                  "kubectl steward copied-csvs on, or kubectl steward copied-csvs off");
    co_return;
  }
  const absl::StatusOr<CopiesSurvey> survey = co_await CopiesSurvey::Read(environment.client);
  if (!survey.ok()) {
    findings.Unseen("copies of ClusterServiceVersions", survey.status());
    co_return;
  }
  const absl::StatusOr<std::string> copier = co_await FindCopier(environment);
  if (!copier.ok()) {
    findings.Unseen("who makes copies", copier.status());
    co_return;
  }
  const bool off = *choice == Copies::kOff;
  JudgeCopies(Count(*survey, off), off, *copier, findings);
}

VoidTask CheckCleanups(Environment& environment) {
  CheckFindings findings("Cleanups", environment.findings);
  const absl::StatusOr<std::vector<CleanupStatus>> all =
      co_await ListCleanupStatuses(environment.client, "");
  if (!all.ok()) {
    findings.Unseen("the cleanupstatuses of all namespaces", all.status());
    co_return;
  }
  int64_t opted_in = 0;
  for (const CleanupStatus& each : *all) {
    opted_in += each.opted_in ? 1 : 0;
    for (const CleanupStatus::Blocker& blocker : each.blockers) {
      if (blocker.reason != olm::kOptInUnconfirmed) continue;
      findings.Fail(StrCat("the opt-in of ", Named(each.csv), " does not count: ", blocker.message),
                    StrCat("kubectl steward abort ", Argument(each.csv),
                           " takes the opt-in back; if its custom resources are to be deleted "
                           "with it, kubectl steward uninstall ",
                           Argument(each.csv), " --cleanup opts in as you, when you uninstall it"));
    }
    if (!each.stalled_since.empty()) {
      findings.Fail(
          StrCat("the cleanup of ", Named(each.csv), " has stalled since ", each.stalled_since),
          StrCat("kubectl steward status ", Argument(each.csv),
                 " says what it waits for; kubectl steward abort ", Argument(each.csv),
                 " ends it, and keeps what is left"));
    }
  }
  if (findings.clean()) {
    findings.Ok(StrCat(CountText(opted_in, "operator"), " opted in, and nothing has stalled"));
  }
}

VoidTask CheckHeldRights(Environment& environment) {
  CheckFindings findings("Held rights", environment.findings);
  Installation found;
  const absl::Status read = co_await ReadCleanups(environment.client, found);
  if (!read.ok()) {
    findings.Unseen("operators' rights, which may be held", read);
    co_return;
  }
  std::set<kube::NamespacedName> wanted;
  for (const std::vector<olm::ObjectFacts>* some : {&found.opted_in, &found.cleaning}) {
    for (const olm::ObjectFacts& csv : *some) wanted.insert(csv.key);
  }
  std::vector<std::string> left;
  for (const FoundObject& each : found.held) {
    const std::optional<kube::NamespacedName> owner = olm::OwnerOf(each.facts.labels);
    if (!owner || !wanted.contains(*owner)) left.push_back(each.ToString());
  }
  if (!left.empty()) {
    findings.Fail(StrCat(CountText(static_cast<int64_t>(left.size()), "object"),
                         " of operators, as ", left.front(), ", ", left.size() == 1 ? "is" : "are",
                         " held for a cleanup that nobody wants any more"),
                  StrCat("kubectl rollout restart deployment/steward-controllers -n ",
                         kStewardNamespace, "; the controllers let go of what is not wanted"));
    co_return;
  }
  findings.Ok(StrCat(CountText(static_cast<int64_t>(found.held.size()), "object"),
                     " of operators held for cleanups"));
}

}  // namespace steward::plugin
