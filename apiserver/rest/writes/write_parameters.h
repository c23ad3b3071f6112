// Query parameters of POST, PUT and PATCH, with Kubernetes' codes and wording
// (k8s.io/apimachinery/pkg/apis/meta/v1/validation). Values and pure functions.
#ifndef APISERVER_REST_WRITES_WRITE_PARAMETERS_H_
#define APISERVER_REST_WRITES_WRITE_PARAMETERS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/parameters/option_checker.h"
#include "apiserver/rest/resource/field_validation.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

struct WriteParameters {
  kube::WriteOptions options;  // without the subresource
  FieldValidation field_validation = FieldValidation::kWarn;
};

// Each error carries a Kubernetes Status: 422 with a cause for each problem. Unknown parameters are
// ignored.
absl::StatusOr<WriteParameters> ParseCreateParameters(const http::Request& request);
absl::StatusOr<WriteParameters> ParseUpdateParameters(const http::Request& request);
absl::StatusOr<WriteParameters> ParsePatchParameters(const http::Request& request,
                                                     kube::PatchType type);

// Checks dryRun, a list in which each value must be "All".
void CheckDryRun(const std::vector<std::string>& values, OptionChecker& checker);

}  // namespace steward::rest

#endif  // APISERVER_REST_WRITES_WRITE_PARAMETERS_H_
