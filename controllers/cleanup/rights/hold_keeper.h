// Holds operators' cluster-wide rights and webhooks while they are opted in, and lets go of them.
#ifndef CONTROLLERS_CLEANUP_RIGHTS_HOLD_KEEPER_H_
#define CONTROLLERS_CLEANUP_RIGHTS_HOLD_KEEPER_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/object_facts.h"

namespace steward::controllers {

// An object that is held or should be.
struct HeldObject {
  kube::GroupVersionResource gvr;
  olm::ObjectFacts facts;
};

// What is there for one ClusterServiceVersion.
struct HoldState {
  std::vector<HeldObject> objects;  // those that OLM made for it, as they were when listed
  size_t held() const;
  std::vector<olm::ObjectFacts> facts() const;
};

struct SweepResult {
  size_t added = 0;
  size_t released = 0;
  // The first of what could not be read or written; all else was done.
  absl::Status failure;
  // ClusterServiceVersions to be looked at: those whose rights were just held, which their status
  // is to say, and those that are being deleted and wait for us.
  std::set<kube::NamespacedName> look_at;
};

// Level-based (R-000-73): nothing is remembered. Every write names the resourceVersion that it was
// decided by. Calls may overlap; the executors that they are on run one handler at a time.
class HoldKeeper {
 public:
  // `width`: lists at a time. REQUIRES: `client` outlives this object and its calls.
  explicit HoldKeeper(kube::Client& client, size_t width = 4) : client_(client), width_(width) {}

  // Live. An error when any of the kinds could not be listed; a kind that the cluster does not
  // serve has no objects, and neither has a name that no label can carry.
  Task<HoldState> Look(kube::NamespacedName csv);

  // Adds what is missing on the objects of `state`, which were listed before `csv` was read, and
  // lets go of what an administrator revoked. The first failure; the others are tried all the same.
  // What changed meanwhile (409, 404) is no failure: the next look sees it.
  StatusTask Hold(const olm::CsvFacts& csv, const HoldState& state);
  // Lets go of all of them.
  StatusTask Release(const HoldState& state);

  // Every object of the cluster: adds holds that are missing, and lets go of those whose operator
  // is gone, replaced or not opted in, or whose object was deleted before its operator. Adds
  // nothing for one that is being deleted. An operator that is in no list is read by itself before
  // anything of it is let go of, once a sweep: nobody may know yet that it waits (CsvLister). One
  // object, operator or kind that fails keeps no other from being swept; without a list of the
  // operators nothing is.
  boost::asio::awaitable<SweepResult> Sweep(CsvLister& csvs);
  // Lets go of everything that is held, for whomever: before Steward is uninstalled.
  boost::asio::awaitable<SweepResult> ReleaseAll();

 private:
  // All that can be listed, and the first failure.
  StatusTask ListAll(std::string selector, std::vector<HeldObject>& objects);
  VoidTask ListKind(kube::GroupVersionResource kind, std::string selector,
                    std::vector<HeldObject>& objects, absl::Status& outcome);
  StatusTask SetHold(const HeldObject& object, bool held);
  Task<bool> HasChanged(const HeldObject& object);
  // Reads those who something is held for and who are in no list.
  struct Owners;
  VoidTask FindUnlisted(CsvLister& csvs, const std::vector<HeldObject>& objects, Owners& owners);

  kube::Client& client_;
  const size_t width_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_RIGHTS_HOLD_KEEPER_H_
