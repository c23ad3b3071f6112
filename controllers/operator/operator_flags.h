// The flags of the reconciler "operators". A plain value.
#ifndef CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_
#define CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_

namespace steward::controllers {

struct OperatorFlags {
  // Whether Secrets count as components: a right to list their metadata is one to their contents.
  bool secrets = false;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_OPERATOR_FLAGS_H_
