#include "clients/forge/answer_json.h"

#include "clients/forge/limits.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"

namespace yardmaster {

std::optional<nlohmann::json> ParseForgeJson(std::string_view text, std::string& error) {
  JsonLimits limits;
  limits.max_bytes = kMaxForgeAnswerBytes;
  limits.max_depth = kMaxForgeAnswerDepth;
  limits.max_values = kMaxForgeAnswerValues;
  limits.duplicates = JsonLimits::Duplicates::kLastWins;
  if (text.size() > limits.max_bytes || IsValidUtf8(text)) return ParseJsonLimited(text, limits, error);
  // Each bad byte becomes three.
  limits.max_bytes *= 3;
  return ParseJsonLimited(ReplaceInvalidUtf8(text), limits, error);
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
    if (length != 0 && length <= text.size() && IsValidUtf8(text.substr(0, length))) {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    } else {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace yardmaster
