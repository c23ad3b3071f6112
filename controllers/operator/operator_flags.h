// The flags of the reconciler "operators". A plain value.
#ifndef CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_
#define CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_

namespace steward::controllers {

struct OperatorFlags {
  // True: Secrets count as components. Optional, because a right to list their metadata is a right
  // to read their contents.
  bool secrets = false;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_
