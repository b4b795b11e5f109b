#include "services/commands/answers.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "services/core/defang.h"
#include "services/core/utf8.h"

namespace yardmaster::commands {
namespace {

using rules::CommandRight;
using rules::LocalText;

// Sentences about what is wrong are longer than the words that they quote.
constexpr size_t kMaxSentenceBytes = 600;
constexpr size_t kMaxSentences = 8;
constexpr size_t kMaxLabels = 20;

// At most kMaxAnswerBytes, cut between lines where there are any.
std::string Limited(std::string text) {
  if (text.size() <= kMaxAnswerBytes) return text;
  size_t end = text.rfind('\n', kMaxAnswerBytes);
  if (end == std::string::npos || end == 0) end = CutUtf8(text, kMaxAnswerBytes).size();
  text.resize(end);
  return text + "\n\n…";
}

std::string_view Separator(bool chinese) { return chinese ? "、" : ", "; }

// The way to ask for help about a command.
std::string HelpForm(const rules::CommandModel* command) {
  if (command == nullptr || command->forms.empty()) return "/help";
  return "/help " + command->forms.front().text.substr(1);
}

}  // namespace

Answers::Answers(std::shared_ptr<const rules::CommandTable> table) : table_(std::move(table)) {}

std::string Answers::Fill(std::string_view id, bool chinese, Places places) const {
  const auto& answers = table_->model().answers;
  const auto text = answers.find(id);
  if (text == answers.end()) {
    // A pack with commands has every text; without any, what was to be filled in still says the most.
    std::string out;
    for (const auto& [unused, value] : places) out += (out.empty() ? "" : " ") + value;
    return out;
  }
  std::string_view rest = text->second.In(chinese);
  std::string out;
  while (!rest.empty()) {
    const size_t open = rest.find('{');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = rest.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view place = rest.substr(open + 1, close - open - 1);
    for (const auto& [name, value] : places) {
      if (name == place) out += value;
    }
    rest.remove_prefix(close + 1);
  }
  return out;
}

std::string Answers::About(std::string_view id, const AnsweredCommand& asked, Places places) const {
  std::string person = EchoCode(asked.person);
  std::string command = EchoCode(asked.written);
  if (person.empty()) person = "?";
  if (command.empty()) command = "`/`";
  const auto value = [&](std::string_view name) {
    const auto it = absl::c_find_if(places, [&](const auto& place) { return place.first == name; });
    return it == places.end() ? std::string() : it->second;
  };
  return Limited(Fill(id, asked.chinese,
                      {{"person", person},
                       {"command", command},
                       {"outcome", value("outcome")},
                       {"reason", value("reason")},
                       {"who", value("who")},
                       {"source", value("source")},
                       {"places", value("places")},
                       {"suggestion", value("suggestion")},
                       {"code", value("code")},
                       {"subject", value("subject")},
                       {"usage", EchoCode(asked.command == nullptr ? "" : asked.command->usage, 400)},
                       {"help", EchoCode(HelpForm(asked.command))}}));
}

std::string Answers::Working(const AnsweredCommand& asked) const { return About("working", asked, {}); }

std::string Answers::Done(const AnsweredCommand& asked, std::string_view outcome) const {
  return About("done", asked, {{"outcome", std::string(outcome)}});
}

std::string Answers::Failed(const AnsweredCommand& asked, std::string_view reason) const {
  return About("failed", asked, {{"reason", std::string(reason)}});
}

std::string Answers::Refused(const AnsweredCommand& asked, const PermissionDecision& decision) const {
  const std::string source = SourceText(decision.source, asked.chinese);
  switch (decision.kind) {
    case PermissionDecision::Kind::kWrongPlace: {
      std::string places;
      for (const std::string& name : rules::PlaceNames(asked.command == nullptr ? 0 : asked.command->places)) {
        if (!places.empty()) places += Separator(asked.chinese);
        places += Fill("place_" + name, asked.chinese, {});
      }
      return About("refused_place", asked, {{"places", places}});
    }
    case PermissionDecision::Kind::kDisabled:
      return About("refused_disabled", asked, {{"source", source}});
    case PermissionDecision::Kind::kBrokenFile:
      return About("refused_file", asked, {{"source", source}});
    case PermissionDecision::Kind::kAllowed:
    case PermissionDecision::Kind::kNotEntitled:
      break;
  }
  return About("refused", asked, {{"who", WhoText(decision.who, asked.chinese)}, {"source", source}});
}

std::string Answers::Sentences(std::string_view id, const AnsweredCommand& asked,
                               const std::vector<LocalText>& sentences) const {
  std::string reason;
  for (size_t i = 0; i < std::min(sentences.size(), kMaxSentences); ++i) {
    if (!reason.empty()) reason += asked.chinese ? "" : " ";
    reason += EchoText(sentences[i].In(asked.chinese), kMaxSentenceBytes);
    const bool ends =
        reason.ends_with('.') || reason.ends_with('?') || reason.ends_with("。") || reason.ends_with("？");
    if (!ends) reason += asked.chinese ? "。" : ".";
  }
  if (sentences.size() > kMaxSentences) reason += " …";
  return About(id, asked, {{"reason", reason}});
}

std::string Answers::UsageError(const AnsweredCommand& asked, const std::vector<LocalText>& sentences) const {
  return Sentences("usage", asked, sentences);
}

std::string Answers::Ask(const AnsweredCommand& asked, const std::vector<LocalText>& sentences) const {
  return Sentences("ask", asked, sentences);
}

std::string Answers::Confirm(const AnsweredCommand& asked, std::string_view outcome) const {
  return About("confirm", asked, {{"outcome", std::string(outcome)}});
}

std::string Answers::ConfirmOnForge(const AnsweredCommand& asked, std::string_view outcome, std::string_view code,
                                    std::string_view subject) const {
  return About("confirm_on_forge", asked,
               {{"outcome", std::string(outcome)}, {"code", std::string(code)}, {"subject", EchoCode(subject)}});
}

std::string Answers::Unknown(const AnsweredCommand& asked, std::string_view suggestion) const {
  if (suggestion.empty()) return About("unknown_plain", asked, {});
  return About("unknown", asked, {{"suggestion", EchoCode(suggestion)}});
}

std::string Answers::Unavailable(const AnsweredCommand& asked) const {
  const bool offered = asked.command == nullptr || asked.command->state != rules::CommandState::kNotOffered;
  const std::string reason = asked.command == nullptr ? "" : asked.command->reason.In(asked.chinese);
  return About(offered ? "not_yet" : "not_offered", asked, {{"reason", reason}});
}

std::string Answers::RefusedLabels(const std::vector<std::string>& labels, bool chinese) const {
  std::string list;
  for (size_t i = 0; i < std::min(labels.size(), kMaxLabels); ++i) {
    const std::string label = EchoCode(labels[i]);
    if (label.empty()) continue;
    if (!list.empty()) list += Separator(chinese);
    list += label;
  }
  if (labels.size() > kMaxLabels) list += " …";
  return Fill("refused_labels", chinese, {{"labels", list}});
}

std::string Answers::WhoText(const std::vector<CommandRight>& who, bool chinese) const {
  std::string out;
  for (const CommandRight& right : who) {
    if (!out.empty()) out += Separator(chinese);
    if (right.kind == CommandRight::Kind::kTeam) {
      out += Fill("who_team", chinese, {}) + (chinese ? "" : " ") + EchoCode(right.team);
    } else {
      out += Fill("who_" + rules::RightName(right), chinese, {});
    }
  }
  return out.empty() ? Fill("who_nobody", chinese, {}) : out;
}

std::string Answers::SourceText(SettingSource source, bool chinese) const {
  switch (source) {
    case SettingSource::kRepository:
      return Fill("source_repository", chinese, {});
    case SettingSource::kOrganisation:
      return Fill("source_organisation", chinese, {});
    case SettingSource::kDaemon:
      return Fill("source_daemon", chinese, {});
    case SettingSource::kPack:
      break;
  }
  return Fill("source_pack", chinese, {});
}

}  // namespace yardmaster::commands
