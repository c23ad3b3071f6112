#include "apiserver/rest/negotiation/negotiation.h"

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "apiserver/rest/negotiation/accept.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// strconv.ParseBool, with every unreadable value false.
bool IsGoTrue(std::string_view s) {
  return s == "1" || s == "t" || s == "T" || s == "true" || s == "TRUE" || s == "True";
}

struct Conversion {
  bool wanted = false;
  std::string_view as, group, version;
};

std::optional<Form> FormOf(const Conversion& conversion) {
  if (!conversion.wanted) return Form::kObject;
  if (conversion.group != "meta.k8s.io") return std::nullopt;
  if (conversion.version != "v1" && conversion.version != "v1beta1") return std::nullopt;
  if (conversion.as == "Table") return Form::kTable;
  if (conversion.as == "PartialObjectMetadata") return Form::kPartialMetadata;
  if (conversion.as == "PartialObjectMetadataList") return Form::kPartialMetadataList;
  return std::nullopt;
}

// Nullopt when `clause` asks for a form that does not exist.
std::optional<OutputFormat> Apply(const AcceptClause& clause, Serializer serializer) {
  OutputFormat format;
  format.serializer = serializer;
  Conversion conversion;
  for (const auto& [key, value] : clause.parameters) {
    if (key == "as" || key == "g" || key == "v") {
      conversion.wanted = true;
      (key == "as" ? conversion.as : key == "g" ? conversion.group : conversion.version) = value;
    } else if (key == "stream") {
      if (value != "watch" || serializer != Serializer::kJson) return std::nullopt;
    } else if (key == "sv") {
      if (value != "v1") return std::nullopt;
    } else if (key == "pretty") {
      format.pretty = value == "1";
    }
  }
  const std::optional<Form> form = FormOf(conversion);
  if (!form) return std::nullopt;
  format.form = *form;
  if (conversion.wanted) format.meta_version = conversion.version;
  return format;
}

// The serializers and forms that may be chosen.
enum class Offer { kEverything, kPlain, kStream };

std::optional<OutputFormat> Choose(std::string_view header, Offer offer) {
  if (header.empty()) return OutputFormat();
  const bool plain = offer == Offer::kPlain;
  static constexpr std::array<std::pair<Serializer, std::string_view>, 2> kOffers = {
      {{Serializer::kJson, "json"}, {Serializer::kYaml, "yaml"}}};
  for (const AcceptClause& clause : ParseAccept(header)) {
    for (const auto& [serializer, subtype] : kOffers) {
      if (!clause.Matches("application", subtype)) continue;
      if (offer == Offer::kStream && serializer != Serializer::kJson) continue;
      std::optional<OutputFormat> format = Apply(clause, serializer);
      if (format && !(plain && format->form != Form::kObject)) return format;
    }
  }
  return std::nullopt;
}

std::optional<OutputFormat> Negotiate(const http::Request& request, Offer offer) {
  const std::string* accept = request.headers.Find("Accept");
  std::optional<OutputFormat> format = Choose(accept == nullptr ? "" : *accept, offer);
  if (!format) return format;
  // A frame is a line, so it is never indented.
  format->pretty = offer != Offer::kStream && format->serializer == Serializer::kJson &&
                   (format->pretty || WantsPretty(request));
  return format;
}

}  // namespace

std::string_view ContentType(Serializer serializer) {
  return serializer == Serializer::kYaml ? "application/yaml" : "application/json";
}

bool WantsPretty(const http::Request& request) {
  const std::string* pretty = request.Query("pretty");
  if (pretty != nullptr && !pretty->empty()) return IsGoTrue(*pretty);
  const std::string* agent = request.headers.Find("User-Agent");
  return agent != nullptr &&
         (absl::StartsWith(*agent, "curl") || absl::StartsWith(*agent, "Wget") ||
          absl::StartsWith(*agent, "Mozilla/5.0"));
}

absl::StatusOr<OutputFormat> NegotiateResource(const http::Request& request) {
  std::optional<OutputFormat> format = Negotiate(request, Offer::kEverything);
  if (!format) return NotAcceptable();
  return *std::move(format);
}

absl::StatusOr<OutputFormat> NegotiateWatch(const http::Request& request) {
  std::optional<OutputFormat> format = Negotiate(request, Offer::kStream);
  if (!format) return kube::ToStatus(kube::NotAcceptable({"application/json;stream=watch"}));
  return *std::move(format);
}

std::optional<OutputFormat> NegotiatePlain(const http::Request& request) {
  return Negotiate(request, Offer::kPlain);
}

absl::Status NotAcceptable() {
  return kube::ToStatus(kube::NotAcceptable({"application/json", "application/yaml"}));
}

}  // namespace steward::rest
