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
#include <string>
#include <utility>
#include <vector>

#include "apiserver/views/virtual_resource/testing/model.h"
#include "apiserver/views/virtual_resource/watch_cursor.h"
#include "base/async/run.h"
#include "base/seeds/seeds.h"
#include "kube/meta/resource_version.h"
#include "storage/world/rewind.h"

namespace steward::views::watch_simulation {
namespace {

// --- A client.

class Client {
 public:
  Client(const Subject& subject, Replicas& replicas, bool console, rest::Selection selection,
         size_t home)
      : subject_(subject),
        replicas_(replicas),
        console_(console),
        selection_(std::move(selection)) {
    Connect(home, true);
  }

  void Connect(size_t home, bool relist) {
    home_ = replicas_[home % replicas_.size()];
    if (relist) Relist();
    absl::StatusOr<storage::Number> number = storage::Number::Parse(number_);
    Require(number.ok(), "a number cannot be read: " + number_);
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
  const rest::Selection& selection() const { return selection_; }
  int expired = 0;

 private:
  using Held = std::pair<Seen, std::string>;

  bool Accepts(const kube::NamespacedName& key, const Seen& seen, const std::string& number) {
    const auto held = store_.find(key);
    if (held == store_.end() || held->second.first.uid != seen.uid) return true;
    const bool newer = std::stod(number) > std::stod(held->second.second);
    Require(newer || held->second.first == seen || !console_,
            "a console would refuse a change: " + key.ns + "/" + key.name + " " + number);
    return newer || !console_;
  }

  void Relist() {
    const storage::Moment moment = home_->List();
    number_ = moment.number().ToString();
    std::map<kube::NamespacedName, Held> next;
    for (const auto& [key, seen] : subject_.view_of(moment.world, selection_)) {
      next[key] = Accepts(key, seen, number_) ? Held{seen, number_} : store_.at(key);
    }
    store_ = std::move(next);
  }

  void TakeNumber(const std::string& number) {
    Require(kube::CompareResourceVersions(number_, number) <= 0,
            "a number went down on a stream: " + number_ + " " + number);
    number_ = number;
  }

  void Take(const ViewEvent& event) {
    TakeNumber(cursor_->number());
    if (event.type == rest::WatchEvent::Type::kDeleted) {
      store_.erase(event.key);
      return;
    }
    const Seen seen = SeenOf(*event.object);
    if (Accepts(event.key, seen, number_)) store_[event.key] = {seen, number_};
  }

  const Subject& subject_;
  Replicas& replicas_;
  const bool console_;
  const rest::Selection selection_;
  std::shared_ptr<Replica> home_;
  storage::RewindCache past_;
  std::optional<WatchCursor> cursor_;
  std::map<kube::NamespacedName, Held> store_;
  std::string number_;
  unsigned forgotten_ = 0;
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
    };
    size_t i = 0;
    for (const rest::Selection& selection : selections) {
      clients_.emplace_back(subject_, replicas_, consoles && i % 2 == 1, selection, i);
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
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) replica->Relist(s);
    }
    for (Client& client : clients_) {
      const int before = client.expired;
      client.Read();
      Require(client.expired > before, "a watch goes on over another etcd's history");
    }
  }

  // When everything has arrived everywhere, each client has the true state, without a list to help
  // it.
  int Settle() {
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) {
        replica->Deliver(s, SIZE_MAX);
        replica->Bookmark(s);
      }
    }
    const storage::WorldPtr truth = Replica(etcd_, subject_).Now().world;
    int expired = 0;
    for (Client& client : clients_) {
      expired += client.expired;
      while (client.Read()) {
      }
      const View expected = subject_.view_of(truth, client.selection());
      const View has = client.Store();
      for (const auto& [key, seen] : expected) {
        Require(has.count(key) > 0, "missing at the end: " + key.ns + "/" + key.name);
        Require(has.at(key) == seen, "stale at the end: " + key.ns + "/" + key.name + "\n  has " +
                                         has.at(key).json + "\n  but " + seen.json);
      }
      for (const auto& [key, seen] : has) {
        Require(expected.count(key) > 0, "left over at the end: " + key.ns + "/" + key.name);
      }
    }
    return expired;
  }

 private:
  const Subject& subject_;
  Etcd etcd_ = subject_.MakeEtcd();
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
