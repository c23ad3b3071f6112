#include "controllers/copies/testing/copy_cluster.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/raw_object.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "olm/decode.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

json::object Parsed(std::string_view text) {
  return json::parse(json::string_view(text.data(), text.size())).as_object();
}

kube::LabelMap LabelsOf(const json::object& object) {
  kube::LabelMap labels;
  const json::value* all = object.at("metadata").as_object().if_contains("labels");
  if (all == nullptr) return labels;
  for (const auto& [key, value] : all->as_object()) {
    labels.emplace(std::string(key), std::string(value.as_string()));
  }
  return labels;
}

}  // namespace

CopyCluster::CopyCluster() : ForwardingClient(fake_) {
  for (const auto& gvr : {kTestCsvs, kTestGroups, kTestNamespaces, kTestOlmConfigs, kTestEvents}) {
    fake_.Serve(gvr);
  }
}

void CopyCluster::PutNamespace(const std::string& name, const std::string& team, bool terminating) {
  fake_.Put(kTestNamespaces,
            StrCat(R"({"metadata":{"name":")", name, R"(","labels":{"team":")", team,
                   R"("}},"status":{"phase":")", terminating ? "Terminating" : "Active", "\"}}"));
}

void CopyCluster::DropNamespace(const std::string& name) {
  for (const auto& gvr : {kTestCsvs, kTestGroups}) {
    for (const auto& [key, text] : fake_.Objects(gvr)) {
      if (key.ns == name) fake_.Delete(gvr, key);
    }
  }
  if (fake_.Objects(kTestNamespaces).contains({"", name}))
    fake_.Delete(kTestNamespaces, {"", name});
}

void CopyCluster::PutGroup(const std::string& ns, const std::string& name,
                           const std::string& spec) {
  fake_.Put(kTestGroups, StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
                                R"("},"spec":)", spec, "}"));
}

void CopyCluster::DropGroup(const std::string& ns, const std::string& name) {
  if (fake_.Objects(kTestGroups).contains({ns, name})) fake_.Delete(kTestGroups, {ns, name});
}

void CopyCluster::PutCsv(const std::string& ns, const std::string& name, const Csv& csv) {
  const std::string deleting =
      csv.deleting ? R"(,"deletionTimestamp":"2026-01-02T03:04:05Z","finalizers":["x"])" : "";
  fake_.Put(kTestCsvs,
            StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1",)",
                   R"("kind":"ClusterServiceVersion","metadata":{"name":")", name,
                   R"(","namespace":")", ns, R"(","creationTimestamp":"2026-01-01T00:00:00Z",)",
                   R"("labels":{"olm.managed":"true","note":")", csv.note,
                   R"("},"annotations":{"olm.operatorNamespace":")", ns, R"(","note":")", csv.note,
                   "\"}", deleting, csv.metadata, R"(},"spec":{"note":")", csv.note,
                   R"("},"status":{"phase":")", csv.phase, R"(","reason":")", csv.reason,
                   R"(","note":")", csv.note, R"(","cleanup":{}}})"));
}

void CopyCluster::DropCsv(const std::string& ns, const std::string& name) {
  if (fake_.Objects(kTestCsvs).contains({ns, name})) fake_.Delete(kTestCsvs, {ns, name});
}

void CopyCluster::PutOlmConfig(const std::string& features, const std::string& name) {
  const auto all = fake_.Objects(kTestOlmConfigs);
  const auto it = all.find({"", name});
  json::object config = it == all.end() ? json::object() : Parsed(it->second);
  config["apiVersion"] = "operators.coreos.com/v1";
  config["kind"] = "OLMConfig";
  config["metadata"] = {{"name", name}};
  config["spec"] = {{"features", Parsed(features)}};
  fake_.Put(kTestOlmConfigs, json::serialize(config));
}

void CopyCluster::DropOlmConfig() {
  if (fake_.Objects(kTestOlmConfigs).contains({"", "cluster"})) {
    fake_.Delete(kTestOlmConfigs, {"", "cluster"});
  }
}

void CopyCluster::Edit(const kube::NamespacedName& name,
                       const std::function<void(json::object&)>& edit) {
  json::object object = Parsed(fake_.Objects(kTestCsvs).at(name));
  edit(object);
  fake_.Put(kTestCsvs, json::serialize(object));
}

std::vector<json::object> CopyCluster::All(const kube::GroupVersionResource& gvr) const {
  std::vector<json::object> all;
  for (const auto& [key, text] : fake_.Objects(gvr)) all.push_back(Parsed(text));
  return all;
}

const json::object* CopyCluster::Find(const kube::NamespacedName& csv) {
  const auto all = fake_.Objects(kTestCsvs);
  const auto it = all.find(csv);
  if (it == all.end()) return nullptr;
  found_ = Parsed(it->second);
  return &found_;
}

std::set<std::string> CopyCluster::Copies() const {
  std::set<std::string> copies;
  for (const auto& [key, text] : fake_.Objects(kTestCsvs)) {
    if (LabelsOf(Parsed(text)).contains("olm.copiedFrom")) {
      copies.insert(StrCat(key.ns, "/", key.name));
    }
  }
  return copies;
}

std::string CopyCluster::Text(const kube::NamespacedName& csv) const {
  const auto all = fake_.Objects(kTestCsvs);
  const auto it = all.find(csv);
  return it == all.end() ? "" : it->second;
}

template <typename Decode>
void CopyCluster::ObserveKind(storage::OperatorWriter& writer, Seen& all_seen,
                              storage::Source source, const kube::GroupVersionResource& gvr,
                              Decode decode) {
  std::map<kube::NamespacedName, std::string> now = fake_.Objects(gvr);
  if (gvr == kTestCsvs) {
    std::erase_if(now, [](const auto& entry) {
      return LabelsOf(Parsed(entry.second)).contains("olm.copiedFrom");
    });
  }
  auto [it, first] = all_seen.try_emplace(gvr);
  std::map<kube::NamespacedName, std::string>& seen = it->second;
  if (first) {
    std::vector<storage::ObjectPtr> objects;
    for (const auto& [key, text] : now) objects.push_back(*decode(text));
    writer.storage::WorldWriter::Replace(source, std::move(objects), ++observed_);
    seen = std::move(now);
    return;
  }
  for (const auto& [key, text] : seen) {
    if (!now.contains(key)) writer.Remove(source, key, ++observed_);
  }
  for (const auto& [key, text] : now) {
    const auto was = seen.find(key);
    if (was == seen.end() || was->second != text) {
      writer.storage::WorldWriter::Put(source, storage::ObjectPtr(*decode(text)), ++observed_);
    }
  }
  seen = std::move(now);
}

void CopyCluster::Observe(storage::OperatorWriter& writer, Seen& seen) {
  observed_ = std::max(observed_, fake_.revision());
  ObserveKind(writer, seen, storage::kNamespaceSource, kTestNamespaces, olm::DecodeNamespace);
  ObserveKind(writer, seen, storage::kOperatorGroupSource, kTestGroups, olm::DecodeOperatorGroup);
  ObserveKind(writer, seen, storage::kCsvSource, kTestCsvs, olm::DecodeCsv);
}

Task<json::value> CopyCluster::Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                      const json::value& object,
                                      const kube::WriteOptions& options) {
  if (before_write && gvr == kTestCsvs) before_write();
  if (ns.empty()) co_return co_await fake_.Create(gvr, ns, object, options);
  const kube::NamespacedName place{"", ns};
  const absl::StatusOr<kube::RawObject> found = co_await fake_.Get(kTestNamespaces, place);
  if (!found.ok()) co_return found.status();
  if (found->json.find("Terminating") != std::string_view::npos) {
    kube::Status status = kube::Forbidden(gvr, "x", "because it is being terminated");
    status.causes.push_back({"NamespaceTerminating", "it is", "metadata.namespace"});
    co_return kube::ToStatus(status);
  }
  json::value changed = object;
  if (!keeps_status_on_create) changed.as_object().erase("status");
  changed.as_object()["metadata"].as_object()["uid"] = StrCat("made-", ++uids_);
  if (webhook && gvr == kTestCsvs) webhook(changed.as_object(), true);
  co_return co_await fake_.Create(gvr, ns, changed, options);
}

Task<json::value> CopyCluster::Update(const kube::GroupVersionResource& gvr,
                                      const json::value& object,
                                      const kube::WriteOptions& options) {
  if (gvr != kTestCsvs) co_return co_await fake_.Update(gvr, object, options);
  if (before_write) before_write();
  json::value changed = object;
  if (webhook && options.subresource.empty()) webhook(changed.as_object(), false);
  const json::object& metadata = object.at("metadata").get_object();
  const std::string before = Text({std::string(metadata.at("namespace").get_string()),
                                   std::string(metadata.at("name").get_string())});
  CO_ASSIGN_OR_RETURN(json::value answer, co_await fake_.Update(gvr, changed, options));
  if (written) written(Parsed(before));
  co_return answer;
}

Task<json::value> CopyCluster::Delete(const kube::GroupVersionResource& gvr,
                                      const kube::NamespacedName& name,
                                      const kube::DeleteOptions& options) {
  if (gvr != kTestCsvs) co_return co_await fake_.Delete(gvr, name, options);
  if (before_write) before_write();
  const std::string before = Text(name);
  CO_ASSIGN_OR_RETURN(json::value answer, co_await fake_.Delete(gvr, name, options));
  if (written) written(Parsed(before));
  co_return answer;
}

std::unique_ptr<kube::Client> CopyCluster::As(const kube::UserInfo& /*user*/) {
  return std::make_unique<kube::HookClient>(*this);
}

}  // namespace steward::controllers
