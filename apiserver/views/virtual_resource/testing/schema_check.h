// The checks that the OpenAPI schema of every kind must pass. Pure functions.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_SCHEMA_CHECK_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_SCHEMA_CHECK_H_

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steward::views {

// Parses the text of a schema; fails the test when it is no JSON, or names a member twice.
boost::json::value ParseSchema(std::string_view text);

// Checks that every schema has a type or refers to another, every member of an object has a
// description, and every required member exists. `where` names the schema in messages.
void CheckSchema(const boost::json::value& schema, const std::string& where);

// The names of the properties, in their order.
std::vector<std::string> PropertiesOf(const boost::json::value& schema);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_TESTING_SCHEMA_CHECK_H_
