// What a rank said last, or before something that does not say why.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_RANK_WORDS_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_RANK_WORDS_H_

#include "services/worker/verdict/finding.h"
#include "services/worker/verdict/last_words.h"
#include "services/worker/verdict/rank_view.h"
#include "services/worker/verdict/telling.h"

namespace yardmaster::worker {

// An exception that the program had got over, unless it was that of a process whose failure was told later.
bool GotOver(const Signatures::Hit& hit, const RankView& view);
// One of them; null: there is none.
const Signatures::Hit* HitGotOver(const RankView& view);

// Adds what the rank said last to how it ended, and takes the class from it if it says one.
void AddLastWords(const StepContext& context, const RankView& view, Finding& finding);

// What was said right before a line that does not say why, where it tells at least so much.
void AddErrorBefore(const StepContext& context, const LogLine& line, Telling least, Finding& finding);

Telling TellingOfLine(const StepContext& context, const LogLine& line);
// "SystemExit: 1", "Fatal Python error: Aborted".
bool OnlyFollows(const StepContext& context, const LogLine& line);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_RANK_WORDS_H_
