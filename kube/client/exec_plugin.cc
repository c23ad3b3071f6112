#include "kube/client/exec_plugin.h"

#include <unistd.h>

#include <boost/json/object.hpp>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/process/program.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr size_t kMaxLastWords = 400;

// The last part of a text, on one line and without control characters, to be used within a
// sentence.
std::string LastWords(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const bool blank = absl::ascii_iscntrl(static_cast<unsigned char>(c)) || c == ' ';
    if (!blank) {
      words.push_back(c);
    } else if (!words.empty() && words.back() != ' ') {
      words.push_back(' ');
    }
  }
  if (words.ends_with(' ')) words.pop_back();
  if (words.size() <= kMaxLastWords) return words;
  return StrCat("...", words.substr(words.size() - kMaxLastWords));
}

absl::Status Failure(const ExecPlugin& plugin, std::string_view what, std::string_view words) {
  const std::string last = LastWords(words);
  return absl::UnauthenticatedError(
      StrCat("the credential plugin ", plugin.command, " ", what, last.empty() ? "" : ": ", last));
}

std::vector<std::string> EnvironmentFor(const ExecPlugin& plugin, bool interactive) {
  std::vector<std::string> entries;
  for (char** each = environ; *each != nullptr; ++each) entries.emplace_back(*each);
  for (const auto& [name, value] : plugin.env) entries.push_back(StrCat(name, "=", value));
  entries.push_back(StrCat("KUBERNETES_EXEC_INFO=", ExecInfo(plugin, interactive)));
  return entries;
}

// Returns why the plugin failed; "" = it succeeded.
std::string WhyFailed(const ProgramResult& result, absl::Duration limit) {
  switch (result.end) {
    case ProgramResult::End::kExited:
      return result.code == 0 ? "" : StrCat("failed with exit code ", result.code);
    case ProgramResult::End::kKilled:
      return StrCat("was ended by signal ", result.code);
    case ProgramResult::End::kLate:
      return StrCat("did not end within ", absl::FormatDuration(limit));
    case ProgramResult::End::kTooMuchOutput:
      return "wrote far more than credentials";
  }
  return "failed";
}

absl::Status NotStarted(const ExecPlugin& plugin, const absl::Status& status) {
  if (!absl::IsNotFound(status)) {
    return Failure(plugin, "cannot be started", ToStd(status.message()));
  }
  return Failure(plugin, "was not found", plugin.install_hint);
}

}  // namespace

std::string ExecInfo(const ExecPlugin& plugin, bool interactive) {
  json::object spec;
  if (!plugin.cluster.empty()) {
    const absl::StatusOr<json::value> cluster = ParseJson(plugin.cluster);
    if (cluster.ok()) spec["cluster"] = *cluster;
  }
  spec["interactive"] = interactive;
  return Serialize(json::object{
      {"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

absl::StatusOr<ExecCredential> ParseExecCredential(std::string_view output,
                                                   std::string_view api_version) {
  const absl::StatusOr<json::value> parsed = ParseYaml(output);
  const json::object* object = parsed.ok() ? parsed->if_object() : nullptr;
  if (object == nullptr) return absl::InvalidArgumentError("its output is no ExecCredential");
  if (StringAt(*object, "kind") != "ExecCredential") {
    return absl::InvalidArgumentError("its output is no ExecCredential");
  }
  if (StringAt(*object, "apiVersion") != api_version) {
    return absl::InvalidArgumentError(
        StrCat("its output is of another version than ", api_version));
  }
  const json::object* status = ObjectAt(*object, "status");
  if (status == nullptr) return absl::InvalidArgumentError("its output has no status");
  ExecCredential credential;
  credential.token = StringAt(*status, "token");
  credential.cert_pem = StringAt(*status, "clientCertificateData");
  credential.key_pem = StringAt(*status, "clientKeyData");
  if (credential.cert_pem.empty() != credential.key_pem.empty()) {
    return absl::InvalidArgumentError("it gave a certificate or a key without the other");
  }
  if (credential.token.empty() && credential.cert_pem.empty()) {
    return absl::InvalidArgumentError("it gave neither a token nor a certificate");
  }
  const std::string_view expiry = StringAt(*status, "expirationTimestamp");
  if (!expiry.empty()) {
    absl::Time time;
    std::string ignored;
    if (!absl::ParseTime(absl::RFC3339_full, ToAbsl(expiry), &time, &ignored)) {
      return absl::InvalidArgumentError("its expirationTimestamp is no time");
    }
    credential.expiry = time;
  }
  return credential;
}

absl::StatusOr<ExecCredential> RunExecPlugin(const ExecPlugin& plugin,
                                             const ExecPluginOptions& options) {
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  if (plugin.input == ExecPlugin::Input::kAlways && !terminal) {
    return Failure(plugin, "asks the user, and standard input is not a terminal", "");
  }
  const bool interactive = terminal && plugin.input != ExecPlugin::Input::kNever;
  const absl::StatusOr<ProgramResult> result =
      RunProgram({.command = plugin.command,
                  .args = plugin.args,
                  .environment = EnvironmentFor(plugin, interactive),
                  .shares_input = interactive,
                  .shares_errors = options.shows_errors,
                  .limit = options.limit});
  if (!result.ok()) return NotStarted(plugin, result.status());
  const std::string why = WhyFailed(*result, options.limit);
  if (!why.empty()) return Failure(plugin, why, result->errors);
  absl::StatusOr<ExecCredential> credential =
      ParseExecCredential(result->output, plugin.api_version);
  if (credential.ok()) return credential;
  return Failure(plugin,
                 StrCat("gave no credentials, since ", ToStd(credential.status().message())),
                 result->errors);
}

}  // namespace steward::kube
