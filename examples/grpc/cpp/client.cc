// A small client of steward.cleanup.v1.CleanupService: lists, watches, and shows what an
// uninstallation waits for.
//
//   client ADDRESS CA CERT KEY list
//   client ADDRESS CA CERT KEY watch [--once]
//   client ADDRESS CA CERT KEY pending NAMESPACE NAME
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace {

namespace v1 = steward::cleanup::v1;
using Key = std::pair<std::string, std::string>;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::unique_ptr<v1::CleanupService::Stub> Connect(const std::vector<std::string>& args) {
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = Read(args[1]);
  tls.pem_cert_chain = Read(args[2]);
  tls.pem_private_key = Read(args[3]);
  return v1::CleanupService::NewStub(grpc::CreateChannel(args[0], grpc::SslCredentials(tls)));
}

void Show(const v1::CleanupStatus& status) {
  std::cout << status.namespace_() << " " << status.name() << " " << status.phase() << " "
            << status.pending_count() << std::endl;
}

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
}

grpc::Status List(v1::CleanupService::Stub& stub) {
  v1::ListRequest request;
  while (true) {
    grpc::ClientContext context;
    SetDeadline(context);
    v1::ListResponse page;
    const grpc::Status status = stub.List(&context, request, &page);
    if (!status.ok()) return status;
    for (const v1::CleanupStatus& cleanup : page.statuses()) Show(cleanup);
    if (page.next_page_token().empty()) return status;
    request.set_page_token(page.next_page_token());
  }
}

// What a client of Watch remembers.
struct Known {
  std::map<Key, v1::CleanupStatus> statuses;
  std::string token;
};

// One call.
grpc::Status Follow(v1::CleanupService::Stub& stub, bool once, Known& known) {
  v1::WatchRequest request;
  request.set_resume_token(known.token);
  grpc::ClientContext context;
  const auto reader = stub.Watch(&context, request);
  std::set<Key> fresh;  // what was in the snapshot
  v1::WatchResponse message;
  while (reader->Read(&message)) {
    if (message.has_snapshot_begin()) fresh.clear();
    if (message.has_changed()) {
      const Key key(message.changed().namespace_(), message.changed().name());
      fresh.insert(key);
      known.statuses[key] = message.changed();
      Show(message.changed());
    }
    if (message.has_removed()) {
      known.statuses.erase({message.removed().namespace_(), message.removed().name()});
      std::cout << message.removed().namespace_() << " " << message.removed().name() << " gone"
                << std::endl;
    }
    if (message.has_snapshot_end()) {
      std::erase_if(known.statuses,
                    [&](const auto& entry) { return !fresh.contains(entry.first); });
      if (once) context.TryCancel();
    }
    known.token = message.resume_token();
  }
  return reader->Finish();
}

bool IsFinal(const grpc::Status& status) {
  return status.error_code() == grpc::PERMISSION_DENIED ||
         status.error_code() == grpc::UNAUTHENTICATED ||
         status.error_code() == grpc::INVALID_ARGUMENT ||
         status.error_code() == grpc::UNIMPLEMENTED;
}

// Goes on where it was whenever the call ends.
grpc::Status Watch(v1::CleanupService::Stub& stub, bool once) {
  Known known;
  auto delay = std::chrono::seconds(1);
  while (true) {
    const std::string before = known.token;
    const grpc::Status status = Follow(stub, once, known);
    if (once && !known.token.empty()) return grpc::Status::OK;
    if (once || IsFinal(status)) return status;
    if (known.token != before) delay = std::chrono::seconds(1);
    std::cerr << "again in " << delay.count() << "s because " << status.error_message()
              << std::endl;
    std::this_thread::sleep_for(delay);
    delay = std::min(2 * delay, std::chrono::seconds(30));
  }
}

grpc::Status Pending(v1::CleanupService::Stub& stub, const std::string& ns,
                     const std::string& name) {
  v1::ListPendingRequest request;
  request.set_namespace_(ns);
  request.set_name(name);
  int64_t hidden = 0;
  while (true) {
    grpc::ClientContext context;
    SetDeadline(context);
    v1::ListPendingResponse page;
    const grpc::Status status = stub.ListPending(&context, request, &page);
    if (!status.ok()) return status;
    for (const v1::PendingOperand& operand : page.operands()) {
      std::cout << operand.plural() << "." << operand.group() << " " << operand.namespace_() << " "
                << operand.name() << " " << operand.deletion_timestamp() << "\n";
    }
    hidden += page.hidden();
    request.set_page_token(page.next_page_token());
    if (page.next_page_token().empty()) break;
  }
  if (hidden > 0) std::cout << "and " << hidden << " that you may not list\n";
  return grpc::Status::OK;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const std::string command = args.size() > 4 ? args[4] : "";
  grpc::Status status(grpc::INVALID_ARGUMENT,
                      "usage: client ADDRESS CA CERT KEY list | watch [--once] | pending NAMESPACE "
                      "NAME");
  if (command == "list") status = List(*Connect(args));
  if (command == "watch") status = Watch(*Connect(args), args.back() == "--once");
  if (command == "pending" && args.size() == 7) status = Pending(*Connect(args), args[5], args[6]);
  if (status.ok()) return 0;
  std::cerr << status.error_code() << ": " << status.error_message() << std::endl;
  return 1;
}
