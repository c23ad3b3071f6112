#include "payload/testing/payload_cluster.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

constexpr char kRecordNamespace[] = "steward-system";

const std::vector<std::string> kVerbs = {"create", "delete", "get", "list", "patch", "update"};

}  // namespace

std::string TestConfigMap(std::string_view name, std::string_view value,
                          std::string_view annotations) {
  return StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n","name":")",
                std::string(name), R"(","annotations":{)", std::string(annotations),
                R"(}},"data":{"key":")", std::string(value), R"("}})");
}

std::string TestDeletion(std::string_view name) {
  return TestConfigMap(name, "ignored", R"("release.openshift.io/delete":"true")");
}

Release TestRelease(std::string version, const std::vector<TestFile>& files) {
  std::vector<olm::PayloadDocument> documents;
  for (const TestFile& each : files) {
    documents.push_back({each.name, StrCat(each.name, ":1"), json::parse(each.json).as_object()});
  }
  Release release;
  release.version = std::move(version);
  release.payload = olm::ReadPayload(std::move(documents));
  return release;
}

PayloadOptions TestOptions() {
  PayloadOptions options;
  options.choices.profile.clear();
  return options;
}

PayloadCluster::PayloadCluster() {
  for (const auto& [gvr, kind, namespaced] :
       std::vector<std::tuple<kube::GroupVersionResource, std::string, bool>>{
           {kTestConfigMaps, "ConfigMap", true},
           {kTestNamespaces, "Namespace", false},
           {kTestJobs, "Job", true},
           {kTestDefinitions, "CustomResourceDefinition", false},
           {kTestWidgets, "Widget", true},
           {kTestCsvs, "ClusterServiceVersion", true}}) {
    client_.Serve(gvr);
    std::vector<kube::ApiResource> published;
    published.push_back({kind, gvr.resource, namespaced, kVerbs});
    if (gvr == kTestNamespaces) {
      published.push_back({"ConfigMap", "configmaps", true, kVerbs});
    }
    client_.Publish(gvr.group_version(), std::move(published));
  }
  client_.HandleCreate(kTestReviews, [this](const json::value& review) {
    const json::object& spec = review.at("spec").as_object();
    const json::object* resource = ObjectAt(spec, "resourceAttributes");
    const json::object& asked =
        resource == nullptr ? spec.at("nonResourceAttributes").as_object() : *resource;
    const std::string text =
        StrCat(std::string(StringAt(asked, "verb")), " ", std::string(StringAt(asked, "resource")),
               " ", std::string(StringAt(asked, "name")));
    json::value answer = review;
    const bool allowed = std::find(denied.begin(), denied.end(), text) == denied.end();
    answer.as_object()["status"] = json::object{{"allowed", allowed}};
    return answer;
  });
}

json::value PayloadCluster::Find(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name) {
  const auto objects = client_.Objects(gvr);
  const auto found = objects.find(name);
  return found == objects.end() ? json::value() : json::parse(found->second);
}

std::string PayloadCluster::Uid(const std::string& config_map) {
  return std::string(ConfigMap(config_map).at("metadata").at("uid").as_string());
}

json::object PayloadCluster::RecordData() {
  const json::value object =
      Find(kTestConfigMaps, {kRecordNamespace, std::string(olm::kRecordName)});
  return object.is_null() ? json::object() : object.at("data").as_object();
}

olm::PayloadRecord PayloadCluster::Record() { return *olm::ReadPayloadRecord(RecordData()); }

std::string PayloadCluster::Removal(const std::string& name) {
  const auto removal = Record().Find({"", "ConfigMap", "n", name});
  return removal ? std::string(NameOf(removal->state)) : "";
}

PayloadProcess::PayloadProcess(PayloadCluster& cluster)
    : cluster_(cluster),
      client_(cluster.client(), hook_),
      mapper_(client_, cluster.clock()),
      record_(client_, kRecordNamespace) {
  hook_.process = io_.get();
  observer_.done = [this](const TaskReport& report) {
    told.push_back(StrCat(std::string(NameOf(report.action)), " ", report.identity.ToString()));
  };
  observer_.removal = [this](const olm::Removal& removal) {
    told.push_back(StrCat(std::string(NameOf(removal.state)), " ", removal.identity.ToString()));
  };
  observer_.dropped = [this](const olm::Removal& removal) {
    told.push_back(StrCat("dropped ", removal.identity.ToString()));
  };
  observer_.waits = [this](const olm::PayloadIdentity& identity, const std::string& lack) {
    told.push_back(StrCat("waits ", identity.ToString(), ": ", lack));
  };
}

// Runs until `done`, waking sleepers, and returns true. Returns false if the process died.
bool PayloadProcess::Runs(const bool& done) {
  while (!done && !hook_.died) {
    io_->restart();
    if (io_->poll() > 0 || done || hook_.died) continue;
    if (cluster_.clock().sleepers() == 0) break;
    cluster_.clock().Advance(absl::Milliseconds(500));
  }
  if (!done) io_.reset();  // drops all tasks under way
  return done;
}

std::optional<PassResult> PayloadProcess::Pass(const Release& release,
                                               const PayloadOptions& options) {
  const PassDeps deps = this->deps();
  PayloadPass pass(deps, release, options, observer_);
  PassResult result;
  bool done = false;
  std::exception_ptr thrown;
  boost::asio::co_spawn(*io_, pass.Run(/*check_rights=*/true),
                        [&](std::exception_ptr e, PassResult value) {
                          thrown = std::move(e);
                          result = std::move(value);
                          done = true;
                        });
  if (!Runs(done)) return std::nullopt;
  if (thrown) std::rethrow_exception(thrown);
  return result;
}

absl::Status PayloadProcess::Follow() {
  const PassDeps deps = this->deps();
  absl::Status result;
  bool done = false;
  boost::asio::co_spawn(*io_, FollowRemovals(deps, observer_),
                        [&](const std::exception_ptr&, absl::Status status) {
                          result = std::move(status);
                          done = true;
                        });
  return Runs(done) ? result : absl::CancelledError("the process died");
}

}  // namespace steward::payload
