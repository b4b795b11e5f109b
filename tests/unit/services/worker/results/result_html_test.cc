#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/results/html_parts.h"
#include "services/worker/results/result_files.h"
#include "tests/unit/services/worker/results/sample_run.h"

namespace yardmaster::worker {
namespace {

// A page is too long to be printed by a test that fails.
bool Has(std::string_view page, std::string_view what) { return page.find(what) != std::string_view::npos; }

size_t Count(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

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

TEST(ResultHtml, TheFirstCauseComesWithItsLineAndItsClass) {
  const std::string page = ResultHtml(SampleRun());
  EXPECT_TRUE(Has(page, "<h1>yardmaster/collectives</h1>"));
  EXPECT_TRUE(Has(page, "verdict failed\">failed</span>"));
  EXPECT_TRUE(Has(page, "3 of 4,096 elements of sum are off on rank 2"));
  EXPECT_TRUE(Has(page, "<b>code</b>"));
  EXPECT_TRUE(Has(page, "<tr class=\"hit\"><td class=\"n\">41</td><td class=\"r\">rank 2</td>"));
  EXPECT_TRUE(Has(page, "failed only because of it: rank 0 3"));
  EXPECT_EQ(Unbalanced(page), "");
}

TEST(ResultHtml, RanksHaveLanesWithTheFirstErrorAndVictimsAreHatched) {
  const std::string page = ResultHtml(SampleRun());
  EXPECT_EQ(Count(page, "class=\"hatch\" x="), 2u);
  // The mark of rank 2: 1.1 of 10 seconds.
  EXPECT_TRUE(Has(page, "<svg x=\"11.00%\" width=\"1\" height=\"12\"><path class=\"first\""));
  EXPECT_TRUE(Has(page, "<title>rank 3: failed, exit 1, victim, 9.6 s</title>"));
}

TEST(ResultHtml, TheFirstCauseIsShownOnceAndOthersAtTheirSteps) {
  RunResult run = SampleRun();
  EXPECT_EQ(Count(ResultHtml(run), "<tr class=\"hit\">"), 1u);
  EXPECT_TRUE(Has(ResultHtml(run), "The first cause, shown above."));
  run.steps[1].cause->message = "another one";
  EXPECT_EQ(Count(ResultHtml(run), "<tr class=\"hit\">"), 2u);
}

TEST(ResultHtml, TestsOfAllRanksAreOneRowAndFailedOnesComeFirst) {
  const std::string page = ResultHtml(SampleRun());
  EXPECT_TRUE(Has(page, "2 tests, 8 with all ranks"));
  const size_t failed = page.find("<tr class=\"failed\">");
  const size_t skipped = page.find("<tr class=\"not_run\">");
  ASSERT_NE(failed, std::string::npos);
  EXPECT_LT(failed, skipped);
  EXPECT_TRUE(Has(page, "rank 2: AssertionError: tensors differ"));
}

TEST(ResultHtml, TheWorstRankOfATensorIsShownAndNeverAveraged) {
  const std::string page = ResultHtml(SampleRun());
  EXPECT_TRUE(Has(page, "3 of 4,096 off on rank 2 (1 of 4 ranks off)"));
  EXPECT_TRUE(Has(page, "worst at 17: 1.25 instead of 1; first at 5"));
  EXPECT_TRUE(Has(page, "<title>1 element 100 times the tolerance and more</title>"));
}

TEST(ResultHtml, NothingIsLoadedFromElsewhere) {
  const std::string page = ResultHtml(SampleRun());
  EXPECT_FALSE(Has(page, "http:"));
  EXPECT_FALSE(Has(page, "https:"));
  EXPECT_FALSE(Has(page, " src="));
  EXPECT_TRUE(Has(page, "default-src 'none'"));
  EXPECT_TRUE(std::regex_search(page, std::regex("script-src 'sha256-[A-Za-z0-9+/]{43}='")));
}

TEST(ResultHtml, HostileTextsStayTexts) {
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
  const std::string page = ResultHtml(run);
  EXPECT_EQ(Count(page, "<script"), 1u);
  EXPECT_FALSE(Has(page, "<img"));
  EXPECT_FALSE(Has(page, "href=\"//"));
  EXPECT_FALSE(Has(page, "href=\"javascript"));
  for (const char c : {'\x1b', '\x01', '\xff', '\xfe'}) EXPECT_EQ(page.find(c), std::string::npos);
  EXPECT_EQ(Unbalanced(page), "");
}

TEST(ResultHtml, AHugeRunStaysSmallAndSaysWhatIsLeftOut) {
  RunResult run = SampleRun();
  const std::string message(20'000, '<');
  for (int i = 0; i < 20'000; ++i) {
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
  const std::string page = ResultHtml(run);
  EXPECT_LT(page.size(), 8'000'000u);
  EXPECT_TRUE(Has(page, " more tests, none of them worse than the last one above"));
  EXPECT_TRUE(Has(page, " more steps are in result.json"));
  EXPECT_TRUE(Has(page, "Lanes of further ranks are left out"));
  EXPECT_TRUE(Has(page, " more are in tensors.json"));
  EXPECT_EQ(Unbalanced(page), "");
}

TEST(ResultHtml, AnEmptyRunIsAPage) {
  RunResult run;
  run.suite = "a/b";
  run.reason = "no interpreter";
  const std::string page = ResultHtml(run);
  EXPECT_TRUE(Has(page, "not run"));
  EXPECT_TRUE(Has(page, "no interpreter"));
  EXPECT_EQ(Unbalanced(page), "");
}

}  // namespace
}  // namespace yardmaster::worker
