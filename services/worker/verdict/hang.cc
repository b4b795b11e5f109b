#include "services/worker/verdict/hang.h"

#include <re2/re2.h>

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

// Lines of each rank that are compared with what the others said last.
constexpr size_t kComparedLines = 2000;

struct Place {
  const RankView* view = nullptr;
  std::vector<LogLine> lines;
  std::vector<std::string> shapes;        // the same without what differs from rank to rank
  std::optional<int64_t> last_completed;  // collective, as NCCL's watchdog says it
  std::optional<LogLine> frame;           // of a stack that was taken of it: the one that it stood in
  bool in_collective = false;             // by that stack

  // The line that shows where it stood; null: it said nothing.
  const LogLine* shown() const {
    // A frame of a native library says little to people.
    if (frame.has_value() && frame->text.find(".py") != std::string::npos) return &*frame;
    return lines.empty() ? nullptr : &lines.back();
  }
};

// Stacks as faulthandler, py-spy and gdb print them.
bool IsFrame(const std::string& line) {
  static const RE2 kFrame(R"re(^\s*(?:File ".+", line \d+,? in \S|#\d+ |[\w<>.]+ \(\S+\.\w+:\d+\)))re", RE2::Latin1);
  return RE2::PartialMatch(line, kFrame);
}

bool BeginsThread(const std::string& line) {
  static const RE2 kThread(R"re(^(?:(?:Current )?[Tt]hread (?:0x|\d)|TID \d))re", RE2::Latin1);
  return RE2::PartialMatch(line, kThread);
}

bool IsFrameOfCollective(const std::string& line) {
  static const RE2 kCollective(
      R"re(torch[/.]distributed[/.].*\b(?:all_|reduce|gather|scatter|broadcast|barrier|send|recv|batch_))re"
      R"re(|\b(?:all_|reduce|gather|scatter|broadcast|barrier|send|recv|batch_)\w* \(\S*torch/distributed/)re"
      R"re(|\b(?:c10d|gloo)::|\bP?MPI_[A-Z]|\b[np]?ccl[A-Z]|\bHccl[A-Z])re",
      RE2::Latin1);
  return RE2::PartialMatch(line, kCollective);
}

// The outermost frames of threads that a library starts for itself.
bool IsFrameOfServer(const std::string& line) {
  static const RE2 kServer(
      R"re(::runLoop\(|\bLoop::run\(|[wW]atchdog|[hH]eartbeatMonitor|\bncclProxy|TCPStore\w*Daemon)re"
      R"re(|BackgroundThread|\bworkCleanupLoop)re",
      RE2::Latin1);
  return RE2::PartialMatch(line, kServer);
}

// Numbers, addresses and times differ between ranks that are at the same place.
std::string Shape(std::string line) {
  static const RE2 kNumber(R"(\d+)", RE2::Latin1);
  RE2::GlobalReplace(&line, kNumber, "#");
  return line;
}

// Only lines up to `stopped` count: what a rank says while it is ended says nothing of where it stood.
Place PlaceOf(LogReader& log, const RankView& view, int64_t stopped) {
  static const RE2 kCompleted(R"(last completed (?:NCCL )?work: (-?\d{1,18}))");
  Place place;
  place.view = &view;
  absl::StatusOr<std::vector<LogLine>> lines = log.Tail(kComparedLines, view.rank);
  if (lines.ok()) place.lines = *std::move(lines);
  std::erase_if(place.lines, [&](const LogLine& line) { return line.micros > stopped; });
  // Threads that serve a library wait in its loops on every rank, whatever the rank does.
  bool collective = false;
  bool serves = false;
  const auto end_thread = [&] {
    place.in_collective = place.in_collective || (collective && !serves);
    collective = serves = false;
  };
  for (const LogLine& line : place.lines) {
    if (BeginsThread(line.text)) end_thread();
    if (!IsFrame(line.text)) continue;
    if (!place.frame.has_value()) place.frame = line;
    collective = collective || IsFrameOfCollective(line.text);
    serves = serves || IsFrameOfServer(line.text);
  }
  end_thread();
  std::erase_if(place.lines, [](const LogLine& line) { return IsFrame(line.text) || BeginsThread(line.text); });
  for (const LogLine& line : place.lines) {
    place.shapes.push_back(Shape(line.text));
    int64_t number = 0;
    if (RE2::PartialMatch(line.text, kCompleted, &number)) place.last_completed = number;
  }
  return place;
}

// `b` said what `a` said last, and went on to what `a` never said.
bool IsBehind(const Place& a, const Place& b) {
  if (b.shapes.empty()) return false;
  if (a.shapes.empty()) return true;
  const std::string& last = a.shapes.back();
  if (last == b.shapes.back()) return false;
  const bool passed = absl::c_linear_search(b.shapes, last);
  const bool reached = absl::c_linear_search(a.shapes, b.shapes.back());
  return passed && !reached;
}

// `by_stack`: the stacks say so.
std::vector<int> Suspects(const std::vector<Place>& places, bool& by_stack) {
  std::vector<int> suspects;
  // The odd one out: the others wait in a collective, and it is elsewhere.
  const bool stacks = absl::c_all_of(places, [](const Place& p) { return p.frame.has_value(); });
  if (stacks && absl::c_any_of(places, [](const Place& p) { return p.in_collective; })) {
    for (const Place& place : places) {
      if (!place.in_collective) suspects.push_back(place.view->rank);
    }
    by_stack = !suspects.empty();
    if (by_stack) return suspects;
  }
  // The number of completed collectives, where all say one and they differ.
  const auto by_number = [](const Place& a, const Place& b) { return a.last_completed < b.last_completed; };
  const bool numbered = absl::c_all_of(places, [](const Place& p) { return p.last_completed; });
  if (numbered && places.size() > 1) {
    const auto [least, most] = absl::c_minmax_element(places, by_number);
    if (least->last_completed != most->last_completed) {
      for (const Place& place : places) {
        if (place.last_completed == least->last_completed) suspects.push_back(place.view->rank);
      }
      return suspects;
    }
  }
  for (const Place& place : places) {
    const bool behind = absl::c_any_of(places, [&](const Place& other) { return IsBehind(place, other); });
    if (behind) suspects.push_back(place.view->rank);
  }
  return suspects;
}

}  // namespace

Hang FindHang(const StepContext& context, const std::vector<RankView>& views) {
  const StepEvidence& evidence = *context.evidence;
  std::vector<Place> places;
  std::vector<int> left;
  for (const RankView& view : views) {
    if (view.hung && evidence.log != nullptr) {
      places.push_back(PlaceOf(*evidence.log, view, evidence.stopped_micros - context.begin_micros));
    }
    if (!view.hung && view.end.has_value() && !view.EndedBadly()) left.push_back(view.rank);
  }
  bool by_stack = false;
  const std::vector<int> suspects = context.ranked ? Suspects(places, by_stack) : std::vector<int>{};
  const auto suspected = [&](const Place& place) { return absl::c_linear_search(suspects, place.view->rank); };
  absl::c_stable_partition(places, suspected);

  Hang hang;
  Finding& finding = hang.finding;
  finding.priority = kHang;
  finding.signature = "hang";
  finding.micros = evidence.stopped_micros - context.begin_micros;
  if (!places.empty()) {
    finding.rank = suspects.empty() && places.size() > 1 ? kNoRank : places.front().view->rank;
    finding.test = UnfinishedTest(evidence.log, places.front().view->rank);
    if (places.front().shown() != nullptr) finding.line = *places.front().shown();
  }
  for (const Place& place : places) {
    if (place.shown() != nullptr) hang.lines.push_back(*place.shown());
  }

  std::string& what = finding.what;
  what = evidence.stopped == Stopped::kSilence ? "hung: nothing was printed for longer than is allowed"
                                               : "hung: the time limit passed";
  if (!finding.test.empty()) what += Concat(" in ", finding.test);
  if (context.ranked) {
    if (!suspects.empty()) {
      what += Concat(
          "; ", RankList(suspects),
          by_stack ? Concat(suspects.size() == 1 ? " is" : " are", " in no collective, and the others wait in one")
                   : std::string(" did not reach what the others reached"));
    } else if (!left.empty() && left.size() < views.size()) {
      what += Concat("; ", RankList(left), left.size() == 1 ? " had" : " had all",
                     " ended before with exit code 0: the others wait for what will not come");
    } else if (places.size() > 1) {
      what += Concat("; which of the ", places.size(), " ranks that were left held up the others is unknown");
    }
  }
  const bool blames = !context.ranked || finding.rank != kNoRank;
  if (finding.line.has_value() && blames) {
    what += Concat("; the last line", context.ranked ? Concat(" of rank ", finding.line->rank) : std::string(),
                   " was: ", Quoted(finding.line->text));
  }
  finding.advice =
      "Look at the last line of each rank: one of them did not come to the collective that others wait in.";
  if (!context.ranked) finding.advice = "Look at what it did last, or raise the limit in the manifest.";
  return hang;
}

}  // namespace yardmaster::worker
