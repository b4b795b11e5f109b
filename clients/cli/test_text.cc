#include "clients/cli/test_text.h"

#include <algorithm>
#include <cstdio>

#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxFailedTests = 10;
constexpr size_t kMaxNotes = 10;
constexpr int kTextColumns = 110;

// What stands at `key`, or nothing of that kind: a result may be older or newer than this program.
const Json& At(const Json& object, std::string_view key) {
  static const Json* const kNothing = new Json();
  if (!object.is_object()) return *kNothing;
  const auto it = object.find(std::string(key));
  return it == object.end() ? *kNothing : *it;
}

std::string Text(const Json& object, std::string_view key) {
  const Json& value = At(object, key);
  return value.is_string() ? Printable(value.get_ref<const std::string&>()) : "";
}

double Number(const Json& object, std::string_view key) {
  const Json& value = At(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

size_t Count(const Json& object, std::string_view key) {
  const double number = Number(object, key);
  return number > 0 ? static_cast<size_t>(number) : 0;
}

std::string RankText(const Json& object) {
  const Json& rank = At(object, "rank");
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
  const size_t number = Count(line, "line");
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
  const Json& victims = At(cause, "victims");
  if (victims.is_array() && !victims.empty()) {
    std::string ranks;
    for (const Json& victim : victims) {
      if (victim.is_number_integer()) ranks += " " + std::to_string(victim.get<int64_t>());
    }
    out += indent + Paint("failed only because of it: rank" + ranks, Style::kFaint, color) + "\n";
  }
  const Json& excerpt = At(cause, "excerpt");
  if (excerpt.is_array()) {
    for (const Json& line : excerpt) out.append(indent).append(ExcerptLine(line, Count(cause, "line"), color));
  }
  if (const std::string advice = Text(cause, "advice"); !advice.empty())
    out += Indented("What helps: " + advice, indent);
  return out;
}

// `told`: a reason that stands elsewhere already.
std::string LayerTable(const Json& layers, const std::string& told, const Output& output) {
  Table table;
  table.Header({"layer", "verdict", "tests", "failed", "skipped", "time", ""});
  for (const size_t column : {2, 3, 4, 5}) table.AlignRight(column);
  for (const Json& layer : layers) {
    const std::string verdict = Text(layer, "verdict");
    const size_t failed = Count(layer, "failed");
    const std::string reason = Text(layer, "reason");
    table.Row({Text(layer, "id"),
               {verdict, VerdictStyle(verdict)},
               worker::CountText(Count(layer, "tests")),
               {worker::CountText(failed), failed > 0 ? Style::kBad : Style::kPlain},
               worker::CountText(Count(layer, "skipped")),
               worker::DurationText(Number(layer, "seconds")),
               {reason == told ? "" : reason, Style::kFaint}});
  }
  return table.Render(2, output.columns(), output.color());
}

bool IsBad(const std::string& verdict) {
  return verdict == "failed" || verdict == "error" || verdict == "timed_out" || verdict == "cancelled";
}

std::string FailedTests(const Json& tests, bool color) {
  size_t bad = 0;
  std::string out;
  for (const Json& test : tests) {
    const std::string verdict = Text(test, "verdict");
    if (!IsBad(verdict) && verdict != "flaky") continue;
    if (++bad > kMaxFailedTests) continue;
    const std::string rank = RankText(test);
    const Json& text = At(test, "message");
    const std::string whole = text.is_string() ? text.get<std::string>() : "";
    const std::string message = Printable(std::string_view(whole).substr(0, whole.find('\n')));
    out += "  " + Paint(PadRight(verdict, 9), VerdictStyle(verdict), color) + "  " + Text(test, "id") +
           (rank.empty() ? "" : "  " + rank) + "\n";
    if (!message.empty()) out += "             " + CutToWidth(message, kTextColumns) + "\n";
  }
  if (bad > kMaxFailedTests) out += "  and " + worker::CountText(bad - kMaxFailedTests) + " more\n";
  return out.empty() ? "" : "\n" + Paint("Tests that did not pass", Style::kTitle, color) + "\n" + out;
}

}  // namespace

Style VerdictStyle(std::string_view verdict) {
  if (verdict == "passed") return Style::kGood;
  if (verdict == "not_run") return Style::kFaint;
  if (verdict == "flaky" || verdict == "cancelled") return Style::kWarning;
  return Style::kBad;
}

std::string VerdictWordOf(worker::Verdict verdict, bool color) {
  const std::string_view word = worker::VerdictWord(verdict);
  return Paint(PadRight(word, 9), VerdictStyle(word), color);
}

std::string ResultText(const nlohmann::ordered_json& result, const std::filesystem::path& directory,
                       const Output& output) {
  const bool color = output.color();
  const std::string verdict = Text(result, "verdict");
  std::string out = Paint(verdict, VerdictStyle(verdict), color) + "  " +
                    Paint(Text(result, "suite"), Style::kTitle, color) + "  " +
                    worker::DurationText(Number(result, "seconds")) + "  " +
                    Paint("job " + Text(result, "job"), Style::kFaint, color) + "\n";
  const Json& cause = At(result, "cause");
  const std::string reason = Text(result, "reason");
  if (!reason.empty() && (!cause.is_object() || reason != Text(cause, "message"))) out += Indented(reason, "  ");
  const Json& layers = At(result, "layers");
  if (layers.is_array() && !layers.empty()) out += "\n" + LayerTable(layers, Text(cause, "message"), output);
  if (cause.is_object())
    out += "\n" + Paint("First cause", Style::kTitle, color) + "\n" + CauseText(cause, "  ", color);
  const Json& tests = At(result, "tests");
  if (tests.is_array()) out += FailedTests(tests, color);
  const Json& notes = At(result, "notes");
  if (notes.is_array() && !notes.empty()) {
    out += "\n" + Paint("Notes", Style::kTitle, color) + "\n";
    for (size_t i = 0; i < std::min(notes.size(), kMaxNotes); ++i) {
      if (notes[i].is_string()) out += "  " + Printable(notes[i].get_ref<const std::string&>()) + "\n";
    }
    if (notes.size() > kMaxNotes) out += "  and " + worker::CountText(notes.size() - kMaxNotes) + " more\n";
  }
  out += "\nReport: " + Printable((directory / "report.html").string()) + "\n";
  return out;
}

std::string ExplainText(const nlohmann::ordered_json& result, const Output& output) {
  const bool color = output.color();
  const std::string verdict = Text(result, "verdict");
  std::string out = Text(result, "suite") + " is " + Paint(verdict, VerdictStyle(verdict), color);
  const std::string reason = Text(result, "reason");
  out += reason.empty() ? "\n" : ": " + reason + "\n";
  const Json& cause = At(result, "cause");
  if (cause.is_object())
    out += "\n" + Paint("First cause", Style::kTitle, color) + "\n" + CauseText(cause, "  ", color);
  const Json& layers = At(result, "layers");
  if (layers.is_array()) {
    std::string text;
    for (const Json& layer : layers) {
      const std::string word = Text(layer, "verdict");
      if (word == "passed") continue;
      text += "  " + Paint(PadRight(word, 9), VerdictStyle(word), color) + "  " + Text(layer, "id");
      const std::string why = Text(layer, "reason");
      text += why.empty() ? "\n" : "  " + why + "\n";
    }
    if (!text.empty()) out += "\n" + Paint("Layers that did not pass", Style::kTitle, color) + "\n" + text;
  }
  const Json& steps = At(result, "steps");
  if (!steps.is_array()) return out;
  std::string text;
  for (const Json& step : steps) {
    const std::string word = Text(step, "verdict");
    if (word == "passed") continue;
    text += "  " + Paint(PadRight(word, 9), VerdictStyle(word), color) + "  " + Text(step, "name") + "\n";
    const Json& own = At(step, "cause");
    if (own.is_object()) {
      text += CauseText(own, "             ", color);
    } else if (const std::string why = Text(step, "reason"); !why.empty()) {
      text += Indented(why, "             ");
    }
  }
  if (!text.empty()) out += "\n" + Paint("Steps that did not pass", Style::kTitle, color) + "\n" + text;
  return out;
}

std::string ResultTable(const std::vector<ListedResult>& results, const Output& output) {
  Table table;
  table.Header({"job", "suite", "verdict", "tests", "failed", "time", "started"});
  for (const size_t column : {3, 4, 5}) table.AlignRight(column);
  for (const ListedResult& listed : results) {
    const Json& result = listed.result;
    const std::string verdict = Text(result, "verdict");
    size_t tests = 0;
    size_t failed = 0;
    if (const Json& layers = At(result, "layers"); layers.is_array()) {
      for (const Json& layer : layers) {
        tests += Count(layer, "tests");
        failed += Count(layer, "failed");
      }
    }
    table.Row({{Printable(listed.directory.filename().string()), Style::kName},
               Text(result, "suite"),
               {verdict, VerdictStyle(verdict)},
               worker::CountText(tests),
               {worker::CountText(failed), failed > 0 ? Style::kBad : Style::kPlain},
               worker::DurationText(Number(result, "seconds")),
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
