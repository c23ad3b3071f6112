// A cluster in memory that misbehaves on command. Thread-safe.
//
//   FakeClient cluster;
//   cluster.Serve(kWidgets);
//   cluster.Put(kWidgets, R"({"metadata":{"name":"a"}})");
//   cluster.FailNext(FakeClient::Verb::kList, kWidgets, kube::ToStatus(kube::Timeout("busy", 1)));
#ifndef KUBE_TESTING_FAKE_CLIENT_H_
#define KUBE_TESTING_FAKE_CLIENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fault_script.h"

namespace steward::kube {

// As in etcd, one revision counts the changes of all resources. Lists are consistent, and all pages
// of a list have one revision. A watch delivers every change of its resource after the revision at
// which it began, and waits for a revision of the future. Resources are absent (404) until served.
// resourceVersionMatch NotOlderThan is not supported: kInvalidArgument.
//
// Every resource has a status subresource, the only way to change status. Patches are merge patches
// and server-side applies (415 for others). An apply is that of a kind without a schema
// (fake_apply.h), and of the main resource only; other writes own no fields. All timestamps are the
// same. Finalizers are honoured, also those of foreground and orphan deletion, which the cluster
// never removes by itself. Nothing is validated.
//
// The callers' executors must run one handler at a time.
class FakeClient : public Client {
 public:
  using Verb = ClientVerb;

  FakeClient();
  // REQUIRES: no call is running; watches may outlive the client.
  ~FakeClient() override;

  // --- The cluster's contents.

  void Serve(const GroupVersionResource& gvr);
  // Removes the resource type: objects are forgotten, watches end, every call is answered with 404.
  void Withdraw(const GroupVersionResource& gvr);
  // Sets the answer of Discover for a group version; for others it is 404.
  void Publish(const GroupVersion& gv, std::vector<ApiResource> resources);
  void Unpublish(const GroupVersion& gv);
  // Creates or replaces the object named by `json`'s metadata; sets resourceVersion and, where
  // missing, uid. Returns the new revision. REQUIRES: served; `json` parses.
  uint64_t Put(const GroupVersionResource& gvr, std::string_view json);
  // Returns the revision of the deletion. REQUIRES: the object exists.
  uint64_t Delete(const GroupVersionResource& gvr, const NamespacedName& name);
  // Advances the revision alone, as a change of something else would.
  uint64_t Touch();

  uint64_t revision() const;
  // Returns the objects by name, each as the JSON that a list would show.
  std::map<NamespacedName, std::string> Objects(const GroupVersionResource& gvr) const;

  // --- Misbehaviour. HookClient (hook_client.h) has more kinds, for any client.

  // Makes the next `times` calls fail with `error`; OK lets them through, to count up to a later
  // fault.
  void FailNext(Verb verb, const GroupVersionResource& gvr, absl::Status error, int times = 1);
  // Makes calls from now on wait until Release.
  void Hold(Verb verb, const GroupVersionResource& gvr);
  void Release(Verb verb, const GroupVersionResource& gvr);
  // Drops the faults not used yet and releases held calls.
  void ForgetFaults(const GroupVersionResource& gvr);
  // Forgets the history up to now: watches that begin before the current revision, and continue
  // tokens given out, are answered with 410. Running watches go on.
  void Expire(const GroupVersionResource& gvr);
  // Makes every running watch fail with `error`, after the events it has not read yet. With a
  // Kubernetes Status as payload, `error` equals an ERROR event.
  void BreakWatches(const GroupVersionResource& gvr,
                    absl::Status error = absl::UnavailableError("connection reset"));
  // Ends every running watch cleanly.
  void CloseWatches(const GroupVersionResource& gvr);
  // Sends a bookmark to every running watch, of the current revision unless another is given.
  void Bookmark(const GroupVersionResource& gvr, std::optional<uint64_t> revision = std::nullopt);
  // Sends an event unchanged to every running watch; the cluster's contents do not change.
  void SendEvent(const GroupVersionResource& gvr, WatchEvent event);
  // Answers creates of `gvr` from now on instead of storing the object, as for access reviews.
  using CreateHandler =
      std::function<absl::StatusOr<boost::json::value>(const boost::json::value& object)>;
  void HandleCreate(const GroupVersionResource& gvr, CreateHandler handler);
  // Makes lists with an answer larger than `max_bytes` fail with kResourceExhausted from now on.
  void LimitLists(const GroupVersionResource& gvr, size_t max_bytes);

  // --- Records of calls.

  // Returns the number of calls begun, failed ones included.
  int calls(Verb verb, const GroupVersionResource& gvr) const;
  // Returns the user as which the last such call was made (As); nullopt: the client's own, or no
  // call.
  std::optional<UserInfo> last_user(Verb verb, const GroupVersionResource& gvr) const;
  size_t running_watches(const GroupVersionResource& gvr) const;

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override;
  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override;
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override;
  Task<boost::json::value> Create(const GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const WriteOptions& options) override;
  Task<boost::json::value> Update(const GroupVersionResource& gvr, const boost::json::value& object,
                                  const WriteOptions& options) override;
  Task<boost::json::value> Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                 PatchType type, const boost::json::value& patch,
                                 const WriteOptions& options) override;
  Task<boost::json::value> Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                  const DeleteOptions& options) override;
  Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) override;
  // Returns the published group versions, sorted by name. Its faults are scripted as those of a
  // discovery of "".
  Task<std::vector<GroupVersion>> DiscoverGroups() override;
  // Returns a client of the same cluster, with the same faults and records. Rights are not checked.
  // The result may outlive this object.
  std::unique_ptr<Client> As(const UserInfo& user) override;

 private:
  struct State;
  FakeClient(std::shared_ptr<State> state, UserInfo user);

  std::shared_ptr<State> state_;
  std::optional<UserInfo> user_;  // the user as which calls are made
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAKE_CLIENT_H_
