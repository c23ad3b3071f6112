// A pool of places that flows share fairly, with bounded queues. Not thread-safe.
#ifndef BASE_FAIRNESS_FAIR_POOL_H_
#define BASE_FAIRNESS_FAIR_POOL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "base/fairness/reserve.h"

namespace steward {

// A pure state machine, without time or threads.
//
// A place that becomes free goes to the waiting flow that holds the fewest places, and among equals
// to the one that has waited longest. So flows that want more places than there are get the same
// number each; a flow that wants less waits for no more than the next place. If there is a reserve
// (an eighth of the places), it is for flows that hold few. All other places are in use as long as
// a flow waits that may hold more; a flow that is alone gets all of them.
//
// Queues are bounded. When all of them together are full, a newcomer displaces the newest entry of
// the longest queue, unless the newcomer's own queue would then be as long. So a flow that queues a
// lot cannot keep other flows out.
class FairPool {
 public:
  struct Limits {
    size_t places = 1;
    size_t places_per_flow = 0;  // the most that one flow may hold; 0 = all
    size_t waiting_per_flow = 0;
    size_t waiting = 0;    // of all flows together
    bool reserve = false;  // see Reserve
  };
  // Identifies a request that holds a place or waits. Never reused.
  using Ticket = uint64_t;

  enum class Answer { kAdmitted, kWaits, kRefused };
  struct Entry {
    Answer answer = Answer::kRefused;
    Ticket ticket = 0;  // unless refused
    // an entry that waited, and is refused now in favour of the new one
    std::optional<Ticket> displaced;
  };

  // REQUIRES: limits.places > 0.
  explicit FairPool(Limits limits) : limits_(limits), reserve_(limits.places) {}

  // O(log flows), like Leave.
  Entry Enter(const std::string& flow);
  // Gives a place back, or leaves the queue. Returns the ticket that is given a place as a result,
  // if any. REQUIRES: the ticket was given and has not left or been displaced.
  std::optional<Ticket> Leave(Ticket ticket);

  size_t held() const { return held_; }
  size_t waiting() const { return waiting_; }
  size_t flows() const { return flows_.size(); }  // flows that hold a place or wait

 private:
  struct Flow {
    std::string name;
    size_t held = 0;
    std::set<Ticket> waiting;  // oldest first
  };
  // The number by which a flow is ranked; a ticket of its queue, by which flows with equal numbers
  // are ordered; and the flow.
  using Rank = std::tuple<size_t, Ticket, Flow*>;

  // A flow must leave the ranks before its numbers change, and return to them afterwards.
  void Unrank(Flow& flow);
  void Rerank(Flow& flow);
  bool HasPlaceFor(const Flow& flow) const;
  std::optional<Ticket> Displace(const Flow& newcomer);
  std::optional<Ticket> GiveFreePlace();

  const Limits limits_;
  const Reserve reserve_;
  Ticket last_ = 0;
  size_t held_ = 0;
  size_t waiting_ = 0;
  absl::node_hash_map<std::string, Flow> flows_;
  absl::flat_hash_map<Ticket, Flow*> flow_of_;
  // Ranks of the flows that wait:
  std::set<Rank> by_held_;    // by the places they hold, then by their oldest ticket
  std::set<Rank> by_length_;  // by the length of their queue, then by their newest ticket
};

}  // namespace steward

#endif  // BASE_FAIRNESS_FAIR_POOL_H_
