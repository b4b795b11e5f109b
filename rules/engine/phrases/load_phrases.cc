// Reads phrases/*.json of a pack and of what it extends, and compiles them.
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_split.h"
#include "rules/engine/pack/pack_pieces.h"
#include "rules/engine/phrases/phrase_model.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

// What is read as it stands in the packs; their schema says what has to be there.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhraseCommandInfo, slots, needs, ref, bare, with_reference, designated,
                                                asks_with_reference)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhraseAbsorb, command, into, set, negated)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhraseOption, set, keep, commands)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PhraseRule, command, rank, certain, polite, then, choices)

namespace {

using nlohmann::json;

// Memory of the states of one pattern.
constexpr int64_t kPatternMemory = 4 << 20;

RE2::Options PatternOptions() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  return options;
}

std::vector<std::string> Words(std::string_view text) { return absl::StrSplit(Abs(text), ' ', absl::SkipEmpty()); }

class Loader {
 public:
  Loader(const PackFiles& files, std::string_view pack, Problems& problems)
      : files_(files), problems_(problems), impl_(std::make_unique<PhraseSet::Impl>()) {
    impl_->pack = pack;
  }

  std::unique_ptr<const PhraseSet::Impl> Load() {
    const size_t before = problems_.size();
    pieces_ =
        ReadPackPieces(files_, impl_->pack, {.folder = "phrases", .added_keys = {"words", "roles", "fold"}}, problems_);
    if (problems_.size() != before) return nullptr;
    impl_->empty = pieces_.documents.empty();
    impl_->unknown = Concept("x");
    impl_->number = Concept("num");
    impl_->mention = Concept("at");
    impl_->quoted = Concept("lit");
    impl_->option = Concept("opt");
    impl_->reference = Concept("ref");
    Texts();
    Concepts();
    Roles();
    Commands();
    Finds();
    if (impl_->concepts.size() > kMaxConcepts) {
      Problem(pieces_.Of("words").front(), "",
              "more than " + std::to_string(kMaxConcepts) + " concepts in this pack and those that it extends");
      return nullptr;
    }
    Options();
    Rules();
    Cases();
    if (problems_.size() != before) return nullptr;
    return std::move(impl_);
  }

 private:
  void Problem(const PackPiece& piece, const std::string& inner, std::string message) {
    problems_.push_back(piece.ProblemAt(inner, std::move(message)));
  }

  uint16_t Concept(const std::string& name) {
    const auto [it, inserted] = impl_->concept_numbers.emplace(name, static_cast<uint16_t>(impl_->concepts.size()));
    if (inserted) {
      impl_->concepts.push_back(name);
      impl_->roles.push_back(0);
      impl_->silent.push_back(name[0] == '-');
    }
    return it->second;
  }

  // A concept that words or finds give; else a problem.
  std::optional<uint16_t> Known(const std::string& name, const PackPiece& piece, const std::string& inner) {
    const auto it = impl_->concept_numbers.find(name);
    if (it != impl_->concept_numbers.end()) return it->second;
    std::vector<std::string_view> known(impl_->concepts.begin(), impl_->concepts.end());
    Problem(piece, inner, "unknown concept " + Quoted(name) + DidYouMean(name, known));
    return std::nullopt;
  }

  // The concepts of a list; nothing where there is none.
  std::optional<ConceptBits> KnownList(const PackPiece& piece, const char* key) {
    const auto it = piece.value().find(key);
    if (it == piece.value().end() || it->empty()) return std::nullopt;
    ConceptBits out;
    for (size_t i = 0; i < it->size(); ++i) {
      const std::string inner = PointerJoin(std::string("/") + key, i);
      for (const std::string& name : Members((*it)[i].get<std::string>(), piece, inner)) {
        if (const auto number = Known(name, piece, inner)) out.Add(*number);
      }
    }
    return out;
  }

  // A concept, or those of a group ("@name").
  std::vector<std::string> Members(const std::string& name, const PackPiece& piece, const std::string& inner,
                                   int depth = 0) {
    if (name.empty() || name[0] != '@') return {name};
    for (const PackPiece& group : pieces_.Of("groups")) {
      if (group.name != name.substr(1) || depth > 8) continue;
      std::vector<std::string> out;
      for (const json& member : group.value()) {
        for (std::string& one : Members(member.get<std::string>(), piece, inner, depth + 1))
          out.push_back(std::move(one));
      }
      return out;
    }
    Problem(piece, inner, "unknown group " + Quoted(name));
    return {};
  }

  void Texts() {
    for (const PackPiece& piece : pieces_.Of("fold")) {
      const std::string& to = piece.name;
      size_t pos = 0;
      const char32_t target = NextCodePoint(to, pos);
      if (pos != to.size()) Problem(piece, "", "expected one character as the name");
      const auto& from = piece.value().get_ref<const std::string&>();
      for (size_t at = 0; at < from.size();) impl_->fold.emplace(NextCodePoint(from, at), target);
    }
    for (const PackPiece& piece : pieces_.Of("homophones"))
      impl_->lexicon.AddHomophones(piece.value().get_ref<const std::string&>());
    for (const PackPiece& piece : pieces_.Of("known_words"))
      impl_->lexicon.AddKnown(piece.value().get_ref<const std::string&>());
    for (const PackPiece& piece : pieces_.Of("own_names")) impl_->own_names.insert(piece.value().get<std::string>());
    std::string bots;
    // "other_robots" is the old name, accepted for one more release.
    for (const char* key : {"other_bots", "other_robots"}) {
      for (const PackPiece& piece : pieces_.Of(key)) {
        const auto& pattern = piece.value().get_ref<const std::string&>();
        if (RE2 one(pattern, PatternOptions()); !one.ok()) {
          Problem(piece, "", "expected an RE2 pattern: " + Readable(one.error()));
          continue;
        }
        bots += (bots.empty() ? "(?:" : "|(?:") + pattern + ")";
      }
    }
    if (!bots.empty()) impl_->other_bots = std::make_unique<RE2>(bots, PatternOptions());
  }

  void Concepts() {
    for (const PackPiece& piece : pieces_.Of("words")) {
      std::vector<uint16_t> numbers;
      for (const std::string& name : Words(piece.name)) numbers.push_back(Concept(name));
      for (size_t i = 0; i < piece.value().size(); ++i) {
        // Written as people read it; compared as it is normalised.
        const std::string word = NormalisePhrase(piece.value()[i].get<std::string>(), impl_->fold).text;
        if (!impl_->lexicon.Add(word, numbers)) {
          Problem(piece, PointerJoin("", i), Quoted(word) + " stands for another concept already");
        }
      }
    }
    impl_->lexicon.Trim();
    for (const PackPiece& piece : pieces_.Of("finds")) {
      for (const std::string& name : Words(piece.value().at("becomes").get<std::string>())) Concept(name);
    }
  }

  void Roles() {
    for (const PackPiece& piece : pieces_.Of("roles")) {
      const std::string& role = piece.name;
      const auto it = absl::c_find(kPhraseRoleNames, role);
      if (it == kPhraseRoleNames.end()) {
        const std::vector<std::string_view> known(kPhraseRoleNames.begin(), kPhraseRoleNames.end());
        Problem(piece, "", "unknown role " + Quoted(role) + DidYouMean(role, known));
        continue;
      }
      const auto bit = static_cast<unsigned>(it - kPhraseRoleNames.begin());
      for (size_t i = 0; i < piece.value().size(); ++i) {
        const std::string inner = PointerJoin("", i);
        for (const std::string& name : Members(piece.value()[i].get<std::string>(), piece, inner)) {
          if (const auto number = Known(name, piece, inner)) impl_->roles[*number] |= uint64_t{1} << bit;
        }
      }
    }
  }

  void Commands() {
    for (const PackPiece& piece : pieces_.Of("commands")) {
      auto& command = impl_->commands.emplace_back(piece.value().get<PhraseCommandInfo>());
      command.id = piece.name;
      command.write = piece.value().at("access") == "write";
    }
    for (const PackPiece& piece : pieces_.Of("slash")) {
      impl_->slash[piece.name] = piece.value().get<std::string>();
      CheckCommand(piece.value().get<std::string>(), piece, "");
    }
    for (const PackPiece& piece : pieces_.Of("absorbs")) {
      const auto& absorb = impl_->absorbs.emplace_back(piece.value().get<PhraseAbsorb>());
      CheckCommand(absorb.command, piece, "/command");
      CheckCommand(absorb.into, piece, "/into");
    }
  }

  void CheckCommand(const std::string& name, const PackPiece& piece, const std::string& inner) {
    if (name == "ask" || name == "none" || impl_->Command(name) != nullptr) return;
    Problem(piece, inner, "unknown command " + Quoted(name));
  }

  // "{branch}" in a pattern → the part of that name.
  std::string Expand(const std::string& pattern, const PackPiece& piece, int depth = 0) {
    std::string out;
    for (size_t pos = 0; pos < pattern.size();) {
      const size_t open = pattern.find('{', pos);
      const size_t close = open == std::string::npos ? open : pattern.find('}', open);
      const bool named = close != std::string::npos && open + 1 < close && pattern[open + 1] >= 'a' &&
                         pattern[open + 1] <= 'z' && (open == 0 || pattern[open - 1] != 'p');
      if (open == std::string::npos) {
        out += pattern.substr(pos);
        break;
      }
      if (!named || depth > 8) {
        out += pattern.substr(pos, open + 1 - pos);
        pos = open + 1;
        continue;
      }
      out += pattern.substr(pos, open - pos);
      const std::string name = pattern.substr(open + 1, close - open - 1);
      const std::vector<PackPiece>& parts = pieces_.Of("parts");
      const auto it = absl::c_find_if(parts, [&](const PackPiece& one) { return one.name == name; });
      if (it == parts.end()) {
        Problem(piece, "/pattern", "unknown part " + Quoted(name));
      } else {
        out += Expand(it->value().get<std::string>(), *it, depth + 1);
      }
      pos = close + 1;
    }
    return out;
  }

  void Finds() {
    for (const PackPiece& piece : pieces_.Of("finds")) {
      PhraseFind find;
      find.id = piece.name;
      const std::string pattern = Expand(piece.value().at("pattern").get<std::string>(), piece);
      std::string error;
      const int number = impl_->find_filter.Add(pattern, PatternOptions(), error);
      if (number < 0) {
        Problem(piece, "/pattern", "expected an RE2 pattern: " + Readable(error));
        continue;
      }
      find.pattern = &impl_->find_filter.pattern(number);
      for (const std::string& name : Words(piece.value().at("becomes").get<std::string>()))
        find.concepts.push_back(Concept(name));
      for (const auto& [name, group] : find.pattern->NamedCapturingGroups()) {
        if (name == "span") {
          find.span = group;
        } else {
          // "pr", "pr_2": the same slot in two places of a pattern.
          std::string slot = name;
          if (slot.size() > 2 && slot[slot.size() - 2] == '_') slot.resize(slot.size() - 2);
          find.groups.emplace_back(group, slot);
        }
      }
      impl_->finds.push_back(std::move(find));
    }
    impl_->find_filter.Compile();
  }

  // "see .. @ref $"; nothing if there is a problem.
  std::optional<ConceptPattern> Pattern(const std::string& text, const PackPiece& piece, const std::string& inner) {
    ConceptPattern out;
    const std::vector<std::string> words = Words(text);
    for (size_t i = 0; i < words.size(); ++i) {
      std::string word = words[i];
      if (word == "^" && i == 0) {
        out.AnchorBegin();
        continue;
      }
      if (word == "$" && i + 1 == words.size()) {
        out.AnchorEnd();
        continue;
      }
      ConceptPattern::Item item;
      if (word == ".." || word == "...") {
        item.repeat = ConceptPattern::Repeat::kGap;
        item.most = word == ".." ? 3 : 8;
        out.Add(std::move(item));
        continue;
      }
      if (word.ends_with('?') || word.ends_with('*') || word.ends_with('+')) {
        item.repeat = word.back() == '?'   ? ConceptPattern::Repeat::kOptional
                      : word.back() == '*' ? ConceptPattern::Repeat::kStar
                                           : ConceptPattern::Repeat::kPlus;
        word.pop_back();
      }
      for (const absl::string_view part : absl::StrSplit(word, '|')) {
        for (const std::string& name : Members(std::string(part), piece, inner)) {
          const auto number = Known(name, piece, inner);
          if (!number) return std::nullopt;
          if (impl_->silent[*number]) {
            Problem(piece, inner, Quoted(name) + " is not seen by patterns");
            return std::nullopt;
          }
          item.concepts.push_back(*number);
        }
      }
      out.Add(std::move(item));
    }
    return out;
  }

  std::vector<ConceptPattern> Patterns(const PackPiece& piece) {
    std::vector<ConceptPattern> out;
    const json& patterns = piece.value().at("match");
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (auto pattern = Pattern(patterns[i].get<std::string>(), piece, PointerJoin("/match", i)))
        out.push_back(std::move(*pattern));
    }
    return out;
  }

  void Options() {
    for (const PackPiece& piece : pieces_.Of("options")) {
      for (ConceptPattern& pattern : Patterns(piece)) {
        auto& option = impl_->options.emplace_back(piece.value().get<PhraseOption>());
        option.id = piece.name;
        option.pattern = std::move(pattern);
      }
    }
  }

  void Rules() {
    for (const PackPiece& piece : pieces_.Of("rules")) {
      const json& value = piece.value();
      auto rule = value.get<PhraseRule>();
      rule.id = piece.name;
      CheckCommand(rule.command, piece, "/command");
      for (const std::string& next : rule.then) CheckCommand(next, piece, "/then");
      for (const std::string& choice : rule.choices) CheckCommand(choice, piece, "/choices");
      if (const auto it = value.find("forms"); it != value.end()) {
        rule.forms = 0;
        for (const json& form : *it) {
          rule.forms |= form == "request" ? kFormRequest : form == "question" ? kFormQuestion : kFormStatement;
        }
      }
      rule.without = KnownList(piece, "without").value_or(ConceptBits());
      rule.with = KnownList(piece, "with");
      rule.anywhere = KnownList(piece, "anywhere");
      rule.patterns = Patterns(piece);
      impl_->rules.push_back(std::move(rule));
    }
  }

  void Cases() {
    for (const PackPiece& piece : pieces_.Of("cases")) {
      if (piece.pack != impl_->pack) continue;  // cases are a pack's own
      const json& value = piece.value();
      PhraseCase one;
      one.text = value.at("text").get<std::string>();
      one.command = value.at("command").get<std::string>();
      CheckCommand(one.command, piece, "/command");
      if (const auto it = value.find("slots"); it != value.end()) one.slots = nlohmann::ordered_json(*it);
      one.then = value.value("then", std::vector<std::string>());
      if (const auto it = value.find("context"); it != value.end()) {
        if (it->contains("pr")) one.context.pr = it->at("pr").get<int64_t>();
        one.context.repo = it->value("repo", "");
      }
      one.pack = piece.pack;
      one.file = piece.document->file();
      one.line = piece.document->PositionOf(piece.place.pointer).line;
      impl_->cases.push_back(std::move(one));
    }
  }

  const PackFiles& files_;
  Problems& problems_;
  std::unique_ptr<PhraseSet::Impl> impl_;
  PackPieces pieces_;
};

}  // namespace

std::string PackWithPhrases(const PackFiles& files, std::string_view pack) {
  for (const std::string& name : PackChain(files, pack)) {
    const std::string folder = name + "/phrases/";
    const auto it = files.lower_bound(folder);
    if (it != files.end() && it->first.starts_with(folder)) return name;
  }
  return {};
}

std::shared_ptr<const PhraseSet> PhraseSet::Load(const PackFiles& files, std::string_view pack, Problems& problems) {
  std::unique_ptr<const Impl> impl = Loader(files, pack, problems).Load();
  return impl == nullptr ? nullptr : std::make_shared<const PhraseSet>(std::move(impl));
}

PhraseSet::PhraseSet(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
PhraseSet::~PhraseSet() = default;
bool PhraseSet::empty() const { return impl_->empty; }
const std::string& PhraseSet::pack() const { return impl_->pack; }
const std::vector<PhraseCommandInfo>& PhraseSet::commands() const { return impl_->commands; }
const std::vector<PhraseCase>& PhraseSet::cases() const { return impl_->cases; }

std::vector<std::string> PhraseSet::RuleIds() const {
  std::vector<std::string> out;
  out.reserve(impl_->rules.size());
  for (const PhraseRule& rule : impl_->rules) out.push_back(rule.id);
  return out;
}

}  // namespace yardmaster::rules
