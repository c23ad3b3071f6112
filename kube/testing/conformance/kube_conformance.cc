// A program that runs the conformance cases against a real API server.
//
//   kube_conformance --kubeconfig FILE [--run REGEX] [--controllers]
//
// One line per case: PASS, FAIL or SKIP, its name, and a reason; a failure's complaints follow,
// indented. Exits 1 when a case has failed, 2 for wrong arguments. The user of the kubeconfig must
// be allowed everything.
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock/clock.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/rest_client.h"
#include "kube/testing/conformance/conformance.h"
#include "kube/testing/conformance/trial.h"

namespace steward::kube::conformance {
namespace {

struct Flags {
  std::string kubeconfig;
  std::string run;  // a regular expression that must occur in the names of the cases to run
  bool controllers = false;
};

bool ParseFlags(const std::vector<std::string>& args, Flags& flags) {
  for (size_t i = 0; i < args.size(); ++i) {
    const bool has_value = i + 1 < args.size();
    if (args[i] == "--kubeconfig" && has_value) {
      flags.kubeconfig = args[++i];
    } else if (args[i] == "--run" && has_value) {
      flags.run = args[++i];
    } else if (args[i] == "--controllers") {
      flags.controllers = true;
    } else {
      return false;
    }
  }
  return !flags.kubeconfig.empty();
}

bool Print(const Case& test_case, const Outcome& outcome, absl::Duration took) {
  const bool failed = outcome.kind == Outcome::Kind::kFailed;
  if (outcome.kind == Outcome::Kind::kSkipped) {
    std::printf("SKIP %s %s\n", test_case.name.c_str(), outcome.why.c_str());
  } else {
    std::printf("%s %s %lld ms\n", failed ? "FAIL" : "PASS", test_case.name.c_str(),
                static_cast<long long>(absl::ToInt64Milliseconds(took)));
  }
  for (const std::string& complaint : outcome.complaints) std::printf("  %s\n", complaint.c_str());
  if (failed) std::printf("  by %s\n", test_case.source.c_str());
  std::fflush(stdout);
  return !failed;
}

bool RunCases(Server& server, const std::string& run) {
  Trial home(server);
  server.shared_widgets = home.OwnWidgets();
  for (const std::string& complaint : home.complaints()) {
    std::fprintf(stderr, "%s\n", complaint.c_str());
  }
  bool all_passed = home.complaints().empty();
  const std::regex wanted(run);
  for (const Case& test_case : AllCases()) {
    if (!std::regex_search(test_case.name, wanted)) continue;
    const absl::Time start = absl::Now();
    const Outcome outcome = RunCase(test_case, server, {});
    all_passed &= Print(test_case, outcome, absl::Now() - start);
  }
  return all_passed;
}

int Run(const Flags& flags) {
  const absl::StatusOr<ClientConfig> config = LoadKubeconfig(flags.kubeconfig);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", config.status().ToString().c_str());
    return 2;
  }
  boost::asio::io_context io;
  RestClientOptions options;
  options.user_agent = "kube-conformance";
  absl::StatusOr<std::unique_ptr<Client>> client =
      MakeRestClient(*config, io.get_executor(), Clock::Real(), Random::Real(), options);
  if (!client.ok()) {
    std::fprintf(stderr, "%s\n", client.status().ToString().c_str());
    return 2;
  }
  Server server{**client, io};
  server.has_controllers = flags.controllers;
  const bool all_passed = RunCases(server, flags.run);
  client->reset();
  io.restart();
  io.poll();
  return all_passed ? 0 : 1;
}

}  // namespace
}  // namespace steward::kube::conformance

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  steward::kube::conformance::Flags flags;
  if (!steward::kube::conformance::ParseFlags({argv + 1, argv + argc}, flags)) {
    std::fprintf(stderr,
                 "usage: kube_conformance --kubeconfig FILE [--run REGEX] [--controllers]\n");
    return 2;
  }
  return steward::kube::conformance::Run(flags);
}
