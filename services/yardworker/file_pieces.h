// Files in pieces of the size in which they travel.
#ifndef YARDMASTER_SERVICES_YARDWORKER_FILE_PIECES_H_
#define YARDMASTER_SERVICES_YARDWORKER_FILE_PIECES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace yardmaster::yardworker {

// What the control plane takes in one call.
inline constexpr size_t kPieceBytes = 1024 * 1024;

// Up to kPieceBytes from an offset on; empty at the end, and where the file can't be read.
inline std::string ReadPiece(const std::filesystem::path& file, uint64_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::string piece(kPieceBytes, '\0');
  in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return piece;
}

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_FILE_PIECES_H_
