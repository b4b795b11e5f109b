// `yard rules facts`.
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/files.h"
#include "clients/cli/review_packs.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "rules/engine/checks/fact_listing.h"
#include "rules/engine/checks/fields.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::cli {
namespace {

using FactJson = nlohmann::ordered_json;

constexpr std::chrono::seconds kFactsParseLimit{10};

struct FactsOptions {
  std::string file;
  std::string name;
  std::string kind;
  std::string pack;
  std::optional<int> line;
};

// A reference as "call in line 3: `f(x)`", a list as it stands in JSON.
std::string FactValueText(const FactJson& value) {
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>(), 160);
  if (value.is_object()) {
    return absl::StrCat("-> ", value.at("kind").get<std::string>(), " in line ", value.at("line").get<uint32_t>(), " ",
                        Quoted(value.at("text").get_ref<const std::string&>()));
  }
  return value.dump();
}

std::string FactText(const rules::ListedFact& fact, const Output& output) {
  std::string text = absl::StrCat(fact.line, ":", fact.column, " ", output.Paint(fact.kind, Style::kName), " ",
                                  Quoted(fact.fields.value("text", "")), "\n");
  if (!fact.definitions.empty()) absl::StrAppend(&text, "    is: ", absl::StrJoin(fact.definitions, ", "), "\n");
  for (const auto& [name, value] : fact.fields.items()) {
    if (name != "text") absl::StrAppend(&text, "    ", name, ": ", FactValueText(value), "\n");
  }
  return text;
}

FactJson ListedFactJson(const rules::ListedFact& fact) {
  return {{"kind", fact.kind},
          {"line", fact.line},
          {"column", fact.column},
          {"is", fact.definitions},
          {"fields", fact.fields}};
}

absl::StatusOr<ExitCode> PrintFacts(const FactsOptions& options, Session& session) {
  if (session.options.server_given) {
    return UsageError("'rules facts' reads a file that lies here: it works without a server");
  }
  if (options.file == "-" && options.name.empty()) return UsageError("'-' has no name: --name FILE says what it is");
  if (!options.kind.empty() && (rules::FindKind(options.kind) == nullptr || options.kind == "set" ||
                                options.kind == "match" || options.kind == "value")) {
    return UsageError(absl::StrCat("--kind: a file has no rows of the kind '", options.kind, "'",
                                   DidYouMean(options.kind, rules::KindNames())));
  }
  CheckSets packs;
  if (!options.pack.empty()) {
    ASSIGN_OR_RETURN(packs, LoadReviewPacks(session, {options.pack}, {}));
  }
  ASSIGN_OR_RETURN(std::string content, ReadInputFile(options.file, session.env, rules::kMaxSourceBytes));
  const std::shared_ptr<const rules::SourceFile> source =
      rules::SourceFile::Read(options.name.empty() ? options.file : options.name, std::move(content), kFactsParseLimit);
  const rules::FileFacts& facts = source->facts();

  FactJson list = FactJson::array();
  const rules::ListedFile listed = rules::ListFacts(
      source, packs.empty() ? nullptr : packs.front().get(), options.kind, [&](const rules::ListedFact& fact) {
        if (options.line.has_value() && fact.line != static_cast<uint32_t>(*options.line)) return;
        if (session.options.json) {
          list.push_back(ListedFactJson(fact));
        } else {
          session.output.out() << FactText(fact, session.output);
        }
      });
  FactJson problems = FactJson::array();
  for (const rules::SyntaxError& error : facts.errors) {
    problems.push_back({{"line", facts.LineOf(error.begin)},
                        {"message", error.message.empty() ? "syntax error" : Readable(error.message)}});
  }
  for (const rules::LimitProblem& limit : facts.limits) problems.push_back({{"line", 0}, {"message", limit.message}});
  if (!listed.in_time) problems.push_back({{"line", 0}, {"message", "the definitions of the pack took too long"}});
  if (session.options.json) {
    session.output.Json({{"path", source->path()},
                         {"language", rules::LanguageName(facts.language)},
                         {"role", listed.role},
                         {"problems", std::move(problems)},
                         {"facts", std::move(list)}});
    return ExitCode::kDone;
  }
  for (const FactJson& problem : problems) {
    session.output.Note(absl::StrCat(Printable(source->path()), ":", problem.at("line").get<uint32_t>(), ": ",
                                     problem.at("message").get<std::string>()));
  }
  return ExitCode::kDone;
}

}  // namespace

void AddRulesFactsVerb(Verb& rules) {
  Verb& facts = rules.Add("facts", "Show what checks see of a file: its rows, their kinds and their fields",
                          {"yard rules facts demo_impl.py", "yard rules facts demo_impl.py --kind call --line 12",
                           "yard rules facts demo_impl.py --pack pypto --json",
                           "git show HEAD:demo_impl.py | yard rules facts - --name demo_impl.py"});
  FactsOptions& options = facts.Runs(PrintFacts);
  facts.Argument("FILE", &options.file, "The file; - is stdin").Required();
  facts.Value("--name", &options.name, "NAME", "Read it as a file of this name: that says its language and role");
  facts.Value("--kind", &options.kind, "KIND", "Only rows of this kind, as call or table_row (default: all but line)");
  facts.Value("--line", &options.line, "N", "Only rows that begin in this line").Between(1, 10'000'000);
  facts.Value("--pack", &options.pack, "PACK", "Say the file's role and the definitions of this pack as well");
}

}  // namespace yardmaster::cli
