// The choice of a response's form by Accept, `pretty` and User-Agent. Values and pure functions.
#ifndef APISERVER_REST_NEGOTIATION_NEGOTIATION_H_
#define APISERVER_REST_NEGOTIATION_NEGOTIATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::rest {

enum class Serializer { kJson, kYaml };

// "application/json" or "application/yaml".
std::string_view ContentType(Serializer serializer);

// The form into which an object or a list is converted.
enum class Form { kObject, kTable, kPartialMetadata, kPartialMetadataList };

struct OutputFormat {
  Serializer serializer = Serializer::kJson;
  Form form = Form::kObject;
  // The version of group meta.k8s.io in which the form was requested: "v1" or "v1beta1".
  std::string meta_version = "v1";
  // Indented JSON. Never set for YAML.
  bool pretty = false;
};

// Takes the first of the Accept header's clauses that can be served; no header or an empty one
// means JSON. A clause may have unknown parameters, but a clause with an unknown form (`as`, `g`,
// `v`) is skipped. Error: 406 in Kubernetes' wording.
absl::StatusOr<OutputFormat> NegotiateResource(const http::Request& request);

// Negotiates for a watch, whose frames are compact JSON only.
absl::StatusOr<OutputFormat> NegotiateWatch(const http::Request& request);

// Negotiates for documents with a single form: errors and discovery. A clause that asks for another
// form is skipped. Nullopt when nothing that the client accepts can be served.
std::optional<OutputFormat> NegotiatePlain(const http::Request& request);

// True if the parameter `pretty` requests indented JSON or, without that parameter, if the
// User-Agent is that of a terminal program or a browser.
bool WantsPretty(const http::Request& request);

// 406, with the media types that are served.
absl::Status NotAcceptable();

}  // namespace steward::rest

#endif  // APISERVER_REST_NEGOTIATION_NEGOTIATION_H_
