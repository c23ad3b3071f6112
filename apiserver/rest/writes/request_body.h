// The decoding of a write's body to one JSON value. Pure functions. Every error carries a
// Kubernetes Status in Kubernetes' wording: 400 for an unreadable body, 413 for one that is too
// large, 415 for an unsupported Content-Type.
#ifndef APISERVER_REST_WRITES_REQUEST_BODY_H_
#define APISERVER_REST_WRITES_REQUEST_BODY_H_

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/writes/write_parameters.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"

namespace steward::rest {

enum class BodyFormat { kJson, kYaml, kProtobuf };
// The format for application/json or no Content-Type, application/yaml and, if `protobuf`,
// application/vnd.kubernetes.protobuf; else 415.
absl::StatusOr<BodyFormat> BodyFormatOf(const http::Request& request, bool protobuf);

struct Body {
  boost::json::value value;
  std::vector<std::string> warnings;  // printable ASCII
};

// Decodes an object of kind `gvk`, but checks only that it is a JSON object. In JSON the last of
// several equal keys wins, except that strict validation refuses them; in YAML they are always
// refused. Protobuf is never validated; a kind without a known binary form is answered with 415.
absl::StatusOr<Body> ParseObjectBody(const http::Request& request, BodyFormat format,
                                     const kube::GroupVersionKind& gvk, FieldValidation validation);

// The kind of patch that Content-Type names; 415 unless `accepted` lists the media type.
absl::StatusOr<kube::PatchType> ParsePatchType(const http::Request& request,
                                               const std::vector<std::string>& accepted);
// Decodes a JSON array for PatchType::kJson, else a JSON object; equal keys as above.
absl::StatusOr<Body> ParsePatchBody(const http::Request& request, kube::PatchType type,
                                    FieldValidation validation);

}  // namespace steward::rest

#endif  // APISERVER_REST_WRITES_REQUEST_BODY_H_
