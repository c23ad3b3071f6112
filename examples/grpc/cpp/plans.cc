#include "examples/grpc/cpp/plans.h"

#include <grpcpp/client_context.h>

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

#include "examples/grpc/cpp/connection.h"
#include "proto/steward/plan/v1/plan.grpc.pb.h"
#include "proto/steward/plan/v1/plan.pb.h"

namespace {

namespace v1 = steward::plan::v1;
using Key = std::pair<std::string, std::string>;

void Show(const v1::PlanPreview& plan) {
  std::cout << plan.namespace_() << " " << plan.name() << " " << plan.phase() << " "
            << plan.steps_size() << " steps" << std::endl;
}

grpc::Status List(v1::PlanService::Stub& stub) {
  v1::ListRequest request;
  while (true) {
    grpc::ClientContext context;
    SetDeadline(context);
    v1::ListResponse page;
    const grpc::Status status = stub.List(&context, request, &page);
    if (!status.ok()) return status;
    for (const v1::PlanPreview& plan : page.previews()) Show(plan);
    if (page.next_page_token().empty()) return status;
    request.set_page_token(page.next_page_token());
  }
}

// One call. `known` are the plans that there are.
grpc::Status Follow(v1::PlanService::Stub& stub, bool once, std::set<Key>& known,
                    std::string& token) {
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
      known.insert(key);
      Show(message.changed());
    }
    if (message.has_removed()) {
      known.erase({message.removed().namespace_(), message.removed().name()});
      std::cout << message.removed().namespace_() << " " << message.removed().name() << " gone"
                << std::endl;
    }
    if (message.has_snapshot_end()) {
      known = fresh;
      if (once) context.TryCancel();
    }
    token = message.resume_token();
  }
  return reader->Finish();
}

grpc::Status Preview(v1::PlanService::Stub& stub, const v1::PreviewRequest& request) {
  grpc::ClientContext context;
  SetDeadline(context);
  v1::PreviewResponse preview;
  const grpc::Status status = stub.Preview(&context, request, &preview);
  if (!status.ok()) return status;
  for (const v1::Step& step : preview.steps()) {
    std::cout << step.outcome() << " " << step.kind() << " " << step.namespace_() << " "
              << step.name() << " by " << step.basis() << ": " << step.reason() << " "
              << step.message() << "\n";
  }
  if (preview.hidden() > 0) std::cout << "and " << preview.hidden() << " that you may not see\n";
  const v1::Condition& executable = preview.executable();
  std::cout << "executable: " << (executable.status() ? "true " : "false ") << executable.reason()
            << " " << executable.message() << "\n";
  return status;
}

}  // namespace

grpc::Status Plans(const std::shared_ptr<grpc::Channel>& channel,
                   const std::vector<std::string>& words) {
  const auto stub = v1::PlanService::NewStub(channel);
  if (words.front() == "list") return List(*stub);
  if (words.front() == "watch") {
    const bool once = words.back() == "--once";
    std::set<Key> known;
    return Repeat([&](std::string& token) { return Follow(*stub, once, known, token); }, once);
  }
  if (words.front() != "preview" || words.size() < 3) {
    return {grpc::INVALID_ARGUMENT, "plans needs list, watch, or preview NAMESPACE and what"};
  }
  v1::PreviewRequest request;
  request.set_namespace_(words[1]);
  if (words.size() == 3) request.set_install_plan(words[2]);
  for (size_t i = 3; i < words.size(); ++i) {
    std::ifstream file(words[i]);
    std::stringstream text;
    text << file.rdbuf();
    request.mutable_bundle()->add_manifests(text.str());
  }
  return Preview(*stub, request);
}
