#include "apiserver/views/virtual_resource/testing/stream_simulation.h"

#include <gtest/gtest.h>

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

#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/virtual_resource/testing/model.h"
#include "base/async/run.h"
#include "base/seeds/seeds.h"
#include "base/splice/rope.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_version.h"
#include "kube/meta/status.h"
#include "storage/world/number.h"

namespace steward::views::stream_simulation {
namespace {

using EventType = rest::WatchEvent::Type;

boost::asio::io_context& Io() {
  static boost::asio::io_context& io = *new boost::asio::io_context;
  return io;
}

std::string TextOf(const rest::Object& object) {
  Rope json;
  object.AppendJson("", json);
  return json.Flatten();
}

using Content = std::map<kube::NamespacedName, std::string>;

void ReadAll(rest::Reading& reading,
             std::vector<std::pair<kube::NamespacedName, std::string>>& out) {
  do {
    while (const rest::Object* object = reading.cursor->Next()) {
      out.push_back({{std::string(object->ns()), std::string(object->name())}, TextOf(*object)});
    }
  } while (*RunOn(Io(), reading.cursor->More()));
}

Content ContentOf(const View& view) {
  Content content;
  for (const auto& [key, seen] : view) content[key] = seen.json;
  return content;
}

// Reads one list page by page, each on another replica.
class Pager {
 public:
  explicit Pager(rest::Selection selection) : selection_(std::move(selection)) {}

  void Read(Replica& replica, int64_t limit) {
    rest::ReadOptions options;
    options.limit = limit;
    options.continue_token = token_;
    absl::StatusOr<rest::Reading> page = RunOn(Io(), replica.view().List(selection_, options));
    if (!page.ok()) return Fail(kube::FromStatus(page.status()));
    if (token_.empty()) Begin(replica, *page);
    Require(number_.empty() || page->resource_version == number_, "a page of another list");
    const size_t before = read_.size();
    ReadAll(*page, read_);
    Require(read_.size() - before <= static_cast<size_t>(limit), "a page is too long");
    token_ = page->continue_token;
    Require(token_.empty() == (read_.size() >= whole_.size()) || number_.empty(),
            "the last page is not the last, or another is");
    CheckRemaining(page->remaining_item_count);
    if (!token_.empty()) return;
    if (!number_.empty()) Require(read_ == whole_, "pages are not one list");
    ++lists;
    if (changed_) ++lists_under_change;
  }
  void Changed() { changed_ = true; }

  int lists = 0;
  int lists_under_change = 0;
  int expired = 0;

 private:
  void Begin(Replica& replica, const rest::Reading& page) {
    number_ = page.resource_version;
    read_.clear();
    whole_.clear();
    changed_ = false;
    rest::ReadOptions options;
    options.resource_version = number_;
    options.resource_version_match = "Exact";
    absl::StatusOr<rest::Reading> whole = RunOn(Io(), replica.view().List(selection_, options));
    Require(whole.ok(), "a replica does not know what it has just answered");
    ReadAll(*whole, whole_);
  }

  void Fail(const kube::Status& status) {
    if (status.code == 504) return;  // the replica has not reached that state
    Require(status.reason == "Expired", "a page: " + status.message);
    Require(!status.continue_token.empty(), "410 without a token to go on with");
    ++expired;
    // The remaining pages are of another state, so only their length is checked.
    token_ = status.continue_token;
    number_.clear();
    read_.clear();
  }

  void CheckRemaining(std::optional<int64_t> remaining) const {
    const bool counted = selection_.labels.empty() && selection_.fields.empty() && !token_.empty();
    Require(remaining.has_value() == counted, "remainingItemCount is there, or not");
    if (counted && !number_.empty()) {
      Require(*remaining == static_cast<int64_t>(whole_.size() - read_.size()),
              "remainingItemCount is wrong");
    }
  }

  const rest::Selection selection_;
  std::string token_;
  std::string number_;  // "" = of a list that was not read whole
  std::vector<std::pair<kube::NamespacedName, std::string>> whole_, read_;
  bool changed_ = false;
};

// Keeps the selected objects through watches alone, each of which ends as soon as it may.
class Listener {
 public:
  Listener(rest::Selection selection, bool bookmarks)
      : selection_(std::move(selection)), bookmarks_(bookmarks) {}

  // `between` is called after each event.
  template <typename Between>
  void Watch(Replica& replica, bool initial, Between between) {
    rest::WatchOptions options;
    options.resource_version = number_;
    options.bookmarks = bookmarks_ || initial;
    options.send_initial_events = initial || number_.empty();
    options.timeout = absl::ZeroDuration();
    auto stream = RunOn(Io(), replica.view().Watch(selection_, options));
    Require(stream.ok(), "a watch: " + std::string(stream.status().message()));
    bool in_initial = options.send_initial_events, whole = true, marked = true;
    Content fresh;  // until the initial events are over
    std::string number = number_;
    while (true) {
      auto event = RunOn(Io(), (*stream)->Next());
      if (!event.ok()) return Fail(kube::FromStatus(event.status()));
      if (!event->has_value()) break;
      const int mark = storage::Number::Parse((*event)->resource_version)->mark;
      const bool resumable = mark != storage::Number::kOwn;
      Require(!resumable || kube::CompareResourceVersions(number, (*event)->resource_version) <= 0,
              "a number went down: " + number + " " + (*event)->resource_version);
      Require(resumable || options.bookmarks, "a place to continue from is missing");
      Require((*event)->midway == (!resumable && !in_initial), "a place that is none, or is one");
      if (resumable) number = (*event)->resource_version;
      whole = mark == storage::Number::kComplete;
      marked = (*event)->type == EventType::kBookmark;
      if (marked) {
        Require((*event)->initial_events_end == in_initial, "the end of the initial events");
        Require(whole, "a bookmark within a burst");
        if (in_initial) {
          CheckInitial(replica, number, fresh);
          store_ = fresh;
        }
        in_initial = false;
      } else {
        const bool checked = in_initial && options.bookmarks;
        Take(**event, in_initial ? fresh : store_, checked);
      }
      if (!in_initial) number_ = (*event)->resource_version;
      if (!between()) return;  // the connection breaks: an incomplete state is dropped
    }
    // Without bookmarks the initial events end only with the stream.
    if (in_initial) store_ = std::move(fresh);
    number_ = number;
    Require(whole, "a stream ended within a burst");
    Require(marked || !options.bookmarks, "a stream ended without a bookmark");
  }

  const Content& store() const { return store_; }
  const rest::Selection& selection() const { return selection_; }

  int expired = 0;
  int initial_phases = 0;

 private:
  void Take(const rest::WatchEvent& event, Content& store, bool in_initial) {
    const kube::NamespacedName key{std::string(event.object->ns()),
                                   std::string(event.object->name())};
    if (in_initial) {
      Require(event.type == EventType::kAdded, "an initial event that adds nothing");
      Require(store.count(key) == 0, "an initial event twice");
    }
    if (event.type == EventType::kDeleted) {
      store.erase(key);
    } else {
      store[key] = TextOf(*event.object);
    }
  }

  // The initial events must equal the list of the bookmark's number.
  void CheckInitial(Replica& replica, const std::string& number, const Content& fresh) {
    ++initial_phases;
    rest::ReadOptions options;
    options.resource_version = number;
    options.resource_version_match = "Exact";
    absl::StatusOr<rest::Reading> reading = RunOn(Io(), replica.view().List(selection_, options));
    if (!reading.ok()) return;  // forgotten meanwhile
    std::vector<std::pair<kube::NamespacedName, std::string>> list;
    ReadAll(*reading, list);
    Require(Content(list.begin(), list.end()) == fresh, "the initial events are not the list");
  }

  void Fail(const kube::Status& status) {
    if (status.reason == "Timeout") return;  // the replica has not reached that state
    Require(status.reason == "Expired", "a watch ended: " + status.message);
    ++expired;
    number_.clear();
  }

  const rest::Selection selection_;
  const bool bookmarks_;
  Content store_;
  std::string number_;
};

struct Counts {
  int lists = 0, lists_under_change = 0, pages_expired = 0, streams_expired = 0, initial_phases = 0;
};

class Simulation {
 public:
  explicit Simulation(const Subject& subject) : subject_(subject) {
    for (auto& replica : replicas_) replica = std::make_shared<Replica>(etcd_, subject_);
    const rest::Selection selections[] = {
        SelectionOf("", "", ""),
        SelectionOf("a", "", ""),
        SelectionOf("", "color=red", ""),
        SelectionOf("b", "", "metadata.name=x"),
    };
    for (const rest::Selection& selection : selections) {
      pagers_.emplace_back(selection);
      for (const bool bookmarks : {true, false}) listeners_.emplace_back(selection, bookmarks);
    }
  }

  void Run(const Step& step) {
    const size_t source = step.b % subject_.sources().count;
    Replica& replica = *replicas_[step.a % replicas_.size()];
    switch (step.op) {
      case Op::kWrite:
        for (Pager& pager : pagers_) pager.Changed();
        return etcd_.Write(step.a, step.b, step.c);
      case Op::kDeliver:
        return replica.Deliver(source, 1 + step.c % 5);
      case Op::kRead:
        return pagers_[step.b % pagers_.size()].Read(replica, 1 + step.c % 3);
      case Op::kDrop:
        return Listen(replica, step);
      case Op::kBookmark:
        return replica.Bookmark(source);
      case Op::kRelist:
        return replica.Relist(source);
      case Op::kRestart:
        replicas_[step.a % replicas_.size()] = std::make_shared<Replica>(etcd_, subject_);
        return;
    }
  }

  Counts Settle() {
    for (auto& replica : replicas_) {
      for (size_t s = 0; s < subject_.sources().count; ++s) {
        replica->Deliver(s, SIZE_MAX);
        replica->Bookmark(s);
      }
    }
    const storage::WorldPtr truth = Replica(etcd_, subject_).Now().world;
    Counts counts;
    for (Listener& listener : listeners_) {
      for (int i = 0; i < 3; ++i) listener.Watch(*replicas_[0], false, [] { return true; });
      Require(listener.store() == ContentOf(subject_.view_of(truth, listener.selection())),
              "a listener does not end with the truth");
      counts.streams_expired += listener.expired;
      counts.initial_phases += listener.initial_phases;
    }
    for (const Pager& pager : pagers_) {
      counts.lists += pager.lists;
      counts.lists_under_change += pager.lists_under_change;
      counts.pages_expired += pager.expired;
    }
    return counts;
  }

 private:
  // Makes changes elsewhere while a stream is read.
  void Listen(Replica& replica, const Step& step) {
    unsigned events = 0;
    const unsigned breaks_after = step.c % 7 == 0 ? 1 + step.c % 5 : UINT32_MAX;
    listeners_[step.b % listeners_.size()].Watch(replica, step.c % 4 == 0, [&] {
      ++events;
      if (events % 2 == 0) etcd_.Write(step.a + events, step.b, step.c + events);
      replica.Deliver(events % subject_.sources().count, 1);
      return events < breaks_after && events < 200;
    });
  }

  const Subject& subject_;
  Etcd etcd_ = subject_.MakeEtcd();
  std::array<std::shared_ptr<Replica>, 3> replicas_;
  std::deque<Pager> pagers_;
  std::deque<Listener> listeners_;
};

std::optional<std::string> RunSchedule(const Subject& subject, const std::vector<Step>& steps,
                                       Counts* counts = nullptr) {
  try {
    Simulation simulation(subject);
    for (const Step& step : steps) simulation.Run(step);
    const Counts more = simulation.Settle();
    if (counts != nullptr) {
      counts->lists += more.lists;
      counts->lists_under_change += more.lists_under_change;
      counts->pages_expired += more.pages_expired;
      counts->streams_expired += more.streams_expired;
      counts->initial_phases += more.initial_phases;
    }
  } catch (const Violation& violation) {
    return violation.what;
  }
  return std::nullopt;
}

}  // namespace

void PagesAndStreamsAreWhole(const Subject& subject) {
  const Seeds seeds = SeedsOr({1, ShareOf(300)});
  Counts counts;
  for (unsigned seed = seeds.first; seed < seeds.end(); ++seed) {
    const std::vector<Step> steps = RandomSchedule(100'000 + seed, 200);
    if (!RunSchedule(subject, steps, &counts)) continue;
    const std::vector<Step> small = Shrink(
        steps, [&subject](const std::vector<Step>& some) { return RunSchedule(subject, some); });
    FAIL() << "seed " << seed << ", shrunk to " << small.size()
           << " steps: " << RunSchedule(subject, small).value_or("") << "\n"
           << Describe(small);
  }
  if (seeds.count < 300) return;
  // Otherwise those paths were not tested.
  EXPECT_GT(counts.lists, 100);
  EXPECT_GT(counts.lists_under_change, 20);
  EXPECT_GT(counts.pages_expired, 0);
  EXPECT_GT(counts.streams_expired, 0);
  EXPECT_GT(counts.initial_phases, 100);
}

}  // namespace steward::views::stream_simulation
