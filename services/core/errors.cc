#include "services/core/errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"
#include "services/core/utf8.h"

namespace yardmaster::errors {
namespace {

// Most bytes of a foreign text inside a message.
constexpr size_t kMaxQuoted = 200;

// A foreign text.
std::string Readable(std::string_view text) { return Shortened(text, kMaxQuoted); }

// The same between quotes.
std::string Quoted(std::string_view text) { return '"' + Readable(text) + '"'; }

}  // namespace

absl::Status TokenMissing() {
  return absl::UnauthenticatedError("no token: send the metadata \"authorization: Bearer TOKEN\"");
}
absl::Status TokenUnknown() { return absl::UnauthenticatedError("the token is not known to this daemon"); }
absl::Status AuthorizationMalformed() {
  return absl::UnauthenticatedError("the authorization metadata is not of the form \"Bearer TOKEN\"");
}
absl::Status RoleTooLow(std::string_view caller, std::string_view has, std::string_view needs) {
  return absl::PermissionDeniedError(
      absl::StrCat(Quoted(caller), " has the role ", Abs(has), "; this call needs the role ", Abs(needs)));
}
absl::Status MethodNotInTable(std::string_view full_method) {
  return absl::PermissionDeniedError(absl::StrCat("no role is defined for ", Quoted(full_method)));
}
absl::Status DeadlinePassed() { return absl::DeadlineExceededError("the call's deadline has passed"); }
absl::Status CallCancelled() { return absl::CancelledError("the caller cancelled the call"); }
absl::Status TooManyLongCalls() {
  return absl::UnavailableError("too many long calls are under way; try again in some seconds");
}
absl::Status ShuttingDown() { return absl::UnavailableError("the daemon is shutting down; try again shortly"); }

absl::Status FieldMissing(std::string_view field) {
  return absl::InvalidArgumentError(absl::StrCat("the field ", Abs(field), " is required"));
}
absl::Status FieldInvalid(std::string_view field, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("the field ", Abs(field), " is not valid: expected ", Abs(expected)));
}
absl::Status OverLimit(std::string_view what, size_t actual, size_t limit, std::string_view unit) {
  return absl::InvalidArgumentError(
      absl::StrCat(Abs(what), " is over its limit: ", actual, " ", Abs(unit), ", at most ", limit, " are accepted"));
}
absl::Status NotUtf8(std::string_view field) {
  return absl::InvalidArgumentError(absl::StrCat("the field ", Abs(field), " is not valid UTF-8"));
}
absl::Status CaseFailed(size_t index, const absl::Status& cause) {
  return absl::InvalidArgumentError(absl::StrCat("case ", index, ": ", cause.message()));
}

absl::Status ImportUnreadable(std::string_view format, std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("the text can't be read as ", Abs(format), ": ", Readable(reason)));
}

absl::Status PackUnknown(std::string_view pack, absl::Span<const std::string_view> known) {
  std::string names = absl::StrJoin(known, ", ", [](std::string* out, std::string_view name) { out->append(name); });
  return absl::NotFoundError(
      absl::StrCat("there is no pack ", Quoted(pack), "; packs in service: ", names.empty() ? "none" : names));
}
absl::Status PackWithoutRubric(std::string_view pack) {
  return absl::InvalidArgumentError(absl::StrCat("the pack ", Quoted(pack), " has no rubric, so it can't triage"));
}
absl::Status PackWithoutPipeline(std::string_view pack) {
  return absl::FailedPreconditionError(
      absl::StrCat("neither the pack ", Quoted(pack),
                   " nor another one of the repository has a pipeline.json, so nothing "
                   "is known about its gate"));
}
absl::Status PackWithoutChecks(std::string_view pack) {
  return absl::InvalidArgumentError(absl::StrCat("the pack ", Quoted(pack), " has no checks, so it can't review"));
}
absl::Status OperatorNeverSubmitted(std::string_view name) {
  return absl::NotFoundError(absl::StrCat("the operator ", Quoted(name), " was never submitted"));
}
absl::Status RuleUnknown(std::string_view rule, std::string_view pack) {
  if (pack.empty()) return absl::NotFoundError(absl::StrCat("no pack in service has a rule ", Quoted(rule)));
  return absl::NotFoundError(absl::StrCat("the pack ", Quoted(pack), " has no rule ", Quoted(rule)));
}
absl::Status CommandUnknown(std::string_view command, std::string_view nearest) {
  return absl::NotFoundError(absl::StrCat("there is no command ", Quoted(command),
                                          nearest.empty() ? "" : absl::StrCat("; did you mean ", Abs(nearest), "?")));
}
absl::Status PackInvalid(std::string_view pack, std::string_view problems) {
  return absl::InvalidArgumentError(absl::StrCat("the pack ", Quoted(pack), " is not valid:\n", Abs(problems)));
}
absl::Status PacksDirNotFound(std::string_view places) {
  return absl::NotFoundError(absl::StrCat("no folder with packs was found; looked at: ", Abs(places),
                                          ". Name one with --packs or YARD_PACKS"));
}
absl::Status SuitesDirNotFound(std::string_view places) {
  return absl::NotFoundError(absl::StrCat("no folder with the sources of suites was found; looked at: ", Abs(places),
                                          ". Name a checkout with --source"));
}
absl::Status MatchFailed(std::string_view pack, std::string_view error) {
  return absl::ResourceExhaustedError(absl::StrCat("matching under the pack ", Quoted(pack), " failed: ", Abs(error)));
}

absl::Status DecisionUnknown(std::string_view id) {
  return absl::NotFoundError(absl::StrCat("there is no decision ", Quoted(id), ", or it is no longer kept"));
}
absl::Status SubjectWithoutDecision(std::string_view subject) {
  return absl::NotFoundError(absl::StrCat("no decision about ", Quoted(subject), " is kept"));
}
absl::Status ReviewUnknown(std::string_view id) {
  return absl::NotFoundError(absl::StrCat("there is no review ", Quoted(id), ", or it is no longer kept"));
}
absl::Status SubjectWithoutReview(std::string_view subject) {
  return absl::NotFoundError(absl::StrCat("no review of ", Quoted(subject), " is kept"));
}

absl::Status StoreQueueFull(size_t deliveries, size_t bytes) {
  return absl::ResourceExhaustedError(
      absl::StrCat("too much waits to be stored: ", deliveries, " deliveries, ", bytes, " bytes; try again shortly"));
}
absl::Status StoreDiskLow(uint64_t free_bytes, uint64_t floor_bytes) {
  return absl::ResourceExhaustedError(absl::StrCat("the disk of the data directory has ", free_bytes >> 20,
                                                   " MiB left, less than the floor of ", floor_bytes >> 20,
                                                   " MiB: nothing new is taken in until there is room"));
}
absl::Status StoreDiskFull() {
  return absl::ResourceExhaustedError(
      "the disk of the data directory is full: nothing new is taken in until there is room");
}
absl::Status StoreBroken(std::string_view reason) {
  return absl::DataLossError(absl::StrCat("the database can't be trusted any more (", Abs(reason),
                                          "): look at the disk, then start the daemon again"));
}
absl::Status StoreBusy(std::string_view reason) {
  return absl::UnavailableError(absl::StrCat("the database is held by another program: ", Abs(reason)));
}
absl::Status StoreClosed() { return absl::UnavailableError("the store is closed: the daemon is shutting down"); }
absl::Status StoreTooNew(int64_t has, int64_t knows) {
  return absl::FailedPreconditionError(
      absl::StrCat("the database has schema step ", has, "; this program knows steps up to ", knows,
                   ". A newer version has used the data directory: go on with that version"));
}
absl::Status StoreUnusable(std::string_view file, std::string_view reason) {
  return absl::InternalError(absl::StrCat("can't use the database ", Quoted(file), ": ", Abs(reason)));
}
absl::Status StoredValueDamaged(std::string_view reason) {
  return absl::DataLossError(absl::StrCat("a stored value can't be read: ", Abs(reason)));
}
absl::Status WriteFromCallback() {
  return absl::FailedPreconditionError("a callback of the store must not wait for the store: hand over to a thread");
}
absl::Status DeliveryUnknown(std::string_view delivery) {
  return absl::NotFoundError(absl::StrCat("there is no delivery ", Quoted(delivery), ", or it is no longer kept"));
}
absl::Status BodyNotKept(std::string_view delivery) {
  return absl::NotFoundError(absl::StrCat("the body of delivery ", Quoted(delivery), " is not kept"));
}
absl::Status RequeueWithoutBody(int64_t delivery) {
  return absl::FailedPreconditionError(
      absl::StrCat("delivery ", delivery, " can't be worked on again: its body is not kept"));
}
absl::Status EffectUnknown(std::string_view effect) {
  return absl::NotFoundError(absl::StrCat("there is no effect ", Quoted(effect), ", or it is no longer kept"));
}
absl::Status EffectKeyTaken(std::string_view key) {
  return absl::AlreadyExistsError(
      absl::StrCat("the key ", Quoted(key), " belongs to an effect on another subject or of another kind"));
}
absl::Status DecisionExists(std::string_view id) {
  return absl::AlreadyExistsError(absl::StrCat("there is a decision ", Quoted(id), " already"));
}
absl::Status TransitionRefused(std::string_view what, int64_t id, std::string_view from, std::string_view to) {
  return absl::FailedPreconditionError(
      absl::StrCat(Abs(what), " ", id, " is ", Abs(from), "; it can't become ", Abs(to)));
}

absl::Status StoreAbsent() {
  return absl::FailedPreconditionError("this daemon keeps nothing: give it a data directory (data_dir, --data-dir)");
}
absl::Status ForgeNotConfigured(std::string_view forge) {
  return absl::FailedPreconditionError(absl::StrCat("the forge ", Quoted(forge), " is not configured"));
}
absl::Status RepositoryNotConfigured(std::string_view name) {
  return absl::FailedPreconditionError(absl::StrCat("the configuration gives ", Quoted(name), " no pack"));
}
absl::Status RepositoryNotListed(std::string_view name) {
  return absl::FailedPreconditionError(
      absl::StrCat("the configuration does not name ", Quoted(name), "; only operators may ask about others"));
}
absl::Status RepositoryNotOnForge(std::string_view name) {
  return absl::NotFoundError(
      absl::StrCat("the forge does not know ", Quoted(name), ", or does not show it to the account of the daemon"));
}
absl::Status PackNotAllowed(std::string_view pack, std::string_view repository) {
  return absl::FailedPreconditionError(
      absl::StrCat("the configuration does not give the pack ", Quoted(pack), " to ", Quoted(repository)));
}
absl::Status SubjectSkipped(std::string_view subject, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(Quoted(subject), " was skipped: ", Abs(reason)));
}
absl::Status WorkAbandoned(std::string_view subject, std::string_view reason) {
  return absl::AbortedError(absl::StrCat("the work on ", Quoted(subject), " was abandoned: ", Abs(reason)));
}
absl::Status SubjectNeverSeen(std::string_view subject) {
  return absl::NotFoundError(absl::StrCat(Quoted(subject), " was never seen"));
}
absl::Status SubjectNotOnForge(std::string_view subject) {
  return absl::NotFoundError(absl::StrCat("the forge does not know ", Quoted(subject)));
}
absl::Status ForgeUnusable(std::string_view forge, std::string_view reason) {
  return absl::UnavailableError(absl::StrCat("the forge ", Quoted(forge), " can't be used: ", Abs(reason)));
}

absl::Status GitServerNotHttp(std::string_view forge) {
  return absl::FailedPreconditionError(absl::StrCat("the git server of the forge ", Quoted(forge),
                                                    " can't be read: expected an https URL as forges.", Abs(forge),
                                                    ".git_url"));
}
absl::Status GitCredentialsRefused(std::string_view repository, bool had_token) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the git server ", had_token ? "refuses the token of the daemon" : "wants a token, and the daemon has none",
      " for ", Quoted(repository)));
}
absl::Status GitServerUnusable(std::string_view repository, std::string_view reason) {
  return absl::UnavailableError(
      absl::StrCat("the git server of ", Quoted(repository), " can't be used: ", Readable(reason)));
}
absl::Status CommitUnknown(std::string_view commit, std::string_view repository) {
  return absl::NotFoundError(absl::StrCat("there is no commit ", Quoted(commit), " in ", Quoted(repository)));
}
absl::Status FolderUnknown(std::string_view folder, std::string_view commit) {
  return absl::NotFoundError(absl::StrCat("there is no folder ", Quoted(folder), " at the commit ", Quoted(commit)));
}
absl::Status FolderTooLarge(std::string_view folder, size_t limit, std::string_view unit) {
  return absl::InvalidArgumentError(
      absl::StrCat("the folder ", Quoted(folder), " has more than ", limit, " ", Abs(unit), ", the limit"));
}
absl::Status CommitTooLarge(std::string_view repository, size_t limit) {
  return absl::InvalidArgumentError(absl::StrCat("what the git server sends for one commit of ", Quoted(repository),
                                                 " is larger than allowed (", limit, " bytes in one answer)"));
}
absl::Status TooManyGitReads() {
  return absl::UnavailableError("too many repositories are being read; try again in some seconds");
}

absl::Status NoGitRepository(std::string_view path) {
  return absl::NotFoundError(absl::StrCat(Quoted(path), " is not in a git repository"));
}
absl::Status GitRepositoryOfAnother(std::string_view path) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the repository ", Quoted(path),
      " belongs to another user; if you trust it: git config --global --add safe.directory ", Readable(path)));
}
absl::Status GitRepositoryUnusable(std::string_view path, std::string_view reason) {
  return absl::FailedPreconditionError(
      absl::StrCat("the repository ", Quoted(path), " can't be read: ", Readable(reason)));
}
absl::Status GitRepositoryDamaged(std::string_view reason) {
  return absl::InternalError(absl::StrCat("the repository is damaged: ", Readable(reason)));
}
absl::Status GitRevisionUnknown(std::string_view revision) {
  return absl::NotFoundError(absl::StrCat("the repository has no commit ", Quoted(revision)));
}
absl::Status GitRevisionInvalid(std::string_view revision, std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(revision), " names no commit: ", Readable(reason)));
}
absl::Status GitObjectMissing(std::string_view object) {
  return absl::FailedPreconditionError(
      absl::StrCat("the repository lacks the object ", Readable(object),
                   "; if it is a partial clone, fetch what is missing first, for example by checking it out"));
}
absl::Status GitHistoryCut() {
  return absl::FailedPreconditionError(
      "the repository is a shallow clone, and its history ends too early; git fetch --unshallow gets the rest");
}
absl::Status NoMergeBase(std::string_view a, std::string_view b) {
  return absl::NotFoundError(absl::StrCat("the commits ", Quoted(a), " and ", Quoted(b), " have no common history"));
}
absl::Status GitTreeTooLarge(size_t limit) {
  return absl::InvalidArgumentError(absl::StrCat("a tree has more than ", limit, " entries, or folders too deep"));
}
absl::Status GitConflictsOpen(std::string_view path) {
  return absl::FailedPreconditionError(
      absl::StrCat(Quoted(path), " has merge conflicts; resolve them and add the file first"));
}

absl::Status GitIdentityMissing() {
  return absl::FailedPreconditionError("git has no name or no e-mail for you: git config user.name and user.email");
}

absl::Status GitRefMoved(std::string_view ref) {
  return absl::AbortedError(absl::StrCat(Quoted(ref), " is not where it was expected: something else has moved it"));
}

absl::Status GitMergeInRange(std::string_view commit) {
  return absl::FailedPreconditionError(
      absl::StrCat(Quoted(commit), " is a merge, which can't be made once more; rebase the branch first"));
}

absl::Status GitFilesInTheWay(std::string_view said) {
  return absl::FailedPreconditionError(
      absl::StrCat("changed or untracked files would be overwritten (", Abs(said), "); commit or move them first"));
}

absl::Status GitIndexChanged() {
  return absl::AbortedError("the index is not what it was: something has been staged or unstaged since");
}

absl::Status GitRefLocked(std::string_view ref) {
  return absl::AbortedError(absl::StrCat(Quoted(ref), " is locked by another git; try again"));
}

absl::Status GitProgramUnusable(std::string_view command, std::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat("git ", Abs(command), " could not be run: ", Abs(reason)));
}

absl::Status GitProgramFailed(std::string_view command, std::string_view said) {
  return absl::FailedPreconditionError(absl::StrCat("git ", Abs(command), ": ", Abs(said)));
}

absl::Status GitNotSigned(std::string_view said) {
  return absl::FailedPreconditionError(
      absl::StrCat("the new commit could not be signed: ", Abs(said),
                   "; mend what signs (git config gpg.format, user.signingKey; what gpg has against it tells: echo x "
                   "| gpg -as), or go without: git config commit.gpgSign false"));
}

absl::Status GitRemoteUnusable(std::string_view remote, std::string_view said) {
  return absl::UnavailableError(absl::StrCat("the remote ", Quoted(remote), " can't be used: ", Abs(said)));
}

absl::Status GitRemoteRefMissing(std::string_view remote, std::string_view ref) {
  return absl::FailedPreconditionError(absl::StrCat("the remote ", Quoted(remote), " has no ", Abs(ref)));
}

absl::Status GitRemoteMissing(std::string_view remote) {
  return absl::FailedPreconditionError(absl::StrCat("there is no remote ", Quoted(remote)));
}

absl::Status GitHookRefused(std::string_view hook, std::string_view said) {
  return absl::FailedPreconditionError(absl::StrCat("the hook ", Abs(hook), " is against it: ", Abs(said)));
}

absl::Status GitPushRejected(std::string_view ref, std::string_view reason) {
  return absl::AbortedError(absl::StrCat("the push of ", Quoted(ref), " was rejected: ", Abs(reason)));
}

absl::Status GitSparseCheckout() {
  return absl::FailedPreconditionError(
      "files that git does not look at here (a sparse checkout, update-index --skip-worktree) would be written; move "
      "the "
      "branch by git itself");
}

absl::Status GitFilterDriver(std::string_view path, std::string_view filter) {
  return absl::FailedPreconditionError(
      absl::StrCat(Readable(path), " goes through the filter ", Quoted(filter),
                   " of .gitattributes (as Git LFS does), which is not run here, and would be written without it; move "
                   "the branch by git itself"));
}

absl::Status GitBranchCheckedOut(std::string_view branch) {
  return absl::FailedPreconditionError(absl::StrCat(
      Abs(branch), " is checked out, here or in another work tree; git switch another branch there first"));
}

absl::Status GitOriginIsUpstream() {
  return absl::FailedPreconditionError("origin is the main repository itself, as upstream is");
}

absl::Status GitPushGoesElsewhere(std::string_view remote, std::string_view fetched, std::string_view pushed) {
  return absl::FailedPreconditionError(absl::StrCat("the remote ", Quoted(remote), " is fetched from ", Abs(fetched),
                                                    ", but pushes go to ", Abs(pushed)));
}

absl::Status OperationUnreadable(std::string_view file) {
  return absl::InternalError(
      absl::StrCat(Quoted(file), " is no operation of yard workflow; move it away, and restore by its backup refs"));
}

absl::Status OperationUnknown(std::string_view id) {
  return absl::NotFoundError(absl::StrCat("no operation ", Quoted(id), " that could be undone; see undo --list"));
}

absl::Status WorkflowRunning(std::string_view file) {
  return absl::AbortedError(absl::StrCat("another yard workflow works in this clone (it holds ", Quoted(file), ")"));
}

absl::Status OperationOfWorkTree(std::string_view id, std::string_view path) {
  return absl::FailedPreconditionError(
      absl::StrCat("operation ", Abs(id), " changed the files of another work tree",
                   path.empty() ? ", which is gone" : absl::StrCat("; run it there, with --repo ", Abs(path))));
}

absl::Status OperationOfBranch(std::string_view id, std::string_view branch) {
  return absl::FailedPreconditionError(absl::StrCat("operation ", Abs(id), " changed the files of ", Abs(branch),
                                                    ", which is not checked out: git switch ", Abs(branch)));
}

absl::Status FileUnreadable(std::string_view path, std::string_view reason) {
  return absl::NotFoundError(absl::StrCat("can't read ", Quoted(path), ": ", Abs(reason)));
}
absl::Status FileTooLarge(std::string_view path, size_t limit) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(path), " is larger than ", limit, " bytes"));
}
absl::Status FileNotWritten(std::string_view path, std::string_view reason) {
  return absl::InternalError(absl::StrCat("can't write ", Quoted(path), ": ", Abs(reason)));
}
absl::Status AddressNotListenable(std::string_view what, std::string_view address, std::string_view reason) {
  return absl::UnavailableError(absl::StrCat("can't listen for ", Abs(what), " on ", Abs(address), ": ", Abs(reason)));
}
absl::Status DataDirUnusable(std::string_view dir, std::string_view reason) {
  return absl::InternalError(absl::StrCat("can't use the data directory ", Quoted(dir), ": ", Abs(reason)));
}
absl::Status DataDirLocked(std::string_view dir, std::string_view holder) {
  return absl::FailedPreconditionError(absl::StrCat("the data directory ", Quoted(dir), " is in use by another daemon",
                                                    holder.empty() ? "" : " (pid ", Abs(holder),
                                                    holder.empty() ? "" : ")"));
}
absl::Status PemInvalid(std::string_view what, std::string_view path, std::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("the ", Abs(what), " in ", Quoted(path), " can't be used: ", Abs(reason)));
}
absl::Status KeyDoesNotFitCertificate(std::string_view certificate) {
  return absl::InvalidArgumentError(
      absl::StrCat("the private key does not belong to the certificate in ", Quoted(certificate)));
}
absl::Status Internal(std::string_view what) {
  return absl::InternalError(absl::StrCat("internal error: ", Abs(what)));
}

}  // namespace yardmaster::errors
