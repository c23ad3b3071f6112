// A resource over a handful of objects in memory: widgets (example.com/v1).
#ifndef APISERVER_REST_TESTING_FAKE_RESOURCE_H_
#define APISERVER_REST_TESTING_FAKE_RESOURCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/resource.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"

namespace steward::rest {

class FakeObject : public Object {
 public:
  FakeObject(std::string ns, std::string name, kube::LabelMap labels = {}, std::string note = "");

  std::string_view ns() const override { return ns_; }
  std::string_view name() const override { return name_; }
  // From now on the note is spliced in, as what many objects have in common.
  void ShareNote() { shares_note_ = true; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  // Name, and the length of the note as an integer.
  void AppendCells(std::string& out) const override;

  const kube::LabelMap& labels() const { return labels_; }

 private:
  std::string ns_, name_;
  kube::LabelMap labels_;
  std::string note_;  // spec.note
  bool shares_note_ = false;
};

// Also the blob "picture" of each object. Not thread-safe.
class FakeResource : public Getter, public Lister, public BlobGetter {
 public:
  explicit FakeResource(std::vector<FakeObject> objects);

  // With every capability. `this` outlives it.
  Resource Definition();

  Task<Reading> Get(const kube::NamespacedName& name, const ReadOptions& options) override;
  Task<Reading> List(const Selection& selection, const ReadOptions& options) override;
  Task<Blob> GetBlob(const kube::NamespacedName& name) override;

  // What every call answers from now on; OK = as usual.
  void Fail(absl::Status status) { failure_ = std::move(status); }
  // Every answer carries this warning from now on.
  void Warn(std::string warning) { warning_ = std::move(warning); }
  // From now on, the cursors of lists say "none now" before each object.
  void Pause() { pauses_ = true; }
  int calls() const { return calls_; }
  const Selection& last_selection() const { return last_selection_; }
  const ReadOptions& last_options() const { return last_options_; }

  static constexpr std::string_view kResourceVersion = "77";

 private:
  std::vector<FakeObject> objects_;  // in (namespace, name) order
  absl::Status failure_;
  std::string warning_;
  bool pauses_ = false;
  int calls_ = 0;
  Selection last_selection_;
  ReadOptions last_options_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_TESTING_FAKE_RESOURCE_H_
