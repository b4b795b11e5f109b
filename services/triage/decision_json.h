// Plans as the JSON that scripts rely on. One place for the command line's local answers and for those that come from a
// server, so that both give the same bytes for the same plan.
//
// decision: {id, subject, pack, pack_revision, mode, labels, applied, comment: {template}|null, confidence: {label:
// "HIGH"|"MEDIUM"|"LOW"},
//            steps: [{id, taken, why, stopped}], explanation: [{label, classifier, chosen, score, threshold,
//            high_threshold, confidence, rules: [{id, zone, source, comment?, begin, end, text, score}], suppressed:
//            [{id, reason, score_before, score_after}], would_change}], guardrails: [{id, reason}], comment_suppressed,
//            input_digest, labels_before?, similar?: [{subject, title, state, score}], created_at?}
// eval line: {number, labels, applied, comment, confidence, explanation, steps, guardrails, comment_suppressed, pack,
// pack_revision} `source` is "title", "body" or "comment" (then `comment` is its index, from 0). Offsets are bytes of
// that text as received, half open. Evidence of the zones "labels" and "derived" stands in no text: `source` is absent,
// `begin` and `end` are 0. `subject` is
// "FORGE:OWNER/REPO#N", or "#N" for text that came inline. Scores are rounded to 4 decimals.
#ifndef YARDMASTER_SERVICES_TRIAGE_DECISION_JSON_H_
#define YARDMASTER_SERVICES_TRIAGE_DECISION_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

nlohmann::ordered_json DecisionJson(const v1::Plan& plan);

nlohmann::ordered_json EvalLineJson(const v1::Plan& plan);

// One line without a line end. Invalid UTF-8 becomes U+FFFD; nothing is thrown.
std::string DumpLine(const nlohmann::ordered_json& value);

// "github:owner/repo#12", or "#12" without a forge.
std::string SubjectReference(const v1::Subject& subject);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_DECISION_JSON_H_
