#include "services/core/file_digest.h"

#include <fstream>
#include <string_view>

#include "services/core/errors.h"
#include "services/core/hex.h"
#include "services/core/sha256.h"

namespace yardmaster {

absl::StatusOr<std::string> FileSha256Hex(const std::filesystem::path& file) {
  constexpr size_t kPieceBytes = 256 * 1024;
  std::ifstream in(file, std::ios::binary);
  Sha256Pieces pieces;
  std::string buffer(kPieceBytes, '\0');
  while (in.good()) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    pieces.Add(std::string_view(buffer.data(), static_cast<size_t>(in.gcount())));
  }
  if (!in.eof()) return errors::FileUnreadable(file.native(), "it can't be read");
  return Hex(pieces.Digest());
}

}  // namespace yardmaster
