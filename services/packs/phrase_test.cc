#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/core/readable.h"
#include "services/packs/pack_test.h"

namespace yardmaster {
namespace {

// What differs between a case and its outcome.
std::vector<std::string> Differences(const rules::PhraseCase& one, const rules::Interpretation& result) {
  std::vector<std::string> out;
  if (result.command != one.command) {
    out.push_back("expected the command " + one.command + ", got " + result.command + " (" + result.why + ")");
    return out;
  }
  // A question back keeps no slots.
  if (one.slots.has_value() && nlohmann::json(*one.slots) != nlohmann::json(result.slots)) {
    out.push_back("expected the slots " + one.slots->dump() + ", got " + result.slots.dump());
  }
  std::vector<std::string> then;
  then.reserve(result.then.size());
  for (const rules::PhraseCommand& command : result.then) then.push_back(command.command);
  if (then != one.then) {
    const auto list = [](const std::vector<std::string>& names) {
      std::string text;
      for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
      return text.empty() ? std::string("nothing") : text;
    };
    out.push_back("expected behind it " + list(one.then) + ", got " + list(then));
  }
  return out;
}

}  // namespace

void TestPhrases(const rules::PhraseSet& phrases, PackTest& result) {
  // What another pack wrote is tested there.
  if (phrases.pack() != result.pack) return;
  std::set<std::string> used;
  for (const rules::PhraseCase& one : phrases.cases()) {
    ++result.cases;
    std::vector<std::string> differences = Differences(one, phrases.Interpret(one.text, one.context));
    if (differences.empty()) {
      for (std::string& id : phrases.UsedRules(one.text)) used.insert(std::move(id));
    } else {
      result.failures.push_back({Readable(one.text, 80), one.file, one.line, std::move(differences)});
    }
  }
  for (const std::string& id : phrases.RuleIds()) {
    ++result.rules;
    if (used.count(id) > 0) {
      ++result.rules_covered;
    } else {
      result.uncovered.push_back(id);
    }
  }
}

}  // namespace yardmaster
