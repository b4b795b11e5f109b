// The table of tests: one row a test of a step, with a square for each rank; what did not pass comes first.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/worker/results/html_parts.h"
#include "services/worker/results/text.h"

namespace yardmaster::worker::html {
namespace {

constexpr size_t kMaxSquares = 128;

struct Row {
  const TestResult* shown = nullptr;  // the rank that fared worst, the first of these
  double seconds = 0;
  std::vector<const TestResult*> ranks;
};

std::vector<Row> RowsOf(const RunResult& run) {
  std::vector<Row> rows;
  using Key = std::pair<std::string_view, std::string_view>;
  std::map<Key, size_t> places;
  for (const TestResult& test : run.tests) {
    // Without ranks each report of a test is a row, also of one that ran twice.
    size_t place = rows.size();
    if (test.rank != kNoRank) place = places.emplace(Key(test.step, test.id), place).first->second;
    if (place == rows.size()) rows.emplace_back();
    Row& row = rows[place];
    if (row.shown == nullptr || ShowOrder(test.verdict) < ShowOrder(row.shown->verdict)) row.shown = &test;
    row.seconds = std::max(row.seconds, test.seconds);
    row.ranks.push_back(&test);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return ShowOrder(a.shown->verdict) < ShowOrder(b.shown->verdict);
  });
  return rows;
}

std::string Squares(const Row& row) {
  if (row.shown->rank == kNoRank) return "";
  std::string out;
  for (size_t i = 0; i < std::min(row.ranks.size(), kMaxSquares); ++i) {
    const TestResult& test = *row.ranks[i];
    out += "<i class=\"" + std::string(VerdictWord(test.verdict)) + "\" title=\"rank " + std::to_string(test.rank) +
           ": " + std::string(VerdictText(test.verdict)) + "\"></i>";
  }
  if (row.ranks.size() > kMaxSquares) out += "…";
  return out;
}

std::string RowMarkup(const Row& row, bool ranks, size_t& message_bytes) {
  const TestResult& test = *row.shown;
  const std::string word(VerdictWord(test.verdict));
  std::string out = "<tr class=\"" + word + "\"><td>" + VerdictBadge(test.verdict) + "</td><td class=\"id\">" +
                    Name(test.id) + "<span>" + Name(test.step) + "</span>";
  if (!test.message.empty() && test.verdict != Verdict::kPassed && message_bytes < kMaxMessagesBytes) {
    const bool several = test.rank != kNoRank && row.ranks.size() > 1;
    const std::string message = EscapeMarkup(test.message, kMaxMessageBytes);
    message_bytes += message.size();
    out += "<pre>" + (several ? "rank " + std::to_string(test.rank) + ": " : "") + message + "</pre>";
  }
  out += "</td>";
  if (ranks) out += "<td class=\"ranks\">" + Squares(row) + "</td>";
  return out + "<td class=\"time\">" + DurationText(row.seconds) + "</td></tr>\n";
}

// Shows only tests with this verdict.
std::string Button(Verdict verdict, size_t count) {
  const std::string word(VerdictWord(verdict));
  return "<button class=\"" + word + "\" data-v=\"" + word + "\" aria-pressed=\"false\">" +
         std::string(VerdictText(verdict)) + " " + CountText(count) + "</button>";
}

}  // namespace

std::string TestTable(const RunResult& run) {
  if (run.tests.empty()) return "";
  const std::vector<Row> rows = RowsOf(run);
  std::array<size_t, 7> counts{};
  std::array<Verdict, 7> verdict_of{};
  bool ranks = false;
  for (const Row& row : rows) {
    const auto place = static_cast<size_t>(ShowOrder(row.shown->verdict));
    ++counts[place];
    verdict_of[place] = row.shown->verdict;
    ranks = ranks || row.shown->rank != kNoRank;
  }
  std::string out = "<h2>Tests <small>" + CountText(rows.size()) + (rows.size() == 1 ? " test" : " tests") +
                    (ranks ? ", " + CountText(run.tests.size()) + " with all ranks" : "") +
                    "</small></h2><div class=\"tools hidden\"><input id=\"filter\" type=\"search\" "
                    "placeholder=\"Filter by words of name, step or message\" aria-label=\"Filter tests\">"
                    "<button data-v=\"\" aria-pressed=\"true\">all</button>";
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out += Button(verdict_of[i], counts[i]);
  }
  out +=
      "<span class=\"soft\" id=\"shown\"></span></div><table class=\"tests\" id=\"tests\"><thead><tr><th>verdict</th>"
      "<th>test</th>" +
      std::string(ranks ? "<th>ranks</th>" : "") + "<th class=\"time\">time</th></tr></thead><tbody>\n";
  size_t message_bytes = 0;
  size_t shown = 0;
  const size_t begin = out.size();
  while (shown < std::min(rows.size(), kMaxTestRows) && out.size() - begin < kMaxTestsBytes)
    out += RowMarkup(rows[shown++], ranks, message_bytes);
  out += "</tbody></table>";
  if (rows.size() > shown) {
    out += "<p class=\"soft\">" + CountText(rows.size() - shown) +
           " more tests, none of them worse than the last one above, are in result.json and junit.xml.</p>";
  }
  if (message_bytes >= kMaxMessagesBytes)
    out += "<p class=\"soft\">Messages of further tests are left out: see result.json.</p>";
  return out + "\n";
}

}  // namespace yardmaster::worker::html
