#include "controllers/copies/copy_toggle.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "base/async/race.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "olm/config/olm_config.h"
#include "olm/resources.h"
#include "storage/reflector/reflector.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {
namespace {

// The limit of other OLMConfigs that are remembered, so that each is reported once.
constexpr size_t kMaxOthers = 100;
constexpr absl::Duration kLookEvery = absl::Seconds(30);

storage::ReflectorOptions Configs() {
  storage::ReflectorOptions options;
  options.gvr = olm::kOlmConfigs;
  options.may_be_absent = true;
  return options;
}

}  // namespace

// The reflector's sink. The choice changes when a list is complete, and with each event.
class CopyToggle::Sink : public storage::ReflectorSink {
 public:
  explicit Sink(CopyToggle& toggle) : toggle_(toggle), found_(toggle.Absent()) {}

  void OnReplaceBegin() override { found_ = toggle_.Absent(); }
  void OnReplaceItem(const kube::RawObject& object) override { Take(object, false); }
  void OnReplaceEnd(uint64_t) override { toggle_.Choose(found_); }
  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& object, uint64_t) override {
    Take(object, type == kube::WatchEvent::Type::kDeleted);
    toggle_.Choose(found_);
  }
  void OnBookmark(uint64_t) override {}
  void OnAbsent() override {
    found_ = toggle_.Absent();
    toggle_.Choose(found_);
  }
  void OnConnected() override {}
  void OnDisconnected(const absl::Status&) override {}

 private:
  void Take(const kube::RawObject& object, bool gone) {
    const absl::StatusOr<olm::OlmConfigWord> config = olm::ReadOlmConfig(object.json);
    if (!config.ok()) {
      log::Error("An OLMConfig is not understood", {{"err", config.status()}});
      found_ = toggle_.ChoiceBy(config.status());
    } else if (config->name != olm::kOlmConfigName) {
      toggle_.NoteOther(config->name);
    } else if (gone) {
      found_ = toggle_.Absent();
    } else {
      found_ = toggle_.ChoiceBy(config->disables_copies);
    }
  }

  CopyToggle& toggle_;
  CopyChoice found_;
};

CopyToggle::CopyToggle(kube::Client& client, Clock& clock, Random& random,
                       CopyToggleDefaults defaults)
    : client_(client), clock_(clock), random_(random), defaults_(std::move(defaults)) {
  choice_.policy.global = olm::CopyPolicy::Global::kUnknown;
  choice_.policy.protected_namespaces = defaults_.protected_namespaces;
}

CopyToggle::~CopyToggle() = default;

VoidTask CopyToggle::Run(Listener listener) {
  listener_ = std::move(listener);
  Sink sink(*this);
  storage::Reflector reflector(client_, clock_, random_, Configs(), sink);
  co_await UntilOneEnds(reflector.Run(), LookNowAndThen());
}

VoidTask CopyToggle::LookNowAndThen() {
  while (true) {
    co_await clock_.Sleep(kLookEvery);
    const uint64_t before = news_;
    const absl::StatusOr<CopyChoice> live = co_await ReadChoice();
    // Skip this if the watch has told a newer choice meanwhile.
    if (live.ok() && *live != choice_ && news_ == before) Choose(*live);
  }
}

CopyChoice CopyToggle::ChoiceBy(const absl::StatusOr<std::optional<bool>>& word) const {
  using Global = olm::CopyPolicy::Global;
  CopyChoice choice;
  choice.policy.protected_namespaces = defaults_.protected_namespaces;
  if (!word.ok()) {
    choice.by = CopyChoice::By::kNotUnderstood;
    choice.policy.global = Global::kUnknown;
  } else {
    choice.by = word->has_value() ? CopyChoice::By::kOlmConfig : CopyChoice::By::kDefaults;
    choice.policy.global =
        word->value_or(defaults_.disabled) ? Global::kNotCopied : Global::kCopied;
  }
  return choice;
}

olm::CopyPolicy CopyToggle::PolicyBy(const absl::StatusOr<std::optional<bool>>& word) const {
  return ChoiceBy(word).policy;
}

CopyChoice CopyToggle::Absent() const { return ChoiceBy(std::nullopt); }

void CopyToggle::NoteOther(const std::string& name) {
  if (others_.size() >= kMaxOthers || !others_.insert(name).second) return;
  if (listener_.other) listener_.other(name);
}

void CopyToggle::Choose(const CopyChoice& choice) {
  ++news_;
  choice_ = choice;
  if (listener_.told) listener_.told();
}

Task<olm::CopyPolicy> CopyToggle::ReadLive() {
  CO_ASSIGN_OR_RETURN(const CopyChoice choice, co_await ReadChoice());
  co_return choice.policy;
}

Task<CopyChoice> CopyToggle::ReadChoice() {
  const kube::NamespacedName key{"", olm::kOlmConfigName};
  const absl::StatusOr<kube::RawObject> object = co_await client_.Get(olm::kOlmConfigs, key);
  if (object.ok()) {
    const absl::StatusOr<olm::OlmConfigWord> config = olm::ReadOlmConfig(object->json);
    if (!config.ok()) co_return ChoiceBy(config.status());
    co_return ChoiceBy(config->disables_copies);
  }
  if (kube::IsNotFound(object.status(), olm::kOlmConfigName)) co_return Absent();
  // A proxy may have given this answer, too. So if the defaults turn copies off, which deletes
  // them, the watch must have reported the same.
  if (kube::IsNotServed(object.status()) &&
      (!defaults_.disabled || choice_.policy == Absent().policy)) {
    co_return Absent();
  }
  co_return object.status();
}

}  // namespace steward::controllers
