#include "controllers/operator/testing/operator_cluster.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/operator/component_kinds.h"
#include "controllers/operator/known_operators.h"
#include "controllers/operator/operator_reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "kube/meta/selector.h"
#include "olm/decode.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kPrefix = "operators.coreos.com/";

json::object Parsed(std::string_view text) {
  return json::parse(json::string_view(text.data(), text.size())).as_object();
}

kube::LabelMap LabelsOf(const json::object& object) {
  kube::LabelMap labels;
  const json::object* all = ObjectAt(object.at("metadata").as_object(), "labels");
  if (all == nullptr) return labels;
  for (const auto& [key, value] : *all) {
    labels.emplace(std::string(key), std::string(value.as_string()));
  }
  return labels;
}

class LateWatch : public kube::Watch {
 public:
  LateWatch(std::unique_ptr<kube::Watch> inner, Clock& clock,
            const std::function<absl::Duration()>& lag)
      : inner_(std::move(inner)), clock_(clock), lag_(lag) {}

  Task<std::optional<kube::WatchEvent>> Next() override {
    CO_ASSIGN_OR_RETURN(std::optional<kube::WatchEvent> event, co_await inner_->Next());
    const absl::Duration late = lag_ ? lag_() : absl::ZeroDuration();
    if (late > absl::ZeroDuration()) co_await clock_.Sleep(late);
    co_return event;
  }

 private:
  const std::unique_ptr<kube::Watch> inner_;
  Clock& clock_;
  const std::function<absl::Duration()>& lag_;
};

std::string NameMembers(const kube::NamespacedName& name) {
  return name.ns.empty() ? StrCat(R"("name":")", name.name, "\"")
                         : StrCat(R"("name":")", name.name, R"(","namespace":")", name.ns, "\"");
}

}  // namespace

Task<std::unique_ptr<kube::Watch>> LaggingClient::StartWatch(const kube::GroupVersionResource& gvr,
                                                             const kube::WatchOptions& options) {
  CO_ASSIGN_OR_RETURN(std::unique_ptr<kube::Watch> watch,
                      co_await inner().StartWatch(gvr, options));
  co_return std::make_unique<LateWatch>(std::move(watch), clock_, lag);
}

OperatorCluster::OperatorCluster() {
  for (const WatchedKind& kind : WatchedKinds(/*secrets=*/true)) {
    if (kind.gvr.resource != "operatorconditions") fake_.Serve(kind.gvr);
  }
}

void OperatorCluster::PutCsv(const std::string& name, const std::string& metadata,
                             const std::string& definition, const std::string& ns) {
  const std::string owned =
      definition.empty() ? ""
                         : StrCat(R"({"name":")", definition, R"(","version":"v1","kind":"K"})");
  fake_.Put(kTestCsvs,
            StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1",)",
                   R"("kind":"ClusterServiceVersion","metadata":{)", NameMembers({ns, name}),
                   R"(,"creationTimestamp":"2026-01-01T00:00:00Z")", metadata,
                   R"(},"spec":{"customresourcedefinitions":{"owned":[)", owned,
                   R"(]}},"status":{"phase":"Succeeded","reason":"InstallSucceeded"}})"));
}

void OperatorCluster::PutSubscription(const std::string& name, const std::string& package,
                                      const std::string& status, const std::string& ns) {
  fake_.Put(kTestSubscriptions,
            StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription",)",
                   R"("metadata":{)", NameMembers({ns, name}), R"(},"spec":{"name":")", package,
                   R"("},"status":)", status, "}"));
}

void OperatorCluster::PutManaged(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, const std::string& labels,
                                 const std::string& metadata, const std::string& more) {
  fake_.Put(gvr, StrCat(R"({"metadata":{)", NameMembers(name), R"(,"labels":{"olm.managed":"true")",
                        labels, "}", metadata, "}", more, "}"));
}

void OperatorCluster::Merge(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                            std::string_view patch, std::string_view subresource) {
  kube::WriteOptions options;
  options.subresource = subresource;
  const json::value value = Parsed(patch);
  boost::asio::io_context io(1);
  const absl::Status status =
      RunOn(io, fake_.Patch(gvr, name, kube::PatchType::kJsonMerge, value, options)).status();
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::abort();
}

void OperatorCluster::Remove(const kube::GroupVersionResource& gvr,
                             const kube::NamespacedName& name) {
  if (fake_.Objects(gvr).contains(name)) fake_.Delete(gvr, name);
}

json::value OperatorCluster::Find(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name) const {
  const auto all = fake_.Objects(gvr);
  const auto it = all.find(name);
  return it == all.end() ? json::value() : json::value(Parsed(it->second));
}

std::set<std::string> OperatorCluster::Operators() const {
  std::set<std::string> names;
  for (const auto& [name, text] : fake_.Objects(kTestOperators)) names.insert(name.name);
  return names;
}

std::set<std::string> OperatorCluster::Labels(const kube::GroupVersionResource& gvr,
                                              const kube::NamespacedName& name) const {
  std::set<std::string> labels;
  const json::value object = Find(gvr, name);
  if (object.is_null()) return labels;
  for (const auto& [key, value] : LabelsOf(object.get_object())) {
    if (key.starts_with(kPrefix)) labels.insert(key.substr(kPrefix.size()));
  }
  return labels;
}

std::vector<std::string> OperatorCluster::Refs(const std::string& operator_name) const {
  std::vector<std::string> all;
  const json::value object = Find(kTestOperators, {"", operator_name});
  const json::object* status =
      object.is_object() ? ObjectAt(object.get_object(), "status") : nullptr;
  const json::object* components = status == nullptr ? nullptr : ObjectAt(*status, "components");
  const json::array* refs = components == nullptr ? nullptr : ArrayAt(*components, "refs");
  if (refs == nullptr) return all;
  for (const json::value& value : *refs) {
    const json::object& ref = value.as_object();
    const std::string_view ns = StringAt(ref, "namespace");
    all.push_back(
        StrCat(StringAt(ref, "kind"), " ", ns, ns.empty() ? "" : "/", StringAt(ref, "name")));
  }
  return all;
}

void OperatorCluster::Observe(storage::OperatorWriter& writer, Seen& seen, bool first) {
  observed_ = std::max(observed_, fake_.revision());
  Seen now = fake_.Objects(kTestCsvs);
  std::erase_if(now, [](const auto& entry) {
    return LabelsOf(Parsed(entry.second)).contains("olm.copiedFrom");
  });
  if (first) {
    writer.Replace(std::vector<olm::CsvPtr>(), ++observed_);
    writer.Replace(std::vector<olm::OperatorGroupPtr>(), observed_);
    writer.Replace(std::vector<olm::NamespacePtr>(), observed_);
  }
  for (const auto& [key, text] : seen) {
    if (!now.contains(key)) writer.Remove(storage::kCsvSource, key, ++observed_);
  }
  for (const auto& [key, text] : now) {
    const auto was = seen.find(key);
    if (was != seen.end() && was->second == text) continue;
    writer.Put(*olm::DecodeCsv(text), ++observed_);
  }
  seen = std::move(now);
}

void OperatorEvents::Record(const ObjectReference& about, EventType, std::string_view reason,
                            std::string_view message) {
  told.insert(StrCat(reason, " ", about.name.name, ": ", message));
}

std::string OwnedBy(const OperatorCluster& cluster, const std::string& csv) {
  const json::value object = cluster.Find(kTestCsvs, {"ops", csv});
  return StrCat(R"(,"ownerReferences":[{"apiVersion":"operators.coreos.com/v1alpha1",)",
                R"("kind":"ClusterServiceVersion","name":")", csv, R"(","uid":")",
                std::string(object.at("metadata").at("uid").as_string()), R"("}])");
}

std::string OwnerLabels(const std::string& csv, const std::string& ns) {
  return StrCat(R"(,"olm.owner":")", csv, R"(","olm.owner.namespace":")", ns,
                R"(","olm.owner.kind":"ClusterServiceVersion")");
}

OperatorProcess::OperatorProcess(OperatorCluster& cluster, const OperatorFlags& flags)
    : cluster_(cluster),
      client_(cluster.client(), hook_),
      worlds_(storage::kOperatorSources),
      watches_(client_, cluster.clock(), random_, io_.get_executor()),
      controller_(
          KnownOperators().options,
          [this, flags] {
            return std::make_unique<OperatorReconciler>(
                ReconcilerDeps{client_, leadership_, worlds_, watches_, events_, cluster_.clock(),
                               random_, registry_, gates_},
                metrics_, flags);
          },
          io_.get_executor(), cluster.clock(), registry_) {
  hook_.process = &io_;
  controller_.Start();
}

OperatorProcess::~OperatorProcess() {
  // After the death of the process its remaining code can do nothing.
  hook_.decide = [](const kube::HookedCall&) {
    kube::HookedFate fate;
    fate.error = absl::CancelledError("the process has ended");
    return fate;
  };
  (void)RunOn(io_, controller_.Stop(absl::ZeroDuration()));
  RunOn(io_, watches_.Stop());
}

void OperatorProcess::Look() {
  if (died()) return;
  cluster_.Observe(writer_, seen_, !looked_);
  looked_ = true;
  worlds_.Publish(writer_.Snapshot());
  Settle();
}

void OperatorProcess::Finish() {
  uint64_t revision = 0;
  for (int i = 0; i < 100 && !died(); ++i) {
    Look();
    for (int step = 0; step < 10; ++step) {
      cluster_.clock().Advance(absl::Seconds(5));
      Settle();
    }
    if (std::exchange(revision, cluster_.fake().revision()) == cluster_.fake().revision()) return;
  }
}

void OperatorProcess::Settle() {
  if (died()) return;
  io_.restart();
  while (!died() && io_.poll() > 0) {
  }
}

}  // namespace steward::controllers
