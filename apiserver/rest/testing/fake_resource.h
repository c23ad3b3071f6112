// A resource of a few objects in memory: widgets (example.com/v1). Not thread-safe.
#ifndef APISERVER_REST_TESTING_FAKE_RESOURCE_H_
#define APISERVER_REST_TESTING_FAKE_RESOURCE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"

namespace steward::rest {

class FakeObject : public Object {
 public:
  FakeObject(std::string ns, std::string name, kube::LabelMap labels = {}, std::string note = "");

  std::string_view ns() const override { return ns_; }
  std::string_view name() const override { return name_; }
  // Gives the object a version of its own.
  void SetVersion(std::string version) { version_ = std::move(version); }
  std::string OwnVersion() const override { return version_; }
  // From now on the note is spliced in, like text that many objects share.
  void ShareNote() { shares_note_ = true; }
  void AppendJson(std::string_view resource_version, Rope& out) const override;
  void AppendMetadata(std::string_view resource_version, Rope& out) const override;
  // The cells are the name, and the length of the note as an integer.
  void AppendCells(std::string& out) const override;

  const kube::LabelMap& labels() const { return labels_; }

 private:
  std::string ns_, name_;
  kube::LabelMap labels_;
  std::string note_;  // spec.note
  bool shares_note_ = false;
  std::string version_;
};

// Includes the blob "picture" of each object.
class FakeResource : public Getter, public Lister, public BlobGetter {
 public:
  explicit FakeResource(std::vector<FakeObject> objects);

  // The resource with every capability. `this` outlives it.
  Resource Definition();

  Task<Reading> Get(const kube::NamespacedName& name, const ReadOptions& options) override;
  Task<Reading> List(const Selection& selection, const ReadOptions& options) override;
  Task<Blob> GetBlob(const kube::NamespacedName& name) override;

  // Makes every later call fail with `status`; OK = as usual.
  void Fail(absl::Status status) { failure_ = std::move(status); }
  // Adds this warning to every later answer.
  void Warn(std::string warning) { warning_ = std::move(warning); }
  // Makes the cursors of later lists return null once before each object.
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
