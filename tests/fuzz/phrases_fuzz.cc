// Any bytes → a command: no crash, and what holds for every message holds for this one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "rules/engine/pack/pack_loader.h"
#include "rules/engine/phrases/phrase_set.h"
#include "services/core/readable.h"
#include "tests/fuzz/check.h"
#include "tests/support/source_path.h"

namespace {

using yardmaster::Check;
using yardmaster::rules::Interpretation;
using yardmaster::rules::PhraseCommandInfo;
using yardmaster::rules::PhraseSet;

const PhraseSet& Phrases() {
  static const std::shared_ptr<const PhraseSet> phrases = [] {
    yardmaster::Problems problems;
    const auto files = yardmaster::rules::ReadPackFiles(yardmaster::testing::SourcePath("rules/packs"), problems);
    return PhraseSet::Load(files, "common", problems);
  }();
  if (phrases == nullptr) std::abort();
  return *phrases;
}

const PhraseCommandInfo* Find(std::string_view command) {
  for (const PhraseCommandInfo& info : Phrases().commands()) {
    if (info.id == command) return &info;
  }
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Interpretation result = Phrases().Interpret(text, {});
  Check(result.confidence >= 0 && result.confidence <= 1, "a confidence is between 0 and 1");
  Check(!result.why.empty(), "every answer has its reason");
  if (result.command == "none" || result.command == "ask") {
    Check(result.then.empty(), "nothing follows on nothing");
    return 0;
  }
  const PhraseCommandInfo* info = Find(result.command);
  Check(info != nullptr, "the command is one of the pack's");
  for (const auto& need : info->needs) Check(result.slots.contains(need), "what a command needs is there");
  for (const auto& [slot, value] : result.slots.items()) {
    bool known = false;
    for (const auto& one : info->slots) known = known || one == slot;
    Check(known, "a slot is one of the command's");
    Check(!value.is_string() || !value.get_ref<const std::string&>().empty(), "no slot is empty");
  }
  for (const auto& next : result.then) Check(Find(next.command) != nullptr, "the next command is one of the pack's");
  return 0;
}
