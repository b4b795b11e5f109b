// `yard interpret TEXT` and `yard interpret eval`.
#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/verbs.h"
#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/interpretation.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"
#include "yardmaster/v1/commands.grpc.pb.h"

namespace yardmaster::cli {
namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr size_t kMaxLineBytes = 1 << 20;
constexpr size_t kMaxFileBytes = size_t{256} << 20;
// Bad lines that are told of one file.
constexpr size_t kMaxProblems = 10;

struct InterpretOptions {
  std::string text;
  std::string context;
  std::string pack;
  std::string cases;
  std::string predictions = "-";
  bool explain = false;
};

// One line of a file of cases.
struct PhraseLine {
  nlohmann::json id;
  std::string text;
  rules::PhraseContext context;
};

std::shared_ptr<const rules::PhraseSet> LoadPhrases(const InterpretOptions& options, Session& session, ExitCode& code) {
  code = ExitCode::kUsage;
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return nullptr;
  const std::string name = options.pack.empty() ? std::string(kPhrasesPack) : options.pack;
  if (CompileLocalPack(session, *folder, name, code) == nullptr) return nullptr;
  Problems problems;
  std::shared_ptr<const rules::PhraseSet> phrases = rules::PhraseSet::Load(folder->files, name, problems);
  if (phrases == nullptr) ReportProblems(session, problems);
  return phrases;
}

std::optional<rules::PhraseContext> ReadContext(const InterpretOptions& options, Session& session) {
  if (options.context.empty()) return rules::PhraseContext();
  std::string error;
  const std::optional<nlohmann::json> value = ParseJsonLimited(options.context, JsonLimits(), error);
  std::optional<rules::PhraseContext> context;
  if (value.has_value()) context = ReadPhraseContext(*value, error);
  if (!context.has_value()) session.output.Error("--context: " + error);
  return context;
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

ExitCode InterpretByServer(const InterpretOptions& options, const rules::PhraseContext& context, Session& session,
                           nlohmann::ordered_json& answer) {
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  v1::InterpretRequest request;
  request.set_text(options.text);
  request.set_pack(options.pack);
  request.mutable_context()->set_pull_request(context.pr.value_or(0));
  request.mutable_context()->set_repository(context.repo);
  v1::InterpretResponse response;
  grpc::ClientContext call;
  connection->Prepare(call, kTimeout);
  const grpc::Status status = v1::CommandsService::NewStub(connection->channel())->Interpret(&call, request, &response);
  if (!status.ok()) return connection->Report(session, status, true);
  answer = ResponseJson(response);
  return ExitCode::kDone;
}

ExitCode Interpret(const InterpretOptions& options, Session& session) {
  if (options.text.empty()) {
    session.output.Error("a text is missing: yard interpret TEXT");
    return ExitCode::kUsage;
  }
  if (!IsValidUtf8(options.text)) {
    session.output.Error("expected the text in UTF-8");
    return ExitCode::kUsage;
  }
  const std::optional<rules::PhraseContext> context = ReadContext(options, session);
  if (!context.has_value()) return ExitCode::kUsage;
  nlohmann::ordered_json answer;
  ExitCode code = ExitCode::kDone;
  std::string stages;
  if (session.options.server_given && !session.options.local) {
    code = InterpretByServer(options, *context, session, answer);
    if (code != ExitCode::kDone) return code;
  } else {
    const std::shared_ptr<const rules::PhraseSet> phrases = LoadPhrases(options, session, code);
    if (phrases == nullptr) return code;
    answer = InterpretationJson(phrases->Interpret(options.text, *context));
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

std::optional<std::vector<PhraseLine>> ReadLines(const std::string& path, Session& session) {
  std::string error;
  const std::unique_ptr<InputFile> input = InputFile::Open(path, session.env, error);
  std::optional<std::string> bytes;
  if (input != nullptr) bytes = input->ReadAll(kMaxFileBytes, error);
  if (!bytes.has_value()) {
    session.output.Error(error);
    return std::nullopt;
  }
  std::vector<PhraseLine> lines;
  Problems problems;
  uint32_t number = 0;
  for (size_t begin = bytes->starts_with("\xEF\xBB\xBF") ? 3 : 0; begin < bytes->size();) {
    const size_t end = std::min(bytes->find('\n', begin), bytes->size());
    const std::string_view line = std::string_view(*bytes).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::optional<PhraseLine> read = ReadLine(line, error);
    if (read.has_value()) {
      lines.push_back(*std::move(read));
      continue;
    }
    problems.push_back({input->name(), "", number, 0, error});
    if (problems.size() >= kMaxProblems) break;
  }
  if (problems.empty()) return lines;
  session.output.Error("the phrases can't be read; nothing was interpreted or written:");
  ReportProblems(session, problems);
  return std::nullopt;
}

ExitCode Evaluate(const InterpretOptions& options, Session& session) {
  // All lines first: one that is bad leaves nothing written.
  const std::optional<std::vector<PhraseLine>> lines = ReadLines(options.cases, session);
  if (!lines.has_value()) return ExitCode::kUsage;
  ExitCode code = ExitCode::kDone;
  const std::shared_ptr<const rules::PhraseSet> phrases = LoadPhrases(options, session, code);
  if (phrases == nullptr) return code;

  const bool to_file = options.predictions != "-";
  std::string error;
  std::unique_ptr<OutputFile> file;
  if (to_file) {
    file = OutputFile::Create(options.predictions, session.env, error);
    if (file == nullptr) {
      session.output.Error(error);
      return ExitCode::kUsage;
    }
  }
  std::ostream& out = to_file ? file->stream() : session.output.out();
  for (const PhraseLine& line : *lines) {
    nlohmann::ordered_json answer = {{"id", line.id}};
    answer.update(InterpretationJson(phrases->Interpret(line.text, line.context)));
    out << answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
  }
  if (!out.good()) {
    session.output.Error("the predictions can't be written");
    return ExitCode::kSystem;
  }
  if (to_file) {
    if (!file->Commit(error)) {
      session.output.Error(error);
      return ExitCode::kSystem;
    }
    if (session.options.json) session.output.Json({{"phrases", lines->size()}, {"predictions", options.predictions}});
  }
  session.output.Note(std::to_string(lines->size()) + " phrases" + (to_file ? " → " + options.predictions : ""));
  return ExitCode::kDone;
}

}  // namespace

void AddInterpretVerbs(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<InterpretOptions>();
  CLI::App* interpret =
      AddVerb(app, "interpret", "Tell which command a message in natural language asks for (Chinese, English, mixed)",
              "  yard interpret 'squash PR 88, please'\n"
              "  yard interpret '压成一个 commit' --context '{\"pr\": 88}' --json\n"
              "  yard interpret eval --cases phrases.jsonl --predictions out.jsonl");
  interpret->add_option("TEXT", options->text, "The message")->type_name("");
  interpret->add_option("--context", options->context, "What the thread says: {\"pr\": 12, \"repo\": \"owner/repo\"}")
      ->type_name("JSON");
  interpret->add_option("--pack", options->pack, "Pack whose phrases are used (default: common)")->type_name("PACK");
  interpret->add_flag("--explain", options->explain, "Also show the clauses as the rules see them");
  interpret->callback([&chosen, options, interpret] {
    if (interpret->get_subcommands().empty()) {
      chosen = [options](Session& session) { return Interpret(*options, session); };
    }
  });

  CLI::App* eval = AddVerb(*interpret, "eval", "Interpret every line of a file, to be scored",
                           "  yard interpret eval --cases phrases.jsonl --predictions out.jsonl");
  eval->add_option("--cases", options->cases, "JSON lines {id, text, context?}; \"-\" is stdin")
      ->required()
      ->type_name("FILE");
  eval->add_option("--predictions", options->predictions,
                   "JSON lines {id, command, slots, then?, confidence, why} (default: stdout)")
      ->type_name("FILE");
  eval->callback([&chosen, options] { chosen = [options](Session& session) { return Evaluate(*options, session); }; });
}

}  // namespace yardmaster::cli
