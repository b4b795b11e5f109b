#include "clients/cli/plan_text.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "clients/cli/answer.h"
#include "clients/cli/intake_text.h"
#include "clients/cli/style.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/core/messages/plan_names.h"
#include "services/triage/decision_json.h"

namespace yardmaster::cli {
namespace {

// "3", "2.5": at most two decimals.
std::string Points(double points) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", points);
  std::string out = text;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

Style StyleOf(v1::Confidence confidence) {
  switch (confidence) {
    case v1::CONFIDENCE_HIGH:
      return Style::kGood;
    case v1::CONFIDENCE_MEDIUM:
      return Style::kWarning;
    default:
      return Style::kFaint;
  }
}

// Writes one plan.
class Writer {
 public:
  Writer(const v1::Plan& plan, const PlanTextOptions& options) : plan_(plan), options_(options) {}

  std::string Write(std::string_view title) {
    Head(title);
    Labels();
    Comment();
    Steps();
    Guardrails();
    Explanations("Why", true);
    if (options_.all) {
      Explanations("Not chosen", false);
    } else {
      LeftOut();
    }
    Similar();
    return std::move(out_);
  }

 private:
  std::string Painted(std::string_view text, Style style) const { return Paint(text, style, options_.color); }

  void Line(const std::string& text) { out_ += text + "\n"; }

  void Section(std::string_view name) {
    Line("");
    Line(Painted(name, Style::kTitle));
  }

  // A paragraph whose first line follows `head`, which takes `begin` columns; the other lines begin there, too.
  void Paragraph(const std::string& head, int begin, std::string_view text, Style style) {
    const int columns = options_.columns == 0 ? 1 << 20 : std::max(20, options_.columns - begin);
    bool first = true;
    for (const std::string& line : WrapToWidth(Printable(text), columns)) {
      Line((first ? head : std::string(static_cast<size_t>(begin), ' ')) + Painted(line, style));
      first = false;
    }
  }

  void Paragraph(int indent, std::string_view head, std::string_view text, Style style) {
    const std::string margin(static_cast<size_t>(indent), ' ');
    Paragraph(margin + Painted(head, Style::kFaint), indent + DisplayWidth(head), text, style);
  }

  void Head(std::string_view title) {
    const std::string subject = Printable(SubjectReference(plan_.subject()));
    std::string shown = Printable(title);
    if (options_.columns > 0) shown = CutToWidth(shown, std::max(8, options_.columns - DisplayWidth(subject) - 2));
    Line(Painted(subject, Style::kName) + (shown.empty() ? "" : "  " + Painted(shown, Style::kTitle)));
    std::string facts;
    if (!plan_.id().empty()) facts = "decision " + Printable(plan_.id()) + " · ";
    facts += "pack " + Printable(plan_.pack()) + " @ " + Printable(plan_.pack_revision()) + " · " +
             std::string(ModeName(plan_.mode()));
    if (plan_.has_created_at()) facts += " · " + google::protobuf::util::TimeUtil::ToString(plan_.created_at());
    Line(Painted(facts, Style::kFaint));
  }

  const v1::LabelExplanation* ExplanationOf(const std::string& label) const {
    const auto& labels = plan_.explanation().labels();
    const auto found = absl::c_find_if(labels, [&](const auto& explanation) { return explanation.label() == label; });
    return found == labels.end() ? nullptr : &*found;
  }

  void Labels() {
    Section("Labels");
    Table table;
    table.AlignRight({2});
    table.Header({"label", "confidence", "points", "now"});
    for (const std::string& label : plan_.labels()) {
      v1::Confidence confidence = v1::CONFIDENCE_UNSPECIFIED;
      for (const v1::LabelConfidence& entry : plan_.confidence()) {
        if (entry.label() == label) confidence = entry.confidence();
      }
      const v1::LabelExplanation* explanation = ExplanationOf(label);
      const bool add = absl::c_linear_search(plan_.applied(), label);
      table.Row({{Printable(label), Style::kStrong},
                 {std::string(ConfidenceName(confidence)), StyleOf(confidence)},
                 explanation == nullptr ? "" : Points(explanation->score()),
                 add ? Cell("add", Style::kGood) : Cell("not now", Style::kFaint)});
    }
    for (const std::string& label : plan_.applied()) {
      if (!absl::c_linear_search(plan_.labels(), label))
        table.Row({{Printable(label), Style::kStrong}, "", "", {"add", Style::kGood}});
    }
    if (plan_.labels().empty() && plan_.applied().empty()) {
      Line("  none");
    } else {
      out_ += table.Render(2, options_.columns, options_.color);
    }
  }

  void Comment() {
    const std::string& held_back = plan_.explanation().comment_suppressed();
    if (plan_.comment_template().empty() && held_back.empty()) return;
    Section("Comment");
    if (!plan_.comment_template().empty()) Paragraph(2, "post template  ", plan_.comment_template(), Style::kStrong);
    if (!held_back.empty()) Paragraph(2, "held back: ", held_back, Style::kPlain);
  }

  void Steps() {
    if (plan_.explanation().steps().empty()) return;
    Section("Steps");
    // Steps behind the end have no reason of their own: they are one line, and that only where everything is shown.
    const auto shown = [&](const v1::StepOutcome& step) { return options_.all || step.taken(); };
    int width = 0;
    for (const v1::StepOutcome& step : plan_.explanation().steps())
      if (shown(step)) width = std::max(width, DisplayWidth(Printable(step.id())));
    if (width == 0) Line("  none");
    bool ended = false;
    std::string behind;
    for (const v1::StepOutcome& step : plan_.explanation().steps()) {
      if (!shown(step)) continue;
      if (ended) {
        behind += (behind.empty() ? "" : ", ") + step.id();
        continue;
      }
      ended = step.stopped();
      const std::string_view mark = step.stopped() ? "■" : step.taken() ? "✓" : "·";
      const Style style = step.taken() ? Style::kGood : Style::kFaint;
      const std::string why = step.why() + (step.stopped() ? " (stops here)" : "");
      const std::string head =
          "  " + Painted(mark, style) + " " +
          Painted(PadRight(Printable(step.id()), width), step.taken() ? Style::kStrong : Style::kFaint) + "  ";
      Paragraph(head, 4 + width + 2, why, step.taken() ? Style::kPlain : Style::kFaint);
    }
    if (!behind.empty()) Paragraph(2, "· not looked at: ", behind, Style::kFaint);
  }

  void Guardrails() {
    if (plan_.explanation().guardrails().empty()) return;
    Section("Guardrails");
    for (const v1::Suppression& note : plan_.explanation().guardrails()) {
      Paragraph(2, Printable(note.rule_id()) + "  ", note.reason(), Style::kPlain);
    }
  }

  void Similar() {
    if (plan_.explanation().similar().empty()) return;
    Section("Similar");
    for (const v1::SimilarSubject& one : plan_.explanation().similar()) {
      const v1::Subject& subject = one.subject();
      Paragraph(2, Printable(subject.repository() + "#" + std::to_string(subject.number())) + "  ", one.title(),
                Style::kPlain);
    }
  }

  // Topics are on the way to the labels: they are shown only where everything is.
  bool Shown(const v1::LabelExplanation& label) const { return options_.all || !label.label().starts_with('@'); }

  // One line for the labels that had evidence and were not chosen.
  void LeftOut() {
    std::string names;
    for (const v1::LabelExplanation& label : plan_.explanation().labels()) {
      if (label.chosen() || !Shown(label) || label.rules().empty()) continue;
      names += (names.empty() ? "" : ", ") + label.label() + " (" + Points(label.score()) + " of " +
               Points(label.threshold()) + " points)";
    }
    if (names.empty()) return;
    Line("");
    Paragraph(0, "Not chosen: ", names + "; --long says why", Style::kFaint);
  }

  void Explanations(std::string_view section, bool chosen) {
    bool any = false;
    for (const v1::LabelExplanation& label : plan_.explanation().labels()) {
      if (label.chosen() != chosen || !Shown(label)) continue;
      if (!any) Section(section);
      any = true;
      Explanation(label);
    }
  }

  void Explanation(const v1::LabelExplanation& label) {
    const std::string_view word = ConfidenceName(label.confidence());
    std::string score = Points(label.score()) + " points, " + Points(label.threshold()) + " needed";
    if (label.high_threshold() > label.threshold()) score += ", " + Points(label.high_threshold()) + " for HIGH";
    Line("  " + Painted(Printable(label.label()), label.chosen() ? Style::kStrong : Style::kPlain) + "  " +
         (word.empty() ? "" : Painted(word, StyleOf(label.confidence())) + "  ") + Painted(score, Style::kFaint));
    Evidence(label);
    for (const v1::Suppression& suppression : label.suppressed()) {
      Paragraph(6, "lowered " + Points(suppression.score_before()) + " → " + Points(suppression.score_after()) + "  ",
                suppression.rule_id() + ": " + suppression.reason(), Style::kPlain);
    }
    if (!label.would_change().empty()) Paragraph(6, "would change  ", label.would_change(), Style::kFaint);
  }

  static std::string Place(const v1::Evidence& evidence) {
    if (!evidence.has_span()) return "";
    std::string place;
    switch (evidence.span().source()) {
      case v1::TextSpan::SOURCE_TITLE:
        place = "title ";
        break;
      case v1::TextSpan::SOURCE_COMMENT:
        place = "comment " + std::to_string(evidence.span().comment_index() + 1) + " ";
        break;
      default:
        place = "body ";
        break;
    }
    return place + std::to_string(evidence.span().begin()) + "–" + std::to_string(evidence.span().end());
  }

  // The text that stands behind a piece of evidence. Points that come from another label's score stand on what that
  // label stands on most.
  const std::string& WordsOf(const v1::Evidence& evidence) const {
    if (!evidence.text().empty()) return evidence.text();
    const v1::LabelExplanation* source = ExplanationOf(evidence.rule_id());
    return source == nullptr || source->rules().empty() ? evidence.text() : source->rules(0).text();
  }

  void Evidence(const v1::LabelExplanation& label) {
    Table table;
    table.AlignRight({0});
    const size_t most = options_.all ? 8 : 3;
    size_t shown = 0;
    for (const v1::Evidence& evidence : label.rules()) {
      if (++shown > most) break;
      const std::string& words = WordsOf(evidence);
      const std::string matched = words.empty() ? "" : "“" + CutToWidth(Printable(words), 40) + "”";
      table.Row({{(evidence.score() < 0 ? "" : "+") + Points(evidence.score()),
                  evidence.score() < 0 ? Style::kBad : Style::kGood},
                 evidence.zone(),
                 {matched, Style::kName},
                 Printable(evidence.rule_id()),
                 {Place(evidence), Style::kFaint}});
    }
    out_ += table.Render(6, options_.columns, options_.color);
    const auto all = static_cast<size_t>(label.rules_size());
    if (all > most) {
      Line("      " +
           Painted(std::to_string(all - most) + " more; " + (options_.all ? "--json has" : "--long shows") + " them",
                   Style::kFaint));
    }
  }

  const v1::Plan& plan_;
  const PlanTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string PlanText(const v1::Plan& plan, std::string_view title, const PlanTextOptions& options) {
  return Writer(plan, options).Write(title);
}

void PrintPlan(const v1::Plan& plan, std::string_view title,
               const google::protobuf::RepeatedPtrField<v1::Effect>* effects, bool all, Session& session) {
  Output& output = session.output;
  if (session.options.json) {
    nlohmann::ordered_json decision = DecisionJson(plan);
    if (effects != nullptr) decision["effects"] = JsonList(*effects, EffectJson);
    output.Json(decision);
    return;
  }
  output.out() << PlanText(plan, title, {.columns = output.columns(), .color = output.color(), .all = all});
  if (effects == nullptr) return;
  if (effects->empty()) {
    output.out() << "\nNothing was written.\n";
  } else {
    output.out() << "\nWritten:\n" << EffectTable(*effects, output);
  }
}

}  // namespace yardmaster::cli
