#include "kube/client/kubeconfig.h"

#include <boost/json/value.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

absl::Status Refused(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// One mapping of the kubeconfig, with the name that messages give it.
class Section {
 public:
  Section(std::string label, const json::object& object)
      : label_(std::move(label)), object_(&object) {}

  const std::string& label() const { return label_; }

  // Null and absent are the same.
  const json::value* Find(std::string_view key) const {
    const json::value* value = object_->if_contains(json::string_view(key.data(), key.size()));
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  absl::StatusOr<std::string> String(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return "";
    const json::string* text = value->if_string();
    if (text == nullptr) return Refused(StrCat(label_, ": ", key, " is not a string"));
    return std::string(text->data(), text->size());
  }

  absl::StatusOr<bool> Bool(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return false;
    const bool* flag = value->if_bool();
    if (flag == nullptr) return Refused(StrCat(label_, ": ", key, " is not true or false"));
    return *flag;
  }

  absl::StatusOr<Section> Child(std::string_view key, std::string label) const {
    const json::value* value = Find(key);
    static const json::object& empty = *new json::object;
    if (value == nullptr) return Section(std::move(label), empty);
    const json::object* object = value->if_object();
    if (object == nullptr) return Refused(StrCat(label_, ": ", key, " is not a mapping"));
    return Section(std::move(label), *object);
  }

  // The mapping `item` of the entry called `name` in the list `key`: as in
  // clusters: [{name: <name>, cluster: <this>}]. The first of equal names counts.
  absl::StatusOr<Section> Entry(std::string_view key, std::string_view item,
                                std::string_view name) const {
    const json::value* list = Find(key);
    const json::array* entries = list == nullptr ? nullptr : list->if_array();
    if (list != nullptr && entries == nullptr) {
      return Refused(StrCat(label_, ": ", key, " is not a list"));
    }
    for (size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
      const json::object* object = (*entries)[i].if_object();
      if (object == nullptr) return Refused(StrCat(label_, ": ", key, " has a non-mapping"));
      const Section entry(StrCat(label_, ": ", key), *object);
      ASSIGN_OR_RETURN(const std::string entry_name, entry.String("name"));
      if (entry_name == name) return entry.Child(item, StrCat(item, " \"", name, "\""));
    }
    return Refused(StrCat(label_, ": no ", item, " \"", name, "\""));
  }

 private:
  std::string label_;
  const json::object* object_;
};

// Reads what the kubeconfig refers to.
class Files {
 public:
  Files(std::string_view folder, const FileReader& read_file)
      : folder_(folder), read_file_(read_file) {}

  std::string Resolve(const std::string& path) const {
    if (path.empty() || path.starts_with('/') || folder_.empty()) return path;
    return StrCat(folder_, "/", path);
  }

  // `<key>-data`, base64, or the contents of the file that `<key>` names, or "".
  absl::StatusOr<std::string> DataOrFile(const Section& section, std::string_view key) const {
    const std::string data_key = StrCat(key, "-data");
    ASSIGN_OR_RETURN(const std::string data, section.String(data_key));
    if (!data.empty()) {
      std::string bytes;
      if (absl::Base64Unescape(data, &bytes)) return bytes;
      return Refused(StrCat(section.label(), ": ", data_key, " is not base64"));
    }
    ASSIGN_OR_RETURN(const std::string path, section.String(key));
    if (path.empty()) return "";
    absl::StatusOr<std::string> bytes = read_file_(Resolve(path));
    if (bytes.ok()) return bytes;
    return Refused(StrCat(section.label(), ": ", key, ": ", ToStd(bytes.status().message())));
  }

 private:
  const std::string folder_;
  const FileReader& read_file_;
};

absl::Status ReadCluster(const Section& cluster, const Files& files, ClientConfig& config) {
  ASSIGN_OR_RETURN(const std::string server, cluster.String("server"));
  if (server.empty()) return Refused(StrCat(cluster.label(), ": no server"));
  RETURN_IF_ERROR(SetServerUrl(server, config));
  if (cluster.Find("proxy-url") != nullptr) {
    return Refused(
        StrCat(cluster.label(),
               ": proxy-url is not supported; name a server that can be reached directly"));
  }
  ASSIGN_OR_RETURN(config.tls_server_name, cluster.String("tls-server-name"));
  ASSIGN_OR_RETURN(config.insecure_skip_tls_verify, cluster.Bool("insecure-skip-tls-verify"));
  ASSIGN_OR_RETURN(config.ca_pem, files.DataOrFile(cluster, "certificate-authority"));
  if (config.insecure_skip_tls_verify && !config.ca_pem.empty()) {
    return Refused(StrCat(cluster.label(),
                          ": a certificate authority together with insecure-skip-tls-verify"));
  }
  if (config.insecure_skip_tls_verify) {
    log::Warning("The API server's certificate will not be verified: insecure-skip-tls-verify",
                 {{"server", server}});
  }
  return absl::OkStatus();
}

absl::Status RefusePlugins(const Section& user) {
  for (const char* key : {"exec", "auth-provider"}) {
    if (user.Find(key) == nullptr) continue;
    return Refused(StrCat(user.label(), ": ", key,
                          " plugins are not supported; use a client certificate, a token or a "
                          "tokenFile, for example of a service account"));
  }
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (user.Find(key) == nullptr) continue;
    return Refused(StrCat(user.label(), ": impersonation (", key,
                          ") is not supported; use credentials of the user itself"));
  }
  return absl::OkStatus();
}

absl::Status ReadUser(const Section& user, const Files& files, ClientConfig& config) {
  RETURN_IF_ERROR(RefusePlugins(user));
  ASSIGN_OR_RETURN(config.cert_pem, files.DataOrFile(user, "client-certificate"));
  ASSIGN_OR_RETURN(config.key_pem, files.DataOrFile(user, "client-key"));
  if (config.cert_pem.empty() != config.key_pem.empty()) {
    return Refused(StrCat(user.label(), ": client-certificate and client-key belong together"));
  }
  ASSIGN_OR_RETURN(config.token, user.String("token"));
  if (!config.token.empty()) {
    const absl::Status status = CheckToken(config.token);
    if (!status.ok()) return Refused(StrCat(user.label(), ": ", ToStd(status.message())));
  }
  ASSIGN_OR_RETURN(const std::string token_file, user.String("tokenFile"));
  config.token_file = files.Resolve(token_file);
  ASSIGN_OR_RETURN(config.username, user.String("username"));
  ASSIGN_OR_RETURN(config.password, user.String("password"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ClientConfig> ParseKubeconfig(std::string_view text, std::string_view folder,
                                             std::string_view context,
                                             const FileReader& read_file) {
  ASSIGN_OR_RETURN(const json::value document, ParseYaml(text));
  const json::object* object = document.if_object();
  if (object == nullptr) return Refused("not a kubeconfig: no mapping");
  const Section root("kubeconfig", *object);
  ASSIGN_OR_RETURN(std::string context_name, root.String("current-context"));
  if (!context.empty()) context_name = context;
  if (context_name.empty())
    return Refused("kubeconfig: no current-context, and none was asked for");

  ASSIGN_OR_RETURN(const Section chosen, root.Entry("contexts", "context", context_name));
  ASSIGN_OR_RETURN(const std::string cluster_name, chosen.String("cluster"));
  ASSIGN_OR_RETURN(const std::string user_name, chosen.String("user"));
  const Files files(folder, read_file);
  ClientConfig config;
  ASSIGN_OR_RETURN(const Section cluster, root.Entry("clusters", "cluster", cluster_name));
  RETURN_IF_ERROR(ReadCluster(cluster, files, config));
  if (user_name.empty()) return config;
  ASSIGN_OR_RETURN(const Section user, root.Entry("users", "user", user_name));
  RETURN_IF_ERROR(ReadUser(user, files, config));
  return config;
}

absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path, std::string_view context) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  absl::StatusOr<ClientConfig> config = ParseKubeconfig(text, folder, context, ReadFile);
  if (config.ok()) return config;
  return absl::Status(config.status().code(), StrCat(path, ": ", ToStd(config.status().message())));
}

}  // namespace steward::kube
