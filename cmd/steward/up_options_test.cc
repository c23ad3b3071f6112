#include "cmd/steward/up_options.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/flags/feature_gates.h"
#include "base/flags/flag_adder.h"
#include "base/flags/flag_values.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<controllers::KnownReconciler> Known() {
  std::vector<controllers::KnownReconciler> known(4);
  known[0].options.name = "operator-groups";
  known[1].options.name = "cleanup";
  known[2].options.name = "install-plans";
  known[3].options.name = "another";
  known.emplace_back().options.name = "needy";
  known[4].needs_flags = true;
  known[4].add_flags = [](FlagAdder& flags, FlagValues& values) {
    flags.Text("--folder", values.Of<std::string>(), "Folder of needy");
  };
  known[4].check_flags = [](const FlagValues& values, bool runs) {
    const bool lacks = runs && values.Get<std::string>().empty();
    return lacks ? absl::InvalidArgumentError("--folder: needy needs it") : absl::OkStatus();
  };
  return known;
}

std::vector<FeatureGate> Gates() { return {{"Fancy", false, "does more"}}; }

absl::StatusOr<UpOptions> Parse(const std::vector<std::string>& args) {
  return ParseUpOptions(args, Known(), Gates());
}

TEST(UpOptionsTest, Defaults) {
  ASSERT_OK_AND_ASSIGN(const UpOptions options, Parse({}));
  EXPECT_FALSE(options.help);
  EXPECT_EQ(options.data_dir, ".steward");
  EXPECT_THAT(options.load, IsEmpty());
  EXPECT_FALSE(options.strict);
  EXPECT_FALSE(options.exit_after_load);
  EXPECT_THAT(options.reconcilers, ElementsAre("operator-groups", "cleanup", "install-plans"));
  EXPECT_FALSE(options.feature_gates.IsOn("Fancy"));
  EXPECT_EQ(options.bind_address, "127.0.0.1");
  EXPECT_EQ(options.secure_port, 8443);
  EXPECT_EQ(options.KubeconfigFile(), ".steward/kubeconfig");
  EXPECT_EQ(options.grpc.address.ToString(), "127.0.0.1:0");
  EXPECT_EQ(options.verbosity, 0);
}

TEST(UpOptionsTest, Everything) {
  ASSERT_OK_AND_ASSIGN(const UpOptions options,
                       Parse({"--data-dir", "/d", "--load", "a", "--load=b,c", "--strict",
                              "--exit-after-load", "--bind-address=::", "--secure-port=0",
                              "--kubeconfig=/k", "--reconcilers=another,cleanup",
                              "--feature-gates=Fancy=true", "--grpc-bind-address=0", "-v=4"}));
  EXPECT_EQ(options.data_dir, "/d");
  EXPECT_THAT(options.load, ElementsAre("a", "b,c"));
  EXPECT_TRUE(options.strict);
  EXPECT_TRUE(options.exit_after_load);
  EXPECT_EQ(options.bind_address, "::");
  EXPECT_EQ(options.secure_port, 0);
  EXPECT_EQ(options.KubeconfigFile(), "/k");
  EXPECT_THAT(options.reconcilers, ElementsAre("another", "cleanup"));
  EXPECT_TRUE(options.feature_gates.IsOn("Fancy"));
  EXPECT_TRUE(options.grpc.address.off());
  EXPECT_EQ(options.verbosity, 4);
}

TEST(UpOptionsTest, ServerUrlIsWhatThisMachineConnectsTo) {
  const std::pair<const char*, const char*> rows[] = {
      {"127.0.0.1", "https://127.0.0.1:1"},
      {"0.0.0.0", "https://127.0.0.1:1"},
      {"::", "https://[::1]:1"},
      {"192.0.2.7", "https://192.0.2.7:1"},
      {"2001:db8::7", "https://[2001:db8::7]:1"},
  };
  for (const auto& [address, url] : rows) {
    UpOptions options;
    options.bind_address = address;
    EXPECT_EQ(options.ServerUrl(1), url);
  }
}

TEST(UpOptionsTest, Refused) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"--nope"}, "--nope"},
      {{"extra"}, "extra"},
      {{"--secure-port=70000"}, "--secure-port"},
      {{"--secure-port=x"}, "--secure-port"},
      {{"--bind-address=localhost"}, "--bind-address: \"localhost\" is not an IP address"},
      {{"--data-dir="}, "--data-dir: must not be empty"},
      {{"--load"}, "--load"},
      {{"-v=11"}, "--v"},
      {{"--feature-gates=Nope=true"}, "--feature-gates: unknown feature gate \"Nope\""},
      {{"--reconcilers=nope"}, "--reconcilers: there is no \"nope\"; known are: operator-groups"},
  };
  for (const auto& [args, message] : rows) {
    EXPECT_THAT(Parse(args), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

TEST(UpOptionsTest, AReconcilerThatNeedsAFlag) {
  EXPECT_THAT(Parse({"--reconcilers=cleanup,needy"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "--folder: needy needs it"));
  ASSERT_OK_AND_ASSIGN(const UpOptions options, Parse({"--reconcilers=needy", "--folder=/f"}));
  EXPECT_EQ(options.reconciler_flags.Get<std::string>(), "/f");
}

TEST(UpOptionsTest, Help) {
  ASSERT_OK_AND_ASSIGN(const UpOptions options, Parse({"--help"}));
  EXPECT_TRUE(options.help);
  const std::string text = UpHelpText(Known(), Gates());
  for (const char* flag :
       {"--data-dir", "--load", "--strict", "--exit-after-load", "--feature-gates",
        "Fancy (off): does more", "--bind-address", "--secure-port", "--kubeconfig", "--v"}) {
    EXPECT_THAT(text, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace steward
