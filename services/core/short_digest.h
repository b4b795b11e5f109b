// A short name for a text of any length, by which decisions, effects and events are recognised.
#ifndef YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_
#define YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace yardmaster {

// The first 16 hex characters of the SHA-256 of `bytes`. Stored: must stay as it is.
std::string ShortDigest(std::string_view bytes);

// The parts, each with its length in front: different parts never give the same bytes. "ab" gives "2:ab".
std::string LengthPrefixed(absl::Span<const std::string_view> parts);

// The digest of several fields: ShortDigest(LengthPrefixed(parts)).
std::string ShortDigestOf(absl::Span<const std::string_view> parts);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_SHORT_DIGEST_H_
