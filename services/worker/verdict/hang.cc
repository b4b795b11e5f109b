#include "services/worker/verdict/hang.h"

#include <re2/re2.h>

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/stack.h"
#include "services/worker/verdict/stand.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
namespace {

// Lines of each rank that are compared with what the others said last.
constexpr size_t kComparedLines = 2000;

// Processors that a rank uses: from here on it computes, up to there it sleeps.
constexpr double kComputes = 0.5;
constexpr double kSleeps = 0.05;
// Ranks of whose stacks each is told.
constexpr size_t kMaxToldStands = 4;

struct Place {
  const RankView* view = nullptr;
  std::vector<LogLine> lines;
  std::vector<std::string> texts;         // the same without the rank's own number
  std::vector<std::string> shapes;        // and without all numbers
  std::optional<int64_t> last_completed;  // collective, as NCCL's watchdog says it
  Stand stand;                            // by the stacks of its processes
  std::optional<LogLine> frame;           // the line that shows it

  // The line that shows where it stood; null: it said nothing.
  const LogLine* shown() const {
    // A frame of a native library says little to people.
    if (frame.has_value() && (frame->text.find(".py") != std::string::npos || lines.empty())) return &*frame;
    return lines.empty() ? nullptr : &lines.back();
  }
  bool shows_frame() const { return frame.has_value() && shown() == &*frame; }
};

// Numbers, addresses and times differ between ranks that are at the same place.
std::string Shape(std::string line) {
  static const RE2 kNumber(R"(\d+)", RE2::Latin1);
  RE2::GlobalReplace(&line, kNumber, "#");
  return line;
}

// "[rank2] step 2: forward" and "Rank 2: step 2: forward" say the same of another rank.
std::string WithoutOwnRank(std::string line, const RE2& own) {
  RE2::GlobalReplace(&line, own, "\\1#");
  return line;
}

// A stack that the rank printed by itself, which has its threads named; what else looks like a frame is a traceback.
Stand PrintedStand(const std::vector<LogLine>& lines) {
  std::vector<std::string_view> stack;
  for (const LogLine& line : lines) {
    if (BeginsThread(line.text) || (!stack.empty() && IsStackFrame(line.text))) stack.emplace_back(line.text);
  }
  return ReadStack(stack);
}

// The line of the log that has the frame; made up where the log lost it.
LogLine LineOfFrame(LogReader& log, const std::string& frame, int rank, int64_t stopped) {
  constexpr size_t kMostFound = 1000;
  LogLine line;
  line.micros = stopped;
  line.rank = rank;
  line.stream = Stream::kStderr;
  line.text = frame;
  const absl::StatusOr<std::vector<LogLine>> found = log.Search("^" + RE2::QuoteMeta(frame) + "$", kMostFound, rank);
  return found.ok() && !found->empty() ? found->back() : line;
}

// Only lines up to `stopped` count: what a rank says while it is ended says nothing of where it stood.
Place PlaceOf(LogReader& log, const RankView& view, int64_t stopped) {
  static const RE2 kCompleted(R"(last completed (?:NCCL )?work: (-?\d{1,18}))");
  Place place;
  place.view = &view;
  absl::StatusOr<std::vector<LogLine>> lines = log.TailUntil(kComparedLines, view.rank, stopped);
  if (lines.ok()) place.lines = *std::move(lines);
  if (view.evidence != nullptr) place.stand = StandAtStop(view.evidence->at_stop);
  if (place.stand.doing == Doing::kUnknown) place.stand = PrintedStand(place.lines);
  if (!place.stand.frame.empty()) place.frame = LineOfFrame(log, place.stand.frame, view.rank, stopped);
  std::erase_if(place.lines, [](const LogLine& line) { return IsStackFrame(line.text) || BeginsThread(line.text); });
  const RE2 own(Concat(R"((?i)\b(rank ?[:=_#]? ?))", view.rank, R"(\b)"), RE2::Latin1);
  for (const LogLine& line : place.lines) {
    place.texts.push_back(WithoutOwnRank(line.text, own));
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
  // With its numbers, as in "step 12 done", a line says more than without.
  const auto says = [](const Place& place, const std::string& text) {
    return absl::c_linear_search(place.texts, text);
  };
  const std::string& said = a.texts.back();
  if (said != b.texts.back() && says(b, said) && !says(a, b.texts.back())) return true;
  const std::string& last = a.shapes.back();
  if (last == b.shapes.back()) return false;
  const bool passed = absl::c_linear_search(b.shapes, last);
  const bool reached = absl::c_linear_search(a.shapes, b.shapes.back());
  return passed && !reached;
}

// Ranks to blame, and why: "did not reach what the others reached". No ranks: nothing tells them apart.
struct Suspicion {
  std::vector<int> ranks;
  std::string why;
};

std::vector<int> RanksOf(const std::vector<Place>& places, const std::vector<size_t>& which) {
  std::vector<int> ranks;
  ranks.reserve(which.size());
  for (const size_t index : which) ranks.push_back(places[index].view->rank);
  return ranks;
}

// "is", "are" and what follows.
Suspicion Suspect(std::vector<int> ranks, std::string_view what) {
  const bool one = ranks.size() == 1;
  return {std::move(ranks), Concat(one ? "is " : "are ", what)};
}

// By the number of completed collectives, where all say one and they differ.
Suspicion SuspectByNumber(const std::vector<Place>& places) {
  const auto by_number = [](const Place& a, const Place& b) { return a.last_completed < b.last_completed; };
  Suspicion suspicion;
  if (!absl::c_all_of(places, [](const Place& p) { return p.last_completed; })) return suspicion;
  const auto [least, most] = absl::c_minmax_element(places, by_number);
  if (least->last_completed == most->last_completed) return suspicion;
  for (const Place& place : places) {
    if (place.last_completed == least->last_completed) suspicion.ranks.push_back(place.view->rank);
  }
  suspicion.why = "did not reach what the others reached";
  return suspicion;
}

// By what the kernel says: the fewer, where some compute and the others sleep.
Suspicion SuspectByProcessor(const std::vector<Place>& places) {
  std::vector<int> computing;
  std::vector<int> sleeping;
  for (const Place& place : places) {
    const std::optional<RankStand> stood = DescribeStand(*place.view);
    if (!stood.has_value() || !stood->cpu.has_value()) return {};
    if (*stood->cpu >= kComputes) computing.push_back(place.view->rank);
    if (*stood->cpu <= kSleeps) sleeping.push_back(place.view->rank);
  }
  if (computing.size() + sleeping.size() != places.size()) return {};
  if (computing.size() < sleeping.size() && !computing.empty()) {
    return {computing, computing.size() == 1 ? "computes while the others sleep" : "compute while the others sleep"};
  }
  if (sleeping.size() < computing.size() && !sleeping.empty()) {
    return {sleeping, sleeping.size() == 1 ? "sleeps while the others are busy" : "sleep while the others are busy"};
  }
  return {};
}

Suspicion SuspectsOf(const std::vector<Place>& places) {
  if (places.size() < 2) return {};
  std::vector<size_t> halted;
  std::vector<Stand> stands;
  for (const Place& place : places) {
    stands.push_back(place.stand);
    const RankEvidence* evidence = place.view->evidence;
    const bool stopped = evidence != nullptr && !evidence->at_stop.empty() &&
                         absl::c_all_of(evidence->at_stop, [](const ProcessAtStop& p) { return p.state == 'T'; });
    if (stopped) halted.push_back(stands.size() - 1);
  }
  if (!halted.empty() && halted.size() < places.size()) {
    return Suspect(RanksOf(places, halted), "stopped by a signal (SIGSTOP, or a debugger)");
  }
  // The odd one out: the others wait, and it is elsewhere.
  if (const OddOnes odd = FindOddOnes(stands); !odd.which.empty()) return Suspect(RanksOf(places, odd.which), odd.why);
  if (Suspicion by_number = SuspectByNumber(places); !by_number.ranks.empty()) return by_number;
  Suspicion behind;
  behind.why = "did not reach what the others reached";
  for (const Place& place : places) {
    const bool one = absl::c_any_of(places, [&](const Place& other) { return IsBehind(place, other); });
    if (one) behind.ranks.push_back(place.view->rank);
  }
  return behind.ranks.empty() ? SuspectByProcessor(places) : behind;
}

// What the stacks show where they name nobody: "rank 0 waits in all_reduce (a.py:7 in f), rank 1 …".
std::string StandsText(const std::vector<Place>& places) {
  std::string text;
  if (places.size() > kMaxToldStands) return text;
  for (const Place& place : places) {
    const std::optional<RankStand> stood = DescribeStand(*place.view);
    if (!stood.has_value() || stood->text.empty()) continue;
    text += Concat("; rank ", place.view->rank, " ", stood->text);
  }
  return text;
}

// Of a step without ranks, that started processes by itself.
std::string OddProcessesText(const RankEvidence& evidence) {
  std::vector<Stand> stands;
  std::vector<int> pids;
  for (const ProcessAtStop& process : evidence.at_stop) {
    const Stand stand = StandOfProcess(process);
    if (stand.doing == Doing::kWaitsForChild || stand.doing == Doing::kServes) continue;
    stands.push_back(stand);
    pids.push_back(process.pid);
  }
  const OddOnes odd = FindOddOnes(stands);
  if (odd.which.empty()) return "";
  const bool one = odd.which.size() == 1;
  std::string who;
  for (const size_t index : odd.which) who += Concat(who.empty() ? "" : ", ", pids[index]);
  return Concat("; of its processes ", who, one ? " is " : " are ", odd.why, "; it stands at ",
                stands[odd.which.front()].place);
}

// Where the one to blame stands, or what it said last.
std::string LastText(const Place& place, bool ranked) {
  if (place.shown() == nullptr) return "";
  if (place.shows_frame()) return Concat("; it stands at ", place.stand.place);
  const std::string of = ranked ? Concat(" of rank ", place.view->rank) : std::string();
  return Concat("; the last line", of, " was: ", Quoted(place.shown()->text));
}

// Clauses about who held up whom; `places` with the suspects first, `left`: ranks that had ended well before.
std::string WhoText(const Suspicion& suspicion, const std::vector<Place>& places, const std::vector<int>& left,
                    size_t ranks) {
  std::string text;
  if (!suspicion.ranks.empty()) {
    text = Concat("; ", RankList(suspicion.ranks), " ", suspicion.why);
  } else if (!left.empty() && left.size() < ranks) {
    text = Concat("; ", RankList(left), left.size() == 1 ? " had" : " had all",
                  " ended before with exit code 0: the others wait for what will not come");
  } else if (places.size() > 1) {
    text = Concat("; which of the ", places.size(), " ranks that were left held up the others is unknown",
                  StandsText(places));
  }
  const bool blames = !suspicion.ranks.empty() || places.size() == 1;
  return blames ? text + LastText(places.front(), true) : text;
}

std::string WhoTextWithoutRanks(const std::vector<Place>& places) {
  if (places.empty()) return "";
  const RankEvidence* evidence = places.front().view->evidence;
  const std::string odd = evidence == nullptr ? std::string() : OddProcessesText(*evidence);
  return odd.empty() ? LastText(places.front(), false) : odd;
}

}  // namespace

std::vector<int> FewestCompleted(const StepContext& context, const std::vector<RankView>& views) {
  if (context.evidence->log == nullptr) return {};
  std::vector<Place> places;
  places.reserve(views.size());
  for (const RankView& view : views) {
    places.push_back(PlaceOf(*context.evidence->log, view, LastCountedMicros(context)));
  }
  return places.size() < 2 ? std::vector<int>() : SuspectByNumber(places).ranks;
}

Hang FindHang(const StepContext& context, const std::vector<RankView>& views) {
  const StepEvidence& evidence = *context.evidence;
  const int64_t stopped = evidence.stopped_micros - context.begin_micros;
  std::vector<Place> places;
  std::vector<int> left;
  for (const RankView& view : views) {
    if (view.hung && evidence.log != nullptr) places.push_back(PlaceOf(*evidence.log, view, stopped));
    if (!view.hung && view.end.has_value() && !view.EndedBadly()) left.push_back(view.rank);
  }
  const Suspicion suspicion = context.ranked ? SuspectsOf(places) : Suspicion{};
  absl::c_stable_partition(
      places, [&](const Place& place) { return absl::c_linear_search(suspicion.ranks, place.view->rank); });

  Hang hang;
  Finding& finding = hang.finding;
  finding.priority = kHang;
  finding.signature = kHangId;
  finding.micros = stopped;
  if (!places.empty()) {
    finding.rank = suspicion.ranks.empty() && places.size() > 1 ? kNoRank : places.front().view->rank;
    finding.test = UnfinishedTest(context, places.front().view->rank);
    if (places.front().shown() != nullptr) finding.line = *places.front().shown();
  }
  for (const Place& place : places) {
    if (place.shown() == nullptr) continue;
    hang.lines.push_back(*place.shown());
    const bool suspect = places.size() == 1 || absl::c_linear_search(suspicion.ranks, place.view->rank);
    if (suspect && place.shows_frame() && !place.lines.empty()) hang.lines.push_back(place.lines.back());
  }

  finding.what = evidence.stopped == Stopped::kSilence ? "hung: nothing was printed for longer than is allowed"
                                                       : "hung: the time limit passed";
  if (!finding.test.empty()) finding.what += Concat(" in ", finding.test);
  const Stand launcher = StandAtStop(evidence.launcher_at_stop);
  if (places.empty() && !launcher.place.empty() && evidence.log != nullptr) {
    finding.what += Concat("; no rank had begun, and the launcher stands at ", launcher.place);
    finding.line = LineOfFrame(*evidence.log, launcher.frame, kNoRank, stopped);
  } else {
    finding.what += context.ranked ? WhoText(suspicion, places, left, views.size()) : WhoTextWithoutRanks(places);
  }
  finding.advice =
      context.ranked ? "Look at where each rank stands: one of them did not come to the collective that others wait in."
                     : "Look at what it did last, or raise the limit in the manifest.";
  return hang;
}

}  // namespace yardmaster::worker
