#include "services/review/run_verdict.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/review/operator_files.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxValueBytes = 100;

bool HasAny(std::string_view text, const std::vector<std::string>* words) {
  return words != nullptr && absl::c_any_of(*words, [&](const std::string& word) {
           return !word.empty() && text.find(word) != std::string_view::npos;
         });
}

// "/usr/bin/python3.11" for "python3", "torchrun" for "torchrun".
bool IsVerb(std::string_view word, std::string_view verb) {
  word = NameOf(word);
  return word.starts_with(verb) && word.find_first_not_of("0123456789.", verb.size()) == std::string_view::npos;
}

// The entry of a list for a verdict; `otherwise` where the pack has none.
std::string Entry(const std::vector<std::string>* list, RunVerdict verdict, std::string_view otherwise) {
  const auto index = static_cast<size_t>(verdict);
  return list != nullptr && index < list->size() ? (*list)[index] : std::string(otherwise);
}

std::string OneLine(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  if (text.size() > kMaxValueBytes) text.resize(kMaxValueBytes);
  return text;
}

}  // namespace

std::vector<std::string> JudgedRuns(const rules::CheckSet& pack, const RoleTable& roles,
                                    const std::vector<ShellRun>& runs) {
  std::vector<std::string> files;
  const std::vector<std::string>* verbs = pack.List("run_verbs");
  const std::vector<std::string>* judged = pack.List("run_roles");
  if (verbs == nullptr || judged == nullptr) return files;
  for (const ShellRun& run : runs) {
    if (absl::c_none_of(*verbs, [&](const std::string& verb) { return IsVerb(run.words[0], verb); })) continue;
    for (size_t i = 1; i < run.words.size(); ++i) {
      // A test of pytest: "test_demo.py::test_level_0".
      const std::string word = run.words[i].substr(0, run.words[i].find("::"));
      if (word.starts_with('-')) continue;
      const std::string role = roles.Match(word).role;
      if (role.empty() || !absl::c_linear_search(*judged, role)) continue;
      const bool here = run.folder.empty() || word.starts_with('/');
      std::string file = here ? word : run.folder + "/" + word;
      if (!absl::c_linear_search(files, file)) files.push_back(std::move(file));
    }
  }
  return files;
}

RunVerdict JudgeRun(const rules::CheckSet& pack, const ShellResult& result) {
  if (HasAny(result.output, pack.List("run_fail"))) return RunVerdict::kFailed;
  if (HasAny(result.output, pack.List("run_pass"))) return RunVerdict::kPassed;
  return result.failed || result.exit_code.value_or(0) != 0 ? RunVerdict::kDied : RunVerdict::kSilent;
}

std::string StateText(const rules::CheckSet& pack, std::string_view state_file) {
  const std::vector<std::string>* asked = pack.List("run_state");
  const nlohmann::json json = nlohmann::json::parse(state_file, nullptr, false);
  std::string text;
  if (asked == nullptr || json.is_discarded()) return text;
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string& entry : *asked) {
    const size_t blank = entry.find(' ');
    if (blank == std::string::npos) continue;
    std::string pointer = entry.substr(blank + 1);
    for (const auto& [name, value] : values) {
      const std::string mark = "{" + name + "}";
      if (const size_t at = pointer.find(mark); at != std::string::npos) pointer.replace(at, mark.size(), value);
    }
    const nlohmann::json* at = JsonAt(json, pointer);
    if (at == nullptr || !(at->is_string() || at->is_number_integer())) continue;
    std::string value = OneLine(at->is_string() ? at->get<std::string>() : std::to_string(at->get<int64_t>()));
    text += (text.empty() ? "" : ", ") + entry.substr(0, blank) + " " + value;
    values.emplace_back(entry.substr(0, blank), std::move(value));
  }
  return text;
}

std::string RunText(const rules::CheckSet& pack, RunVerdict verdict, const ShellResult& result,
                    const std::vector<std::string>& files, const std::string& state, TextLanguage language) {
  static constexpr std::array<std::string_view, 4> kWords = {"failed", "passed", "error", "no verdict"};
  const bool chinese = language == TextLanguage::kChinese;
  std::string text =
      "[" + pack.pack() + "] " + Entry(pack.List("run_verdicts"), verdict, kWords[static_cast<size_t>(verdict)]) + ":";
  for (const std::string& file : files) text += " " + OneLine(file);
  if (result.exit_code.value_or(0) != 0) {
    text += (chinese ? "（退出码 " : " (exit code ") + std::to_string(*result.exit_code) + (chinese ? "）" : ")");
  }
  text += "\n";
  if (!state.empty()) text += (chinese ? "状态：" : "state: ") + state + "\n";
  const std::string next = Entry(pack.List(chinese ? "run_next_zh" : "run_next_en"), verdict, "");
  if (!next.empty()) text += (chinese ? "下一步：" : "next: ") + next + "\n";
  return text;
}

}  // namespace yardmaster
