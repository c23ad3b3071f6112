#include "examples/grpc/cpp/connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool IsFinal(const grpc::Status& status) {
  return status.error_code() == grpc::PERMISSION_DENIED ||
         status.error_code() == grpc::UNAUTHENTICATED ||
         status.error_code() == grpc::INVALID_ARGUMENT ||
         status.error_code() == grpc::UNIMPLEMENTED;
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const std::vector<std::string>& args) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = Read(args[1]);
  tls.pem_cert_chain = Read(args[2]);
  tls.pem_private_key = Read(args[3]);
  return grpc::CreateChannel(args[0], grpc::SslCredentials(tls));
}

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
}

grpc::Status Repeat(const std::function<grpc::Status(std::string& token)>& follow, bool once) {
  std::string token;
  auto delay = std::chrono::seconds(1);
  while (true) {
    const std::string before = token;
    const grpc::Status status = follow(token);
    if (once && !token.empty()) return grpc::Status::OK;
    if (once || IsFinal(status)) return status;
    if (token != before) delay = std::chrono::seconds(1);
    std::cerr << "again in " << delay.count() << "s because " << status.error_message()
              << std::endl;
    std::this_thread::sleep_for(delay);
    delay = std::min(2 * delay, std::chrono::seconds(30));
  }
}
