#include "rules/suites/suite_words.h"
#include "services/worker/results/html_parts.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker::html {

std::string_view VerdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNotRun:
      return "not run";
    case Verdict::kTimedOut:
      return "timed out";
    default:
      return VerdictWord(verdict);
  }
}

std::string VerdictBadge(Verdict verdict) {
  return "<span class=\"badge " + std::string(VerdictWord(verdict)) + "\">" + std::string(VerdictText(verdict)) +
         "</span>";
}

int ShowOrder(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFailed:
      return 0;
    case Verdict::kTimedOut:
      return 1;
    case Verdict::kError:
      return 2;
    case Verdict::kCancelled:
      return 3;
    case Verdict::kFlaky:
      return 4;
    case Verdict::kNotRun:
      return 5;
    case Verdict::kPassed:
      return 6;
  }
  return 6;
}

std::string Name(std::string_view text) { return EscapeMarkup(text, kMaxNameBytes); }

namespace {

std::string Excerpt(const worker::Cause& cause) {
  if (cause.excerpt.empty()) return "";
  bool ranks = false;
  for (const LogLine& line : cause.excerpt) ranks = ranks || line.rank != kNoRank;
  std::string out = "<div class=\"log\"><table>";
  for (const LogLine& line : cause.excerpt) {
    out += line.number == cause.line ? "<tr class=\"hit\">" : "<tr>";
    out += "<td class=\"n\">" + std::to_string(line.number) + "</td>";
    if (ranks) out += "<td class=\"r\">" + (line.rank == kNoRank ? "" : "rank " + std::to_string(line.rank)) + "</td>";
    out += "<td>" + EscapeMarkup(line.text, kMaxExcerptLineBytes) + "</td></tr>";
  }
  return out + "</table></div>";
}

std::string_view ClassText(rules::FailureClass cls) {
  switch (cls) {
    case rules::FailureClass::kCode:
      return "what is tested is at fault";
    case rules::FailureClass::kEnvironment:
      return "the environment is at fault: mend it and run again";
    case rules::FailureClass::kInfrastructure:
      return "a device or a host is at fault: run elsewhere";
    case rules::FailureClass::kVictim:
      return "something else failed first";
  }
  return "";
}

}  // namespace

std::string Cause(const worker::Cause& cause) {
  std::string out = "<h3>" + EscapeMarkup(cause.message, kMaxMessageBytes) + "</h3><div class=\"where\"><b>" +
                    std::string(rules::FailureClassWord(cause.cls)) + "</b> – " + std::string(ClassText(cause.cls));
  if (!cause.signature.empty()) out += " · <code>" + Name(cause.signature) + "</code>";
  if (!cause.step.empty()) out += " · step <code>" + Name(cause.step) + "</code>";
  if (cause.rank != kNoRank) out += " · rank " + std::to_string(cause.rank);
  if (!cause.test.empty()) out += " · test <code>" + Name(cause.test) + "</code>";
  out += "</div>";
  if (!cause.victims.empty()) {
    out += "<div class=\"where\">failed only because of it: rank";
    for (const int victim : cause.victims) out += " " + std::to_string(victim);
    out += "</div>";
  }
  if (!cause.advice.empty()) out += "<p class=\"advice\">" + EscapeMarkup(cause.advice, kMaxMessageBytes) + "</p>";
  out += Excerpt(cause);
  if (!cause.log.empty()) {
    out += "<div class=\"where\">" +
           std::string(cause.line == 0 ? "log " : "line " + std::to_string(cause.line) + " of ") + "<code>" +
           Name(cause.log) + "</code></div>";
  }
  return out;
}

}  // namespace yardmaster::worker::html
