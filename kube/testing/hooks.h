// The hooks with which a test observes a client's calls and decides about them (hook_client.h). Not
// thread-safe.
#ifndef KUBE_TESTING_HOOKS_H_
#define KUBE_TESTING_HOOKS_H_

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fault_script.h"

namespace steward::kube {

// A call as it is made. Its pointers are valid until the call ends.
struct HookedCall {
  ClientVerb verb;
  GroupVersionResource gvr;  // a discovery has no resource
  NamespacedName name;       // a list has only the namespace
  std::string as;            // the user as which the call is made; "" = the client's own
  const boost::json::value* body = nullptr;  // of a create, update or patch
  const ListOptions* list = nullptr;         // of a list
  const WriteOptions* write = nullptr;       // of a create, update or patch
  const DeleteOptions* deletion = nullptr;   // of a deletion
  bool dry_run = false;

  bool IsWrite() const { return write != nullptr || deletion != nullptr; }
  // Returns true for a write that is not a dry run.
  bool writes() const { return IsWrite() && !dry_run; }
  absl::Status MaySend() const;
};

struct HookedFate {
  enum Kind {
    kPass,
    kLose,       // the call is made, then reported as kUnavailable
    kHold,       // a DELETE that ends as kUnavailable, and that Hooks::Hold may carry out later
    kDieBefore,  // the process ends, and nothing was sent
    kDieAfter,   // the call is made, and the process ends before it sees the answer
  };
  HookedFate(Kind k = kPass) : kind(k) {}
  HookedFate(absl::Status e) : error(std::move(e)) {}

  Kind kind = kPass;
  absl::Status error;  // not OK: the call is not made and fails with this error
  // The time that the call waits before its bytes leave, as for a connection or a busy server.
  // Timers do not fire meanwhile, as if the machine were suspended.
  absl::Duration delay;

  bool passes() const { return kind == kPass && error.ok(); }
};

// Thrown in a process that has died, to keep it from going on.
struct ProcessKilled {};

// The hooks of a client. Events of watches are not hooked.
class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual boost::asio::awaitable<HookedFate> Before(const HookedCall& call) = 0;
  virtual void Wait(absl::Duration) {}
  // Called when the bytes of a call leave.
  virtual void Leaves(const HookedCall&) {}
  // Called for the fate kHold: the bytes are on their way.
  virtual void Hold(const HookedCall&) {}
  // Called after a call that was made, with its true outcome, whatever the caller receives.
  virtual VoidTask After(const HookedCall&, const absl::Status& outcome);
  // Ends the process: does not return.
  virtual VoidTask Die();
  // Returns true if each call of the inner client, which may work on other threads, must complete
  // before anything else happens.
  virtual bool AtOnce() const { return false; }
};

// Hooks for the usual case.
struct Hook : Hooks {
  // Null: every call passes.
  std::function<HookedFate(const HookedCall& call)> decide;
  // True if `decide` is also asked about dry runs.
  bool sees_dry_runs = true;
  // The executor of the process, which ends when it dies. Null: it cannot die.
  boost::asio::io_context* process = nullptr;
  bool died = false;

  boost::asio::awaitable<HookedFate> Before(const HookedCall& call) override;
  VoidTask Die() override;
  bool AtOnce() const override { return process != nullptr; }
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_HOOKS_H_
