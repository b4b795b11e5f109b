#include "clients/chat/chat_answer.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "clients/chat/slack_markup.h"
#include "clients/forge/http.h"
#include "services/core/absl_view.h"
#include "services/core/short_digest.h"
#include "services/core/utf8.h"

namespace yardmaster::chat {
namespace {

using Json = nlohmann::ordered_json;

// The platforms' limits for one text, escapes counted.
constexpr size_t kSlackSection = 2'900;     // of 3,000 characters
constexpr size_t kSlackSections = 4;        // about 13,200 characters over all blocks
constexpr size_t kMattermostPost = 16'000;  // of 16,383 characters
constexpr size_t kFeishuCard = 24'000;      // of 30 KB
constexpr size_t kDingtalkText = 7'400;     // of 15,000 bytes, as JSON in JSON
constexpr size_t kDingtalkButtons = 5;
constexpr size_t kDingtalkButtonTitle = 20;     // characters; a byte is at most one
constexpr size_t kDingtalkButtonAddress = 500;  // of its link
constexpr size_t kWecomText = 2'048;
constexpr size_t kWecomCardTitle = 96;
constexpr size_t kWecomCardText = 480;
constexpr size_t kWecomButtons = 6;
constexpr size_t kAnswerTag = 6;
constexpr std::string_view kEllipsis = "…";
// What is shown of an answer where there is room for a line only.
constexpr size_t kNotification = 150;

// Stands behind a character that would begin a mention: it shows nothing and ends the word.
constexpr const char* kNoMention = "\xe2\x80\x8b";

std::string DumpAnswer(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The first line, for lists and notifications.
std::string FirstLine(std::string_view text) { return Shortened(text.substr(0, text.find('\n')), kNotification); }

std::string EscapedForDingtalk(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"@", absl::StrCat("@", kNoMention)}});
}

// "<at id=all></at>" would call everybody: the card's Markdown shows these characters by their numbers.
std::string EscapedForFeishu(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"<", "&#60;"}, {">", "&#62;"}, {"&", "&#38;"}});
}

// "~channel" links, "@all" calls.
std::string EscapedForMattermost(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"@", absl::StrCat("@", kNoMention)}, {"~", absl::StrCat("~", kNoMention)}});
}

// "<@all>" would call everybody.
std::string EscapedForWecom(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"@", absl::StrCat("@", kNoMention)}, {"<", absl::StrCat("<", kNoMention)}});
}

using Escape = std::string (*)(std::string_view text);

// How much of `text` is at most `max_bytes` long once it is escaped; between characters.
size_t Fitting(std::string_view text, size_t max_bytes, Escape escape) {
  std::string_view part = CutUtf8(text, max_bytes);
  for (size_t size = escape(part).size(); size > max_bytes; size = escape(part).size()) {
    // An escape makes five bytes of one at most.
    part = CutUtf8(part, part.size() - std::min(part.size(), (size - max_bytes) / 5 + 1));
  }
  return part.size();
}

// The whole, or so much of it as fits, and "…".
std::string EscapedWithin(std::string_view text, size_t max_bytes, Escape escape) {
  if (Fitting(text, max_bytes, escape) == text.size()) return escape(text);
  return absl::StrCat(escape(text.substr(0, Fitting(text, max_bytes - kEllipsis.size(), escape))), Abs(kEllipsis));
}

Json MattermostProps(const ChatAnswer& answer) {
  Json props = Json::object();
  if (!answer.key.empty()) props[std::string(kMattermostKey)] = answer.key;
  return props;
}

// Links: the client sends the words as the person's own message, which proves as much as any that they write.
Json DingtalkButtons(const ChatAnswer& answer) {
  Json buttons = Json::array();
  for (const ChatChoice& choice : answer.choices) {
    std::string address = absl::StrCat("dtmd://dingtalkclient/sendMessage?content=", UrlEncode(choice.says));
    // What does not fit is written by hand: the text says what.
    if (choice.says.empty() || address.size() > kDingtalkButtonAddress) continue;
    if (buttons.size() == kDingtalkButtons) break;
    buttons.push_back({{"title", EscapedWithin(choice.label, kDingtalkButtonTitle, EscapedForDingtalk)},
                       {"actionURL", std::move(address)}});
  }
  return buttons;
}

// A card has no Markdown.
std::string WithoutMarkdown(std::string_view text) { return absl::StrReplaceAll(Abs(text), {{"**", ""}, {"`", ""}}); }

// A plain text, and the answer's tag below it.
std::string WithTag(const std::string& text, const ChatAnswer& answer) {
  return answer.key.empty() ? text : absl::StrCat(text, "\n(", AnswerTag(answer.key), ")");
}

std::string WecomCard(const ChatAnswer& answer) {
  const std::string plain = WithoutMarkdown(answer.text);
  const size_t line = std::min(plain.find('\n'), plain.size());
  Json buttons = Json::array();
  for (const ChatChoice& choice : answer.choices) {
    if (buttons.size() == kWecomButtons) break;
    buttons.push_back({{"text", choice.label}, {"style", 1}, {"key", choice.value}});
  }
  return DumpAnswer(
      {{"msgtype", "template_card"},
       {"template_card",
        {{"card_type", "button_interaction"},
         {"main_title",
          {{"title", EscapedWithin(std::string_view(plain).substr(0, line), kWecomCardTitle, EscapedForWecom)}}},
         {"sub_title_text", EscapedWithin(plain, kWecomCardText, EscapedForWecom)},
         {"task_id", answer.key},
         {"button_list", std::move(buttons)}}}});
}

}  // namespace

std::string AnswerTag(std::string_view key) {
  return key.empty() ? std::string() : ShortDigest(key).substr(0, kAnswerTag);
}

std::string RenderSlack(const ChatAnswer& answer) {
  Json blocks = Json::array();
  for (std::string_view rest = answer.text; !rest.empty();) {
    size_t size = Fitting(rest, kSlackSection, SlackMarkup);
    // The last block says that there is more; others end with a line where they can.
    const bool last = blocks.size() + 1 == kSlackSections;
    const size_t line = size == rest.size() || last ? std::string_view::npos : rest.substr(0, size).rfind('\n');
    if (line != std::string_view::npos && line > 0) size = line + 1;
    const std::string text = last ? EscapedWithin(rest, kSlackSection, SlackMarkup) : SlackMarkup(rest.substr(0, size));
    // Verbatim: names of channels and people are not looked for.
    blocks.push_back({{"type", "section"}, {"text", {{"type", "mrkdwn"}, {"text", text}, {"verbatim", true}}}});
    if (last) break;
    rest.remove_prefix(size);
  }
  if (!blocks.empty() && !answer.key.empty()) blocks.front()["block_id"] = answer.key;
  Json buttons = Json::array();
  for (const ChatChoice& choice : answer.choices) {
    buttons.push_back({{"type", "button"},
                       {"action_id", absl::StrCat("choice-", buttons.size())},
                       {"text", {{"type", "plain_text"}, {"text", choice.label}}},
                       {"value", choice.value}});
  }
  if (!buttons.empty()) blocks.push_back({{"type", "actions"}, {"elements", std::move(buttons)}});
  return DumpAnswer({{"response_type", answer.only_for_asker ? "ephemeral" : "in_channel"},
                     {"text", SlackMarkup(FirstLine(answer.text))},
                     {"blocks", std::move(blocks)},
                     {"unfurl_links", false},
                     {"unfurl_media", false}});
}

std::string RenderMattermost(const ChatAnswer& answer) {
  const std::string text = EscapedWithin(answer.text, kMattermostPost, EscapedForMattermost);
  Json attachment = {{"fallback", FirstLine(text)}, {"text", text}};
  Json actions = Json::array();
  for (const ChatChoice& choice : answer.callback_url.empty() ? std::vector<ChatChoice>() : answer.choices) {
    // The server keeps what it sends to us to itself: whoever sees the post does not see the value.
    actions.push_back({{"id", absl::StrCat("choice", actions.size())},
                       {"type", "button"},
                       {"name", choice.label},
                       {"integration", {{"url", answer.callback_url}, {"context", {{"value", choice.value}}}}}});
  }
  if (!actions.empty()) attachment["actions"] = std::move(actions);
  return DumpAnswer({{"response_type", answer.only_for_asker ? "ephemeral" : "in_channel"},
                     {"attachments", Json::array({std::move(attachment)})},
                     {"props", MattermostProps(answer)}});
}

std::string RenderFeishu(const ChatAnswer& answer) {
  Json elements = Json::array(
      {{{"tag", "div"},
        {"text", {{"tag", "lark_md"}, {"content", EscapedWithin(answer.text, kFeishuCard, EscapedForFeishu)}}}}});
  Json buttons = Json::array();
  for (const ChatChoice& choice : answer.choices) {
    buttons.push_back({{"tag", "button"},
                       {"text", {{"tag", "plain_text"}, {"content", choice.label}}},
                       {"value", {{"value", choice.value}}}});
  }
  if (!buttons.empty()) elements.push_back({{"tag", "action"}, {"actions", std::move(buttons)}});
  const Json card = {{"config", {{"wide_screen_mode", true}, {"update_multi", true}}},
                     {"elements", std::move(elements)}};
  return DumpAnswer({{"msg_type", "interactive"}, {"content", DumpAnswer(card)}});
}

std::string RenderDingtalk(const ChatAnswer& answer) {
  const std::string text = EscapedWithin(answer.text, kDingtalkText, EscapedForDingtalk);
  if (Json buttons = DingtalkButtons(answer); !buttons.empty()) {
    return DumpAnswer(
        {{"msgtype", "actionCard"},
         {"actionCard",
          {{"title", FirstLine(text)}, {"text", text}, {"btnOrientation", "0"}, {"btns", std::move(buttons)}}}});
  }
  return DumpAnswer({{"msgtype", "markdown"},
                     {"markdown", {{"title", FirstLine(text)}, {"text", text}}},
                     {"at", {{"atUserIds", Json::array()}, {"isAtAll", false}}}});
}

std::string RenderPlain(std::string_view platform, const ChatAnswer& answer) {
  if (platform == "slack") {
    return DumpAnswer({{"response_type", answer.only_for_asker ? "ephemeral" : "in_channel"},
                       {"text", WithTag(EscapedWithin(answer.text, kSlackSection, SlackMarkup), answer)},
                       {"mrkdwn", false}});
  }
  if (platform == "mattermost") {
    return DumpAnswer({{"response_type", answer.only_for_asker ? "ephemeral" : "in_channel"},
                       {"text", EscapedWithin(answer.text, kMattermostPost, EscapedForMattermost)},
                       {"props", MattermostProps(answer)}});
  }
  if (platform == "feishu") {
    // "<at …>" would be a mention here, too.
    const std::string text = EscapedWithin(answer.text, kFeishuCard, EscapedForWecom);
    return DumpAnswer({{"msg_type", "text"}, {"content", DumpAnswer({{"text", text}})}});
  }
  if (platform == "dingtalk") {
    return DumpAnswer(
        {{"msgtype", "text"}, {"text", {{"content", EscapedWithin(answer.text, kDingtalkText, EscapedForWecom)}}}});
  }
  if (platform == "wecom") {
    const std::string text = EscapedWithin(answer.text, kWecomText - kAnswerTag - 3, EscapedForWecom);
    return DumpAnswer({{"msgtype", "text"}, {"text", {{"content", WithTag(text, answer)}}}});
  }
  return {};
}

std::string RenderWecom(const ChatAnswer& answer) {
  if (!answer.choices.empty()) return WecomCard(answer);
  const std::string tag = AnswerTag(answer.key);
  const std::string mark = tag.empty() ? "" : absl::StrCat("\n<font color=\"comment\">", tag, "</font>");
  const std::string text = EscapedWithin(answer.text, kWecomText - mark.size(), EscapedForWecom);
  return DumpAnswer({{"msgtype", "markdown"}, {"markdown", {{"content", absl::StrCat(text, mark)}}}});
}

}  // namespace yardmaster::chat
