#include "olm/copied_rbac/policy_rule.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

using Words = std::vector<std::string>;

Words WordsAt(const json::object& rule, std::string_view key) {
  Words words;
  if (const json::array* list = ArrayAt(rule, key)) {
    for (const json::value& each : *list) {
      if (each.is_string()) words.emplace_back(View(each.get_string()));
    }
  }
  return words;
}

// True if the word `all` of a rule grants what `word` grants. Groups, resources, names and verbs
// each have such a function.
using CoversWord = bool (*)(std::string_view all, std::string_view word);

bool CoversName(std::string_view all, std::string_view word) { return all == word; }

// True if the groups or verbs `all` include `word`.
bool CoversPlain(std::string_view all, std::string_view word) { return all == "*" || all == word; }

bool CoversResource(std::string_view all, std::string_view word) {
  if (CoversPlain(all, word)) return true;
  const size_t slash = word.find('/');
  return slash != word.npos && all.starts_with("*/") && all.substr(1) == word.substr(slash);
}

bool CoversWords(CoversWord covers, const Words& all, const Words& some) {
  return std::all_of(some.begin(), some.end(), [&](const std::string& word) {
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& each) { return covers(each, word); });
  });
}

bool CoversNames(const Words& all, const Words& some) {
  return all.empty() || (!some.empty() && CoversWords(CoversName, all, some));
}

void AddOnce(Words& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// The words that both `a` and `b` cover.
Words Common(CoversWord covers, const Words& a, const Words& b) {
  Words both;
  for (const std::string& one : a) {
    for (const std::string& other : b) {
      if (covers(other, one)) {
        AddOnce(both, one);
      } else if (covers(one, other)) {
        AddOnce(both, other);
      }
    }
  }
  return both;
}

bool CoversRule(const PolicyRule& all, const PolicyRule& some) {
  return CoversWords(CoversPlain, all.groups, some.groups) &&
         CoversWords(CoversResource, all.resources, some.resources) &&
         CoversWords(CoversPlain, all.verbs, some.verbs) && CoversNames(all.names, some.names);
}

std::optional<PolicyRule> Common(const PolicyRule& a, const PolicyRule& b) {
  PolicyRule both;
  both.groups = Common(CoversPlain, a.groups, b.groups);
  both.resources = Common(CoversResource, a.resources, b.resources);
  both.verbs = Common(CoversPlain, a.verbs, b.verbs);
  if (both.groups.empty() || both.resources.empty() || both.verbs.empty()) return std::nullopt;
  if (a.names.empty() || b.names.empty()) {
    both.names = a.names.empty() ? b.names : a.names;
  } else {
    both.names = Common(CoversName, a.names, b.names);
    // An empty list of names would mean all objects.
    if (both.names.empty()) return std::nullopt;
  }
  return both;
}

json::array WordList(const Words& words) { return json::array(words.begin(), words.end()); }

}  // namespace

PolicyRules ReadPolicyRules(const json::array& rules) {
  PolicyRules read;
  for (const json::value& each : rules) {
    const json::object* rule = each.if_object();
    if (rule == nullptr) continue;
    PolicyRule words{WordsAt(*rule, "apiGroups"), WordsAt(*rule, "resources"),
                     WordsAt(*rule, "resourceNames"), WordsAt(*rule, "verbs")};
    if (words.groups.empty() || words.resources.empty() || words.verbs.empty()) continue;
    read.push_back(std::move(words));
  }
  return read;
}

json::array ToJson(const PolicyRules& rules) {
  json::array list;
  for (const PolicyRule& rule : rules) {
    json::object object;
    object["apiGroups"] = WordList(rule.groups);
    if (!rule.names.empty()) object["resourceNames"] = WordList(rule.names);
    object["resources"] = WordList(rule.resources);
    object["verbs"] = WordList(rule.verbs);
    list.push_back(std::move(object));
  }
  return list;
}

bool Covers(const PolicyRules& all, const PolicyRule& rule) {
  return std::any_of(all.begin(), all.end(),
                     [&rule](const PolicyRule& each) { return CoversRule(each, rule); });
}

bool Covers(const PolicyRules& all, const PolicyRules& some) {
  return std::all_of(some.begin(), some.end(),
                     [&all](const PolicyRule& rule) { return Covers(all, rule); });
}

PolicyRules Within(const PolicyRules& rules, const PolicyRules& asked) {
  PolicyRules kept;
  for (const PolicyRule& rule : rules) {
    if (kept.size() >= kMostRules) break;
    if (Covers(asked, rule)) {
      kept.push_back(rule);
      continue;
    }
    for (const PolicyRule& each : asked) {
      if (kept.size() >= kMostRules) break;
      if (std::optional<PolicyRule> both = Common(rule, each); both && !Covers(kept, *both)) {
        kept.push_back(*std::move(both));
      }
    }
  }
  return kept;
}

}  // namespace steward::olm
