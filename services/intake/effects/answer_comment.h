// "answer_comment": a comment of ours that is made once and updated in place, known on its subject by its name. Every
// revision of it is an entry of its own. A revision is there when a comment of ours carries the marker of this name
// with this or a later number, or says the same, so that sending one again, or late, neither makes a second comment nor
// brings an older text back. Where the comment is gone, or the forge does not let us edit, the revision is a new
// comment.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_ANSWER_COMMENT_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_ANSWER_COMMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/intake/effect.h"

namespace yardmaster {

// Longer texts are cut, with a line that says so: the marker must fit behind them.
inline constexpr size_t kMaxAnswerCharacters = 60'000;

// The key in the marker of a revision: "a-<16 hex characters over subject and name>-<revision>".
std::string AnswerKey(const v1::Subject& subject, std::string_view name, int64_t revision);
// The revision in a key of the same subject and name as `key`; nullopt for every other one.
std::optional<int64_t> RevisionOfAnswer(std::string_view other_key, std::string_view key);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_ANSWER_COMMENT_H_
