// What our comments are known by: their last line, "<!-- yardmaster pack=P template=T key=K -->". Keys of effects.
#ifndef YARDMASTER_SERVICES_INTAKE_MARKER_H_
#define YARDMASTER_SERVICES_INTAKE_MARKER_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

std::string Marker(std::string_view pack, std::string_view template_id, std::string_view key);

// `text` with the marker behind it.
std::string WithMarker(std::string_view text, std::string_view pack, std::string_view template_id,
                       std::string_view key);

struct CommentMarker {
  std::string pack;
  std::string template_id;
  std::string key;
};
// The marker at the end of a comment; nullopt if there is none.
std::optional<CommentMarker> FindMarker(std::string_view comment);
// Its key.
std::optional<std::string> MarkerKey(std::string_view comment);
// The text in front of it.
std::string_view WithoutMarker(std::string_view comment);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_MARKER_H_
