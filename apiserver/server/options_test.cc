#include "apiserver/server/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/flags/feature_gates.h"
#include "base/status/matchers.h"

namespace steward::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Args = std::vector<std::string>;

const std::vector<FeatureGate>& Gates() {
  static const auto& gates = *new std::vector<FeatureGate>{{"Fancy", false, "Be fancy."}};
  return gates;
}

TEST(OptionsTest, DefaultsAreKubernetes) {
  ASSERT_OK_AND_ASSIGN(const Options options, ParseOptions({}, Gates()));
  EXPECT_FALSE(options.help);
  EXPECT_FALSE(options.feature_gates.IsOn("Fancy"));
  EXPECT_EQ(options.secure_port, 443);
  EXPECT_EQ(options.bind_address, "0.0.0.0");
  EXPECT_TRUE(options.anonymous_auth);
  EXPECT_EQ(options.request_timeout, absl::Seconds(60));
  EXPECT_EQ(options.max_requests_inflight, 400);
  EXPECT_EQ(options.max_watches, 15'000);
  EXPECT_EQ(options.max_watches_per_user, 5'000);
  EXPECT_THAT(options.requestheader_username_headers, ElementsAre("x-remote-user"));
  EXPECT_THAT(options.requestheader_uid_headers, IsEmpty());
  EXPECT_THAT(options.authorization_always_allow_paths,
              ElementsAre("/healthz", "/readyz", "/livez"));
}

struct GoodRow {
  std::string name;
  Args args;
  std::function<bool(const Options&)> holds;
};

TEST(OptionsTest, Good) {
  const GoodRow rows[] = {
      {"equals", {"--secure-port=8443"}, [](auto& o) { return o.secure_port == 8443; }},
      {"blank", {"--secure-port", "8443"}, [](auto& o) { return o.secure_port == 8443; }},
      {"log lines", {"--logging-format=json"}, [](auto& o) { return o.logging_format == "json"; }},
      {"audit log",
       {"--audit-log-path=-", "--audit-policy-file=p.yaml", "--audit-log-maxsize=5"},
       [](auto& o) { return o.audit_log.log_path == "-" && o.audit_log.log_max_size == 5; }},
      {"TLS 1.3 alone",
       {"--tls-min-version=VersionTLS13"},
       [](auto& o) { return o.tls.tls13_only; }},
      {"a cipher suite",
       {"--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
       [](auto& o) { return o.tls.tls12_ciphers == "ECDHE-RSA-AES256-GCM-SHA384"; }},
      {"short verbosity", {"-v=4"}, [](auto& o) { return o.verbosity == 4; }},
      {"short verbosity, blank", {"-v", "4"}, [](auto& o) { return o.verbosity == 4; }},
      {"long verbosity", {"--v=2"}, [](auto& o) { return o.verbosity == 2; }},
      {"switch",
       {"--authentication-skip-lookup"},
       [](auto& o) { return o.authentication_skip_lookup; }},
      {"switch off", {"--anonymous-auth=false"}, [](auto& o) { return !o.anonymous_auth; }},
      {"switch on", {"--anonymous-auth=true"}, [](auto& o) { return o.anonymous_auth; }},
      {"duration",
       {"--request-timeout=1m30s"},
       [](auto& o) { return o.request_timeout == absl::Seconds(90); }},
      {"zero duration",
       {"--shutdown-delay-duration=0"},
       [](auto& o) { return o.shutdown_delay_duration == absl::ZeroDuration(); }},
      {"list",
       {"--requestheader-allowed-names=a,b"},
       [](auto& o) {
         return o.requestheader_allowed_names == Args{"a", "b"};
       }},
      {"repeated list",
       {"--requestheader-allowed-names=a", "--requestheader-allowed-names=b,c"},
       [](auto& o) {
         return o.requestheader_allowed_names == Args{"a", "b", "c"};
       }},
      {"list, blank",
       {"--requestheader-allowed-names", "a,b", "--v=1"},
       [](auto& o) {
         return o.requestheader_allowed_names == Args{"a", "b"} && o.verbosity == 1;
       }},
      {"emptied list",
       {"--authorization-always-allow-paths="},
       [](auto& o) { return o.authorization_always_allow_paths.empty(); }},
      {"empty text", {"--kubeconfig="}, [](auto& o) { return o.kubeconfig.empty(); }},
      {"a gate",
       {"--feature-gates=Fancy=true"},
       [](auto& o) { return o.feature_gates.IsOn("Fancy"); }},
      {"a family's files are the others' unless they are given",
       {"--controllers-ca-file=ca", "--controllers-client-cert-file=c",
        "--controllers-client-key-file=k", "--plan-controllers-address=plans:1",
        "--copied-csv-controllers-address=copies:1", "--copied-csv-controllers-ca-file=own"},
       [](auto& o) {
         return o.plan_controllers.address == "plans:1" && o.plan_controllers.ca_file == "ca" &&
                o.plan_controllers.client_key_file == "k" &&
                o.copied_csv_controllers.address == "copies:1" &&
                o.copied_csv_controllers.ca_file == "own" &&
                o.copied_csv_controllers.client_cert_file == "c" &&
                o.copied_csv_controllers.client_key_file == "k";
       }},
      {"help", {"--help"}, [](auto& o) { return o.help; }},
      {"help among others", {"--secure-port=1", "-h"}, [](auto& o) { return o.help; }},
  };
  for (const GoodRow& row : rows) {
    SCOPED_TRACE(row.name);
    const auto options = ParseOptions(row.args, Gates());
    ASSERT_OK(options);
    EXPECT_TRUE(row.holds(*options));
  }
}

struct BadRow {
  std::string name;
  Args args;
  std::string message;
};

TEST(OptionsTest, Bad) {
  const BadRow rows[] = {
      {"unknown", {"--no-such-flag=1"}, "no-such-flag"},
      {"positional", {"serve"}, "serve"},
      {"no such format", {"--logging-format=xml"}, "--logging-format"},
      {"no policy", {"--audit-log-path=-"}, "--audit-policy-file"},
      {"not a number", {"--secure-port=https"}, "--secure-port"},
      {"out of range", {"--secure-port=70000"}, "--secure-port"},
      {"not a duration", {"--request-timeout=10"}, "--request-timeout"},
      {"endless duration", {"--request-timeout=inf"}, "--request-timeout"},
      {"negative duration", {"--shutdown-delay-duration=-1s"}, "negative"},
      {"zero timeout", {"--request-timeout=0s"}, "--request-timeout"},
      {"not a switch", {"--anonymous-auth=perhaps"}, "anonymous-auth"},
      {"key without certificate", {"--tls-private-key-file=k"}, "together"},
      {"an old TLS", {"--tls-min-version=VersionTLS10"}, "--tls-min-version: \"VersionTLS10\""},
      {"an unknown cipher suite", {"--tls-cipher-suites=NULL"}, "--tls-cipher-suites: there is no"},
      {"controllers without certificates", {"--controllers-address=h:1"}, "--controllers-ca-file"},
      {"no such gate", {"--feature-gates=Nope=true"}, "--feature-gates: unknown feature gate"},
      {"a family's without certificates",
       {"--copied-csv-controllers-address=h:1"},
       "--copied-csv-controllers-address needs"},
      {"a family's certificate without its key",
       {"--copied-csv-controllers-address=h:1", "--controllers-ca-file=ca",
        "--controllers-client-cert-file=c", "--controllers-client-key-file=k",
        "--copied-csv-controllers-client-cert-file=own"},
       "--copied-csv-controllers-address needs"},
      {"missing value", {"--kubeconfig"}, "--kubeconfig"},
  };
  for (const BadRow& row : rows) {
    SCOPED_TRACE(row.name);
    const auto options = ParseOptions(row.args, Gates());
    EXPECT_THAT(options, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.message)));
    EXPECT_EQ(options.status().message().find('\n'), absl::string_view::npos);
  }
}

TEST(OptionsTest, HelpNamesFlagsAndDefaults) {
  const std::string help = HelpText(Gates());
  for (const char* flag :
       {"--kubeconfig", "--secure-port", "443", "--anonymous-auth", "--request-timeout", "1m",
        "--requestheader-extra-headers-prefix", "x-remote-extra-", "-v,--v"}) {
    EXPECT_THAT(help, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace steward::server
