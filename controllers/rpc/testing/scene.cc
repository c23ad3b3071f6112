#include "controllers/rpc/testing/scene.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/rpc/cleanup/service.h"
#include "kube/meta/resources.h"
#include "olm/decode.h"

namespace steward::rpc {
namespace json = boost::json;
namespace {

const kube::GroupVersionResource kGroups = {"operators.coreos.com", "v1", "operatorgroups"};

constexpr char kGroup[] =
    R"({"metadata":{"name":"group","namespace":"ops","uid":"g",)"
    R"("creationTimestamp":"2025-01-01T00:00:00Z"},)"
    R"("spec":{"targetNamespaces":["a","b"]},"status":{"namespaces":["a","b"]}})";
constexpr char kCrd[] =
    R"({"metadata":{"name":"widgets.example.com","uid":"c","labels":{"olm.managed":"true"}},)"
    R"("spec":{"group":"example.com",)"
    R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":)"
    R"([{"name":"v1","served":true,"storage":true}]},"status":{"conditions":)"
    R"([{"type":"Established","status":"True"}]}})";

std::string Text(const json::object& object, std::string_view key) {
  return std::string(StringAt(object, key));
}

// Returns the rule of a review, like "alice get cleanupstatuses/pending ops".
std::string RuleOf(const json::value& review) {
  const json::object& spec = review.at("spec").as_object();
  const json::object& what = spec.at("resourceAttributes").as_object();
  std::string resource = Text(what, "resource");
  if (const std::string sub = Text(what, "subresource"); !sub.empty()) {
    StrAppend(&resource, "/", sub);
  }
  return StrCat(Text(spec, "user"), " ", Text(what, "verb"), " ", resource, " ",
                Text(what, "namespace"));
}

controllers::GuardOptions Guards() {
  controllers::GuardOptions options;
  options.allow_unprotected = true;
  options.without_deployments = true;
  options.csvs_built_in = true;
  return options;
}

}  // namespace

Scene::Scene() : inspector_(cluster_, Clock::Real(), nullptr, Guards(), *this) {
  for (const auto& gvr : {kube::kSubjectAccessReviews, kGroups, kube::kNamespaces, kube::kCrds,
                          kSceneCsvs, kSceneWidgets}) {
    cluster_.Serve(gvr);
  }
  cluster_.HandleCreate(
      kube::kSubjectAccessReviews,
      [this](const json::value& review) -> absl::StatusOr<json::value> {
        MutexLock lock(&mutex_);
        json::value answer = review;
        answer.as_object()["status"] = json::object{{"allowed", rules_.contains(RuleOf(review))}};
        return answer;
      });
  cluster_.Put(kGroups, kGroup);
  cluster_.Put(kube::kCrds, kCrd);
  writer_.Replace(std::vector<olm::CsvPtr>{}, revision_);
  writer_.Replace(std::vector<olm::OperatorGroupPtr>{*olm::DecodeOperatorGroup(kGroup)}, revision_);
  std::vector<olm::NamespacePtr> namespaces;
  for (const char* ns : {"ops", "a", "b"}) {
    const std::string text = StrCat(R"({"metadata":{"name":")", ns, R"(","uid":"uid-)", ns,
                                    R"(","creationTimestamp":"2025-01-01T00:00:00Z"}})");
    cluster_.Put(kube::kNamespaces, text);
    namespaces.push_back(*olm::DecodeNamespace(text));
  }
  writer_.Replace(std::move(namespaces), revision_);
  Publish();
}

Scene::~Scene() { Stop(); }

void Scene::Publish() { worlds_.Publish(writer_.Snapshot()); }

void Scene::ForgetWorld() { worlds_.Publish(std::make_shared<const storage::OperatorWorld>()); }

ServerOptions Scene::WithFiles(ServerOptions options) const {
  options.address = "127.0.0.1:0";
  TestCertOptions serving;
  serving.common_name = "steward";
  serving.ip_addresses = {"127.0.0.1"};
  const TestKeyPair pair = ca_.Issue(serving);
  const std::string& path = directory_.path();
  EXPECT_TRUE(ReplaceFile(path + "/tls.crt", pair.cert_pem, 0644).ok());
  EXPECT_TRUE(ReplaceFile(path + "/tls.key", pair.key_pem, 0600).ok());
  EXPECT_TRUE(ReplaceFile(path + "/ca.crt", ca_.cert_pem(), 0644).ok());
  options.cert_file = path + "/tls.crt";
  options.key_file = path + "/tls.key";
  options.client_ca_file = path + "/ca.crt";
  return options;
}

absl::StatusOr<std::unique_ptr<Server>> Scene::StartAnother(ServerOptions options,
                                                            CleanupCallsOptions calls) {
  std::vector<ServedService> services = others_;
  services.push_back(ServeCleanup(
      {.clock = Clock::Real(),
       .worlds = worlds_,
       .outlooks = [this](const storage::WorldPtr& world) { return outlooks_.Of(world); },
       .inspector = inspector_},
      calls));
  return Server::Start(
      std::move(options),
      {.client = cluster_, .clock = Clock::Real(), .registry = registry_, .audit_log = audit_log_},
      std::move(services));
}

void Scene::Record(const controllers::ObjectReference&, controllers::EventType,
                   std::string_view reason, std::string_view message) {
  MutexLock lock(&mutex_);
  events_.push_back(StrCat(reason, ": ", message));
}

std::vector<std::string> Scene::events() {
  MutexLock lock(&mutex_);
  return events_;
}

void Scene::Start(ServerOptions options, CleanupCallsOptions calls) {
  calls.watch.pace = absl::ZeroDuration();
  auto server = StartAnother(WithFiles(std::move(options)), calls);
  ASSERT_TRUE(server.ok()) << server.status().message();
  server_ = *std::move(server);
}

void Scene::Stop() {
  if (server_ == nullptr) return;
  boost::asio::io_context io(1);
  RunOn(io, server_->Stop());
  // The held calls belong to the server's thread.
  cluster_.ForgetFaults(kSceneCsvs);
  server_.reset();
}

void Scene::PutCsv(const std::string& name, bool enabled) {
  ++revision_;
  const std::string text = StrCat(
      R"({"metadata":{"name":")", name, R"(","namespace":"ops","uid":"uid-)", name,
      R"(","resourceVersion":")", revision_, R"(","creationTimestamp":"2026-01-01T00:00:00Z",)",
      R"("finalizers":["operatorframework.io/delete-custom-resources"]},)",
      R"("spec":{"cleanup":{"enabled":)", enabled ? "true" : "false",
      R"(},"customresourcedefinitions":{"owned":[{"name":"widgets.example.com",)",
      R"("version":"v1","kind":"Widget"}]}},)",
      R"("status":{"phase":"Succeeded","reason":"InstallSucceeded"}})");
  cluster_.Put(kSceneCsvs, text);
  writer_.Put(*olm::DecodeCsv(text), revision_);
  Publish();
}

void Scene::RemoveCsv(const std::string& name) {
  cluster_.Delete(kSceneCsvs, {"ops", name});
  writer_.Remove(storage::kCsvSource, {"ops", name}, ++revision_);
  Publish();
}

void Scene::AddWidget(const std::string& ns, const std::string& name) {
  cluster_.Put(kSceneWidgets,
               StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns, R"("}})"));
}

void Scene::Allow(const std::string& rule) {
  MutexLock lock(&mutex_);
  rules_.insert(rule);
}
void Scene::Forbid(const std::string& rule) {
  MutexLock lock(&mutex_);
  rules_.erase(rule);
}

std::string Scene::Address() const { return StrCat("127.0.0.1:", server_->port()); }

std::shared_ptr<grpc::Channel> Scene::ChannelWith(const TestKeyPair& pair) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = ca_.cert_pem();
  tls.pem_cert_chain = pair.cert_pem;
  tls.pem_private_key = pair.key_pem;
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(Address(), grpc::SslCredentials(tls), arguments);
}

std::shared_ptr<grpc::Channel> Scene::ChannelAs(const std::string& common_name) {
  TestCertOptions options;
  options.common_name = common_name;
  return ChannelWith(ca_.Issue(options));
}

std::unique_ptr<cleanup::v1::CleanupService::Stub> Scene::As(const std::string& common_name) {
  return cleanup::v1::CleanupService::NewStub(ChannelAs(common_name));
}

}  // namespace steward::rpc
