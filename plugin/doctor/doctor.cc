#include "plugin/doctor/doctor.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "plugin/doctor/certificates_check.h"
#include "plugin/doctor/deployment.h"
#include "plugin/doctor/diagnosis.h"
#include "plugin/doctor/environment.h"
#include "plugin/doctor/operator_checks.h"
#include "plugin/doctor/rights_check.h"
#include "plugin/doctor/service_checks.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr size_t kWordWidth = 9;
constexpr size_t kCheckWidth = 14;

struct Shown {
  std::string_view word;
  std::string_view name;  // in the document
  Style style;
};

Shown ShownAs(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return {"ok", "Ok", Style::kGood};
    case Outcome::kWarning:
      return {"warning", "Warning", Style::kWarning};
    case Outcome::kFailed:
      return {"failed", "Failed", Style::kBad};
    case Outcome::kUnseen:
      return {"unseen", "Unseen", Style::kFaint};
  }
  return {};
}

std::string Padded(std::string_view text, size_t width) {
  std::string padded(text);
  padded.resize(std::max(width, text.size() + 1), ' ');
  return padded;
}

// A remedy that several findings share is printed once, below the last of them.
void Print(Terminal& terminal, const Diagnosis& finding, bool with_remedy) {
  const Shown shown = ShownAs(finding.outcome);
  terminal.Line(Terminal::Row{{Padded(shown.word, kWordWidth), shown.style},
                              {Padded(finding.check, kCheckWidth), Style::kPlain},
                              {finding.message, Style::kPlain}});
  if (finding.remedy.empty() || !with_remedy) return;
  terminal.Line(Terminal::Row{{std::string(kWordWidth + kCheckWidth, ' '), Style::kPlain},
                              {StrCat("→ ", finding.remedy), Style::kPlain}});
}

json::object Document(const Diagnosis& finding) {
  json::object document = {{"check", finding.check},
                           {"outcome", std::string(ShownAs(finding.outcome).name)},
                           {"message", finding.message}};
  if (!finding.remedy.empty()) document["remedy"] = finding.remedy;
  return document;
}

absl::Status Conclude(Terminal& terminal, const std::vector<Diagnosis>& findings) {
  const auto count = [&findings](Outcome outcome) {
    return static_cast<int64_t>(
        std::count_if(findings.begin(), findings.end(),
                      [outcome](const Diagnosis& each) { return each.outcome == outcome; }));
  };
  const auto forbidden = std::count_if(findings.begin(), findings.end(),
                                       [](const Diagnosis& each) { return each.forbidden; });
  if (forbidden > 0) {
    terminal.Note(StrCat(CountText(forbidden, "check"),
                         " could not be made with your rights: a cluster-admin may read all"));
  }
  const int64_t failed = count(Outcome::kFailed);
  if (failed == 0) return absl::OkStatus();
  return absl::InternalError(StrCat(CountText(failed, "finding"), " to be mended"));
}

// The server's time, or this machine's if the server does not say its time. An error if the server
// cannot be reached.
Task<absl::Time> Now(Session& session) {
  const absl::StatusOr<absl::Time> time = co_await session.client.ServerTime();
  if (absl::IsUnavailable(time.status()) && !kube::IsAnswer(time.status())) {
    co_return time.status();
  }
  co_return time.ok() ? *time : session.clock.Now();
}

// True if the server only shows a dump: namespaces cannot be created there.
Task<bool> IsDump(Session& session) {
  const kube::GroupVersion core = {"", "v1"};
  const absl::StatusOr<std::vector<kube::ApiResource>> found =
      co_await session.client.Discover(core);
  if (!found.ok()) co_return false;
  for (const kube::ApiResource& each : *found) {
    if (each.resource != "namespaces") continue;
    co_return std::find(each.verbs.begin(), each.verbs.end(), "create") == each.verbs.end();
  }
  co_return false;
}

Task<Deployments> DeploymentsOf(Session& session) {
  absl::StatusOr<Deployments> found = co_await ReadDeployments(session.client);
  // A server that knows no Deployments has none.
  if (kube::IsNotServed(found.status())) co_return Deployments();
  co_return found;
}

class DoctorCommand : public Command {
 public:
  void AddFlags(CLI::App&) override {}
  StatusTask Run(Session& session) override { return Examine(session); }
};

}  // namespace

StatusTask Examine(Session& session) {
  using Check = VoidTask (*)(Environment&);
  constexpr Check kChecks[] = {
      CheckDeployments, CheckVersions, CheckApiService,   CheckEndpoints,  CheckFreshness,
      CheckGuard,       CheckLeaders,  CheckCertificates, CheckRights,     CheckPolicies,
      CheckPeers,       CheckCopies,   CheckCleanups,     CheckHeldRights,
  };
  CO_ASSIGN_OR_RETURN(const absl::Time now, co_await Now(session));
  std::vector<Diagnosis> findings;
  absl::StatusOr<Deployments> deployments = co_await DeploymentsOf(session);
  CO_ASSIGN_OR_RETURN(const bool dump, co_await IsDump(session));
  Environment environment{
      session.client, session.clock, now, std::move(deployments), session.version.git_version,
      dump,           findings};
  json::array items;
  size_t printed = 0;
  for (const Check check : kChecks) {
    co_await check(environment);
    for (; printed < findings.size(); ++printed) {
      const bool last = printed + 1 == findings.size() ||
                        findings[printed + 1].remedy != findings[printed].remedy;
      Print(session.terminal, findings[printed], last);
      items.push_back(Document(findings[printed]));
    }
  }
  session.document["findings"] = std::move(items);
  co_return Conclude(session.terminal, findings);
}

KnownCommand KnownDoctor() {
  return {.name = "doctor",
          .description = "Say what is wrong with Steward in this cluster, and what mends it",
          .report = "DoctorReport",
          .examples = {{"Examine the cluster", "doctor"},
                       {"Name only what has failed, for a script", "doctor -o json"}},
          .make = [] { return std::make_unique<DoctorCommand>(); }};
}

}  // namespace steward::plugin
