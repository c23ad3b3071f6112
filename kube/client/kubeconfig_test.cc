#include "kube/client/kubeconfig.h"

#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A kubeconfig whose only cluster and user have these lines.
std::string Kubeconfig(std::string_view cluster, std::string_view user) {
  return StrCat(R"(apiVersion: v1
kind: Config
current-context: main
contexts:
- name: other
  context: {cluster: nowhere, user: nobody}
- name: main
  context:
    cluster: c
    user: u
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443
)",
                cluster, "users:\n- name: u\n  user:\n    unknown-to-us: 1\n", user);
}

absl::StatusOr<std::string> FakeFile(const std::string& path) {
  static const std::map<std::string, std::string>& files =
      *new std::map<std::string, std::string>{{"/etc/ca.pem", "CA"},
                                              {"/home/kube/ca.pem", "relative CA"},
                                              {"/home/kube/crt", "CERT"},
                                              {"/home/kube/key", "KEY"}};
  const auto it = files.find(path);
  if (it == files.end()) return absl::NotFoundError(StrCat("cannot open ", path));
  return it->second;
}

absl::StatusOr<ClientConfig> Parse(const std::string& text, KubeconfigOverrides overrides = {}) {
  return ParseKubeconfig(text, "/home/kube",
                         {.overrides = std::move(overrides),
                          .read_file = FakeFile,
                          .environment = [](const char*) { return std::string(); }});
}

TEST(KubeconfigTest, Data) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("    certificate-authority-data: Q0E=\n"
                                        "    tls-server-name: kubernetes\n",
                                        "    client-certificate-data: Q0VSVA==\n"
                                        "    client-key-data: S0VZ\n"
                                        "    token: abc\n")));
  EXPECT_EQ(config.host, "10.0.0.1");
  EXPECT_EQ(config.port, 6443);
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.tls_server_name, "kubernetes");
  EXPECT_EQ(config.cert_pem, "CERT");
  EXPECT_EQ(config.key_pem, "KEY");
  EXPECT_EQ(config.token, "abc");
  EXPECT_FALSE(config.insecure_skip_tls_verify);
  EXPECT_FALSE(config.exec || config.acting || config.proxy);
  ASSERT_OK_AND_ASSIGN(const ClientConfig basic,
                       Parse(Kubeconfig("", "    username: joe\n    password: secret\n")));
  EXPECT_EQ(basic.username, "joe");
  EXPECT_EQ(basic.password, "secret");
}

TEST(KubeconfigTest, FilesAreRelativeToTheKubeconfig) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("    certificate-authority: ca.pem\n",
                                        "    client-certificate: crt\n    client-key: key\n"
                                        "    tokenFile: run/token\n")));
  EXPECT_EQ(config.ca_pem, "relative CA");
  EXPECT_EQ(config.cert_pem, "CERT");
  EXPECT_EQ(config.token_file, "/home/kube/run/token");
  ASSERT_OK_AND_ASSIGN(const ClientConfig absolute,
                       Parse(Kubeconfig("    certificate-authority: /etc/ca.pem\n", "")));
  EXPECT_EQ(absolute.ca_pem, "CA");
}

TEST(KubeconfigTest, Json) {
  ASSERT_OK_AND_ASSIGN(
      const ClientConfig config,
      Parse(R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c"}}],)"
            R"("clusters":[{"name":"c","cluster":{"server":"http://localhost:8001"}}]})"));
  EXPECT_FALSE(config.tls);
  EXPECT_EQ(config.port, 8001);
}

TEST(KubeconfigTest, InsecureIsHonoured) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("    insecure-skip-tls-verify: true\n", "")));
  EXPECT_TRUE(config.insecure_skip_tls_verify);
}

// A kubeconfig whose user has an exec plugin, with `line` as its last line.
std::string Exec(std::string_view line) {
  std::string user = "    exec:\n";
  const std::pair<const char*, const char*> fields[] = {
      {"command", "aws"},
      {"apiVersion", "client.authentication.k8s.io/v1"},
      {"interactiveMode", "Never"}};
  for (const auto& [key, value] : fields) {
    if (!line.starts_with(key)) StrAppend(&user, "      ", key, ": ", value, "\n");
  }
  return Kubeconfig("", StrCat(user, "      ", line, "\n"));
}

TEST(KubeconfigTest, ExecPlugins) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig plain, Parse(Exec("args: [eks, get-token]")));
  ASSERT_TRUE(plain.exec);
  ExecPlugin expected;
  expected.api_version = "client.authentication.k8s.io/v1";
  expected.command = "aws";
  expected.args = {"eks", "get-token"};
  expected.input = ExecPlugin::Input::kNever;
  EXPECT_EQ(*plain.exec, expected);

  ASSERT_OK_AND_ASSIGN(
      const ClientConfig told,
      Parse(Kubeconfig("    certificate-authority: ca.pem\n    tls-server-name: kubernetes\n"
                       "    extensions:\n    - name: client.authentication.k8s.io/exec\n"
                       "      extension: {audience: a}\n",
                       "    exec:\n      command: bin/login\n      provideClusterInfo: true\n"
                       "      apiVersion: client.authentication.k8s.io/v1beta1\n"
                       "      installHint: \"get\\x1b it\"\n"
                       "      env: [{name: A, value: b}]\n")));
  ASSERT_TRUE(told.exec);
  EXPECT_EQ(told.exec->command, "/home/kube/bin/login");
  EXPECT_EQ(told.exec->input, ExecPlugin::Input::kIfAvailable);
  EXPECT_EQ(told.exec->install_hint, "get? it");
  EXPECT_THAT(told.exec->env, ElementsAre(std::pair("A", "b")));
  EXPECT_EQ(told.exec->cluster,
            R"({"server":"https://10.0.0.1:6443","tls-server-name":"kubernetes",)"
            R"("certificate-authority-data":"cmVsYXRpdmUgQ0E=","config":{"audience":"a"}})");
}

TEST(KubeconfigTest, Impersonation) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("",
                                        "    as: jane\n    as-uid: u-1\n"
                                        "    as-groups: [ops, 'system:masters']\n"
                                        "    as-user-extra: {Reason: [a, b]}\n")));
  ASSERT_TRUE(config.acting);
  EXPECT_EQ(*config.acting, (UserInfo{.name = "jane",
                                      .uid = "u-1",
                                      .groups = {"ops", "system:masters"},
                                      .extra = {{"reason", {"a", "b"}}}}));
}

TEST(KubeconfigTest, Proxies) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("    proxy-url: socks5://u:p@proxy:1\n", "")));
  EXPECT_EQ(config.proxy, (Proxy{Proxy::Kind::kSocks5, "proxy", 1, "u", "p"}));
  ASSERT_OK_AND_ASSIGN(
      const ClientConfig of_environment,
      ParseKubeconfig(Kubeconfig("", ""), "", {.environment = [](const char* name) {
                        return std::string(std::string_view(name) == "HTTPS_PROXY" ? "p:2" : "");
                      }}));
  EXPECT_EQ(of_environment.proxy, (Proxy{Proxy::Kind::kHttp, "p", 2, "", ""}));
}

// Credentials are not sent in plain text, as with kubectl.
TEST(KubeconfigTest, PlainServersGetNoCredentials) {
  std::string text = Kubeconfig("", "    token: t\n    as: jane\n");
  text.replace(text.find("https://"), 8, "http://");
  ASSERT_OK_AND_ASSIGN(const ClientConfig plain, Parse(text));
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.token, "");
  EXPECT_TRUE(plain.acting);
  text.replace(text.find("http://"), 7, "");
  ASSERT_OK_AND_ASSIGN(const ClientConfig nameless, Parse(text));
  EXPECT_FALSE(nameless.tls);
  EXPECT_EQ(nameless.port, 6443);
}

TEST(KubeconfigTest, FlagsComeFirst) {
  const std::string text =
      Kubeconfig("    certificate-authority: ca.pem\n    tls-server-name: kubernetes\n",
                 "    tokenFile: run/token\n    as: jane\n- name: other\n  user: {token: o}\n");
  ASSERT_OK_AND_ASSIGN(const ClientConfig server, Parse(text, {.server = "https://h:1"}));
  EXPECT_EQ(server.host, "h");
  EXPECT_EQ(server.ca_pem, "relative CA");
  EXPECT_EQ(server.tls_server_name, "");
  ASSERT_OK_AND_ASSIGN(const ClientConfig insecure,
                       Parse(text, {.insecure_skip_tls_verify = true}));
  EXPECT_EQ(insecure.ca_pem, "");
  EXPECT_TRUE(insecure.insecure_skip_tls_verify);
  ASSERT_OK_AND_ASSIGN(const ClientConfig user, Parse(text, {.user = "other"}));
  EXPECT_EQ(user.token, "o");
  EXPECT_FALSE(user.acting);
  ASSERT_OK_AND_ASSIGN(const ClientConfig acting,
                       Parse(text, {.as = "root", .as_uid = "1", .as_groups = {"a"}}));
  EXPECT_EQ(*acting.acting, (UserInfo{.name = "root", .uid = "1", .groups = {"a"}}));
  EXPECT_THAT(Parse(text, {.cluster = "nope"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no cluster \"nope\"")));
  EXPECT_THAT(Parse(text, {.user = "nope"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no user \"nope\"")));
  ASSERT_OK_AND_ASSIGN(const ClientConfig alone,
                       Parse("", {.server = "https://h:1", .token = "t"}));
  EXPECT_EQ(alone.token, "t");
}

struct RefusedCase {
  const char* name;
  std::string text;
  const char* context;
  const char* message;
};

TEST(KubeconfigTest, Refused) {
  const std::vector<RefusedCase> rows = {
      {"exec without a command", Exec("command: ''"), "", "user \"u\": exec: command is missing"},
      {"exec of another version", Exec("apiVersion: client.authentication.k8s.io/v1alpha1"), "",
       "apiVersion must be client.authentication.k8s.io/v1 or v1beta1"},
      {"exec without a mode", Exec("interactiveMode: ''"), "", "must be Never, IfAvailable or"},
      {"exec with a nameless variable", Exec("env: [{value: x}]"), "", "without a name"},
      {"exec beside another plugin", Exec("") + "    auth-provider: {name: gcp}\n", "",
       "auth-provider plugins are not supported"},
      {"auth provider", Kubeconfig("", "    auth-provider: {name: gcp}\n"), "",
       "auth-provider plugins are not supported; use an exec credential plugin"},
      {"proxy", Kubeconfig("    proxy-url: ftp://proxy\n", ""), "",
       "cluster \"c\": proxy-url: the proxy's URL is none of http, https, socks5"},
      {"groups of nobody", Kubeconfig("", "    as-groups: [ops]\n"), "", "need an \"as\""},
      {"nobody's header", Kubeconfig("", "    as: \"a\\r\\nX: y\"\n"), "", "control character"},
      {"two methods", Kubeconfig("", "    token: t\n    username: joe\n"), "",
       "a token together with a user name"},
      {"data beside a file",
       Kubeconfig("    certificate-authority-data: Q0E=\n    certificate-authority: ca.pem\n", ""),
       "", "certificate-authority stands beside certificate-authority-data"},
      {"a name twice", Kubeconfig("", "") + "- name: u\n", "", "users has \"u\" twice"},
      {"another kind", "kind: Pod\n", "", "no Config of v1"},
      {"insecure with an authority",
       Kubeconfig("    insecure-skip-tls-verify: true\n    certificate-authority: ca.pem\n", ""),
       "", "together with insecure-skip-tls-verify"},
      {"insecure is no flag", Kubeconfig("    insecure-skip-tls-verify: \"true\"\n", ""), "",
       "not true or false"},
      {"certificate alone", Kubeconfig("", "    client-certificate: crt\n"), "", "belong together"},
      {"file missing", Kubeconfig("    certificate-authority: nope\n", ""), "",
       "cluster \"c\": certificate-authority: cannot open /home/kube/nope"},
      {"no base64", Kubeconfig("    certificate-authority-data: '***'\n", ""), "",
       "certificate-authority-data is not base64"},
      {"token with a line end", Kubeconfig("", "    token: \"a\\r\\nX: y\"\n"), "",
       "the token has"},
      {"context unknown", Kubeconfig("", ""), "nope", "no context \"nope\""},
      {"cluster unknown", Kubeconfig("", ""), "other", "no cluster \"nowhere\""},
      {"no context chosen", "clusters: []\n", "", "no current-context"},
      {"no mapping", "- a\n", "", "not a kubeconfig"},
      {"empty", "", "", "no current-context"},
      {"contexts no list", "current-context: a\ncontexts: 5\n", "", "contexts is not a list"},
      {"entry no mapping", "current-context: a\ncontexts: [5]\n", "", "non-mapping"},
      {"no server",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
       "clusters: [{name: c, cluster: {}}]\n",
       "", "no server"},
      {"bad server",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
       "clusters: [{name: c, cluster: {server: 10.0.0.1/path}}]\n",
       "", "neither a URL nor host:port"},
      {"no user",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
       "clusters: [{name: c, cluster: {server: 'https://h'}}]\n",
       "", "no user \"u\""},
      {"no YAML", "a: [", "", ""},
  };
  for (const RefusedCase& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(Parse(row.text, {.context = row.context}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.message)));
  }
}

TEST(KubeconfigTest, LoadsAFile) {
  const std::string path = ::testing::TempDir() + "/kubeconfig";
  std::ofstream(::testing::TempDir() + "/ca.pem") << "CA";
  std::ofstream(path) << Kubeconfig("    certificate-authority: ca.pem\n", "");
  ASSERT_OK_AND_ASSIGN(const ClientConfig config, LoadKubeconfig(path));
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_THAT(LoadKubeconfig(path, "nope"),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(path)));
  EXPECT_THAT(LoadKubeconfig(path + "-missing"), StatusIs(absl::StatusCode::kNotFound));
}

TEST(KubeconfigTest, TheContextsNamespace) {
  std::string text = Kubeconfig("", "");
  ASSERT_OK_AND_ASSIGN(const ClientConfig none, Parse(text));
  EXPECT_EQ(none.ns, "");
  const std::string user = "    user: u\n";
  text.replace(text.find(user), user.size(), user + "    namespace: ops\n");
  ASSERT_OK_AND_ASSIGN(const ClientConfig some, Parse(text));
  EXPECT_EQ(some.ns, "ops");
}

// Files are merged as kubectl merges those of KUBECONFIG.
TEST(KubeconfigTest, OfSeveralTheFirstCounts) {
  const std::string folder = ::testing::TempDir() + "/merged";
  ::mkdir(folder.c_str(), 0700);
  const std::string contexts = ::testing::TempDir() + "/contexts";
  const std::string clusters = folder + "/clusters";
  std::ofstream(contexts) << "contexts:\n- name: a\n  context: {cluster: c, user: u}\n"
                             "- name: b\n  context: {cluster: c, namespace: ops}\n";
  std::ofstream(folder + "/ca.pem") << "CA of the second";
  std::ofstream(clusters) << "current-context: b\n"
                             "contexts:\n- name: b\n  context: {cluster: nowhere}\n"
                             "clusters:\n- name: c\n  cluster: {server: \"https://h:1\", "
                             "certificate-authority: ca.pem}\n"
                             "users:\n- name: u\n  user: {token: t}\n";
  ASSERT_OK_AND_ASSIGN(const ClientConfig current, LoadKubeconfigs({contexts, clusters}));
  EXPECT_EQ(current.ns, "ops");
  EXPECT_EQ(current.host, "h");
  EXPECT_EQ(current.ca_pem, "CA of the second");
  EXPECT_EQ(current.token, "");
  ASSERT_OK_AND_ASSIGN(const ClientConfig other,
                       LoadKubeconfigs({contexts, clusters}, {.overrides = {.context = "a"}}));
  EXPECT_EQ(other.token, "t");
  EXPECT_THAT(LoadKubeconfigs({clusters, contexts}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no cluster \"nowhere\"")));
}

TEST(KubeconfigTest, Names) {
  const std::string first = ::testing::TempDir() + "/names-1";
  const std::string second = ::testing::TempDir() + "/names-2";
  std::ofstream(first) << "contexts: [{name: a}, {name: b}]\nusers: [{name: u}]\n";
  std::ofstream(second) << "contexts: [{name: b}, {name: c}]\nclusters: [{name: d}]\n";
  ASSERT_OK_AND_ASSIGN(const KubeconfigNames names, ReadKubeconfigNames({first, second}));
  EXPECT_THAT(names.contexts, ElementsAre("a", "b", "c"));
  EXPECT_THAT(names.clusters, ElementsAre("d"));
  EXPECT_THAT(names.users, ElementsAre("u"));
}

TEST(KubeconfigTest, WhichFilesCount) {
  const std::string home = ::testing::TempDir() + "/home";
  ::mkdir(home.c_str(), 0700);
  const auto paths = [](const std::string& flag, const std::string& variable,
                        const std::string& folder) {
    return KubeconfigPaths(flag, [&](const char* name) {
      return std::string_view(name) == "HOME" ? folder : variable;
    });
  };
  EXPECT_THAT(paths("", "", home), IsEmpty());
  EXPECT_THAT(paths("", "", ""), IsEmpty());
  ::mkdir((home + "/.kube").c_str(), 0700);
  const std::string file = home + "/.kube/config";
  std::ofstream(file) << "x";
  EXPECT_THAT(paths("", "", home), ElementsAre(file));
  EXPECT_THAT(paths("flag", "a:b", home), ElementsAre("flag"));
  EXPECT_THAT(paths("", file + "::/missing/file:" + file, home), ElementsAre(file));
  EXPECT_THAT(paths("", "/missing/file", home), IsEmpty());
}

}  // namespace
}  // namespace steward::kube
