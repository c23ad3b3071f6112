// A small client of Steward's gRPC services: lists, watches, and shows what an uninstallation waits
// for, what turning copies off or on does, and what would become of InstallPlans and bundles.
//
//   client ADDRESS CA CERT KEY list
//   client ADDRESS CA CERT KEY watch [--once]
//   client ADDRESS CA CERT KEY pending NAMESPACE NAME
//   client ADDRESS CA CERT KEY copies watch [--once]
//   client ADDRESS CA CERT KEY copies preview on|off
//   client ADDRESS CA CERT KEY plans list
//   client ADDRESS CA CERT KEY plans watch [--once]
//   client ADDRESS CA CERT KEY plans preview NAMESPACE NAME
//   client ADDRESS CA CERT KEY plans preview NAMESPACE bundle FILE.json...
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "examples/grpc/cpp/connection.h"
#include "examples/grpc/cpp/copies.h"
#include "examples/grpc/cpp/plans.h"
#include "proto/steward/cleanup/v1/cleanup.grpc.pb.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace {

namespace v1 = steward::cleanup::v1;
using Key = std::pair<std::string, std::string>;

void Show(const v1::CleanupStatus& status) {
  std::cout << status.namespace_() << " " << status.name() << " " << status.phase() << " "
            << status.pending_count() << std::endl;
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

// The statuses that a client of Watch remembers.
using Known = std::map<Key, v1::CleanupStatus>;

// Makes one call of Watch.
grpc::Status Follow(v1::CleanupService::Stub& stub, bool once, Known& known, std::string& token) {
  v1::WatchRequest request;
  request.set_resume_token(token);
  grpc::ClientContext context;
  const auto reader = stub.Watch(&context, request);
  std::set<Key> fresh;  // what was in the snapshot
  v1::WatchResponse message;
  while (reader->Read(&message)) {
    if (message.has_snapshot_begin()) fresh.clear();
    if (message.has_changed()) {
      const Key key(message.changed().namespace_(), message.changed().name());
      fresh.insert(key);
      known[key] = message.changed();
      Show(message.changed());
    }
    if (message.has_removed()) {
      known.erase({message.removed().namespace_(), message.removed().name()});
      std::cout << message.removed().namespace_() << " " << message.removed().name() << " gone"
                << std::endl;
    }
    if (message.has_snapshot_end()) {
      std::erase_if(known, [&](const auto& entry) { return !fresh.contains(entry.first); });
      if (once) context.TryCancel();
    }
    token = message.resume_token();
  }
  return reader->Finish();
}

grpc::Status Watch(v1::CleanupService::Stub& stub, bool once) {
  Known known;
  return Repeat([&](std::string& token) { return Follow(stub, once, known, token); }, once);
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
  grpc::Status status(
      grpc::INVALID_ARGUMENT,
      "usage: client ADDRESS CA CERT KEY list | watch [--once] | pending NAMESPACE "
      "NAME | copies watch [--once] | copies preview on|off | plans list | plans watch "
      "[--once] | plans preview NAMESPACE NAME | plans preview NAMESPACE bundle "
      "FILE.json...");
  if (!command.empty()) {
    const std::shared_ptr<grpc::Channel> channel = Connect(args);
    const auto cleanups = v1::CleanupService::NewStub(channel);
    if (command == "list") status = List(*cleanups);
    if (command == "watch") status = Watch(*cleanups, args.back() == "--once");
    if (command == "pending" && args.size() == 7) status = Pending(*cleanups, args[5], args[6]);
    if (command == "copies" && args.size() > 5) {
      status = Copies(channel, {args.begin() + 5, args.end()});
    }
    if (command == "plans" && args.size() > 5) {
      status = Plans(channel, {args.begin() + 5, args.end()});
    }
  }
  if (status.ok()) return 0;
  std::cerr << status.error_code() << ": " << status.error_message() << std::endl;
  return 1;
}
