#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "rules/engine/checks/case_text.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/compile_rule.h"
#include "rules/engine/checks/compile_words.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/compiler.h"
#include "rules/engine/pack/pack_part.h"
#include "rules/engine/pack/schema_validator.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// Threads that read the files of a pack.
constexpr size_t kReaders = 4;

// A piece of a pack with its place.
struct Piece {
  std::string name;
  const json* value = nullptr;
  const JsonDocument* document = nullptr;
  std::string pointer;
  std::string pack;
};

std::string Lines(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  for (const json& line : value) {
    out += line.get_ref<const std::string&>();
    out += '\n';
  }
  return out;
}

Severity SeverityOf(std::string_view word) {
  if (word == "MAJOR") return Severity::kMajor;
  if (word == "S2" || word == "MINOR") return Severity::kMinor;
  if (word == "S3" || word == "INFO") return Severity::kInfo;
  return Severity::kBlock;
}

class Loader {
 public:
  Loader(const PackFiles& files, std::string_view pack, Problems& problems, ChecksFor purpose)
      : files_(files), problems_(problems), purpose_(purpose), impl_(std::make_unique<CheckSet::Impl>()) {
    impl_->pack = pack;
  }

  std::shared_ptr<const CheckSet> Load() {
    const size_t before = problems_.size();
    std::vector<std::string> chain = PackChain(files_, impl_->pack);
    std::reverse(chain.begin(), chain.end());
    for (const std::string& pack : chain) ReadPack(pack);
    if (problems_.size() != before) return nullptr;
    Tables();
    CheckCompiler compiler(*impl_, impl_->groups, problems_);
    compiler_ = &compiler;
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
    if (purpose_ == ChecksFor::kReviews) impl_->documents = std::move(documents_);
    return std::make_shared<const CheckSet>(std::move(impl_));
  }

 private:
  // Parsing and validating is most of the work, and each file is on its own: done by a few threads at once.
  void ReadPack(const std::string& pack) {
    struct Part {
      const std::string* path;
      const std::string* bytes;
      std::unique_ptr<JsonDocument> document;
      Problems problems;
    };
    std::vector<Part> parts;
    ForEachPackFile(files_, pack, [&](const std::string& path, const std::string& bytes) {
      const std::string_view inner = std::string_view(path).substr(pack.size() + 1);
      if (!inner.starts_with("checks/") || !inner.ends_with(".json")) return;
      if (inner.find('/', 7) != std::string_view::npos) return;  // told by LoadPack
      parts.push_back({&path, &bytes, nullptr, {}});
    });
    std::atomic<size_t> next = 0;
    const auto read = [&] {
      for (size_t i = next++; i < parts.size(); i = next++) {
        Part& part = parts[i];
        JsonLimits limits;
        limits.max_bytes = kMaxPackFileBytes;
        limits.max_values = kMaxPackFileValues;
        const bool bare = purpose_ == ChecksFor::kReviews && part.bytes->size() <= limits.max_bytes;
        auto document = JsonDocument::Parse(Readable(*part.path, 200), bare ? WithoutCases(*part.bytes) : *part.bytes,
                                            limits, part.problems);
        if (!document) continue;
        const SchemaValidator& schemas = SchemaValidator::Get();
        if (purpose_ == ChecksFor::kReviews ? !schemas.ValidateQuickly("checks", *document, part.problems)
                                            : !schemas.Validate("checks", *document, part.problems)) {
          continue;
        }
        part.document = std::make_unique<JsonDocument>(std::move(*document));
      }
    };
    std::vector<std::thread> helpers;
    // What a review reads is too little to be worth waiting for another thread.
    const size_t readers = purpose_ == ChecksFor::kReviews ? 1 : kReaders;
    const size_t threads = std::min<size_t>({readers, std::thread::hardware_concurrency(), parts.size()});
    try {
      while (helpers.size() + 1 < threads) helpers.emplace_back(read);
    } catch (const std::system_error&) {
      // No more threads to be had: this one reads the rest.
    }
    read();
    for (std::thread& helper : helpers) helper.join();

    for (Part& part : parts) {
      problems_.insert(problems_.end(), part.problems.begin(), part.problems.end());
      if (part.document == nullptr) continue;
      documents_.push_back(std::move(part.document));
      Take(pack, *documents_.back());
    }
  }

  // Puts the pieces of a document to those that are there; the same name replaces.
  void Take(const std::string& pack, const JsonDocument& document) {
    const auto put = [&](std::vector<Piece>& to, std::string name, const json& value, std::string pointer) {
      Piece piece = {std::move(name), &value, &document, std::move(pointer), pack};
      const auto same = std::find_if(to.begin(), to.end(), [&](const Piece& one) { return one.name == piece.name; });
      if (same == to.end()) {
        to.push_back(std::move(piece));
      } else if (same->pack == pack) {
        problems_.push_back(document.ProblemAt(
            piece.pointer, Quoted(piece.name) + " is there already: " + same->document->file() + ", line " +
                               std::to_string(same->document->PositionOf(same->pointer).line)));
      } else {
        *same = std::move(piece);
      }
    };
    for (const auto& [key, part] : document.value().items()) {
      std::vector<Piece>* to = key == "roles"         ? &roles_
                               : key == "profiles"    ? &profiles_
                               : key == "moments"     ? &moments_
                               : key == "checks"      ? &checks_
                               : key == "lists"       ? &lists_
                               : key == "maps"        ? &maps_
                               : key == "definitions" ? &definitions_
                                                      : nullptr;
      if (to == nullptr) continue;
      if (part.is_array()) {
        for (size_t i = 0; i < part.size(); ++i) {
          // Roles have patterns of their own: the same role may come with several.
          std::string name = key == "roles"
                                 ? part[i].at("role").get<std::string>() + " " + part[i].at("path").get<std::string>()
                                 : part[i].at("id").get<std::string>();
          put(*to, std::move(name), part[i], PointerJoin("/" + key, i));
        }
      } else {
        for (const auto& [name, value] : part.items()) put(*to, name, value, PointerJoin("/" + key, name));
      }
    }
  }

  void Problem(const Piece& piece, const std::string& inner, std::string message) {
    problems_.push_back(piece.document->ProblemAt(piece.pointer + inner, std::move(message)));
  }

  // Lists, maps, profiles and roles.
  void Tables() {
    for (const Piece& piece : lists_) {
      std::vector<std::string>& list = impl_->lists[piece.name];
      for (const json& one : *piece.value) list.push_back(one.is_string() ? one.get<std::string>() : one.dump());
      impl_->list_sets[piece.name].insert(list.begin(), list.end());
    }
    for (const Piece& piece : maps_) {
      for (const auto& [from, to] : piece.value->items()) impl_->maps[piece.name][from] = to.get<std::string>();
    }
    for (const Piece& piece : profiles_) {
      impl_->profiles.push_back({piece.name, piece.value->at("title").get<std::string>()});
      if (!piece.value->value("default", false)) continue;
      if (!impl_->default_profile.empty()) Problem(piece, "/default", "another profile is the default already");
      impl_->default_profile = piece.name;
    }
    if (!profiles_.empty() && impl_->default_profile.empty()) {
      Problem(profiles_.front(), "", "expected one of the profiles to be the default");
    }
    for (const Piece& piece : roles_) {
      CompiledRole role;
      role.info = {piece.value->at("role").get<std::string>(), piece.value->at("path").get<std::string>(),
                   piece.value->at("example").get<std::string>()};
      role.path = std::make_unique<RE2>(role.info.path, RE2::Quiet);
      if (!role.path->ok()) {
        Problem(piece, "/path", "expected an RE2 pattern: " + Readable(role.path->error()));
        continue;
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
    impl_->groups.insert("op");
    for (const Piece& piece : moments_) {
      CompiledMoment moment;
      moment.info = {piece.name, piece.value->at("title").get<std::string>()};
      impl_->moment_infos.push_back(moment.info);
      impl_->moments.push_back(std::move(moment));
    }
  }

  void Definitions() {
    for (const Piece& piece : definitions_) {
      if (FindKind(piece.name) != nullptr) Problem(piece, "", Quoted(piece.name) + " is a kind already");
      CompiledDefinition definition;
      definition.name = piece.name;
      impl_->definitions.push_back(std::move(definition));
    }
    // Kinds first, along definitions that build on others; then what they ask for.
    std::vector<int> state(definitions_.size(), 0);
    const std::function<void(size_t)> resolve = [&](size_t i) {
      if (state[i] == 2) return;
      const Piece& piece = definitions_[i];
      if (state[i] == 1) {
        Problem(piece, "/each", "expected a kind that does not build on this definition");
        return;
      }
      state[i] = 1;
      const json& each = piece.value->at("each");
      if (each.is_object()) {
        Problem(piece, "/each", "expected a kind, a definition, or a list of them");
      } else {
        for (const std::string& name : Names(each)) {
          for (size_t other = 0; other < definitions_.size(); ++other) {
            if (definitions_[other].name == name) resolve(other);
          }
        }
        compiler_->SetDocument(piece.document);
        impl_->definitions[i].kinds = compiler_->CompileKinds(each, piece.pointer + "/each");
        if (!impl_->definitions[i].kinds.empty()) {
          impl_->definitions[i].table = impl_->definitions[i].kinds.front().kind.table;
        }
      }
      state[i] = 2;
    };
    const size_t before = problems_.size();
    for (size_t i = 0; i < definitions_.size(); ++i) resolve(i);
    if (problems_.size() != before) return;
    for (size_t i = 0; i < definitions_.size(); ++i) {
      const Piece& piece = definitions_[i];
      const auto where = piece.value->find("where");
      if (where == piece.value->end()) continue;
      compiler_->SetDocument(piece.document);
      NameScope scope;
      scope.rows.push_back({"row", impl_->definitions[i].table});
      impl_->definitions[i].where = compiler_->CompileClause(*where, piece.pointer + "/where", scope);
    }
  }

  void Moments() {
    for (size_t i = 0; i < moments_.size(); ++i) {
      const auto only = moments_[i].value->find("only");
      if (only == moments_[i].value->end()) continue;
      compiler_->SetDocument(moments_[i].document);
      NameScope scope;
      scope.rows.push_back({"row", FactTable::kFile});
      impl_->moments[i].only = compiler_->CompileClause(*only, moments_[i].pointer + "/only", scope);
    }
  }

  // ---- checks

  void Checks() {
    impl_->infos.reserve(checks_.size());  // they stay where they are
    for (const Piece& piece : checks_) {
      compiler_->SetDocument(piece.document);
      CompiledCheck check{impl_->infos.emplace_back(Info(piece)), {}, {}};
      RuleKeys keys;
      for (const auto& [key, value] : piece.value->items()) keys[key] = {&value, PointerJoin(piece.pointer, key)};
      const auto variants = piece.value->find("variants");
      // Without its variants; where every profile has one nobody runs it, but it must be right all the same.
      std::shared_ptr<const CompiledRule> as_written;
      const auto plain = [&] {
        if (as_written == nullptr) as_written = Rule(piece, keys);
        return as_written;
      };
      if (purpose_ == ChecksFor::kEverything) plain();
      if (impl_->profiles.empty()) check.rules.push_back(plain());
      for (const ProfileInfo& profile : impl_->profiles) {
        const bool named =
            check.info.profiles.empty() ||
            std::find(check.info.profiles.begin(), check.info.profiles.end(), profile.id) != check.info.profiles.end();
        if (!named) {
          auto off = std::make_shared<CompiledRule>();
          off->off = true;
          check.rules.push_back(std::move(off));
          continue;
        }
        if (variants == piece.value->end() || !variants->contains(profile.id)) {
          check.rules.push_back(plain());
          continue;
        }
        RuleKeys changed = keys;
        const std::string at = PointerJoin(piece.pointer + "/variants", profile.id);
        for (const auto& [key, value] : (*variants)[profile.id].items()) {
          changed[key] = {&value, PointerJoin(at, key)};
          if (key == "query") changed.erase("each");
          if (key == "each") changed.erase("query");
        }
        check.rules.push_back(Rule(piece, changed));
      }
      if (variants != piece.value->end()) {
        for (const auto& variant : variants->items()) {
          const bool known = std::any_of(impl_->profiles.begin(), impl_->profiles.end(),
                                         [&](const ProfileInfo& profile) { return profile.id == variant.key(); });
          if (known) continue;
          Problem(piece, PointerJoin("/variants", variant.key()), "unknown profile " + Quoted(variant.key()));
        }
      }
      if (purpose_ == ChecksFor::kEverything) Cases(piece, check);
      impl_->checks.push_back(std::move(check));
    }
  }

  CheckInfo Info(const Piece& piece) {
    const json& value = *piece.value;
    CheckInfo info;
    info.id = piece.name;
    info.rule = value.value("rule", piece.name);
    info.pack = piece.pack;
    info.title = value.at("title").get<std::string>();
    info.description = value.value("description", "");
    info.pack_severity = value.at("severity").get<std::string>();
    info.severity = SeverityOf(info.pack_severity);
    info.message = value.at("message").get<std::string>();
    info.message_zh = value.value("message_zh", "");
    info.fix = value.value("fix", "");
    info.fix_zh = value.value("fix_zh", "");
    const auto names = [&](const char* key) {
      const auto found = value.find(key);
      return found == value.end() ? std::vector<std::string>() : Names(*found);
    };
    info.roles = names("roles");
    info.moments = names("at");
    info.profiles = names("profiles");
    info.needs = names("needs");
    if (const auto stages = value.find("stages"); stages != value.end()) info.stages = stages->get<std::vector<int>>();
    if (const auto tags = value.find("tags"); tags != value.end()) {
      for (const auto& [name, text] : tags->items()) info.tags[name] = text.get<std::string>();
    }
    info.source = value.value("source", "");
    if (purpose_ == ChecksFor::kEverything) info.written = value.dump(2);
    info.file = piece.document->file();
    info.line = piece.document->PositionOf(piece.pointer).line;
    info.good_cases = value.at("good").size();
    info.bad_cases = value.at("bad").size();
    info.query = value.contains("query");
    for (const std::string& profile : info.profiles) {
      const bool known = std::any_of(impl_->profiles.begin(), impl_->profiles.end(),
                                     [&](const ProfileInfo& one) { return one.id == profile; });
      if (!known) Problem(piece, "/profiles", "unknown profile " + Quoted(profile));
    }
    for (const std::string& moment : info.moments) {
      const bool known = std::any_of(impl_->moments.begin(), impl_->moments.end(),
                                     [&](const CompiledMoment& one) { return one.info.id == moment; });
      if (!known) Problem(piece, "/at", "unknown moment " + Quoted(moment));
    }
    return info;
  }

  void CheckRoles(const Piece& piece, const std::vector<std::string>& roles, const std::string& pointer) {
    for (const std::string& role : roles) {
      const bool known = std::any_of(impl_->roles.begin(), impl_->roles.end(),
                                     [&](const CompiledRole& one) { return one.info.role == role; });
      if (known) continue;
      std::vector<std::string_view> names;
      for (const CompiledRole& one : impl_->roles) names.push_back(one.info.role);
      const std::string_view nearest = NearestName(role, names);
      problems_.push_back(piece.document->ProblemAt(
          pointer, "unknown role " + Quoted(role) +
                       (nearest.empty() ? std::string() : "; did you mean " + Quoted(nearest) + "?")));
    }
  }

  std::shared_ptr<const CompiledRule> Rule(const Piece& piece, const RuleKeys& keys) {
    auto rule = std::make_shared<CompiledRule>();
    const auto find = [&](const char* key) -> const std::pair<const json*, std::string>* {
      const auto found = keys.find(key);
      return found == keys.end() ? nullptr : &found->second;
    };
    const auto names = [&](const char* key) {
      const auto* part = find(key);
      return part == nullptr ? std::vector<std::string>() : Names(*part->first);
    };
    if (const auto* off = find("off"); off != nullptr && off->first->get<bool>()) {
      rule->off = true;
      return rule;
    }
    rule->pack_severity = find("severity")->first->get<std::string>();
    rule->severity = SeverityOf(rule->pack_severity);
    rule->roles = names("roles");
    rule->needs = names("needs");
    rule->moments = names("at");
    rule->files = names("files");
    rule->not_files = names("not_files");
    if (const auto* roles = find("roles")) CheckRoles(piece, rule->roles, roles->second);
    if (const auto* needs = find("needs")) CheckRoles(piece, rule->needs, needs->second);
    if (const auto* stages = find("stages")) rule->stages = stages->first->get<std::vector<int>>();
    if (const auto* languages = find("languages")) {
      for (const json& name : *languages->first) {
        if (const auto language = LanguageFromName(name.get_ref<const std::string&>())) {
          rule->languages.push_back(*language);
        }
      }
    }
    NameScope scope;
    if (!Source(piece, keys, *rule, scope)) return rule;

    if (const auto* when = find("when")) {
      NameScope set;
      set.rows.push_back({"row", FactTable::kSet});
      rule->when = compiler_->CompileClause(*when->first, when->second, set);
    }
    if (const auto* once = find("once")) {
      const std::string name = once->first->get<std::string>();
      rule->once = name == "file"       ? CompiledRule::Once::kFile
                   : name == "function" ? CompiledRule::Once::kFunction
                                        : CompiledRule::Once::kSet;
    }
    RuleSource source = {piece.document, keys, std::move(scope)};
    if (purpose_ == ChecksFor::kEverything) {
      rule->body = CompileRuleBody(*impl_, source, problems_);
    } else {
      rule->compile = [set = impl_.get(), source = std::move(source)](Problems& problems) {
        return CompileRuleBody(*set, source, problems);
      };
    }
    return rule;
  }

  // Which rows the check is about.
  bool Source(const Piece& piece, const RuleKeys& keys, CompiledRule& rule, NameScope& scope) {
    const auto each = keys.find("each");
    const auto query = keys.find("query");
    if ((each == keys.end()) == (query == keys.end())) {
      Problem(piece, "", "expected exactly one of the keys \"each\" and \"query\"");
      return false;
    }
    if (query != keys.end()) {
      if (rule.languages.empty()) {
        Problem(piece, "", "missing key \"languages\"; expected the languages of the query");
        return false;
      }
      std::string error;
      rule.query = impl_->queries.Add(rule.languages, query->second.first->get<std::string>(), error);
      if (rule.query == nullptr) {
        compiler_->Add(query->second.second, "expected a tree-sitter query: " + Readable(error, 200));
        return false;
      }
      rule.table = FactTable::kMatch;
      rule.kinds.push_back({*FindKind("match"), {}});
      scope.rows.push_back({"row", rule.table});
      scope.captures = &rule.query->captures;
      return true;
    }
    const json* kinds = each->second.first;
    std::string pointer = each->second.second;
    if (kinds->is_object()) {
      const auto inner = kinds->find("each");
      if (inner != kinds->end() && *inner == "value" && kinds->size() == 2 && kinds->contains("in")) {
        // The elements of a list: beside no file, so that queries go over all of them.
        NameScope set;
        set.rows.push_back({"row", FactTable::kSet});
        rule.list = compiler_->CompileList(kinds->at("in"), PointerJoin(pointer, "in"), set);
        rule.table = FactTable::kValue;
        scope.rows.push_back({"row", rule.table});
        return rule.list != nullptr;
      }
      const auto side = kinds->find("side");
      if (inner == kinds->end() || kinds->size() != (side == kinds->end() ? 1 : 2) ||
          (side != kinds->end() && *side != "base" && *side != "head")) {
        compiler_->Add(pointer, "expected an object with \"each\" and \"side\" (\"base\" or \"head\")");
        return false;
      }
      rule.base = side != kinds->end() && *side == "base";
      kinds = &*inner;
      pointer += "/each";
    }
    rule.kinds = compiler_->CompileKinds(*kinds, pointer);
    if (rule.kinds.empty()) return false;
    rule.table = rule.kinds.front().kind.table;
    if (rule.table == FactTable::kMatch || rule.table == FactTable::kValue) {
      compiler_->Add(pointer, "expected rows of files");
      return false;
    }
    scope.rows.push_back({"row", rule.table});
    return true;
  }

  // Path of a case that is one text.
  std::string ExamplePath(const CheckInfo& info, const json& check) const {
    for (const CompiledRole& role : impl_->roles) {
      if (!info.roles.empty() && role.info.role == info.roles.front()) return role.info.example;
    }
    const auto languages = check.find("languages");
    const std::string language = languages == check.end() ? "python" : languages->at(0).get<std::string>();
    static const std::map<std::string, std::string, std::less<>> kExtensions = {
        {"python", "py"}, {"cpp", "cc"},      {"cuda", "cu"}, {"yaml", "yaml"},
        {"json", "json"}, {"markdown", "md"}, {"text", "txt"}};
    return "example." + kExtensions.at(language);
  }

  void Cases(const Piece& piece, CompiledCheck& check) {
    for (const char* kind : {"bad", "good"}) {
      const json& cases = piece.value->at(kind);
      for (size_t i = 0; i < cases.size(); ++i) {
        const json& value = cases[i];
        CheckCase one;
        one.name = std::string(kind) + "/" + std::to_string(i);
        one.good = kind == std::string_view("good");
        const std::string at = "/" + std::string(kind) + "/" + std::to_string(i);
        if (!value.is_object()) {
          one.files.emplace_back(ExamplePath(check.info, *piece.value), Lines(value));
        } else if (!value.contains("files")) {
          Problem(piece, at, "missing key \"files\"");
          continue;
        } else {
          for (const auto& [path, text] : value.at("files").items()) one.files.emplace_back(path, Lines(text));
          if (const auto base = value.find("base"); base != value.end()) {
            for (const auto& [path, text] : base->items()) one.base[path] = Lines(text);
          }
          if (const auto stage = value.find("stage"); stage != value.end()) one.stage = stage->get<int>();
          one.moment = value.value("moment", "");
          if (const auto options = value.find("options"); options != value.end()) {
            for (const auto& [name, text] : options->items()) one.options[name] = text.get<std::string>();
          }
          if (const auto profiles = value.find("profiles"); profiles != value.end()) {
            one.profiles = Names(*profiles);
            for (const std::string& profile : one.profiles) {
              const bool known = std::any_of(impl_->profiles.begin(), impl_->profiles.end(),
                                             [&](const ProfileInfo& other) { return other.id == profile; });
              if (!known) Problem(piece, at + "/profiles", "unknown profile " + Quoted(profile));
            }
          }
          if (const auto lines = value.find("lines"); lines != value.end()) {
            one.lines = lines->get<std::vector<uint32_t>>();
          }
          if (const auto count = value.find("count"); count != value.end()) one.count = count->get<size_t>();
          one.contains = value.value("contains", "");
          one.focus = value.value("focus", "");
          one.skipped = value.value("skipped", false);
        }
        check.cases.push_back(std::move(one));
      }
    }
  }

  const PackFiles& files_;
  Problems& problems_;
  const ChecksFor purpose_;
  std::unique_ptr<CheckSet::Impl> impl_;
  std::vector<std::unique_ptr<JsonDocument>> documents_;
  std::vector<Piece> roles_, profiles_, moments_, lists_, maps_, definitions_, checks_;
  CheckCompiler* compiler_ = nullptr;
};

}  // namespace

std::shared_ptr<const CheckSet> LoadChecks(const PackFiles& files, std::string_view pack, Problems& problems,
                                           ChecksFor purpose) {
  return Loader(files, pack, problems, purpose).Load();
}

}  // namespace yardmaster::rules
