#include "plugin/payload/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"
#include "kube/testing/fake_client.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a manifest with the profile's annotation and further ones.
std::string Manifest(const std::string& head, const std::string& annotations = "") {
  return StrCat("{", head, ", annotations: {include.release.openshift.io/p: \"true\"",
                annotations.empty() ? "" : ", ", annotations, "}}}");
}
std::string ConfigMap(const std::string& name, const std::string& annotations = "") {
  return Manifest(StrCat("apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: ", name),
                  annotations);
}
constexpr char kDelete[] = "release.openshift.io/delete: \"true\"";

class PayloadLintTest : public ::testing::Test {
 protected:
  PayloadLintTest() : terminal_({.write = [this](auto bytes) { screen_ += bytes; }}) {}

  absl::Status Lint(const std::map<std::string, std::string>& files,
                    std::vector<std::string> args = {}) {
    for (const auto& [name, text] : files) {
      const std::filesystem::path path = directory_.path() + "/" + name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
    CLI::App app;
    const std::unique_ptr<Command> command = KnownPayloadLint().make();
    command->AddFlags(app);
    args.insert(args.begin(), {directory_.path(), "--cluster-profile=p"});
    std::reverse(args.begin(), args.end());
    app.parse(args);
    Session session{client_, Clock::Real(), terminal_, document_};
    return RunOn(io_, command->Run(session));
  }

  TestDirectory directory_;
  boost::asio::io_context io_{1};
  kube::FakeClient client_;
  std::string screen_;
  Terminal terminal_;
  boost::json::object document_;
};

TEST_F(PayloadLintTest, InOrder) {
  EXPECT_TRUE(Lint({{"release-manifests/0000_50_a_01.yaml", ConfigMap("a")},
                    {"manifests/0000_00_v_01.yml", ConfigMap("b", kDelete)},
                    {"release-manifests/image-references", "none of it"},
                    {"other/x.yaml", "["}})
                  .ok());
  EXPECT_THAT(screen_, HasSubstr("in order: 2 manifests, 1 of which deletes its object"));
  EXPECT_EQ(document_["manifests"], 2);
}

// R-003-10: lint names every fault at once, by file and line.
TEST_F(PayloadLintTest, R_003_10_AllFaultsAreNamed) {
  const absl::Status status =
      Lint({{"0000_10_a.yaml", ConfigMap("a", "release.openshift.io/delete: \"True\"")},
            {"0000_20_b.yaml", ConfigMap("b", "release.openshift.io/delete: true")},
            {"0000_30_c.yaml", StrCat(ConfigMap("c"), "\n---\n", ConfigMap("c", kDelete))},
            {"0000_40_d.yaml", "a: ["}});
  EXPECT_EQ(ExitOf(status), Exit::kError);
  EXPECT_THAT(std::string(status.message()), HasSubstr("4 errors"));
  EXPECT_THAT(screen_,
              AllOf(HasSubstr("0000_10_a.yaml:1: error: ConfigMap \"ns/a\""),
                    HasSubstr("0000_20_b.yaml:1: error: ConfigMap \"ns/b\""),
                    HasSubstr("0000_30_c.yaml:2: error: ConfigMap \"ns/c\" is deleted here"),
                    HasSubstr("0000_40_d.yaml:")));
  EXPECT_EQ(document_["findings"].as_array().size(), 5) << "and the hint about release-metadata";
}

TEST_F(PayloadLintTest, R_003_13_26_30_Hints) {
  const std::map<std::string, std::string> files = {
      {"0000_50_x_00.yaml",
       Manifest("apiVersion: v1, kind: Namespace, metadata: {name: ns", kDelete)},
      {"0000_50_x_01.yaml", ConfigMap("inside", kDelete)},
      {"0000_50_x_02.yaml",
       Manifest("apiVersion: apps/v1, kind: Deployment, metadata: {namespace: m, name: o",
                kDelete)},
      {"0000_50_x_03.yaml",
       Manifest("apiVersion: a.b/v1, kind: Operand, metadata: {name: operand")},
      {"0000_60_y_00.yaml",
       StrCat("{apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: m, annotations: {",
              kDelete, "}}}")}};
  EXPECT_TRUE(Lint(files).ok());
  EXPECT_THAT(
      screen_,
      AllOf(HasSubstr("0000_50_x_01.yaml:1: hint: ConfigMap \"ns/inside\" lies in the namespace"),
            HasSubstr("0000_50_x_02.yaml:1: hint: Deployment.apps \"m/o\" is deleted, and "
                      "Operand.a.b \"operand\""),
            HasSubstr("0000_60_y_00.yaml:1: hint: ConfigMap \"m/z\" is not deleted: it is not "
                      "included in the profile p"),
            Not(HasSubstr("error"))));
  EXPECT_EQ(ExitOf(Lint(files, {"--strict"})), Exit::kError);
}

// Deleting a protected object is an error. A version is not required.
TEST_F(PayloadLintTest, ProtectedObjects) {
  const std::map<std::string, std::string> files = {
      {"a.yaml",
       Manifest("apiVersion: v1, kind: Namespace, metadata: {name: kube-system", kDelete)},
      {"b.yaml", ConfigMap("record", kDelete)}};
  EXPECT_EQ(ExitOf(Lint(files)), Exit::kError);
  EXPECT_THAT(screen_, AllOf(HasSubstr("a.yaml:1: error: Namespace \"kube-system\": "),
                             Not(HasSubstr("b.yaml")),
                             HasSubstr("release-metadata: hint: there is no such file")));
  EXPECT_EQ(ExitOf(Lint(files, {"--payload-record-namespace=ns"})), Exit::kError);
  EXPECT_THAT(screen_, HasSubstr("b.yaml:1: error: ConfigMap \"ns/record\": "));
}

TEST_F(PayloadLintTest, AListHasNoAnnotationOfItsItems) {
  EXPECT_FALSE(Lint({{"a.yaml", StrCat("{apiVersion: v1, kind: List, metadata: {annotations: {",
                                       kDelete, "}}, items: [", ConfigMap("a"), "]}")}})
                   .ok());
  EXPECT_THAT(screen_, HasSubstr("a list has the annotation"));
}

// Case 46: a release may hold one manifest of an object for each profile and feature set.
TEST_F(PayloadLintTest, R_003_34_OneObjectForEachProfile) {
  const std::string q =
      "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: a, annotations: "
      "{include.release.openshift.io/q: \"true\"}}}";
  EXPECT_TRUE(Lint({{"a.yaml", ConfigMap("a")}, {"a-q.yaml", q}}).ok());
  EXPECT_FALSE(Lint({{"a-p.yaml", ConfigMap("a", kDelete)}}).ok());
  EXPECT_THAT(screen_, HasSubstr("a.yaml:1: error: ConfigMap \"ns/a\" is applied here, and "
                                 "deleted by"));
  EXPECT_THAT(screen_, HasSubstr("for the profile p and the feature set Default"));
}

// Case 52: template fields without a value are faults.
TEST_F(PayloadLintTest, FieldsThatAreNotFilledIn) {
  const std::map<std::string, std::string> files = {
      {"a.yaml", StrCat(ConfigMap("a"), "\n# {{ .ReleaseImage }}")},
      {"release-metadata", R"({"version":"4.5.0"})"}};
  EXPECT_FALSE(Lint(files).ok());
  EXPECT_THAT(screen_, HasSubstr("a.yaml:2: error: {{.ReleaseImage}} is not known: "
                                 "--release-image says it"));
  EXPECT_TRUE(Lint(files, {"--release-image=quay.io/r"}).ok());
}

TEST_F(PayloadLintTest, KindsThatThePayloadBrings) {
  const std::string definition = Manifest(
      "apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {group: a.b, "
      "scope: Namespaced, names: {kind: Thing, plural: things}, versions: []}, metadata: "
      "{name: things.a.b");
  EXPECT_FALSE(Lint({{"a.yaml", definition},
                     {"b.yaml", Manifest("apiVersion: a.b/v1, kind: Thing, metadata: {name: t")}})
                   .ok());
  EXPECT_THAT(screen_, HasSubstr("b.yaml:1: error: Thing.a.b \"t\": objects of its kind lie in a "
                                 "namespace"));
}

TEST_F(PayloadLintTest, NoPayload) {
  EXPECT_EQ(ExitOf(Lint({{"more/a.yaml", "{}"}})), Exit::kUsage);
}

}  // namespace
}  // namespace steward::plugin
