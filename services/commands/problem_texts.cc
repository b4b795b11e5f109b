#include "services/commands/problem_texts.h"

#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/limits.h"
#include "services/core/readable.h"

namespace yardmaster::commands {
namespace {

using rules::CommandParameter;
using rules::CommandParameterType;

CommandProblem Make(ProblemKind kind, std::string_view word, std::string en, std::string zh) {
  return {kind, Readable(word), {std::move(en), std::move(zh)}};
}

std::string Zh(std::string_view word) { return "“" + Readable(word) + "”"; }

// As people write it: "--base", "-m", or "PR" where it has no name.
std::string NameOf(const CommandParameter& parameter) {
  return parameter.named ? "--" + parameter.name : parameter.name;
}

std::string Listed(const std::vector<std::string>& values, std::string_view comma) {
  return absl::StrJoin(values, Abs(comma));
}

// A word that is none of those known, and the one that was probably meant, if any.
CommandProblem Unknown(ProblemKind kind, std::string en, std::string zh, std::string_view word,
                       std::string_view nearest) {
  en += Quoted(word);
  zh += Zh(word);
  if (nearest.empty()) {
    en += ".";
    zh += "。";
  } else {
    en += "; did you mean " + Quoted(nearest) + "?";
    zh += "，是不是想用" + Zh(nearest) + "？";
  }
  return Make(kind, word, std::move(en), std::move(zh));
}

}  // namespace

CommandProblem UnknownCommand(std::string_view word, std::string_view nearest) {
  return Unknown(ProblemKind::kUnknownCommand, "There is no command ", "没有命令", word, nearest);
}

CommandProblem UnknownOption(std::string_view word, std::string_view nearest) {
  return Unknown(ProblemKind::kUnknownOption, "There is no option ", "没有选项", word, nearest);
}

CommandProblem MissingValue(const CommandParameter& parameter) {
  const std::string name = NameOf(parameter);
  return Make(ProblemKind::kMissingValue, name, Quoted(name) + " needs a value.", Zh(name) + "后面缺少值。");
}

CommandProblem TooManyValues(std::string_view word) {
  return Make(ProblemKind::kTooManyValues, word,
              "The command takes nothing like " + Quoted(word) + "; texts of several words need quotes.",
              "命令用不上" + Zh(word) + "；多个词的文本要加引号。");
}

CommandProblem OneValueOnly(const CommandParameter& parameter, std::string_view word) {
  const std::string name = NameOf(parameter);
  return Make(ProblemKind::kTooManyValues, word,
              Quoted(name) + " takes one value, and " + Quoted(word) + " is one more.",
              Zh(name) + "只能有一个值，" + Zh(word) + "是多余的。");
}

CommandProblem NotANumber(const CommandParameter& parameter, std::string_view word) {
  const std::string name = NameOf(parameter);
  return Make(ProblemKind::kNotANumber, word, Quoted(name) + " needs a number, not " + Quoted(word) + ".",
              Zh(name) + "要填数字，" + Zh(word) + "不是数字。");
}

CommandProblem NotAPull(const CommandParameter& parameter, std::string_view word) {
  if (parameter.type == CommandParameterType::kIssue) {
    return Make(ProblemKind::kNotAPull, word,
                Quoted(word) + " names no issue; write 160, #160, owner/repo#160 or its URL.",
                Zh(word) + "不是 issue；请写 160、#160、owner/repo#160 或链接。");
  }
  return Make(ProblemKind::kNotAPull, word,
              Quoted(word) + " names no pull request; write 160, #160, owner/repo#160 or its URL.",
              Zh(word) + "不是 PR；请写 160、#160、owner/repo#160 或链接。");
}

CommandProblem BadValue(const CommandParameter& parameter, std::string_view word) {
  const std::string name = NameOf(parameter);
  std::string en = Quoted(name) + " can't be " + Quoted(word);
  std::string zh = Zh(name) + "不能是" + Zh(word);
  if (!parameter.values.empty()) {
    en += "; it is one of " + Listed(parameter.values, ", ");
    zh += "，只能是 " + Listed(parameter.values, "、");
  } else if (parameter.type == CommandParameterType::kFlag) {
    en += "; it is on or off";
    zh += "，只能是 true 或 false";
  }
  return Make(ProblemKind::kBadValue, word, en + ".", zh + "。");
}

CommandProblem Contradiction(const CommandParameter& parameter, std::string_view slot) {
  const std::string name = NameOf(parameter);
  return Make(ProblemKind::kContradiction, slot,
              Quoted(name) + " contradicts what is said about " + Quoted(slot) + " elsewhere in the line.",
              Zh(name) + "与这一行里关于" + Zh(slot) + "的其他内容矛盾。");
}

CommandProblem OpenQuote() {
  return Make(ProblemKind::kOpenQuote, "", "A quote is opened and never closed.", "引号没有闭合。");
}

CommandProblem TooLong() {
  const std::string bytes = std::to_string(kMaxCommandLineBytes);
  const std::string words = std::to_string(kMaxCommandWords);
  return Make(ProblemKind::kTooLong, "", "The line is longer than " + bytes + " bytes or " + words + " words.",
              "这一行超过了 " + bytes + " 字节或 " + words + " 个词。");
}

CommandProblem Unreadable() {
  return Make(ProblemKind::kUnreadable, "", "The line is not valid UTF-8.", "这一行不是有效的 UTF-8 文本。");
}

}  // namespace yardmaster::commands
