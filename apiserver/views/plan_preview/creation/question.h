// Reads the question in the body of a PlanPreview that is created. Values and pure functions.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_CREATION_QUESTION_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_CREATION_QUESTION_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/rest/resource/field_validation.h"
#include "apiserver/upstream/previews.h"

namespace steward::views {

struct UninstallQuestion {
  std::string csv;
  std::optional<bool> cleanup;
};
struct PlanQuestion {
  std::string name;
};
struct CopiesQuestion {
  bool enabled = false;
};

struct Question {
  // The parts that the answer repeats: in `metadata` names, namespace, labels and annotations, and
  // the spec without unknown fields.
  boost::json::object metadata;
  boost::json::object spec;
  std::variant<PlanQuestion, upstream::PreviewedBundle, UninstallQuestion, CopiesQuestion> asked;
  std::vector<std::string> warnings;  // about unknown fields; printable ASCII
};

// Parses an object that was sent to namespace `ns`. Errors carry a Kubernetes Status. 400: another
// kind or namespace, unreadable metadata, or, with strict validation, unknown fields. 413: a bundle
// of more than olm::kMaxBundleBytes. 422: wrong fields, with a cause for each up to a limit.
absl::StatusOr<Question> ParseQuestion(std::string_view ns, boost::json::object body,
                                       rest::FieldValidation validation);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_CREATION_QUESTION_H_
