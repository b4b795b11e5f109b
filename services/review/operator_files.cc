#include "services/review/operator_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

// Where repositories keep what forges and their pipelines read.
constexpr std::array<std::string_view, 7> kForgeFolders = {".ci",     ".circleci", ".gitcode", ".gitee",
                                                           ".github", ".gitlab",   ".jenkins"};

bool IsToolFolder(const std::string& name, HiddenFolders hidden) {
  if (name == "node_modules" || name == "__pycache__" || name == ".git") return true;
  return name.starts_with('.') && hidden == HiddenFolders::kLeftOut && !absl::c_linear_search(kForgeFolders, name);
}

// Adds the files of a folder; false once the limit is reached.
bool List(const fs::path& folder, const std::string& prefix, int depth, HiddenFolders hidden, size_t& left,
          TreeListing& out) {
  std::error_code error;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (left == 0) return false;
    --left;
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const fs::file_status status = it->symlink_status(ignored);
    if (fs::is_regular_file(status)) {
      out.paths.push_back(prefix + name);
    } else if (fs::is_directory(status) && depth > 0 && !IsToolFolder(name, hidden)) {
      if (!List(it->path(), prefix + name + "/", depth - 1, hidden, left, out)) return false;
    }
  }
  return true;
}

// Files with a role, absolute.
std::vector<std::string> WithRoles(const RoleTable& roles, const std::string& folder, int depth) {
  std::vector<std::string> found;
  for (const std::string& path : ListTree(folder, kMaxOperatorEntries, depth).paths) {
    if (!roles.Match(path).role.empty()) found.push_back(JoinPath(folder, path));
  }
  return found;
}

// The set that has `file`, among it and `others`.
const FileSet* SetOf(const std::vector<FileSet>& sets, size_t file) {
  for (const FileSet& set : sets) {
    for (const SetMember& member : set.members) {
      if (member.path == file && !member.context) return &set;
    }
  }
  return nullptr;
}

}  // namespace

TreeListing ListTree(const fs::path& folder, size_t max_entries, int max_depth, HiddenFolders hidden) {
  TreeListing listing;
  size_t left = max_entries;
  listing.complete = List(folder, "", max_depth, hidden, left, listing);
  absl::c_sort(listing.paths);
  return listing;
}

OperatorFiles FindOperator(const RoleTable& roles, const std::string& file) {
  OperatorFiles found;
  const std::string folder(FolderOf(file));
  if (!roles.by_operator() || folder.empty()) return found;
  const std::string above(FolderOf(folder));
  // Around the file first; the whole of the folder above only if the operator lives there.
  const auto look = [&](std::vector<std::string> paths) -> FileSet {
    std::erase(paths, file);
    paths.insert(paths.begin(), file);
    const std::vector<FileSet> sets = GroupFiles(roles, paths);
    const FileSet* set = SetOf(sets, 0);
    if (set == nullptr) return {};
    found.folder = set->folder;
    found.op = set->op;
    found.others.clear();
    for (const SetMember& member : set->members) {
      if (member.path != 0) found.others.push_back(paths[member.path]);
    }
    return *set;
  };
  std::vector<std::string> paths = WithRoles(roles, folder, kMaxOperatorDepth);
  if (!above.empty()) {
    for (std::string& path : WithRoles(roles, above, 0)) paths.push_back(std::move(path));
  }
  look(std::move(paths));
  if (!above.empty() && found.folder == above) look(WithRoles(roles, above, kMaxOperatorDepth));
  return found;
}

std::vector<std::string> FilesOfOperator(const RoleTable& roles, const std::string& folder) {
  return WithRoles(roles, folder, kMaxOperatorDepth);
}

std::optional<std::string> ReadText(const fs::path& file, size_t max_bytes, std::string& error) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    error = "it is no regular file";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) {
    error = errno == 0 ? std::string("it can't be opened") : std::string(std::strerror(errno));
    return std::nullopt;
  }
  std::string text;
  const uintmax_t size = fs::file_size(file, failed);
  if (!failed) text.reserve(static_cast<size_t>(std::min<uintmax_t>(size, max_bytes + 1)));
  char block[64 * 1024];
  while (text.size() <= max_bytes && (in.read(block, sizeof(block)) || in.gcount() > 0)) {
    text.append(block, static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) {
    error = "reading failed";
    return std::nullopt;
  }
  if (text.size() > max_bytes) text.resize(max_bytes + 1);
  return text;
}

const nlohmann::json* JsonAt(const nlohmann::json& json, std::string_view pointer) {
  const nlohmann::json* at = &json;
  size_t begin = pointer.starts_with('/') ? 1 : std::string::npos;
  while (at != nullptr && begin <= pointer.size()) {
    const size_t end = std::min(pointer.find('/', begin), pointer.size());
    const auto it = at->is_object() ? at->find(pointer.substr(begin, end - begin)) : at->end();
    at = at->is_object() && it != at->end() ? &*it : nullptr;
    begin = end + 1;
  }
  return at;
}

std::optional<int> StageInState(const rules::CheckSet& checks, std::string_view state_file) {
  const std::vector<std::string>* pointers = checks.List("stage_pointer");
  if (pointers == nullptr) return std::nullopt;
  const nlohmann::json json = nlohmann::json::parse(state_file, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  for (const std::string& pointer : *pointers) {
    const nlohmann::json* at = JsonAt(json, pointer);
    if (at != nullptr && at->is_number_integer()) {
      const auto stage = at->get<int64_t>();
      if (stage >= 0 && stage <= 1000) return static_cast<int>(stage);
    }
  }
  return std::nullopt;
}

}  // namespace yardmaster
