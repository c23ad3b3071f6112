// The question in the body of a PlanPreview that is created. Values and pure functions.
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
  // What is given back: names, namespace, labels and annotations; and the spec without unknown
  // fields.
  boost::json::object metadata;
  boost::json::object spec;
  std::variant<PlanQuestion, upstream::PreviewedBundle, UninstallQuestion, CopiesQuestion> asked;
  std::vector<std::string> warnings;  // about unknown fields; printable ASCII
};

// Reads an object that was sent to namespace `ns`. Errors carry a Kubernetes Status: 400 for
// another kind or namespace, for metadata that cannot be read, and with strict validation for
// unknown fields; 413 for a bundle of more than olm::kMaxBundleBytes; 422 with a cause for each
// wrong field, of which there are no more than some.
absl::StatusOr<Question> ParseQuestion(std::string_view ns, boost::json::object body,
                                       rest::FieldValidation validation);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_CREATION_QUESTION_H_
