// One run of one case: its calls, its expectations and its complaints. Used by one thread.
//
// Calls block, so that a case reads from top to bottom. A failed expectation is recorded and the
// case goes on; every function here tolerates absent values.
#ifndef KUBE_TESTING_CONFORMANCE_TRIAL_H_
#define KUBE_TESTING_CONFORMANCE_TRIAL_H_

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/testing/conformance/server.h"

namespace steward::kube::conformance {

using Answer = absl::StatusOr<boost::json::value>;

struct Listed {
  std::string resource_version;
  std::string continue_token;
  std::vector<boost::json::value> items;
};

// An event, or "END" or "ERROR" when none came.
struct Event {
  std::string type;  // "ADDED", ...
  boost::json::value object;
  absl::Status error;
};

class Trial {
 public:
  explicit Trial(Server& server);
  // Deletes everything that the trial has created.
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Server& server() { return server_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

  // --- Names, namespaces and definitions.

  // Returns "conf-" and hexadecimal digits: a DNS label that differs from that of every other
  // trial.
  const std::string& id() const { return id_; }
  // Creates a new namespace and returns its name.
  std::string Namespace();
  // Returns a served, namespaced custom resource with status and without a schema: the one that the
  // server's cases share, or else the trial's own.
  const GroupVersionResource& Widgets();
  // Returns the trial's own resource of this form.
  const GroupVersionResource& OwnWidgets();
  // Creates the definition and waits until each version it serves can be listed.
  void Define(const boost::json::value& definition);
  // Registers an object to be deleted at the end of the trial.
  void Created(const GroupVersionResource& gvr, const std::string& name);

  // --- Calls.

  Answer Get(const GroupVersionResource& gvr, const NamespacedName& name);
  absl::StatusOr<Listed> List(const GroupVersionResource& gvr, const ListOptions& options);
  Answer Create(const GroupVersionResource& gvr, const std::string& ns,
                const boost::json::value& object, const WriteOptions& options = {});
  Answer Update(const GroupVersionResource& gvr, const boost::json::value& object,
                const WriteOptions& options = {});
  Answer Patch(const GroupVersionResource& gvr, const NamespacedName& name,
               const boost::json::value& patch, PatchType type = PatchType::kJsonMerge,
               const WriteOptions& options = {});
  Answer Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                const DeleteOptions& options = {});
  absl::StatusOr<std::vector<ApiResource>> Discover(const GroupVersion& gv);
  absl::StatusOr<std::vector<GroupVersion>> DiscoverGroups();
  std::unique_ptr<Watch> StartWatch(const GroupVersionResource& gvr, const WatchOptions& options);
  // Returns the first event of a watch that is not a bookmark; a refusal counts as an ERROR.
  Event FirstOf(const GroupVersionResource& gvr, const WatchOptions& options);
  // Returns the next event that is not a bookmark, within ten seconds.
  Event Next(const std::unique_ptr<Watch>& watch);
  // Returns the next event, bookmarks included.
  Event NextOfAll(const std::unique_ptr<Watch>& watch, absl::Duration patience = absl::Seconds(10));

  // --- Expectations.

  void True(std::string_view what, bool holds);
  void Eq(std::string_view what, std::string_view actual, std::string_view expected);
  // Expects success; returns the answer, or null.
  boost::json::value Ok(std::string_view what, const Answer& answer);
  Listed Ok(std::string_view what, const absl::StatusOr<Listed>& answer);
  // Expects a Kubernetes Status with this code and reason, whose message contains `message`.
  void Fails(std::string_view what, const absl::Status& status, int code, std::string_view reason,
             std::string_view message = "");
  void Fails(std::string_view what, const Answer& answer, int code, std::string_view reason,
             std::string_view message = "");
  void Fails(std::string_view what, const absl::StatusOr<Listed>& answer, int code,
             std::string_view reason, std::string_view message = "");
  void RefusesWatch(std::string_view what, const GroupVersionResource& gvr,
                    const WatchOptions& options, int code, std::string_view reason,
                    std::string_view message = "");
  // Expects an event of this type, about the object of this name, and returns the object.
  boost::json::value Told(std::string_view what, const Event& event, std::string_view type,
                          std::string_view name);
  // Repeats `holds` until it is true, for half a minute at most.
  void Eventually(std::string_view what, const std::function<bool()>& holds);

 private:
  struct Made {
    GroupVersionResource gvr;
    std::string name;
  };

  void Complain(std::string text);

  Server& server_;
  const std::string id_;
  int namespaces_ = 0;
  std::optional<GroupVersionResource> widgets_;
  std::vector<Made> made_;
  std::vector<std::string> complaints_;
};

}  // namespace steward::kube::conformance

#endif  // KUBE_TESTING_CONFORMANCE_TRIAL_H_
