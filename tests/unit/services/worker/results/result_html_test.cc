#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/sha256.h"
#include "services/worker/results/report_page.h"
#include "services/worker/results/result_files.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/services/worker/results/occurrences.h"
#include "tests/unit/services/worker/results/sample_run.h"

namespace yardmaster::worker {
namespace {

// A page is too long to be printed by a test that fails.
bool Has(std::string_view page, std::string_view what) { return page.find(what) != std::string_view::npos; }

// Every element that is opened is closed, in order; the first that is not, else "".
std::string Unbalanced(const std::string& page) {
  static const std::set<std::string> kVoid = {"meta", "input", "br"};
  std::vector<std::string> open;
  size_t pos = page.find("<html");
  while ((pos = page.find('<', pos)) != std::string::npos) {
    for (const std::string raw : {"style", "script"}) {
      if (page.compare(pos, raw.size() + 1, "<" + raw) == 0) pos = page.find("</" + raw + ">", pos);
      if (page.compare(pos, raw.size() + 3, "</" + raw + ">") == 0) pos += raw.size() + 3;
    }
    pos = page.find('<', pos);
    if (pos == std::string::npos) break;
    const bool closing = page[pos + 1] == '/';
    size_t end = pos + 1 + (closing ? 1 : 0);
    std::string name;
    while (end < page.size() && std::isalnum(static_cast<unsigned char>(page[end])) != 0) name.push_back(page[end++]);
    const size_t close = page.find('>', end);
    if (close == std::string::npos) return name;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name;
      open.pop_back();
    } else if (page[close - 1] != '/' && kVoid.count(name) == 0) {
      open.push_back(name);
    }
    pos = close;
  }
  return open.empty() ? "" : open.back();
}

// What a command prints.
std::string OutputOf(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  std::array<char, 65'536> buffer{};
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), count);
  return ::pclose(pipe) == 0 ? out : "";
}

bool Installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

// The page as its script has made it, on a document of our own.
class ResultHtmlTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Installed("node")) << "this test needs Node.js"; }

  std::string Render(const RunResult& run, const std::string& actions = "") {
    const std::filesystem::path page = dir_.Write("report.html", ResultHtml(run));
    return OutputOf("node " + testing::SourcePath("tests/support/render_page.js").native() + " " + page.native() + " " +
                    actions);
  }

  const testing::TempDir dir_;
};

TEST_F(ResultHtmlTest, TheFirstCauseComesWithItsLineAndItsClass) {
  const std::string page = Render(SampleRun());
  EXPECT_TRUE(Has(page, "<h1>yardmaster/collectives</h1>"));
  EXPECT_TRUE(Has(page, "verdict failed\">failed</span>"));
  EXPECT_TRUE(Has(page, "3 of 4,096 elements of sum are off on rank 2"));
  EXPECT_TRUE(Has(page, "<b>code</b>"));
  EXPECT_TRUE(Has(page, "<tr class=\"hit\"><td class=\"n\">41</td><td class=\"r\">rank 2</td>"));
  EXPECT_TRUE(Has(page, "failed only because of it: rank 0 3"));
  EXPECT_EQ(Unbalanced(page), "");
}

TEST_F(ResultHtmlTest, RanksHaveLanesWithTheFirstErrorAndVictimsAreHatched) {
  const std::string page = Render(SampleRun());
  EXPECT_EQ(Occurrences(page, "class=\"hatch\" x="), 2u);
  EXPECT_TRUE(Has(page, "never spoke"));
  EXPECT_TRUE(Has(page, "last spoke at"));
  // The mark of rank 2: 1.1 of 10 seconds.
  EXPECT_TRUE(Has(page, "<svg x=\"11.00%\" width=\"1\" height=\"12\"><path class=\"first\""));
  EXPECT_TRUE(Has(page, "<title>rank 3: failed, exit 1, victim, 9.6 s, never spoke</title>"));
}

TEST_F(ResultHtmlTest, ALaneSaysWhereItsRankStoodWhenItWasStopped) {
  RunResult run = SampleRun();
  EXPECT_FALSE(Has(Render(run), "soft stood"));
  run.steps[1].ranks[3].stood.emplace().text = "waits in all_reduce (<train>.py:12 in step)";
  EXPECT_TRUE(Has(Render(run), "<div class=\"soft stood\">waits in all_reduce (&lt;train&gt;.py:12 in step)</div>"));
}

TEST_F(ResultHtmlTest, TheFirstCauseIsShownOnceAndOthersAtTheirSteps) {
  RunResult run = SampleRun();
  EXPECT_EQ(Occurrences(Render(run), "<tr class=\"hit\">"), 1u);
  EXPECT_TRUE(Has(Render(run), "The first cause, shown above."));
  run.steps[1].cause->message = "another one";
  EXPECT_EQ(Occurrences(Render(run), "<tr class=\"hit\">"), 2u);
}

TEST_F(ResultHtmlTest, TestsOfAllRanksAreOneRowAndFailedOnesComeFirst) {
  const std::string page = Render(SampleRun());
  EXPECT_TRUE(Has(page, "2 tests, 8 with all ranks"));
  const size_t failed = page.find("<tr class=\"failed\">");
  const size_t skipped = page.find("<tr class=\"not_run\">");
  ASSERT_NE(failed, std::string::npos);
  EXPECT_LT(failed, skipped);
  EXPECT_TRUE(Has(page, "rank 2: AssertionError: tensors differ"));
}

TEST_F(ResultHtmlTest, TheWorstRankOfATensorIsShownAndNeverAveraged) {
  const std::string page = Render(SampleRun());
  EXPECT_TRUE(Has(page, "3 of 4,096 off on rank 2 (1 of 4 ranks off)"));
  EXPECT_TRUE(Has(page, "worst at 17: 1.25 instead of 1; first at 5"));
  EXPECT_TRUE(Has(page, "<title>1 element 100 times the tolerance and more</title>"));
}

// "sha256-…" of what stands between two tags, as browsers count it.
std::string HashOf(std::string_view page, std::string_view begin, std::string_view end) {
  const size_t from = page.find(begin) + begin.size();
  const Sha256Bytes digest = Sha256(page.substr(from, page.find(end, from) - from));
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "sha256-";
  for (size_t i = 0; i < digest.size(); i += 3) {
    const unsigned bits = static_cast<unsigned>(digest[i]) << 16U | static_cast<unsigned>(digest[i + 1]) << 8U |
                          (i + 2 < digest.size() ? digest[i + 2] : 0U);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += kLetters[bits >> shift & 63U];
  }
  out.back() = '=';
  return out;
}

TEST(ReportPage, NothingIsLoadedFromElsewhereAndNothingRunsButItsOwnScript) {
  const std::string page = ResultHtml(SampleRun());
  // The name of a namespace is no address.
  EXPECT_EQ(Occurrences(page, "http:"), Occurrences(page, "http://www.w3.org/2000/svg"));
  EXPECT_FALSE(Has(page, "https:"));
  EXPECT_FALSE(Has(page, " src="));
  EXPECT_FALSE(Has(page, "innerHTML"));
  EXPECT_FALSE(Has(page, "insertAdjacent"));
  EXPECT_FALSE(Has(page, "document.write"));
  EXPECT_TRUE(Has(page, "default-src 'none'"));
  const std::string script = "script-src '" + HashOf(page, "<script>", "</script>") + "'";
  EXPECT_TRUE(Has(page, script)) << "report.html must have " << script;
  const std::string style = "style-src '" + HashOf(page, "<style>", "</style>") + "'";
  EXPECT_TRUE(Has(page, style)) << "report.html must have " << style;
}

TEST(ReportPage, EmbeddedDataCanEndNoScriptAndBeginNoComment) {
  RunResult run = SampleRun();
  run.reason = "</script><script>alert(1)</script><!--";
  run.tests[0].id = "</SCRIPT ><!-- <script";
  const std::string page = ResultHtml(run);
  EXPECT_EQ(Occurrences(page, "<script"), Occurrences(ReportPage(), "<script"));
  EXPECT_EQ(Occurrences(page, "</script"), Occurrences(ReportPage(), "</script"));
  EXPECT_EQ(Occurrences(page, "<!--"), Occurrences(ReportPage(), "<!--"));
  EXPECT_FALSE(Has(page, "</SCRIPT"));
  for (const char c : {'\x1b', '\x01', '\xff', '\xfe'}) EXPECT_EQ(page.find(c), std::string::npos);
}

TEST_F(ResultHtmlTest, HostileTextsStayTexts) {
  RunResult run = SampleRun();
  const std::string hostile = kHostileText;
  run.suite = run.job = run.commit = run.reason = run.notes[0] = hostile;
  run.versions[hostile] = hostile;
  run.cause->message = run.cause->advice = run.cause->step = run.cause->test = run.cause->log = hostile;
  run.cause->signature = run.cause->excerpt[0].text = hostile;
  for (StepResult& step : run.steps) {
    step.name = step.reason = step.log = step.recipe = hostile;
    step.attempts = 2;
    step.artifacts = {hostile, "//elsewhere.example/x", "javascript:alert(1)"};
  }
  for (LayerResult& layer : run.layers) layer.id = layer.title = layer.reason = hostile;
  for (TestResult& test : run.tests) test.id = test.step = test.message = hostile;
  for (TensorResult& tensor : run.tensors) tensor.name = tensor.step = tensor.dtype = hostile;
  for (Device& device : run.devices) device.name = device.model = device.driver = device.health_reason = hostile;
  const std::string page = Render(run);
  EXPECT_FALSE(Has(page.substr(page.find("<main")), "<script>alert"));
  EXPECT_FALSE(Has(page, "<img"));
  EXPECT_FALSE(Has(page, "href=\"//"));
  EXPECT_FALSE(Has(page, "href=\"javascript"));
  for (const char c : {'\x1b', '\x01', '\xff', '\xfe'}) EXPECT_EQ(page.find(c), std::string::npos);
  EXPECT_EQ(Unbalanced(page), "");
}

TEST_F(ResultHtmlTest, AHugeRunStaysSmallAndSaysWhatIsLeftOut) {
  RunResult run = SampleRun();
  const std::string message(20'000, '<');
  for (int i = 0; i < 2'000; ++i) {
    run.tests.push_back(SampleTest("test_many.py::test_" + std::to_string(i) + std::string(200, '&'), "many", kNoRank,
                                   i % 2 == 0 ? Verdict::kFailed : Verdict::kPassed, message));
  }
  for (int i = 0; i < 3'000; ++i) {
    run.steps.push_back(run.steps[1]);
    run.steps.back().name = "step" + std::to_string(i);
    run.steps.back().cause.reset();
    TensorResult tensor = run.tensors[0];
    tensor.name = "t" + std::to_string(i);
    run.tensors.push_back(tensor);
  }
  EXPECT_LT(ResultHtml(run).size(), 8'000'000u);
  const std::string page = Render(run);
  EXPECT_TRUE(Has(page, " more tests, none of them worse than the last one above"));
  EXPECT_TRUE(Has(page, " more steps are in result.json"));
  EXPECT_TRUE(Has(page, "Lanes of further ranks are left out"));
  EXPECT_TRUE(Has(page, " more are in tensors.json"));
  EXPECT_EQ(Unbalanced(page), "");
}

TEST_F(ResultHtmlTest, AnEmptyRunIsAPage) {
  RunResult run;
  run.suite = "a/b";
  run.reason = "no interpreter";
  const std::string page = Render(run);
  EXPECT_TRUE(Has(page, "not run"));
  EXPECT_TRUE(Has(page, "no interpreter"));
  EXPECT_EQ(Unbalanced(page), "");
}

TEST_F(ResultHtmlTest, PathsOfArtifactsAreLinksBelowThePage) {
  RunResult run = SampleRun();
  run.steps[1].artifacts = {"steps/a b/\"x\".txt?#"};
  EXPECT_TRUE(Has(Render(run), "<a href=\"./steps/a%20b/%22x%22.txt%3F%23\">"));
}

TEST_F(ResultHtmlTest, TestsAreFilteredByWordsAndVerdict) {
  const std::string words = Render(SampleRun(), "test_MAX");
  EXPECT_TRUE(Has(words, "1 shown"));
  EXPECT_TRUE(Has(words, "<tr class=\"failed hidden\">"));
  EXPECT_TRUE(Has(words, "<tr class=\"not_run\">"));
  const std::string failed = Render(SampleRun(), "'' failed");
  EXPECT_TRUE(Has(failed, "<tr class=\"failed\">"));
  EXPECT_TRUE(Has(failed, "<tr class=\"not_run hidden\">"));
  EXPECT_TRUE(Has(failed, "data-v=\"failed\" aria-pressed=\"true\""));
}

TEST_F(ResultHtmlTest, ABrowserMakesTheSameOfIt) {
  if (!Installed("chromium")) GTEST_SKIP() << "not tested here, since there is no chromium: the page in a browser";
  const std::filesystem::path page = dir_.Write("report.html", ResultHtml(SampleRun()));
  const std::string shown =
      OutputOf("chromium --headless --no-sandbox --disable-gpu --user-data-dir=" + dir_.path().native() +
               "/profile --dump-dom file://" + page.native() + " 2>/dev/null");
  const auto main = [](const std::string& text) {
    const size_t begin = text.find("<main");
    return begin == std::string::npos ? text : text.substr(begin, text.find("</main>") - begin);
  };
  const std::string ours = main(Render(SampleRun()));
  const std::string theirs = main(shown);
  const auto same = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end()).first - ours.begin();
  EXPECT_EQ(ours.substr(same, 200), theirs.substr(same, 200));
}

TEST_F(ResultHtmlTest, DevicesVersionsAndNotesAreAtTheEnd) {
  const std::string page = Render(SampleRun());
  EXPECT_TRUE(Has(page, "<dt>gpu0</dt><dd>Sample 80GB · 81,920 MiB · driver 570.10 · <code>GPU-11111111</code></dd>"));
  EXPECT_TRUE(Has(page, "<dt>torch</dt><dd>1.13.0</dd>"));
  EXPECT_TRUE(Has(page, "<li>composed: reduce_scatter of all_reduce</li>"));
  EXPECT_TRUE(Has(page, "Log: <a href=\"./steps/all_reduce/log.yardlog.txt\">steps/all_reduce/log.yardlog</a>"));
  EXPECT_TRUE(Has(page, "<dt>host</dt><dd>node-7 · Linux 6.1 · 8 processors · 16,000 MiB</dd>"));
  EXPECT_TRUE(Has(page, "gemm 512"));
  EXPECT_TRUE(Has(page, "12.5 gflop_s"));
  EXPECT_TRUE(Has(page, "<title>failed: yardmaster/collectives</title>"));
}

}  // namespace
}  // namespace yardmaster::worker
