// The cluster-admin's choice whether operators for all namespaces are copied. Lives on one
// executor.
#ifndef CONTROLLERS_COPIES_COPY_TOGGLE_H_
#define CONTROLLERS_COPIES_COPY_TOGGLE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "olm/copy/slot.h"

namespace steward::controllers {

// The choice if the OLMConfig `cluster` makes none, and the namespaces that it never affects.
struct CopyToggleDefaults {
  bool disabled = false;  // --disable-copied-csvs
  std::set<std::string, std::less<>> protected_namespaces;
};

// The choice and its origin.
struct CopyChoice {
  enum class By {
    kNobody,         // nothing was read yet
    kOlmConfig,      // the OLMConfig `cluster`
    kDefaults,       // there is no OLMConfig `cluster`, or it makes no choice
    kNotUnderstood,  // its value is neither true nor false
  };
  olm::CopyPolicy policy;
  By by = By::kNobody;

  bool operator==(const CopyChoice&) const = default;
};

// The OLMConfig `cluster` makes the choice. If it does not exist or makes no choice, the defaults
// apply (R-004-25, 26). Other OLMConfigs are logged once and have no effect (R-004-23).
//
//   followed:  what a watch has told, which may be old;       enough to make copies
//   read live: what the cluster says at this moment;          needed to delete one
//
// The choice is also read periodically, because watches may miss fields: when the definition of
// OLMConfigs is replaced, they go on for minutes without the fields that only the new definition
// has.
//
// A choice that cannot be read or understood is unknown: existing copies stay.
class CopyToggle {
 public:
  // REQUIRES: the references outlive this object and its calls.
  CopyToggle(kube::Client& client, Clock& clock, Random& random, CopyToggleDefaults defaults);
  ~CopyToggle();
  CopyToggle(const CopyToggle&) = delete;
  CopyToggle& operator=(const CopyToggle&) = delete;

  struct Listener {
    // Called after each change of the OLMConfig `cluster`, even if the choice is the same.
    std::function<void()> told;
    // Called once for each other OLMConfig. May be null.
    std::function<void(const std::string& name)> other;
  };
  // Follows the choice until cancelled. Called once.
  VoidTask Run(Listener listener);

  // The choice if the OLMConfig `cluster` has this result of olm::DisablesCopies.
  olm::CopyPolicy PolicyBy(const absl::StatusOr<std::optional<bool>>& word) const;

  // The choice as followed. Valid until other code runs on the executor.
  const olm::CopyPolicy& policy() const { return choice_.policy; }
  const CopyChoice& choice() const { return choice_; }

  // Reads the choice now. Errors are those of the client; a choice that is not understood is not an
  // error.
  Task<olm::CopyPolicy> ReadLive();

 private:
  class Sink;

  CopyChoice ChoiceBy(const absl::StatusOr<std::optional<bool>>& word) const;
  CopyChoice Absent() const;
  void NoteOther(const std::string& name);
  void Choose(const CopyChoice& choice);
  Task<CopyChoice> ReadChoice();
  VoidTask LookNowAndThen();

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  const CopyToggleDefaults defaults_;
  CopyChoice choice_;
  std::set<std::string> others_;  // OLMConfigs that were reported
  Listener listener_;
  uint64_t news_ = 0;  // counts the choices that were told
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_COPY_TOGGLE_H_
