// One run of one case: the calls it makes, what it expects, what it found wrong.
//
// Calls block, so that a case reads from top to bottom. A failed expectation is noted and the case
// goes on; everything here bears with values that are not there.
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

// An event, or what came instead: "END" or "ERROR".
struct Event {
  std::string type;  // "ADDED", ...
  boost::json::value object;
  absl::Status error;
};

class Trial {
 public:
  explicit Trial(Server& server);
  // Deletes what the trial has made.
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Server& server() { return server_; }
  const std::vector<std::string>& complaints() const { return complaints_; }

  // --- Places to work in.

  // Unlike any other trial's: "conf-" and hexadecimal digits. A DNS label.
  const std::string& id() const { return id_; }
  // A new namespace; its name.
  std::string Namespace();
  // A namespaced custom resource with status and without any schema, served: the one that the
  // server's cases share, or
  const GroupVersionResource& Widgets();
  // the trial's own.
  const GroupVersionResource& OwnWidgets();
  // Creates the definition and waits until each version it serves can be listed.
  void Define(const boost::json::value& definition);
  // To be deleted in the end.
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
  std::unique_ptr<Watch> StartWatch(const GroupVersionResource& gvr, const WatchOptions& options);
  // The first event of a watch, but for bookmarks; a refusal counts as an ERROR.
  Event FirstOf(const GroupVersionResource& gvr, const WatchOptions& options);
  // The next one but for bookmarks, within ten seconds.
  Event Next(const std::unique_ptr<Watch>& watch);
  // Bookmarks too.
  Event NextOfAll(const std::unique_ptr<Watch>& watch, absl::Duration patience = absl::Seconds(10));

  // --- Expectations.

  void True(std::string_view what, bool holds);
  void Eq(std::string_view what, std::string_view actual, std::string_view expected);
  // The answer, or null.
  boost::json::value Ok(std::string_view what, const Answer& answer);
  Listed Ok(std::string_view what, const absl::StatusOr<Listed>& answer);
  // A Kubernetes Status with this code and reason, whose message contains `message`.
  void Fails(std::string_view what, const absl::Status& status, int code, std::string_view reason,
             std::string_view message = "");
  void Fails(std::string_view what, const Answer& answer, int code, std::string_view reason,
             std::string_view message = "");
  void Fails(std::string_view what, const absl::StatusOr<Listed>& answer, int code,
             std::string_view reason, std::string_view message = "");
  void RefusesWatch(std::string_view what, const GroupVersionResource& gvr,
                    const WatchOptions& options, int code, std::string_view reason,
                    std::string_view message = "");
  // An event of this type, about the object of this name. Returns it.
  boost::json::value Told(std::string_view what, const Event& event, std::string_view type,
                          std::string_view name);
  // Asks again and again, for half a minute.
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
