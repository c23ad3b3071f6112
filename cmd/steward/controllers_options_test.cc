#include "cmd/steward/controllers_options.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"
#include "controllers/runtime/known_reconciler.h"
#include "controllers/runtime/peer_presence.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<FeatureGate>& Gates() {
  static const auto& gates = *new std::vector<FeatureGate>{{"Fancy", false, "does more"}};
  return gates;
}

struct CopiesFlags {
  absl::Duration pause = absl::Seconds(1);
};

controllers::KnownReconciler KnownWithoutFlags(std::string name, bool by_default) {
  controllers::KnownReconciler known;
  known.options.name = std::move(name);
  known.family = {"cleanup", "steward-controllers"};
  known.by_default = by_default;
  return known;
}

controllers::KnownReconciler KnownCopies() {
  controllers::KnownReconciler known = KnownWithoutFlags("copies", false);
  known.family = {"copied", "steward-copied"};
  known.add_flags = [](FlagAdder& flags, FlagValues& values) {
    flags.Duration("--copies-pause", values.Of<CopiesFlags>().pause, "Between two copies");
  };
  known.check_flags = [](const FlagValues& values, bool) -> absl::Status {
    if (values.Get<CopiesFlags>().pause > absl::ZeroDuration()) return absl::OkStatus();
    return absl::InvalidArgumentError("--copies-pause: must be longer than 0");
  };
  return known;
}

const std::vector<controllers::KnownReconciler>& Known() {
  static const auto& known = *new std::vector<controllers::KnownReconciler>{
      KnownWithoutFlags("cleanup", true), KnownCopies()};
  return known;
}

absl::StatusOr<ControllersOptions> Parse(const std::vector<std::string>& args) {
  return ParseControllersOptions(args, Known(), Gates());
}

absl::Duration PauseOf(const ControllersOptions& options) {
  return options.reconciler_flags.Get<CopiesFlags>().pause;
}

TEST(ControllersOptionsTest, Defaults) {
  ASSERT_OK_AND_ASSIGN(const ControllersOptions options, Parse({}));
  EXPECT_FALSE(options.help);
  EXPECT_EQ(options.kubeconfig, "");
  EXPECT_THAT(options.reconcilers, ElementsAre("cleanup"));
  EXPECT_TRUE(options.leader_elect);
  EXPECT_EQ(options.lease_name, "steward-controllers");
  EXPECT_EQ(options.lease_namespace, "steward-system");
  EXPECT_EQ(options.lease_duration, absl::Seconds(15));
  EXPECT_EQ(options.renew_deadline, absl::Seconds(10));
  EXPECT_EQ(options.retry_period, absl::Seconds(2));
  EXPECT_FALSE(options.feature_gates.IsOn("Fancy"));
  EXPECT_EQ(PauseOf(options), absl::Seconds(1));
  EXPECT_EQ(options.monitoring.metrics.ToString(), "127.0.0.1:8080");
  EXPECT_TRUE(options.monitoring.secure);
  EXPECT_EQ(options.monitoring.tls_cert_file, "");
  EXPECT_EQ(options.monitoring.probes.ToString(), "127.0.0.1:8081");
  EXPECT_TRUE(options.grpc.address.off());
  EXPECT_THAT(options.grpc.frontends, ElementsAre("steward-apiserver"));
  EXPECT_EQ(options.verbosity, 0);
}

TEST(ControllersOptionsTest, Everything) {
  ASSERT_OK_AND_ASSIGN(
      const ControllersOptions options,
      Parse({"--kubeconfig=/k", "--reconcilers=copies,cleanup", "--leader-elect=false",
             "--leader-elect-lease-name=l", "--leader-elect-lease-namespace=n",
             "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s",
             "--leader-elect-retry-period", "5s", "--feature-gates=Fancy=true",
             "--copies-pause=90s", "--metrics-bind-address=[::1]:9", "--metrics-secure=false",
             "--metrics-tls-cert-file=/c", "--metrics-tls-private-key-file=/p",
             "--health-probe-bind-address=:10", "--tls-min-version=VersionTLS13", "-v=4"}));
  EXPECT_EQ(options.kubeconfig, "/k");
  EXPECT_THAT(options.reconcilers, ElementsAre("copies", "cleanup"));
  EXPECT_FALSE(options.leader_elect);
  EXPECT_EQ(options.lease_name, "l");
  EXPECT_EQ(options.lease_namespace, "n");
  EXPECT_EQ(options.lease_duration, absl::Seconds(60));
  EXPECT_EQ(options.renew_deadline, absl::Seconds(40));
  EXPECT_EQ(options.retry_period, absl::Seconds(5));
  EXPECT_TRUE(options.feature_gates.IsOn("Fancy"));
  EXPECT_EQ(PauseOf(options), absl::Seconds(90));
  EXPECT_EQ(options.monitoring.metrics.ToString(), "[::1]:9");
  EXPECT_FALSE(options.monitoring.secure);
  EXPECT_EQ(options.monitoring.tls_cert_file, "/c");
  EXPECT_EQ(options.monitoring.tls_private_key_file, "/p");
  EXPECT_EQ(options.monitoring.probes.ToString(), "[::]:10");
  EXPECT_TRUE(options.tls.tls13_only);
  EXPECT_TRUE(options.monitoring.tls.tls13_only);
  EXPECT_EQ(options.verbosity, 4);
}

TEST(ControllersOptionsTest, MetricsAddresses) {
  const struct {
    const char* text;
    const char* address;
    int port;
  } rows[] = {
      {":8443", "::", 8443},
      {"0.0.0.0:1", "0.0.0.0", 1},
      {"[::]:2", "::", 2},
      {"127.0.0.1:0", "127.0.0.1", 0},
  };
  for (const auto& row : rows) {
    ASSERT_OK_AND_ASSIGN(const ControllersOptions options,
                         Parse({std::string("--metrics-bind-address=") + row.text}));
    EXPECT_EQ(options.monitoring.metrics.ip, row.address) << row.text;
    EXPECT_EQ(options.monitoring.metrics.port, row.port) << row.text;
  }
  ASSERT_OK_AND_ASSIGN(const ControllersOptions none,
                       Parse({"--metrics-bind-address=0", "--health-probe-bind-address=0"}));
  EXPECT_TRUE(none.monitoring.metrics.off());
  EXPECT_TRUE(none.monitoring.probes.off());
}

TEST(ControllersOptionsTest, Grpc) {
  ASSERT_OK_AND_ASSIGN(
      const ControllersOptions options,
      Parse({"--grpc-bind-address=[::1]:9443", "--cert-dir=/certs", "--grpc-frontends=one,two"}));
  EXPECT_EQ(options.grpc.address.ToString(), "[::1]:9443");
  EXPECT_EQ(options.grpc.cert_dir, "/certs");
  EXPECT_THAT(options.grpc.frontends, ElementsAre("one", "two"));
  ASSERT_OK_AND_ASSIGN(
      const ControllersOptions given,
      Parse({"--grpc-bind-address=:9443", "--grpc-tls-cert-file=/c",
             "--grpc-tls-private-key-file=/k", "--grpc-client-ca-file=/ca", "--cert-dir="}));
  EXPECT_EQ(given.grpc.address.ToString(), "[::]:9443");
  EXPECT_EQ(given.grpc.tls_cert_file, "/c");
  EXPECT_EQ(given.grpc.tls_private_key_file, "/k");
  EXPECT_EQ(given.grpc.client_ca_file, "/ca");
}

TEST(ControllersOptionsTest, AReconcilerThatNeedsAnotherOneIsNotRunAlone) {
  std::vector<controllers::KnownReconciler> known = Known();
  known.push_back(KnownWithoutFlags("config", false));
  known.back().needs = "cleanup";
  EXPECT_THAT(ParseControllersOptions({"--reconcilers=config"}, known, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--reconcilers: config does nothing without cleanup")));
  EXPECT_OK(ParseControllersOptions({"--reconcilers=config,cleanup"}, known, {}));
}

TEST(ControllersOptionsTest, Refused) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"--nope"}, "--nope"},
      {{"extra"}, "extra"},
      {{"--reconcilers=cleanup,nope"},
       "--reconcilers: there is no \"nope\"; known are: cleanup, copies"},
      {{"--reconcilers="}, "--reconcilers: name at least one of: cleanup, copies"},
      {{"--feature-gates=Nope=true"}, "--feature-gates: unknown feature gate \"Nope\""},
      {{"--feature-gates=Fancy"}, "--feature-gates: feature gate \"Fancy\" must be"},
      {{"--leader-elect-lease-name=No_Name"}, "--leader-elect-lease-name: \"No_Name\""},
      {{"--leader-elect-lease-namespace="}, "--leader-elect-lease-namespace: \"\""},
      {{"--leader-elect-lease-duration=10s"}, "--leader-elect: the renew deadline"},
      {{"--leader-elect-lease-duration=soon"}, "--leader-elect-lease-duration: \"soon\""},
      {{"--leader-elect-retry-period=9s"}, "--leader-elect: the retry period"},
      {{"--metrics-bind-address=localhost:1"}, "--metrics-bind-address: \"localhost:1\""},
      {{"--metrics-bind-address=127.0.0.1"}, "--metrics-bind-address: \"127.0.0.1\""},
      {{"--metrics-bind-address=:70000"}, "--metrics-bind-address: \":70000\""},
      {{"--metrics-tls-cert-file=/c"}, "must be given together"},
      {{"--tls-min-version=VersionTLS10"}, "--tls-min-version: \"VersionTLS10\""},
      {{"--tls-cipher-suites=NULL"}, "--tls-cipher-suites: there is no \"NULL\""},
      {{"--health-probe-bind-address=here"}, "--health-probe-bind-address: \"here\""},
      {{"--grpc-bind-address=localhost:1"}, "--grpc-bind-address: \"localhost:1\""},
      {{"--grpc-tls-cert-file=/c"}, "must be given together"},
      {{"--grpc-bind-address=:1", "--cert-dir="}, "--cert-dir: must not be empty"},
      {{"--copies-pause=0s"}, "--copies-pause: must be longer"},
      {{"-v=11"}, "--v"},
  };
  for (const auto& [args, message] : rows) {
    EXPECT_THAT(Parse(args), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

TEST(ControllersOptionsTest, WithoutElectionItsTimesDoNotMatter) {
  EXPECT_OK(Parse({"--leader-elect=false", "--leader-elect-lease-duration=1s"}));
}

TEST(ControllersOptionsTest, EachFamilyHasItsLease) {
  const struct {
    std::vector<std::string> args;
    const char* lease;
  } rows[] = {
      {{}, "steward-controllers"},
      {{"--reconcilers=cleanup"}, "steward-controllers"},
      {{"--reconcilers=copies"}, "steward-copied"},
      {{"--reconcilers=copies", "--leader-elect-lease-name=mine"}, "mine"},
      {{"--reconcilers=copies", "--leader-elect-lease-name=steward-controllers"},
       "steward-controllers"},
  };
  for (const auto& row : rows) {
    ASSERT_OK_AND_ASSIGN(const ControllersOptions options, Parse(row.args));
    EXPECT_EQ(options.lease_name, row.lease);
  }
}

TEST(ControllersOptionsTest, PoliciesAreThoseOfWhatRuns) {
  std::vector<controllers::KnownReconciler> known = Known();
  known[0].family.policies = {"one", "two"};
  known[1].family.policies = {"three"};
  const struct {
    std::vector<std::string> args;
    std::set<std::string> policies;
  } rows[] = {
      {{}, {"one", "two"}},
      {{"--reconcilers=copies"}, {"three"}},
      {{"--reconcilers=copies,cleanup", "--leader-elect=false"}, {"one", "three", "two"}},
  };
  for (const auto& row : rows) {
    ASSERT_OK_AND_ASSIGN(const ControllersOptions options,
                         ParseControllersOptions(row.args, known, Gates()));
    EXPECT_EQ(PoliciesOf(options, known), row.policies);
  }
}

TEST(ControllersOptionsTest, FamiliesShareNoLease) {
  for (const char* reconcilers : {"--reconcilers=cleanup,copies", "--reconcilers=copies,cleanup"}) {
    EXPECT_THAT(Parse({reconcilers, "--leader-elect-lease-name=mine"}),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "--reconcilers: cleanup and copies are of different families (cleanup, "
                         "copied): run a process for each, or one alone with "
                         "--leader-elect=false"));
    EXPECT_OK(Parse({reconcilers, "--leader-elect=false"}));
  }
}

TEST(ControllersOptionsTest, NothingByDefaultMustBeNamed) {
  EXPECT_THAT(ParseControllersOptions({}, {KnownCopies()}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least one of: copies")));
}

TEST(ControllersOptionsTest, OnlyWhatConflictsWithOlmCanTakeOver) {
  std::vector<controllers::KnownReconciler> known = Known();
  EXPECT_THAT(ParseControllersOptions({"--takeover"}, known, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--takeover")));
  EXPECT_THAT(ControllersHelpText(known, {}), Not(HasSubstr("--takeover")));
  known[1].conflicts_with = {controllers::PeerOperator::kOlmOperator};
  ASSERT_OK_AND_ASSIGN(const ControllersOptions options, ParseControllersOptions({}, known, {}));
  EXPECT_FALSE(options.takeover);
  ASSERT_OK_AND_ASSIGN(const ControllersOptions taking,
                       ParseControllersOptions({"--takeover"}, known, {}));
  EXPECT_TRUE(taking.takeover);
  EXPECT_THAT(ControllersHelpText(known, {}), HasSubstr("does the same work runs: copies [false]"));
}

TEST(ControllersOptionsTest, Help) {
  ASSERT_OK_AND_ASSIGN(const ControllersOptions options, Parse({"--help", "--reconcilers=nope"}));
  EXPECT_TRUE(options.help);
  const std::string text = ControllersHelpText(Known(), Gates());
  for (const char* part :
       {"--kubeconfig", "--reconcilers LIST=cleanup", "cleanup, copies",
        "--leader-elect-lease-duration DURATION=15s", "--copies-pause DURATION=1s",
        "Fancy (off): does more", "--metrics-bind-address STRING=127.0.0.1:8080"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace steward
