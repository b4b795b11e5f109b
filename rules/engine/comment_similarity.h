// Whether an earlier comment says the same as a template, so that people are not asked twice.
#ifndef YARDMASTER_RULES_ENGINE_COMMENT_SIMILARITY_H_
#define YARDMASTER_RULES_ENGINE_COMMENT_SIMILARITY_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/text/zones.h"

namespace yardmaster::rules {

// Tokens of a comment's own words, sorted and once each: runs of ASCII letters and digits in lower case, and every
// other letter (a Chinese character, say) on its own. HTML comments (markers among them), quotes, code and traces are
// left out.
std::vector<std::string> CommentTokens(std::string_view comment, const ZoneSplitter& splitter);

// |a ∩ b| / |a ∪ b| of two sorted sets; 0 if both are empty.
double Jaccard(const std::vector<std::string>& a, const std::vector<std::string>& b);

// True if the comment ends with, or contains outside of code and quotes, the marker that Yardmaster appends to its
// comments, with this template id, from whatever pack: <!-- yardmaster pack=P template=T key=K -->.
bool HasTemplateMarker(std::string_view comment, std::string_view template_id, const ZoneSplitter& splitter);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_COMMENT_SIMILARITY_H_
