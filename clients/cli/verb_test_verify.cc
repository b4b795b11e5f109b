// `yard test verify`: a result is what the server signed, and its files are those that the run left.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/dispatch_client.h"
#include "clients/cli/files.h"
#include "clients/cli/json_members.h"
#include "clients/cli/terminal.h"
#include "clients/cli/test_results.h"
#include "clients/cli/verbs.h"
#include "services/core/files.h"
#include "services/core/sha256.h"
#include "services/core/signing_key.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct VerifyOptions {
  std::string of;
  std::string key;
  std::string save_key;
};

// What is wrong with the files of a folder, measured by the statement.
std::vector<std::string> WrongFiles(const Json& statement, const fs::path& folder) {
  std::vector<std::string> wrong;
  for (const auto& [path, digest] : Member(statement, "artifacts").items()) {
    const fs::path relative = fs::path(path).lexically_normal();
    if (relative.empty() || relative.is_absolute() || relative.begin()->string() == "..") {
      wrong.push_back(absl::StrCat(path, ": not a path within the folder"));
      continue;
    }
    const absl::StatusOr<std::string> bytes = ReadSmallFile(folder / relative, kMaxResultBytes);
    if (!bytes.ok()) {
      wrong.push_back(absl::StrCat(path, ": ", std::string(bytes.status().message())));
    } else if (!digest.is_string() || Sha256Hex(*bytes) != digest.get<std::string>()) {
      wrong.push_back(absl::StrCat(path, ": it is not the file that was signed"));
    }
  }
  return wrong;
}

// A signature that was brought here by `test fetch`.
absl::StatusOr<v1::SignedResult> ReadSignature(const fs::path& folder) {
  const absl::StatusOr<std::string> text = ReadSmallFile(folder / kSignatureFile, kMaxResultBytes);
  if (!text.ok()) return NegativeError(text.status().message());
  const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const std::string hex = TextMember(json, "signature");
  const bool is_hex = hex.size() % 2 == 0 && hex.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!json.is_object() || hex.empty() || !is_hex) {
    return NegativeError(absl::StrCat((folder / kSignatureFile).string(), " is damaged"));
  }
  v1::SignedResult out;
  out.set_statement(TextMember(json, "statement"));
  out.set_signature(absl::HexStringToBytes(hex));
  out.set_public_key(TextMember(json, "public_key"));
  return out;
}

absl::StatusOr<ExitCode> Verify(const VerifyOptions& options, Session& session) {
  std::error_code error;
  const bool folder = fs::is_directory(options.of, error);
  v1::SignedResult signed_result;
  if (folder) {
    ASSIGN_OR_RETURN(signed_result, ReadSignature(options.of));
  } else {
    ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "test verify JOB"));
    ASSIGN_OR_RETURN(std::optional<v1::SignedResult> found, SignedResultOf(server, options.of));
    if (!found.has_value()) return NegativeError(absl::StrCat(options.of, " has not ended yet"));
    signed_result = *std::move(found);
  }
  std::string key = signed_result.public_key();
  if (!options.key.empty()) {
    ASSIGN_OR_RETURN(key, ReadInputFile(options.key, session.env, kMaxKeyFileBytes));
  }
  const absl::StatusOr<bool> holds = SignatureHolds(key, signed_result.statement(), signed_result.signature());
  if (!holds.ok()) return UsageError(holds.status().message());
  const Json statement = Json::parse(signed_result.statement(), nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> problems;
  if (!*holds) problems.emplace_back("the signature is not by this key");
  if (!statement.is_object() || !Member(statement, "artifacts").is_object()) {
    problems.emplace_back("what is signed is no result");
  } else if (folder) {
    const std::vector<std::string> wrong = WrongFiles(statement, options.of);
    problems.insert(problems.end(), wrong.begin(), wrong.end());
  }
  if (!options.save_key.empty()) {
    ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Create(options.save_key, session.env));
    file->stream() << signed_result.public_key();
    RETURN_IF_ERROR(file->Commit());
  }
  if (session.options.json) {
    session.output.Json({{"holds", problems.empty()},
                         {"trusted_key", !options.key.empty()},
                         {"problems", JsonList(problems, [](const std::string& problem) { return problem; })},
                         {"statement", statement.is_object() ? statement : Json(nullptr)}});
  } else if (problems.empty()) {
    const Json& shard = Member(statement, "shard");
    const std::string part =
        shard.is_object() ? absl::StrCat(" shard ", CountMember(shard, "index"), "/", CountMember(shard, "count")) : "";
    session.output.out() << "signed: " << Printable(TextMember(statement, "suite")) << part << " "
                         << Printable(TextMember(statement, "verdict")) << ", job "
                         << Printable(TextMember(statement, "job")) << " on "
                         << Printable(TextMember(statement, "runner")) << "\n";
    if (options.key.empty()) {
      session.output.Note("The key came with the signature: name one that you trust with --key FILE.");
    }
  } else {
    for (const std::string& problem : problems) session.output.out() << Printable(problem) << "\n";
  }
  return problems.empty() ? ExitCode::kDone : ExitCode::kNegative;
}

}  // namespace

void AddTestVerifyVerb(Verb& test) {
  Verb& verify =
      test.Add("verify", "Check that a result is what the server signed; exit code 1 if it is not",
               {"yard test verify j-1f2e3d4c5b6a7980 --save-key yard.pem", "yard test verify results --key yard.pem"});
  VerifyOptions& options = verify.Runs(Verify);
  verify.Argument("JOB", &options.of, "A job, or a folder that 'test fetch' filled: then its files are checked, too")
      .Required();
  verify.Value("--key", &options.key, "FILE",
               "The server's public key (PEM), as you know it; else the one that came along");
  verify.Value("--save-key", &options.save_key, "FILE", "Write the server's public key there");
}

}  // namespace yardmaster::cli
