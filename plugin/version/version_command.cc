#include "plugin/version/version_command.h"

#include <boost/json/object.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/client/provider_version.h"
#include "kube/meta/errors.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

void Show(Session& session, std::string_view label, std::string_view member,
          const std::string& version) {
  session.document[member] = json::object({{"gitVersion", version}});
  session.terminal.Line(StrCat(label, " Version: ", version));
}

void ShowClient(Session& session) {
  const ClientVersion& client = session.version;
  session.document["clientVersion"] = {{"gitVersion", client.git_version},
                                       {"gitCommit", client.git_commit},
                                       {"gitTreeState", client.git_tree_state},
                                       {"buildDate", client.build_date},
                                       {"platform", client.platform}};
  session.terminal.Line(
      StrCat("Client Version: ", client.git_version,
             client.git_commit.empty()
                 ? ""
                 : StrCat(" (commit ", client.git_commit, ", ", client.git_tree_state, ")")));
}

// This command works without a kubeconfig, so a missing one is not a usage error.
absl::Status NotReached(const absl::Status& status) {
  return ExitOf(status) == Exit::kUsage ? absl::Status(status.code(), status.message()) : status;
}

StatusTask ShowServers(Session& session) {
  const absl::StatusOr<std::string> kubernetes = co_await session.client.ServerVersion();
  if (!kubernetes.ok()) co_return NotReached(kubernetes.status());
  Show(session, "Kubernetes", "kubernetesVersion", *kubernetes);
  const kube::GroupVersion views = kInstalledOperators.group_version();
  const absl::StatusOr<std::string> server =
      co_await kube::ReadProviderVersion(session.client, views);
  if (kube::IsNotServed(server.status())) {
    co_return absl::NotFoundError(StrCat("this cluster does not serve ", views.group, "/",
                                         views.version, ": ", kWhereViewsAreNotServed));
  }
  if (!server.ok()) co_return WithContext("asking Steward's API server", server.status());
  Show(session, "Server", "serverVersion", *server);
  if (*server != session.version.git_version) {
    session.terminal.Note(StrCat("warning: this program is of version ",
                                 session.version.git_version, ", and the server of ", *server),
                          Style::kWarning);
  }
  co_return absl::OkStatus();
}

class VersionCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    FlagAdder(app).Switch("--client", client_only_, "Ask no cluster");
  }
  ClusterNeed NeedOfCluster() const override {
    return client_only_ ? ClusterNeed::kNever : ClusterNeed::kIfFound;
  }
  StatusTask Run(Session& session) override { return ShowVersions(session, client_only_); }

 private:
  bool client_only_ = false;
};

}  // namespace

StatusTask ShowVersions(Session& session, bool client_only) {
  ShowClient(session);
  if (client_only) co_return absl::OkStatus();
  co_return co_await ShowServers(session);
}

KnownCommand KnownVersion() {
  return {.name = "version",
          .description = "Show the versions of this program, of Steward's server and of Kubernetes",
          .report = "VersionReport",
          .examples = {{"Show which versions work together", "version"},
                       {"Show the version of this program alone", "version --client"}},
          .make = [] { return std::make_unique<VersionCommand>(); }};
}

}  // namespace steward::plugin
