#include "clients/chat/wecom_xml.h"

#include <algorithm>
#include <pugixml.hpp>

#include "clients/chat/chat_event.h"
#include "clients/chat/valid_text.h"

namespace yardmaster::chat {

std::optional<WecomFields> ParseWecomXml(std::string_view xml) {
  if (xml.size() > kMaxChatBodyBytes || !IsValidText(xml)) return std::nullopt;
  // A document in memory is many times as large as its text if it consists of tags and attributes.
  if (static_cast<size_t>(std::count_if(xml.begin(), xml.end(), [](char c) { return c == '<' || c == '='; })) >
      2 * kMaxWecomElements) {
    return std::nullopt;
  }
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) return std::nullopt;
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype) return std::nullopt;
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "xml") return std::nullopt;
  WecomFields fields;
  for (const pugi::xml_node& element : root.children()) {
    if (element.type() != pugi::node_element) continue;
    std::string text = element.text().get();
    // "&#0;" and the like.
    if (!IsValidText(text) || !fields.emplace(element.name(), std::move(text)).second) return std::nullopt;
  }
  return fields;
}

}  // namespace yardmaster::chat
