// A World for tests of views, described in a few lines. Not thread-safe.
#ifndef APISERVER_VIEWS_TESTING_TEST_WORLD_H_
#define APISERVER_VIEWS_TESTING_TEST_WORLD_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/selector.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::views {

// Each call makes one change at the next revision. UIDs are "<kind>-<namespace>-<name>"; objects
// are created at midnight of the given day, in January 2026.
class TestWorld {
 public:
  TestWorld() {
    writer_.Replace(std::vector<olm::CsvPtr>{}, 10);
    writer_.Replace(std::vector<olm::OperatorGroupPtr>{}, 10);
    writer_.Replace(std::vector<olm::NamespacePtr>{}, 10);
  }

  TestWorld& Namespace(const std::string& name, kube::LabelMap labels = {}, int day = 1) {
    auto ns = std::make_shared<olm::Namespace>();
    ns->name = name;
    ns->uid = "ns--" + name;
    ns->created = Day(day);
    ns->labels = std::move(labels);
    ns->written.revision = ++revision_;
    writer_.Put(std::move(ns), revision_);
    return *this;
  }

  TestWorld& Group(const std::string& ns, const std::string& name, std::vector<std::string> list,
                   const char* selector = nullptr) {
    auto group = std::make_shared<olm::OperatorGroup>();
    group->key = {ns, name};
    group->uid = "og-" + ns + "-" + name;
    group->target_namespaces = std::move(list);
    if (selector != nullptr) group->selector = *kube::LabelSelector::Parse(selector);
    group->written.revision = ++revision_;
    writer_.Put(std::move(group), revision_);
    return *this;
  }

  struct CsvOptions {
    const char* phase = "Succeeded";
    const char* reason = "InstallSucceeded";
    kube::LabelMap labels = {};
    bool copied = false;
    int day = 1;
  };
  TestWorld& Csv(const std::string& ns, const std::string& name, const CsvOptions& options) {
    auto csv = std::make_shared<olm::Csv>();
    csv->key = {ns, name};
    csv->uid = "csv-" + ns + "-" + name;
    csv->created = Day(options.day);
    csv->phase = options.phase;
    csv->reason = options.reason;
    csv->copied = options.copied;
    csv->labels = options.labels;
    csv->spec_json = "{}";
    csv->written.revision = ++revision_;
    writer_.Put(std::move(csv), revision_);
    return *this;
  }
  TestWorld& Csv(const std::string& ns, const std::string& name) {
    return Csv(ns, name, CsvOptions());
  }
  // Adds a ClusterServiceVersion as the API server would send it.
  TestWorld& CsvJson(const std::string& json) {
    writer_.Put(*olm::DecodeCsv(json), ++revision_);
    return *this;
  }

  TestWorld& GroupJson(const std::string& json) {
    writer_.Put(*olm::DecodeOperatorGroup(json), ++revision_);
    return *this;
  }

  storage::OperatorWriter& writer() { return writer_; }
  uint64_t revision() const { return revision_; }
  storage::OperatorWorldPtr Snapshot() const { return writer_.Snapshot(); }

 private:
  static std::string Day(int day) {
    return "2026-01-" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "T00:00:00Z";
  }

  storage::OperatorWriter writer_;
  uint64_t revision_ = 10;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_TESTING_TEST_WORLD_H_
