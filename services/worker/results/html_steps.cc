// Layers as a strip, and steps over time: one row a step on the time of the run, inside it one lane a rank on the time
// of the step.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "services/worker/results/html_parts.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker::html {
namespace {

// "12.34%", within the picture.
std::string Percent(double part) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2f%%", std::clamp(std::isfinite(part) ? part : 0, 0.0, 1.0) * 100);
  return buffer;
}

double Seconds(int64_t micros) { return static_cast<double>(micros) / 1e6; }

// Where a span lies in another one.
struct Span {
  double begin = 0;
  double width = 0;
};
Span Place(int64_t begin, int64_t end, int64_t from, int64_t to) {
  const auto total = static_cast<double>(std::max<int64_t>(to - from, 1));
  const double first = std::clamp(static_cast<double>(begin - from) / total, 0.0, 1.0);
  return {first, std::clamp(static_cast<double>(end - from) / total, first, 1.0) - first};
}

std::string Bar(const Span& span, std::string_view shape, double least_width) {
  return "<rect class=\"" + std::string(shape) + "\" x=\"" + Percent(std::min(span.begin, 1 - least_width)) +
         "\" width=\"" + Percent(std::max(span.width, least_width)) + "\" y=\"1\" height=\"10\" rx=\"2\"/>";
}

constexpr std::string_view kTrack = "<rect class=\"track\" width=\"100%\" y=\"1\" height=\"10\" rx=\"2\"/>";

std::string LaneText(const RankResult& rank) {
  std::string out;
  if (rank.signal != 0) {
    out = "signal " + std::to_string(rank.signal);
  } else if (rank.exit_code.has_value()) {
    out = "exit " + std::to_string(*rank.exit_code);
  } else {
    out = "no exit";
  }
  if (rank.victim) out += ", victim";
  return out;
}

std::string Lane(const StepResult& step, const RankResult& rank) {
  const std::string title = (rank.rank == kNoRank ? std::string("the process") : "rank " + std::to_string(rank.rank)) +
                            ": " + std::string(VerdictText(rank.verdict)) + ", " + LaneText(rank) + ", " +
                            DurationText(Seconds(rank.end_micros - rank.begin_micros));
  std::string out = "<span class=\"soft\">" + (rank.rank == kNoRank ? "–" : "rank " + std::to_string(rank.rank)) +
                    "</span><svg height=\"12\" class=\"" + std::string(VerdictWord(rank.verdict)) + "\"><title>" +
                    title + "</title>" + std::string(kTrack);
  const Span span = Place(rank.begin_micros, rank.end_micros, step.begin_micros, step.end_micros);
  out += Bar(span, rank.victim ? "hatch" : "c", 0.004);
  if (rank.first_error_micros >= 0) {
    const Span mark = Place(rank.first_error_micros, rank.first_error_micros, step.begin_micros, step.end_micros);
    out += "<svg x=\"" + Percent(mark.begin) +
           "\" width=\"1\" height=\"12\"><path class=\"first\" d=\"M0 12L-5 2H5Z\"/></svg>";
  }
  return out + "</svg><span class=\"soft\">" + LaneText(rank) + "</span>";
}

std::string Scale(double seconds) {
  std::string out = "<span></span><div class=\"scale\">";
  for (int quarter = 0; quarter <= 4; ++quarter) {
    out += "<span style=\"left:" + std::to_string(quarter * 25) + "%\">" +
           (quarter == 0 ? "0" : DurationText(seconds * quarter / 4)) + "</span>";
  }
  return out + "</div><span></span>";
}

bool IsGood(Verdict verdict) { return verdict == Verdict::kPassed || verdict == Verdict::kNotRun; }

// True if it stands at the top of the page already.
bool IsFirstCause(const RunResult& run, const worker::Cause& cause) {
  return run.cause.has_value() && run.cause->step == cause.step && run.cause->message == cause.message &&
         run.cause->line == cause.line;
}

std::string Step(const RunResult& run, const StepResult& step, int64_t run_micros, size_t& lanes,
                 bool& lanes_left_out) {
  const std::string word(VerdictWord(step.verdict));
  const bool started = !step.log.empty() || !step.ranks.empty();
  std::string out = "<details class=\"step\"" + std::string(IsGood(step.verdict) ? "" : " open") +
                    "><summary><span class=\"id mono\">" + Name(step.name) + "</span>" + VerdictBadge(step.verdict) +
                    "<svg class=\"gantt " + word + "\" height=\"12\">" + std::string(kTrack);
  if (started) out += Bar(Place(step.begin_micros, step.end_micros, 0, run_micros), "c", 0.003);
  out += "</svg><span class=\"time\">" +
         (started ? DurationText(Seconds(step.end_micros - step.begin_micros)) : std::string("–")) +
         "</span></summary><div class=\"inside\">";
  if (!step.reason.empty() && !step.cause.has_value())
    out += "<p>" + EscapeMarkup(step.reason, kMaxMessageBytes) + "</p>";
  if (!step.ranks.empty()) {
    out += "<div class=\"lanes\">";
    for (const RankResult& rank : step.ranks) {
      if (lanes >= kMaxLanes) {
        lanes_left_out = true;
        break;
      }
      ++lanes;
      out += Lane(step, rank);
    }
    out += Scale(Seconds(step.end_micros - step.begin_micros)) + "</div>";
  }
  if (step.cause.has_value()) {
    out += IsFirstCause(run, *step.cause) ? std::string("<p>The first cause, shown above.</p>")
                                          : "<div class=\"cause " + word + "\">" + Cause(*step.cause) + "</div>";
  }
  if (step.attempts > 1) {
    out += "<p class=\"soft\">" + std::to_string(step.attempts) + " attempts" +
           (step.recipe.empty() ? "" : ", the last one after the recipe <code>" + Name(step.recipe) + "</code>") +
           "</p>";
  }
  if (!step.log.empty()) out += "<p class=\"soft\">Log: <code>" + Name(step.log) + "</code></p>";
  if (!step.artifacts.empty()) {
    constexpr size_t kMaxArtifacts = 50;
    out += "<p class=\"soft\">Kept:";
    for (size_t i = 0; i < std::min(step.artifacts.size(), kMaxArtifacts); ++i) {
      // Only below the result directory: a link of "//host/…" would lead elsewhere.
      const std::string& path = step.artifacts[i];
      if (path.empty() || path.front() == '/') {
        out += " <code>" + Name(path) + "</code>";
      } else {
        out += " <a href=\"./" + EscapePath(path) + "\">" + Name(path) + "</a>";
      }
    }
    if (step.artifacts.size() > kMaxArtifacts)
      out += " and " + CountText(step.artifacts.size() - kMaxArtifacts) + " more";
    out += "</p>";
  }
  return out + "</div></details>\n";
}

// How much of a layer's tests became what, as a thin bar.
std::string Share(size_t count, size_t total, std::string_view word) {
  if (count == 0) return "";
  return "<i class=\"" + std::string(word) +
         "\" style=\"width:" + Percent(static_cast<double>(count) / static_cast<double>(total)) + "\"></i>";
}

}  // namespace

std::string LayerStrip(const RunResult& run) {
  if (run.layers.empty()) return "";
  std::string out = "<h2>Layers</h2><div class=\"strip\">";
  for (const LayerResult& layer : run.layers) {
    out += "<div class=\"layer " + std::string(VerdictWord(layer.verdict)) + "\"><b>" + Name(layer.id) + "</b>" +
           VerdictBadge(layer.verdict);
    if (!layer.title.empty() && layer.title != layer.id) out += "<div class=\"title\">" + Name(layer.title) + "</div>";
    if (layer.tests > 0) {
      const size_t others = std::min(layer.tests, layer.failed + layer.skipped);
      out += "<div class=\"bar\">" + Share(layer.failed, layer.tests, "failed") +
             Share(layer.tests - others, layer.tests, "passed") + Share(layer.skipped, layer.tests, "not_run") +
             "</div>";
    }
    std::string numbers = CountText(layer.tests) + (layer.tests == 1 ? " test" : " tests");
    if (layer.failed > 0) numbers += ", " + CountText(layer.failed) + " failed";
    if (layer.skipped > 0) numbers += ", " + CountText(layer.skipped) + " skipped";
    if (layer.seconds > 0) numbers += " · " + DurationText(layer.seconds);
    out += "<div class=\"soft\">" + numbers + "</div>";
    if (!layer.reason.empty()) out += "<div class=\"soft\">" + EscapeMarkup(layer.reason, kMaxMessageBytes) + "</div>";
    out += "</div>";
  }
  return out + "</div>\n";
}

std::string StepList(const RunResult& run) {
  if (run.steps.empty()) return "";
  auto run_micros = static_cast<int64_t>(std::min(std::max(run.seconds, 0.0), 1e9) * 1e6);
  bool marks = false;
  bool victims = false;
  for (const StepResult& step : run.steps) {
    run_micros = std::max(run_micros, step.end_micros);
    for (const RankResult& rank : step.ranks) {
      marks = marks || rank.first_error_micros >= 0;
      victims = victims || rank.victim;
    }
  }
  std::string out = "<h2>Steps <small>over the " + DurationText(Seconds(run_micros)) +
                    " of the run; inside each, its ranks</small></h2>";
  if (marks || victims) {
    out += "<p class=\"legend\">";
    if (marks) {
      out +=
          "<span><svg viewBox=\"0 0 26 12\"><path class=\"first\" d=\"M13 12L8 2H18Z\"/></svg>first error of a "
          "rank</span>";
    }
    if (victims) {
      out +=
          "<span class=\"failed\"><svg viewBox=\"0 0 26 12\"><rect class=\"hatch\" width=\"26\" y=\"1\" "
          "height=\"10\" rx=\"2\"/></svg>victim: failed only because another rank did</span>";
    }
    out += "</p>";
  }
  // All in the order of time; where there are too many, those that went well are left out first.
  std::vector<size_t> order(run.steps.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  size_t left_out = 0;
  if (order.size() > kMaxSteps) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return ShowOrder(run.steps[a].verdict) < ShowOrder(run.steps[b].verdict);
    });
    left_out = order.size() - kMaxSteps;
    order.resize(kMaxSteps);
    std::sort(order.begin(), order.end());
  }
  size_t lanes = 0;
  bool lanes_left_out = false;
  const size_t begin = out.size();
  for (const size_t i : order) {
    if (out.size() - begin < kMaxStepsBytes) {
      out += Step(run, run.steps[i], run_micros, lanes, lanes_left_out);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) out += "<p class=\"soft\">" + CountText(left_out) + " more steps are in result.json.</p>";
  if (lanes_left_out) out += "<p class=\"soft\">Lanes of further ranks are left out: see result.json.</p>";
  return out;
}

}  // namespace yardmaster::worker::html
