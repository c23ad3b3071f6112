// Keeps holds on the cluster-wide rights and webhooks of opted-in operators. Calls may overlap;
// executors run one handler at a time.
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
#include "olm/object_facts.h"

namespace steward::controllers {

// An object that OLM made for an operator, held or not.
struct HeldObject {
  kube::GroupVersionResource gvr;
  olm::ObjectFacts facts;
};

// The objects of one ClusterServiceVersion.
struct HoldState {
  std::vector<HeldObject> objects;  // those that OLM made for it, in their listed state
  size_t held() const;
  std::vector<olm::ObjectFacts> facts() const;
};

struct SweepResult {
  size_t added = 0;
  size_t released = 0;
  // The first failed read or write; everything else was done.
  absl::Status failure;
  // ClusterServiceVersions to look at: those whose rights were just held, so that their status
  // reports it, and those that are being deleted and wait for Steward.
  std::set<kube::NamespacedName> look_at;
};

// Level-based (R-000-73): keeps no memory. Every write has the resourceVersion by which it was
// decided as a precondition.
class HoldKeeper {
 public:
  // `width`: lists at a time. REQUIRES: `client` outlives this object and its calls.
  explicit HoldKeeper(kube::Client& client, size_t width = 4) : client_(client), width_(width) {}

  // Lists the objects live. Fails when any of the kinds could not be listed. A kind that the
  // cluster does not serve has no objects, and a CSV whose name is not a valid label value has none
  // either.
  Task<HoldState> Look(kube::NamespacedName csv);

  // Adds missing holds to the objects of `state`, which were listed before `csv` was read, and
  // takes the hold off those that an administrator deleted. Returns the first failure, but tries
  // all objects. An object that changed meanwhile (409, 404) is not a failure, because the next
  // look sees it.
  StatusTask Hold(const olm::CsvFacts& csv, const HoldState& state);
  // Releases all objects of `state`.
  StatusTask Release(const HoldState& state);

  // Sweeps every object of the cluster: adds missing holds, and releases those whose operator is
  // gone, replaced or not opted in, or whose object was deleted before its operator. Adds no holds
  // for an operator that is being deleted. If an operator is in no list, it is read once in a sweep
  // before its objects are released, because the list may lack it although it waits (CsvLister). A
  // failure of one object, operator or kind does not keep others from being swept. Without a list
  // of the operators nothing is swept.
  boost::asio::awaitable<SweepResult> Sweep(CsvLister& csvs);
  // Releases all held objects of all operators. Used before Steward is uninstalled.
  boost::asio::awaitable<SweepResult> ReleaseAll();

 private:
  // Lists everything that can be listed, and returns the first failure.
  StatusTask ListAll(std::string selector, std::vector<HeldObject>& objects);
  VoidTask ListKind(kube::GroupVersionResource kind, std::string selector,
                    std::vector<HeldObject>& objects, absl::Status& outcome);
  StatusTask SetHold(const HeldObject& object, bool held);
  Task<bool> HasChanged(const HeldObject& object);
  // Reads the operators that have held objects and are in no list.
  struct Owners;
  VoidTask FindUnlisted(CsvLister& csvs, const std::vector<HeldObject>& objects, Owners& owners);

  kube::Client& client_;
  const size_t width_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_RIGHTS_HOLD_KEEPER_H_
