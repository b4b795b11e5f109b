// The catalogue of errors, named by situation: the only place where their texts are made, so that call sites never
// build one. A text says what is wrong with which thing and, where it helps, what to do. Texts of people and machines
// are quoted with their length bounded.
#ifndef YARDMASTER_SERVICES_CORE_ERRORS_H_
#define YARDMASTER_SERVICES_CORE_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace yardmaster::errors {

// --- Admission ---
absl::Status TokenMissing();                                                                     // UNAUTHENTICATED
absl::Status TokenUnknown();                                                                     // UNAUTHENTICATED
absl::Status AuthorizationMalformed();                                                           // UNAUTHENTICATED
absl::Status RoleTooLow(std::string_view caller, std::string_view has, std::string_view needs);  // PERMISSION_DENIED
absl::Status MethodNotInTable(std::string_view full_method);                                     // PERMISSION_DENIED
absl::Status DeadlinePassed();                                                                   // DEADLINE_EXCEEDED
absl::Status CallCancelled();                                                                    // CANCELLED
absl::Status ShuttingDown();                                                                     // UNAVAILABLE
// Long calls wait for a thread, and too many wait already.
absl::Status TooManyLongCalls();  // UNAVAILABLE

// --- Requests ---
absl::Status FieldMissing(std::string_view field);                             // INVALID_ARGUMENT
absl::Status FieldInvalid(std::string_view field, std::string_view expected);  // INVALID_ARGUMENT
// A text or list over its limit; `unit` is "bytes", "comments", "cases", …
absl::Status OverLimit(std::string_view what, size_t actual, size_t limit, std::string_view unit);  // INVALID_ARGUMENT
absl::Status NotUtf8(std::string_view field);                                                       // INVALID_ARGUMENT
// A case of a stream or a list: wraps `cause` and names the position, from 0.
absl::Status CaseFailed(size_t index, const absl::Status& cause);  // INVALID_ARGUMENT

// --- Packs and rules ---
absl::Status PackUnknown(std::string_view pack, absl::Span<const std::string_view> known);  // NOT_FOUND
absl::Status PackWithoutRubric(std::string_view pack);                                      // INVALID_ARGUMENT
absl::Status RuleUnknown(std::string_view rule, std::string_view pack);           // NOT_FOUND; empty pack = any
absl::Status CommandUnknown(std::string_view command, std::string_view nearest);  // NOT_FOUND; nearest may be empty
// `problems` is the list as text, one a line.
absl::Status PackInvalid(std::string_view pack, std::string_view problems);  // INVALID_ARGUMENT
absl::Status PacksDirNotFound(std::string_view places);                      // NOT_FOUND
absl::Status SuitesDirNotFound(std::string_view places);                     // NOT_FOUND
// The matcher's own failure (memory budget of a pattern set): never taken for "no match".
absl::Status MatchFailed(std::string_view pack, std::string_view error);  // RESOURCE_EXHAUSTED

// What another tool found, in a format that was named or seen.
absl::Status ImportUnreadable(std::string_view format, std::string_view reason);  // INVALID_ARGUMENT

absl::Status PackWithoutPipeline(std::string_view pack);     // FAILED_PRECONDITION
absl::Status PackWithoutChecks(std::string_view pack);       // INVALID_ARGUMENT
absl::Status OperatorNeverSubmitted(std::string_view name);  // NOT_FOUND

// --- Decisions ---
absl::Status DecisionUnknown(std::string_view id);              // NOT_FOUND
absl::Status SubjectWithoutDecision(std::string_view subject);  // NOT_FOUND
absl::Status ReviewUnknown(std::string_view id);                // NOT_FOUND
absl::Status SubjectWithoutReview(std::string_view subject);    // NOT_FOUND

// --- The store ---
absl::Status StoreQueueFull(size_t deliveries, size_t bytes);          // RESOURCE_EXHAUSTED
absl::Status StoreDiskLow(uint64_t free_bytes, uint64_t floor_bytes);  // RESOURCE_EXHAUSTED
absl::Status StoreDiskFull();                                          // RESOURCE_EXHAUSTED
// The disk or the file failed: nothing is written any more until the daemon is started again.
absl::Status StoreBroken(std::string_view reason);                           // DATA_LOSS
absl::Status StoreBusy(std::string_view reason);                             // UNAVAILABLE
absl::Status StoreClosed();                                                  // UNAVAILABLE
absl::Status StoreTooNew(int64_t has, int64_t knows);                        // FAILED_PRECONDITION
absl::Status StoreUnusable(std::string_view file, std::string_view reason);  // INTERNAL
absl::Status StoredValueDamaged(std::string_view reason);                    // DATA_LOSS
absl::Status WriteFromCallback();                                            // FAILED_PRECONDITION
absl::Status DeliveryUnknown(std::string_view delivery);                     // NOT_FOUND
absl::Status BodyNotKept(std::string_view delivery);                         // NOT_FOUND
absl::Status RequeueWithoutBody(int64_t delivery);                           // FAILED_PRECONDITION
absl::Status EffectUnknown(std::string_view effect);                         // NOT_FOUND
absl::Status EffectKeyTaken(std::string_view key);                           // ALREADY_EXISTS
absl::Status DecisionExists(std::string_view id);                            // ALREADY_EXISTS
// `what` is "delivery", "effect" or "command".
absl::Status TransitionRefused(std::string_view what, int64_t id, std::string_view from,
                               std::string_view to);  // FAILED_PRECONDITION

// --- Forges and the pipe ---
absl::Status StoreAbsent();                                   // FAILED_PRECONDITION
absl::Status ForgeNotConfigured(std::string_view forge);      // FAILED_PRECONDITION
absl::Status RepositoryNotConfigured(std::string_view name);  // FAILED_PRECONDITION
// Not in the configuration, so that only operators may ask the forge about it.
absl::Status RepositoryNotListed(std::string_view name);   // FAILED_PRECONDITION
absl::Status RepositoryNotOnForge(std::string_view name);  // NOT_FOUND
// `pack` is not among those that the configuration gives the repository.
absl::Status PackNotAllowed(std::string_view pack, std::string_view repository);  // FAILED_PRECONDITION
absl::Status SubjectSkipped(std::string_view subject, std::string_view reason);   // FAILED_PRECONDITION
absl::Status WorkAbandoned(std::string_view subject, std::string_view reason);    // ABORTED
absl::Status SubjectNeverSeen(std::string_view subject);                          // NOT_FOUND
absl::Status SubjectNotOnForge(std::string_view subject);                         // NOT_FOUND
absl::Status ForgeUnusable(std::string_view forge, std::string_view reason);      // UNAVAILABLE

// --- Git servers ---
absl::Status GitServerNotHttp(std::string_view forge);                                      // FAILED_PRECONDITION
absl::Status GitCredentialsRefused(std::string_view repository, bool had_token);            // FAILED_PRECONDITION
absl::Status GitServerUnusable(std::string_view repository, std::string_view reason);       // UNAVAILABLE
absl::Status CommitUnknown(std::string_view commit, std::string_view repository);           // NOT_FOUND
absl::Status FolderUnknown(std::string_view folder, std::string_view commit);               // NOT_FOUND
absl::Status FolderTooLarge(std::string_view folder, size_t limit, std::string_view unit);  // INVALID_ARGUMENT
// What the server sends for a commit, before anything is known about the folder in it.
absl::Status CommitTooLarge(std::string_view repository, size_t limit);  // INVALID_ARGUMENT
absl::Status TooManyGitReads();                                          // UNAVAILABLE

// --- Git repositories on this machine ---
absl::Status NoGitRepository(std::string_view path);                                  // NOT_FOUND
absl::Status GitRepositoryOfAnother(std::string_view path);                           // FAILED_PRECONDITION
absl::Status GitRepositoryUnusable(std::string_view path, std::string_view reason);   // FAILED_PRECONDITION
absl::Status GitRepositoryDamaged(std::string_view reason);                           // INTERNAL
absl::Status GitRevisionUnknown(std::string_view revision);                           // NOT_FOUND
absl::Status GitRevisionInvalid(std::string_view revision, std::string_view reason);  // INVALID_ARGUMENT
absl::Status GitObjectMissing(std::string_view object);                               // FAILED_PRECONDITION
absl::Status GitHistoryCut();                                                         // FAILED_PRECONDITION
absl::Status NoMergeBase(std::string_view a, std::string_view b);                     // NOT_FOUND
absl::Status GitTreeTooLarge(size_t limit);                                           // INVALID_ARGUMENT
absl::Status GitIdentityMissing();                                                    // FAILED_PRECONDITION
absl::Status GitRefMoved(std::string_view ref);                                       // ABORTED
absl::Status GitMergeInRange(std::string_view commit);                                // FAILED_PRECONDITION
absl::Status GitFilesInTheWay(std::string_view said);                                 // FAILED_PRECONDITION
absl::Status GitIndexChanged();                                                       // ABORTED
absl::Status GitRefLocked(std::string_view ref);                                      // ABORTED
absl::Status GitProgramUnusable(std::string_view command, std::string_view reason);   // FAILED_PRECONDITION
absl::Status GitProgramFailed(std::string_view command, std::string_view said);       // FAILED_PRECONDITION
absl::Status GitNotSigned(std::string_view said);                                     // FAILED_PRECONDITION
absl::Status GitRemoteUnusable(std::string_view remote, std::string_view said);       // UNAVAILABLE
absl::Status GitRemoteMissing(std::string_view remote);                               // FAILED_PRECONDITION
// FAILED_PRECONDITION
absl::Status GitRemoteRefMissing(std::string_view remote, std::string_view ref);
absl::Status GitHookRefused(std::string_view hook, std::string_view said);     // FAILED_PRECONDITION
absl::Status GitPushRejected(std::string_view ref, std::string_view reason);   // ABORTED
absl::Status GitConflictsOpen(std::string_view path);                          // FAILED_PRECONDITION
absl::Status GitSparseCheckout();                                              // FAILED_PRECONDITION
absl::Status GitFilterDriver(std::string_view path, std::string_view filter);  // FAILED_PRECONDITION
absl::Status GitBranchCheckedOut(std::string_view branch);                     // FAILED_PRECONDITION
absl::Status GitOriginIsUpstream();                                            // FAILED_PRECONDITION
// FAILED_PRECONDITION. Addresses without credentials.
absl::Status GitPushGoesElsewhere(std::string_view remote, std::string_view fetched, std::string_view pushed);

// --- The journal of `yard workflow` ---
absl::Status OperationUnreadable(std::string_view file);  // INTERNAL
absl::Status OperationUnknown(std::string_view id);       // NOT_FOUND
absl::Status WorkflowRunning(std::string_view file);      // ABORTED
// `path`: empty where it is gone.
absl::Status OperationOfWorkTree(std::string_view id, std::string_view path);  // FAILED_PRECONDITION
absl::Status OperationOfBranch(std::string_view id, std::string_view branch);  // FAILED_PRECONDITION

// --- Files, sockets, processes ---
absl::Status FileUnreadable(std::string_view path, std::string_view reason);  // NOT_FOUND
absl::Status FileTooLarge(std::string_view path, size_t limit);               // INVALID_ARGUMENT
absl::Status FileNotWritten(std::string_view path, std::string_view reason);  // INTERNAL
absl::Status AddressNotListenable(std::string_view what, std::string_view address,
                                  std::string_view reason);                                      // UNAVAILABLE
absl::Status DataDirUnusable(std::string_view dir, std::string_view reason);                     // INTERNAL
absl::Status DataDirLocked(std::string_view dir, std::string_view holder);                       // FAILED_PRECONDITION
absl::Status PemInvalid(std::string_view what, std::string_view path, std::string_view reason);  // INVALID_ARGUMENT
absl::Status KeyDoesNotFitCertificate(std::string_view certificate);                             // INVALID_ARGUMENT
// A bug of ours. `what` is for us: it goes to the log and, shortened, to the caller.
absl::Status Internal(std::string_view what);  // INTERNAL

}  // namespace yardmaster::errors

#endif  // YARDMASTER_SERVICES_CORE_ERRORS_H_
