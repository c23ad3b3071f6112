// The body of a write, from bytes to one JSON value. Every error carries a Kubernetes Status in
// Kubernetes' wording: 400 for what can't be read, 413 for what is too large, 415 for a
// Content-Type that is not taken.
#ifndef APISERVER_REST_REQUEST_BODY_H_
#define APISERVER_REST_REQUEST_BODY_H_

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/write_parameters.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

enum class BodyFormat { kJson, kYaml, kProtobuf };
// application/json, also when there is no Content-Type, application/yaml and, if `protobuf`,
// application/vnd.kubernetes.protobuf; else 415.
absl::StatusOr<BodyFormat> BodyFormatOf(const http::Request& request, bool protobuf);

struct Body {
  boost::json::value value;
  std::vector<std::string> warnings;  // printable ASCII
};

// An object of kind `gvk`: a JSON object, of which nothing else was checked. In JSON the last of
// several equal keys wins, but under strict validation they are refused; in YAML they always are.
// Protobuf is never validated; in it, a kind without a known binary form is answered with 415.
absl::StatusOr<Body> ParseObjectBody(const http::Request& request, BodyFormat format,
                                     const kube::GroupVersionKind& gvk, FieldValidation validation);

// The kind of patch that Content-Type announces; 415 unless `accepted` lists the media type.
absl::StatusOr<kube::PatchType> ParsePatchType(const http::Request& request,
                                               const std::vector<std::string>& accepted);
// A JSON array for PatchType::kJson, else a JSON object; equal keys as above.
absl::StatusOr<Body> ParsePatchBody(const http::Request& request, kube::PatchType type,
                                    FieldValidation validation);

}  // namespace steward::rest

#endif  // APISERVER_REST_REQUEST_BODY_H_
