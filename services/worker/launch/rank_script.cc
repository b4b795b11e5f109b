#include "services/worker/launch/rank_script.h"

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/worker/launch/shell_text.h"

namespace yardmaster::worker {
namespace {

// The rank's command is a child, not an exec, since nothing else would tell us how it ended: launchers give one exit
// code for all. A signal to this shell is handed on; bash runs a trap only between two waits, so it waits until the
// child is really gone. At the end it dies as its child died, for the launcher to see.
constexpr const char* kScript = R"(
case $rank in
  ''|*[!0-9]*) echo 'a process was started without a rank' >&2; exit 126;;
esac
exec >"$control/rank.$rank.out" 2>"$control/rank.$rank.err"
printf '%s\n' "${EPOCHREALTIME/,/.}" >"$control/rank.$rank.begin"
bash "$control/rank.$rank.sh" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM HUP
trap 'kill -INT "$child" 2>/dev/null' INT
code=0
wait "$child"; code=$?
while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
printf '%s %s\n' "${EPOCHREALTIME/,/.}" "$code" >"$control/rank.$rank.end"
trap - TERM HUP INT
if [ "$code" -gt 128 ]; then ulimit -c 0; kill -s $((code - 128)) "$$" 2>/dev/null; fi
exit "$code"
)";

}  // namespace

std::string RankFile(std::string_view pattern, int rank) {
  std::string out(pattern);
  constexpr std::string_view kMark = "RANK";
  out.replace(out.find(kMark), kMark.size(), std::to_string(rank));
  return out;
}

std::string RankScript(const std::filesystem::path& control, std::string_view rank_variable) {
  return absl::StrCat("control=", ShellQuoted(control.native()), "\nrank=${", Abs(rank_variable), ":-}", kScript);
}

}  // namespace yardmaster::worker
