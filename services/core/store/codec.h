// How values are put into columns.
#ifndef YARDMASTER_SERVICES_CORE_STORE_CODEC_H_
#define YARDMASTER_SERVICES_CORE_STORE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

// --- Bytes, compressed where it helps ---

struct Packed {
  int64_t encoding = 0;  // 0 as they are, 1 zstd, 2 zstd with BodyDictionary()
  std::string bytes;
};
Packed Pack(std::string_view bytes);
// `size` is what is expected to come out; DATA_LOSS if something else does.
absl::StatusOr<std::string> Unpack(int64_t encoding, std::string_view bytes, int64_t size);

// --- Texts ---

// Valid UTF-8 without NUL, at most `max_bytes` long, cut between characters; what is not a character becomes U+FFFD.
// Databases refuse anything else in a text column, or should.
std::string CleanText(std::string_view text, size_t max_bytes);

// OK if `name` can be compared byte by byte everywhere: valid UTF-8 without control characters, at most kMaxNameBytes.
// INVALID_ARGUMENT naming `field` otherwise, also where it is empty and `may_be_empty` is false.
absl::Status CheckStoredName(std::string_view field, std::string_view name, bool may_be_empty = false);

// JSON arrays of strings, and of pairs of strings. Reading tolerates anything: what can't be read is left out.
std::string EncodeStrings(const std::vector<std::string>& values);
std::vector<std::string> DecodeStrings(std::string_view text);
std::string EncodePairs(const std::vector<std::pair<std::string, std::string>>& values);
std::vector<std::pair<std::string, std::string>> DecodePairs(std::string_view text);

// --- Subjects ---

// "github:pytorch/pytorch#12"; without "#…" where there is no number (a push), empty without a forge. The kind has a
// column of its own, since issues and pull requests of some forges are numbered separately.
std::string SubjectText(const v1::Subject& subject);
v1::Subject SubjectFromText(std::string_view text, int64_t kind);
// OK if forge, repository and number are set and can be stored.
absl::Status CheckStoredSubject(const v1::Subject& subject);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_CODEC_H_
