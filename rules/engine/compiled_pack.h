// A pack ready to decide: patterns in RE2 sets, conditions resolved. Immutable; safe to use from many threads at once.
#ifndef YARDMASTER_RULES_ENGINE_COMPILED_PACK_H_
#define YARDMASTER_RULES_ENGINE_COMPILED_PACK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/decision.h"
#include "rules/engine/pack/pack_model.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

class CompiledParts;

class CompiledPack : public std::enable_shared_from_this<CompiledPack> {
 public:
  // Compiles a pack and checks what a schema can't: patterns, references between rules, labels outside the closed list,
  // guardrails that forbid what a step adds, cases that name unknown rules. Returns nullptr if there was a problem.
  static std::shared_ptr<const CompiledPack> Compile(PackModel model, Problems& problems);
  // The same for one of several packs, which share what they have alike.
  static std::shared_ptr<const CompiledPack> Compile(PackModel model, CompiledParts& parts, Problems& problems);
  ~CompiledPack();

  // Without the commands, which are behind commands().
  const PackModel& model() const;

  // What people may ask for under this pack; never null. A pack without commands has an empty table.
  std::shared_ptr<const CommandTable> commands() const;

  // Decides one issue. Pure; throws nothing.
  Decision Decide(const IssueText& issue) const;

  // Ids of the rules that fired for a decision of this pack: signals that matched, suppressors that acted, steps taken.
  // For tests of packs.
  std::vector<std::string_view> FiredRules(const IssueText& issue) const;

  struct Impl;  // compiled_pack_impl.h; only for the engine's own files

 private:
  explicit CompiledPack(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMPILED_PACK_H_
