#include "apiserver/http/message/response_fields.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/text/str_cat.h"

namespace steward::http {
namespace {

bool IsControl(unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; }

bool IsTokenCharacter(unsigned char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return absl::ascii_isalnum(c) || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

bool IsConnectionField(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "connection", "content-length", "keep-alive",        "proxy-connection",
      "te",         "trailer",        "transfer-encoding", "upgrade"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view known) {
    return absl::EqualsIgnoreCase(ToAbsl(known), ToAbsl(name));
  });
}

bool IsFieldName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenCharacter);
}

bool IsCleanFieldValue(std::string_view value) {
  return std::none_of(value.begin(), value.end(), IsControl);
}

std::string CleanFieldValue(std::string_view value) {
  std::string clean(value);
  std::replace_if(clean.begin(), clean.end(), IsControl, ' ');
  return clean;
}

bool AsksForClose(const Headers& headers) {
  const std::string* connection = headers.Find("Connection");
  return connection != nullptr && absl::EqualsIgnoreCase(*connection, "close");
}

bool StatusAllowsBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace steward::http
