#include "base/tls/server_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <string_view>

#include "base/status/macros.h"
#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kHttp1Only = "\x08http/1.1"sv;
constexpr std::string_view kHttp2First = "\x02h2\x08http/1.1"sv;

absl::Status UseChain(SSL_CTX* context, const std::string& pem) {
  BioPtr in = ReadBio(pem);
  X509Ptr leaf(PEM_read_bio_X509_AUX(in.get(), nullptr, nullptr, nullptr));
  if (leaf == nullptr) return OpensslError("reading the certificate");
  if (SSL_CTX_use_certificate(context, leaf.get()) != 1)
    return OpensslError("using the certificate");
  while (true) {
    X509Ptr next(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (next == nullptr) break;
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1)
      return OpensslError("using the certificate's chain");
  }
  const unsigned long error = ERR_peek_last_error();
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
    return OpensslError("reading the certificate's chain");
  }
  ERR_clear_error();
  return absl::OkStatus();
}

absl::Status UseKey(SSL_CTX* context, const std::string& pem) {
  // With an empty passphrase an encrypted key fails instead of asking on the terminal.
  char no_passphrase[] = "";
  EvpPkeyPtr key(PEM_read_bio_PrivateKey(ReadBio(pem).get(), nullptr, nullptr, no_passphrase));
  if (key == nullptr) return OpensslError("reading the private key");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return OpensslError("using the private key");
  if (SSL_CTX_check_private_key(context) != 1) return OpensslError("matching certificate and key");
  return absl::OkStatus();
}

int SelectProtocol(SSL*, const unsigned char** out, unsigned char* out_length,
                   const unsigned char* in, unsigned int in_length, void* arg) {
  const auto& ours = *static_cast<const std::string_view*>(arg);
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(&selected, out_length,
                                           reinterpret_cast<const unsigned char*>(ours.data()),
                                           static_cast<unsigned int>(ours.size()), in, in_length);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
  *out = selected;
  return SSL_TLSEXT_ERR_OK;
}

absl::Status Configure(SSL_CTX* context, const ServerTlsOptions& options) {
  if (SSL_CTX_set_min_proto_version(context,
                                    options.tls13_only ? TLS1_3_VERSION : TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context, options.tls12_ciphers.c_str()) != 1 ||
      SSL_CTX_set_ciphersuites(context, options.tls13_ciphers.c_str()) != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") != 1) {
    return OpensslError("TLS settings");
  }
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // Idle connections hold no record buffers; one recv takes a whole record.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  // Limits the chain of a client that is still unknown, because the chain is kept as long as the
  // connection.
  constexpr long kMaxClientChain = 16 << 10;
  SSL_CTX_set_max_cert_list(context, kMaxClientChain);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(
      context, [](X509_STORE_CTX*, void*) { return 1; }, nullptr);
  const std::string_view& protocols = options.http2 ? kHttp2First : kHttp1Only;
  SSL_CTX_set_alpn_select_cb(context, SelectProtocol, const_cast<std::string_view*>(&protocols));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SslContext> MakeServerContext(const PemKeyPair& pair,
                                             const ServerTlsOptions& options) {
  ERR_clear_error();
  SslContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return OpensslError("TLS context");
  RETURN_IF_ERROR(Configure(context.get(), options));
  RETURN_IF_ERROR(UseChain(context.get(), pair.cert_pem));
  RETURN_IF_ERROR(UseKey(context.get(), pair.key_pem));
  return context;
}

}  // namespace steward
