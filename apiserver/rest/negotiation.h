// Chooses the form of a response from Accept, `pretty` and User-Agent.
#ifndef APISERVER_REST_NEGOTIATION_H_
#define APISERVER_REST_NEGOTIATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/http/message.h"

namespace steward::rest {

enum class Serializer { kJson, kYaml };

// "application/json" or "application/yaml".
std::string_view ContentType(Serializer serializer);

// What an object or a list is to be turned into.
enum class Form { kObject, kTable, kPartialMetadata, kPartialMetadataList };

struct OutputFormat {
  Serializer serializer = Serializer::kJson;
  Form form = Form::kObject;
  // Version of group meta.k8s.io that the form is asked in: "v1" or "v1beta1".
  std::string meta_version = "v1";
  // Indented JSON. Never set for YAML.
  bool pretty = false;
};

// Walks the Accept header's clauses and takes the first that can be served; none or an empty header
// means JSON. Unknown parameters do not reject a clause, an unknown form (`as`, `g`, `v`) does.
// Error: 406 in Kubernetes' wording.
absl::StatusOr<OutputFormat> NegotiateResource(const http::Request& request);

// The same for a watch, whose frames are compact JSON only.
absl::StatusOr<OutputFormat> NegotiateWatch(const http::Request& request);

// For what has one form only: errors and discovery documents. A clause that asks for another form
// is passed over. Nullopt: nothing that the client accepts can be served.
std::optional<OutputFormat> NegotiatePlain(const http::Request& request);

// Indented JSON was asked for by `pretty`, or, where that is absent, the User-Agent shows a person
// at a terminal or a browser.
bool WantsPretty(const http::Request& request);

// 406, with the media types that are served.
absl::Status NotAcceptable();

}  // namespace steward::rest

#endif  // APISERVER_REST_NEGOTIATION_H_
