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
  std::vector<UnfilledField> unfilled;  // those whose values are not known
};

// Fills the fields in. Any other text between {{ and }} is not the cluster-version-operator's
// (alerts have such) and stays; with `literals` it is where it is one quoted string, as that
// operator's own manifests have around texts with braces: the string takes its place.
FilledTemplate FillTemplate(std::string_view text, const TemplateFields& fields, bool literals);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_TEMPLATE_FIELDS_H_
