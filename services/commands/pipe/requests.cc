#include "services/commands/pipe/requests.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/forge/forge_event.h"
#include "rules/engine/text/markdown_blocks.h"
#include "services/commands/command_text.h"
#include "services/core/defang.h"
#include "services/core/limits.h"
#include "services/core/short_digest.h"

namespace yardmaster::commands {
namespace {

using rules::LocalText;

// So many lines of what was not read are looked at to see whether there are commands among them.
constexpr size_t kMaxLinesToLookAt = 1'000;
// What a note is known by, and said to be about.
constexpr std::string_view kNoteName = "what was not read";
constexpr std::string_view kNoteWritten = "/…";

std::optional<rules::SlotValue> SlotOf(const nlohmann::ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return std::nullopt;
  std::vector<std::string> list;
  for (const auto& item : value) {
    if (item.is_string()) list.push_back(item.get<std::string>());
  }
  return list;
}

rules::Slots SlotsOf(const nlohmann::ordered_json& slots) {
  rules::Slots out;
  for (const auto& [name, value] : slots.items()) {
    if (std::optional<rules::SlotValue> slot = SlotOf(value); slot.has_value()) out[name] = *std::move(slot);
  }
  return out;
}

bool Writes(const Request& request) {
  return request.command.command != nullptr && request.command.command->access == rules::CommandAccess::kWrite;
}

// The sentence's command as if it had been written with a slash.
void Fill(const rules::PhraseCommand& meant, const rules::CommandTable& table, ParsedCommand& command) {
  command.command = table.Find(meant.command);
  if (command.command == nullptr) return;
  command.slots = SlotsOf(meant.slots);
  for (const rules::CommandParameter& parameter : command.command->parameters) {
    const std::string& slot = parameter.slot.empty() ? parameter.name : parameter.slot;
    if (parameter.required && !command.slots.contains(slot)) command.missing.push_back(&parameter);
  }
}

}  // namespace

RequestReader::RequestReader(std::shared_ptr<const rules::CommandTable> table, const GrammarOptions& options,
                             std::shared_ptr<const rules::PhraseSet> phrases, const v1::Subject& subject)
    : grammar_(std::move(table), options), phrases_(std::move(phrases)), subject_(subject) {}

rules::PhraseContext RequestReader::Context() const {
  rules::PhraseContext context;
  if (subject_.kind() == v1::SUBJECT_KIND_PULL_REQUEST) context.pr = subject_.number();
  context.repo = subject_.repository();
  return context;
}

std::string RequestReader::AsLine(const rules::PhraseCommand& command) const {
  const rules::CommandModel* model = grammar_.table().Find(command.command);
  if (model == nullptr || model->forms.empty()) return {};
  rules::Slots slots = SlotsOf(command.slots);
  // The thread says which repository it is.
  if (const auto repository = slots.find("repo"); repository != slots.end()) {
    const auto* name = std::get_if<std::string>(&repository->second);
    if (name != nullptr && SameLogin(*name, subject_.repository())) slots.erase(repository);
  }
  std::string line = CommandText(*model, slots);
  return line.empty() ? model->forms.front().text : line;
}

void RequestReader::AddSentence(const ParsedCommand& sentence, std::vector<Request>& requests) const {
  rules::Interpretation meant;
  meant.command = "help";  // a mention without a request
  if (!sentence.request.empty()) {
    if (phrases_ == nullptr) return;
    meant = phrases_->Interpret(sentence.request, Context());
    if (meant.command == "none") return;
  }
  Request request;
  request.command = sentence;
  request.fingerprint = sentence.fingerprint;
  Fill({meant.command, meant.slots}, grammar_.table(), request.command);
  if (request.command.command == nullptr) {
    for (const rules::PhraseCommand& choice : meant.choices) {
      if (std::string line = AsLine(choice); !line.empty()) request.choices.push_back(std::move(line));
    }
  }
  request.line = AsLine({meant.command, meant.slots});
  if (!meant.then.empty()) request.written = request.line;
  const size_t first = requests.size();
  requests.push_back(std::move(request));
  for (const rules::PhraseCommand& next : meant.then) {
    Request further;
    further.command = sentence;
    // By its place: the words of the sentence are the same.
    further.fingerprint = ShortDigest(absl::StrCat(sentence.fingerprint, "\x1d", requests.size() - first));
    further.written = AsLine(next);
    further.line = further.written;
    further.conditional = next.conditional;
    Fill(next, grammar_.table(), further.command);
    // A pack may know phrases for more than its commands.
    if (further.command.command == nullptr) continue;
    for (size_t i = first; i < requests.size(); ++i) {
      if (!Writes(further) && !Writes(requests[i])) continue;
      further.before.push_back({requests[i].fingerprint, requests[i].written});
    }
    requests.push_back(std::move(further));
  }
}

std::vector<Request> RequestReader::Read(std::string_view text) const {
  ParsedText parsed = grammar_.Parse(text);
  std::vector<Request> requests;
  for (ParsedCommand& command : parsed.commands) {
    const size_t before = requests.size();
    const std::string_view written = text.substr(command.begin, command.end - command.begin);
    if (command.kind == ParsedCommand::Kind::kRequest) {
      AddSentence(command, requests);
    } else {
      Request& request = requests.emplace_back();
      request.fingerprint = command.fingerprint;
      request.command = std::move(command);
    }
    for (size_t i = before; i < requests.size(); ++i) {
      if (requests[i].written.empty()) requests[i].written = written;
      if (requests[i].line.empty()) requests[i].line = requests[i].written;
      requests[i].chinese = IsChinese(written);
    }
  }
  if (requests.size() > kMaxCommandsInText) {
    requests.resize(kMaxCommandsInText);
    parsed.too_many = true;
  }
  LocalText unread = Unread(parsed, text);
  if (unread.en.empty()) return requests;
  if (requests.empty()) {
    Request& note = requests.emplace_back();
    note.command.kind = ParsedCommand::Kind::kUnknown;
    note.fingerprint = ShortDigest(kNoteName);
    note.written = kNoteWritten;
    note.chinese = IsChinese(text);
  }
  requests.back().unread = std::move(unread);
  return requests;
}

LocalText RequestReader::Unread(const ParsedText& parsed, std::string_view text) const {
  LocalText out;
  const auto add = [&](const std::string& en, const std::string& zh) {
    absl::StrAppend(&out.en, out.en.empty() ? "" : " ", en);
    absl::StrAppend(&out.zh, zh);
  };
  if (parsed.too_many) {
    add(absl::StrCat("A text may hold ", kMaxCommandsInText, " commands: what stands behind them was not read."),
        absl::StrCat("一段文字里最多 ", kMaxCommandsInText, " 个命令，后面的没有读取。"));
  }
  const size_t from = parsed.too_deep ? 0 : parsed.unread;
  if (from >= text.size()) return out;
  size_t looked_at = 0;
  for (size_t pos = from; pos < text.size() && looked_at < kMaxLinesToLookAt; ++looked_at) {
    const size_t end = std::min(text.find('\n', pos), text.size());
    const bool ours = grammar_.ParseLine(text.substr(pos, end - pos)).has_value();
    pos = end + 1;
    if (!ours) continue;
    if (parsed.too_deep) {
      add("Its lists are nested so deep that no command in it was read.", "列表嵌套太深，其中的命令都没有读取。");
    } else {
      add(absl::StrCat("It is longer than ", rules::kMaxMarkdownBytes / 1024,
                       " KiB: commands behind that were not read."),
          absl::StrCat("超过 ", rules::kMaxMarkdownBytes / 1024, " KiB，之后的命令没有读取。"));
    }
    break;
  }
  return out;
}

}  // namespace yardmaster::commands
