// The functions that add the verbs of `yard`; and their table. verb.h tells how to add a verb.
#ifndef YARDMASTER_CLIENTS_CLI_VERBS_H_
#define YARDMASTER_CLIENTS_CLI_VERBS_H_

#include "clients/cli/verb.h"

namespace yardmaster::cli {

// Each adds what stands in a file of its own.
void AddTriageVerbs(Verb& yard);
void AddExplainVerb(Verb& yard);
void AddSweepVerb(Verb& yard);
void AddScheduleVerbs(Verb& yard);
void AddDeliveryVerbs(Verb& yard);
void AddLedgerVerbs(Verb& yard);
void AddDeadLetterVerbs(Verb& yard);
void AddReviewVerbs(Verb& yard);
void AddRulesVerbs(Verb& yard);
void AddSuiteVerbs(Verb& yard);
void AddTestVerbs(Verb& yard);
void AddRunnerVerbs(Verb& yard);
void AddPipelineVerbs(Verb& yard);
void AddWorkflowVerbs(Verb& yard);
void AddInterpretVerbs(Verb& yard);
void AddConfigVerbs(Verb& yard);
void AddHelpVerbs(Verb& yard);
void AddHealthVerb(Verb& yard);
void AddDoctorVerb(Verb& yard);
void AddCompletionVerb(Verb& yard);
void AddVersionVerb(Verb& yard);

// The verbs, in the order of the help.
inline constexpr void (*kVerbs[])(Verb& yard) = {
    AddTriageVerbs,     AddExplainVerb,    AddSweepVerb,      AddScheduleVerbs, AddDeliveryVerbs, AddLedgerVerbs,
    AddDeadLetterVerbs, AddReviewVerbs,    AddRulesVerbs,     AddSuiteVerbs,    AddTestVerbs,     AddRunnerVerbs,
    AddPipelineVerbs,   AddWorkflowVerbs,  AddInterpretVerbs, AddConfigVerbs,   AddHelpVerbs,     AddHealthVerb,
    AddDoctorVerb,      AddCompletionVerb, AddVersionVerb};

// Parts of groups whose verbs are too many for one file.
void AddReviewDiffVerb(Verb& review);
void AddWorkflowCheckVerb(Verb& group);
void AddWorkflowTestVerb(Verb& group);
void AddReviewImportVerb(Verb& review);
void AddReviewListVerb(Verb& review);
void AddReviewProgressVerb(Verb& review);
void AddReviewPullVerb(Verb& review);
void AddReviewHookVerb(Verb& review);
void AddRulesFactsVerb(Verb& rules);
void AddRulesTestVerb(Verb& rules);
void AddRulesBacktestVerb(Verb& rules);
void AddRulesShadowVerb(Verb& rules);
void AddTestRunVerbs(Verb& test);
void AddTestResultVerbs(Verb& test);
void AddTestVerifyVerb(Verb& test);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_VERBS_H_
