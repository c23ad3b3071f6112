// The fields that a cluster-version-operator fills into manifests of a release. A pure function.
#ifndef OLM_PAYLOAD_TEMPLATE_FIELDS_H_
#define OLM_PAYLOAD_TEMPLATE_FIELDS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steward::olm {

struct TemplateFields {
  std::string release_image;  // of {{.ReleaseImage}}; "" = not known
  std::string profile;        // of {{.ClusterProfile}}; "" = not known
};

struct UnfilledField {
  size_t line = 0;   // from 1 on
  std::string name;  // ".ReleaseImage"
  bool operator==(const UnfilledField&) const = default;
};

struct FilledTemplate {
  std::string text;
  std::vector<UnfilledField> unfilled;  // fields whose values are not known
};

// Fills the fields in. Keeps any other text between {{ and }}, because it is not meant for the
// cluster-version-operator (alerts contain such text). With `literals`, though, a quoted string
// between the braces replaces them, as in that operator's own manifests around texts with braces.
FilledTemplate FillTemplate(std::string_view text, const TemplateFields& fields, bool literals);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_TEMPLATE_FIELDS_H_
