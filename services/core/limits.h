// Every limit of the services, in one place. Passing a limit is an error or a reason that names it, never silence.
// Limits of packs and of the Markdown parser are beside their code in rules/engine.
#ifndef YARDMASTER_SERVICES_CORE_LIMITS_H_
#define YARDMASTER_SERVICES_CORE_LIMITS_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace yardmaster {

// The smaller of two limits, of which 0 is none.
constexpr uint64_t LeastLimit(uint64_t a, uint64_t b) { return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b); }

// --- What comes in by gRPC ---

// One message, either way. A whole issue with all its comments fits several times; an operator's files at their limit
// (below) fit with their names.
inline constexpr size_t kMaxRpcMessageBytes = 9 * 1024 * 1024;
// Request metadata, all of it: tokens and request ids are short.
inline constexpr size_t kMaxRpcMetadataBytes = 16 * 1024;
// Calls at once on one connection.
inline constexpr int kMaxRpcStreamsPerConnection = 1024;
// An idle connection is asked for a sign of life after this, and cut when none comes.
inline constexpr std::chrono::milliseconds kRpcKeepaliveTime{60'000};
inline constexpr std::chrono::milliseconds kRpcKeepaliveTimeout{20'000};
// Clients may ask for one as often as that: behind NAT a worker finds out by it that nobody hears it.
inline constexpr std::chrono::milliseconds kRpcClientKeepaliveAtLeast{5'000};
// A status message, which travels in a header: what is longer is cut.
inline constexpr size_t kMaxStatusMessageBytes = 4 * 1024;
// A caller's own request id; what is longer or not printable is replaced by one of ours.
inline constexpr size_t kMaxRequestIdBytes = 64;

// --- Issues ---

// GitHub cuts titles at 256 characters; GitCode allows more. In bytes.
inline constexpr size_t kMaxTitleBytes = 4 * 1024;
// GitHub cuts bodies at 65,536 characters, which can be 256 KiB.
inline constexpr size_t kMaxBodyBytes = 1024 * 1024;
// One comment: as a body.
inline constexpr size_t kMaxCommentBytes = 1024 * 1024;
// Comments of one snapshot.
inline constexpr size_t kMaxComments = 1000;
// All comments of one snapshot together.
inline constexpr size_t kMaxAllCommentsBytes = 4 * 1024 * 1024;
// Labels on one subject.
inline constexpr size_t kMaxLabels = 200;
inline constexpr size_t kMaxLabelBytes = 256;
// Logins, repository names, forge names, pack names and ids in requests.
inline constexpr size_t kMaxNameBytes = 256;

// --- Decisions, packs, backtests ---

// Decisions that the daemon keeps in memory for ExplainDecision.
inline constexpr size_t kMaxDecisionsKept = 1000;
// Matched text that an explanation quotes for one piece of evidence.
inline constexpr size_t kMaxEvidenceTextBytes = 200;
// Cases of one Backtest call. The message limit holds as well.
inline constexpr size_t kMaxBacktestCases = 20'000;
// Cases that one EvaluateCases stream may send.
inline constexpr size_t kMaxEvaluateCases = 1'000'000;
// Threads that compile packs at a start or a reload.
inline constexpr size_t kMaxPackLoadThreads = 4;
// Threads for calls that compile packs or decide many cases, and calls that may wait for one of them; more are refused.
inline constexpr size_t kLongCallThreads = 2;
// Threads for calls into the pipe, which mostly wait: for the database, a forge, or a sweep.
inline constexpr size_t kIntakeCallThreads = 8;
inline constexpr size_t kMaxLongCallsWaiting = 16;
// Threads for what people ask about jobs and for their watches, and others for what workers say; each call or stream
// waits at most once, so that so many may wait is the number of clients.
inline constexpr size_t kJobCallThreads = 4;
inline constexpr size_t kWorkerCallThreads = 8;
inline constexpr size_t kMaxDispatchCallsWaiting = 4'096;
// Files that one ValidatePack or Backtest call may send inline.
inline constexpr size_t kMaxInlinePackFiles = 200;

// --- Reviews ---

// All files of an operator that come inline, and how many.
inline constexpr size_t kMaxOperatorBytes = 8 * 1024 * 1024;
inline constexpr size_t kMaxOperatorFiles = 1000;
inline constexpr size_t kMaxReviewPathBytes = 4096;
// What is remembered about an operator.
inline constexpr size_t kMaxOperatorStateBytes = 4 * 1024 * 1024;
// A review that is kept, and what one tool found at a commit; tools of one commit.
inline constexpr size_t kMaxStoredReviewBytes = 32 * 1024 * 1024;
inline constexpr size_t kMaxImportTools = 16;
// What a pack in the shadow would have done about one subject: bytes that are kept, differences and examples of one
// kind that are told, and runs that a report sums up.
inline constexpr size_t kMaxShadowRecordBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxShadowDifferences = 200;
inline constexpr size_t kMaxShadowExamples = 20;
inline constexpr size_t kMaxShadowRuns = 20'000;
// A push is reviewed so much later, unless another one comes before: by default, and at most.
inline constexpr std::chrono::milliseconds kReviewDebounce{5'000};
inline constexpr std::chrono::milliseconds kMostReviewDebounce{600'000};
// Files of a pull request that are read one by one where its git server can't be reached.
inline constexpr size_t kMaxPullReviewFiles = 60;
// Threads that make reviews of changes for the pipe, and reviews that may wait for one.
inline constexpr size_t kReviewThreads = 2;
inline constexpr size_t kMaxReviewsWaiting = 64;
// Comments at lines that one review may be configured to write.
inline constexpr size_t kMostInlineComments = 100;
// Gates of one operator whose last answer is remembered.
inline constexpr size_t kMaxGateRecords = 200;

// --- Effects ---

// What one effect writes, with everything around it, and what it remembers of a work in many calls.
inline constexpr size_t kMaxEffectBytes = 4 * 1024 * 1024;
inline constexpr size_t kMaxEffectProgressBytes = 64 * 1024;

// --- Commands ---

// Commands of one comment or opening post; what stands behind them is not read.
inline constexpr size_t kMaxCommandsInText = 20;
// One line with a command; a longer one is refused.
inline constexpr size_t kMaxCommandLineBytes = 8 * 1024;
// Words of one such line.
inline constexpr size_t kMaxCommandWords = 200;

// --- Git servers ---

// What one answer of a git server may have: a commit of a whole repository, packed, where the server can't leave files
// out.
inline constexpr size_t kMaxGitAnswerBytes = 64 * 1024 * 1024;
// Objects of such a commit; the largest of them, and all of them, unpacked.
inline constexpr size_t kMaxGitObjects = 200'000;
inline constexpr size_t kMaxGitObjectBytes = 64 * 1024 * 1024;
inline constexpr size_t kMaxGitUnpackedBytes = 512 * 1024 * 1024;
// Entries of one tree that are looked at, and folders inside each other: a tree of some kilobytes can name itself
// billions of times.
inline constexpr size_t kMaxGitTreeEntries = 1'000'000;
inline constexpr int kMaxGitTreeDepth = 64;
// Changed files of a work tree whose content is held in memory, each and together; larger ones are read from the disk.
inline constexpr uint64_t kMaxGitWorkFileBytes = 8 * 1024 * 1024;
inline constexpr uint64_t kMaxGitWorkBytes = 256 * 1024 * 1024;
// All that is asked of a git server for one call.
inline constexpr std::chrono::milliseconds kGitTimeout{60'000};
// The cache of repositories: one answer, its objects and what they are unpacked; one repository and all of them on the
// disk; packs of one repository before it is fetched anew; commits that are named to the server as known.
inline constexpr size_t kMaxGitCacheAnswerBytes = 256 * 1024 * 1024;
inline constexpr size_t kMaxGitCacheObjects = 4'000'000;
inline constexpr size_t kMaxGitCacheUnpackedBytes = size_t{4} * 1024 * 1024 * 1024;
inline constexpr uint64_t kMaxGitCacheRepositoryBytes = uint64_t{1} * 1024 * 1024 * 1024;
inline constexpr uint64_t kMaxGitCacheBytes = uint64_t{8} * 1024 * 1024 * 1024;
inline constexpr size_t kMaxGitCachePacks = 50;
inline constexpr size_t kMaxGitCacheTips = 256;
// Repositories that are read at once; more are turned away.
inline constexpr int kMaxGitReads = 2;

// --- HTTP (defaults; the config's "limits" may change the ones that it names) ---

inline constexpr size_t kMaxHttpHeaderBytes = 16 * 1024;
// GitHub sends no payload above 25 MB; real ones stay below 1 MiB.
inline constexpr size_t kMaxHttpBodyBytes = 8 * 1024 * 1024;
// An operator may raise the limit up to here; the inbox keeps whatever came in under it.
inline constexpr size_t kMostHttpBodyBytes = 64 * 1024 * 1024;
inline constexpr size_t kMaxHttpConnections = 1024;
// The whole of one request's head, from its first byte or from the connection's start.
inline constexpr std::chrono::milliseconds kHttpHeaderTimeout{5'000};
// The whole of one request's body.
inline constexpr std::chrono::milliseconds kHttpBodyTimeout{10'000};
// A handler's work until its answer.
inline constexpr std::chrono::milliseconds kHttpHandlerTimeout{30'000};
// The whole of one response.
inline constexpr std::chrono::milliseconds kHttpWriteTimeout{10'000};
// A kept-alive connection without a request.
inline constexpr std::chrono::milliseconds kHttpIdleTimeout{30'000};
// Requests on one connection, so that clients spread again after a restart of a balancer.
inline constexpr size_t kMaxHttpRequestsPerConnection = 100'000;

// --- Configuration ---

inline constexpr size_t kMaxConfigBytes = 1024 * 1024;
inline constexpr size_t kMaxConfigDepth = 16;
inline constexpr size_t kMaxSecretBytes = 64 * 1024;
// Certificates and keys.
inline constexpr size_t kMaxPemBytes = 1024 * 1024;

// The file of a repository or an organisation that says how the bot works there: anyone may propose one.
inline constexpr size_t kMaxRepositoryFileBytes = 64 * 1024;
inline constexpr size_t kMaxRepositoryFileDepth = 8;
inline constexpr size_t kMaxRepositoryFileValues = 5'000;
// Severities and exemptions in one such file.
inline constexpr size_t kMaxRepositoryRules = 500;
// Kinds of people that may give one command; a team costs a call to the forge.
inline constexpr size_t kMaxCommandRights = 16;
inline constexpr size_t kMaxCommandsOfPack = 200;
// Words or logins of other bots in one configuration.
inline constexpr size_t kMaxBotWords = 200;

// --- The store ---

// Deliveries that may wait for a commit, and their compressed bodies together, before new ones are turned away.
inline constexpr size_t kStoreQueueDeliveries = 2'000;
inline constexpr size_t kStoreQueueBytes = 8 * 1024 * 1024;
// With less free disk than this nothing new is taken in. What was begun can still be noted.
inline constexpr uint64_t kStoreDiskFloorBytes = uint64_t{256} * 1024 * 1024;
// After a commit of several deliveries the next one begins no sooner than so long after it began.
inline constexpr std::chrono::milliseconds kStoreBetweenGroups{3};
// Connections for reading.
inline constexpr size_t kStoreReaders = 4;
// Between looks for what retention has to remove.
inline constexpr std::chrono::milliseconds kStoreMaintenanceInterval{60'000};
// Rows of one page of a list.
inline constexpr int64_t kMaxStorePage = 500;
// Subjects that one query for similar ones may name.
inline constexpr int64_t kMaxSimilar = 50;
// What of a body is indexed and compared: the beginning says what it is about.
inline constexpr size_t kMaxIndexedBodyBytes = 4 * 1024;
// How long a run of a schedule may take unless the configuration says otherwise.
inline constexpr std::chrono::minutes kScheduleLimit{360};
// What a schedule may note of how far it has come.
inline constexpr size_t kMaxCursorBytes = 4 * 1024;
// A reason that is kept with a delivery or an effect; longer ones are cut.
inline constexpr size_t kMaxReasonBytes = 1024;

// --- The daemon ---

// How long calls in flight may take to end after SIGTERM.
inline constexpr std::chrono::milliseconds kDrainTimeout{10'000};
// One log line; longer field values are cut.
inline constexpr size_t kMaxLogFieldBytes = 4 * 1024;
// Log lines that wait for a slow stderr; the oldest are dropped beyond that.
inline constexpr size_t kLogQueueLines = 2048;
// How long the end of the program waits for a slow stderr.
inline constexpr std::chrono::milliseconds kLogFlushTimeout{1'000};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_LIMITS_H_
