#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/status/matchers.h"
#include "kube/client/client.h"
#include "kube/client/provider_version.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/testing/scene.h"
#include "plugin/version/version_command.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;

// A cluster that answers with its versions.
class VersionedClient : public kube::FakeClient, public kube::ProviderVersions {
 public:
  Task<std::string> ServerVersion() override { co_return kubernetes; }
  Task<std::string> ProviderVersion(const kube::GroupVersion& gv) override {
    EXPECT_EQ(gv.group, "views.operators.coreos.com");
    co_return steward;
  }

  absl::StatusOr<std::string> kubernetes = "v1.36.0";
  absl::StatusOr<std::string> steward = "v0.1.0";
};

absl::Status ShowWith(TestScene& scene, kube::Client& client, bool client_only = false) {
  const Session session = scene.session();
  Session asked{.client = client,
                .clock = session.clock,
                .terminal = session.terminal,
                .document = session.document,
                .version = {"v0.1.0", "abc", "clean", "2026-01-02T03:04:05Z", "linux/amd64"}};
  return scene.Run(ShowVersions(asked, client_only));
}

TEST(VersionTest, OfAll) {
  TestScene scene;
  VersionedClient client;
  EXPECT_OK(ShowWith(scene, client));
  EXPECT_EQ(scene.screen,
            "Client Version: v0.1.0 (commit abc, clean)\n"
            "Kubernetes Version: v1.36.0\n"
            "Server Version: v0.1.0\n");
  EXPECT_EQ(scene.document.at("clientVersion").at("gitVersion"), "v0.1.0");
  EXPECT_EQ(scene.document.at("serverVersion").at("gitVersion"), "v0.1.0");
  EXPECT_EQ(scene.document.at("kubernetesVersion").at("gitVersion"), "v1.36.0");
}

TEST(VersionTest, OfTheClientAlone) {
  TestScene scene;
  VersionedClient client;
  client.kubernetes = absl::InternalError("asked");
  EXPECT_OK(ShowWith(scene, client, /*client_only=*/true));
  EXPECT_EQ(scene.screen, "Client Version: v0.1.0 (commit abc, clean)\n");
  EXPECT_FALSE(scene.document.contains("serverVersion"));
}

TEST(VersionTest, AnotherServerIsToldBeside) {
  TestScene scene;
  VersionedClient client;
  client.steward = "v0.2.0";
  EXPECT_OK(ShowWith(scene, client));
  EXPECT_THAT(scene.screen, HasSubstr("warning: this program is of version v0.1.0, and the server "
                                      "of v0.2.0\n"));
  EXPECT_EQ(scene.answer.find("warning"), std::string::npos);
}

TEST(VersionTest, WhatCannotBeAsked) {
  struct Case {
    const char* name;
    absl::StatusOr<std::string> kubernetes;
    absl::StatusOr<std::string> steward;
    const char* error;
    const char* screen;
  };
  const std::string client_line = "Client Version: v0.1.0 (commit abc, clean)\n";
  const std::string kubernetes_line = "Kubernetes Version: v1.36.0\n";
  for (const Case& c : {
           Case{"nobody answers", absl::UnavailableError("refused"), "v0.1.0", "refused", ""},
           Case{"no kubeconfig", Misused("there is no kubeconfig"), "v0.1.0",
                "there is no kubeconfig", ""},
           Case{"no views", "v1.36.0", kube::ToStatus(kube::NotFoundPath()),
                "does not serve views.operators.coreos.com/v1alpha1: install Steward's API server",
                "k"},
           Case{"not allowed", "v1.36.0", kube::ToStatus(kube::Unauthorized()),
                "asking Steward's API server", "k"},
       }) {
    SCOPED_TRACE(c.name);
    TestScene scene;
    VersionedClient client;
    client.kubernetes = c.kubernetes;
    client.steward = c.steward;
    const absl::Status status = ShowWith(scene, client);
    EXPECT_EQ(ExitOf(status), Exit::kError);
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.error));
    EXPECT_EQ(scene.screen, client_line + (*c.screen == 'k' ? kubernetes_line : ""));
  }
}

}  // namespace
}  // namespace steward::plugin
