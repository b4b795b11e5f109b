// From a message to a command: the stages in turn.
#include <utility>

#include "rules/engine/phrases/clauses.h"
#include "rules/engine/phrases/decision.h"
#include "rules/engine/phrases/mood.h"
#include "rules/engine/phrases/phrase_model.h"
#include "rules/engine/phrases/phrase_set.h"
#include "rules/engine/phrases/rule_hits.h"

namespace yardmaster::rules {
namespace {

// A message after every stage but the decision.
struct Judged {
  ReadPhrase read;
  std::vector<Hit> hits;
  std::vector<std::string> used;  // ids of options and rules
};

Judged Judge(const PhraseSet::Impl& phrases, std::string_view message) {
  Judged out;
  out.read = ReadClauses(phrases, message.substr(0, kMaxPhraseBytes));
  out.hits = FindHits(phrases, out.read, out.used);
  JudgeMoods(phrases, out.read, out.hits);
  return out;
}

std::string ExplainHit(const Hit& hit) {
  static constexpr std::string_view kMoods[] = {"off", "statement", "doubt", "act"};
  return " => " + hit.command + " (" + (hit.rule == nullptr ? "slash" : hit.rule->id) + ", " +
         std::string(kMoods[static_cast<size_t>(hit.mood)]) + ": " + hit.because + ")";
}

std::string ExplainClause(const PhraseSet::Impl& phrases, const PhraseClause& clause) {
  std::string out = "[" + clause.slash + "]" + ClauseText(phrases, clause) + "|";
  for (size_t role = 0; role < kPhraseRoleNames.size(); ++role) {
    if ((clause.roles >> role & 1) != 0) out += " " + std::string(kPhraseRoleNames[role]);
  }
  if (clause.for_others) out += " FOR-OTHERS";
  if (clause.after) out += " AFTER";
  if (clause.before) out += " BEFORE";
  if (clause.time_only) out += " TIME";
  if (clause.question_mark) out += " ?";
  return out;
}

}  // namespace

Interpretation PhraseSet::Interpret(std::string_view message, const PhraseContext& context) const {
  if (impl_->empty) return NothingAsked("no phrases in this pack");
  Judged judged = Judge(*impl_, message);
  return Decide(*impl_, context, judged.read, std::move(judged.hits), message.size() > kMaxPhraseBytes);
}

std::vector<std::string> PhraseSet::UsedRules(std::string_view message) const { return Judge(*impl_, message).used; }

std::string PhraseSet::Explain(std::string_view message) const {
  const Judged judged = Judge(*impl_, message);
  std::string out;
  for (const Hit& hit : judged.hits)
    out += ExplainClause(*impl_, judged.read.clauses[hit.clause]) + ExplainHit(hit) + "\n";
  return out;
}

}  // namespace yardmaster::rules
