// A Leadership that a test gives and takes. Not thread-safe.
#ifndef CONTROLLERS_RUNTIME_TESTING_TEST_LEADERSHIP_H_
#define CONTROLLERS_RUNTIME_TESTING_TEST_LEADERSHIP_H_

#include "absl/time/time.h"
#include "controllers/runtime/election/leadership.h"

namespace steward::controllers {

class TestLeadership : public Leadership {
 public:
  absl::Duration Remaining() const override {
    return leads ? absl::InfiniteDuration() : absl::ZeroDuration();
  }
  bool leads = true;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_TESTING_TEST_LEADERSHIP_H_
