#include "services/yardworker/artifacts.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/hex.h"
#include "services/core/readable.h"
#include "services/core/sha256.h"
#include "services/yardworker/file_pieces.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPathBytes = 4'000;
constexpr size_t kMostNamedLeftOut = 8;

std::string DigestOfFile(const fs::path& file) {
  Sha256Pieces pieces;
  uint64_t offset = 0;
  for (std::string piece = ReadPiece(file, 0); !piece.empty(); piece = ReadPiece(file, offset)) {
    pieces.Add(piece);
    offset += piece.size();
  }
  return Hex(pieces.Digest());
}

// Why a file of this name can't be sent; empty: it can.
std::string WhyUnnamed(const std::string& path) {
  if (!IsValidUtf8(path)) return "its name is no UTF-8";
  if (path.find('\\') != std::string::npos) return "its name has a backslash";
  if (path.size() > kMaxPathBytes) return "its name is too long";
  return "";
}

// Relative to the result directory: the files beside each other at its top, and all below steps/. What was built is
// none of its results.
std::vector<std::string> FilesToSend(const fs::path& result) {
  std::vector<std::string> top;
  std::vector<std::string> below;
  std::error_code error;
  // No links: what they point to is not the run's.
  const auto add = [&](const fs::directory_entry& entry, std::vector<std::string>& files) {
    std::error_code gone;
    if (!fs::is_regular_file(entry.symlink_status(gone))) return;
    files.push_back(entry.path().lexically_relative(result).generic_string());
  };
  for (fs::directory_iterator it(result, error), end; !error && it != end; it.increment(error)) add(*it, top);
  const fs::path steps = result / "steps";
  if (fs::is_directory(fs::symlink_status(steps, error))) {
    for (fs::recursive_directory_iterator it(steps, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
      add(*it, below);
    }
  }
  std::sort(top.begin(), top.end());
  std::sort(below.begin(), below.end());
  top.insert(top.end(), std::make_move_iterator(below.begin()), std::make_move_iterator(below.end()));
  return top;
}

}  // namespace

ArtifactList ListArtifacts(const fs::path& result, size_t most) {
  ArtifactList list;
  size_t left_out = 0;
  size_t too_many = 0;
  for (const std::string& path : FilesToSend(result)) {
    std::error_code error;
    const uint64_t size = fs::file_size(result / path, error);
    if (error) continue;  // gone meanwhile
    std::string why = WhyUnnamed(path);
    if (why.empty() && size > kMostArtifactBytes) why = "it is larger than 2 GiB";
    if (!why.empty()) {
      if (++left_out <= kMostNamedLeftOut) {
        list.notes.push_back(absl::StrCat("the artifact ", Readable(path, 200), " was left out: ", why));
      }
      continue;
    }
    if (list.artifacts.size() == most) {
      ++too_many;
      continue;
    }
    v1::Artifact artifact;
    artifact.set_path(path);
    artifact.set_digest(DigestOfFile(result / path));
    artifact.set_size(size);
    list.artifacts.push_back(std::move(artifact));
  }
  if (left_out > kMostNamedLeftOut) {
    list.notes.push_back(absl::StrCat(left_out - kMostNamedLeftOut, " more artifacts were left out for such reasons"));
  }
  if (too_many > 0) {
    list.notes.push_back(absl::StrCat(too_many, " artifacts were left out: a run keeps ", most));
  }
  return list;
}

}  // namespace yardmaster::yardworker
