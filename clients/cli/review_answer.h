// What all reviews of the command line share: their formats, and how findings become an exit code.
#ifndef YARDMASTER_CLIENTS_CLI_REVIEW_ANSWER_H_
#define YARDMASTER_CLIENTS_CLI_REVIEW_ANSWER_H_

#include <string>

#include "clients/cli/exit_code.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/review_text.h"
#include "clients/cli/session.h"
#include "clients/cli/verb.h"
#include "services/review/report.h"

namespace yardmaster::cli {

struct ReviewAnswerOptions {
  std::string format = "text";
  std::string language = "en";
  std::string fail_on = "block";
  bool skipped = false;  // the text says which checks were skipped, and why

  TextLanguage text_language() const { return language == "zh" ? TextLanguage::kChinese : TextLanguage::kEnglish; }
};

// --format, --lang, --fail-on and --skipped.
void AddReviewAnswerOptions(Verb& verb, ReviewAnswerOptions& options);

// An error of usage where --json and another --format are given.
absl::Status CheckReviewFormat(const ReviewAnswerOptions& options, const Session& session);

// Of a change: leaves out what was there before and what is fixed.
void OnlyNew(ReviewReport& report);

// Writes the report to stdout. `packs` tell what rules are about; may be empty.
void PrintReview(const ReviewAnswerOptions& options, const CheckSets& packs, const ReviewReport& report,
                 const SourceOf& source, Session& session);

// Whether the report is a negative answer: the gate is closed, or something is as bad as --fail-on says.
ExitCode JudgeReview(const ReviewAnswerOptions& options, const ReviewReport& report);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_REVIEW_ANSWER_H_
