// The result of a preview: the expected outcome of each step of a change to the cluster. Values and
// pure functions.
#ifndef OLM_PREVIEW_PREVIEW_H_
#define OLM_PREVIEW_PREVIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/meta/names.h"

namespace steward::olm {

// The most manifests in one question about a bundle, and their most bytes.
inline constexpr size_t kMaxBundleManifests = 1000;
inline constexpr size_t kMaxBundleBytes = 3 << 20;

enum class Outcome {
  kCreate,
  kUpdate,
  kUnchanged,
  kNotCreated,  // the cluster would refuse an optional step, which stops no other step
  kDelete,
  kKeep,     // the object would not be deleted
  kBlocked,  // the step would not be tried
  kFail,     // the step would be tried, and the cluster would refuse it
  kUnknown,  // neither a rule nor a dry run can tell
};
inline constexpr size_t kOutcomes = static_cast<size_t>(Outcome::kUnknown) + 1;

enum class Basis {
  kRule,    // concluded from known facts about the cluster
  kDryRun,  // answered by the API server to a write with dryRun=All
};

// Return "Create", "NotCreated" and so on; "Rule" or "DryRun".
std::string_view ToString(Outcome outcome);
std::string_view ToString(Basis basis);
// Parse a word. An unknown word, which a newer version may send, gives kUnknown or kRule.
Outcome OutcomeOf(std::string_view word);
Basis BasisOf(std::string_view word);

// Reasons from the API server's answer to a dry run. A refusal has the reason of the answer
// ("Forbidden", "Invalid").
inline constexpr std::string_view kAccepted = "Accepted";
inline constexpr std::string_view kWebhookWithoutDryRun = "WebhookWithoutDryRun";
inline constexpr std::string_view kNoAnswer = "NoAnswer";  // no answer, or none that could be read
// Reasons of steps that delete objects.
inline constexpr std::string_view kBeingDeleted = "BeingDeleted";
inline constexpr std::string_view kDeletedByRequester = "DeletedByRequester";

// A field of an object before and after a step.
struct PreviewChange {
  std::string path;    // "" = the whole object
  std::string before;  // JSON; "" = the field is absent, or its value is left out
  std::string after;   // like `before`
  bool cut = false;    // the values, or long texts in them, are left out

  bool operator==(const PreviewChange&) const = default;
};

struct PreviewStep {
  size_t index = 0;       // the step's place in the previewed change, from 0
  std::string resolving;  // the ClusterServiceVersion to which the step belongs
  kube::GroupVersionKind gvk;
  std::string ns;  // "" = cluster-scoped, or the scope is not known
  std::string name;
  bool declared_optional = false;
  bool optional = false;  // effectively, not just declared so
  Outcome outcome = Outcome::kUnknown;
  Basis basis = Basis::kRule;
  std::string reason;                       // CamelCase, one word per cause
  int code = 0;                             // the code of the HTTP answer; 0 = none
  std::string message;                      // one sentence, or ""
  std::vector<std::string> changed_fields;  // paths of the fields that an update changes
  std::vector<PreviewChange> changes;       // their values, or the created object; may be left out
  std::vector<std::string> warnings;        // the API server's warnings about the dry run
  std::string status;                       // the status of an InstallPlan's step, e.g. "Created"

  bool operator==(const PreviewStep&) const = default;
};

// Tells whether the whole change would be done, and why.
struct PlanCondition {
  bool executable = false;
  std::string reason;
  std::string message;

  bool operator==(const PlanCondition&) const = default;
};

// The content of a PlanPreview's status.
struct PlanPreview {
  PlanCondition condition;
  std::vector<PreviewStep> steps;
  int64_t hidden = 0;     // steps in between about objects that the requester may not list
  int64_t remaining = 0;  // steps after the listed ones, hidden ones included

  // Appends a step about an object, with the basis kRule.
  PreviewStep& Add(kube::GroupVersionKind gvk, kube::NamespacedName name, std::string resolving);
  // Appends the next page of the same answer. The whole is executable if each page is.
  void Append(PlanPreview page);
};

// Writes the API server's answer to a dry run into the step. If the server accepts, the outcome is
// `accepted`, and reason and message stay as they are. Otherwise it is kFail or kUnknown, with the
// reason and message of the answer.
void SayAnswer(const absl::Status& answer, Outcome accepted, PreviewStep& step);

// The number of steps with each outcome.
struct PreviewSummary {
  std::array<size_t, kOutcomes> counts = {};

  static PreviewSummary Of(const std::vector<PreviewStep>& steps);
  size_t operator[](Outcome outcome) const { return counts[static_cast<size_t>(outcome)]; }
  bool operator==(const PreviewSummary&) const = default;
};

// Append JSON. AppendConditions writes status.conditions. The steps become an array of objects
// without empty members, whose `index` counts from 1. The summary becomes an object with a count
// per outcome ("notCreated": 2). REQUIRES: the values of changes are JSON.
void AppendConditions(const PlanCondition& condition, std::string& out);
void AppendSteps(const std::vector<PreviewStep>& steps, std::string& out);
void AppendSummary(const PreviewSummary& summary, std::string& out);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PREVIEW_H_
