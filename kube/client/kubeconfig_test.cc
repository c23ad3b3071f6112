#include "kube/client/kubeconfig.h"

#include <sys/stat.h>

#include <fstream>
#include <map>
#include <string>
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

absl::StatusOr<ClientConfig> Parse(const std::string& text, std::string_view context = "") {
  return ParseKubeconfig(text, "/home/kube", context, FakeFile);
}

TEST(KubeconfigTest, Data) {
  ASSERT_OK_AND_ASSIGN(const ClientConfig config,
                       Parse(Kubeconfig("    certificate-authority-data: Q0E=\n"
                                        "    certificate-authority: /missing\n"
                                        "    tls-server-name: kubernetes\n",
                                        "    client-certificate-data: Q0VSVA==\n"
                                        "    client-key-data: S0VZ\n"
                                        "    token: abc\n"
                                        "    username: joe\n    password: secret\n")));
  EXPECT_EQ(config.host, "10.0.0.1");
  EXPECT_EQ(config.port, 6443);
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.tls_server_name, "kubernetes");
  EXPECT_EQ(config.cert_pem, "CERT");
  EXPECT_EQ(config.key_pem, "KEY");
  EXPECT_EQ(config.token, "abc");
  EXPECT_EQ(config.username, "joe");
  EXPECT_EQ(config.password, "secret");
  EXPECT_FALSE(config.insecure_skip_tls_verify);
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

struct RefusedCase {
  const char* name;
  std::string text;
  const char* context;
  const char* message;
};

TEST(KubeconfigTest, Refused) {
  const std::vector<RefusedCase> rows = {
      {"exec", Kubeconfig("", "    exec: {command: aws}\n"), "",
       "user \"u\": exec plugins are not supported; use"},
      {"auth provider", Kubeconfig("", "    auth-provider: {name: gcp}\n"), "",
       "auth-provider plugins are not supported"},
      {"proxy", Kubeconfig("    proxy-url: http://proxy\n", ""), "", "proxy-url is not supported"},
      {"impersonation", Kubeconfig("", "    as: admin\n"), "", "impersonation (as)"},
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
      {"empty", "", "", "not a kubeconfig"},
      {"contexts no list", "current-context: a\ncontexts: 5\n", "", "contexts is not a list"},
      {"entry no mapping", "current-context: a\ncontexts: [5]\n", "", "non-mapping"},
      {"no server",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
       "clusters: [{name: c, cluster: {}}]\n",
       "", "no server"},
      {"bad server",
       "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
       "clusters: [{name: c, cluster: {server: 10.0.0.1}}]\n",
       "", ""},
      {"no YAML", "a: [", "", ""},
  };
  for (const RefusedCase& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(Parse(row.text, row.context),
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
  ASSERT_OK_AND_ASSIGN(const ClientConfig other, LoadKubeconfigs({contexts, clusters}, "a"));
  EXPECT_EQ(other.token, "t");
  EXPECT_THAT(LoadKubeconfigs({clusters, contexts}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no cluster \"nowhere\"")));
}

TEST(KubeconfigTest, WhichFilesCount) {
  const std::string home = ::testing::TempDir() + "/home";
  ::mkdir(home.c_str(), 0700);
  EXPECT_THAT(KubeconfigPaths("", "", home), IsEmpty());
  EXPECT_THAT(KubeconfigPaths("", "", ""), IsEmpty());
  ::mkdir((home + "/.kube").c_str(), 0700);
  const std::string file = home + "/.kube/config";
  std::ofstream(file) << "x";
  EXPECT_THAT(KubeconfigPaths("", "", home), ElementsAre(file));
  EXPECT_THAT(KubeconfigPaths("flag", "a:b", home), ElementsAre("flag"));
  EXPECT_THAT(KubeconfigPaths("", file + "::/missing/file", home), ElementsAre(file));
  EXPECT_THAT(KubeconfigPaths("", "/missing/file", home), IsEmpty());
}

}  // namespace
}  // namespace steward::kube
