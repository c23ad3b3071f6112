#include "kube/client/kubeconfig.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "kube/client/impersonation.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

absl::Status Refused(std::string_view what) { return absl::InvalidArgumentError(ToAbsl(what)); }

// A mapping of the kubeconfig, with its name for error messages.
class Section {
 public:
  explicit Section(std::string label, json::object object = {})
      : label_(std::move(label)), object_(std::move(object)) {}

  const std::string& label() const { return label_; }

  void Set(std::string_view key, json::value value) { object_[key] = std::move(value); }
  void Erase(std::string_view key) { object_.erase(key); }

  // Null counts as absent.
  const json::value* Find(std::string_view key) const {
    const json::value* value = object_.if_contains(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  absl::Status Bad(std::string_view key, std::string_view what) const {
    return Refused(StrCat(label_, ": ", key, " ", what));
  }

  absl::StatusOr<std::string> String(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return "";
    const json::string* text = value->if_string();
    if (text == nullptr) return Bad(key, "is not a string");
    return std::string(text->data(), text->size());
  }

  absl::StatusOr<bool> Bool(std::string_view key) const {
    const json::value* value = Find(key);
    if (value == nullptr) return false;
    const bool* flag = value->if_bool();
    if (flag == nullptr) return Bad(key, "is not true or false");
    return *flag;
  }

  absl::StatusOr<std::vector<std::string>> Strings(std::string_view key) const {
    std::vector<std::string> texts;
    const json::value* value = Find(key);
    if (value == nullptr) return texts;
    if (!value->is_array()) return Bad(key, "is not a list");
    for (const json::value& item : value->get_array()) {
      if (!item.is_string()) return Bad(key, "has what is not a string");
      texts.emplace_back(item.get_string());
    }
    return texts;
  }

  absl::StatusOr<Section> Child(std::string_view key, std::string label) const {
    const json::value* value = Find(key);
    if (value == nullptr) return Section(std::move(label));
    if (!value->is_object()) return Bad(key, "is not a mapping");
    return Section(std::move(label), value->get_object());
  }

  // The mappings of a list.
  absl::StatusOr<std::vector<Section>> List(std::string_view key) const {
    std::vector<Section> sections;
    const json::value* value = Find(key);
    if (value == nullptr) return sections;
    if (!value->is_array()) return Bad(key, "is not a list");
    for (const json::value& item : value->get_array()) {
      if (!item.is_object()) return Bad(key, "has a non-mapping");
      sections.emplace_back(StrCat(label_, ": ", key), item.get_object());
    }
    return sections;
  }

  // The mapping `item` of the entry called `name` in the list `key`: the result in clusters:
  // [{name: <name>, cluster: <result>}]; nullopt when there is none. Two entries of one name are an
  // error.
  absl::StatusOr<std::optional<Section>> Entry(std::string_view key, std::string_view item,
                                               std::string_view name) const {
    ASSIGN_OR_RETURN(const std::vector<Section> entries, List(key));
    std::vector<std::string> names;
    std::optional<Section> found;
    for (const Section& entry : entries) {
      ASSIGN_OR_RETURN(std::string entry_name, entry.String("name"));
      if (std::find(names.begin(), names.end(), entry_name) != names.end()) {
        return Bad(key, StrCat("has \"", entry_name, "\" twice"));
      }
      if (entry_name == name) {
        ASSIGN_OR_RETURN(found, entry.Child(item, StrCat(item, " \"", name, "\"")));
      }
      names.push_back(std::move(entry_name));
    }
    return found;
  }

 private:
  std::string label_;
  json::object object_;
};

// Reads the files that the kubeconfig refers to.
class Files {
 public:
  Files(std::string_view folder, const FileReader& read_file)
      : folder_(folder), read_file_(read_file) {}

  std::string Resolve(const std::string& path) const {
    if (path.empty() || path.starts_with('/') || folder_.empty()) return path;
    return StrCat(folder_, folder_.ends_with('/') ? "" : "/", path);
  }

  // `<key>-data`, base64, or the contents of the file that `<key>` names, or "".
  absl::StatusOr<std::string> DataOrFile(const Section& section, std::string_view key) const {
    const std::string data_key = StrCat(key, "-data");
    ASSIGN_OR_RETURN(const std::string data, section.String(data_key));
    ASSIGN_OR_RETURN(const std::string path, section.String(key));
    if (!data.empty() && !path.empty()) {
      return section.Bad(key, StrCat("stands beside ", data_key));
    }
    if (!data.empty()) {
      std::string bytes;
      if (absl::Base64Unescape(data, &bytes)) return bytes;
      return section.Bad(data_key, "is not base64");
    }
    if (path.empty()) return "";
    absl::StatusOr<std::string> bytes = read_file_(Resolve(path));
    if (bytes.ok()) return bytes;
    return Refused(StrCat(section.label(), ": ", key, ": ", ToStd(bytes.status().message())));
  }

 private:
  const std::string folder_;
  const FileReader& read_file_;
};

absl::Status ReadProxy(const Section& cluster, const Environment& environment,
                       ClientConfig& config) {
  ASSIGN_OR_RETURN(const std::string url, cluster.String("proxy-url"));
  if (url.empty()) {
    config.proxy = ProxyOfEnvironment(config.tls, config.host, config.port, environment);
    return absl::OkStatus();
  }
  absl::StatusOr<Proxy> proxy = ParseProxyUrl(url);
  if (!proxy.ok()) {
    return Refused(StrCat(cluster.label(), ": proxy-url: ", ToStd(proxy.status().message())));
  }
  config.proxy = *std::move(proxy);
  return absl::OkStatus();
}

// A server without a scheme is one without TLS.
absl::Status ReadServer(const Section& cluster, ClientConfig& config) {
  ASSIGN_OR_RETURN(std::string server, cluster.String("server"));
  if (server.empty()) return Refused(StrCat(cluster.label(), ": no server"));
  if (server.find("://") == std::string::npos) {
    if (server.find('/') != std::string::npos) {
      return Refused(StrCat(cluster.label(), ": the server is neither a URL nor host:port"));
    }
    server = StrCat("http://", server);
  }
  return SetServerUrl(server, config);
}

absl::Status ReadCluster(const Section& cluster, const Files& files, const Environment& environment,
                         ClientConfig& config) {
  RETURN_IF_ERROR(ReadServer(cluster, config));
  RETURN_IF_ERROR(ReadProxy(cluster, environment, config));
  ASSIGN_OR_RETURN(std::string tls_server_name, cluster.String("tls-server-name"));
  ASSIGN_OR_RETURN(const bool insecure, cluster.Bool("insecure-skip-tls-verify"));
  ASSIGN_OR_RETURN(std::string ca_pem, files.DataOrFile(cluster, "certificate-authority"));
  if (!config.tls) return absl::OkStatus();
  if (insecure && !ca_pem.empty()) {
    return Refused(StrCat(cluster.label(),
                          ": a certificate authority together with insecure-skip-tls-verify"));
  }
  config.tls_server_name = std::move(tls_server_name);
  config.insecure_skip_tls_verify = insecure;
  config.ca_pem = std::move(ca_pem);
  return absl::OkStatus();
}

// The server's description for a plugin: a Cluster of client.authentication.k8s.io.
absl::StatusOr<std::string> ClusterInfo(const Section& cluster, const ClientConfig& config) {
  constexpr char kExtension[] = "client.authentication.k8s.io/exec";
  json::object info;
  for (const char* key : {"server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url",
                          "disable-compression"}) {
    if (const json::value* value = cluster.Find(key)) info[key] = *value;
  }
  if (!config.ca_pem.empty()) {
    info["certificate-authority-data"] = absl::Base64Escape(config.ca_pem);
  }
  ASSIGN_OR_RETURN(const std::vector<Section> extensions, cluster.List("extensions"));
  for (const Section& each : extensions) {
    ASSIGN_OR_RETURN(const std::string name, each.String("name"));
    const json::value* extension = each.Find("extension");
    if (name == kExtension && extension != nullptr) info["config"] = *extension;
  }
  return Serialize(info);
}

absl::StatusOr<ExecPlugin::Input> ReadInput(const Section& exec, const std::string& api_version) {
  ASSIGN_OR_RETURN(const std::string mode, exec.String("interactiveMode"));
  if (mode == "Never") return ExecPlugin::Input::kNever;
  if (mode == "IfAvailable") return ExecPlugin::Input::kIfAvailable;
  if (mode == "Always") return ExecPlugin::Input::kAlways;
  if (mode.empty() && api_version.ends_with("/v1beta1")) return ExecPlugin::Input::kIfAvailable;
  return exec.Bad("interactiveMode", "must be Never, IfAvailable or Always");
}

// Removes control characters: the hint is printed on a terminal.
std::string Harmless(std::string text) {
  for (char& c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c)) && c != '\n' && c != '\t') c = '?';
  }
  return text;
}

absl::StatusOr<ExecPlugin> ReadPlugin(const Section& exec, const Files& files,
                                      const Section& cluster, const ClientConfig& config) {
  constexpr std::string_view kGroup = "client.authentication.k8s.io";
  ExecPlugin plugin;
  ASSIGN_OR_RETURN(plugin.command, exec.String("command"));
  if (plugin.command.empty()) return exec.Bad("command", "is missing");
  if (plugin.command.find('/') != std::string::npos) plugin.command = files.Resolve(plugin.command);
  ASSIGN_OR_RETURN(plugin.api_version, exec.String("apiVersion"));
  if (plugin.api_version != StrCat(kGroup, "/v1") &&
      plugin.api_version != StrCat(kGroup, "/v1beta1")) {
    return exec.Bad("apiVersion", StrCat("must be ", kGroup, "/v1 or v1beta1"));
  }
  ASSIGN_OR_RETURN(plugin.input, ReadInput(exec, plugin.api_version));
  ASSIGN_OR_RETURN(plugin.args, exec.Strings("args"));
  ASSIGN_OR_RETURN(const std::vector<Section> variables, exec.List("env"));
  for (const Section& each : variables) {
    ASSIGN_OR_RETURN(std::string name, each.String("name"));
    ASSIGN_OR_RETURN(std::string value, each.String("value"));
    if (name.empty()) return exec.Bad("env", "has a variable without a name");
    plugin.env.emplace_back(std::move(name), std::move(value));
  }
  ASSIGN_OR_RETURN(std::string hint, exec.String("installHint"));
  plugin.install_hint = Harmless(std::move(hint));
  ASSIGN_OR_RETURN(const bool told, exec.Bool("provideClusterInfo"));
  if (told) {
    ASSIGN_OR_RETURN(plugin.cluster, ClusterInfo(cluster, config));
  }
  return plugin;
}

// Reads the impersonated user. Keys of `extra` become lower case, as in client-go, because they are
// sent in header names.
absl::Status ReadActing(const Section& user, ClientConfig& config) {
  UserInfo acting;
  ASSIGN_OR_RETURN(acting.name, user.String("as"));
  ASSIGN_OR_RETURN(acting.uid, user.String("as-uid"));
  ASSIGN_OR_RETURN(acting.groups, user.Strings("as-groups"));
  ASSIGN_OR_RETURN(const Section extra, user.Child("as-user-extra", user.label()));
  if (const json::value* values = user.Find("as-user-extra")) {
    for (const auto& [key, unused] : values->get_object()) {
      ASSIGN_OR_RETURN(std::vector<std::string> texts, extra.Strings(key));
      acting.extra.emplace_back(absl::AsciiStrToLower(absl::string_view(key.data(), key.size())),
                                std::move(texts));
    }
  }
  if (acting.name.empty()) {
    if (acting == UserInfo()) return absl::OkStatus();
    return Refused(StrCat(user.label(), ": as-uid, as-groups and as-user-extra need an \"as\""));
  }
  const absl::Status sendable = CheckImpersonation(acting);
  if (!sendable.ok()) {
    return Refused(StrCat(user.label(), ": ", ToStd(sendable.message())));
  }
  config.acting = std::move(acting);
  return absl::OkStatus();
}

absl::Status RefuseMixtures(const Section& user, const ClientConfig& config) {
  if (!config.cert_pem.empty() && config.key_pem.empty()) {
    return Refused(StrCat(user.label(), ": client-certificate and client-key belong together"));
  }
  const bool basic = !config.username.empty() || !config.password.empty();
  if (basic && (!config.token.empty() || !config.token_file.empty())) {
    return Refused(StrCat(user.label(), ": a token together with a user name and a password"));
  }
  if (!config.token.empty()) {
    const absl::Status status = CheckToken(config.token);
    if (!status.ok()) return Refused(StrCat(user.label(), ": ", ToStd(status.message())));
  }
  return absl::OkStatus();
}

absl::Status ReadUser(const Section& user, const Files& files, const Section& cluster,
                      ClientConfig& config) {
  if (user.Find("auth-provider") != nullptr) {
    return Refused(StrCat(user.label(),
                          ": auth-provider plugins are not supported; use an exec credential "
                          "plugin (exec) of the same provider, or a token"));
  }
  ASSIGN_OR_RETURN(config.cert_pem, files.DataOrFile(user, "client-certificate"));
  // A key without a certificate is ignored.
  if (!config.cert_pem.empty()) {
    ASSIGN_OR_RETURN(config.key_pem, files.DataOrFile(user, "client-key"));
  }
  ASSIGN_OR_RETURN(config.token, user.String("token"));
  ASSIGN_OR_RETURN(const std::string token_file, user.String("tokenFile"));
  config.token_file = files.Resolve(token_file);
  ASSIGN_OR_RETURN(config.username, user.String("username"));
  ASSIGN_OR_RETURN(config.password, user.String("password"));
  RETURN_IF_ERROR(RefuseMixtures(user, config));
  if (user.Find("exec") != nullptr) {
    ASSIGN_OR_RETURN(const Section exec, user.Child("exec", StrCat(user.label(), ": exec")));
    ASSIGN_OR_RETURN(config.exec, ReadPlugin(exec, files, cluster, config));
  }
  if (!config.tls) config = WithoutCredentials(std::move(config));
  return ReadActing(user, config);
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
  bool there = true;
};

absl::StatusOr<Found> FindEntry(const std::vector<Document>& documents, std::string_view key,
                                std::string_view item, const std::string& name) {
  std::optional<Found> found;
  for (const Document& document : documents) {
    ASSIGN_OR_RETURN(const std::optional<Section> entry, document.root.Entry(key, item, name));
    if (entry.has_value() && !found) found = Found{*entry, document.folder};
  }
  if (found) return *std::move(found);
  return Found{Section(StrCat(item, " \"", name, "\"")), "", /*there=*/false};
}

absl::StatusOr<Found> RequireEntry(const std::vector<Document>& documents, std::string_view key,
                                   std::string_view item, const std::string& name) {
  ASSIGN_OR_RETURN(Found found, FindEntry(documents, key, item, name));
  if (found.there) return found;
  return Refused(StrCat("kubeconfig: no ", item, " \"", name, "\""));
}

absl::StatusOr<std::string> ContextName(const std::vector<Document>& documents,
                                        const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  for (const Document& document : documents) {
    ASSIGN_OR_RETURN(std::string name, document.root.String("current-context"));
    if (!name.empty()) return name;
  }
  return "";
}

void OverrideCluster(const KubeconfigOverrides& overrides, Section& cluster) {
  if (!overrides.server.empty()) {
    cluster.Set("server", json::value(overrides.server));
    cluster.Erase("tls-server-name");
  }
  if (!overrides.tls_server_name.empty()) {
    cluster.Set("tls-server-name", json::value(overrides.tls_server_name));
  }
  if (overrides.insecure_skip_tls_verify || !overrides.certificate_authority.empty()) {
    cluster.Set("insecure-skip-tls-verify", overrides.insecure_skip_tls_verify);
    cluster.Set("certificate-authority", json::value(overrides.certificate_authority));
    cluster.Erase("certificate-authority-data");
  }
}

void OverrideUser(const KubeconfigOverrides& overrides, Section& user) {
  if (!overrides.token.empty()) user.Set("token", json::value(overrides.token));
  if (!overrides.as.empty()) user.Set("as", json::value(overrides.as));
  if (!overrides.as_uid.empty()) user.Set("as-uid", json::value(overrides.as_uid));
  if (overrides.as_groups.empty()) return;
  json::array groups;
  for (const std::string& group : overrides.as_groups) groups.emplace_back(group);
  user.Set("as-groups", std::move(groups));
}

// File names of the cluster are relative to the folder of its kubeconfig; a file name from a flag
// is relative to the working directory.
absl::StatusOr<ClientConfig> ReadEntries(Found cluster, Found user,
                                         const KubeconfigOptions& options) {
  const KubeconfigOverrides& overrides = options.overrides;
  OverrideCluster(overrides, cluster.section);
  OverrideUser(overrides, user.section);
  if (!overrides.certificate_authority.empty()) cluster.folder.clear();
  ClientConfig config;
  RETURN_IF_ERROR(ReadCluster(cluster.section, Files(cluster.folder, options.read_file),
                              options.environment, config));
  RETURN_IF_ERROR(
      ReadUser(user.section, Files(user.folder, options.read_file), cluster.section, config));
  return config;
}

absl::StatusOr<ClientConfig> ReadDocuments(const std::vector<Document>& documents,
                                           const KubeconfigOptions& options) {
  const KubeconfigOverrides& overrides = options.overrides;
  ASSIGN_OR_RETURN(const std::string context_name, ContextName(documents, overrides.context));
  Found context{Section("context"), ""};
  if (!context_name.empty()) {
    ASSIGN_OR_RETURN(context, RequireEntry(documents, "contexts", "context", context_name));
  } else if (overrides.cluster.empty() && overrides.server.empty()) {
    return Refused("kubeconfig: no current-context, and none was asked for");
  }
  ASSIGN_OR_RETURN(std::string cluster_name, context.section.String("cluster"));
  ASSIGN_OR_RETURN(std::string user_name, context.section.String("user"));
  if (!overrides.cluster.empty()) cluster_name = overrides.cluster;
  if (!overrides.user.empty()) user_name = overrides.user;
  ASSIGN_OR_RETURN(Found cluster, FindEntry(documents, "clusters", "cluster", cluster_name));
  if (!cluster.there && (overrides.server.empty() || !overrides.cluster.empty())) {
    return Refused(StrCat("kubeconfig: no cluster \"", cluster_name, "\""));
  }
  ASSIGN_OR_RETURN(Found user, FindEntry(documents, "users", "user", user_name));
  const bool user_is_missing = !user.there && !user_name.empty();
  ASSIGN_OR_RETURN(ClientConfig config, ReadEntries(std::move(cluster), std::move(user), options));
  if (user_is_missing && (config.tls || !overrides.user.empty())) {
    return Refused(StrCat("kubeconfig: no user \"", user_name, "\""));
  }
  ASSIGN_OR_RETURN(config.ns, context.section.String("namespace"));
  return config;
}

// "" and null count as an empty kubeconfig.
absl::StatusOr<Section> ParseDocument(const std::string& text) {
  ASSIGN_OR_RETURN(const json::value value, ParseYaml(text));
  if (value.is_null()) return Section("kubeconfig");
  if (!value.is_object()) return Refused("not a kubeconfig: no mapping");
  Section root("kubeconfig", value.get_object());
  ASSIGN_OR_RETURN(const std::string version, root.String("apiVersion"));
  ASSIGN_OR_RETURN(const std::string kind, root.String("kind"));
  if ((!version.empty() && version != "v1") || (!kind.empty() && kind != "Config")) {
    return Refused("not a kubeconfig: no Config of v1");
  }
  return root;
}

absl::StatusOr<std::vector<Document>> ParseSources(const std::vector<Source>& sources) {
  std::vector<Document> documents;
  for (const Source& source : sources) {
    ASSIGN_OR_RETURN(Section root, ParseDocument(source.text));
    documents.push_back({std::move(root), source.folder});
  }
  return documents;
}

absl::StatusOr<std::vector<Source>> ReadSources(const std::vector<std::string>& paths) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    const size_t slash = path.rfind('/');
    sources.push_back(
        {std::move(text), slash == std::string::npos ? "" : path.substr(0, slash + 1)});
  }
  return sources;
}

absl::StatusOr<std::vector<std::string>> NamesIn(const std::vector<Document>& documents,
                                                 std::string_view key) {
  std::vector<std::string> names;
  for (const Document& document : documents) {
    ASSIGN_OR_RETURN(const std::vector<Section> entries, document.root.List(key));
    for (const Section& entry : entries) {
      ASSIGN_OR_RETURN(std::string name, entry.String("name"));
      const bool known = std::find(names.begin(), names.end(), name) != names.end();
      if (!known) names.push_back(std::move(name));
    }
  }
  return names;
}

// Applies flags to the configuration of a pod. kubectl applies fewer flags there; but to ignore
// impersonation would be dangerous.
absl::StatusOr<ClientConfig> OverridePod(ClientConfig config,
                                         const KubeconfigOverrides& overrides) {
  const std::pair<const char*, const std::string&> entries[] = {
      {"context", overrides.context}, {"cluster", overrides.cluster}, {"user", overrides.user}};
  for (const auto& [what, name] : entries) {
    if (!name.empty()) return Refused(StrCat("there is no kubeconfig with a ", what, " ", name));
  }
  Section user("flags");
  OverrideUser(overrides, user);
  RETURN_IF_ERROR(ReadActing(user, config));
  if (!overrides.token.empty()) {
    config.token = overrides.token;
    config.token_file.clear();
  }
  return config;
}

}  // namespace

absl::StatusOr<ClientConfig> ParseKubeconfig(std::string_view text, std::string_view folder,
                                             const KubeconfigOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<Document> documents,
                   ParseSources({{std::string(text), std::string(folder)}}));
  return ReadDocuments(documents, options);
}

absl::StatusOr<ClientConfig> LoadKubeconfig(const std::string& path, std::string_view context) {
  KubeconfigOptions options;
  options.overrides.context = context;
  absl::StatusOr<ClientConfig> config = LoadKubeconfigs({path}, options);
  if (config.ok() && config->insecure_skip_tls_verify) {
    log::Warning("The API server's certificate will not be verified: insecure-skip-tls-verify",
                 {{"server", config->host}});
  }
  return config;
}

absl::StatusOr<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                             const KubeconfigOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<Source> sources, ReadSources(paths));
  const absl::StatusOr<std::vector<Document>> documents = ParseSources(sources);
  absl::StatusOr<ClientConfig> config =
      documents.ok() ? ReadDocuments(*documents, options) : documents.status();
  if (config.ok() || paths.empty()) return config;
  return absl::Status(config.status().code(),
                      StrCat(absl::StrJoin(paths, ", "), ": ", ToStd(config.status().message())));
}

absl::StatusOr<KubeconfigNames> ReadKubeconfigNames(const std::vector<std::string>& paths) {
  ASSIGN_OR_RETURN(const std::vector<Source> sources, ReadSources(paths));
  ASSIGN_OR_RETURN(const std::vector<Document> documents, ParseSources(sources));
  KubeconfigNames names;
  ASSIGN_OR_RETURN(names.contexts, NamesIn(documents, "contexts"));
  ASSIGN_OR_RETURN(names.clusters, NamesIn(documents, "clusters"));
  ASSIGN_OR_RETURN(names.users, NamesIn(documents, "users"));
  return names;
}

std::vector<std::string> KubeconfigPaths(const std::string& flag, const Environment& environment) {
  if (!flag.empty()) return {flag};
  const std::string variable = environment("KUBECONFIG");
  const std::string home = environment("HOME");
  std::vector<std::string> candidates;
  if (!variable.empty()) {
    candidates = absl::StrSplit(variable, ':', absl::SkipEmpty());
  } else if (!home.empty()) {
    candidates = {StrCat(home, "/.kube/config")};
  }
  std::vector<std::string> paths;
  for (std::string& candidate : candidates) {
    const bool known = std::find(paths.begin(), paths.end(), candidate) != paths.end();
    if (!known && ::access(candidate.c_str(), F_OK) == 0) paths.push_back(std::move(candidate));
  }
  return paths;
}

absl::StatusOr<ClientConfig> FindCluster(const std::string& flag,
                                         const KubeconfigOptions& options) {
  const std::vector<std::string> paths = KubeconfigPaths(flag, options.environment);
  if (!paths.empty() || !options.overrides.server.empty()) return LoadKubeconfigs(paths, options);
  ASSIGN_OR_RETURN(
      ClientConfig pod,
      InClusterConfig("/var/run/secrets/kubernetes.io/serviceaccount", options.environment));
  return OverridePod(std::move(pod), options.overrides);
}

}  // namespace steward::kube
