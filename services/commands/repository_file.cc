#include "services/commands/repository_file.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/json_document.h"
#include "services/core/limits.h"
#include "services/core/readable.h"

namespace yardmaster::commands {
namespace {

using nlohmann::json;

bool IsLeapYear(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

// "YYYY-MM-DD" of the calendar; the form is the schema's business.
bool IsDate(const std::string& text) {
  const int year = std::stoi(text.substr(0, 4));
  const int month = std::stoi(text.substr(5, 2));
  const int day = std::stoi(text.substr(8, 2));
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12) return false;
  return day >= 1 && day <= kDays[month - 1] + (month == 2 && IsLeapYear(year) ? 1 : 0);
}

// A path from the top of the repository, perhaps with wildcards.
bool IsGlob(std::string_view glob) {
  if (glob.empty() || glob.front() == '/') return false;
  if (absl::c_any_of(glob, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; })) {
    return false;
  }
  while (!glob.empty()) {
    const size_t end = std::min(glob.find('/'), glob.size());
    if (glob.substr(0, end) == "..") return false;
    glob.remove_prefix(std::min(end + 1, glob.size()));
  }
  return true;
}

std::optional<rules::Severity> SeverityOf(std::string_view word) {
  for (const rules::Severity severity :
       {rules::Severity::kBlock, rules::Severity::kMajor, rules::Severity::kMinor, rules::Severity::kInfo}) {
    if (rules::SeverityName(severity) == word) return severity;
  }
  return std::nullopt;  // "off"
}

// Reads a document that is valid under the schema, and holds it against what there is.
class Reader {
 public:
  Reader(const JsonDocument& document, const RepositoryScope& scope, Problems& problems)
      : scope_(scope), context_{document, problems}, value_(document.value()) {}

  RepositoryFile Read() {
    ReadPacks();
    file_.dry_run = value_.contains("mode");
    ReadProfile();
    ReadSeverities();
    ReadExemptions();
    ReadPublishing();
    ReadCommands();
    return std::move(file_);
  }

 private:
  void Add(const std::string& pointer, std::string message) { context_.Problem(pointer, std::move(message)); }

  static std::string Suggestion(std::string_view name, const std::vector<std::string_view>& known) {
    const std::string_view nearest = NearestName(name, known);
    return nearest.empty() ? "" : "; did you mean " + Quoted(nearest) + "?";
  }

  void ReadPacks() {
    // Which packs the rest of the file can speak of: an organisation's file also of those that it does not choose.
    packs_ = scope_.packs;
    if (packs_.empty() && scope_.loaded != nullptr) {
      for (const auto& [name, unused] : scope_.loaded->packs()) packs_.push_back(name);
    }
    const auto packs = value_.find("packs");
    if (packs == value_.end()) return;
    file_.packs.emplace();
    for (size_t i = 0; i < packs->size(); ++i) {
      const std::string& name = (*packs)[i].get_ref<const std::string&>();
      const std::string pointer = PointerJoin("/packs", i);
      const std::vector<std::string_view> known(packs_.begin(), packs_.end());
      if (absl::c_find(*file_.packs, name) != file_.packs->end()) {
        Add(pointer, "the pack " + Quoted(name) + " is named twice");
      } else if (!packs_.empty() && !absl::c_linear_search(packs_, name)) {
        Add(pointer,
            (scope_.packs.empty() ? "there is no pack " : "the service does not allow this repository the pack ") +
                Quoted(name) + Suggestion(name, known));
      } else {
        file_.packs->push_back(name);
      }
    }
  }

  void ReadProfile() {
    const auto profile = value_.find("profile");
    if (profile == value_.end()) return;
    if (profile->is_string()) {
      const std::string& name = profile->get_ref<const std::string&>();
      file_.review.profiles[""] = name;
      bool known = scope_.loaded == nullptr;
      for (const std::string& pack : packs_) known |= HasProfile(pack, name);
      if (!known) Add("/profile", "no pack of this repository has a profile " + Quoted(name));
      return;
    }
    for (const auto& [pack, value] : profile->items()) {
      const std::string& name = value.get_ref<const std::string&>();
      const std::string pointer = PointerJoin("/profile", pack);
      file_.review.profiles[pack] = name;
      if (!packs_.empty() && !absl::c_linear_search(packs_, pack)) {
        Add(pointer, "this repository does not use the pack " + Quoted(pack));
      } else if (scope_.loaded != nullptr && !HasProfile(pack, name)) {
        Add(pointer, "the pack has no profile " + Quoted(name));
      }
    }
  }

  bool HasProfile(const std::string& pack, const std::string& profile) const {
    const auto checks = scope_.loaded == nullptr ? nullptr : scope_.loaded->FindChecks(pack);
    if (checks == nullptr) return false;
    return absl::c_any_of(checks->profiles(), [&](const rules::ProfileInfo& info) { return info.id == profile; });
  }

  // Rules of the repository's packs, and their parts.
  const std::set<std::string, std::less<>>& Rules() {
    if (rules_) return *rules_;
    rules_.emplace();
    for (const std::string& pack : packs_) {
      const auto checks = scope_.loaded->FindChecks(pack);
      if (checks == nullptr) continue;
      for (const rules::CheckInfo& check : checks->checks()) {
        rules_->insert(check.rule);
        rules_->insert(rules::RuleAndPart(check.rule, check.part));
      }
    }
    return *rules_;
  }

  void CheckRule(const std::string& rule, const std::string& pointer) {
    if (scope_.loaded == nullptr || Rules().count(rule) > 0) return;
    // What the reviews find themselves, whatever the pack: files that can't be parsed, limits, configurations.
    if (rule.starts_with("YM-")) return;
    const std::vector<std::string_view> known(Rules().begin(), Rules().end());
    Add(pointer, "no pack of this repository has a rule " + Quoted(rule) + Suggestion(rule, known));
  }

  void ReadSeverities() {
    const auto severities = value_.find("severities");
    if (severities == value_.end()) return;
    if (severities->size() > kMaxRepositoryRules) {
      Add("/severities", absl::StrCat("expected at most ", kMaxRepositoryRules, " rules"));
      return;
    }
    for (const auto& [rule, word] : severities->items()) {
      CheckRule(rule, PointerJoin("/severities", rule));
      file_.review.severities[rule] = SeverityOf(word.get_ref<const std::string&>());
    }
  }

  void ReadExemptions() {
    const auto exemptions = value_.find("exemptions");
    if (exemptions == value_.end()) return;
    file_.has_exemptions = true;
    file_.review.exemptions.reserve(exemptions->size());
    for (size_t i = 0; i < exemptions->size(); ++i) {
      const json& value = (*exemptions)[i];
      const std::string pointer = PointerJoin("/exemptions", i);
      rules::Exemption exemption;
      if (const auto rules = value.find("rules"); rules != value.end()) {
        exemption.rules = rules->get<std::vector<std::string>>();
        for (size_t k = 0; k < exemption.rules.size(); ++k) {
          CheckRule(exemption.rules[k], PointerJoin(PointerJoin(pointer, "rules"), k));
        }
      }
      if (const auto paths = value.find("paths"); paths != value.end()) {
        exemption.paths = paths->get<std::vector<std::string>>();
        for (size_t k = 0; k < exemption.paths.size(); ++k) {
          if (IsGlob(exemption.paths[k])) continue;
          Add(PointerJoin(PointerJoin(pointer, "paths"), k),
              "expected a path from the top of the repository, such as \"models/**/*.py\", got " +
                  Quoted(exemption.paths[k]));
        }
      }
      exemption.reason = value.at("reason").get<std::string>();
      exemption.until = value.value("until", "");
      if (!exemption.until.empty() && !IsDate(exemption.until)) {
        Add(PointerJoin(pointer, "until"), "there is no such day: " + exemption.until);
      }
      file_.review.exemptions.push_back(std::move(exemption));
    }
  }

  void ReadPublishing() {
    ObjectReader reader(context_, {&value_, ""}, "the file");
    file_.publishing = ReadReviewNarrowing(reader, scope_.review);
  }

  void ReadCommands() {
    ObjectReader reader(context_, {&value_, ""}, "the file");
    file_.commands = ReadCommandSettings(reader, /*bounds=*/false);
    if (scope_.loaded == nullptr) return;
    const auto commands = value_.find("commands");
    if (commands == value_.end()) return;
    for (const auto& [key, unused] : commands->items()) {
      std::vector<std::string_view> known;
      const rules::CommandModel* command = nullptr;
      // Keeps the tables alive while `known` looks into them.
      std::vector<std::shared_ptr<const rules::CompiledPack>> packs;
      for (const std::string& name : packs_) {
        const auto pack = scope_.loaded->Find(name);
        if (pack == nullptr) continue;
        packs.push_back(pack);
        if (command == nullptr) command = pack->commands()->Find(key);
        for (const rules::CommandModel& one : pack->commands()->commands()) known.push_back(one.id);
      }
      const std::string pointer = PointerJoin("/commands", key);
      if (command == nullptr) {
        Add(pointer, "there is no command " + Quoted(key) + Suggestion(key, known));
        continue;
      }
      const auto setting = file_.commands.commands.find(command->id);
      if (setting == file_.commands.commands.end() || !setting->second.who || command->MayBeOpen()) continue;
      const std::vector<rules::CommandRight>& who = *setting->second.who;
      const bool open = absl::c_any_of(
          who, [](const rules::CommandRight& right) { return right.kind == rules::CommandRight::Kind::kAnyone; });
      if (open) {
        Add(PointerJoin(pointer, "who"), Quoted(command->id) + " writes or runs code: it can't be open to \"anyone\"");
      }
    }
  }

  const RepositoryScope& scope_;
  const JsonContext context_;
  const json& value_;
  RepositoryFile file_;
  std::vector<std::string> packs_;
  std::optional<std::set<std::string, std::less<>>> rules_;
};

// ".github" or ".gitcode"; other forges have folders of the same kind.
std::string Folder(std::string_view forge) { return "." + std::string(forge); }

}  // namespace

std::string RepositoryFilePath(std::string_view forge) {
  return Folder(forge) + "/" + std::string(kOrganisationFilePath);
}

std::string OrganisationRepository(std::string_view forge, std::string_view owner) {
  return std::string(owner) + "/" + Folder(forge);
}

std::optional<RepositoryFile> ParseRepositoryFile(std::string_view name, std::string_view text,
                                                  const RepositoryScope& scope, Problems& problems) {
  const size_t before = problems.size();
  JsonLimits limits;
  limits.max_bytes = kMaxRepositoryFileBytes;
  limits.max_depth = kMaxRepositoryFileDepth;
  limits.max_values = kMaxRepositoryFileValues;
  const auto document = JsonDocument::Parse(Readable(name, 200), text, limits, problems);
  if (!document || !rules::SchemaValidator::Get().Validate("repository", *document, problems)) return std::nullopt;
  RepositoryFile file = Reader(*document, scope, problems).Read();
  if (problems.size() != before) return std::nullopt;
  return file;
}

Problems ValidateRepositoryFile(std::string_view name, std::string_view text, const RepositoryScope& scope) {
  Problems problems;
  ParseRepositoryFile(name, text, scope, problems);
  SortProblems(problems);
  return problems;
}

RepositoryFile MergeRepositoryFiles(const RepositoryFile* repository, const RepositoryFile* organisation) {
  RepositoryFile out;
  if (organisation != nullptr) out = *organisation;
  if (repository == nullptr) return out;
  if (repository->packs) out.packs = repository->packs;
  // One profile for every pack replaces whatever the organisation says of single ones.
  if (repository->review.profiles.count("") > 0) out.review.profiles.clear();
  for (const auto& [pack, profile] : repository->review.profiles) out.review.profiles[pack] = profile;
  for (const auto& [rule, severity] : repository->review.severities) out.review.severities[rule] = severity;
  if (repository->has_exemptions) {
    out.review.exemptions = repository->review.exemptions;
    out.has_exemptions = true;
  }
  out.publishing = MergeReviewNarrowing(repository->publishing, out.publishing);
  out.dry_run = out.dry_run || repository->dry_run;
  out.commands = MergeCommandSettings(repository->commands, out.commands);
  return out;
}

std::vector<std::string> PacksOf(const RepositoryFile& file, const std::vector<std::string>& allowed) {
  if (!file.packs) return allowed;
  std::vector<std::string> out;
  out.reserve(file.packs->size());
  for (const std::string& pack : *file.packs) {
    if (absl::c_linear_search(allowed, pack)) out.push_back(pack);
  }
  // The organisation's choice need not fit every repository.
  return out.empty() ? allowed : out;
}

}  // namespace yardmaster::commands
