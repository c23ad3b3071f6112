// The parameter fieldValidation of writes. A plain value.
#ifndef APISERVER_REST_RESOURCE_FIELD_VALIDATION_H_
#define APISERVER_REST_RESOURCE_FIELD_VALIDATION_H_

namespace steward::rest {

// The treatment of a body with questionable fields.
enum class FieldValidation {
  kIgnore,
  kWarn,    // the default: accepted, with Warning headers
  kStrict,  // refused
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_FIELD_VALIDATION_H_
