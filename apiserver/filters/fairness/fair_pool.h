// Places that flows share fairly, and the queues before them.
#ifndef APISERVER_FILTERS_FAIRNESS_FAIR_POOL_H_
#define APISERVER_FILTERS_FAIRNESS_FAIR_POOL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"

namespace steward::filters {

// A pure state machine: it knows neither time nor threads. Not thread-safe.
//
// A place that becomes free goes to the flow that holds the fewest of those that wait, and among
// equals to the one that has waited longest: flows that want more than there is get the same number
// of places each, and one that wants less waits for no more than the next place. A flow that is
// alone gets everything. Places are never kept free while somebody waits.
//
// Queues are bounded. When all of them together are full, a newcomer takes the room of the newest
// in the longest queue, unless its own would then be as long: nobody is kept out by those who queue
// a lot.
class FairPool {
 public:
  struct Limits {
    size_t places = 1;
    size_t waiting_per_flow = 0;
    size_t waiting = 0;  // of all flows together
  };
  // Names one who holds a place or waits. Never used again.
  using Ticket = uint64_t;

  enum class Answer { kAdmitted, kWaits, kRefused };
  struct Entry {
    Answer answer = Answer::kRefused;
    Ticket ticket = 0;                // unless refused
    std::optional<Ticket> displaced;  // waited until now, and is refused by that
  };

  // REQUIRES: limits.places > 0.
  explicit FairPool(Limits limits) : limits_(limits) {}

  // Costs O(log flows), as does Leave.
  Entry Enter(const std::string& flow);
  // One who holds a place gives it back, or one who waits does so no longer. Returns who gets a
  // place by that, if anybody. REQUIRES: the ticket was given and has not left or been displaced.
  std::optional<Ticket> Leave(Ticket ticket);

  size_t held() const { return held_; }
  size_t waiting() const { return waiting_; }
  size_t flows() const { return flows_.size(); }  // that hold a place or wait

 private:
  struct Flow {
    std::string name;
    size_t held = 0;
    std::set<Ticket> waiting;  // oldest first
  };
  // The number that ranks a flow, a ticket of its queue that tells equals apart, and the flow.
  using Rank = std::tuple<size_t, Ticket, Flow*>;

  // A flow is taken out of the ranks before it changes, and put back after.
  void Unrank(Flow& flow);
  void Rerank(Flow& flow);
  std::optional<Ticket> Displace(const Flow& newcomer);
  std::optional<Ticket> GiveFreePlace();

  const Limits limits_;
  Ticket last_ = 0;
  size_t held_ = 0;
  size_t waiting_ = 0;
  absl::node_hash_map<std::string, Flow> flows_;
  absl::flat_hash_map<Ticket, Flow*> flow_of_;
  // Of the flows that wait:
  std::set<Rank> by_held_;    // by the places they hold, then by their oldest ticket
  std::set<Rank> by_length_;  // by the length of their queue, then by their newest ticket
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_FAIRNESS_FAIR_POOL_H_
