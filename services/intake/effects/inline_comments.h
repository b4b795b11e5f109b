// Our own comments at lines of a pull request, known by the key in their markers, wherever their line has gone by now;
// and how far an effect on several of them has come.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_INLINE_COMMENTS_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_INLINE_COMMENTS_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/intake/effect.h"

namespace yardmaster {

// Templates in the markers: of a comment at a line, and of the answer that it is settled.
inline constexpr std::string_view kInlineTemplate = "inline";
inline constexpr std::string_view kResolvedTemplate = "resolved";

struct InlineComments {
  std::map<std::string, ForgeComment, std::less<>> at_lines;  // by key
  std::set<std::string, std::less<>> settled;                 // keys of our answers
  bool complete = true;                                       // false: the forge has more than we read
};
absl::StatusOr<InlineComments> ReadInlineComments(const EffectContext& context, const ForgeSubject& subject);

// Whether a key fits a marker and the words of a progress.
bool IsInlineKey(std::string_view key);

// Keys on their way, as the progress of an effect notes them.
struct InlineProgress {
  std::vector<std::string> left;     // not confirmed yet, in their order
  std::vector<std::string> refused;  // by the forge; they are dropped
  bool one_by_one = false;           // the forge refused several at once

  std::string Words() const;
};
InlineProgress ReadInlineProgress(std::string_view words);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_INLINE_COMMENTS_H_
