#include "controllers/copied_rbac/rbac_watch.h"

#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace {

// The limit of one page, because anybody may write the labels on objects of a megabyte.
constexpr size_t kPageBytes = size_t{4} << 20;

}  // namespace

class RbacWatch::Sink : public storage::ReflectorSink {
 public:
  explicit Sink(RbacWatch& watch) : watch_(watch) {}

  void OnReplaceBegin() override { listed_.clear(); }
  void OnReplaceItem(const kube::RawObject& object) override { Take(listed_, object, false); }
  void OnReplaceEnd(uint64_t) override {
    // Call `listed` while copies_ still has the old sources: those whose copies are all gone must
    // be looked at, too.
    watch_.callbacks_.listed();
    watch_.copies_ = std::exchange(listed_, {});
    watch_.callbacks_.listed();
  }
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    Take(watch_.copies_, object, type == kube::WatchEvent::Type::kDeleted);
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {}
  void OnConnected() override {}
  void OnDisconnected(const absl::Status&) override {}

 private:
  void Take(Sources& copies, const kube::RawObject& object, bool gone) {
    const absl::StatusOr<olm::ObjectFacts> facts = olm::DecodeObjectFacts(object.json);
    if (facts.ok()) {
      watch_.Tell(copies, *facts, gone);
    } else {
      log::Error("Cannot read an object's metadata; it is left out", {{"err", facts.status()}});
    }
  }

  RbacWatch& watch_;
  Sources listed_;
};

RbacWatch::RbacWatch(const ReconcilerDeps& deps, olm::RbacKind kind, Callbacks callbacks)
    : deps_(deps), kind_(kind), callbacks_(std::move(callbacks)) {}

VoidTask RbacWatch::Run() {
  storage::ReflectorOptions options;
  options.gvr = olm::ResourceOf(kind_);
  options.label_selector = StrCat(olm::kOwnerKindLabel, "=", olm::kOwnerKind);
  options.metadata_only = true;
  options.page_bytes = kPageBytes;
  Sink sink(*this);
  storage::Reflector reflector(deps_.client, deps_.clock, deps_.random, options, sink);
  co_await reflector.Run();
}

void RbacWatch::ForEachSource(const std::function<void(const std::string&)>& visit) const {
  std::set<std::string> sources;
  for (const auto& [copy, source] : copies_) sources.insert(source);
  for (const std::string& source : sources) visit(source);
}

void RbacWatch::Tell(Sources& copies, const olm::ObjectFacts& object, bool gone) {
  std::string former;
  if (const auto it = copies.find(object.key); it != copies.end()) {
    former = std::exchange(it->second, {});
    copies.erase(it);
  }
  const auto label = object.labels.find(olm::kCopiedFromLabel);
  std::string source = label == object.labels.end() ? std::string() : label->second;
  if (!gone && !source.empty()) copies[object.key] = source;
  if (source.empty()) source = object.key.ns;
  callbacks_.changed(source);
  if (!former.empty() && former != source) callbacks_.changed(former);
}

}  // namespace steward::controllers
