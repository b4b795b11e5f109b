// What the engine decides about one issue: labels, confidence, steps and the evidence for all of it.
#ifndef YARDMASTER_RULES_ENGINE_DECISION_H_
#define YARDMASTER_RULES_ENGINE_DECISION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/text/zones.h"

namespace yardmaster::rules {

class CompiledPack;

struct CommentText {
  std::string_view author;            // login; empty if unknown
  std::optional<bool> author_is_bot;  // nullopt if unknown
  std::string_view body;
};

// What is looked at. Views: the texts must outlive the call of Decide and any use of the decision's spans.
struct IssueText {
  std::string_view title;
  std::string_view body;
  std::string_view author;  // login of who opened it; empty if unknown
  // Labels on the issue; nullopt if unknown: then the pack's entry label is assumed.
  std::optional<std::vector<std::string>> labels_before;
  std::vector<CommentText> comments;  // oldest first
};

enum class Confidence : uint8_t { kNone = 0, kLow = 1, kMedium = 2, kHigh = 3 };
std::string_view ConfidenceName(Confidence confidence);  // "", "LOW", "MEDIUM", "HIGH"

// Which text a span counts in: the title, the body, or a comment (its index is beside it).
enum class TextSource : uint8_t { kTitle, kBody, kComment, kNone };

// One rule that matched at one place. Rule ids and labels are views into the pack, which the decision keeps alive.
struct Evidence {
  std::string_view rule_id;  // a signal; or the label or classifier that points were taken over from
  Zone zone = Zone::kProse;
  TextSource source =
      TextSource::kNone;        // kNone: a derived rule, points of another label, or a label that was there already
  bool existing_label = false;  // the evidence is a label on the issue
  uint32_t comment_index = 0;
  size_t begin = 0;  // bytes in that text, half open
  size_t end = 0;
  double score = 0;  // points it gave to this label
};

struct Suppression {
  std::string_view rule_id;
  std::string_view reason;
  double score_before = 0;
  double score_after = 0;
};

struct LabelResult {
  std::string_view label;
  std::string_view classifier;
  bool chosen = false;
  double score = 0;
  double threshold = 0;  // medium
  double high_threshold = 0;
  Confidence confidence = Confidence::kNone;
  std::vector<Evidence> evidence;  // strongest first
  std::vector<Suppression> suppressed;
  std::string would_change;  // one sentence; may be empty
};

struct StepResult {
  std::string_view id;
  bool taken = false;
  bool stopped = false;
  std::string_view why;  // a view into the pack
};

// Something that a guardrail took out or put in, or a limit that was passed.
struct GuardrailNote {
  std::string_view rule_id;  // "guardrail.never", "guardrail.allow", "limit.size", …
  std::string reason;
};

struct Decision {
  std::shared_ptr<const CompiledPack> pack;  // keeps the views alive
  std::vector<std::string_view> labels;   // whole classification, as if no step had stopped; no entry label, no markers
  std::vector<std::string_view> applied;  // what is added now, markers included, labels already there excluded
  std::string_view comment_template;      // empty for none
  std::vector<LabelResult> results;       // labels with evidence or chosen; chosen ones first
  std::vector<StepResult> steps;
  std::vector<GuardrailNote> guardrails;
  std::string comment_suppressed;  // why a template is held back
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_DECISION_H_
