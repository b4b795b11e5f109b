// Small texts of the judge.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/text.h"

namespace yardmaster::worker {

// A line of output inside of a sentence is cut to this many bytes: its beginning, which says what happened, and its
// end, where long messages say why ("… but it is equal to 19").
inline constexpr size_t kMaxQuotedBytes = 320;
inline constexpr size_t kQuotedEndBytes = 80;

// As few digits as nine places allow: "3.5", "1e-05".
std::string Decimal(double number);

// Without blanks at its ends and escape sequences of terminals. Of a line that is too long, what stands in front of
// what it says is left out, then its middle, cut with "…" between characters.
std::string Quoted(std::string_view line);
// The same of a line in which the text from byte `place` on says why: where that would be cut off, the beginning is.
std::string Quoted(std::string_view line, size_t place);
// "1 test", "3 tests".
std::string Count(size_t number, std::string_view noun);
// "SIGSEGV"; "signal 64" for one without a name.
std::string SignalName(int signal);
// "segmentation fault"; empty where there is nothing to add.
std::string SignalMeaning(int signal);
// "rank 3", "ranks 1, 4 and 5", "ranks 0, 1, 2 and 13 more"; empty for none.
std::string RankList(const std::vector<int>& ranks);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_TEXT_H_
