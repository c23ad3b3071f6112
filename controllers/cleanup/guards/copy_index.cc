#include "controllers/cleanup/guards/copy_index.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/hash/hash.h"
#include "base/async/in_flight.h"
#include "base/async/race.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace {

// The number of namespaces that are read at a time.
constexpr size_t kWidth = 2;
// Each wait for something to read ends after this time, and then starts over.
constexpr std::chrono::hours kPatience{1};

absl::Status NotBegun() { return absl::UnavailableError("not begun"); }

uint64_t IdOf(const std::string& uid) { return absl::HashOf(uid); }

storage::ReflectorOptions Followed() {
  storage::ReflectorOptions options;
  options.gvr = kCsvs;
  options.label_selector = std::string(olm::kCopiedFromLabel);
  options.metadata_only = true;
  options.may_be_absent = true;
  return options;
}

}  // namespace

// The reflector's sink. Objects from a list that breaks off count, too; but only objects that are
// missing from a complete list are gone.
class CopyIndex::Sink : public storage::ReflectorSink {
 public:
  explicit Sink(CopyIndex& index) : index_(index) {}

  void OnReplaceBegin() override { ++index_.list_; }
  void OnReplaceItem(const kube::RawObject& object) override {
    Take(object, [this](const olm::ObjectFacts& facts) { index_.Note(facts); });
  }
  void OnReplaceEnd(uint64_t) override { index_.EndList(); }
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    Take(object, [this, type](const olm::ObjectFacts& facts) {
      if (type == kube::WatchEvent::Type::kDeleted) {
        index_.Forget(facts);
      } else {
        index_.Note(facts);
      }
    });
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {
    ++index_.list_;
    index_.EndList();
  }
  void OnConnected() override {
    index_.followed_ = absl::OkStatus();
    index_.Tell();
  }
  void OnDisconnected(const absl::Status& why) override {
    index_.followed_ = why;
    index_.Tell();
  }

 private:
  template <typename Do>
  void Take(const kube::RawObject& object, Do then) {
    const absl::StatusOr<olm::ObjectFacts> facts = olm::DecodeObjectFacts(object.json);
    if (facts.ok()) {
      then(*facts);
      return;
    }
    // API servers send no such object. Because the index lacks it, the index counts as incomplete
    // from now on.
    log::Error("Cannot read a copy's metadata", {{"err", facts.status()}});
    index_.broken_ = true;
  }

  CopyIndex& index_;
};

CopyIndex::CopyIndex(kube::Client& client, Clock& clock, Random& random, const olm::CsvTerms& terms,
                     Observer observer)
    : client_(client),
      clock_(clock),
      random_(random),
      terms_(terms),
      observer_(std::move(observer)),
      followed_(NotBegun()) {}

CopyIndex::~CopyIndex() = default;

VoidTask CopyIndex::Run() {
  struct Ending {
    CopyIndex& index;
    ~Ending() { index.Clear(); }
  } ending{*this};
  Sink sink(*this);
  storage::Reflector reflector(client_, clock_, random_, Followed(), sink);
  co_await UntilOneEnds(reflector.Run(), ReadContents());
}

void CopyIndex::Clear() {
  entries_.clear();
  contents_ = {};
  namespaces_ = {};
  waiting_.clear();
  to_read_.clear();
  unread_ = 0;
  listed_ = false;
  broken_ = false;
  followed_ = NotBegun();
  read_ = absl::OkStatus();
  Tell();
}

absl::Status CopyIndex::health() const {
  const auto no = [](std::string_view why) {
    return absl::UnavailableError(
        StrCat("ClusterServiceVersions with label ", olm::kCopiedFromLabel, " ", why));
  };
  if (broken_) return no("are not understood");
  if (!followed_.ok()) return no(StrCat("are not followed: ", Describe(followed_)));
  if (!listed_) return no("are not listed yet");
  return absl::OkStatus();
}

VoidTask CopyIndex::UntilKnown(std::chrono::steady_clock::time_point deadline) const {
  while (!known_ && std::chrono::steady_clock::now() < deadline) {
    co_await all_known_.WaitSince(all_known_.Now(), deadline);
  }
}

void CopyIndex::Tell() {
  const bool known = unread_ == 0 && health().ok();
  if (std::exchange(known_, known) == known) return;
  if (observer_) observer_(known);
  if (known) all_known_.Notify();
}

void CopyIndex::Note(const olm::ObjectFacts& object) {
  NoteWaiting(object, true);
  const auto label = object.labels.find(olm::kCopiedFromLabel);
  // The selector guarantees the label.
  Content content;
  content.claims.original = {label == object.labels.end() ? "" : label->second, object.key.name};
  const uint64_t id = IdOf(object.uid);
  const auto generation = static_cast<uint32_t>(object.generation);
  const auto [it, is_new] = entries_.try_emplace(id, Entry{});
  Entry& entry = it->second;
  entry.list = list_;
  if (is_new) {
    entry.ns = namespaces_.Hold(object.key.ns);
    entry.content = contents_.Hold(content);
    ++unread_;
  } else if (const Content& known = contents_[entry.content];
             known.read && generation != 0 && entry.generation == generation) {
    // The label may have changed.
    Content same = known;
    same.claims.original = std::move(content.claims.original);
    SetContent(entry, same);
    return;
  } else {
    SetContent(entry, content);
  }
  entry.generation = generation;
  to_read_[object.key.ns].push_back(id);
  news_.Notify();
  Tell();
}

void CopyIndex::Forget(const olm::ObjectFacts& object) {
  NoteWaiting(object, false);
  const auto it = entries_.find(IdOf(object.uid));
  if (it == entries_.end()) return;
  Drop(it->second);
  entries_.erase(it);
  Tell();
}

void CopyIndex::EndList() {
  std::erase_if(waiting_, [this](const auto& waiting) { return waiting.second != list_; });
  absl::erase_if(entries_, [this](const auto& entry) {
    if (entry.second.list == list_) return false;
    Drop(entry.second);
    return true;
  });
  listed_ = true;
  Tell();
}

void CopyIndex::SetContent(Entry& entry, const Content& content) {
  const Content& before = contents_[entry.content];
  if (before == content) return;
  if (before.read && !content.read) ++unread_;
  if (!before.read && content.read) --unread_;
  const auto id = contents_.Hold(content);
  contents_.Drop(entry.content);
  entry.content = id;
}

void CopyIndex::Drop(const Entry& entry) {
  if (!contents_[entry.content].read) --unread_;
  contents_.Drop(entry.content);
  namespaces_.Drop(entry.ns);
}

void CopyIndex::NoteWaiting(const olm::ObjectFacts& object, bool there) {
  if (there && olm::WaitsForCleanup(object)) {
    waiting_.insert_or_assign(object.key, list_);
  } else {
    waiting_.erase(object.key);
  }
}

std::set<kube::NamespacedName> CopyIndex::waiting() const {
  std::set<kube::NamespacedName> keys;
  for (const auto& [key, list] : waiting_) keys.insert(key);
  return keys;
}

std::vector<CopyIndex::Labelled> CopyIndex::Select(
    const std::function<bool(const olm::CopyClaims&)>& wanted) const {
  std::vector<bool> selected(contents_.bound());
  bool any = unread_ > 0;
  for (InternTable<Content>::Id id = 0; id < contents_.bound(); ++id) {
    if (!contents_.holds(id)) continue;
    const Content& content = contents_[id];
    selected[id] = !content.read || wanted(content.claims);
    any = any || selected[id];
  }
  std::vector<Labelled> found;
  if (!any) return found;
  for (const auto& [id, entry] : entries_) {
    if (!selected[entry.content]) continue;
    const Content& content = contents_[entry.content];
    found.push_back({{namespaces_[entry.ns], content.claims.original.name},
                     content.read ? &content.claims : nullptr});
  }
  // Sort, because the order would otherwise depend on hashes.
  std::sort(found.begin(), found.end(),
            [](const Labelled& a, const Labelled& b) { return a.key < b.key; });
  return found;
}

bool CopyIndex::MayHaveCopiesOf(const kube::NamespacedName& original) const {
  if (!health().ok()) return true;
  for (InternTable<Content>::Id id = 0; id < contents_.bound(); ++id) {
    if (contents_.holds(id) && contents_[id].claims.original == original) return true;
  }
  return false;
}

VoidTask CopyIndex::ReadContents() {
  Backoff backoff({}, random_);
  while (true) {
    if (to_read_.empty()) {
      const Broadcast::Ticket now = news_.Now();
      co_await news_.WaitSince(now, std::chrono::steady_clock::now() + kPatience);
      continue;
    }
    const auto work = std::exchange(to_read_, {});
    std::vector<std::string> namespaces;
    for (const auto& [ns, ids] : work) namespaces.push_back(ns);
    read_ = absl::OkStatus();
    const auto read = [this, &work, &namespaces](size_t i) {
      return ReadNamespace(namespaces[i], work.at(namespaces[i]));
    };
    co_await ForEachInFlight(namespaces.size(), kWidth, read);
    if (read_.ok()) {
      backoff.Reset();
    } else {
      log::Verbose(2, "Copies could not be read", {{"err", read_}});
      co_await clock_.Sleep(backoff.Next());
    }
  }
}

VoidTask CopyIndex::ReadNamespace(std::string ns, std::vector<uint64_t> ids) {
  ids = StillUnread(ids);
  if (ids.empty()) co_return;
  absl::Status status = co_await ReadSome(ns, ids);
  ids = StillUnread(ids);
  if (ids.empty()) co_return;
  // The watch reports the objects that changed or went meanwhile, perhaps later.
  if (status.ok()) status = absl::UnavailableError("they change");
  read_ = std::move(status);
  std::vector<uint64_t>& again = to_read_[ns];
  again.insert(again.end(), ids.begin(), ids.end());
}

StatusTask CopyIndex::ReadSome(const std::string& ns, const std::vector<uint64_t>& ids) {
  if (ids.size() > kMaxReadAlone) {
    co_return co_await ListLive(client_, kCsvs, ns, std::string(olm::kCopiedFromLabel),
                                Detail::kWhole,
                                [this](const kube::RawObject& raw) { return TakeContent(raw); });
  }
  for (const uint64_t id : ids) {
    const auto it = entries_.find(id);
    if (it == entries_.end()) continue;
    const kube::NamespacedName key{ns, contents_[it->second.content].claims.original.name};
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCsvs, key);
    if (kube::IsNotFound(raw.status(), key.name)) continue;
    CO_RETURN_IF_ERROR(raw.status());
    CO_RETURN_IF_ERROR(TakeContent(*raw));
  }
  co_return absl::OkStatus();
}

absl::Status CopyIndex::TakeContent(const kube::RawObject& raw) {
  ASSIGN_OR_RETURN(const olm::ObjectFacts object, olm::DecodeObjectFacts(raw.json));
  const auto it = entries_.find(IdOf(object.uid));
  if (it == entries_.end()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const olm::CsvFacts csv, olm::DecodeCsvFacts(raw.json, terms_));
  std::optional<olm::CopyClaims> claims = olm::ClaimsOf(csv);
  if (!claims.has_value()) return absl::OkStatus();
  Entry& entry = it->second;
  const auto generation = static_cast<uint32_t>(object.generation);
  // The answer is older than the watch's last event.
  if (generation < entry.generation) return absl::OkStatus();
  // A change of the label does not change the generation. So at the same generation, use the
  // watch's label, which may be newer.
  if (generation == entry.generation) claims->original = contents_[entry.content].claims.original;
  entry.generation = generation;
  SetContent(entry, Content{true, *std::move(claims)});
  Tell();
  return absl::OkStatus();
}

std::vector<uint64_t> CopyIndex::StillUnread(const std::vector<uint64_t>& ids) const {
  std::vector<uint64_t> unread;
  for (const uint64_t id : ids) {
    const auto it = entries_.find(id);
    if (it != entries_.end() && !contents_[it->second.content].read) unread.push_back(id);
  }
  return unread;
}

}  // namespace steward::controllers
