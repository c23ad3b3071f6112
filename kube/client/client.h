// The interface to a Kubernetes API server. A Client is thread-safe, a Watch is not. The REST
// client, the embedded store and the misbehaving test client all implement it.
#ifndef KUBE_CLIENT_CLIENT_H_
#define KUBE_CLIENT_CLIENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// A JSON object as the server sent it. At least kPadding readable bytes follow the view (simdjson's
// need); they lie in the buffer that `owner` keeps alive.
struct RawObject {
  static constexpr size_t kPadding = 64;
  std::string_view json;
  std::shared_ptr<const void> owner;
};

struct ListOptions {
  std::string ns;  // "" = all namespaces, or a cluster-scoped resource
  std::string label_selector;
  std::string field_selector;
  int64_t limit = 0;  // 0 = no paging
  // The limit of the answer's bytes; a larger answer is kResourceExhausted. 0 = the client's own
  // limit, which no larger value can raise.
  size_t max_bytes = 0;
  std::string continue_token;
  std::string resource_version;
  std::string resource_version_match;
  // Requests just apiVersion, kind and metadata of each object (PartialObjectMetadata, whose name
  // then stands for the kind). A server may send whole objects all the same.
  bool metadata_only = false;
};

struct ListPage {
  std::string resource_version;
  std::string continue_token;  // "" = last page
  std::vector<RawObject> items;
};

struct WatchOptions {
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  // Requests the events strictly after this version. "" or "0": first an ADDED for each existing
  // object.
  std::string resource_version;
  // Even with a resource_version, each existing object is first sent as ADDED, then a bookmark
  // whose metadata has the annotation k8s.io/initial-events-end (KEP-3157).
  bool send_initial_events = false;
  bool metadata_only = false;  // as in ListOptions
  absl::Duration timeout = absl::Minutes(5);
};

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };
  Type type;
  std::string resource_version;  // of the object
  RawObject object;              // a bookmark's carries metadata.resourceVersion only
};

// A running watch. Not thread-safe; destroying it ends the watch.
class Watch {
 public:
  virtual ~Watch() = default;
  // The next event; nullopt when the server ended the stream cleanly. Errors: an ERROR event's
  // Status (410 has reason Expired); kUnavailable for a broken stream; kDeadlineExceeded for
  // silence beyond the client's limit; kDataLoss for an undecodable stream, which would fail again
  // after resuming. After an error, a nullopt or a cancelled call the watch is over: nullopt.
  virtual Task<std::optional<WatchEvent>> Next() = 0;
};

// A resource that a server serves under a group and version.
struct ApiResource {
  std::string kind;
  std::string resource;  // plural
  bool namespaced = true;
  std::vector<std::string> verbs;

  bool operator==(const ApiResource&) const = default;
};

// Errors carry the server's Status as payload (kube/meta/status.h). If the answer had no Status,
// the client makes one with the cause UnexpectedServerResponse, whose message quotes the beginning
// of the answer. Errors without payload: kUnavailable (the server was not reached),
// kDeadlineExceeded (a time limit expired), kDataLoss (undecodable answer), kResourceExhausted
// (answer beyond a size limit). Calls are cancellable.
//
// A write whose answer is lost (kUnavailable, kDeadlineExceeded, cancelled) may have happened. The
// client itself sends no write again unless the server refused to process it (429, 401), and calls
// the may_send of its options before each try.
//
// Thread-safe: call from a coroutine on any executor; the answer arrives on that executor. A call
// does nothing before it is awaited, so a caller may still check something after making the task.
// Arguments passed by reference must outlive the call.
class Client {
 public:
  virtual ~Client() = default;

  // `name` of a namespaced resource needs `ns`.
  virtual Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) = 0;
  virtual Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) = 0;
  // Always requests bookmarks. Returns when the server has accepted the watch.
  virtual Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                                  const WatchOptions& options) = 0;
  // POST; `ns` "" = cluster-scoped. Returns the server's answer: the created object, or a review
  // with its status.
  virtual Task<boost::json::value> Create(const GroupVersionResource& gvr, const std::string& ns,
                                          const boost::json::value& object,
                                          const WriteOptions& options) = 0;
  // PUT of the whole object, named by its metadata. With metadata.resourceVersion: 409 Conflict
  // when the object has changed since. Returns the object in its new state.
  virtual Task<boost::json::value> Update(const GroupVersionResource& gvr,
                                          const boost::json::value& object,
                                          const WriteOptions& options) = 0;
  // PATCH. A resourceVersion in the patch's metadata is a precondition (409), and so is a uid (422:
  // a kube-apiserver treats it as a change). 415 for a type that the server does not accept for the
  // resource.
  virtual Task<boost::json::value> Patch(const GroupVersionResource& gvr,
                                         const NamespacedName& name, PatchType type,
                                         const boost::json::value& patch,
                                         const WriteOptions& options) = 0;
  // Returns the object when it is only marked (finalizers are pending), else the object's last
  // state or a Status of success: servers differ.
  virtual Task<boost::json::value> Delete(const GroupVersionResource& gvr,
                                          const NamespacedName& name,
                                          const DeleteOptions& options) = 0;
  // Returns the resources that the server serves under a group and version, without subresources.
  // An error for which IsNotServed (kube/meta/errors.h) is true means that the server does not
  // serve `gv`; any other error says nothing about what is served.
  virtual Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) = 0;
  // Every group and version that the server serves; those of one group stand together, the
  // preferred version first.
  virtual Task<std::vector<GroupVersion>> DiscoverGroups() = 0;

  // The version of Kubernetes that the server says it is, "v1.36.0". kUnimplemented for a client
  // that speaks to no server.
  virtual Task<std::string> ServerVersion();
  // The server's current time, to the second, by the clock that also gives the times in its
  // objects' status. kUnimplemented for a client that speaks to no server, kDataLoss where the
  // server does not say its time.
  virtual Task<absl::Time> ServerTime();

  // A client whose reads and writes act as `user`. This client's own user needs the right to
  // impersonate that user; the connections are the same. `user.until` is ignored. As() of the new
  // client again uses the right of the original user. The new client never acts as the user "", as
  // a member of the group system:masters, or as a user that HTTP headers cannot express: then each
  // call is kInvalidArgument, and nothing is sent.
  //
  // A kube-apiserver adds system:authenticated to the groups; to a service account
  // (system:serviceaccount:NAMESPACE:NAME) it adds the groups of service accounts only if `groups`
  // are empty.
  //
  // REQUIRES: this client, and those that it was made of, outlive the new one.
  virtual std::unique_ptr<Client> As(const UserInfo& user) = 0;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_CLIENT_H_
