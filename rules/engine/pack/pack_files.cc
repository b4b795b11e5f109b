// ReadPackFiles: the only part of the loader that looks at a disk.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

namespace fs = std::filesystem;

// Pack folder, one folder below it, file.
constexpr int kMaxFolders = 2;

class Reader {
 public:
  Reader(fs::path root, Problems& problems) : root_(std::move(root)), problems_(problems) {}

  void ReadFolder(const fs::path& folder, const std::string& relative, int depth) {
    for (const fs::directory_entry& entry : Entries(folder, relative)) {
      const std::string name = entry.path().filename().string();
      // Hidden files are those of editors and version control.
      if (name.starts_with('.')) continue;
      std::string path = relative;
      if (!path.empty()) path += '/';
      path += name;
      std::error_code error;
      const fs::file_status status = entry.status(error);
      if (status.type() != fs::file_type::directory && depth == 0) continue;  // beside the packs: a README
      if (entry.is_symlink(error) && LeavesRoot(entry.path())) {
        Add(path, "a symbolic link that leaves the packs folder; expected a file or a folder inside of it");
      } else if (status.type() == fs::file_type::directory) {
        if (depth < kMaxFolders) {
          ReadFolder(entry.path(), path, depth + 1);
        } else {
          Add(path, "unknown folder; expected files only");
        }
      } else if (status.type() == fs::file_type::regular) {
        ReadFile(entry.path(), path, name);
      } else {
        Add(path, "expected a file or a folder");
      }
      if (full_) return;
    }
  }

  PackFiles& files() { return files_; }

 private:
  void Add(const std::string& path, std::string message) {
    problems_.push_back({Readable(path, 200), "", 0, 0, std::move(message)});
  }

  // In a fixed order, so that the same folder gives the same problems.
  std::vector<fs::directory_entry> Entries(const fs::path& folder, const std::string& relative) {
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    fs::directory_iterator it(folder, error);
    while (!error && it != fs::directory_iterator()) {
      entries.push_back(*it);
      it.increment(error);
    }
    if (error) Add(relative, "can't be read: " + error.message());
    absl::c_sort(entries,
                 [](const fs::directory_entry& a, const fs::directory_entry& b) { return a.path() < b.path(); });
    return entries;
  }

  bool LeavesRoot(const fs::path& path) const {
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    if (error) return true;
    return absl::c_mismatch(root_, target).first != root_.end();
  }

  void ReadFile(const fs::path& file, const std::string& path, const std::string& name) {
    if (name == "README.md") return;
    if (!name.ends_with(".json")) {
      Add(path, "unknown file; expected JSON files (*.json) and README.md");
      return;
    }
    if (files_.size() == kMaxPackFiles) {
      Add("", "too many files; expected at most " + std::to_string(kMaxPackFiles) + " in all packs");
      full_ = true;
      return;
    }
    std::ifstream in(file, std::ios::binary);
    std::string bytes;
    char buffer[64 * 1024];
    while (in && bytes.size() <= kMaxPackFileBytes) {
      in.read(buffer, sizeof(buffer));
      bytes.append(buffer, static_cast<size_t>(in.gcount()));
    }
    if (bytes.size() > kMaxPackFileBytes) {
      Add(path, "too large; expected at most " + std::to_string(kMaxPackFileBytes) + " bytes");
    } else if (!in.eof()) {
      Add(path, "can't be read");
    } else if (total_ + bytes.size() > kMaxPackBytes) {
      Add("", "too large; expected at most " + std::to_string(kMaxPackBytes) + " bytes in all packs");
      full_ = true;
    } else {
      total_ += bytes.size();
      files_.emplace(path, std::move(bytes));
    }
  }

  const fs::path root_;
  Problems& problems_;
  PackFiles files_;
  size_t total_ = 0;
  bool full_ = false;
};

}  // namespace

PackFiles ReadPackFiles(const fs::path& packs_dir, Problems& problems) {
  std::error_code error;
  const fs::path root = fs::canonical(packs_dir, error);
  if (error || !fs::is_directory(root, error)) {
    problems.push_back(
        {Readable(packs_dir.string(), 200), "", 0, 0, "no such folder; expected the folder of the packs"});
    return {};
  }
  Reader reader(root, problems);
  reader.ReadFolder(root, "", 0);

  // A folder with files but without a pack.json would be left out without a word.
  std::string last;
  for (const auto& [path, bytes] : reader.files()) {
    const std::string folder = path.substr(0, path.find('/'));
    if (folder == last) continue;
    last = folder;
    if (reader.files().count(folder + "/pack.json") > 0) continue;
    problems.push_back({Readable(folder + "/pack.json", 200), "", 0, 0, "missing file; every pack has one"});
  }
  return std::move(reader.files());
}

PackFiles ReadPackFolder(const fs::path& pack_dir, Problems& problems) {
  std::error_code error;
  const fs::path root = fs::canonical(pack_dir, error);
  if (error || !fs::is_directory(root, error)) {
    problems.push_back({Readable(pack_dir.string(), 200), "", 0, 0, "no such folder; expected the folder of a pack"});
    return {};
  }
  Reader reader(root, problems);
  reader.ReadFolder(root, root.filename().string(), 1);
  return std::move(reader.files());
}

}  // namespace yardmaster::rules
