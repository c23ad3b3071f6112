#include "plugin/payload/testing/payload_scene.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kOperators = {"config.openshift.io", "v1", "clusteroperators"};
const kube::GroupVersionResource kReviews = {"authorization.k8s.io", "v1",
                                             "selfsubjectaccessreviews"};

}  // namespace

std::string ConfigMapYaml(const std::string& name, const std::string& annotation,
                          const std::string& data) {
  return StrCat("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: ", name,
                ", annotations: {include.release.openshift.io/p: \"true\"",
                annotation.empty() ? "" : ", ", annotation, "}}, data: {", data, "}}");
}

PayloadScene::PayloadScene() {
  const std::vector<std::string> verbs = {"get", "list", "create", "patch", "delete"};
  for (const auto& gvr : {kube::kConfigMaps, kube::kNamespaces, kOperators}) client.Serve(gvr);
  client.Publish({"", "v1"}, {{"ConfigMap", "configmaps", true, verbs},
                              {"Namespace", "namespaces", false, verbs}});
  client.Publish({"config.openshift.io", "v1"},
                 {{"ClusterOperator", "clusteroperators", false, verbs}});
}

void PayloadScene::Write(const std::map<std::string, std::string>& files,
                         const std::string& version) {
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    std::filesystem::remove(entry.path());
  }
  for (const auto& [name, text] : files) {
    std::ofstream(directory_.path() + "/" + name) << text;
  }
  if (version.empty()) return;
  std::ofstream(directory_.path() + "/release-metadata")
      << R"({"kind":"cincinnati-metadata-v0","version":")" << version << "\"}";
}

absl::Status PayloadScene::Run(const KnownCommand& command, std::vector<std::string> args) {
  CLI::App app;
  const std::unique_ptr<Command> run = command.make();
  run->AddFlags(app);
  args.insert(args.begin(), {directory_.path(), "--cluster-profile=p"});
  std::reverse(args.begin(), args.end());
  app.parse(args);
  const absl::Status checked = run->Check({});
  if (!checked.ok()) return checked;
  screen.clear();
  document.clear();
  TerminalOptions options;
  options.write = [this](std::string_view bytes) { screen += bytes; };
  options.live = live;
  options.columns = [] { return 120; };
  if (can_ask) {
    options.read_line = [this]() -> std::optional<std::string> {
      if (answers.empty()) return std::nullopt;
      std::string answer = answers.front();
      answers.pop_front();
      return answer;
    };
  }
  Terminal terminal(options);
  Session session{client, Clock::Real(), terminal, document, yes};
  return RunOn(io_, run->Run(session));
}

void PayloadScene::PutConfigMap(const std::string& name, const std::string& more) {
  client.Put(
      kube::kConfigMaps,
      StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":")", name,
             "\"", more, "}}"));
}

json::value PayloadScene::ConfigMap(const std::string& name, const std::string& ns) const {
  const auto objects = client.Objects(kube::kConfigMaps);
  const auto found = objects.find({ns, name});
  return found == objects.end() ? json::value() : json::parse(found->second);
}

std::string PayloadScene::Recorded(const std::string& key) const {
  const json::value record = ConfigMap("steward-payload-record", "steward-system");
  if (record.is_null()) return "";
  const json::value* text = record.at("data").as_object().if_contains(key);
  return text == nullptr ? "" : std::string(text->as_string());
}

void PayloadScene::ForbidUpdates(const std::string& name) {
  client.Put(
      kOperators,
      StrCat(
          R"({"apiVersion":"config.openshift.io/v1","kind":"ClusterOperator","metadata":{"name":")",
          name,
          R"("},"status":{"conditions":[{"type":"Upgradeable","status":"False","reason":"Busy",)"
          R"("message":"wait for it"}]}})"));
}

void PayloadScene::Deny(const std::string& right) {
  client.HandleCreate(kReviews, [right](const json::value& review) {
    const json::value& asked = review.at("spec").at("resourceAttributes");
    const std::string text = StrCat(std::string(asked.at("verb").as_string()), " ",
                                    std::string(asked.at("resource").as_string()));
    json::value answer = review;
    answer.as_object()["status"] = json::object{{"allowed", text != right}};
    return answer;
  });
}

}  // namespace steward::plugin
