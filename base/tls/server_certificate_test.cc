#include "base/tls/server_certificate.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <string>

#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/testing.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

std::string CommonName(X509* cert) {
  char text[128] = {};
  if (cert == nullptr) return "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, text, sizeof text);
  return text;
}

struct HandshakeResult {
  bool ok = false;
  std::string server_name;  // common name of the server's certificate
  std::string client_name;  // common name of the client's certificate, as the server sees it
  std::string protocol;     // chosen by ALPN
  bool resumed = false;
};

struct ClientOptions {
  std::string alpn;  // wire format
  const TestKeyPair* pair = nullptr;
  int max_version = 0;
  std::string tls12_ciphers;  // "": OpenSSL's own
  std::string tls13_ciphers;
};

void UsePair(SSL* ssl, const TestKeyPair& pair) {
  X509Ptr cert(PEM_read_bio_X509(ReadBio(pair.cert_pem).get(), nullptr, nullptr, nullptr));
  EvpPkeyPtr key(PEM_read_bio_PrivateKey(ReadBio(pair.key_pem).get(), nullptr, nullptr, nullptr));
  ASSERT_EQ(SSL_use_certificate(ssl, cert.get()), 1);
  ASSERT_EQ(SSL_use_PrivateKey(ssl, key.get()), 1);
}

// Performs a handshake between `server` and a client in memory.
HandshakeResult Handshake(const SslContext& server, const ClientOptions& options) {
  SslCtxPtr client_context(SSL_CTX_new(TLS_client_method()));
  if (options.max_version != 0)
    SSL_CTX_set_max_proto_version(client_context.get(), options.max_version);
  if (!options.tls12_ciphers.empty())
    SSL_CTX_set_cipher_list(client_context.get(), options.tls12_ciphers.c_str());
  if (!options.tls13_ciphers.empty())
    SSL_CTX_set_ciphersuites(client_context.get(), options.tls13_ciphers.c_str());
  SslPtr client(SSL_new(client_context.get()));
  SslPtr peer(SSL_new(server.get()));
  BIO* client_end = nullptr;
  BIO* server_end = nullptr;
  BIO_new_bio_pair(&client_end, 0, &server_end, 0);
  SSL_set_bio(client.get(), client_end, client_end);
  SSL_set_bio(peer.get(), server_end, server_end);
  SSL_set_connect_state(client.get());
  SSL_set_accept_state(peer.get());
  if (options.pair != nullptr) UsePair(client.get(), *options.pair);
  if (!options.alpn.empty()) {
    SSL_set_alpn_protos(client.get(), reinterpret_cast<const unsigned char*>(options.alpn.data()),
                        static_cast<unsigned>(options.alpn.size()));
  }
  for (int i = 0; i < 20; ++i) {
    SSL_do_handshake(client.get());
    SSL_do_handshake(peer.get());
  }
  HandshakeResult result;
  result.ok = SSL_is_init_finished(client.get()) && SSL_is_init_finished(peer.get());
  TakeOpensslError();
  if (!result.ok) return result;
  result.server_name = CommonName(SSL_get0_peer_certificate(client.get()));
  result.client_name = CommonName(SSL_get0_peer_certificate(peer.get()));
  const unsigned char* protocol = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(client.get(), &protocol, &length);
  result.protocol.assign(reinterpret_cast<const char*>(protocol), length);
  // Lets a session ticket arrive, if the server sends any.
  char byte;
  SSL_read(client.get(), &byte, 1);
  TakeOpensslError();
  result.resumed = SSL_SESSION_is_resumable(SSL_get_session(client.get())) == 1;
  return result;
}

class ServerCertificateTest : public ::testing::Test {
 protected:
  void Write(const TestKeyPair& pair) {
    ASSERT_OK(ReplaceFile(cert_file_, pair.cert_pem, 0644));
    ASSERT_OK(ReplaceFile(key_file_, pair.key_pem, 0600));
  }
  TestKeyPair Server(const std::string& name) {
    TestCertOptions options;
    options.common_name = name;
    return ca_.Issue(options);
  }
  const TestCa ca_{"ca"};
  const std::string cert_file_ = ::testing::TempDir() + "/tls.crt";
  const std::string key_file_ = ::testing::TempDir() + "/tls.key";
};

TEST_F(ServerCertificateTest, ReloadsForNewHandshakes) {
  Write(Server("one"));
  ASSERT_OK_AND_ASSIGN(auto certificate, ServerCertificate::Load(cert_file_, key_file_));
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "one");
  EXPECT_FALSE(certificate->MaybeReload());

  Write(Server("two"));
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "one");
  EXPECT_TRUE(certificate->MaybeReload());
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "two");
}

TEST_F(ServerCertificateTest, KeepsTheLastGoodPair) {
  Write(Server("one"));
  ASSERT_OK_AND_ASSIGN(auto certificate, ServerCertificate::Load(cert_file_, key_file_));
  const TestKeyPair two = Server("two");
  ASSERT_OK(ReplaceFile(cert_file_, two.cert_pem, 0644));  // its key is not there yet
  EXPECT_FALSE(certificate->MaybeReload());
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "one");
  ASSERT_OK(ReplaceFile(key_file_, "junk", 0600));
  EXPECT_FALSE(certificate->MaybeReload());
  ASSERT_EQ(std::remove(key_file_.c_str()), 0);
  EXPECT_FALSE(certificate->MaybeReload());
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "one");
  ASSERT_OK(ReplaceFile(key_file_, two.key_pem, 0600));
  EXPECT_TRUE(certificate->MaybeReload());
  EXPECT_EQ(Handshake(certificate->context(), {}).server_name, "two");
}

TEST_F(ServerCertificateTest, LoadSaysWhatIsWrong) {
  EXPECT_THAT(ServerCertificate::Load("/nowhere/tls.crt", key_file_),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere/tls.crt")));
  Write({"junk", "junk"});
  EXPECT_THAT(ServerCertificate::Load(cert_file_, key_file_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("certificate")));
  Write({Server("one").cert_pem, Server("two").key_pem});
  EXPECT_THAT(ServerCertificate::Load(cert_file_, key_file_),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ServerCertificateTest, HandshakeRules) {
  const TestKeyPair server = Server("server");
  const TestCa stranger_ca("stranger");
  TestCertOptions stranger_options;
  stranger_options.common_name = "stranger";
  const TestKeyPair stranger = stranger_ca.Issue(stranger_options);
  struct Row {
    std::string name;
    ClientOptions client;
    ServerTlsOptions server;
    bool ok;
    std::string protocol;
    std::string client_name;
  };
  const std::string h2("\x02h2");
  const std::string h1("\x08http/1.1");
  const std::string aes256 = "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384";
  const Row rows[] = {
      {"no ALPN", {}, {}, true, "", ""},
      {"h2 is preferred", {h1 + h2}, {}, true, "h2", ""},
      {"http/1.1 alone", {h1}, {}, true, "http/1.1", ""},
      {"http2 off", {h2 + h1}, {false, false}, true, "http/1.1", ""},
      {"no common protocol", {"\x04spdy"}, {}, false, "", ""},
      {"certificate of an unknown CA", {h2, &stranger}, {}, true, "h2", "stranger"},
      {"the same by TLS 1.2", {h2, &stranger, TLS1_2_VERSION}, {}, true, "h2", "stranger"},
      {"TLS 1.1", {h2, nullptr, TLS1_1_VERSION}, {}, false, "", ""},
      {"TLS 1.2 refused", {h2, nullptr, TLS1_2_VERSION}, {true, true}, false, "", ""},
      {"TLS 1.3 alone", {h2}, {true, true}, true, "h2", ""},
      {"another cipher of TLS 1.2",
       {h2, nullptr, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"},
       {.tls12_ciphers = aes256},
       false,
       "",
       ""},
      {"the same cipher of TLS 1.2",
       {h2, nullptr, TLS1_2_VERSION, aes256},
       {.tls12_ciphers = aes256},
       true,
       "h2",
       ""},
      {"another cipher of TLS 1.3",
       {h2, nullptr, 0, aes256, "TLS_AES_128_GCM_SHA256"},
       {.tls13_only = true, .tls13_ciphers = "TLS_AES_256_GCM_SHA384"},
       false,
       "",
       ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ASSERT_OK_AND_ASSIGN(SslContext context,
                         MakeServerContext({server.cert_pem, server.key_pem}, row.server));
    const HandshakeResult result = Handshake(context, row.client);
    EXPECT_EQ(result.ok, row.ok);
    EXPECT_EQ(result.protocol, row.protocol);
    EXPECT_EQ(result.client_name, row.client_name);
    EXPECT_FALSE(result.resumed);
  }
}

}  // namespace
}  // namespace steward
