// The elements of a list that a strategic merge patch merges, and their order. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_MERGED_LIST_H_
#define STORAGE_EMBEDDED_RULES_MERGED_LIST_H_

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace steward::storage {

// The text that identifies an element: the value of its member `key`, or the element itself if
// `key` is "". Returns "" if the element has no such member.
std::string IdentityOf(const boost::json::value& element, std::string_view key);

// True if all elements are objects, or, if `key` is "", all are scalars of one type.
bool HaveOneType(const boost::json::array& a, const boost::json::array& b, std::string_view key);

// Each scalar of both lists once, at its first place.
boost::json::array Union(const boost::json::array& a, const boost::json::array& b);

// `elements` in a new order. Elements that `wanted` names are in the order of `wanted`, the others
// in the order of `live`. The two groups are merged so that, where possible, an element stays
// before the elements that it precedes in `live`.
boost::json::array Arrange(const boost::json::array& elements, const boost::json::array& wanted,
                           const boost::json::array& live, std::string_view key);

// True if `wanted` names every element in the order of `elements`, or if `wanted` or `elements` is
// empty.
bool OrderAgrees(const boost::json::array& elements, const boost::json::array& wanted,
                 std::string_view key);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_MERGED_LIST_H_
