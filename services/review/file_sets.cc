#include "services/review/file_sets.h"

#include <re2/re2.h>

#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/code/language.h"

namespace yardmaster {
namespace {

constexpr const char* kOperatorGroup = "op";

// What lies directly in one folder.
struct Folder {
  std::set<std::string> ops;
  std::set<std::string> documents;  // their roles
};

// A folder with so many kinds of documents is one operator's.
constexpr size_t kDocumentsOfAnOperator = 2;

size_t CountDocuments(const RoleTable& roles, const std::vector<SetMember>& members) {
  std::set<std::string> found;
  for (const SetMember& member : members) {
    std::string role = roles.Match(member.name).role;
    if (roles.IsDocument(role)) found.insert(std::move(role));
  }
  return found.size();
}

// Files of an operator's folder that seem to name another one ("test_inputs.py") are its own. Its name is the folder's,
// else the one that most files have.
void MergeOperators(std::string_view folder, std::map<std::string, std::vector<SetMember>>& ops) {
  auto best = ops.find(std::string(NameOf(folder)));
  if (best == ops.end()) {
    best = absl::c_max_element(ops, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  }
  const std::string name = best->first;
  std::vector<SetMember> members = std::move(best->second);
  for (auto& [op, others] : ops) {
    if (op != name) members.insert(members.end(), others.begin(), others.end());
  }
  ops.clear();
  ops[name] = std::move(members);
}

}  // namespace

struct RoleTable::Entry {
  std::string role;
  std::string example;
  bool document = false;
  bool tells_stage = false;
  std::unique_ptr<re2::RE2> pattern;
  int groups = 0;
  int op_group = 0;  // 0: none
};

RoleTable::RoleTable(const rules::CheckSet& checks) {
  const std::vector<std::string>* documents = checks.List("operator_documents");
  const std::vector<std::string>* stage_roles = checks.List("stage_roles");
  for (const rules::RoleInfo& role : checks.roles()) {
    Entry entry;
    entry.role = role.role;
    entry.example = role.example;
    entry.pattern = std::make_unique<re2::RE2>(role.path, re2::RE2::Quiet);
    if (!entry.pattern->ok()) continue;  // the loader has checked it
    entry.groups = entry.pattern->NumberOfCapturingGroups();
    const auto& names = entry.pattern->NamedCapturingGroups();
    if (const auto it = names.find(kOperatorGroup); it != names.end()) entry.op_group = it->second;
    entry.document = entry.op_group == 0 && (documents == nullptr || absl::c_linear_search(*documents, role.role));
    entry.tells_stage = stage_roles != nullptr && absl::c_linear_search(*stage_roles, role.role);
    entries_.push_back(std::move(entry));
  }
  only_roles_ = checks.only_roles();
}

RoleTable::RoleTable(RoleTable&&) noexcept = default;
RoleTable::~RoleTable() = default;

FileRole RoleTable::Match(std::string_view path) const {
  for (const Entry& entry : entries_) {
    std::vector<re2::StringPiece> groups(static_cast<size_t>(entry.groups) + 1);
    if (!entry.pattern->Match(path, 0, path.size(), re2::RE2::ANCHOR_BOTH, groups.data(), entry.groups + 1)) continue;
    FileRole found{entry.role, ""};
    if (entry.op_group > 0) {
      const re2::StringPiece op = groups[static_cast<size_t>(entry.op_group)];
      found.op.assign(op.data() == nullptr ? "" : op.data(), op.size());
    }
    return found;
  }
  return {};
}

bool RoleTable::by_operator() const {
  return absl::c_any_of(entries_, [](const Entry& entry) { return entry.op_group > 0; });
}

bool RoleTable::Judges(std::string_view path) const {
  if (!Match(path).role.empty()) return true;
  return !only_roles_ && rules::LanguageOfPath(path) != rules::Language::kText;
}

bool RoleTable::LooksAt(std::string_view path) const {
  if (Judges(path)) return true;
  const rules::Language language = rules::LanguageOfPath(path);
  return absl::c_any_of(entries_, [&](const Entry& entry) {
    return entry.op_group > 0 && rules::LanguageOfPath(entry.example) == language;
  });
}

bool RoleTable::IsDocument(std::string_view role) const {
  return absl::c_any_of(entries_, [&](const Entry& entry) { return entry.role == role && entry.document; });
}

bool RoleTable::TellsStage(std::string_view role) const {
  return absl::c_any_of(entries_, [&](const Entry& entry) { return entry.role == role && entry.tells_stage; });
}

std::string_view RoleTable::ExampleOf(std::string_view role) const {
  for (const Entry& entry : entries_) {
    if (entry.role == role) return entry.example;
  }
  return {};
}

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view StemOf(std::string_view path) {
  const std::string_view name = NameOf(path);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string path(folder);
  return path.append("/").append(name);
}

std::vector<FileSet> GroupFiles(const RoleTable& roles, const std::vector<std::string>& paths) {
  std::vector<FileSet> sets;
  if (paths.empty()) return sets;
  if (!roles.by_operator()) {
    FileSet& all = sets.emplace_back();
    for (size_t i = 0; i < paths.size(); ++i) all.members.push_back({i, paths[i], false});
    return sets;
  }

  // 1. What every folder holds.
  std::map<std::string_view, Folder> folders;
  for (const std::string& path : paths) {
    const FileRole own = roles.Match(NameOf(path));
    Folder& folder = folders[FolderOf(path)];
    if (!own.op.empty()) folder.ops.insert(own.op);
    if (roles.IsDocument(own.role)) folder.documents.insert(own.role);
  }

  // 2. The folder that each file belongs to.
  std::map<std::string_view, std::map<std::string, std::vector<SetMember>>> by_folder;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string_view path = paths[i];
    std::string_view home = FolderOf(path);
    std::string name(NameOf(path));
    FileRole role = roles.Match(name);
    if (!home.empty()) {
      const std::string_view above = FolderOf(home);
      const std::string below(path.substr(above.empty() ? 0 : above.size() + 1));
      const FileRole as_child = roles.Match(below);
      const auto it = folders.find(above);
      const bool child =
          it != folders.end() && !as_child.role.empty() &&
          (it->second.ops.count(as_child.op) > 0 || it->second.documents.size() >= kDocumentsOfAnOperator ||
           // "eval/x.yaml" has a role only as a child, "x.yaml" alone has none.
           (role.role.empty() && !it->second.ops.empty()));
      if (child) {
        home = above;
        name = below;
        role = as_child;
      }
    }
    by_folder[home][role.op].push_back({i, std::move(name), false});
  }

  // 3. Sets: an operator each, with what belongs to no operator.
  for (auto& [folder, ops] : by_folder) {
    std::vector<SetMember> shared;
    if (const auto it = ops.find(""); it != ops.end() && ops.size() > 1) {
      shared = std::move(it->second);
      ops.erase(it);
    }
    if (ops.size() > 1 && CountDocuments(roles, shared) >= kDocumentsOfAnOperator) MergeOperators(folder, ops);
    bool first = true;
    for (auto& [op, members] : ops) {
      FileSet& set = sets.emplace_back();
      set.folder = folder;
      set.op = op;
      set.members = std::move(members);
      for (SetMember member : shared) {
        member.context = !first;
        set.members.push_back(std::move(member));
      }
      first = false;
      set.lone = op.empty() && CountDocuments(roles, set.members) < kDocumentsOfAnOperator &&
                 absl::c_none_of(set.members, [&](const SetMember& member) {
                   return roles.TellsStage(roles.Match(member.name).role);
                 });
    }
  }
  return sets;
}

}  // namespace yardmaster
