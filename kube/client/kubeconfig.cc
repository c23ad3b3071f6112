#include "kube/client/kubeconfig.h"

#include <unistd.h>

#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

absl::Status Refused(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// A mapping of the kubeconfig, with its name for error messages.
class Section {
 public:
  Section(std::string label, const json::object& object)
      : label_(std::move(label)), object_(&object) {}

  const std::string& label() const { return label_; }

  // Null counts as absent.
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

  // The mapping `item` of the entry called `name` in the list `key`: the result in clusters:
  // [{name: <name>, cluster: <result>}]. The first of equal names counts; nullopt when there is
  // none.
  absl::StatusOr<std::optional<Section>> Entry(std::string_view key, std::string_view item,
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
      if (entry_name != name) continue;
      ASSIGN_OR_RETURN(Section found, entry.Child(item, StrCat(item, " \"", name, "\"")));
      return std::optional<Section>(std::move(found));
    }
    return std::optional<Section>();
  }

 private:
  std::string label_;
  const json::object* object_;
};

// Reads the files that the kubeconfig refers to.
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

// A kubeconfig's text and the folder that contains it.
struct Source {
  std::string text;
  std::string folder;
};

struct Document {
  Section root;
  std::string folder;
};

// An entry and the folder that its files are relative to.
struct Found {
  Section section;
  std::string folder;
};

absl::StatusOr<Found> FindEntry(const std::vector<Document>& documents, std::string_view key,
                                std::string_view item, const std::string& name) {
  for (const Document& document : documents) {
    ASSIGN_OR_RETURN(const std::optional<Section> entry, document.root.Entry(key, item, name));
    if (entry.has_value()) return Found{*entry, document.folder};
  }
  return Refused(StrCat("kubeconfig: no ", item, " \"", name, "\""));
}

absl::StatusOr<std::string> ContextName(const std::vector<Document>& documents,
                                        std::string_view wanted) {
  if (!wanted.empty()) return std::string(wanted);
  for (const Document& document : documents) {
    ASSIGN_OR_RETURN(std::string name, document.root.String("current-context"));
    if (!name.empty()) return name;
  }
  return Refused("kubeconfig: no current-context, and none was asked for");
}

absl::StatusOr<ClientConfig> ReadDocuments(const std::vector<Document>& documents,
                                           std::string_view context, const FileReader& read_file) {
  ASSIGN_OR_RETURN(const std::string context_name, ContextName(documents, context));
  ASSIGN_OR_RETURN(const Found chosen, FindEntry(documents, "contexts", "context", context_name));
  ASSIGN_OR_RETURN(const std::string cluster_name, chosen.section.String("cluster"));
  ASSIGN_OR_RETURN(const std::string user_name, chosen.section.String("user"));
  ClientConfig config;
  ASSIGN_OR_RETURN(config.ns, chosen.section.String("namespace"));
  ASSIGN_OR_RETURN(const Found cluster, FindEntry(documents, "clusters", "cluster", cluster_name));
  RETURN_IF_ERROR(ReadCluster(cluster.section, Files(cluster.folder, read_file), config));
  if (user_name.empty()) return config;
  ASSIGN_OR_RETURN(const Found user, FindEntry(documents, "users", "user", user_name));
  RETURN_IF_ERROR(ReadUser(user.section, Files(user.folder, read_file), config));
  return config;
}

absl::StatusOr<ClientConfig> ParseSources(const std::vector<Source>& sources,
                                          std::string_view context, const FileReader& read_file) {
  std::vector<json::value> values;  // must not grow once sections point into them
  for (const Source& source : sources) {
    ASSIGN_OR_RETURN(json::value value, ParseYaml(source.text));
    if (!value.is_object()) return Refused("not a kubeconfig: no mapping");
    values.push_back(std::move(value));
  }
  std::vector<Document> documents;
  for (size_t i = 0; i < values.size(); ++i) {
    documents.push_back({Section("kubeconfig", values[i].get_object()), sources[i].folder});
  }
  return ReadDocuments(documents, context, read_file);
}

}  // namespace

absl::StatusOr<ClientConfig> ParseKubeconfig(std::string_view text, std::string_view folder,
                                             std::string_view context,
                                             const FileReader& read_file) {
  return ParseSources({{std::string(text), std::string(folder)}}, context, read_file);
}

absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path, std::string_view context) {
  return LoadKubeconfigs({path}, context);
}

absl::StatusOr<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                             std::string_view context) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    const size_t slash = path.rfind('/');
    sources.push_back(
        {std::move(text), slash == std::string::npos ? "" : path.substr(0, slash + 1)});
  }
  absl::StatusOr<ClientConfig> config = ParseSources(sources, context, ReadFile);
  if (config.ok()) return config;
  return absl::Status(config.status().code(),
                      StrCat(absl::StrJoin(paths, ", "), ": ", ToStd(config.status().message())));
}

std::vector<std::string> KubeconfigPaths(const std::string& flag, std::string_view variable,
                                         std::string_view home) {
  if (!flag.empty()) return {flag};
  std::vector<std::string> candidates;
  if (!variable.empty()) {
    candidates = absl::StrSplit(ToAbsl(variable), ':', absl::SkipEmpty());
  } else if (!home.empty()) {
    candidates = {StrCat(home, "/.kube/config")};
  }
  std::vector<std::string> paths;
  for (std::string& candidate : candidates) {
    if (::access(candidate.c_str(), F_OK) == 0) paths.push_back(std::move(candidate));
  }
  return paths;
}

}  // namespace steward::kube
