#include "clients/git/pack_index.h"

#include "clients/git/libgit2.h"

namespace yardmaster {

std::optional<std::filesystem::path> IndexPack(const std::filesystem::path& folder, std::string_view pack,
                                               std::string& error) {
  git_indexer_options options{};
  git_indexer_options_init(&options, GIT_INDEXER_OPTIONS_VERSION);
  git_indexer_progress progress{};
  int code = 0;
  const auto indexer = git2::Get<git2::Indexer>(code, git_indexer_new, folder.c_str(), 0600u, nullptr, &options);
  if (code == 0) code = git_indexer_append(indexer.get(), pack.data(), pack.size(), &progress);
  if (code == 0) code = git_indexer_commit(indexer.get(), &progress);
  if (code != 0) {
    error = git2::LastError();
    return std::nullopt;
  }
  return folder / ("pack-" + std::string(git_indexer_name(indexer.get())) + ".idx");
}

}  // namespace yardmaster
