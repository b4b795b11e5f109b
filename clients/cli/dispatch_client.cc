#include "clients/cli/dispatch_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/cli/job_text.h"
#include "clients/cli/test_results.h"
#include "clients/git/git_program.h"
#include "services/core/absl_view.h"
#include "services/core/files.h"
#include "services/core/hex.h"
#include "services/core/readable.h"
#include "services/core/sha256.h"
#include "services/core/tar_writer.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kUploadPartBytes = size_t{1} << 20;
constexpr std::chrono::seconds kPartPatience{120};
constexpr std::chrono::seconds kGitPatience{120};

// "a/b" for every file and link below a folder that is no repository.
std::vector<std::string> AllFilesBelow(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() == ".git") {
      it.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;
    if (it->is_symlink(ignored) || it->is_regular_file(ignored)) {
      paths.push_back(it->path().lexically_relative(folder).generic_string());
    }
  }
  return paths;
}

// What belongs to the tree, in order.
std::vector<std::string> PathsOf(GitProgram& git, const fs::path& folder) {
  std::vector<std::string> paths;
  const absl::StatusOr<GitOutput> listed = git.Run({"ls-files", "-z", "--cached", "--others", "--exclude-standard"});
  if (listed.ok() && listed->code == 0) {
    paths = SplitAtNul(listed->out);
  } else {
    paths = AllFilesBelow(folder);
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

// Packs the tree: a file that shrinks meanwhile is filled up, one that grows is cut, so that the archive holds.
absl::Status PackTree(const fs::path& folder, const std::vector<std::string>& paths, TarWriter& tar) {
  std::string buffer(kUploadPartBytes, '\0');
  for (const std::string& path : paths) {
    const fs::path file = folder / path;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(file, error);
    if (fs::is_symlink(status)) {
      tar.AddLink(path, fs::read_symlink(file, error).native());
      continue;
    }
    // Tracked and removed; or a submodule, which is a repository of its own.
    if (!fs::is_regular_file(status)) continue;
    const uint64_t size = fs::file_size(file, error);
    std::ifstream in(file, std::ios::binary);
    if (error || !in) return UsageError(absl::StrCat("--source: ", Quoted(file.string(), 400), " can't be read"));
    const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    tar.BeginFile(path, size, executable);
    for (uint64_t left = size; left > 0;) {
      const auto wanted = static_cast<std::streamsize>(std::min<uint64_t>(left, buffer.size()));
      in.read(buffer.data(), wanted);
      const auto got = static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0));
      if (got == 0)
        return UsageError(absl::StrCat("--source: ", Quoted(file.string(), 400), " changed while it was read"));
      tar.Data(std::string_view(buffer).substr(0, got));
      left -= got;
    }
  }
  tar.Finish();
  return absl::OkStatus();
}

// A file without a name, for an archive that may be large.
using ScratchFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

absl::StatusOr<std::string> PartOf(std::FILE* file, uint64_t offset) {
  std::string part(kUploadPartBytes, '\0');
  if (std::fseek(file, static_cast<long>(offset), SEEK_SET) != 0) return SystemError("the packed tree can't be read");
  part.resize(std::fread(part.data(), 1, part.size(), file));
  return part;
}

}  // namespace

bool MeansServer(const Session& session, const std::string& name) {
  if (session.options.local) return false;
  std::error_code error;
  if (!name.empty() && fs::is_directory(name, error)) return false;
  if (session.options.server_given || absl::StartsWith(name, "j-")) return true;
  return name.empty() && !session.env.variable("YARD_SERVER").empty();
}

absl::StatusOr<ServerConnection> OpenDispatch(const Session& session, std::string_view verb) {
  if (session.options.local) {
    return UsageError(absl::StrCat("attached runners are the server's: '", Abs(verb), "' can't work with --local"));
  }
  return ServerConnection::Open(session, /*local_works=*/false);
}

absl::StatusOr<v1::SuiteJob> FindJobOnServer(const ServerConnection& server, const std::string& name) {
  if (name.empty()) {
    v1::ListJobsRequest request;
    request.set_limit(1);
    ASSIGN_OR_RETURN(v1::ListJobsResponse response, server.Call(&v1::DispatchService::Stub::ListJobs, request));
    if (response.jobs().empty()) return NegativeError("the server knows no jobs");
    return std::move(*response.mutable_jobs(0));
  }
  v1::GetJobRequest request;
  request.set_job(name);
  ASSIGN_OR_RETURN(v1::GetJobResponse response, server.Call(&v1::DispatchService::Stub::GetJob, request));
  return std::move(*response.mutable_job());
}

absl::StatusOr<UploadedTree> UploadTree(const ServerConnection& server, const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root, error)) {
    return UsageError(absl::StrCat("--source: there is no folder ", Quoted(folder, 400)));
  }
  const std::unique_ptr<GitProgram> git = MakeGitProgram(
      root,
      [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
      },
      kGitPatience);
  UploadedTree tree;
  const absl::StatusOr<std::string> head = git->Text({"rev-parse", "--verify", "HEAD"});
  const absl::StatusOr<std::string> changed = git->Text({"status", "--porcelain", "--", "."});
  if (head.ok() && changed.ok() && changed->empty()) tree.commit = *head;

  const ScratchFile file(std::tmpfile(), &std::fclose);
  if (file == nullptr) return SystemError("no temporary file can be made");
  Sha256Pieces digest;
  uint64_t size = 0;
  bool written = true;
  TarWriter tar([&](std::string_view piece) {
    digest.Add(piece);
    size += piece.size();
    written = written && std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size();
  });
  RETURN_IF_ERROR(PackTree(root, PathsOf(*git, root), tar));
  if (!written || std::fflush(file.get()) != 0) return SystemError("the tree can't be packed: is the disk full?");

  tree.digest = Hex(digest.Digest());
  v1::PutPartRequest request;
  request.set_digest(tree.digest);
  request.set_size(size);
  // The first asks what is there.
  for (bool complete = false; !complete;) {
    ASSIGN_OR_RETURN(const v1::PutPartResponse response,
                     server.Call(&v1::DispatchService::Stub::UploadSource, request, kPartPatience));
    complete = response.complete();
    if (complete) break;
    request.set_offset(response.received());
    ASSIGN_OR_RETURN(*request.mutable_part(), PartOf(file.get(), response.received()));
    if (request.part().empty()) return SystemError("the server does not take the whole tree");
  }
  return tree;
}

absl::Status CopyArtifact(const ServerConnection& server, const v1::Artifact& artifact, std::ostream& out) {
  v1::ReadPartRequest request;
  request.set_digest(artifact.digest());
  Sha256Pieces digest;
  while (true) {
    ASSIGN_OR_RETURN(const v1::ReadPartResponse response,
                     server.Call(&v1::DispatchService::Stub::ReadArtifact, request, kPartPatience));
    digest.Add(response.part());
    out << response.part();
    request.set_offset(request.offset() + response.part().size());
    if (response.part().empty() || request.offset() >= response.size()) break;
  }
  if (!out) return SystemError(absl::StrCat(artifact.path(), " can't be written: is the disk full?"));
  if (Hex(digest.Digest()) != artifact.digest()) {
    return SystemError(absl::StrCat(artifact.path(), ": what came has another SHA-256 than it is known by"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> ReadArtifactOf(const ServerConnection& server, const v1::SuiteJob& job,
                                                          std::string_view path) {
  for (const v1::Artifact& artifact : job.artifacts()) {
    if (artifact.path() != path) continue;
    if (artifact.size() > kMaxResultBytes) return SystemError(absl::StrCat(Abs(path), " is too large to be shown"));
    std::ostringstream text;
    RETURN_IF_ERROR(CopyArtifact(server, artifact, text));
    return std::optional<std::string>(text.str());
  }
  return std::optional<std::string>();
}

absl::Status FetchArtifacts(const ServerConnection& server, const v1::SuiteJob& job, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return UsageError(absl::StrCat("--out: ", Quoted(folder.string(), 400), ": ", error.message()));
  if (!fs::is_empty(folder, error)) {
    return UsageError(absl::StrCat("--out: ", Quoted(folder.string(), 400), " is not empty: name a new folder"));
  }
  for (const v1::Artifact& artifact : job.artifacts()) {
    // The server has checked paths; whoever writes checks again.
    const fs::path path = fs::path(artifact.path()).lexically_normal();
    if (path.empty() || path.is_absolute() || path.begin()->string() == "..") {
      return SystemError(absl::StrCat("an artifact has the path ", Quoted(artifact.path(), 200)));
    }
    fs::create_directories((folder / path).parent_path(), error);
    std::ofstream out(folder / path, std::ios::binary | std::ios::trunc);
    RETURN_IF_ERROR(CopyArtifact(server, artifact, out));
    out.close();
    if (!out) return SystemError(absl::StrCat(artifact.path(), " can't be written: is the disk full?"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<v1::SignedResult>> SignedResultOf(const ServerConnection& server, const std::string& job) {
  v1::GetJobRequest request;
  request.set_job(job);
  request.set_signed_(true);
  ASSIGN_OR_RETURN(v1::GetJobResponse response, server.Call(&v1::DispatchService::Stub::GetJob, request));
  if (!response.has_signed_result()) return std::optional<v1::SignedResult>();
  return std::optional<v1::SignedResult>(std::move(*response.mutable_signed_result()));
}

absl::Status WriteSignature(const v1::SignedResult& signed_result, const fs::path& folder) {
  const std::string& bytes = signed_result.signature();
  const nlohmann::ordered_json json = {
      {"statement", signed_result.statement()},
      {"signature", Hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()})},
      {"public_key", signed_result.public_key()}};
  return WriteFileAtomically(folder / kSignatureFile, json.dump(1) + "\n");
}

absl::StatusOr<nlohmann::ordered_json> ResultOf(const ServerConnection& server, const v1::SuiteJob& job) {
  using Json = nlohmann::ordered_json;
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadArtifactOf(server, job, "result.json"));
  Json result = text.has_value() ? Json::parse(*text, nullptr, /*allow_exceptions=*/false) : Json();
  if (!result.is_object()) {
    result = {{"job", job.job()},
              {"suite", job.spec().suite()},
              {"commit", job.spec().ref()},
              {"suite_digest", ""},
              {"verdict", job.verdict()},
              {"layers", Json::array()},
              {"tests", Json::array()},
              {"devices", Json::array()},
              {"seconds", 0},
              {"reason", job.cause().text()},
              {"cause", {{"class", job.cause().class_name()}, {"message", job.cause().text()}}}};
  }
  // The job's verdict is the last word: it may have been cancelled after its last run.
  result["job"] = job.job();
  result["verdict"] = job.verdict();
  result["runner"] = job.runner();
  result["attempt"] = job.attempt();
  result["queued_seconds"] = job.queued_seconds();
  if (job.notes_size() > 0) result["job_notes"] = TextList(job.notes());
  return result;
}

}  // namespace yardmaster::cli
