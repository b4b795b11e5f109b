#include "rules/engine/checks/review.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/check_cost.h"
#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/file_roles.h"
#include "rules/engine/checks/fingerprint.h"
#include "rules/engine/checks/line_diff.h"
#include "rules/engine/checks/near_miss.h"
#include "rules/engine/checks/rule_names.h"
#include "rules/engine/checks/run.h"
#include "rules/engine/code/tree_edit.h"
#include "services/core/credentials.h"
#include "services/core/glob.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Findings of one review; more are counted in one finding of the limit.
constexpr size_t kMaxFindings = 10'000;
constexpr size_t kMaxMessageBytes = 1000;
// Nodes of the syntax trees that are kept for queries, at some 100 bytes each.
constexpr size_t kMaxKeptNodes = 500'000;

bool Contains(const std::vector<std::string>& list, std::string_view text) { return absl::c_linear_search(list, text); }

bool NamedByAny(const std::vector<std::string>& names, const CheckInfo& check) {
  return absl::c_any_of(names, [&](const std::string& name) { return IsNamed(check, name); });
}

// Of a version by itself: which line it is on the other side is not known, and does not matter.
std::vector<uint32_t> PairsOf(const std::vector<bool>& touched, size_t lines) {
  std::vector<uint32_t> pairs(lines + 1, 1);
  for (size_t line = 1; line < std::min(pairs.size(), touched.size()); ++line) {
    if (touched[line]) pairs[line] = 0;
  }
  return pairs;
}

class Reviewer {
 public:
  Reviewer(const CheckSet& checks, const ReviewOptions& options)
      : checks_(checks.impl()), options_(options), run_(checks.impl()) {}

  ReviewResult Review(std::vector<ReviewFile> files) {
    SetUp(std::move(files));
    for (const auto& unit : run_.units) Limits(*unit);
    Select();
    OverSet();
    for (const auto& unit : run_.units) {
      if (!unit->judged) continue;
      ++result_.files;
      OverFile(*unit);
    }
    Finish();
    return std::move(result_);
  }

  // Of the only check that is looked at: why there is no finding, or none in these lines. Empty if nothing can be said.
  std::string WhyNot(std::vector<ReviewFile> files, const std::vector<uint32_t>& lines) {
    SetUp(std::move(files));
    Select();
    if (active_.size() != 1 || !Complete(active_.front())) return {};
    const Active& active = active_.front();
    std::vector<const Unit*> units;
    for (const auto& unit : run_.units) {
      if (!unit->judged || !Applies(*active.rule, *unit)) continue;
      const Unit* side = active.rule->base ? unit->base.get() : unit.get();
      if (side != nullptr) units.push_back(side);
    }
    if (active.rule->OverFiles() && units.empty()) return "the check is about none of the files";
    const NearMiss near = FindNearMiss(run_, *active.rule, *active.body, units, lines);
    if (near.row) return NearMissText(near, *active.body);
    const bool rows = active.rule->OverFiles() && active.rule->query == nullptr;
    return rows && near.looked == 0 ? NoRowText(checks_, *active.rule, lines) : std::string();
  }

 private:
  // What runs.
  struct Active {
    const CompiledCheck* check = nullptr;
    const CompiledRule* rule = nullptr;
    const RuleBody* body = nullptr;  // once Complete
    bool done = false;               // "once" for the whole set
  };

  void SetUp(std::vector<ReviewFile> files) {
    run_.profile_name = options_.profile.empty() ? checks_.default_profile : options_.profile;
    for (size_t i = 0; i < checks_.profiles.size(); ++i) {
      if (checks_.profiles[i].id == run_.profile_name) run_.profile = i;
    }
    run_.stage = options_.stage;
    run_.moment = options_.moment;
    run_.options.insert(options_.options.begin(), options_.options.end());
    run_.set_path = options_.path;
    if (!options_.op.empty()) run_.set_groups["op"] = options_.op;
    const std::vector<Language> queried = QueriedLanguages();
    run_.tree.SetTree(options_.tree, options_.path, options_.sources, options_.parse_limit);
    for (ReviewFile& file : files) {
      LineMatch lines;
      SyntaxTree tree;
      SyntaxTree former;
      std::unique_ptr<Unit> base;
      if (file.base) {
        lines = MatchLines(*file.base, file.text);
        const bool moved = file.change && !file.change->former_path.empty();
        base = std::make_unique<Unit>(
            Source(file, moved ? file.change->former_path : file.path, *file.base, &former, nullptr));
        if (!base->facts().errors.empty()) former.reset();  // and so are those of head, as if there were no base
        if (former) EditTree(former, base->facts().text, file.text, lines.base_of);
      }
      auto unit = std::make_unique<Unit>(Source(file, file.path, file.text, &tree, former.get()));
      AssignRole(checks_, file.role, options_.op, *unit);
      unit->judged = !file.context;
      unit->change = file.change;
      unit->untouched = file.untouched;
      if (file.untouched) unit->pairs_.assign(unit->facts().line_starts.size() + 1, 1);
      if (file.touched) unit->pairs_ = PairsOf(*file.touched, unit->facts().line_starts.size());
      if (file.base) {
        unit->base = std::move(base);
        unit->base->role = unit->role;
        unit->base->groups = unit->groups;
        unit->base->is_base = true;
        unit->base->judged = unit->judged;
        unit->base->change = file.change;
        unit->base->pairs_ = std::move(lines.head_of);
        unit->pairs_ = std::move(lines.base_of);
        if (unit->judged && file.change) result_.base_lines[file.path] = unit->pairs_;
      }
      if (unit->judged && file.change && !file.base && !unit->gone()) {
        result_.base_lines[file.path].assign(unit->facts().line_starts.size() + 1, 0);  // all of it is added
      }
      // Trees that queries will look at are kept as long as they are few; others are made again when it is their turn.
      if (tree && unit->judged && absl::c_linear_search(queried, unit->facts().language)) {
        nodes_ += ts_node_descendant_count(ts_tree_root_node(tree.get()));
        if (nodes_ <= kMaxKeptNodes) unit->Hold(std::move(tree));
      }
      for (const auto& [name, value] : unit->groups) run_.set_groups.try_emplace(name, value);
      run_.units.push_back(std::move(unit));
    }
  }

  // Takes the text away.
  std::shared_ptr<const SourceFile> Source(const ReviewFile& file, const std::string& path, std::string& text,
                                           SyntaxTree* tree, const TSTree* former) {
    if (!file.unread.empty()) return SourceFile::Unread(path, file.unread);
    if (rows_ >= kMaxSetRows) {
      return SourceFile::Unread(path, "the files that are judged together hold more than " +
                                          std::to_string(kMaxSetRows) + " facts; this one was not read");
    }
    // Names and texts of other files are all that such checks ask for.
    if (checks_.only_roles && file.role.empty() && !HasRole(checks_, path)) {
      return SourceFile::Unparsed(path, std::move(text));
    }
    auto source = options_.sources == nullptr
                      ? SourceFile::Read(path, std::move(text), options_.parse_limit, tree, former)
                      : options_.sources->Read(path, std::move(text), options_.parse_limit, tree, former);
    // A line takes a thirtieth of what other facts do.
    rows_ += source->facts().rows + source->facts().line_starts.size() / 32;
    return source;
  }

  // Languages that a query of some check is about.
  std::vector<Language> QueriedLanguages() const {
    std::vector<Language> languages;
    for (const CompiledCheck& check : checks_.checks) {
      const CompiledRule& rule = *check.rules[std::min(run_.profile, check.rules.size() - 1)];
      if (rule.query == nullptr) continue;
      languages.insert(languages.end(), rule.languages.begin(), rule.languages.end());
    }
    return languages;
  }

  // Findings about the reading of a file. Of one that is only looked at they are left to a review of that file, unless
  // it could not be read at all: conditions then see less than there is.
  void Limits(const Unit& unit) {
    const FileFacts& facts = unit.facts();
    if (!unit.judged) {
      if (!facts.text.empty() || facts.limits.empty()) return;
      Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", unit);
      finding.path = options_.path.empty() ? "." : options_.path;
      finding.message = unit.path() + ": " + facts.limits.front().message;
      result_.findings.push_back(std::move(finding));
      return;
    }
    // C++ is read without its preprocessor: what looks wrong there is often a macro.
    const bool certain = facts.language != Language::kCpp && facts.language != Language::kCuda;
    const auto read = [&] {
      return absl::c_any_of(checks_.checks, [&](const CompiledCheck& check) {
        const CompiledRule& rule = *check.rules[std::min(run_.profile, check.rules.size() - 1)];
        return rule.OverFiles() && Applies(rule, unit);
      });
    };
    // What no check would look at is nobody's business here.
    if (!facts.errors.empty() && read()) {
      for (const SyntaxError& error : facts.errors) {
        Finding finding =
            Own(kParseRule, certain ? Severity::kMajor : Severity::kInfo, certain ? "MAJOR" : "INFO", unit);
        finding.message = error.message.empty() ? "syntax error" : "syntax error: " + Readable(error.message);
        SetPlace(unit, {error.begin, error.end}, finding);
        result_.findings.push_back(std::move(finding));
      }
    }
    for (const LimitProblem& limit : facts.limits) {
      Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", unit);
      finding.message = limit.message;
      result_.findings.push_back(std::move(finding));
    }
  }

  Finding Own(std::string_view rule, Severity severity, std::string_view pack_severity, const Unit& unit) const {
    Finding finding;
    finding.rule_id = rule;
    finding.pack = checks_.pack;
    finding.severity = severity;
    finding.pack_severity = pack_severity;
    finding.path = unit.path();
    return finding;
  }

  void Select() {
    run_.Start(options_.check_limit);
    for (const CompiledCheck& check : checks_.checks) {
      if (!options_.check.empty() && check.info.id != options_.check) continue;
      if (!options_.only.empty() && !NamedByAny(options_.only, check.info)) continue;
      const CompiledRule& rule = *check.rules[std::min(run_.profile, check.rules.size() - 1)];
      if (rule.off) continue;
      if (run_.stage && !rule.stages.empty() && !absl::c_linear_search(rule.stages, *run_.stage)) {
        continue;
      }
      if (!run_.moment.empty() && !rule.moments.empty() && !Contains(rule.moments, run_.moment)) continue;
      if (run_.moment.empty() && check.info.own) continue;
      std::string missing;
      for (const std::string& role : rule.needs) {
        const bool there =
            absl::c_any_of(run_.units, [&](const auto& unit) { return unit->role == role && !unit->gone(); });
        if (!there) missing += (missing.empty() ? "" : ", ") + role;
      }
      if (!missing.empty()) {
        Skip(check.info, "needs " + missing, "缺少 " + missing);
        continue;
      }
      if (rule.when) {
        Frame frame;
        frame.rows[0] = {nullptr, FactTable::kSet, 0};
        if (!rule.when.holds(run_, frame)) {
          Skip(check.info, "does not apply here", "在此不适用");
          continue;
        }
      }
      active_.push_back({&check, &rule, nullptr, false});
    }
  }

  void Skip(const CheckInfo& check, std::string reason, std::string reason_zh) {
    result_.skipped.push_back({check.rule, options_.path, std::move(reason), check.part, std::move(reason_zh)});
  }

  // Whether the check can run: most checks are never asked for more than which files they are about.
  bool Complete(Active& active) {
    if (active.body == nullptr && !active.done) {
      active.body = active.rule->Body(result_.problems);
      active.done = active.body == nullptr;
      if (!active.done && active.body->tree && options_.tree == nullptr && run_.options.contains("partial")) {
        Skip(active.check->info, std::string(kNeedsTree), "需要文件所在的目录树");
        active.body = nullptr;
        active.done = true;
      }
    }
    return active.body != nullptr;
  }

  // `judge` is the work of the check at hand.
  template <typename Judge>
  void Measured(const Active& active, Judge judge) {
    const CheckCost::Clock::time_point began = CheckCost::Clock::now();
    judge();
    cost_.Add(active.check->info, CheckCost::Clock::now() - began);
  }

  void OverSet() {
    run_.Start(options_.check_limit);
    cost_.Start();
    for (Active& active : active_) {
      if (active.rule->table != FactTable::kSet && !active.rule->list) continue;
      if (!Complete(active)) continue;
      Measured(active, [&] {
        if (active.rule->list) OverList(active);
        if (active.rule->table == FactTable::kSet) Judge(active, {nullptr, FactTable::kSet, 0});
      });
    }
    if (run_.expired() && !run_.units.empty()) TooSlow(*run_.units.front());
  }

  void OverList(Active& active) {
    once_.clear();
    Frame frame;
    frame.rows[0] = {nullptr, FactTable::kSet, 0};
    const Value value = active.rule->list(run_, frame);
    if (value.kind != Value::Kind::kList) return;
    // A copy: what was made on the way is forgotten between rows.
    const std::vector<Value> elements = *value.list;
    std::vector<std::string> texts;
    texts.reserve(elements.size());
    for (const Value& element : elements) texts.emplace_back(element.text);
    for (size_t i = 0; i < elements.size() && !active.done; ++i) {
      Value element = elements[i];
      if (element.kind == Value::Kind::kText) element.text = texts[i];
      run_.values.emplace_back(element, i);
      Judge(active, {nullptr, FactTable::kValue, static_cast<RowIndex>(run_.values.size() - 1)});
      run_.values.pop_back();
    }
  }

  void TooSlow(const Unit& unit) {
    Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", unit);
    finding.message = "the checks took longer than " + std::to_string(options_.check_limit.count()) +
                      " ms or too much memory; the rest was left out";
    // Not in the message, which stays the same from run to run: such findings are compared by it.
    finding.fix = cost_.Text();
    result_.findings.push_back(std::move(finding));
  }

  bool Applies(const CompiledRule& rule, const Unit& unit) const {
    if (!rule.roles.empty() && !Contains(rule.roles, unit.role)) return false;
    if (!rule.languages.empty() && !absl::c_linear_search(rule.languages, unit.facts().language)) {
      return false;
    }
    const auto fits = [&](const std::string& glob) { return MatchesGlob(glob, unit.path()); };
    if (!rule.files.empty() && absl::c_none_of(rule.files, fits)) return false;
    return absl::c_none_of(rule.not_files, fits);
  }

  void OverFile(const Unit& unit) {
    run_.Start(options_.check_limit);
    for (const CompiledMoment& moment : checks_.moments) {
      if (moment.info.id != run_.moment || !moment.only) continue;
      Frame frame;
      frame.rows[0] = {&unit, FactTable::kFile, 0};
      if (!moment.only.holds(run_, frame)) return;
    }
    cost_.Start();
    const bool matched = FindMatches(unit);
    run_.Start(options_.check_limit);
    for (Active& active : active_) {
      const CompiledRule& rule = *active.rule;
      if (!rule.OverFiles() || active.done || !Applies(rule, unit)) continue;
      const Unit* side = rule.base ? unit.base.get() : &unit;
      if (side == nullptr || !Complete(active)) continue;
      if (rule.query != nullptr) {
        if (!matched) continue;
        unit.matches = matches_[rule.query->number];
      }
      once_.clear();
      Measured(active, [&] { OverRows(active, *side); });
      // The next check has other captures.
      if (rule.query != nullptr) unit.matches.clear();
      if (run_.expired()) {
        TooSlow(unit);
        break;
      }
    }
    unit.Drop();
    if (unit.resolved_full()) {
      Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", unit);
      finding.message = "names with their imports take too much memory; some were judged as they are written";
      result_.findings.push_back(std::move(finding));
    }
  }

  // Of all queries that run over the file, found at once. False if that took too long.
  bool FindMatches(const Unit& unit) {
    std::vector<const TreeQuery*> wanted;
    for (const Active& active : active_) {
      const TreeQuery* query = active.rule->query;
      if (query != nullptr && !active.done && Applies(*active.rule, unit)) wanted.push_back(query);
    }
    if (wanted.empty() || checks_.queries.Match(unit, wanted, options_.check_limit, matches_)) return true;
    TooSlow(unit);
    return false;
  }

  void OverRows(Active& active, const Unit& unit) {
    const CompiledRule& rule = *active.rule;
    for (const KindSelection& kind : rule.kinds) {
      const Rows rows = RowsOf(unit, kind.kind);
      for (size_t i = 0; i < rows.count && !run_.expired() && !active.done; ++i) {
        const RowRef row = {&unit, rule.table, rows.At(i)};
        const auto fits = [&](const ExprFilter& filter) { return filter.Fits(unit.facts().exprs[row.index]); };
        if (!rule.slots.empty() && !absl::c_linear_search(rule.slots, unit.facts().exprs[row.index].slot)) continue;
        if (!absl::c_all_of(rule.filters, fits)) continue;
        if (rule.only_added && !unit.TouchesAdded(rule.table, row.index)) continue;
        if (InDefinitions(run_, kind, row)) Judge(active, row);
      }
    }
  }

  void Judge(Active& active, RowRef row) {
    if (Said(active)) return;
    const RuleBody& rule = *active.body;
    run_.Step();
    run_.Forget();
    Frame frame;
    frame.rows[0] = row;
    std::vector<std::optional<Value>> lets;
    if (!rule.lets.empty()) {
      lets.resize(rule.lets.size());
      frame.lets = &rule.lets;
      frame.let_values = &lets;
    }
    if (rule.where && !rule.where.holds(run_, frame)) return;
    if (rule.exempt && rule.exempt.holds(run_, frame)) return;
    if (run_.expired()) return;
    if (!First(active, row)) return;
    Add(active, row, frame);
  }

  // Whether the one finding that a file may have was found.
  bool Said(const Active& active) const {
    return !options_.every && active.rule->once == CompiledRule::Once::kFile && once_.contains(kNoRow);
  }

  // Whether nothing was found before where only the first counts.
  bool First(Active& active, RowRef row) {
    if (options_.every) return true;
    switch (active.rule->once) {
      case CompiledRule::Once::kNever:
        return true;
      case CompiledRule::Once::kFile:
        return once_.insert(kNoRow).second;
      case CompiledRule::Once::kSet:
        active.done = true;
        return true;
      case CompiledRule::Once::kFunction: {
        const FieldInfo* field = FindField(row.table, "function");
        if (field == nullptr || row.unit == nullptr) return true;
        const Value function = field->get(run_, row);
        return once_.insert(function.kind == Value::Kind::kRow ? function.row.index : kNoRow).second;
      }
    }
    return true;
  }

  void Add(const Active& active, RowRef row, Frame& frame) {
    if (result_.findings.size() >= kMaxFindings) {
      ++left_out_;
      return;
    }
    const RuleBody& rule = *active.body;
    Finding finding;
    finding.rule_id = active.check->info.rule;
    finding.part = active.check->info.part;
    finding.pack = active.check->info.pack;
    finding.severity = active.rule->severity;
    finding.pack_severity = active.rule->pack_severity;
    const auto text = [&](const Template& source) {
      bool missing = false;
      if (source.parts.empty()) return std::string();
      return Readable(WithoutCredentials(source.Expand(run_, frame, missing, true)), kMaxMessageBytes);
    };
    finding.message = text(rule.message);
    finding.message_zh = text(rule.message_zh);
    finding.fix = text(rule.fix);
    finding.fix_zh = text(rule.fix_zh);
    RowRef at = row;
    if (rule.place) {
      const Value place = rule.place->Get(run_, frame);
      if (place.kind == Value::Kind::kRow) at = place.row;
    }
    if (at.unit != nullptr) {
      finding.path = PathAtHead(*at.unit);
      if (at.table != FactTable::kFile && !at.unit->is_base) {
        SetPlace(*at.unit, at.unit->HeadOf(at.table, at.index), finding);
        run_.Step(1 + (finding.column + finding.end_column) / 1024);
      }
    } else {
      finding.path = options_.path;
    }
    if (rule.edit_place) AddEdit(rule, frame, finding);
    if (rule.path) finding.path = text(*rule.path);
    if (finding.path.empty()) finding.path = ".";
    result_.findings.push_back(std::move(finding));
  }

  // Of what was in a file before a change: where the file is now.
  const std::string& PathAtHead(const Unit& unit) const {
    const auto head = absl::c_find_if(run_.units, [&](const auto& one) { return one->base.get() == &unit; });
    return head == run_.units.end() ? unit.path() : (*head)->path();
  }

  // Only in the file of the finding, and only where every placeholder has a value.
  void AddEdit(const RuleBody& rule, Frame& frame, Finding& finding) {
    const Value place = rule.edit_place->Get(run_, frame);
    if (place.kind != Value::Kind::kRow || place.row.unit == nullptr || place.row.unit->is_base) return;
    if (place.row.unit->path() != finding.path) return;
    bool missing = false;
    FindingEdit edit;
    edit.text = rule.edit_text.Expand(run_, frame, missing);
    if (missing) return;
    Finding at;
    SetPlace(*place.row.unit, place.row.unit->SpanOf(place.row.table, place.row.index), at);
    edit.line = at.line;
    edit.column = at.column;
    edit.end_line = at.end_line;
    edit.end_column = at.end_column;
    finding.edits.push_back(std::move(edit));
  }

  static void SetPlace(const Unit& unit, ByteSpan span, Finding& finding) {
    const FileFacts& facts = unit.facts();
    const auto size = static_cast<uint32_t>(facts.text.size());
    const uint32_t begin = std::min(span.begin, size);
    uint32_t end = std::min(std::max(span.end, begin), size);
    // Line ends are not pointed at.
    while (end > begin && (facts.text[end - 1] == '\n' || facts.text[end - 1] == '\r')) --end;
    finding.line = facts.LineOf(begin);
    finding.column = static_cast<uint32_t>(CodePoints(facts.Text({facts.line_starts[finding.line - 1], begin})) + 1);
    finding.end_line = facts.LineOf(end > begin ? end - 1 : begin);
    finding.end_column =
        static_cast<uint32_t>(CodePoints(facts.Text({facts.line_starts[finding.end_line - 1], end})) + 1);
  }

  void Finish() {
    if (!run_.tree.limit().empty() && !run_.units.empty()) {
      Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", *run_.units.front());
      finding.message = run_.tree.limit();
      result_.findings.push_back(std::move(finding));
    }
    auto& findings = result_.findings;
    absl::c_stable_sort(findings, [](const Finding& a, const Finding& b) {
      return std::tie(a.path, a.line, a.column, a.rule_id, a.message, a.part) <
             std::tie(b.path, b.line, b.column, b.rule_id, b.message, b.part);
    });
    // The same said twice of one place.
    const auto same = [](const Finding& a, const Finding& b) {
      return a.rule_id == b.rule_id && a.path == b.path && a.line == b.line && a.column == b.column &&
             a.end_line == b.end_line && a.end_column == b.end_column && a.message == b.message;
    };
    findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
    if (left_out_ > 0 && !run_.units.empty()) {
      Finding finding = Own(kLimitRule, Severity::kBlock, "BLOCK", *run_.units.front());
      finding.message = std::to_string(left_out_) + " more findings were left out";
      findings.push_back(std::move(finding));
    }
    std::map<std::string_view, const FileFacts*> by_path;
    for (const auto& unit : run_.units) by_path.try_emplace(unit->path(), &unit->facts());
    SetFingerprints(findings, [&](std::string_view path) {
      const auto found = by_path.find(path);
      return found == by_path.end() ? nullptr : found->second;
    });
  }

  const CheckSet::Impl& checks_;
  const ReviewOptions& options_;
  Run run_;
  ReviewResult result_;
  std::vector<Active> active_;
  std::set<RowIndex> once_;                        // of the check and file at hand
  std::vector<std::vector<Unit::Match>> matches_;  // in the file at hand, by query
  CheckCost cost_;                                 // in the file at hand, or of the set
  size_t left_out_ = 0;
  size_t rows_ = 0;   // of all files
  size_t nodes_ = 0;  // of trees that were kept
};

}  // namespace

ReviewResult Review(const CheckSet& checks, std::vector<ReviewFile> files, const ReviewOptions& options) {
  return Reviewer(checks, options).Review(std::move(files));
}

namespace {

std::vector<ReviewFile> FilesOf(const CheckCase& one) {
  std::vector<ReviewFile> files;
  for (const auto& [path, text] : one.files) {
    ReviewFile file;
    file.path = path;
    file.text = text;
    const auto renamed = one.renamed.find(path);
    const std::string& former = renamed == one.renamed.end() ? path : renamed->second;
    if (const auto base = one.base.find(former); base != one.base.end()) file.base = base->second;
    // A case that has a base is a change.
    if (renamed != one.renamed.end()) {
      file.change.emplace().kind = FileChange::Kind::kRenamed;
      file.change->former_path = former;
    } else if (file.base == text) {
      file.untouched = true;
    } else if (!one.base.empty()) {
      file.change.emplace().kind = file.base ? FileChange::Kind::kModified : FileChange::Kind::kAdded;
    }
    file.context = !one.focus.empty() && path != one.focus;
    files.push_back(std::move(file));
  }
  // Files of the change of which there is no text at head.
  const auto add = [&](const std::string& path, FileChange::Kind kind) -> ReviewFile& {
    ReviewFile& file = files.emplace_back();
    file.path = path;
    file.change.emplace().kind = kind;
    file.context = !one.focus.empty() && path != one.focus;
    return file;
  };
  for (const auto& [path, text] : one.base) {
    const bool there = absl::c_any_of(one.files, [&, &path = path](const auto& file) { return file.first == path; }) ||
                       absl::c_any_of(one.renamed, [&, &path = path](const auto& pair) { return pair.second == path; });
    if (!there) add(path, FileChange::Kind::kRemoved).base = text;
  }
  for (const auto& [path, bytes] : one.binary) {
    FileChange& change = *add(path, FileChange::Kind::kAdded).change;
    change.binary = true;
    change.binary_bytes = bytes;
  }
  for (const std::string& path : one.submodules) {
    FileChange& change = *add(path, FileChange::Kind::kModified).change;
    change.mode = kSubmoduleMode;
    change.former_mode = kSubmoduleMode;
  }
  return files;
}

// The expected lines in which nothing was found.
std::vector<uint32_t> LinesLeft(const CheckCase& one, const std::vector<const Finding*>& found) {
  std::vector<uint32_t> left = one.lines.value_or(std::vector<uint32_t>());
  for (const Finding* finding : found) {
    if (const auto line = absl::c_find(left, finding->line); line != left.end()) left.erase(line);
  }
  return left;
}

// Why the case fails; empty if it does not.
std::string JudgeCase(const CheckSet& checks, const CompiledCheck& check, const CheckCase& one,
                      const std::string& profile) {
  ReviewOptions options;
  options.profile = profile;
  options.stage = one.stage;
  options.moment = one.moment.empty() && check.info.own ? check.info.moments.front() : one.moment;
  options.options = one.options;
  options.check = check.info.id;
  const ReviewResult result = Review(checks, FilesOf(one), options);
  std::vector<const Finding*> found;
  for (const Finding& finding : result.findings) {
    if (finding.rule_id == check.info.rule && finding.part == check.info.part) found.push_back(&finding);
    if (finding.rule_id == kLimitRule) return "a limit was passed: " + finding.message;
  }
  const auto listed = [&] {
    std::string out;
    for (const Finding* finding : found) {
      out += (out.empty() ? "" : "; ") + finding->path + ":" + std::to_string(finding->line) + " " + finding->message;
    }
    return out.empty() ? std::string("nothing") : out;
  };
  if (!result.skipped.empty() && !one.skipped) return "it was skipped: " + result.skipped.front().reason;
  if (one.good && !found.empty()) return "expected nothing, found " + listed();
  const auto nearest = [&] {
    const std::string why = Reviewer(checks, options).WhyNot(FilesOf(one), LinesLeft(one, found));
    return why.empty() ? why : "; " + why;
  };
  if (!one.good && found.empty()) return "expected a finding, found nothing" + nearest();
  if (one.count && found.size() != *one.count) {
    return "expected " + std::to_string(*one.count) + " findings, found " + listed() +
           (found.size() < *one.count ? nearest() : "");
  }
  if (one.lines) {
    std::vector<uint32_t> lines;
    lines.reserve(found.size());
    for (const Finding* finding : found) lines.push_back(finding->line);
    if (lines != *one.lines) {
      return "expected other lines, found " + listed() + (LinesLeft(one, found).empty() ? "" : nearest());
    }
  }
  for (const Finding* finding : found) {
    if (finding->message.find(one.contains) == std::string::npos) {
      return "expected messages with " + Quoted(one.contains) + ", found " + listed();
    }
  }
  return {};
}

}  // namespace

std::vector<CheckCaseResult> RunCheckCases(const CheckSet& checks) {
  const CheckSet::Impl& impl = checks.impl();
  std::vector<CheckCaseResult> results;
  for (const CompiledCheck& check : impl.checks) {
    for (const CheckCase& one : check.cases) {
      const std::string name = check.info.id + "/" + one.name;
      if (impl.profiles.empty()) {
        std::string message = JudgeCase(checks, check, one, "");
        results.push_back({check.info.id, name, message.empty(), std::move(message)});
        continue;
      }
      for (size_t i = 0; i < impl.profiles.size(); ++i) {
        const std::string& profile = impl.profiles[i].id;
        if (check.rules[i]->off || (!one.profiles.empty() && !Contains(one.profiles, profile))) continue;
        std::string message = JudgeCase(checks, check, one, profile);
        std::string full = name;
        full += '@';
        full += profile;
        results.push_back({check.info.id, std::move(full), message.empty(), std::move(message)});
      }
    }
  }
  return results;
}

}  // namespace yardmaster::rules
