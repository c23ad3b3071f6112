// Random changes of ClusterServiceVersions, OperatorGroups and Namespaces, for the model of
// virtual_resource/. Not thread-safe.
#ifndef APISERVER_VIEWS_TESTING_OPERATOR_WRITES_H_
#define APISERVER_VIEWS_TESTING_OPERATOR_WRITES_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "apiserver/views/virtual_resource/testing/model.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"

namespace steward::views {

class OperatorWrites : public Writes {
 public:
  void Begin(Etcd& etcd) override {
    for (const char* name : {"a", "b", "c", "d"}) PutNamespace(etcd, name, {{"p", ""}}, name);
  }

  void Write(Etcd& etcd, unsigned a, unsigned b, unsigned c) override {
    ++uid_;
    const std::string ns(1, "abcd"[b % 4]);
    const std::string name(1, "xyz"[c % 3]);
    const unsigned kind = a % 13;
    if (kind < 4) {
      WriteCsv(etcd, ns, name, kind, c);
    } else if (kind < 9) {
      WriteGroup(etcd, ns, kind, c);
    } else {
      WriteNamespace(etcd, ns, kind, c);
    }
  }

 private:
  void WriteCsv(Etcd& etcd, const std::string& ns, const std::string& name, unsigned kind,
                unsigned c) {
    const kube::NamespacedName key{ns, name};
    if (kind == 3) return etcd.Put(storage::kCsvSource, key, nullptr);
    auto csv = std::make_shared<olm::Csv>();
    csv->key = key;
    csv->uid = std::to_string(uid_);
    const auto old = etcd.Find<olm::Csv>(storage::kCsvSource, key);
    if (old != nullptr && kind > 0) csv->uid = old->uid;
    csv->created = "2026-01-01T00:00:00Z";
    csv->phase = c / 3 % 3 == 0 ? "Pending" : c / 3 % 3 == 1 ? "Installing" : "Succeeded";
    csv->spec_json = "{}";
    if (c / 9 % 2 == 0) {
      csv->labels = {{"color", "red"}};
      csv->labels_json = R"("color":"red")";
    }
    if (c % 5 < 2) {
      csv->component_labels = {{"operators.coreos.com/x", ""}};
      csv->own_labels_json = R"("operators.coreos.com/x":"")";
      if (!csv->labels_json.empty()) csv->own_labels_json += "," + csv->labels_json;
    }
    csv->cleanup = Cleanup(*csv);
    csv->written.revision = etcd.revision + 1;
    etcd.Put(storage::kCsvSource, key, olm::CsvPtr(std::move(csv)));
  }

  // Random facts that follow from the number of the write.
  std::shared_ptr<const olm::CsvCleanup> Cleanup(const olm::Csv& csv) const {
    std::mt19937 random(static_cast<unsigned>(uid_));
    const auto one_in = [&random](unsigned n) { return random() % n == 0; };
    olm::CsvCleanup cleanup;
    cleanup.facts.key = csv.key;
    cleanup.facts.uid = csv.uid;
    cleanup.facts.phase = csv.phase;
    cleanup.facts.cleanup_enabled = !one_in(4);
    if (!one_in(3)) cleanup.facts.finalizers = {std::string(olm::kCleanupFinalizer)};
    if (one_in(3)) cleanup.facts.deletion_timestamp = "2026-01-02T00:00:00Z";
    cleanup.facts.owned_crds.insert(one_in(2) ? "ks.x.io" : "ls.x.io");
    if (one_in(4)) cleanup.facts.required_crds.insert("ks.x.io");
    if (one_in(4)) cleanup.facts.replaces = one_in(2) ? "x" : "y";
    if (one_in(3)) cleanup.pending = {{"x.io", "K", one_in(2) ? "a" : "b", "k"}};
    return std::make_shared<const olm::CsvCleanup>(std::move(cleanup));
  }

  void WriteGroup(Etcd& etcd, const std::string& ns, unsigned kind, unsigned c) {
    // A second group in a namespace puts both out of force.
    const kube::NamespacedName key{ns, kind == 8 ? "second" : "group"};
    if (kind == 4 || (kind == 8 && c % 2 == 0)) {
      return etcd.Put(storage::kOperatorGroupSource, key, nullptr);
    }
    auto group = std::make_shared<olm::OperatorGroup>();
    group->key = key;
    group->uid = key.ns + key.name;
    switch (c % 5) {
      case 0:
        break;  // all
      case 1:
        group->target_namespaces = {"a", "b"};
        break;
      case 2:
        group->target_namespaces = {ns};
        break;
      default:
        group->selector = *kube::LabelSelector::Parse(c % 5 == 3 ? "p" : "q");
    }
    if (c / 5 % 3 != 0) group->synced = {{c / 5 % 3 == 1 ? "" : "a"}};
    group->deleting = c / 15 % 5 == 0;
    group->written.revision = etcd.revision + 1;
    etcd.Put(storage::kOperatorGroupSource, key, olm::OperatorGroupPtr(std::move(group)));
  }

  void WriteNamespace(Etcd& etcd, const std::string& name, unsigned kind, unsigned c) {
    const kube::NamespacedName key{"", name};
    if (kind == 9) return etcd.Put(storage::kNamespaceSource, key, nullptr);
    kube::LabelMap labels;
    if (c & 1) labels["p"] = "";
    if (c & 2) labels["q"] = "";
    const auto old = etcd.Find<olm::Namespace>(storage::kNamespaceSource, key);
    std::string uid = std::to_string(uid_);
    if (old != nullptr && kind > 10) uid = old->uid;
    PutNamespace(etcd, name, std::move(labels), std::move(uid));
  }

  void PutNamespace(Etcd& etcd, const std::string& name, kube::LabelMap labels, std::string uid) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = name;
    ns->uid = std::move(uid);
    ns->created = "2026-01-01T00:00:00Z";
    ns->labels = std::move(labels);
    ns->terminating = uid_ % 4 == 1;
    ns->written.revision = etcd.revision + 1;
    etcd.Put(storage::kNamespaceSource, {"", name}, olm::NamespacePtr(std::move(ns)));
  }

  uint64_t uid_ = 0;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_TESTING_OPERATOR_WRITES_H_
