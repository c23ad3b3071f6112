// What a preview says: for each step of something that could be done to the cluster, what would
// become of it. Values and pure functions.
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

// The manifests that one question about a bundle may bring, and their bytes.
inline constexpr size_t kMaxBundleManifests = 1000;
inline constexpr size_t kMaxBundleBytes = 3 << 20;

enum class Outcome {
  kCreate,
  kUpdate,
  kUnchanged,
  kNotCreated,  // an optional step that the cluster would refuse, which stops nothing
  kDelete,
  kKeep,     // it would not be deleted
  kBlocked,  // the step would not be tried
  kFail,     // the step would be tried, and the cluster would refuse it
  kUnknown,  // neither a rule nor a dry run can tell
};
inline constexpr size_t kOutcomes = static_cast<size_t>(Outcome::kUnknown) + 1;

enum class Basis {
  kRule,    // concluded from what is known of the cluster
  kDryRun,  // answered by the API server to a write with dryRun=All
};

// "Create", "NotCreated" and so on; "Rule", "DryRun".
std::string_view ToString(Outcome outcome);
std::string_view ToString(Basis basis);
// A word that is not known is of a newer version: Unknown, Rule.
Outcome OutcomeOf(std::string_view word);
Basis BasisOf(std::string_view word);

// Reasons that the API server's answer to a dry run gives; one that refuses has its own
// ("Forbidden", "Invalid").
inline constexpr std::string_view kAccepted = "Accepted";
inline constexpr std::string_view kWebhookWithoutDryRun = "WebhookWithoutDryRun";
inline constexpr std::string_view kNoAnswer = "NoAnswer";  // that could be understood
// Reasons of objects that go.
inline constexpr std::string_view kBeingDeleted = "BeingDeleted";
inline constexpr std::string_view kDeletedByRequester = "DeletedByRequester";

// A field of an object before and after a step.
struct PreviewChange {
  std::string path;    // "" = the whole object
  std::string before;  // JSON; "" = it is not there, or is left out
  std::string after;   // likewise
  bool cut = false;    // the values, or long texts in them, are left out

  bool operator==(const PreviewChange&) const = default;
};

struct PreviewStep {
  size_t index = 0;       // its place in what is previewed, from 0
  std::string resolving;  // the ClusterServiceVersion that it belongs to
  kube::GroupVersionKind gvk;
  std::string ns;  // "" outside of namespaces, and where the scope is not known
  std::string name;
  bool declared_optional = false;
  bool optional = false;  // with effect
  Outcome outcome = Outcome::kUnknown;
  Basis basis = Basis::kRule;
  std::string reason;                       // CamelCase, one word per cause
  int code = 0;                             // of the HTTP answer; 0 = none
  std::string message;                      // one sentence, or ""
  std::vector<std::string> changed_fields;  // paths, of an update
  std::vector<PreviewChange> changes;       // those fields, or what is created; may be left out
  std::vector<std::string> warnings;        // of the API server about the dry run
  std::string status;                       // what an InstallPlan's step says, e.g. "Created"

  bool operator==(const PreviewStep&) const = default;
};

// Whether it would be done, and why.
struct PlanCondition {
  bool executable = false;
  std::string reason;
  std::string message;

  bool operator==(const PlanCondition&) const = default;
};

// What a PlanPreview says.
struct PlanPreview {
  PlanCondition condition;
  std::vector<PreviewStep> steps;
  int64_t hidden = 0;     // steps between those, about objects that the requester may not list
  int64_t remaining = 0;  // steps behind those, hidden ones included

  // Appends a step about an object, by rule.
  PreviewStep& Add(kube::GroupVersionKind gvk, kube::NamespacedName name, std::string resolving);
  // Appends the next page of the same answer. The whole is executable if each page is.
  void Append(PlanPreview page);
};

// Says of a step what the API server answered to a write with dryRun=All: `accepted` where it would
// do it, and then reason and message stay as they are; else Fail or Unknown, with the answer's.
void SayAnswer(const absl::Status& answer, Outcome accepted, PreviewStep& step);

// The number of steps with each outcome.
struct PreviewSummary {
  std::array<size_t, kOutcomes> counts = {};

  static PreviewSummary Of(const std::vector<PreviewStep>& steps);
  size_t operator[](Outcome outcome) const { return counts[static_cast<size_t>(outcome)]; }
  bool operator==(const PreviewSummary&) const = default;
};

// Append JSON: status.conditions; an array of objects, whose empty members are left out and whose
// `index` counts from 1, and an object with a count for each outcome ("notCreated": 2). REQUIRES:
// the values of changes are JSON.
void AppendConditions(const PlanCondition& condition, std::string& out);
void AppendSteps(const std::vector<PreviewStep>& steps, std::string& out);
void AppendSummary(const PreviewSummary& summary, std::string& out);

}  // namespace steward::olm

#endif  // OLM_PREVIEW_PREVIEW_H_
