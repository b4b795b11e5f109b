#include "services/dispatch/pulls/head_tree.h"

#include <fstream>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/hex.h"
#include "services/core/ids.h"
#include "services/core/sha256.h"
#include "services/core/status_macros.h"
#include "services/core/tar_writer.h"
#include "services/dispatch/errors.h"

namespace yardmaster::dispatch {
namespace {

namespace fs = std::filesystem;

// A file that is longer is no file of sources.
constexpr size_t kMaxTreeFileBytes = size_t{100} * 1024 * 1024;

// Writes the archive; its digest and size.
absl::StatusOr<std::pair<std::string, uint64_t>> WriteArchive(GitTree& tree, const std::vector<GitTreeEntry>& entries,
                                                              const fs::path& path) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  Sha256Pieces digest;
  uint64_t size = 0;
  TarWriter tar([&](std::string_view piece) {
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
    digest.Add(piece);
    size += piece.size();
  });
  for (const GitTreeEntry& entry : entries) {
    if (entry.mode == kGitSubmoduleMode) continue;
    ASSIGN_OR_RETURN(const std::string content, tree.Read(entry, kMaxTreeFileBytes));
    if (size + content.size() > kMaxTreeBytes || content.size() == kMaxTreeFileBytes) {
      return BudgetExceeded("the tree", size + content.size(), kMaxTreeBytes);
    }
    if (entry.mode == kGitLinkMode) {
      tar.AddLink(entry.path, content);
      continue;
    }
    tar.BeginFile(entry.path, content.size(), entry.mode == kGitExecutableMode);
    tar.Data(content);
  }
  tar.Finish();
  out.close();
  if (!out) return errors::FileNotWritten(path.string(), "the archive of a tree");
  return std::pair(Hex(digest.Digest()), size);
}

absl::Status PutFile(const fs::path& path, const std::string& digest, uint64_t size, PartFiles& files) {
  std::ifstream in(path, std::ios::binary);
  std::string part(kMaxPartBytes, '\0');
  uint64_t offset = 0;
  while (offset < size && in) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    const auto count = static_cast<size_t>(in.gcount());
    if (count == 0) break;
    RETURN_IF_ERROR(files.Put(digest, size, offset, std::string_view(part).substr(0, count)).status());
    offset += count;
  }
  return offset == size ? absl::OkStatus() : PartsMissing(offset, size);
}

}  // namespace

absl::StatusOr<KeptTree> KeepHeadTree(GitCache& cache, const GitCacheRequest& request, PartFiles& files,
                                      const fs::path& scratch) {
  ASSIGN_OR_RETURN(GitCacheHandle handle, cache.Fetch(request));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> tree, handle.repository().TreeOf(handle.head()));
  ASSIGN_OR_RETURN(const std::vector<GitTreeEntry>* const entries, tree->Entries());
  std::vector<std::string> objects;
  objects.reserve(entries->size());
  for (const GitTreeEntry& entry : *entries) {
    if (entry.mode != kGitSubmoduleMode) objects.push_back(entry.object);
  }
  RETURN_IF_ERROR(handle.NeedBlobs(objects));
  std::error_code error;
  fs::create_directories(scratch, error);
  const fs::path path = scratch / NewId("tree-");
  const absl::Cleanup removed = [&path] {
    std::error_code ignored;
    fs::remove(path, ignored);
  };
  ASSIGN_OR_RETURN(const auto written, WriteArchive(*tree, *entries, path));
  const auto& [digest, size] = written;
  if (!files.Has(digest)) RETURN_IF_ERROR(PutFile(path, digest, size, files));
  // A request that has the repository's own head as its base shows whether the commit is part of its history.
  const bool of_base = request.base.ref == kOwnHead && handle.merge_base() == handle.head();
  return KeptTree{digest, handle.head(), of_base};
}

}  // namespace yardmaster::dispatch
