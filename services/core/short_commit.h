// How commits are named in answers, reports and comments.
#ifndef YARDMASTER_SERVICES_CORE_SHORT_COMMIT_H_
#define YARDMASTER_SERVICES_CORE_SHORT_COMMIT_H_

#include <string>
#include <string_view>

namespace yardmaster {

// The first 12 digits of a commit's id: enough to find it in any repository, and short enough to be read.
inline std::string ShortCommit(std::string_view id) { return std::string(id.substr(0, 12)); }

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SHORT_COMMIT_H_
