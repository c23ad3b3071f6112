// Writes a preview of a payload for people and for programs. Pure functions.
#ifndef PLUGIN_PAYLOAD_PREVIEW_TEXT_H_
#define PLUGIN_PAYLOAD_PREVIEW_TEXT_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "olm/payload/payload.h"
#include "olm/payload/removal.h"
#include "payload/payload_folder.h"
#include "payload/payload_preview.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// One object of a preview, or one manifest that is left out.
struct PreviewedLine {
  std::string action;
  payload::PreviewedObject object;

  // Returns a line like `delete Namespace "a", 5 objects go with it: 3 configmaps, 2
  // widgets.example.com`.
  std::string ToString() const;
  Style style() const;
  boost::json::object ToJson() const;
};

// Returns the lines in the payload's order. REQUIRES: the preview is one of `release`.
std::vector<PreviewedLine> LinesOf(const payload::Release& release,
                                   const payload::Preview& preview);

// Returns the identity of an object as JSON.
boost::json::object IdentityJson(const olm::PayloadIdentity& identity, std::string_view where);

// Returns a line like `Payload 4.6.0 (Updating): create 1, unchanged 3`; counts of 0 are left out.
std::string Summary(std::string_view version, olm::PayloadState state,
                    const std::vector<std::pair<std::string, size_t>>& counts);

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_PREVIEW_TEXT_H_
