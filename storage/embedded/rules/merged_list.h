// The elements of a list that a strategic merge patch merges, and their order. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_MERGED_LIST_H_
#define STORAGE_EMBEDDED_RULES_MERGED_LIST_H_

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace steward::storage {

// The text by which elements are told apart: the value of the member `key`, or, with the key "",
// the element itself. "" for an element that has no such member.
std::string IdentityOf(const boost::json::value& element, std::string_view key);

// True when the elements are objects if there is a key, and values of one scalar type if there is
// none.
bool HaveOneType(const boost::json::array& a, const boost::json::array& b, std::string_view key);

// Each scalar of both lists once, at its first place.
boost::json::array Union(const boost::json::array& a, const boost::json::array& b);

// `elements` in a new order: those that `wanted` names in the order of `wanted`, the others in that
// of `live`, and where both orders leave room, an element comes before another that it precedes in
// `live`.
boost::json::array Arrange(const boost::json::array& elements, const boost::json::array& wanted,
                           const boost::json::array& live, std::string_view key);

// True when `wanted` names every element, in the elements' order, or one of them is empty.
bool OrderAgrees(const boost::json::array& elements, const boost::json::array& wanted,
                 std::string_view key);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_MERGED_LIST_H_
