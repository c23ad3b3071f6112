#include "examples/grpc/cpp/copies.h"

#include <grpcpp/client_context.h>

#include <cstdint>
#include <iostream>

#include "examples/grpc/cpp/connection.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.grpc.pb.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

namespace {

namespace v1 = steward::copiedcsv::v1;

void Show(const v1::State& state) {
  std::cout << "copies " << state.desired().copies() << " by " << state.desired().decided_by()
            << ": " << state.right() << " right, " << state.missing() << " missing, "
            << state.unexpected() << " unexpected, " << state.unexplained() << " unexplained"
            << std::endl;
}

// One call. A state is whole: there is nothing to remember but its token.
grpc::Status Follow(v1::CopiedCSVService::Stub& stub, bool once, std::string& token) {
  v1::WatchRequest request;
  request.set_resume_token(token);
  grpc::ClientContext context;
  const auto reader = stub.Watch(&context, request);
  v1::WatchResponse message;
  while (reader->Read(&message)) {
    if (message.has_state()) Show(message.state());
    token = message.resume_token();
    if (once) context.TryCancel();
  }
  return reader->Finish();
}

grpc::Status Preview(v1::CopiedCSVService::Stub& stub, const std::string& choice) {
  v1::PreviewRequest request;
  request.set_choice(choice == "on" ? v1::CHOICE_ON : v1::CHOICE_OFF);
  int64_t hidden = 0;
  v1::PreviewResponse page;
  do {
    grpc::ClientContext context;
    SetDeadline(context);
    const grpc::Status status = stub.Preview(&context, request, &page);
    if (!status.ok()) return status;
    for (const v1::Change& change : page.changes()) {
      std::cout << change.action() << " " << change.namespace_() << " " << change.name() << " of "
                << change.operator_namespace()
                << (change.requester_loses_sight() ? ", which you lose sight of" : "") << "\n";
    }
    hidden += page.hidden();
    request.set_page_token(page.next_page_token());
  } while (!page.next_page_token().empty());
  if (hidden > 0) std::cout << "and " << hidden << " that you may not see\n";
  std::cout << page.summary().creates() << " to make, " << page.summary().deletes()
            << " to delete\n";
  return grpc::Status::OK;
}

}  // namespace

grpc::Status Copies(const std::shared_ptr<grpc::Channel>& channel,
                    const std::vector<std::string>& words) {
  const auto stub = v1::CopiedCSVService::NewStub(channel);
  if (words.front() == "watch") {
    const bool once = words.back() == "--once";
    return Repeat([&](std::string& token) { return Follow(*stub, once, token); }, once);
  }
  return Preview(*stub, words.back());
}
