// The findings of doctor in a cluster. Values.
#ifndef PLUGIN_DOCTOR_DIAGNOSIS_H_
#define PLUGIN_DOCTOR_DIAGNOSIS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"

namespace steward::plugin {

enum class Outcome {
  kOk,
  kWarning,  // works, but somebody should know
  kFailed,
  kUnseen,  // the user may not read what the check needs, or it could not be read
};

struct Diagnosis {
  std::string check;  // "Leader"
  Outcome outcome = Outcome::kOk;
  std::string message;
  std::string remedy = {};  // how to mend it; of kWarning and kFailed
  bool forbidden = false;   // of kUnseen: because of missing rights
};

// The findings of one check. Not thread-safe.
class CheckFindings {
 public:
  // `all` receives the findings. REQUIRES: it outlives this object.
  CheckFindings(std::string check, std::vector<Diagnosis>& all)
      : check_(std::move(check)), all_(all) {}

  void Ok(std::string message) { Add(Outcome::kOk, std::move(message), ""); }
  void Warn(std::string message, std::string remedy) {
    Add(Outcome::kWarning, std::move(message), std::move(remedy));
  }
  void Fail(std::string message, std::string remedy) {
    Add(Outcome::kFailed, std::move(message), std::move(remedy));
  }
  // `what` could not be read.
  void Unseen(std::string_view what, const absl::Status& why) {
    const bool forbidden = kube::IsForbidden(why);
    Add(Outcome::kUnseen,
        StrCat(what, forbidden ? " may not be read with your rights: " : " could not be read: ",
               ToStd(why.message())),
        "");
    all_.back().forbidden = forbidden;
  }
  // True if nothing was found yet.
  bool clean() const { return clean_; }

 private:
  void Add(Outcome outcome, std::string message, std::string remedy) {
    clean_ = false;
    all_.push_back({check_, outcome, std::move(message), std::move(remedy)});
  }

  const std::string check_;
  std::vector<Diagnosis>& all_;
  bool clean_ = true;
};

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_DIAGNOSIS_H_
