// Inside of CompiledPack, shared by the files that compile, decide and explain. Not for others.
#ifndef YARDMASTER_RULES_ENGINE_COMPILED_PACK_IMPL_H_
#define YARDMASTER_RULES_ENGINE_COMPILED_PACK_IMPL_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/commands/command_table.h"
#include "rules/engine/compiled_pack.h"
#include "rules/engine/condition.h"
#include "rules/engine/guardrails.h"
#include "rules/engine/matcher.h"

namespace yardmaster::rules {

// Label index → factor.
using LabelFactors = std::vector<std::pair<uint32_t, double>>;

struct CompiledSignal {
  LabelFactors labels;
  std::optional<CompiledCondition> when;
};

struct CompiledSuppressor {
  std::vector<uint32_t> labels;
  CompiledCondition when;
};

struct CompiledClassifier {
  std::vector<uint32_t> labels;    // in order of precedence
  std::vector<LabelFactors> from;  // beside labels
  std::optional<uint32_t> default_label;
  std::optional<CompiledCondition> when;
};

struct CompiledStep {
  CompiledCondition when;
  std::vector<uint32_t> add;
  std::vector<uint32_t> add_outcome;  // classifiers
  std::string after_stop_text;        // why later steps are skipped, if this one ends the procedure
};

struct CompiledTemplate {
  std::vector<std::string> tokens;  // for comparison with earlier comments
};

struct CompiledPack::Impl {
  PackModel model;
  NameTable names;
  std::vector<std::string> label_names;  // labels in the pack's order, then topics
  std::vector<int> classifier_of_label;  // -1: scored by no classifier
  std::vector<double> medium_of_label;   // +infinity where no classifier scores it
  std::vector<double> high_of_label;
  std::shared_ptr<const ZoneSplitter> splitter;  // as the matcher: packs with the same rules share it
  std::shared_ptr<const Matcher> matcher;
  std::vector<CompiledSignal> signals;
  std::vector<uint32_t> derived;  // signals with a condition, in the pack's order: each may ask for those before it
  std::vector<CompiledSuppressor> suppressors;
  std::vector<CompiledClassifier> classifiers;
  std::vector<CompiledStep> steps;
  std::vector<CompiledTemplate> templates;
  std::unique_ptr<Guardrails> guardrails;  // null: nothing may be written
  std::string not_in_queue_text;
  std::shared_ptr<const CommandTable> commands;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMPILED_PACK_IMPL_H_
