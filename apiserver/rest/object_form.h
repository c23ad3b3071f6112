// One object in the form that the client asked for: what lists, single answers and watch frames are
// made of.
#ifndef APISERVER_REST_OBJECT_FORM_H_
#define APISERVER_REST_OBJECT_FORM_H_

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/negotiation.h"
#include "apiserver/rest/parameters.h"
#include "apiserver/rest/resource.h"
#include "base/splice/rope.h"

namespace steward::rest {

// "meta.k8s.io/v1": of Tables and PartialObjectMetadata.
std::string MetaApiVersion(const OutputFormat& format);

// Each appends compact JSON.
void AppendPartial(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, Rope& out);
void AppendRow(const Object& object, std::string_view resource_version, const OutputFormat& format,
               IncludeObject include_object, Rope& out);
void AppendColumns(const std::vector<Column>& columns, std::string& out);
// An element of the array of a list in this form: a row, for a Table.
void AppendElement(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, IncludeObject include_object, Rope& out);

}  // namespace steward::rest

#endif  // APISERVER_REST_OBJECT_FORM_H_
