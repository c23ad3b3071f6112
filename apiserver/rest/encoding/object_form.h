// One object in the form that the client asked for, for lists, single answers and watch frames.
// Pure functions.
#ifndef APISERVER_REST_ENCODING_OBJECT_FORM_H_
#define APISERVER_REST_ENCODING_OBJECT_FORM_H_

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/negotiation/negotiation.h"
#include "apiserver/rest/parameters/parameters.h"
#include "apiserver/rest/resource/resource.h"
#include "base/splice/rope.h"

namespace steward::rest {

// "meta.k8s.io/v1": the version of Tables and PartialObjectMetadata.
std::string MetaApiVersion(const OutputFormat& format);

// Each function appends compact JSON.
void AppendPartial(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, Rope& out);
void AppendRow(const Object& object, std::string_view resource_version, const OutputFormat& format,
               IncludeObject include_object, Rope& out);
void AppendColumns(const std::vector<Column>& columns, std::string& out);
// Appends one object, as a row for a Table.
void AppendElement(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, IncludeObject include_object, Rope& out);
// Appends one object with its own version or, if it has none, with `answer_version`.
void AppendAnswered(const Object& object, std::string_view answer_version,
                    const OutputFormat& format, IncludeObject include_object, Rope& out);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_OBJECT_FORM_H_
