#include "apiserver/views/virtual_resource/testing/watch_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/views/virtual_resource/selection.h"
#include "apiserver/views/virtual_resource/testing/model.h"
#include "apiserver/views/virtual_resource/watch_cursor.h"
#include "base/async/run.h"
#include "base/seeds/seeds.h"
#include "kube/meta/resource_version.h"
#include "storage/world/rewind.h"

namespace steward::views::watch_simulation {
namespace {

// --- A client.

// The content of each object by its own version, of which there must be only one.
class OwnVersions {
 public:
  void Check(const kube::NamespacedName& key, const Seen& seen) {
    if (seen.own_version.empty()) return;
    const auto [found, added] = contents_.try_emplace({key, seen.own_version}, seen);
    Require(found->second == seen, "two states with one version: " + key.ns + "/" + key.name + " " +
                                       seen.own_version + "\n  " + found->second.json + "\n  " +
                                       seen.json);
  }
  void Clear() { contents_.clear(); }

 private:
  std::map<std::pair<kube::NamespacedName, std::string>, Seen> contents_;
};

// Informers request bookmarks, consoles do not.
class Client {
 public:
  Client(const Subject& subject, Replicas& replicas, OwnVersions& own_versions, bool console,
         rest::Selection selection, size_t home)
      : subject_(subject),
        replicas_(replicas),
        own_versions_(own_versions),
        console_(console),
        selection_(std::move(selection)) {
    Connect(home, true);
  }

  void Connect(size_t home, bool relist) {
    home_ = replicas_[home % replicas_.size()];
    if (relist) Relist();
    // A watch of one object may also begin at that object's own number.
    if (!relist && OfOneObject() && !store_.empty() && ++begun_at_own_ % 2 == 0) {
      number_ = store_.begin()->second.second;
    }
    absl::StatusOr<storage::Number> number = storage::Number::Parse(number_);
    Require(number.ok(), "a number cannot be read: " + number_);
    last_ = number_;
    cursor_.emplace(*number, home_->Now().world->epoch(), selection_, past_, *subject_.projection);
  }

  // Returns false when there is nothing to read now.
  bool Read() {
    if (std::find(replicas_.begin(), replicas_.end(), home_) == replicas_.end()) Connect(0, false);
    switch (cursor_->Next(home_->Now())) {
      case WatchCursor::Outcome::kEvent:
        Take(cursor_->event());
        return true;
      case WatchCursor::Outcome::kPause:
        return true;
      case WatchCursor::Outcome::kFar: {
        boost::asio::io_context io(1);
        RunOn(io, cursor_->Prepare());
        return true;
      }
      case WatchCursor::Outcome::kBurstEnd:
      case WatchCursor::Outcome::kQuiet:
        // The client takes the number of a bookmark.
        TakeNumber(cursor_->number());
        return true;
      case WatchCursor::Outcome::kCurrent:
      case WatchCursor::Outcome::kNotYet:
        return false;
      case WatchCursor::Outcome::kForgotten:
        // The cluster knows it, unless it was compacted.
        if (++forgotten_ % 4 != 0) {
          home_->Recall(cursor_->vector());
          return true;
        }
        [[fallthrough]];
      case WatchCursor::Outcome::kExpired:
        ++expired;
        Relist();
        Connect(static_cast<size_t>(std::find(replicas_.begin(), replicas_.end(), home_) -
                                    replicas_.begin()),
                false);
        return true;
    }
    return false;
  }

  View Store() const {
    View view;
    for (const auto& [key, held] : store_) view[key] = held.first;
    return view;
  }
  // True for an object whose change came in a list with a number that is not larger. That may
  // happen if an input was deleted or came late. A console then keeps the former state.
  bool Refused(const kube::NamespacedName& key) const { return refused_.contains(key); }
  const rest::Selection& selection() const { return selection_; }
  int expired = 0;

 private:
  using Held = std::pair<Seen, std::string>;

  bool OfOneObject() const {
    return SelectedNamespace(selection_) != nullptr && SelectedName(selection_) != nullptr;
  }

  // True if a reader that keeps what has the larger number would take this.
  bool IsNews(const kube::NamespacedName& key, const Seen& seen, const std::string& number) {
    own_versions_.Check(key, seen);
    const auto held = store_.find(key);
    if (held == store_.end() || held->second.first.uid != seen.uid) return true;
    Require(held->second.second != number || held->second.first == seen,
            "a change without a new number: " + key.ns + "/" + key.name + " " + number);
    return std::stod(number) > std::stod(held->second.second);
  }

  void Relist() {
    const storage::WorldSnapshot moment = home_->List();
    number_ = moment.number().ToString();
    std::map<kube::NamespacedName, Held> next;
    refused_.clear();
    for (const auto& [key, seen] : subject_.view_of(moment.world, selection_)) {
      const std::string& number = seen.own_version.empty() ? number_ : seen.own_version;
      const bool taken = IsNews(key, seen, number) || !console_;
      next[key] = taken ? Held{seen, number} : store_.at(key);
      if (next[key].first != seen) refused_.insert(key);
    }
    store_ = std::move(next);
  }

  // Sets the place to continue from. The numbers of a stream only grow.
  void TakeNumber(const std::string& number) {
    Require(kube::CompareResourceVersions(last_, number) <= 0,
            "a number went down on a stream: " + last_ + " " + number);
    last_ = number_ = number;
  }

  void Take(const ViewEvent& event) {
    TakeNumber(cursor_->number());
    if (event.type == rest::WatchEvent::Type::kDeleted) {
      store_.erase(event.key);
      refused_.erase(event.key);
      return;
    }
    const Seen seen = SeenOf(*event.object);
    if (!console_ && event.own_version) number_ = seen.own_version;
    const bool news = IsNews(event.key, seen, number_);
    if (console_ && !news) {
      Require(store_.at(event.key).first == seen,
              "a console would refuse a change: " + event.key.ns + "/" + event.key.name + " " +
                  number_);
      return;
    }
    store_[event.key] = {seen, number_};
    refused_.erase(event.key);
  }

  const Subject& subject_;
  Replicas& replicas_;
  OwnVersions& own_versions_;
  const bool console_;
  const rest::Selection selection_;
  std::shared_ptr<Replica> home_;
  storage::RewindCache past_;
  std::optional<WatchCursor> cursor_;
  std::map<kube::NamespacedName, Held> store_;
  std::set<kube::NamespacedName> refused_;
  std::string number_;
  std::string last_;  // of the stream
  unsigned forgotten_ = 0;
  unsigned begun_at_own_ = 0;
};

class Simulation {
 public:
  explicit Simulation(const Subject& subject, bool consoles = true) : subject_(subject) {
    for (auto& replica : replicas_) replica = std::make_shared<Replica>(etcd_, subject_);
    const rest::Selection selections[] = {
        SelectionOf("", "", ""),
        SelectionOf("", "", ""),
        SelectionOf("a", "", ""),
        SelectionOf("", "color=red", ""),
        SelectionOf("", "!olm.copiedFrom", ""),
        SelectionOf("b", "", "metadata.name=x"),
        SelectionOf("b", "", "metadata.name=x"),
    };
    size_t i = 0;
    for (const rest::Selection& selection : selections) {
      clients_.emplace_back(subject_, replicas_, own_versions_, consoles && i % 2 == 1, selection,
                            i);
      ++i;
    }
  }

  void Run(const Step& step) {
    const size_t replica = step.a % replicas_.size();
    const size_t source = step.b % subject_.sources().count;
    Client& client = clients_[step.a % clients_.size()];
    switch (step.op) {
      case Op::kWrite:
        return etcd_.Write(step.a, step.b, step.c);
      case Op::kDeliver:
        return replicas_[replica]->Deliver(source, 1 + step.c % 5);
      case Op::kRead:
        for (unsigned i = 0; i <= step.b % 8; ++i) client.Read();
        return;
      case Op::kDrop:
        return client.Connect(step.b, step.c % 6 == 0);
      case Op::kBookmark:
        return replicas_[replica]->Bookmark(source);
      case Op::kRelist:
        return replicas_[replica]->Relist(source);
      case Op::kRestart:
        replicas_[replica] = std::make_shared<Replica>(etcd_, subject_);
        return;
    }
  }

  // All clients are connected and up to date when an old copy of etcd is restored.
  void Restore(uint64_t revisions) {
    Settle();
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) replica->Bookmark(s);
    }
    etcd_.Restore(std::max<uint64_t>(105, etcd_.revision - revisions));
    own_versions_.Clear();
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) replica->Relist(s);
    }
    for (Client& client : clients_) {
      const int before = client.expired;
      client.Read();
      Require(client.expired > before, "a watch goes on over another etcd's history");
    }
  }

  // Delivers everything to every replica. Then each client must have the true state without a new
  // list.
  int Settle() {
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) {
        replica->Deliver(s, SIZE_MAX);
        replica->Bookmark(s);
      }
    }
    const storage::WorldPtr truth = Replica(etcd_, subject_).Now().world;
    CheckReplicas(subject_.view_of(truth, {}));
    int expired = 0;
    for (Client& client : clients_) {
      expired += client.expired;
      while (client.Read()) {
      }
      const View expected = subject_.view_of(truth, client.selection());
      const View has = client.Store();
      for (const auto& [key, seen] : expected) {
        Require(has.count(key) > 0, "missing at the end: " + key.ns + "/" + key.name);
        Require(has.at(key) == seen || client.Refused(key),
                "stale at the end: " + key.ns + "/" + key.name + "\n  has " + has.at(key).json +
                    "\n  but " + seen.json);
      }
      for (const auto& [key, seen] : has) {
        Require(expected.count(key) > 0, "left over at the end: " + key.ns + "/" + key.name);
      }
    }
    return expired;
  }

 private:
  // All replicas give an object the same own version, as one does that has just started.
  void CheckReplicas(const View& fresh) {
    for (const auto& replica : replicas_) {
      for (const auto& [key, seen] : subject_.view_of(replica->Now().world, {})) {
        Require(seen.own_version == fresh.at(key).own_version,
                "two versions of one state: " + key.ns + "/" + key.name + " " + seen.own_version +
                    " " + fresh.at(key).own_version);
      }
    }
  }

  const Subject& subject_;
  Etcd etcd_ = subject_.MakeEtcd();
  OwnVersions own_versions_;
  Replicas replicas_;
  std::deque<Client> clients_;
};

std::optional<std::string> RunSchedule(const Subject& subject, const std::vector<Step>& steps,
                                       int* expired = nullptr) {
  try {
    Simulation simulation(subject);
    for (const Step& step : steps) simulation.Run(step);
    const int count = simulation.Settle();
    if (expired != nullptr) *expired += count;
  } catch (const Violation& violation) {
    return violation.what;
  }
  return std::nullopt;
}

}  // namespace

void ClientsEndWithTheTruth(const Subject& subject) {
  const Seeds seeds = SeedsOr({1, ShareOf(1500)});
  int expired = 0;
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    const std::vector<Step> steps = RandomSchedule(seed, 150);
    if (!RunSchedule(subject, steps, &expired)) continue;
    const std::vector<Step> small = Shrink(
        steps, [&subject](const std::vector<Step>& some) { return RunSchedule(subject, some); });
    FAIL() << "seed " << seed << ", shrunk to " << small.size()
           << " steps: " << RunSchedule(subject, small).value_or("") << "\n"
           << Describe(small);
  }
  // Replicas do forget; otherwise that path was not tested.
  if (seeds.count > 100) {
    EXPECT_GT(expired, 0);
  }
}

// Numbers of another history are invalid, and clients that have one are told so. (Consoles are not
// promised that numbers grow across that.)
void RestoredEtcd(const Subject& subject) {
  const Seeds seeds = SeedsOr({1, ShareOf(150)});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    SCOPED_TRACE(seed);
    try {
      Simulation simulation(subject, /*consoles=*/false);
      for (unsigned part = 0; part < 3; ++part) {
        if (part > 0) simulation.Restore(1 + seed * part % 60);
        for (const Step& step : RandomSchedule(50'000 + 10 * seed + part, 60)) simulation.Run(step);
      }
      simulation.Settle();
    } catch (const Violation& violation) {
      FAIL() << violation.what;
    }
  }
}

void LongHistories(const Subject& subject) {
  const Seeds seeds = SeedsOr({1, ShareOf(60)});
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    const std::vector<Step> steps = RandomSchedule(10'000 + seed, 1500);
    ASSERT_EQ(RunSchedule(subject, steps), std::nullopt) << "seed " << seed;
  }
}

}  // namespace steward::views::watch_simulation
