// `yard interpret TEXT` and `yard interpret eval`.
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/batch.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/verbs.h"
#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/interpretation.h"
#include "services/core/json_document.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "yardmaster/v1/commands.grpc.pb.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::seconds kInterpretTimeout{10};
constexpr size_t kMaxLineBytes = 1 << 20;
constexpr size_t kMaxFileBytes = size_t{256} << 20;
// Bad lines that are told of one file.
constexpr size_t kMaxProblems = 10;

struct InterpretOptions {
  std::string text;
  std::string context;
  std::string pack;
  std::string cases;
  std::string predictions;
  bool explain = false;
};

// One line of a file of cases.
struct PhraseLine {
  nlohmann::json id;
  std::string text;
  rules::PhraseContext context;
};

absl::StatusOr<std::shared_ptr<const rules::PhraseSet>> LoadPhrases(const InterpretOptions& options,
                                                                    const Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  const std::string name = options.pack.empty() ? std::string(kPhrasesPack) : options.pack;
  RETURN_IF_ERROR(CompileLocalPack(folder, name).status());
  Problems problems;
  std::shared_ptr<const rules::PhraseSet> phrases = rules::PhraseSet::Load(folder.files, name, problems);
  if (phrases == nullptr) return ProblemsError(absl::StrCat("the pack '", name, "' is not valid:"), problems);
  return phrases;
}

absl::StatusOr<rules::PhraseContext> ReadContext(const InterpretOptions& options) {
  if (options.context.empty()) return rules::PhraseContext();
  std::string error;
  const std::optional<nlohmann::json> value = ParseJsonLimited(options.context, JsonLimits(), error);
  std::optional<rules::PhraseContext> context;
  if (value.has_value()) context = ReadPhraseContext(*value, error);
  if (!context.has_value()) return UsageError("--context: " + error);
  return *context;
}

// "squash pr=12 repo=\"o/r\""
std::string CommandText(const nlohmann::ordered_json& command) {
  std::string out = command.at("command").get<std::string>();
  for (const auto& [slot, value] : command.at("slots").items()) {
    out += " " + slot + "=" + (value.is_string() ? Quoted(value.get<std::string>(), 400) : value.dump());
  }
  return out;
}

std::string AnswerText(const nlohmann::ordered_json& answer) {
  std::string out = CommandText(answer) + "\n";
  if (answer.contains("then")) {
    for (size_t i = 0; i < answer["then"].size(); ++i) {
      out += "then " + CommandText({{"command", answer["then"][i]}, {"slots", answer["then_slots"][i]}}) + "\n";
    }
  }
  if (answer.contains("choices")) {
    for (const auto& choice : answer["choices"]) out += "perhaps " + CommandText(choice) + "\n";
  }
  return out + "why: " + answer.at("why").get<std::string>() + "\n";
}

nlohmann::ordered_json SlotsJson(const v1::InterpretedCommand& command) {
  nlohmann::ordered_json slots = nlohmann::ordered_json::object();
  // A map has no order of its own.
  const std::map<std::string, v1::SlotValue> sorted(command.slots().begin(), command.slots().end());
  for (const auto& [slot, value] : sorted) {
    if (value.has_flag()) {
      slots[slot] = value.flag();
    } else if (value.has_number()) {
      slots[slot] = value.number();
    } else if (value.has_list()) {
      slots[slot] = std::vector<std::string>(value.list().names().begin(), value.list().names().end());
    } else {
      slots[slot] = value.text();
    }
  }
  return slots;
}

// The answer of a server in the shape of a local one.
nlohmann::ordered_json ResponseJson(const v1::InterpretResponse& response) {
  nlohmann::ordered_json out = {{"command", response.command().command()}, {"slots", SlotsJson(response.command())}};
  for (const v1::InterpretedCommand& command : response.then()) {
    out["then"].push_back(command.command());
    out["then_slots"].push_back(SlotsJson(command));
  }
  out["confidence"] = response.confidence();
  out["why"] = response.why();
  for (const v1::InterpretedCommand& command : response.choices()) {
    out["choices"].push_back({{"command", command.command()}, {"slots", SlotsJson(command)}});
  }
  return out;
}

absl::StatusOr<nlohmann::ordered_json> InterpretByServer(const InterpretOptions& options,
                                                         const rules::PhraseContext& context, const Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  v1::InterpretRequest request;
  request.set_text(options.text);
  request.set_pack(options.pack);
  request.mutable_context()->set_pull_request(context.pr.value_or(0));
  request.mutable_context()->set_repository(context.repo);
  ASSIGN_OR_RETURN(const v1::InterpretResponse response,
                   server.Call(&v1::CommandsService::Stub::Interpret, request, kInterpretTimeout));
  return ResponseJson(response);
}

absl::StatusOr<ExitCode> Interpret(const InterpretOptions& options, Session& session) {
  if (options.text.empty()) return UsageError("a text is missing: yard interpret TEXT");
  if (!IsValidUtf8(options.text)) return UsageError("expected the text in UTF-8");
  ASSIGN_OR_RETURN(const rules::PhraseContext context, ReadContext(options));
  nlohmann::ordered_json answer;
  std::string stages;
  if (session.options.server_given) {
    ASSIGN_OR_RETURN(answer, InterpretByServer(options, context, session));
  } else {
    ASSIGN_OR_RETURN(const auto phrases, LoadPhrases(options, session));
    answer = InterpretationJson(phrases->Interpret(options.text, context));
    if (options.explain) stages = phrases->Explain(options.text);
  }
  if (session.options.json) {
    session.output.Json(answer);
  } else {
    session.output.out() << AnswerText(answer) << stages;
  }
  return ExitCode::kDone;
}

// A line {id, text, context?}; nullopt and `error` if it is none.
std::optional<PhraseLine> ReadLine(std::string_view line, std::string& error) {
  JsonLimits limits;
  limits.max_bytes = kMaxLineBytes;
  const std::optional<nlohmann::json> value = ParseJsonLimited(line, limits, error);
  if (!value.has_value()) return std::nullopt;
  if (!value->is_object()) {
    error = "expected an object {id, text, context?}";
    return std::nullopt;
  }
  const auto id = value->find("id");
  if (id == value->end() || !(id->is_number_integer() || id->is_string())) {
    error = "expected \"id\" to be a number or a string";
    return std::nullopt;
  }
  const auto text = value->find("text");
  if (text == value->end() || !text->is_string()) {
    error = "expected \"text\" to be a string";
    return std::nullopt;
  }
  PhraseLine out = {*id, text->get<std::string>(), {}};
  if (const auto context = value->find("context"); context != value->end()) {
    const std::optional<rules::PhraseContext> read = ReadPhraseContext(*context, error);
    if (!read.has_value()) return std::nullopt;
    out.context = *read;
  }
  return out;
}

absl::StatusOr<std::vector<PhraseLine>> ReadPhraseLines(const std::string& path, const Environment& env) {
  ASSIGN_OR_RETURN(const auto input, InputFile::Open(path, env));
  ASSIGN_OR_RETURN(const std::string bytes, input->ReadAll(kMaxFileBytes));
  std::vector<PhraseLine> lines;
  Problems problems;
  uint32_t number = 0;
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (TrimBlanks(line).empty()) continue;
    std::string error;
    std::optional<PhraseLine> read = ReadLine(line, error);
    if (read.has_value()) {
      lines.push_back(*std::move(read));
      continue;
    }
    problems.push_back({input->name(), "", number, 0, error});
    if (problems.size() >= kMaxProblems) break;
  }
  if (problems.empty()) return lines;
  return ProblemsError("the phrases can't be read; nothing was interpreted or written:", problems);
}

absl::StatusOr<ExitCode> EvaluatePhrases(const InterpretOptions& options, Session& session) {
  // All lines first: one that is bad leaves nothing written.
  ASSIGN_OR_RETURN(const std::vector<PhraseLine> lines, ReadPhraseLines(options.cases, session.env));
  ASSIGN_OR_RETURN(const auto phrases, LoadPhrases(options, session));
  ASSIGN_OR_RETURN(Predictions predictions, Predictions::Create(options.predictions, session));
  for (const PhraseLine& line : lines) {
    nlohmann::ordered_json answer = {{"id", line.id}};
    answer.update(InterpretationJson(phrases->Interpret(line.text, line.context)));
    RETURN_IF_ERROR(predictions.Write(answer));
  }
  RETURN_IF_ERROR(predictions.Commit());
  if (predictions.to_file() && session.options.json) {
    session.output.Json({{"phrases", lines.size()}, {"predictions", options.predictions}});
  }
  session.output.Note(absl::StrCat(lines.size(), " phrases", predictions.Destination()));
  return ExitCode::kDone;
}

}  // namespace

void AddInterpretVerbs(Verb& yard) {
  Verb& interpret = yard.Add(
      "interpret", "Tell which command a message in natural language asks for (Chinese, English, mixed)",
      {"yard interpret 'squash PR 88, please'", "yard interpret '压成一个 commit' --context '{\"pr\": 88}' --json",
       "yard interpret eval --cases phrases.jsonl --predictions out.jsonl"});
  interpret.verb_optional = true;
  InterpretOptions& options = interpret.Runs(Interpret);
  interpret.Argument("TEXT", &options.text, "The message");
  interpret.Value("--context", &options.context, "JSON",
                  "What the thread says: {\"pr\": 12, \"repo\": \"owner/repo\"}");
  interpret.Value("--pack", &options.pack, "PACK", "Pack whose phrases are used (default: common)");
  interpret.Flag("--explain", &options.explain, "Also show the clauses as the rules see them");

  Verb& eval = interpret.Add("eval", "Interpret every line of a file, to be scored",
                             {"yard interpret eval --cases phrases.jsonl --predictions out.jsonl"});
  eval.Value("--cases", &options.cases, "FILE", "JSON lines {id, text, context?}; \"-\" is stdin").Required();
  eval.Value("--predictions", &options.predictions, "FILE",
             "JSON lines {id, command, slots, then?, confidence, why} (default: stdout)");
  // --pack may stand before `eval`: both have the same options.
  eval.Runs([&options](Session& session) { return EvaluatePhrases(options, session); });
}

}  // namespace yardmaster::cli
