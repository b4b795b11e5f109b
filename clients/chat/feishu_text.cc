#include "clients/chat/feishu_text.h"

#include "absl/strings/str_cat.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"

namespace yardmaster::chat {
namespace {

constexpr std::string_view kPlaceOfName = "@_user_";

// "@_user_12" at the beginning of `text`; empty if there is none.
std::string_view PlaceAtFront(std::string_view text) {
  if (!text.starts_with(kPlaceOfName)) return {};
  size_t end = kPlaceOfName.size();
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return text.substr(0, end);
}

std::string_view NameAt(std::string_view place, const nlohmann::json* mentions) {
  if (mentions == nullptr || !mentions->is_array()) return {};
  for (const nlohmann::json& mention : *mentions) {
    if (mention.is_object() && TextAt(mention, {"key"}) == place) return TextAt(mention, {"name"});
  }
  return {};
}

}  // namespace

std::string FeishuPlainText(std::string_view text, const nlohmann::json* mentions) {
  text = Trimmed(text);
  text = Trimmed(text.substr(PlaceAtFront(text).size()));
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t at = text.find(kPlaceOfName);
    absl::StrAppend(&out, Abs(text.substr(0, at)));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    const std::string_view place = PlaceAtFront(text);
    const std::string_view name = NameAt(place, mentions);
    absl::StrAppend(&out, name.empty() ? "" : "@", Abs(name.empty() ? place : name));
    text.remove_prefix(place.size());
  }
  return out;
}

}  // namespace yardmaster::chat
