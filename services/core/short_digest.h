// A short name for a text of any length: what decisions, effects and events are known again by.
#ifndef YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_
#define YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_

#include <string>
#include <string_view>

namespace yardmaster {

// The first 16 hex characters of the SHA-256 of `bytes`. Stored: must stay as it is. Who digests several fields puts
// them together in such a way that different fields never give the same bytes.
std::string ShortDigest(std::string_view bytes);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_
