// A collector of the errors in a request's options. Not thread-safe.
#ifndef APISERVER_REST_PARAMETERS_OPTION_CHECKER_H_
#define APISERVER_REST_PARAMETERS_OPTION_CHECKER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "kube/meta/status.h"

namespace steward::rest {

// The causes have the wording of k8s.io/apimachinery/pkg/util/validation/field.
class OptionChecker {
 public:
  // `kind` is a kind of group meta.k8s.io, "ListOptions" for example.
  explicit OptionChecker(std::string_view kind) : kind_(kind) {}

  void Require(std::string_view field, std::string_view why);
  void Forbid(std::string_view field, std::string_view why);
  void TooLong(std::string_view field, size_t max_bytes);
  // `value` is JSON.
  void Invalid(std::string_view field, std::string_view value, std::string_view why);
  void Unsupported(std::string_view field, std::string_view value,
                   const std::vector<std::string_view>& supported);

  // 422 with all causes, in the order in which they were added.
  absl::Status Result() &&;

 private:
  void Add(std::string_view reason, std::string message, std::string_view field);

  const std::string kind_;
  std::vector<kube::StatusCause> causes_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_PARAMETERS_OPTION_CHECKER_H_
