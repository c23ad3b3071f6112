#include "controllers/runtime/compact_index.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/digest/digest.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace {

absl::Status NotBegun() { return absl::UnavailableError("not begun"); }

// The slash is a safe separator, because no name contains one.
ContentDigest KeyOf(const kube::NamespacedName& name) {
  return DigestOf(StrCat(name.ns, "/", name.name));
}

}  // namespace

ContentDigest DigestOf(std::string_view text) {
  const std::string whole = Sha256(text);
  ContentDigest digest;
  std::copy_n(whole.begin(), digest.size(), digest.begin());
  return digest;
}

// The reflector's sink. Objects from a list that breaks off count, too; but only objects that are
// missing from a complete list are gone.
class CompactIndex::Sink : public storage::ReflectorSink {
 public:
  explicit Sink(CompactIndex& index) : index_(index) {}

  void OnReplaceBegin() override { ++index_.list_; }
  void OnReplaceItem(const kube::RawObject& object) override { Take(object, false); }
  void OnReplaceEnd(uint64_t) override { index_.EndList(); }
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    Take(object, type == kube::WatchEvent::Type::kDeleted);
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {
    ++index_.list_;
    index_.EndList();
  }
  void OnConnected() override { index_.followed_ = absl::OkStatus(); }
  void OnDisconnected(const absl::Status& why) override { index_.followed_ = why; }

 private:
  void Take(const kube::RawObject& object, bool gone) {
    const absl::StatusOr<Observed> observed = index_.callbacks_.observe(object);
    if (!observed.ok()) {
      log::Error("An object is not understood",
                 {{"resource", index_.selection_.gvr.resource}, {"err", observed.status()}});
      index_.understood_.Update(observed.status());
    } else if (gone) {
      index_.Forget(observed->name);
    } else {
      index_.Note(*observed);
    }
  }

  CompactIndex& index_;
};

CompactIndex::CompactIndex(kube::Client& client, Clock& clock, Random& random,
                           storage::ReflectorOptions selection, Callbacks callbacks)
    : client_(client),
      clock_(clock),
      random_(random),
      selection_(std::move(selection)),
      callbacks_(std::move(callbacks)),
      followed_(NotBegun()) {}

CompactIndex::~CompactIndex() = default;

VoidTask CompactIndex::Run() {
  struct Ending {
    CompactIndex& index;
    ~Ending() { index.Clear(); }
  } ending{*this};
  Sink sink(*this);
  storage::Reflector reflector(client_, clock_, random_, selection_, sink);
  co_await reflector.Run();
}

void CompactIndex::Clear() {
  entries_ = {};
  listed_ = false;
  understood_ = absl::OkStatus();
  followed_ = NotBegun();
}

absl::Status CompactIndex::health() const {
  const auto no = [this](std::string_view why) {
    return absl::UnavailableError(StrCat(selection_.gvr.resource, " ", why));
  };
  if (!understood_.ok()) return no(StrCat("are not understood: ", understood_.message()));
  if (!followed_.ok()) return no(StrCat("are not followed: ", followed_.message()));
  if (!listed_) return no("are not listed yet");
  return absl::OkStatus();
}

const ContentDigest* CompactIndex::Find(const kube::NamespacedName& name) const {
  const auto it = entries_.find(KeyOf(name));
  return it == entries_.end() ? nullptr : &it->second.content;
}

std::optional<uint32_t> CompactIndex::TagOf(const kube::NamespacedName& name) const {
  const auto it = entries_.find(KeyOf(name));
  if (it == entries_.end()) return std::nullopt;
  return it->second.tag;
}

void CompactIndex::Note(const Observed& object) {
  const auto [it, is_new] =
      entries_.try_emplace(KeyOf(object.name), Entry{object.content, list_, object.tag});
  it->second.list = list_;
  if (!is_new && it->second.content == object.content) return;
  it->second.content = object.content;
  it->second.tag = object.tag;
  if (callbacks_.changed) callbacks_.changed(object.name, &object.content);
}

void CompactIndex::Forget(const kube::NamespacedName& name) {
  if (entries_.erase(KeyOf(name)) == 0) return;
  if (callbacks_.changed) callbacks_.changed(name, nullptr);
}

void CompactIndex::EndList() {
  absl::erase_if(entries_, [this](const auto& entry) { return entry.second.list != list_; });
  listed_ = true;
  if (callbacks_.listed) callbacks_.listed();
}

}  // namespace steward::controllers
