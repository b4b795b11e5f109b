#include "clients/chat/feishu_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "clients/chat/reading.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

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

std::string_view FeishuBotPlace(std::string_view text, const nlohmann::json* mentions, std::string_view bot_open_id) {
  if (mentions == nullptr || !mentions->is_array()) return PlaceAtFront(TrimBlanks(text));
  std::string_view first;
  bool typed = false;
  for (const nlohmann::json& mention : *mentions) {
    if (!mention.is_object() || PlaceAtFront(TextAt(mention, {"key"})).empty()) continue;
    const std::string_view place = TextAt(mention, {"key"});
    const std::string_view type = TextAt(mention, {"mentioned_type"});
    const bool is_bot = bot_open_id.empty() ? type == "bot" : TextAt(mention, {"id", "open_id"}) == bot_open_id;
    if (is_bot) return place;
    typed = typed || !type.empty();
    if (first.empty()) first = place;
  }
  return bot_open_id.empty() && !typed ? first : std::string_view();
}

std::string FeishuPlainText(std::string_view text, const nlohmann::json* mentions, std::string_view bot_place) {
  text = TrimBlanks(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t at = text.find(kPlaceOfName);
    absl::StrAppend(&out, Abs(text.substr(0, at)));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at);
    const std::string_view place = PlaceAtFront(text);
    text.remove_prefix(place.size());
    if (place == bot_place) {
      // One blank stays where it stood between words.
      if (out.empty() || out.ends_with(' ')) text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      continue;
    }
    const std::string_view name = NameAt(place, mentions);
    absl::StrAppend(&out, name.empty() ? "" : "@", Abs(name.empty() ? place : name));
  }
  return std::string(TrimBlanks(out));
}

}  // namespace yardmaster::chat
