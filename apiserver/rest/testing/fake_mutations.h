// The writing verbs of widgets, which record their calls and change nothing. Not thread-safe.
#ifndef APISERVER_REST_TESTING_FAKE_MUTATIONS_H_
#define APISERVER_REST_TESTING_FAKE_MUTATIONS_H_

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/rest/resource/mutation.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

// Answers each call with the widget (ns, name) at version 78, whose note is the verb. Create takes
// the name from the object's metadata.
class FakeMutations : public Creator, public Updater, public Patcher, public Deleter {
 public:
  struct Call {
    std::string verb;
    kube::NamespacedName name;
    boost::json::value body;
    kube::WriteOptions options;
    std::optional<kube::PatchType> patch_type;
    kube::DeleteOptions delete_options;
  };

  // Adds all verbs, every patch type, and the subresource "status" with get, update and patch.
  // `this` outlives `resource`.
  void AddTo(Resource& resource);

  Task<WriteResult> Create(const std::string& ns, boost::json::value object,
                           const kube::WriteOptions& options) override;
  Task<WriteResult> Update(const kube::NamespacedName& name, boost::json::value object,
                           const kube::WriteOptions& options) override;
  Task<WriteResult> Patch(const kube::NamespacedName& name, kube::PatchType type,
                          boost::json::value patch, const kube::WriteOptions& options) override;
  Task<WriteResult> Delete(const kube::NamespacedName& name,
                           const kube::DeleteOptions& options) override;

  const std::vector<Call>& calls() const { return calls_; }
  // Makes every later call fail with `status`; OK = as usual.
  void Fail(absl::Status status) { failure_ = std::move(status); }
  // Make later calls answer with a Status instead of the object, or with these warnings.
  void AnswerStatus(std::string json) { status_json_ = std::move(json); }
  void Warn(std::vector<std::string> warnings) { warnings_ = std::move(warnings); }

 private:
  absl::StatusOr<WriteResult> Answer(Call call);

  std::vector<Call> calls_;
  absl::Status failure_;
  std::string status_json_;
  std::vector<std::string> warnings_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_TESTING_FAKE_MUTATIONS_H_
