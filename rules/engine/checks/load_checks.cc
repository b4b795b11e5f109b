#include <algorithm>
#include <functional>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/case_text.h"
#include "rules/engine/checks/check_cases.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/compile_names.h"
#include "rules/engine/checks/compile_rule.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/compiler.h"
#include "rules/engine/checks/field_getters.h"
#include "rules/engine/pack/pack_pieces.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// Threads that read the files of a pack.
constexpr size_t kReaders = 4;

Severity SeverityOf(std::string_view word) {
  if (word == "MAJOR") return Severity::kMajor;
  if (word == "S2" || word == "MINOR") return Severity::kMinor;
  if (word == "S3" || word == "INFO") return Severity::kInfo;
  return Severity::kBlock;
}

// One name or a list of them; none where there is no such key.
std::vector<std::string> NamesAt(const json& value, std::string_view key) {
  const auto it = value.find(key);
  return it == value.end() ? std::vector<std::string>() : Names(*it);
}

class Loader {
 public:
  Loader(const PackFiles& files, std::string_view pack, Problems& problems, ChecksFor purpose)
      : files_(files), problems_(problems), purpose_(purpose), impl_(std::make_unique<CheckSet::Impl>()) {
    impl_->pack = pack;
  }

  std::shared_ptr<const CheckSet> Load() {
    const size_t before = problems_.size();
    // What a review reads is too little to be worth waiting for other threads.
    const PieceFiles wanted = purpose_ == ChecksFor::kReviews ? PieceFiles{.folder = "checks", .prepare = WithoutCases}
                                                              : PieceFiles{.folder = "checks", .threads = kReaders};
    pieces_ = ReadPackPieces(files_, impl_->pack, wanted, problems_);
    if (problems_.size() != before) return nullptr;
    Tables();
    CheckCompiler compiler(*impl_, impl_->groups, problems_);
    compiler_ = &compiler;
    Patterns();
    Definitions();
    Moments();
    if (problems_.size() == before) Checks();
    if (problems_.size() != before) return nullptr;
    impl_->across = compiler.across();
    for (const CompiledCheck& check : impl_->checks) {
      for (const auto& rule : check.rules) {
        impl_->across |= rule->table == FactTable::kSet || !rule->needs.empty();
        impl_->across |= rule->body != nullptr && rule->body->across;
      }
    }
    if (purpose_ == ChecksFor::kReviews) impl_->documents = std::move(pieces_.documents);
    return std::make_shared<const CheckSet>(std::move(impl_));
  }

 private:
  void Problem(const PackPiece& piece, const std::string& inner, std::string message) {
    problems_.push_back(piece.ProblemAt(inner, std::move(message)));
  }
  void ExpectProfile(const PackPiece& piece, const std::string& inner, const std::string& profile) {
    if (!HasId(impl_->profiles, profile)) Problem(piece, inner, "unknown profile " + Quoted(profile));
  }

  // Lists, maps, profiles and roles.
  void Tables() {
    for (const PackPiece& piece : pieces_.Of("lists")) {
      std::vector<std::string>& list = impl_->lists[piece.name];
      for (const json& one : piece.value()) list.push_back(one.is_string() ? one.get<std::string>() : one.dump());
      impl_->list_sets[piece.name].insert(list.begin(), list.end());
    }
    for (const PackPiece& piece : pieces_.Of("maps")) {
      impl_->maps[piece.name] = piece.value().get<std::map<std::string, std::string>>();
    }
    const std::vector<PackPiece>& profiles = pieces_.Of("profiles");
    for (const PackPiece& piece : profiles) {
      impl_->profiles.push_back({piece.name, piece.value().at("title").get<std::string>()});
      if (!piece.value().value("default", false)) continue;
      if (!impl_->default_profile.empty()) Problem(piece, "/default", "another profile is the default already");
      impl_->default_profile = piece.name;
    }
    if (!profiles.empty() && impl_->default_profile.empty()) {
      Problem(profiles.front(), "", "expected one of the profiles to be the default");
    }
    for (const PackPiece& piece : pieces_.Of("roles")) AddRole(piece);
    for (const PackPiece& piece : pieces_.Of("reminders")) {
      const json& value = piece.value();
      impl_->reminders.push_back({piece.name, piece.pack, value.at("text").get<std::string>(), NamesAt(value, "files"),
                                  NamesAt(value, "not_files"), value.at("risk").get<int>(), value.value("source", "")});
    }
    for (const PackPiece& piece : pieces_.Of("progress")) {
      const json& value = piece.value();
      impl_->progress.push_back({piece.name, value.at("title").get<std::string>(), value.value("title_zh", "")});
    }
    impl_->groups.insert("op");
    for (const PackPiece& piece : pieces_.Of("moments")) {
      impl_->moment_infos.push_back(
          {piece.name, piece.value().at("title").get<std::string>(), piece.value().value("own", false)});
      impl_->moments.push_back({impl_->moment_infos.back(), {}});
    }
  }

  void AddRole(const PackPiece& piece) {
    const json& value = piece.value();
    CompiledRole role;
    role.info = {value.at("role").get<std::string>(), value.at("path").get<std::string>(),
                 value.at("example").get<std::string>()};
    role.path = std::make_unique<RE2>(role.info.path, RE2::Quiet);
    if (!role.path->ok()) {
      Problem(piece, "/path", "expected an RE2 pattern: " + Readable(role.path->error()));
      return;
    }
    if (!RE2::FullMatch(role.info.example, *role.path)) {
      Problem(piece, "/example", "expected a path that \"path\" matches, got " + Quoted(role.info.example));
    }
    role.groups.resize(static_cast<size_t>(role.path->NumberOfCapturingGroups()) + 1);
    for (const auto& [name, number] : role.path->NamedCapturingGroups()) {
      role.groups[static_cast<size_t>(number)] = name;
      impl_->groups.insert(name);
    }
    impl_->role_infos.push_back(role.info);
    impl_->roles.push_back(std::move(role));
  }

  // The condition under `key` of a piece that is about rows of a table; none if there is none.
  Clause ClauseOf(const PackPiece& piece, const char* key, FactTable table) {
    if (!piece.value().contains(key)) return {};
    compiler_->SetDocument(piece.document);
    return compiler_->CompileClause(piece.place.At(key), RowsOf(table));
  }
  static NameScope RowsOf(FactTable table) { return NameScope().With({"row", table}); }

  // Those that no check uses are compiled too, unless only what a review needs is wanted.
  void Patterns() {
    const std::vector<PackPiece>& pieces = pieces_.Of("patterns");
    for (const PackPiece& piece : pieces) impl_->patterns[piece.name] = piece.value().get<std::string>();
    if (purpose_ == ChecksFor::kReviews) return;
    for (const PackPiece& piece : pieces) {
      compiler_->SetDocument(piece.document);
      // By its name: then one that uses itself is found.
      const json use = "(?&" + piece.name + ")";
      const std::shared_ptr<const RE2> pattern = compiler_->CompilePattern({&use, piece.place.pointer});
      if (pattern != nullptr && pattern->NumberOfCapturingGroups() > 0) {
        Problem(piece, "", "expected groups that do not count, as in (?:…): the first group of a check is its own");
      }
    }
  }

  void Definitions() {
    const std::vector<PackPiece>& pieces = pieces_.Of("definitions");
    for (const PackPiece& piece : pieces) {
      if (FindKind(piece.name) != nullptr) Problem(piece, "", Quoted(piece.name) + " is a kind already");
      impl_->definitions.emplace_back().name = piece.name;
    }
    // Kinds first, along definitions that build on others; then what they ask for.
    enum class State : uint8_t { kNew, kBegun, kDone };
    std::vector<State> states(pieces.size(), State::kNew);
    const std::function<void(size_t)> resolve = [&](size_t i) {
      const PackPiece& piece = pieces[i];
      if (states[i] == State::kBegun) {
        Problem(piece, "/each", "expected a kind that does not build on this definition");
      }
      if (states[i] != State::kNew) return;
      states[i] = State::kBegun;
      const JsonPlace each = piece.place.At("each");
      if (each.value->is_object()) {
        Problem(piece, "/each", "expected a kind, a definition, or a list of them");
      } else {
        for (const std::string& name : Names(*each.value)) {
          for (size_t other = 0; other < pieces.size(); ++other) {
            if (pieces[other].name == name) resolve(other);
          }
        }
        compiler_->SetDocument(piece.document);
        CompiledDefinition& definition = impl_->definitions[i];
        compiler_->TakeUse();
        definition.kinds = compiler_->CompileKinds(each);
        definition.use = compiler_->TakeUse();
        if (!definition.kinds.empty()) definition.table = definition.kinds.front().kind.table;
      }
      states[i] = State::kDone;
    };
    const size_t before = problems_.size();
    for (size_t i = 0; i < pieces.size(); ++i) resolve(i);
    if (problems_.size() != before) return;
    compiler_->TakeUse();
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].value().contains("where")) {
        compiler_->SetDocument(pieces[i].document);
        compiler_->ExpectFits(impl_->definitions[i].kinds, pieces[i].place.At("where"));
      }
      impl_->definitions[i].where = ClauseOf(pieces[i], "where", impl_->definitions[i].table);
      impl_->definitions[i].use.Add(compiler_->TakeUse());
    }
  }

  void Moments() {
    const std::vector<PackPiece>& pieces = pieces_.Of("moments");
    for (size_t i = 0; i < pieces.size(); ++i) {
      impl_->moments[i].only = ClauseOf(pieces[i], "only", FactTable::kFile);
    }
  }

  // ---- checks

  void Checks() {
    const std::vector<PackPiece>& pieces = pieces_.Of("checks");
    impl_->infos.reserve(pieces.size());  // they stay where they are
    for (const PackPiece& piece : pieces) {
      compiler_->SetDocument(piece.document);
      CheckInfo& info = impl_->infos.emplace_back(Info(piece));
      CompiledCheck check{info, {}, {}};
      check.rules = Rules(piece, info);
      info.of_set = absl::c_none_of(check.rules, [](const auto& rule) { return rule != nullptr && rule->OverFiles(); });
      info.first = absl::c_any_of(
          check.rules, [](const auto& rule) { return rule != nullptr && rule->once != CompiledRule::Once::kNever; });
      if (purpose_ == ChecksFor::kEverything) {
        const RoleInfo* role = nullptr;
        for (const RoleInfo& one : impl_->role_infos) {
          if (role == nullptr && !check.info.roles.empty() && one.role == check.info.roles.front()) role = &one;
        }
        check.cases = ReadCheckCases(piece, role, problems_);
        for (const CheckCase& one : check.cases) {
          for (const std::string& profile : one.profiles) ExpectProfile(piece, "/" + one.name + "/profiles", profile);
        }
      }
      impl_->checks.push_back(std::move(check));
    }
    impl_->only_roles = !impl_->infos.empty() && absl::c_all_of(impl_->infos, [](const CheckInfo& info) {
      return info.of_set || !info.roles.empty();
    });
  }

  // The rule under each profile.
  std::vector<std::shared_ptr<const CompiledRule>> Rules(const PackPiece& piece, const CheckInfo& info) {
    std::vector<std::shared_ptr<const CompiledRule>> rules;
    RuleKeys keys;
    for (const auto& [key, value] : piece.value().items()) keys[key] = piece.place.At(key);
    // Without its variants; where every profile has one nobody runs it, but it must be right all the same.
    std::shared_ptr<const CompiledRule> as_written;
    const auto plain = [&] {
      if (as_written == nullptr) as_written = Rule(piece, keys);
      return as_written;
    };
    if (purpose_ == ChecksFor::kEverything) plain();
    if (impl_->profiles.empty()) rules.push_back(plain());
    const JsonPlace* variants = FindKey(keys, "variants");
    for (const ProfileInfo& profile : impl_->profiles) {
      if (!info.profiles.empty() && !absl::c_linear_search(info.profiles, profile.id)) {
        auto off = std::make_shared<CompiledRule>();
        off->off = true;
        rules.push_back(std::move(off));
      } else if (variants == nullptr || !variants->value->contains(profile.id)) {
        rules.push_back(plain());
      } else {
        RuleKeys changed = keys;
        const JsonPlace variant = variants->At(profile.id);
        for (const auto& [key, value] : variant.value->items()) {
          changed[key] = variant.At(key);
          if (key == "query") changed.erase("each");
          if (key == "each") changed.erase("query");
        }
        rules.push_back(Rule(piece, changed));
      }
    }
    if (variants == nullptr) return rules;
    for (const auto& [profile, variant] : variants->value->items()) {
      ExpectProfile(piece, PointerJoin("/variants", profile), profile);
    }
    return rules;
  }

  CheckInfo Info(const PackPiece& piece) {
    const json& value = piece.value();
    CheckInfo info;
    info.id = piece.name;
    // "RULE.PART" is a part of the rule unless the check says of which rule it is.
    info.rule = value.value("rule", piece.name.substr(0, piece.name.find('.')));
    if (info.id != info.rule)
      info.part = info.id.starts_with(info.rule + ".") ? info.id.substr(info.rule.size() + 1) : info.id;
    info.pack = piece.pack;
    info.title = value.at("title").get<std::string>();
    info.description = value.value("description", "");
    info.pack_severity = value.at("severity").get<std::string>();
    info.severity = SeverityOf(info.pack_severity);
    info.message = value.at("message").get<std::string>();
    info.message_zh = value.value("message_zh", "");
    info.fix = value.value("fix", "");
    info.fix_zh = value.value("fix_zh", "");
    info.roles = NamesAt(value, "roles");
    info.files = NamesAt(value, "files");
    info.moments = NamesAt(value, "at");
    info.profiles = NamesAt(value, "profiles");
    info.needs = NamesAt(value, "needs");
    info.stages = value.value("stages", std::vector<int>());
    info.tags = value.value("tags", std::map<std::string, std::string>());
    info.source = value.value("source", "");
    if (purpose_ == ChecksFor::kEverything) info.written = value.dump(2);
    info.file = piece.document->file();
    info.line = piece.document->PositionOf(piece.place.pointer).line;
    info.good_cases = value.at("good").size();
    info.bad_cases = value.at("bad").size();
    info.query = value.contains("query");
    for (const std::string& profile : info.profiles) ExpectProfile(piece, "/profiles", profile);
    for (const std::string& moment : info.moments) {
      if (!HasId(impl_->moment_infos, moment)) Problem(piece, "/at", "unknown moment " + Quoted(moment));
    }
    info.own = !info.moments.empty() && absl::c_all_of(info.moments, [&](const std::string& moment) {
      return absl::c_any_of(impl_->moment_infos,
                            [&](const MomentInfo& known) { return known.id == moment && known.own; });
    });
    if (absl::c_linear_search(info.moments, kProgressMoment)) CheckProgressTags(piece, info.tags);
    return info;
  }

  // What a check of the progress says of which stage.
  void CheckProgressTags(const PackPiece& piece, const std::map<std::string, std::string>& tags) {
    std::vector<std::string_view> stages = {kProgressSubject};
    for (const StageInfo& stage : impl_->progress) stages.push_back(stage.id);
    const auto stage = tags.find("progress");
    if (stage == tags.end() || !absl::c_linear_search(stages, stage->second)) {
      Problem(piece, "/tags", "expected \"progress\" to be one of " + Listed(stages));
      return;
    }
    if (stage->second == kProgressSubject) return;
    const auto state = tags.find("state");
    if (state == tags.end() || !absl::c_linear_search(kProgressStates, state->second)) {
      const std::vector<std::string_view> states(kProgressStates.begin(), kProgressStates.end());
      Problem(piece, "/tags", "expected \"state\" to be one of " + Listed(states));
    }
  }

  // The names under a key that are roles.
  std::vector<std::string> RolesAt(const RuleKeys& keys, std::string_view key) {
    const JsonPlace* at = FindKey(keys, key);
    if (at == nullptr) return {};
    std::vector<std::string_view> known;
    for (const RoleInfo& role : impl_->role_infos) known.push_back(role.role);
    std::vector<std::string> roles = Names(*at->value);
    for (const std::string& role : roles) {
      if (absl::c_linear_search(known, role)) continue;
      compiler_->Add(at->pointer, "unknown role " + Quoted(role) + DidYouMean(role, known));
    }
    return roles;
  }

  std::shared_ptr<const CompiledRule> Rule(const PackPiece& piece, const RuleKeys& keys) {
    auto rule = std::make_shared<CompiledRule>();
    const auto find = [&](std::string_view key) { return FindKey(keys, key); };
    const auto names = [&](std::string_view key) {
      const JsonPlace* at = find(key);
      return at == nullptr ? std::vector<std::string>() : Names(*at->value);
    };
    if (const JsonPlace* off = find("off"); off != nullptr && off->value->get<bool>()) {
      rule->off = true;
      return rule;
    }
    rule->pack_severity = find("severity")->value->get<std::string>();
    rule->severity = SeverityOf(rule->pack_severity);
    rule->moments = names("at");
    rule->files = names("files");
    rule->not_files = names("not_files");
    rule->roles = RolesAt(keys, "roles");
    rule->needs = RolesAt(keys, "needs");
    if (const JsonPlace* stages = find("stages")) rule->stages = stages->value->get<std::vector<int>>();
    for (const std::string& name : names("languages")) {
      if (const auto language = LanguageFromName(name)) rule->languages.push_back(*language);
    }
    NameScope scope;
    compiler_->TakeUse();
    if (!Source(piece, keys, *rule, scope)) return rule;

    if (const JsonPlace* where = find("where")) compiler_->ExpectFits(rule->kinds, *where);
    if (const JsonPlace* where = find("where"); where != nullptr && rule->table == FactTable::kExpr) {
      rule->filters = FiltersOf(*where->value);
      rule->slots = SlotsOf(*where->value);
    }
    if (const JsonPlace* where = find("where"); where != nullptr && where->value->is_object() && !rule->base) {
      const auto added = where->value->find("added");
      rule->only_added = added != where->value->end() && *added == true;
    }
    if (const JsonPlace* when = find("when")) rule->when = compiler_->CompileClause(*when, RowsOf(FactTable::kSet));
    rule->use = compiler_->TakeUse();
    if (const JsonPlace* once = find("once")) {
      rule->once = *once->value == "file"       ? CompiledRule::Once::kFile
                   : *once->value == "function" ? CompiledRule::Once::kFunction
                                                : CompiledRule::Once::kSet;
    }
    RuleSource source = {piece.document, keys, std::move(scope)};
    if (purpose_ == ChecksFor::kEverything) {
      source.explained = true;
      rule->body = CompileRuleBody(*impl_, source, problems_);
    } else {
      rule->compile = [set = impl_.get(), source = std::move(source)](Problems& problems) {
        return CompileRuleBody(*set, source, problems);
      };
    }
    return rule;
  }

  // The plain texts that a condition wants a field of expressions to be one of.
  static std::vector<ExprFilter> FiltersOf(const json& where) {
    std::vector<ExprFilter> filters;
    if (!where.is_object()) return filters;
    const auto is_plain = [](const json& one) {
      return one.is_string() && one.get_ref<const std::string&>().find_first_of("{}") == std::string::npos;
    };
    constexpr std::pair<const char*, std::string_view ExprFact::*> kFields[] = {{"attr", &ExprFact::attr},
                                                                                {"root", &ExprFact::root}};
    for (const auto& [key, field] : kFields) {
      const auto found = where.find(key);
      if (found == where.end()) continue;
      if (is_plain(*found)) filters.push_back({field, {found->get<std::string>()}});
      if (found->is_array() && absl::c_all_of(*found, is_plain)) {
        filters.push_back({field, found->get<std::vector<std::string>>()});
      }
    }
    return filters;
  }

  // The slots that a condition names and nothing else; a name that is none is told elsewhere.
  static std::vector<Slot> SlotsOf(const json& where) {
    if (!where.is_object() || !where.contains("slot")) return {};
    const json& named = where["slot"];
    const json names = named.is_array() ? named : json::array({named});
    std::vector<Slot> slots;
    for (const json& name : names) {
      const std::string_view wanted = name.is_string() ? std::string_view(name.get_ref<const std::string&>()) : "";
      const auto slot = absl::c_find(rules::kSlots, wanted);
      if (slot == rules::kSlots.end()) return {};
      slots.push_back(static_cast<Slot>(slot - rules::kSlots.begin()));
    }
    return slots;
  }

  // Which rows the check is about: sets the rule's table, and the scope that they make.
  bool Source(const PackPiece& piece, const RuleKeys& keys, CompiledRule& rule, NameScope& scope) {
    const JsonPlace* each = FindKey(keys, "each");
    const JsonPlace* query = FindKey(keys, "query");
    if ((each == nullptr) == (query == nullptr)) {
      Problem(piece, "", "expected exactly one of the keys \"each\" and \"query\"");
      return false;
    }
    if (query == nullptr ? !Rows(*each, rule) : !QueryMatches(piece, *query, rule)) return false;
    scope = RowsOf(rule.table);
    if (rule.query != nullptr) scope.captures = &rule.query->captures;
    return true;
  }

  bool QueryMatches(const PackPiece& piece, const JsonPlace& query, CompiledRule& rule) {
    if (rule.languages.empty()) {
      Problem(piece, "", "missing key \"languages\"; expected the languages of the query");
      return false;
    }
    std::string error;
    rule.query = impl_->queries.Add(rule.languages, query.value->get<std::string>(), error);
    if (rule.query == nullptr) {
      compiler_->Add(query.pointer, "expected a tree-sitter query: " + Readable(error, 200));
      return false;
    }
    rule.table = FactTable::kMatch;
    rule.kinds.push_back({*FindKind("match"), {}});
    return true;
  }

  bool Rows(JsonPlace each, CompiledRule& rule) {
    const json& value = *each.value;
    if (value.is_object()) {
      const bool has_side = value.contains("side");
      if (value.size() == 2 && value.value("each", json()) == "value" && value.contains("in")) {
        // The elements of a list: beside no file, so that queries go over all of them.
        rule.list = compiler_->CompileList(each.At("in"), RowsOf(FactTable::kSet));
        rule.table = FactTable::kValue;
        return rule.list != nullptr;
      }
      const json side = value.value("side", json("head"));
      if (!value.contains("each") || value.size() != (has_side ? 2 : 1) || (side != "base" && side != "head")) {
        compiler_->Add(each.pointer, "expected an object with \"each\" and \"side\" (\"base\" or \"head\")");
        return false;
      }
      rule.base = side == "base";
      each = each.At("each");
    }
    rule.kinds = compiler_->CompileKinds(each);
    if (rule.kinds.empty()) return false;
    rule.table = rule.kinds.front().kind.table;
    if (rule.table == FactTable::kMatch || rule.table == FactTable::kValue) {
      compiler_->Add(each.pointer, "expected rows of files");
      return false;
    }
    return true;
  }

  const PackFiles& files_;
  Problems& problems_;
  const ChecksFor purpose_;
  std::unique_ptr<CheckSet::Impl> impl_;
  PackPieces pieces_;
  CheckCompiler* compiler_ = nullptr;
};

}  // namespace

std::shared_ptr<const CheckSet> LoadChecks(const PackFiles& files, std::string_view pack, Problems& problems,
                                           ChecksFor purpose) {
  return Loader(files, pack, problems, purpose).Load();
}

}  // namespace yardmaster::rules
