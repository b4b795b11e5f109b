#include "clients/cli/test_text.h"

#include <algorithm>
#include <cstdio>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "clients/cli/json_members.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxFailedTests = 10;
constexpr size_t kMaxNotes = 10;
constexpr size_t kMaxNumbers = 30;
constexpr size_t kMaxRanks = 16;
constexpr int kTextColumns = 110;

std::string Text(const Json& object, const char* key) { return Printable(TextMember(object, key)); }

std::string RankText(const Json& object) {
  const Json& rank = Member(object, "rank");
  return rank.is_number_integer() ? "rank " + std::to_string(rank.get<int64_t>()) : "";
}

std::string Indented(const std::string& text, const std::string& indent) {
  std::string out;
  for (const std::string& line : WrapToWidth(text, kTextColumns)) out += indent + line + "\n";
  return out;
}

std::string ClassText(const std::string& cls) {
  if (cls == "environment") return "the environment";
  if (cls == "infrastructure") return "a device or a host";
  if (cls == "victim") return "a victim: something else failed first";
  return "what is tested";
}

// ">     41  rank 2  text"; the mark is for the line that shows the cause.
std::string ExcerptLine(const Json& line, size_t shown, bool color) {
  const size_t number = CountMember(line, "line");
  const bool hit = number > 0 && number == shown;
  const std::string rank = RankText(line);
  const std::string place = PadLeft(std::to_string(number), 7) + (rank.empty() ? "" : "  " + rank);
  return Paint((hit ? ">" : " ") + place + "  ", Style::kFaint, color) +
         Paint(Text(line, "text"), hit ? Style::kStrong : Style::kPlain, color) + "\n";
}

std::string CauseText(const Json& cause, const std::string& indent, bool color) {
  std::string out = Indented(Text(cause, "message"), indent);
  std::string where = "at fault: " + ClassText(Text(cause, "class"));
  if (const std::string signature = Text(cause, "signature"); !signature.empty()) where += " (" + signature + ")";
  if (const std::string step = Text(cause, "step"); !step.empty()) where += " · step " + step;
  if (const std::string rank = RankText(cause); !rank.empty()) where += " · " + rank;
  if (const std::string test = Text(cause, "test"); !test.empty()) where += " · " + test;
  out += indent + Paint(where, Style::kFaint, color) + "\n";
  if (const Json& victims = ListMember(cause, "victims"); !victims.empty()) {
    std::string ranks;
    for (const Json& victim : victims) {
      if (victim.is_number_integer()) ranks += " " + std::to_string(victim.get<int64_t>());
    }
    out += indent + Paint("failed only because of it: rank" + ranks, Style::kFaint, color) + "\n";
  }
  for (const Json& line : ListMember(cause, "excerpt")) {
    out.append(indent).append(ExcerptLine(line, CountMember(cause, "line"), color));
  }
  if (const std::string advice = Text(cause, "advice"); !advice.empty())
    out += Indented("What helps: " + advice, indent);
  return out;
}

// `told`: reasons that stand elsewhere already.
std::string LayerTable(const Json& layers, const std::vector<std::string>& told, const Output& output) {
  Table table;
  table.Header({"layer", "verdict", "tests", "failed", "skipped", "time", ""});
  table.AlignRight({2, 3, 4, 5});
  for (const Json& layer : layers) {
    const std::string verdict = Text(layer, "verdict");
    const size_t failed = CountMember(layer, "failed");
    const std::string reason = Text(layer, "reason");
    table.Row({Text(layer, "id"),
               {verdict, VerdictStyle(verdict)},
               worker::CountText(CountMember(layer, "tests")),
               {worker::CountText(failed), failed > 0 ? Style::kBad : Style::kPlain},
               worker::CountText(CountMember(layer, "skipped")),
               worker::DurationText(NumberMember(layer, "seconds")),
               {absl::c_linear_search(told, reason) ? "" : reason, Style::kFaint}});
  }
  return table.Render(2, output.columns(), output.color());
}

// A section with its title, unless it has nothing to say.
std::string Section(std::string_view title, const std::string& text, bool color) {
  return text.empty() ? "" : "\n" + Paint(title, Style::kTitle, color) + "\n" + text;
}

// "failed     correctness": what begins a line about a layer, a step or a test.
std::string LineOfVerdict(const std::string& verdict, const std::string& name, bool color) {
  return "  " + Paint(PadRight(verdict, 9), VerdictStyle(verdict), color) + "  " + name;
}

bool IsBad(const std::string& verdict) {
  return verdict == "failed" || verdict == "error" || verdict == "timed_out" || verdict == "cancelled";
}

// `told`: the cause, which the message of its test need not repeat.
std::string FailedTests(const Json& tests, const std::string& told, bool color) {
  size_t bad = 0;
  std::string out;
  for (const Json& test : tests) {
    const std::string verdict = Text(test, "verdict");
    if (!IsBad(verdict) && verdict != "flaky") continue;
    if (++bad > kMaxFailedTests) continue;
    const std::string rank = RankText(test);
    const std::string whole = TextMember(test, "message");
    const std::string message = Printable(whole.substr(0, whole.find('\n')));
    out += LineOfVerdict(verdict, Text(test, "id"), color) + (rank.empty() ? "" : "  " + rank) + "\n";
    const bool again = message.size() > 2 && told.find(message) != std::string::npos;
    if (!message.empty() && !again) out += "             " + CutToWidth(message, kTextColumns) + "\n";
  }
  if (bad > kMaxFailedTests) out += "  and " + worker::CountText(bad - kMaxFailedTests) + " more\n";
  return Section("Tests that did not pass", out, color);
}

std::string NumbersText(const Json& numbers) {
  std::string out;
  size_t shown = 0;
  for (const Json& number : numbers) {
    if (++shown > kMaxNumbers) continue;
    char value[32];
    std::snprintf(value, sizeof value, "%.6g", NumberMember(number, "value"));
    const std::string rank = RankText(number);
    const std::string unit = Text(number, "unit");
    out += "  " + Text(number, "name") + (rank.empty() ? "" : "  " + rank) + "  " + value +
           (unit.empty() ? "" : " " + unit) + "\n";
  }
  if (shown > kMaxNumbers) out += "  and " + worker::CountText(shown - kMaxNumbers) + " more, in result.json\n";
  return out;
}

// How each rank of a step ended, and when it last said something, in the time of the step.
std::string RanksText(const Json& step) {
  const Json& ranks = ListMember(step, "ranks");
  std::string out;
  size_t shown = 0;
  for (const Json& rank : ranks) {
    const std::string who = RankText(rank);
    if (who.empty() || ++shown > kMaxRanks) continue;
    const Json& last = Member(rank, "last_output");
    out += "             " + PadRight(who, 9) + "  " + PadRight(Text(rank, "verdict"), 9) + "  " +
           (last.is_number() ? "last spoke at " +
                                   worker::DurationText(NumberMember(rank, "last_output") - NumberMember(step, "begin"))
                             : "never spoke");
    const std::string stood = Text(Member(rank, "stood"), "text");
    out += (stood.empty() ? "" : "; " + stood) + "\n";
  }
  if (shown > kMaxRanks) out += "             and " + worker::CountText(shown - kMaxRanks) + " more ranks\n";
  return out;
}

// "Machine: box, Linux 6.1.0 x86_64, 8 processors, 31 GiB · NVIDIA Sample 80GB · python 3.11.2, torch 1.13.0": what a
// result holds for, and what to say in a report of a fault. Empty where nothing is known.
std::string MachineText(const Json& result, bool color) {
  constexpr size_t kMibOfGib = 1024;
  const Json& host = Member(result, "host");
  std::vector<std::string> machine;
  for (const char* key : {"name", "system"}) {
    if (std::string text = Text(host, key); !text.empty()) machine.push_back(std::move(text));
  }
  if (const size_t count = CountMember(host, "processors"); count > 0) {
    machine.push_back(std::to_string(count) + (count == 1 ? " processor" : " processors"));
  }
  if (const size_t memory = CountMember(host, "memory_mb"); memory > 0) {
    machine.push_back(std::to_string((memory + kMibOfGib / 2) / kMibOfGib) + " GiB");
  }
  // Processors are no devices worth a word.
  std::vector<std::string> devices;
  for (const Json& device : ListMember(result, "devices")) {
    if (Text(device, "kind") == "cpu") continue;
    const std::string model = Text(device, "model");
    const std::string driver = Text(device, "driver");
    std::string text = model.empty() ? Text(device, "name") : model;
    if (!driver.empty()) text += " (driver " + driver + ")";
    if (!absl::c_linear_search(devices, text)) devices.push_back(std::move(text));
  }
  std::vector<std::string> versions;
  const Json& known = Member(result, "versions");
  if (known.is_object()) {
    for (const auto& [name, version] : known.items()) {
      if (version.is_string()) versions.push_back(Printable(name + " " + version.get<std::string>()));
    }
  }
  std::vector<std::string> parts;
  for (const std::vector<std::string>* list : {&machine, &devices, &versions}) {
    if (!list->empty()) parts.push_back(absl::StrJoin(*list, ", "));
  }
  if (parts.empty()) return "";
  std::string out;
  for (const std::string& line : WrapToWidth("Machine: " + absl::StrJoin(parts, " · "), kTextColumns)) {
    out += Paint(line, Style::kFaint, color) + "\n";
  }
  return out;
}

std::string FirstCause(const Json& result, bool color) {
  const Json& cause = Member(result, "cause");
  return cause.is_object() ? Section("First cause", CauseText(cause, "  ", color), color) : "";
}

}  // namespace

Style VerdictStyle(std::string_view verdict) {
  if (verdict == "passed") return Style::kGood;
  if (verdict == "not_run") return Style::kFaint;
  if (verdict == "flaky" || verdict == "cancelled") return Style::kWarning;
  return Style::kBad;
}

std::string ColoredVerdict(worker::Verdict verdict, bool color) {
  const std::string_view word = worker::VerdictName(verdict);
  return Paint(PadRight(word, 9), VerdictStyle(word), color);
}

std::string ResultText(const Json& result, const std::filesystem::path& directory, const Output& output) {
  const bool color = output.color();
  const std::string verdict = Text(result, "verdict");
  std::string out = Paint(verdict, VerdictStyle(verdict), color) + "  " +
                    Paint(Text(result, "suite"), Style::kTitle, color) + "  " +
                    worker::DurationText(NumberMember(result, "seconds")) + "  " +
                    Paint("job " + Text(result, "job"), Style::kFaint, color) + "\n";
  const std::string cause = Text(Member(result, "cause"), "message");
  const std::string reason = Text(result, "reason");
  if (!reason.empty() && reason != cause) out += Indented(reason, "  ");
  if (const Json& layers = ListMember(result, "layers"); !layers.empty()) {
    out += "\n" + LayerTable(layers, {cause, reason}, output);
  }
  out += FirstCause(result, color) + FailedTests(ListMember(result, "tests"), cause, color) +
         Section("Numbers", NumbersText(ListMember(result, "numbers")), color);
  const std::vector<std::string> notes = TextsMember(result, "notes");
  std::string text;
  for (size_t i = 0; i < std::min(notes.size(), kMaxNotes); ++i) text += "  " + Printable(notes[i]) + "\n";
  if (notes.size() > kMaxNotes) text += "  and " + worker::CountText(notes.size() - kMaxNotes) + " more\n";
  // A run elsewhere: its files are there.
  const std::string report = directory.empty() ? "yard test fetch " + Text(result, "job") + " --out DIR"
                                               : Printable((directory / "report.html").string());
  return out + Section("Notes", text, color) + "\n" + MachineText(result, color) + "Report: " + report + "\n";
}

std::string ExplainText(const Json& result, const Output& output) {
  const bool color = output.color();
  const std::string verdict = Text(result, "verdict");
  const std::string reason = Text(result, "reason");
  const std::string first = Text(Member(result, "cause"), "message");
  // Each thing is told once: what stands in the first cause is not said of the run, its layer and its step again.
  const auto told = [&](const std::string& text) { return text.empty() || text == first || text == reason; };
  std::string out = Text(result, "suite") + " is " + Paint(verdict, VerdictStyle(verdict), color) +
                    (reason.empty() || reason == first ? "" : ": " + reason) + "\n" + FirstCause(result, color);
  std::string layers;
  for (const Json& layer : ListMember(result, "layers")) {
    const std::string word = Text(layer, "verdict");
    if (word == "passed") continue;
    const std::string why = Text(layer, "reason");
    layers += LineOfVerdict(word, Text(layer, "id"), color) + (told(why) ? "" : "  " + why) + "\n";
  }
  std::string steps;
  for (const Json& step : ListMember(result, "steps")) {
    const std::string word = Text(step, "verdict");
    if (word == "passed") continue;
    steps += LineOfVerdict(word, Text(step, "name"), color) + "\n";
    const Json& own = Member(step, "cause");
    const std::string why = Text(step, "reason");
    if (own.is_object() && Text(own, "message") == first) {
      steps += "             the first cause, above\n";
    } else if (own.is_object()) {
      steps += CauseText(own, "             ", color);
    } else if (!told(why)) {
      steps += Indented(why, "             ");
    }
    steps += RanksText(step);
    if (const std::string log = Text(step, "log"); !log.empty()) {
      steps += "             log: " + log + ".txt\n";
    }
  }
  out += Section("Layers that did not pass", layers, color) + Section("Steps that did not pass", steps, color);
  const std::string machine = MachineText(result, color);
  return out + (machine.empty() ? "" : "\n" + machine);
}

std::string ResultTable(const std::vector<ListedResult>& results, const Output& output) {
  Table table;
  table.Header({"job", "suite", "verdict", "tests", "failed", "time", "started"});
  table.AlignRight({3, 4, 5});
  for (const ListedResult& listed : results) {
    const Json& result = listed.result;
    const std::string verdict = Text(result, "verdict");
    size_t tests = 0;
    size_t failed = 0;
    for (const Json& layer : ListMember(result, "layers")) {
      tests += CountMember(layer, "tests");
      failed += CountMember(layer, "failed");
    }
    table.Row({{Printable(listed.directory.filename().string()), Style::kName},
               Text(result, "suite"),
               {verdict, VerdictStyle(verdict)},
               worker::CountText(tests),
               {worker::CountText(failed), failed > 0 ? Style::kBad : Style::kPlain},
               worker::DurationText(NumberMember(result, "seconds")),
               {Text(result, "started_at"), Style::kFaint}});
  }
  return table.Render(0, output.columns(), output.color());
}

std::string LogLineText(const worker::LogLine& line, bool color) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f s", static_cast<double>(line.micros) / 1e6);
  std::string place = PadLeft(std::to_string(line.number), 7) + "  " + PadLeft(seconds, 10);
  if (line.rank != worker::kNoRank) place += "  rank " + std::to_string(line.rank);
  return Paint(place, Style::kFaint, color) + "  " + Printable(line.text) + "\n";
}

}  // namespace yardmaster::cli
