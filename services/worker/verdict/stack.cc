#include "services/worker/verdict/stack.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// Names of collectives and of what else only ends when others come, as frameworks' Python spells them.
#define YARD_COLLECTIVES                                                                        \
  "(?:all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier|monitored_barrier" \
  "|batch_isend_irecv|isend|irecv|send|recv|gather|scatter|reduce|init_process_group|new_group|new_subgroups)"

struct Frame {
  std::string_view text;
  std::string file;  // of Python; empty: a native one
  int number = 0;
  std::string function;  // of a native one all that is said of it
  std::string_view source;
};

struct Thread {
  std::string_view header;
  std::vector<Frame> frames;  // innermost first
};

bool Matches(std::string_view text, const RE2& pattern) { return RE2::PartialMatch(Piece(text), pattern); }

// "#3  0x00007f448f4c2843 in c10d::Work::wait(…) () from /lib/libtorch_cpu.so", "    poll (libc.so.6)".
bool ReadNativeFrame(std::string_view line, std::string& function) {
  static const RE2 kNumbered(R"(^\s*#\d+\s+(?:0x[0-9a-f]+\s+)?(?:in\s+)?(\S.*)$)", RE2::Latin1);
  static const RE2 kNamed(R"(^\s+(\S.*) \([^()\s]+\.so[^()\s]*\)$)", RE2::Latin1);
  return RE2::FullMatch(Piece(line), kNumbered, &function) || RE2::FullMatch(Piece(line), kNamed, &function);
}

// Threads of one process; lines before the first frame and those that are none are left out.
std::vector<Thread> ThreadsOf(const std::vector<std::string_view>& lines) {
  std::vector<Thread> threads;
  for (const std::string_view line : lines) {
    if (BeginsThread(line)) {
      threads.push_back({line, {}});
      continue;
    }
    if (line.starts_with(kSourceLineMark)) {
      if (threads.empty() || threads.back().frames.empty()) continue;
      threads.back().frames.back().source = TrimBlanks(line.substr(kSourceLineMark.size()));
      continue;
    }
    Frame frame;
    frame.text = line;
    if (!ReadPythonFrame(line, frame.file, frame.number, frame.function) && !ReadNativeFrame(line, frame.function)) {
      continue;
    }
    if (threads.empty()) threads.emplace_back();
    threads.back().frames.push_back(std::move(frame));
  }
  std::erase_if(threads, [](const Thread& thread) { return thread.frames.empty(); });
  return threads;
}

// The outermost frames of threads that a library starts for itself, and of processes that wait for work.
bool IsOfServer(const Frame& frame) {
  static const RE2 kServer(
      R"re(::runLoop\(|\bLoop::run\(|[wW]atchdog|[hH]eartbeatMonitor|\bncclProxy|TCPStore\w*Daemon)re"
      R"re(|BackgroundThread|\bworkCleanupLoop|\bprogress_thread_engine\b)re",
      RE2::Latin1);
  static const RE2 kHelper(R"(multiprocessing/(?:resource_tracker|semaphore_tracker|forkserver)|tqdm/_monitor)"
                           R"(|_utils/pin_memory|_inductor/compile_worker|concurrent/futures/thread)",
                           RE2::Latin1);
  return frame.file.empty() ? Matches(frame.function, kServer) : Matches(frame.file, kHelper);
}

// The name of the collective; "" for one without a name; nullopt: the frame is of none.
std::optional<std::string> OperationOf(const Frame& frame) {
  static const RE2 kNative(R"(\bP?(MPI_[A-Z]\w*)|\b([np]?ccl[A-Z]\w*|Hccl[A-Z]\w*)|\b(?:c10d|gloo)::)", RE2::Latin1);
  static const RE2 kNativeWait(R"(\bompi_(?:request|coll|mtl|sync)_|\bmca_pml_|\bucp_worker_progress|\bhorovod::)",
                               RE2::Latin1);
  static const RE2 kFile(R"((?:^|[/\\.])\w*(?:distributed|communication|collective|comm)\w*(?:\.py$|[/\\.]))",
                         RE2::Latin1);
  static const RE2 kFunction("^_*(?i:(" YARD_COLLECTIVES R"()\w*|store_based_barrier|wait|wait_tensor)$)", RE2::Latin1);
  std::string mpi;
  std::string name;
  if (frame.file.empty()) {
    if (RE2::PartialMatch(Piece(frame.function), kNative, &mpi, &name)) return mpi + name;
    return Matches(frame.function, kNativeWait) ? std::optional<std::string>("") : std::nullopt;
  }
  // Launchers and rendezvous of jobs are no ranks.
  if (Contains(frame.file, "distributed/elastic") || Contains(frame.file, "distributed/run.py")) return std::nullopt;
  if (!Matches(frame.file, kFile) || !RE2::FullMatch(Piece(frame.function), kFunction, &name)) return std::nullopt;
  return LowerCase(name);
}

// A call of one in the line of source at which a frame stands: what is called is native and has no frame of Python.
std::optional<std::string> OperationIn(std::string_view source) {
  static const RE2 kCall(
      R"((?i)\b(?:dist|distributed|comm\w*|c10d|pg|group|hccl|nccl|mpi|hvd|world)\w*\.(?:i|_)?()" YARD_COLLECTIVES
      R"(|allgatherv?|bcast|sendrecv|iallreduce)\w*\()",
      RE2::Latin1);
  std::string name;
  if (!RE2::PartialMatch(Piece(source), kCall, &name)) return std::nullopt;
  return LowerCase(name);
}

bool WaitsForDevice(const Frame& frame) {
  static const RE2 kNative(
      R"(\b(?:cuda|hip)(?:Stream|Device|Event)Synchronize|\bcu(?:Stream|Ctx|Event)Synchronize)"
      R"(|\baclrtSynchronize|\brt(?:Stream|Device|Event)Synchronize|_local_scalar_dense_(?:cuda|npu))"
      R"(|\bacl(?:rt)?Synchronize)",
      RE2::Latin1);
  if (frame.file.empty()) return Matches(frame.function, kNative);
  return frame.function == "synchronize" || frame.function == "asnumpy";
}

bool WaitsForChild(const Frame& frame) {
  static const RE2 kFile(R"((?:^|/)(?:subprocess\.py|multiprocessing/popen_\w+\.py|torch/multiprocessing/spawn\.py)$)",
                         RE2::Latin1);
  static const RE2 kNative(R"(^_*(?:GI___)?wait(?:4|pid|id)\b)", RE2::Latin1);
  if (frame.file.empty()) return Matches(frame.function, kNative);
  return Matches(frame.file, kFile) || frame.function == "_join_processes";
}

// In a framework's call, or at a line of the program whose call has no frame of its own.
bool MayWait(const Frame& frame) {
  static const RE2 kFramework(R"((?:^|/)(?:torch|torch_npu|mindspore|jax|tensorflow|paddle|cupy)/)", RE2::Latin1);
  static const RE2 kLoads(R"((?:^|/)torch/(?:utils/data|multiprocessing|serialization|hub)\b)", RE2::Latin1);
  static const RE2 kCall(R"(\.(?:item|tolist|cpu|numpy|asnumpy|synchronize|wait|result|backward)\()", RE2::Latin1);
  if (frame.file.empty()) return false;
  if (Matches(frame.source, kCall)) return true;
  return Matches(frame.file, kFramework) && !Matches(frame.file, kLoads);
}

// A native frame that says nothing of the program: of the system's library, of Python's interpreter.
bool IsOfSystem(const Frame& frame) {
  static const RE2 kSystem(
      R"(^_*(?:clock_nanosleep|nanosleep|u?sleep|p?poll|p?select|read|write|recv|send|accept|connect)"
      R"(|futex\w*|syscall|epoll_\w+|sem_\w+|pthread_\w+|sched_\w+|Py\w+)\b)"
      R"(| from \S*/(?:libc|libpthread|ld-linux)\b)",
      RE2::Latin1);
  return frame.file.empty() && Matches(frame.function, kSystem);
}

bool IsOfLibrary(const Frame& frame) {
  static const RE2 kLibrary(R"((?:^|/)(?:site-packages|dist-packages|lib/python[\d.]+|torch|mindspore)/|^<frozen)",
                            RE2::Latin1);
  static const RE2 kStandard(
      R"(^(?:threading|queue|socket|selectors|ssl|subprocess|asyncio/\w+|multiprocessing/\w+)\.py$)", RE2::Latin1);
  return frame.file.empty() || Matches(frame.file, kLibrary) || Matches(frame.file, kStandard);
}

// "/w/data/loader.py", 41, "read_shard" → "loader.py:41 in read_shard".
std::string PlaceOfFrame(const Frame& frame) {
  if (frame.file.empty()) return frame.function.substr(0, frame.function.find('('));
  return Concat(std::string_view(frame.file).substr(frame.file.rfind('/') + 1), ":", frame.number, " in ",
                frame.function);
}

const Frame& ShownFrame(const Thread& thread) {
  const auto own = absl::c_find_if(thread.frames, [](const Frame& frame) { return !IsOfLibrary(frame); });
  if (own != thread.frames.end()) return *own;
  const auto python = absl::c_find_if(thread.frames, [](const Frame& frame) { return !frame.file.empty(); });
  if (python != thread.frames.end()) return *python;
  const auto native = absl::c_find_if(thread.frames, [](const Frame& frame) { return !IsOfSystem(frame); });
  return native == thread.frames.end() ? thread.frames.front() : *native;
}

Stand StandOf(const Thread& thread) {
  Stand stand;
  const Frame& shown = ShownFrame(thread);
  stand.frame = shown.text;
  stand.place = PlaceOfFrame(shown);
  const Frame& innermost = thread.frames.front();
  bool others = false;
  for (const Frame& frame : thread.frames) {
    std::optional<std::string> operation = OperationOf(frame);
    if (!operation.has_value()) continue;
    others = true;
    // The wait inside of a collective says less than its name.
    if (stand.operation.empty() || stand.operation == "wait") stand.operation = *std::move(operation);
  }
  if (!others) {
    if (std::optional<std::string> called = OperationIn(innermost.source); called.has_value()) {
      others = true;
      stand.operation = *std::move(called);
    }
  }
  if (absl::c_any_of(thread.frames, IsOfServer)) {
    stand.doing = Doing::kServes;
  } else if (others) {
    stand.doing = Doing::kWaitsForOthers;
  } else if (absl::c_any_of(thread.frames, WaitsForDevice)) {
    stand.doing = Doing::kWaitsForDevice;
  } else if (absl::c_any_of(thread.frames, WaitsForChild)) {
    stand.doing = Doing::kWaitsForChild;
  } else {
    stand.doing = MayWait(innermost) ? Doing::kMayWait : Doing::kElsewhere;
  }
  return stand;
}

// Worker processes of a loader stand in its loop until they get work.
bool IsIdleWorker(const Thread& thread) {
  const bool worker = absl::c_any_of(thread.frames, [](const Frame& frame) {
    return frame.function == "_worker_loop" || frame.function == "_process_worker";
  });
  return worker && IsOfLibrary(thread.frames.front());
}

// faulthandler prints the first thread last.
size_t FirstThread(const std::vector<Thread>& threads) {
  constexpr std::string_view kFaulthandler = "most recent call first";
  size_t first = 0;
  while (first + 1 < threads.size() && Contains(threads[first].header, kFaulthandler) &&
         Contains(threads[first + 1].header, kFaulthandler)) {
    ++first;
  }
  return first;
}

std::string OperationText(const Stand& stand) { return stand.operation.empty() ? "a collective" : stand.operation; }

// "wait in all_reduce", "wait for the device", "wait in collectives".
std::string WaitText(const std::vector<const Stand*>& waiting) {
  const auto in_others = [](const Stand* stand) { return stand->doing == Doing::kWaitsForOthers; };
  const auto first = absl::c_find_if(waiting, in_others);
  if (first == waiting.end()) return waiting.size() == 1 ? "waits for its device" : "wait for their devices";
  const bool same = absl::c_all_of(waiting, [&](const Stand* stand) {
    return !in_others(stand) || OperationText(*stand) == OperationText(**first);
  });
  return Concat(waiting.size() == 1 ? "waits in " : "wait in ", same ? OperationText(**first) : "collectives");
}

// Where all wait for others, but not for the same: the fewer.
OddOnes OddAmongWaiting(const std::vector<Stand>& stands) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> places;
  for (size_t i = 0; i < stands.size(); ++i) places[{stands[i].operation, stands[i].place}].push_back(i);
  OddOnes odd;
  if (places.size() != 2) return odd;
  const auto& [few, many] = std::minmax(*places.begin(), *std::next(places.begin()),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (few.second.size() == many.second.size()) return odd;
  odd.which = few.second;
  const auto text = [&](size_t index) { return Concat(OperationText(stands[index]), " (", stands[index].place, ")"); };
  odd.why = Concat("in ", text(few.second.front()), ", and the others wait in ", text(many.second.front()));
  return odd;
}

}  // namespace

bool BeginsThread(std::string_view line) {
  static const RE2 kThread(R"re(^(?:(?:Current )?[Tt]hread (?:0x|\d)|TID \d|Stack \(most recent call first\):))re",
                           RE2::Latin1);
  return Matches(line, kThread);
}

bool ReadPythonFrame(std::string_view line, std::string& file, int& number, std::string& function) {
  static const RE2 kFaulthandler(R"re(^\s*File "([^"]+)", line (\d{1,9}),? in (\S.*)$)re", RE2::Latin1);
  static const RE2 kPySpy(R"re(^\s*(\S+) \(([^()\s]+\.\w+|<[^<>]+>):(\d{1,9})\)$)re", RE2::Latin1);
  return RE2::FullMatch(Piece(line), kFaulthandler, &file, &number, &function) ||
         RE2::FullMatch(Piece(line), kPySpy, &function, &file, &number);
}

bool IsStackFrame(std::string_view line) {
  std::string file;
  int number = 0;
  std::string function;
  return ReadPythonFrame(line, file, number, function) || ReadNativeFrame(line, function);
}

Stand ReadStack(const std::vector<std::string_view>& lines) {
  const std::vector<Thread> threads = ThreadsOf(lines);
  if (threads.empty()) return {};
  std::vector<Stand> stands;
  for (const Thread& thread : threads) {
    stands.push_back(StandOf(thread));
    if (IsIdleWorker(thread)) stands.back().doing = Doing::kServes;
  }
  const Stand& first = stands[FirstThread(threads)];
  for (const Doing doing : {Doing::kWaitsForOthers, Doing::kWaitsForDevice}) {
    const auto waits = absl::c_find_if(stands, [&](const Stand& stand) { return stand.doing == doing; });
    if (waits == stands.end()) continue;
    Stand stand = *waits;
    // Python's frame says more than a native one of another thread, or of another tool.
    std::string file;
    std::string function;
    int number = 0;
    if (!ReadPythonFrame(stand.frame, file, number, function) && ReadPythonFrame(first.frame, file, number, function)) {
      stand.frame = first.frame;
      stand.place = first.place;
    }
    return stand;
  }
  return first;
}

Stand CombineStands(const std::vector<Stand>& stands) {
  for (const Doing doing : {Doing::kWaitsForOthers, Doing::kWaitsForDevice}) {
    const auto waits = absl::c_find_if(stands, [&](const Stand& stand) { return stand.doing == doing; });
    if (waits != stands.end()) return *waits;
  }
  const auto says = absl::c_find_if(
      stands, [](const Stand& stand) { return stand.doing == Doing::kElsewhere || stand.doing == Doing::kMayWait; });
  return says == stands.end() ? Stand() : *says;
}

OddOnes FindOddOnes(const std::vector<Stand>& stands) {
  OddOnes odd;
  std::vector<const Stand*> waiting;
  bool all = !stands.empty();
  for (size_t i = 0; i < stands.size(); ++i) {
    const Doing doing = stands[i].doing;
    if (doing == Doing::kWaitsForOthers || doing == Doing::kWaitsForDevice) waiting.push_back(&stands[i]);
    if (doing == Doing::kElsewhere) odd.which.push_back(i);
    all = all && doing == Doing::kWaitsForOthers;
  }
  if (all) return OddAmongWaiting(stands);
  if (waiting.empty()) odd.which.clear();
  if (!odd.which.empty()) {
    odd.why = Concat("in no collective, and the other", waiting.size() == 1 ? " " : "s ", WaitText(waiting));
  }
  return odd;
}

}  // namespace yardmaster::worker
