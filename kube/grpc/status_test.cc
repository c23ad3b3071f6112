#include "kube/grpc/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "proto/google/rpc/error_details.pb.h"
#include "proto/google/rpc/status.pb.h"
#include "proto/steward/common/v1/errors.pb.h"

namespace steward::kube {
namespace {

const GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

struct Row {
  const char* description;
  Status status;
  grpc::StatusCode code;
};

TEST(GrpcStatusTest, EveryKubernetesStatusComesBackAsItWas) {
  Status invalid =
      Invalid({"example.com", "v1", "Widget"}, "w", {{"FieldValueInvalid", "no", "spec.size"}});
  Status conflict = Conflict(kWidgets, "w", "it changed");
  conflict.uid = "u-1";
  const Row rows[] = {
      {"400", BadRequest("what?"), grpc::INVALID_ARGUMENT},
      {"401", Unauthorized(), grpc::UNAUTHENTICATED},
      {"403", Forbidden(kWidgets, "w", "no"), grpc::PERMISSION_DENIED},
      {"404", NotFound(kWidgets, "w"), grpc::NOT_FOUND},
      {"409", conflict, grpc::ABORTED},
      {"409 exists", AlreadyExists(kWidgets, "w"), grpc::ALREADY_EXISTS},
      {"410", Expired("too old"), grpc::OUT_OF_RANGE},
      {"422", invalid, grpc::INVALID_ARGUMENT},
      {"429", TooManyRequests("later", 3), grpc::RESOURCE_EXHAUSTED},
      {"500", InternalError("oops"), grpc::INTERNAL},
      {"503", ServiceUnavailable("away", 5), grpc::UNAVAILABLE},
      {"504", Timeout("slow", 1), grpc::DEADLINE_EXCEEDED},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.description);
    const grpc::Status sent = ToGrpc(ToStatus(row.status));
    EXPECT_EQ(sent.error_code(), row.code);
    EXPECT_EQ(sent.error_message(), row.status.message);
    EXPECT_EQ(FromStatus(FromGrpc(sent)), row.status);
  }
}

TEST(GrpcStatusTest, DetailsAreThoseThatOtherClientsKnow) {
  const grpc::Status sent = ToGrpc(ToStatus(ServiceUnavailable("away", 5)));
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(sent.error_details()));
  EXPECT_EQ(details.code(), 14);
  EXPECT_EQ(details.message(), "away");
  ASSERT_EQ(details.details_size(), 3);
  EXPECT_EQ(details.details(0).type_url(),
            "type.googleapis.com/steward.common.v1.KubernetesStatus");
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(1).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "ServiceUnavailable");
  EXPECT_EQ(info.domain(), kErrorDomain);
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.details(2).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 5);
}

TEST(GrpcStatusTest, ErrorsOfOurOwnGetTheStatusThatFits) {
  const absl::Status back = FromGrpc(ToGrpc(absl::NotFoundError("nothing here")));
  EXPECT_EQ(back.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FromStatus(back).code, 404);
}

TEST(GrpcStatusTest, WithoutUsableDetailsCodeAndMessageRemain) {
  for (const std::string details : {"", "\xff\xff not a message"}) {
    const absl::Status status = FromGrpc(grpc::Status(grpc::UNAVAILABLE, "no route", details));
    EXPECT_EQ(status, absl::UnavailableError("no route"));
  }
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(GrpcStatusTest, ImpossibleCodesOfStrangersAreServerErrors) {
  common::v1::KubernetesStatus odd;
  odd.set_code(200);
  odd.set_retry_after_seconds(-7);
  google::rpc::Status details;
  details.add_details()->PackFrom(odd);
  const Status status =
      FromStatus(FromGrpc(grpc::Status(grpc::INTERNAL, "x", details.SerializeAsString())));
  EXPECT_EQ(status.code, 500);
  EXPECT_EQ(status.retry_after_seconds, 0);
}

TEST(GrpcStatusTest, WhatIsSentFitsIntoHeaders) {
  Status status = BadRequest("");
  for (int i = 0; i < 3000; ++i) status.message += "\xc3\xa9";
  for (int i = 0; i < 100; ++i) status.causes.push_back({"r", std::string(500, 'x'), "f"});
  const grpc::Status sent = ToGrpc(ToStatus(status));
  EXPECT_LE(sent.error_message().size() * 3 + sent.error_details().size(), 8000u);
  const Status back = FromStatus(FromGrpc(sent));
  EXPECT_EQ(back.message.size() % 2, 0u) << "a character was broken";
  EXPECT_FALSE(back.message.empty());
}

}  // namespace
}  // namespace steward::kube
