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
    // Loggers and CI: "2026-01-31T04:40:19.123Z ", "[2026-01-31 04:40:19,123]: ", sglang's "[2026-01-31 04:40:19 TP3]
    // ".
    R"(|\[?\d{4}-\d\d-\d\d[T -]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?:?[ \t])"
    R"(|\[\d\d-\d\d \d\d:\d\d:\d\d\] )"
    // TeamCity: "[10:08:19]\t[Step 1/1] ".
    R"(|\[\d\d:\d\d:\d\d\][ \t]|\[Step \d+/\d+\] )"
    R"(|\d\d:\d\d:\d\d(?:[.,]\d{3,6})? )"
    // BuildKit: "#22 3039.4 ". GitHub's own words: "##[error]".
    R"(|#\d+ \d+\.\d+ )"
    R"(|##\[[a-z]+\])";

constexpr char kPrograms[] =
    // torch and torchrun: "[rank1]: ".
    R"(|\[rank\d+\]: ?)"
    // glog and torch's loggers, but for last messages: "E1111 01:25:01.832000 3500421 site-packages/torch/x.py:978] ".
    R"(|[IWE](?:20\d\d)?\d{4} \d\d:\d\d:\d\d(?:\.\d+)? +(?:\d+ )?\S+:\d+\] ?)"
    // Ray and vLLM: "(pid=12, ip=10.0.0.2) ", "(VllmWorker rank=2 pid=7) ", "(EngineCore_DP0 pid=7) ".
    R"(|\((?:\w+ )?(?:rank=\d+ )?pid=\d+(?:, ip=[0-9a-f.:]+)?\) ?)"
    // vLLM: "ERROR 05-20 05:30:09 [core.py:489] ".
    R"(|(?:INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]+:\d+\] ?)"
    // MindSpore: "[ERROR] ME(130371:2814,MainProcess):2026-01-31-14:22:26.839.923 [mindspore/x.py:268] ".
    R"(|\[(?:INFO|WARNING|ERROR|CRITICAL)\] [A-Z_]+\([^()]*\):\d{4}-\d\d-\d\d-\d\d:\d\d:[\d.]+ \[[^\[\]]+\] )"
    // msrun shows parts of its workers' logs as grep does: "worker_3.log-101-", "scheduler.log:58:".
    R"(|(?:worker_\d+|scheduler)\.log[-:]\d+[-:])"
    // pdsh, with the hosts of DeepSpeed: "worker-1: ".
    R"(|worker-\d+: )"
    // mpirun: "[1,3]<stderr>: ".
    R"(|\[\d+,\d+\]<std(?:out|err)>: ?)"
    R"(|INTERNALERROR> ))";

RE2::Options Latin1() {
  RE2::Options options;
  // Output is in no particular encoding.
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

// Lines without a prefix, most of all, are not searched for one.
bool MayHavePrefix(char c) {
  return c == '[' || c == '(' || c == '#' || c == 's' || c == 'w' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string_view WithoutPrefix(std::string_view line) {
  static const RE2 kPrefix(std::string(kStamps) + kPrograms, Latin1());
  // The journal: "Apr 29 19:24:11 host kernel: "; an old CI has no host.
  static const RE2 kMonth(R"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )", Latin1());
  static const RE2 kHost(R"(([\w.-]+ )[\w./-]+(?:\[\d+\])?: )", Latin1());
  re2::StringPiece rest = Piece(line);
  for (int i = 0; i < kMostPrefixes && !rest.empty() && MayHavePrefix(rest[0]); ++i) {
    if (RE2::Consume(&rest, kMonth)) {
      re2::StringPiece host;
      re2::StringPiece ahead = rest;
      if (RE2::Consume(&ahead, kHost, &host)) rest.remove_prefix(host.size());
    } else if (!RE2::Consume(&rest, kPrefix)) {
      break;
    }
  }
  return {rest.data(), rest.size()};
}

std::optional<int> RankInPrefix(std::string_view line) {
  static const RE2 kInPrefix(R"((?:\brank=|\[rank|\[\d+,)(\d{1,6})\b)", Latin1());
  // torch of itself: "[Rank 2] ", "[PG ID 0 PG GUID 0(default_pg) Rank 2] ".
  static const RE2 kBehind(R"(^\[(?:PG [^\[\]]* )?Rank (\d{1,6})\])", Latin1());
  const std::string_view said = WithoutPrefix(line);
  const std::string_view prefix = line.substr(0, line.size() - said.size());
  int rank = 0;
  const bool named =
      RE2::PartialMatch(Piece(prefix), kInPrefix, &rank) || RE2::PartialMatch(Piece(said), kBehind, &rank);
  return named ? std::optional<int>(rank) : std::nullopt;
}

}  // namespace yardmaster::worker
