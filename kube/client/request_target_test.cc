#include "kube/client/request_target.h"

#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::kube {
namespace {

const GroupVersionResource kPods{"", "v1", "pods"};
const GroupVersionResource kWidgets{"example.com", "v1beta1", "widgets"};

TEST(RequestTargetTest, Collections) {
  EXPECT_THAT(CollectionTarget(kPods, ""), IsOkAndHolds("/api/v1/pods"));
  EXPECT_THAT(CollectionTarget(kPods, "n"), IsOkAndHolds("/api/v1/namespaces/n/pods"));
  EXPECT_THAT(CollectionTarget(kWidgets, "n"),
              IsOkAndHolds("/apis/example.com/v1beta1/namespaces/n/widgets"));
}

TEST(RequestTargetTest, Objects) {
  EXPECT_THAT(ObjectTarget({"", "v1", "namespaces"}, {"", "n"}),
              IsOkAndHolds("/api/v1/namespaces/n"));
  EXPECT_THAT(ObjectTarget(kWidgets, {"n", "a:b c"}),
              IsOkAndHolds("/apis/example.com/v1beta1/namespaces/n/widgets/a%3Ab%20c"));
}

TEST(RequestTargetTest, ListParameters) {
  ListOptions options;
  options.label_selector = "a=b,c!=d";
  options.field_selector = "metadata.name=x";
  options.limit = 500;
  options.continue_token = "a+/=";
  options.resource_version = "12";
  options.resource_version_match = "NotOlderThan";
  EXPECT_THAT(ListTarget(kPods, options),
              IsOkAndHolds("/api/v1/pods?labelSelector=a%3Db%2Cc%21%3Dd"
                           "&fieldSelector=metadata.name%3Dx&limit=500&continue=a%2B%2F%3D"
                           "&resourceVersion=12&resourceVersionMatch=NotOlderThan"));
}

TEST(RequestTargetTest, WatchParameters) {
  WatchOptions options;
  options.ns = "n";
  options.timeout = absl::Milliseconds(1);
  EXPECT_THAT(WatchTarget(kPods, options),
              IsOkAndHolds("/api/v1/namespaces/n/pods?watch=true&allowWatchBookmarks=true"
                           "&timeoutSeconds=1"));
}

TEST(RequestTargetTest, WatchWithInitialEvents) {
  WatchOptions options;
  options.resource_version = "7";
  options.send_initial_events = true;
  EXPECT_THAT(WatchTarget(kPods, options),
              IsOkAndHolds("/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=7"
                           "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                           "&timeoutSeconds=300"));
}

TEST(RequestTargetTest, WhatIsNoPathSegment) {
  for (const char* bad : {"..", ".", "a/b", "a%b"}) {
    SCOPED_TRACE(bad);
    EXPECT_THAT(CollectionTarget(kPods, bad), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CollectionTarget({bad, "v1", "r"}, ""),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CollectionTarget({"", bad, "r"}, ""), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CollectionTarget({"", "v1", bad}, ""),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(ObjectTarget(kPods, {"n", bad}), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(ObjectTarget(kPods, {"n", ""}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(CollectionTarget({"", "", "r"}, ""), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace steward::kube
