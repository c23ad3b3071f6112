// The generated code works against the system's libraries: one call over loopback.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bazel/test/echo.grpc.pb.h"
#include "bazel/test/echo.pb.h"

namespace steward::test {
namespace {

class EchoService : public Echo::Service {
  grpc::Status Say(grpc::ServerContext*, const Text* request, Text* response) override {
    response->set_text(request->text() + "!");
    return grpc::Status::OK;
  }
};

TEST(ProtoTest, AServiceAnswers) {
  EchoService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto stub = Echo::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  Text request;
  request.set_text("hello");
  Text response;
  const grpc::Status status = stub->Say(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.text(), "hello!");
  server->Shutdown();
}

}  // namespace
}  // namespace steward::test
