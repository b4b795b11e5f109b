#include "services/worker/verdict/line_prefix.h"

#include <re2/re2.h>

#include <optional>
#include <string>

#include "services/worker/re2_piece.h"

namespace yardmaster::worker {
namespace {

// One program passes on what another one does, which passes on what a third one does.
constexpr int kMostPrefixes = 5;

constexpr char kStamps[] =
    // The kernel: "[ 8812.101] ".
    R"((?:\[ *\d+\.\d{3,9}\] )"
    // sglang: "[2026-01-31 04:40:19 TP3] ".
    R"(|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z]\w*)+\]:?[ \t])"
    // Ray: "[2026-01-31 04:40:19,123 C 37433 2749808] ".
    R"(|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [DIWEC] \d+ \d+\] )"
    // Loggers and CI: "2026-01-31T04:40:19.123Z ", "[2026-01-31 04:40:19,123]: "; GitLab's with a mark of the stream:
    // "2026-01-31T04:40:19.123456Z 01O ".
    R"(|\[?\d{4}[-/]\d\d[-/]\d\d[T -]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?:?(?: \d\d[OE]\+?)?[ \t])"
    R"(|\[\d\d-\d\d \d\d:\d\d:\d\d\] |\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{3,6})? |\d\d/\d\d/(?:20)?\d\d \d\d:\d\d:\d\d )"
    // TeamCity: "[10:08:19]\t[Step 1/1] ".
    R"(|\[\d\d:\d\d:\d\d(?:\.\d{3,6})?\][ \t]|\[Step \d+/\d+\] )"
    R"(|\d\d:\d\d:\d\d(?:[.,]\d{3,6})? )"
    // BuildKit: "#22 3039.4 ". GitHub's own words: "##[error]".
    R"(|#\d+ \d+\.\d+ )"
    R"(|##\[[a-z]+\])";

constexpr char kPrograms[] =
    // torch and torchrun: "[rank1]: ", "[default1]:", "[trainer1|1]:".
    R"(|\[(?:rank|default|trainer)\d+(?:\|\d+)?\]: ?|[Rr]ank ?\d{1,6}: )"
    // glog and torch's loggers, but for last messages: "E1111 01:25:01.832000 3500421 site-packages/torch/x.py:978] ".
    R"(|[IWE](?:20\d\d)?\d{4} \d\d:\d\d:\d\d(?:\.\d+)? +(?:\d+ )?\S+:\d+\] ?)"
    // Ray and vLLM: "(pid=12, ip=10.0.0.2) ", "(VllmWorker rank=2 pid=7) ", "(EngineCore_DP0 pid=7) ".
    R"(|\((?:[\w.:-]+ )?(?:rank=\d+ )?pid=\d+(?:, ip=[0-9a-f.:]+)?\) ?|\(raylet(?:, ip=[0-9a-f.:]+)?\) )"
    // vLLM: "ERROR 05-20 05:30:09 [core.py:489] ".
    R"(|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \[?[\w./]+:\d+\] ?)"
    // Python's loggers, behind a time or alone: "- trainer - ERROR - ", "ERROR:trainer:", "| ERROR    | a.b:f:12 - ",
    // "[ERROR] [launch.py:12:main] ". An error that is only warned of keeps its word.
    R"(|- (?:[\w.]+ - )?(?:INFO|WARNING|ERROR|CRITICAL) - |(?:ERROR|CRITICAL):[\w.]+:|\| (?:ERROR|CRITICAL) +\| \S+ [-|] )"
    R"(|\[(?:ERROR|CRITICAL|FATAL)\] \[[\w./]+\.(?:py|cc|cpp):\d+(?::\w+)?\] )"
    // MindSpore and CANN: "[ERROR] ME(130371:2814,MainProcess):2026-01-31-14:22:26.839.923 [mindspore/x.py:268] ",
    // "[ERROR] RUNTIME(7,python):2026-01-31-14:22:26.839.923 [engine.cc:12]7 ".
    R"(|\[(?:INFO|WARNING|ERROR|CRITICAL)\] [A-Z_]+\([^()]*\): ?\d{4}-\d\d-\d\d-\d\d:\d\d:[\d.]+ \[[^\[\]]+\](?:\d+ | |$))"
    // msrun shows parts of its workers' logs as grep does: "worker_3.log-101-", "scheduler.log:58:".
    R"(|(?:worker_\d+|scheduler)\.log[-:]\d+[-:])"
    // pdsh, with the hosts of DeepSpeed: "worker-1: ". srun -l: "3: ".
    R"(|(?:worker|node|host|gpu)-?\d+: |\d{1,5}: )"
    // What else names the stream or the place of a line: "stderr: ", "[node1] ", "[pod/plan-0/main] ", "[INFO] ".
    R"(|(?:stderr|stdout|err|out): |\[(?:stderr|stdout|INFO|(?:node|host|worker|gpu)-?\d+|[a-z]+[-/][\w./-]+)\] )"
    // mpirun: "[1,3]<stderr>: ", "[prterun-host-1@1,3]<stderr>: "; Hydra: "[3] ".
    R"(|\[(?:[\w.-]+@)?(?:\d+,)?\d+\]<std(?:out|err)>: ?|\[\d{1,5}\] )"
    // Containers of a composition: "worker-1  | ". Members of a group of exceptions of Python: "  | ".
    R"(|[\w.-]+[-_]\d+ +\| |[a-z][\w.-]* {2,}\| | {2,8}\| )"
    // What LLVM's lit shows of a command, and Julia's tests of a worker.
    R"(|# \| | *From worker \d+:\t)"
    R"(|INTERNALERROR> ))";

RE2::Options Latin1() {
  RE2::Options options;
  // Output is in no particular encoding.
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

// Lines without a prefix, most of all, are not searched for one.
bool MayHavePrefix(char c) {
  return c == '[' || c == '(' || c == '#' || c == '|' || c == '-' || c == ' ' || (c >= '0' && c <= '9') ||
         (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string_view WithoutPrefix(std::string_view line) {
  static const RE2 kPrefix(std::string(kStamps) + kPrograms, Latin1());
  // The journal: "Apr 29 19:24:11 host kernel: "; an old CI has neither host nor program.
  // mpirun and Horovod: "Fri Sep 25 16:52:51 2020[1]<stderr>:".
  static const RE2 kMonth(R"((?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?: \d{4})?(?: |\b))", Latin1());
  static const RE2 kHost(R"([\w.-]+ [\w./-]+(?:\[\d+\])?: )", Latin1());
  re2::StringPiece rest = Piece(line);
  for (int i = 0; i < kMostPrefixes && !rest.empty() && MayHavePrefix(rest[0]); ++i) {
    if (RE2::Consume(&rest, kMonth)) {
      RE2::Consume(&rest, kHost);
    } else if (!RE2::Consume(&rest, kPrefix)) {
      break;
    }
  }
  // Jenkins sets two blanks behind a time; more of them are an indentation.
  const bool one_blank = rest.size() > 1 && rest[0] == ' ' && rest[1] != ' ';
  if (one_blank && rest.size() < line.size()) rest.remove_prefix(1);
  return {rest.data(), rest.size()};
}

std::string_view PrefixOf(std::string_view line) { return line.substr(0, line.size() - WithoutPrefix(line).size()); }

std::string_view ProcessInPrefix(std::string_view prefix) {
  static const RE2 kProcess(
      R"((\[(?:rank|default|trainer)\d+|\b[Rr]ank ?\d+|\bpid=\d+|[\[@]\d+,\d+\]|\[\d{1,5}\]<|\bTP\d+|\bworker[-_]\d+|^\d{1,5}: |^\[\d{1,5}\] ))",
      Latin1());
  re2::StringPiece process;
  if (!RE2::PartialMatch(Piece(prefix), kProcess, &process)) return {};
  return {process.data(), process.size()};
}

std::optional<int> RankInPrefix(std::string_view line) {
  static const RE2 kInPrefix(R"((?:\brank=|\[rank|\b[Rr]ank ?|[\[@]\d+,)(\d{1,6})\b)", Latin1());
  // torch of itself: "[Rank 2] ", "[PG ID 0 PG GUID 0(default_pg) Rank 2] ".
  static const RE2 kBehind(R"(^\[(?:PG [^\[\]]* )?Rank (\d{1,6})\])", Latin1());
  // mpirun of one of them.
  static const RE2 kNoticed(R"(^(?:mpirun|mpiexec|prterun) noticed that process rank (\d{1,6}) )", Latin1());
  const std::string_view said = WithoutPrefix(line);
  const std::string_view prefix = line.substr(0, line.size() - said.size());
  int rank = 0;
  const bool named = RE2::PartialMatch(Piece(prefix), kInPrefix, &rank) ||
                     RE2::PartialMatch(Piece(said), kBehind, &rank) || RE2::PartialMatch(Piece(said), kNoticed, &rank);
  return named ? std::optional<int>(rank) : std::nullopt;
}

}  // namespace yardmaster::worker
