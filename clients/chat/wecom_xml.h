// WeCom's XML: one element with texts in it.
#ifndef YARDMASTER_CLIENTS_CHAT_WECOM_XML_H_
#define YARDMASTER_CLIENTS_CHAT_WECOM_XML_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::chat {

inline constexpr size_t kMaxWecomElements = 10'000;

// The texts of the elements in <xml>, by their names; elements in elements count for nothing. nullopt for what is no
// such document, has a document type (so no entity is ever declared), more tags than kMaxWecomElements, an element
// twice, or is not UTF-8.
using WecomFields = std::map<std::string, std::string, std::less<>>;
std::optional<WecomFields> ParseWecomXml(std::string_view xml);

}  // namespace yardmaster::chat

#endif  // YARDMASTER_CLIENTS_CHAT_WECOM_XML_H_
