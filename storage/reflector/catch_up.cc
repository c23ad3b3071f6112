#include "storage/reflector/catch_up.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"

namespace steward::storage {

CatchUp::CatchUp(kube::Client& client, Clock& clock, ReflectorOptions source, Target target)
    : client_(client), clock_(clock), source_(std::move(source)), target_(std::move(target)) {}

size_t CatchUp::PlacesOf(const Wanted& wanted, std::string_view asker) {
  return static_cast<size_t>(std::count_if(wanted.begin(), wanted.end(),
                                           [&](const auto& w) { return w.second == asker; }));
}

bool CatchUp::MakeRoom(Wanted& wanted, std::string_view asker) {
  if (wanted.size() < kMaxWanted) return true;
  // Drops the lowest revision of the asker with the most places, because newer revisions are more
  // likely to be of use.
  auto victim = wanted.end();
  size_t most = PlacesOf(wanted, asker) + 1;
  for (auto it = wanted.begin(); it != wanted.end(); ++it) {
    const size_t places = PlacesOf(wanted, it->second);
    if (places <= most) continue;
    most = places;
    victim = it;
  }
  if (victim == wanted.end()) return false;
  wanted.erase(victim);
  return true;
}

void CatchUp::Ask(uint64_t revision, std::string_view asker) {
  if (revision == 0) return;
  {
    MutexLock lock(&mutex_);
    if (const auto found = wanted_.find(revision); found != wanted_.end()) {
      // Gives the question to `asker` if it has fewer places. So the question stays if the first
      // asker loses a place.
      std::string& owner = found->second;
      if (PlacesOf(wanted_, asker) + 1 < PlacesOf(wanted_, owner)) owner = asker;
      return;
    }
    if (!MakeRoom(wanted_, asker)) return;
    wanted_.emplace(revision, asker);
  }
  question_.Notify();
}

CatchUp::Wanted CatchUp::TakeWanted() {
  MutexLock lock(&mutex_);
  return std::exchange(wanted_, {});
}

absl::Duration CatchUp::Pause() {
  const absl::Duration now = clock_.Monotonic();
  if (now - last_list_ >= kRest) lists_ = 0;
  last_list_ = now;
  return ++lists_ < kBurst ? kPeriod : kSlowPeriod;
}

VoidTask CatchUp::Run() {
  while (true) {
    const Broadcast::Ticket ticket = question_.Now();
    const Wanted round = TakeWanted();
    if (round.empty()) {
      co_await question_.WaitSince(ticket, std::chrono::steady_clock::time_point::max());
      continue;
    }
    for (const auto& [revision, asker] : round) {
      const Knowledge knowledge = target_.knows(revision);
      if (knowledge == Knowledge::kKnown) continue;
      const bool past = knowledge == Knowledge::kForgotten;
      if (!past && !target_.held.known()) continue;
      const absl::Duration pause = Pause();
      if (past) {
        co_await LookBack(revision);
      } else {
        co_await Look(revision);
      }
      co_await clock_.Sleep(pause);
    }
  }
}

VoidTask CatchUp::Look(uint64_t revision) {
  const std::string resource = source_.gvr.GroupResource();
  const absl::StatusOr<HeldVersions> then = co_await ListAt(revision);
  if (!then.ok()) {
    log::Verbose(2, "The state at a revision could not be read",
                 {{"resource", resource}, {"revision", revision}, {"err", then.status()}});
    co_return;
  }
  // The stream may have reached the revision meanwhile.
  if (revision <= target_.seen() || !target_.held.SameAs(*then)) co_return;
  log::Verbose(2, "Nothing happened up to a revision",
               {{"resource", resource}, {"revision", revision}});
  target_.confirm(revision);
}

VoidTask CatchUp::LookBack(uint64_t revision) {
  const absl::StatusOr<HeldVersions> then = co_await ListAt(revision);
  if (kube::IsExpired(then.status())) {
    target_.forget(revision);
    co_return;
  }
  const std::string resource = source_.gvr.GroupResource();
  if (then.ok() && target_.held.SameAs(*then)) {
    log::Verbose(2, "Nothing happened since a revision of before",
                 {{"resource", resource}, {"revision", revision}});
    target_.recall(revision, std::nullopt);
    co_return;
  }
  absl::Status read = then.status();
  if (read.ok()) {
    co_await clock_.Sleep(Pause());
    absl::StatusOr<std::vector<ObjectPtr>> objects = co_await ObjectsAt(revision);
    read = objects.status();
    if (read.ok()) target_.recall(revision, *std::move(objects));
  }
  log::Verbose(2, "Asked for the state at a revision of before",
               {{"resource", resource}, {"revision", revision}, {"err", read}});
}

Task<HeldVersions> CatchUp::ListAt(uint64_t revision) {
  HeldVersions versions;
  const PageVisitor visit = [&versions](const kube::RawObject& object) { versions.Put(object); };
  CO_RETURN_IF_ERROR(co_await VisitAt(revision, /*metadata_only=*/true, visit));
  co_return versions;
}

Task<std::vector<ObjectPtr>> CatchUp::ObjectsAt(uint64_t revision) {
  std::vector<ObjectPtr> objects;
  const PageVisitor visit = [&](const kube::RawObject& object) {
    absl::StatusOr<ObjectPtr> decoded = target_.decode(object.json);
    // An object that cannot be decoded was left out then, too.
    if (decoded.ok()) objects.push_back(*std::move(decoded));
  };
  CO_RETURN_IF_ERROR(co_await VisitAt(revision, /*metadata_only=*/false, visit));
  co_return objects;
}

StatusTask CatchUp::VisitAt(uint64_t revision, bool metadata_only, PageVisitor visit) {
  kube::ListOptions list;
  list.ns = source_.ns;
  list.label_selector = source_.label_selector;
  list.field_selector = source_.field_selector;
  list.metadata_only = metadata_only;
  list.limit = 500;
  list.resource_version = std::to_string(revision);
  list.resource_version_match = "Exact";
  const std::string asked = list.resource_version;
  kube::Pager pages(client_, source_.gvr, std::move(list));
  while (true) {
    CO_ASSIGN_OR_RETURN(const std::optional<kube::ListPage> page, co_await pages.Next());
    if (!page) co_return absl::OkStatus();
    if (page->resource_version != asked) {
      co_return absl::DataLossError(
          StrCat("asked for revision ", asked, ", and got ", page->resource_version));
    }
    for (const kube::RawObject& item : page->items) visit(item);
  }
}

}  // namespace steward::storage
