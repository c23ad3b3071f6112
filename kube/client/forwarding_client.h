// Bases of the clients that pass calls on to another client and change some of them. Thread-safe
// where the other client is.
#ifndef KUBE_CLIENT_FORWARDING_CLIENT_H_
#define KUBE_CLIENT_FORWARDING_CLIENT_H_

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::kube {

// Forwards the reads alone. Every write stays pure virtual, also a write that Client may gain
// later: a client that must stop or see each write derives from this class, and does not compile
// until it handles the new one. Only calls that cannot change anything belong here. As does not
// belong here: the inner client's As would return a client that lets each write pass.
class ForwardingReads : public Client {
 public:
  // REQUIRES: `inner` outlives this object and its calls.
  explicit ForwardingReads(Client& inner) : inner_(inner) {}

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override;
  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override;
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override;
  Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) override;
  Task<std::vector<GroupVersion>> DiscoverGroups() override;
  Task<std::string> ServerVersion() override;
  Task<absl::Time> ServerTime() override;

 protected:
  Client& inner() const { return inner_; }

 private:
  Client& inner_;
};

// One write of a Client, with its arguments. The arguments outlive it.
struct ClientWrite {
  enum class Verb { kCreate, kUpdate, kPatch, kDelete };
  Verb verb;
  const GroupVersionResource& gvr;
  NamespacedName name;                         // of kCreate the namespace alone; not of kUpdate
  const boost::json::value* object = nullptr;  // the patch of kPatch; not of kDelete
  PatchType patch_type = PatchType::kJsonMerge;
  WriteOptions options = {};          // not of kDelete
  DeleteOptions delete_options = {};  // of kDelete

  // Makes the write on `client`.
  Task<boost::json::value> SendTo(Client& client) const;
  void MakeDryRun() { options.dry_run = delete_options.dry_run = true; }
  // The may_send of the options that `verb` uses.
  SendCheck& may_send() {
    return verb == Verb::kDelete ? delete_options.may_send : options.may_send;
  }
};

// Forwards the reads; all writes go through the function Write, which decides about them. A write
// that Client may gain later does not compile until it goes through Write, too.
class InterceptingClient : public ForwardingReads {
 public:
  using ForwardingReads::ForwardingReads;

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

 protected:
  // The arguments of `write` outlive the call.
  virtual Task<boost::json::value> Write(ClientWrite write) = 0;
};

// Forwards every call; subclasses override what they change. Subclasses must implement As, because
// the client that the inner client's As returns would lack their changes.
class ForwardingClient : public InterceptingClient {
 public:
  using InterceptingClient::InterceptingClient;

 protected:
  Task<boost::json::value> Write(ClientWrite write) override;
};

}  // namespace steward::kube

#endif  // KUBE_CLIENT_FORWARDING_CLIENT_H_
