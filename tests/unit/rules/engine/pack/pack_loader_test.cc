#include "rules/engine/pack/pack_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// A small pack that uses everything.
PackFiles Basic() {
  return {
      {"base/pack.json", R"({"name": "base", "title": "Base", "entry_label": "queue"})"},
      {"base/labels.json", R"({"labels": [{"name": "a", "description": "A"}, {"name": "b", "description": "B"}]})"},
      {"base/templates.json", R"({"templates": [{"id": "ask", "purpose": "asks", "body": ["one", "", "two"]}]})"},
      {"base/zones.json", R"({"trace_starts": ["^Traceback"], "boilerplate": ["^### Form"]})"},
      {"base/rubric.json", R"({
        "topics": ["@t"],
        "default_zones": {"title": 3, "prose": 2},
        "comment_factor": 0.5,
        "negations": ["not "],
        "signals": [
          {"id": "s1", "words": ["x"], "points": 2, "label": "a"},
          {"id": "s2", "patterns": ["y+"], "zones": {"code": 4}, "labels": {"b": 1, "@t": 0.5}, "cap": 7, "negatable": false}
        ],
        "suppressors": [{"id": "u1", "label": "a", "when": {"signal": "s2"}, "factor": 0.5, "reason": "because"}],
        "classifiers": [{"id": "c1", "kind": "multi_label", "labels": ["a", {"label": "b", "from": {"@t": 1}}], "high": 5, "medium": 2}],
        "steps": [
          {"id": "p1", "title": "One", "when": {"labels_before": "a"}, "stop": true, "because": "done"},
          {"id": "p2", "title": "Two", "add_outcome": "c1", "marker": true, "because": "classified"},
          {"id": "p3", "title": "Three", "add": ["a", "b"], "comment": "ask", "because": "last"}
        ]})"},
      {"base/signals/more.json",
       R"({"signals": [{"id": "s3", "when": {"all": [{"signal": ["s1", "s2"], "zones": ["code"]}, {"not": true}]}, "points": 3}]})"},
      {"base/guardrails.json", R"({"allow": ["a", "m"], "never": ["p0"], "exactly_one": [["a", "b"]],
        "exclusions": [{"label": "a", "with": ["b"]}], "redundant": [{"general": "a", "specific": "b"}],
        "markers": ["m"], "templates": ["ask"]})"},
      {"base/cases/c.json",
       R"({"cases": [{"id": "k1", "title": "x", "body": ["l1", "l2"], "labels_before": [], "rules": ["s1"],
        "labels": ["a"], "comment": null, "comments": ["hi", {"body": null, "author": "ann"}]}]})"},
  };
}

PackFiles WithChild() {
  PackFiles files = Basic();
  files["child/pack.json"] = R"({"name": "child", "title": "Child", "extends": "base"})";
  return files;
}

PackModel LoadOk(const PackFiles& files, std::string_view name) {
  Problems problems;
  auto pack = LoadPack(files, name, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  EXPECT_TRUE(pack.has_value());
  return pack ? *std::move(pack) : PackModel();
}

std::vector<std::string> LoadBad(const PackFiles& files, std::string_view name) {
  Problems problems;
  EXPECT_FALSE(LoadPack(files, name, problems).has_value());
  EXPECT_FALSE(problems.empty());
  SortProblems(problems);
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.ToString());
  return out;
}

// Problems of the basic pack with one file replaced.
std::vector<std::string> BadFile(const std::string& path, const std::string& text) {
  PackFiles files = Basic();
  files["base/" + path] = text;
  return LoadBad(files, "base");
}

template <typename T>
std::vector<std::string> Ids(const std::vector<T>& pieces) {
  std::vector<std::string> out;
  out.reserve(pieces.size());
  for (const T& piece : pieces) out.push_back(piece.id);
  return out;
}

size_t Index(Zone zone) { return static_cast<size_t>(zone); }

TEST(LoadPack, EveryPartOfAPackIsRead) {
  const PackModel pack = LoadOk(Basic(), "base");
  EXPECT_EQ(pack.name, "base");
  EXPECT_EQ(pack.title, "Base");
  EXPECT_EQ(pack.extends, "");
  EXPECT_EQ(pack.entry_label, "queue");
  ASSERT_THAT(pack.labels, SizeIs(2));
  EXPECT_EQ(pack.labels[1].name, "b");
  ASSERT_THAT(pack.templates, SizeIs(1));
  EXPECT_EQ(pack.templates[0].body, "one\n\ntwo");
  EXPECT_TRUE(pack.has_zones);
  EXPECT_THAT(pack.zone_rules.trace_starts, ElementsAre("^Traceback"));
  EXPECT_TRUE(pack.has_rubric);
  EXPECT_THAT(pack.topics, ElementsAre("@t"));
  EXPECT_EQ(pack.comment_factor, 0.5);
  EXPECT_THAT(pack.negations, ElementsAre("not "));
  EXPECT_THAT(Ids(pack.signals), ElementsAre("s1", "s2", "s3"));
  EXPECT_THAT(Ids(pack.steps), ElementsAre("p1", "p2", "p3"));

  const SignalModel& s2 = pack.signals[1];
  EXPECT_THAT(s2.patterns, ElementsAre("y+"));
  EXPECT_THAT(s2.labels, UnorderedElementsAre(Pair("b", 1.0), Pair("@t", 0.5)));
  EXPECT_EQ(s2.cap, 7);
  EXPECT_FALSE(s2.negatable);

  ASSERT_THAT(pack.suppressors, SizeIs(1));
  EXPECT_THAT(pack.suppressors[0].labels, ElementsAre("a"));
  EXPECT_EQ(pack.suppressors[0].factor, 0.5);
  EXPECT_EQ(pack.suppressors[0].when.kind, Condition::Kind::kSignal);

  ASSERT_THAT(pack.classifiers, SizeIs(1));
  EXPECT_EQ(pack.classifiers[0].kind, ClassifierModel::Kind::kMultiLabel);
  ASSERT_THAT(pack.classifiers[0].labels, SizeIs(2));
  EXPECT_THAT(pack.classifiers[0].labels[1].from, ElementsAre(Pair("@t", 1.0)));

  EXPECT_TRUE(pack.steps[0].stop);
  EXPECT_EQ(pack.steps[0].when.kind, Condition::Kind::kLabelsBefore);
  EXPECT_THAT(pack.steps[0].when.names, ElementsAre("a"));
  EXPECT_THAT(pack.steps[1].add_outcome, ElementsAre("c1"));
  EXPECT_TRUE(pack.steps[1].marker);
  EXPECT_EQ(pack.steps[1].when.kind, Condition::Kind::kAlways);
  EXPECT_THAT(pack.steps[2].add, ElementsAre("a", "b"));
  EXPECT_EQ(pack.steps[2].comment, "ask");

  ASSERT_TRUE(pack.guardrails);
  EXPECT_THAT(pack.guardrails->allow, ElementsAre("a", "m"));
  ASSERT_THAT(pack.guardrails->exclusions, SizeIs(1));
  EXPECT_EQ(pack.guardrails->exclusions[0].label, "a");
  EXPECT_THAT(pack.guardrails->exactly_one, ElementsAre(ElementsAre("a", "b")));
  EXPECT_EQ(pack.guardrails->redundant[0].specific, "b");
  EXPECT_EQ(pack.guardrails->duplicate_comment_similarity, 0.8);

  ASSERT_THAT(pack.cases, SizeIs(1));
  EXPECT_EQ(pack.cases[0].body, "l1\nl2");
  ASSERT_TRUE(pack.cases[0].labels_before);
  EXPECT_THAT(*pack.cases[0].labels_before, IsEmpty());
  EXPECT_EQ(pack.cases[0].comment, "");
  EXPECT_THAT(pack.cases[0].comments, SizeIs(2));
}

TEST(LoadPack, WeightsAreThePointsTimesTheZones) {
  const PackModel pack = LoadOk(Basic(), "base");
  EXPECT_EQ(pack.signals[0].zones[Index(Zone::kTitle)], 6);
  EXPECT_EQ(pack.signals[0].zones[Index(Zone::kProse)], 4);
  EXPECT_EQ(pack.signals[0].zones[Index(Zone::kCode)], 0);
  EXPECT_EQ(pack.signals[1].zones[Index(Zone::kCode)], 4);
  EXPECT_EQ(pack.signals[1].zones[Index(Zone::kTitle)], 0) << "only the zones that it names";
}

TEST(LoadPack, AListOfZonesTakesTheDefaultWeightsAndOneWhereThereIsNone) {
  PackFiles files = Basic();
  files["base/signals/more.json"] =
      R"({"signals": [{"id": "s3", "words": ["w"], "zones": ["title", "code"], "points": 2}]})";
  const PackModel pack = LoadOk(files, "base");
  EXPECT_EQ(pack.signals[2].zones[Index(Zone::kTitle)], 6);
  EXPECT_EQ(pack.signals[2].zones[Index(Zone::kCode)], 2);
  EXPECT_EQ(pack.signals[2].zones[Index(Zone::kProse)], 0);
}

TEST(LoadPack, PiecesKnowWhereTheyWereWritten) {
  const PackModel pack = LoadOk(Basic(), "base");
  const Origin& s2 = pack.signals[1].origin;
  EXPECT_EQ(s2.pack, "base");
  EXPECT_EQ(s2.file, "base/rubric.json");
  EXPECT_EQ(s2.pointer, "/signals/1");
  EXPECT_EQ(s2.line, 8u);
  EXPECT_EQ(pack.signals[2].origin.file, "base/signals/more.json");
  EXPECT_EQ(pack.signals[2].when->origin.pointer, "/signals/0/when");
  EXPECT_EQ(pack.signals[2].when->children[1].children[0].origin.pointer, "/signals/0/when/all/1/not");
  EXPECT_EQ(pack.steps[2].origin.line, 15u);
  EXPECT_EQ(pack.guardrails->origin.file, "base/guardrails.json");
  EXPECT_EQ(pack.steps[0].written,
            R"({"because":"done","id":"p1","stop":true,"title":"One","when":{"labels_before":"a"}})");
}

TEST(LoadPack, EveryFormOfConditionIsRead) {
  PackFiles files = Basic();
  files["base/signals/more.json"] = R"({"suppressors": [{"id": "u2", "labels": ["a"], "reason": "r", "when": {"any": [
    {"all": [true]}, {"not": true}, {"signal": "s1", "zones": ["title", "code"]}, {"label": ["a", "@t"], "at_least": "HIGH"},
    {"label": "a", "min_score": 2.5}, {"only_zones": {"label": "a", "zones": ["environment"]}}, {"outcome": "c1", "is": ["a"]},
    {"labels_before": ["b"]}, {"step": "p1"}, {"body_shorter_than": 40}, true]}}]})";
  const PackModel pack = LoadOk(files, "base");
  using Kind = Condition::Kind;
  const std::vector<Condition>& forms = pack.suppressors[1].when.children;
  ASSERT_THAT(forms, SizeIs(11));
  EXPECT_EQ(forms[0].kind, Kind::kAll);
  EXPECT_EQ(forms[1].kind, Kind::kNot);
  EXPECT_EQ(forms[2].kind, Kind::kSignal);
  EXPECT_THAT(forms[2].zones, ElementsAre(Zone::kTitle, Zone::kCode));
  EXPECT_EQ(forms[3].kind, Kind::kLabel);
  EXPECT_EQ(forms[3].at_least, "HIGH");
  EXPECT_FALSE(forms[3].min_score);
  EXPECT_EQ(forms[4].min_score, 2.5);
  EXPECT_EQ(forms[5].kind, Kind::kOnlyZones);
  EXPECT_THAT(forms[5].zones, ElementsAre(Zone::kEnvironment));
  EXPECT_EQ(forms[6].kind, Kind::kOutcome);
  EXPECT_EQ(forms[6].classifier, "c1");
  EXPECT_THAT(forms[6].names, ElementsAre("a"));
  EXPECT_EQ(forms[7].kind, Kind::kLabelsBefore);
  EXPECT_EQ(forms[8].kind, Kind::kStepTaken);
  EXPECT_EQ(forms[9].kind, Kind::kBodyShorter);
  EXPECT_EQ(forms[9].bytes, 40u);
  EXPECT_EQ(forms[10].kind, Kind::kAlways);
}

TEST(LoadPack, APackWithoutARubricIsAPackToo) {
  PackFiles files = {{"p/pack.json", R"({"name": "p", "title": "P"})"}, {"p/README.md", "# P"}};
  const PackModel pack = LoadOk(files, "p");
  EXPECT_FALSE(pack.has_rubric);
  EXPECT_FALSE(pack.has_zones);
  EXPECT_FALSE(pack.guardrails);
  EXPECT_EQ(pack.comment_factor, 1);
}

// --- What can be wrong in one pack ---

TEST(LoadPack, AMissingPackIsAProblem) {
  EXPECT_THAT(LoadBad(Basic(), "nope"), ElementsAre("nope/pack.json: missing file; every pack has one"));
  EXPECT_THAT(LoadBad(Basic(), ""), ElementsAre("/pack.json: missing file; every pack has one"));
}

TEST(LoadPack, TheNameIsThatOfTheFolder) {
  EXPECT_THAT(BadFile("pack.json", "{\"title\": \"Base\",\n \"name\": \"bass\"}"),
              ElementsAre("base/pack.json:2:10: /name: expected the name of the folder, \"base\", got \"bass\""));
}

TEST(LoadPack, AnUnknownFileIsAProblemThatNamesTheKnownOnes) {
  EXPECT_THAT(
      BadFile("rubrik.json", "{}"),
      ElementsAre(
          "base/rubrik.json: unknown file; expected pack.json, labels.json, templates.json, zones.json, "
          "rubric.json, guardrails.json, recipes.json, signatures.json, commands.json, pipeline.json, "
          "linters.json, signals/*.json, checks/*.json, phrases/*.json, suites/*.json, cases/*.json or README.md"));
  EXPECT_THAT(BadFile("signals/deeper/x.json", "{}"), ElementsAre(HasSubstr("unknown file")));
  EXPECT_THAT(BadFile("../base/x.json", "{}"), ElementsAre(HasSubstr("unknown file")));
  EXPECT_THAT(BadFile("cases/.json", "{}"), ElementsAre(HasSubstr("unknown file")));
}

TEST(LoadPack, ProblemsOfAllFilesAreReportedAtOnce) {
  PackFiles files = Basic();
  files["base/labels.json"] = "{\"labels\": [\n}";
  files["base/zones.json"] = R"({"trace_start": []})";
  files["base/guardrails.json"] = R"({"allow": [], "allow": []})";
  files["base/cases/c.json"] = R"({"cases": 5})";
  const std::vector<std::string> problems = LoadBad(files, "base");
  ASSERT_THAT(problems, SizeIs(4));
  EXPECT_THAT(problems[0], HasSubstr("base/cases/c.json:1:11: /cases: expected a list, got 5"));
  EXPECT_THAT(problems[1], HasSubstr("base/guardrails.json:1:15: /allow: duplicate key \"allow\""));
  EXPECT_THAT(problems[2], HasSubstr("base/labels.json:2:1: /labels: not valid JSON"));
  EXPECT_THAT(problems[3], HasSubstr("base/zones.json:1:17: /trace_start: unknown key \"trace_start\""));
}

TEST(LoadPack, AnIdThatIsThereTwiceNamesBothPlaces) {
  EXPECT_THAT(BadFile("signals/more.json", "{\"signals\": [\n {\"id\": \"s1\", \"words\": [\"x\"]}]}"),
              ElementsAre("base/signals/more.json:2:2: /signals/0: the id \"s1\" is there already: base/rubric.json:7; "
                          "expected each once in a pack"));
  EXPECT_THAT(BadFile("signals/more.json", R"({"signals": [{"id": "p2", "words": ["x"]}]})"),
              ElementsAre(HasSubstr("the id \"p2\" is there already: base/rubric.json:14")))
      << "cases name rules of every kind by their ids alone";
  EXPECT_THAT(
      BadFile("labels.json", R"({"labels": [{"name": "a", "description": "A"}, {"name": "a", "description": "A"}]})"),
      ElementsAre(HasSubstr("/labels/1: the label \"a\" is there already: base/labels.json:1")));
  PackFiles files = Basic();
  files["base/cases/d.json"] = files["base/cases/c.json"];
  EXPECT_THAT(LoadBad(files, "base"),
              ElementsAre(HasSubstr(
                  "base/cases/d.json:1:12: /cases/0: the case \"k1\" is there already: base/cases/c.json:1")));
}

TEST(LoadPack, AStepAndAClassifierMayShareAnId) {
  PackFiles files = Basic();
  files["base/signals/more.json"] = R"({"signals": [{"id": "c1", "words": ["x"]}]})";
  EXPECT_THAT(Ids(LoadOk(files, "base").signals), ElementsAre("s1", "s2", "c1"));
}

TEST(LoadPack, FilesOfSignalsHoldNothingElse) {
  EXPECT_THAT(
      BadFile("signals/more.json", R"({"steps": []})"),
      ElementsAre(
          "base/signals/more.json:1:11: /steps: key \"steps\" belongs into rubric.json; files below signals/ hold "
          "\"signals\" and \"suppressors\" only"));
}

TEST(LoadPack, ADerivedSignalHasNoPatternsAndNoZones) {
  EXPECT_THAT(
      BadFile("signals/more.json", R"({"signals": [{"id": "s3", "words": ["x"], "when": true, "zones": ["title"]}]})"),
      ElementsAre(HasSubstr("/signals/0/when: a signal has either patterns or \"when\""),
                  HasSubstr("/signals/0/zones: a signal with \"when\" is found in no zone")));
}

TEST(LoadPack, ASignalWithoutZonesNeedsDefaultOnes) {
  EXPECT_THAT(BadFile("rubric.json", R"({"signals": [{"id": "s1", "words": ["x"]}]})"),
              ElementsAre(HasSubstr(
                  "base/rubric.json:1:14: /signals/0: missing key \"zones\"; expected it here or \"default_zones\"")));
}

TEST(LoadPack, ClassifiersAreChecked) {
  const auto problems = [](const std::string& classifier) {
    return BadFile("rubric.json", R"({"default_zones": {"title": 1}, "classifiers": [)" + classifier + "]}");
  };
  EXPECT_THAT(problems(R"({"id": "c", "kind": "exactly_one", "labels": ["a"], "high": 2, "medium": 1})"),
              ElementsAre(HasSubstr("missing key \"default\"; expected one where \"kind\" is \"exactly_one\"")));
  EXPECT_THAT(
      problems(R"({"id": "c", "kind": "multi_label", "labels": ["a"], "high": 2, "medium": 1, "default": "a"})"),
      ElementsAre(HasSubstr("/classifiers/0/default: only a classifier of the kind \"exactly_one\" has a default")));
  EXPECT_THAT(problems(R"({"id": "c", "kind": "multi_label", "labels": ["a"], "high": 1, "medium": 2})"),
              ElementsAre(HasSubstr("/classifiers/0/high: expected a number that is not less than \"medium\", got 1")));
}

TEST(LoadPack, AStepEitherSetsTheMarkerOrWithholdsIt) {
  EXPECT_THAT(
      BadFile("rubric.json",
              R"({"steps": [{"id": "p", "title": "t", "because": "b", "marker": true, "withhold_marker": true}]})"),
      ElementsAre(HasSubstr("/steps/0/withhold_marker: expected only one of")));
}

TEST(LoadPack, AfterIsOnlyForPacksThatExtendAnother) {
  EXPECT_THAT(
      BadFile("rubric.json",
              "{\"steps\": [{\"id\": \"p\", \"title\": \"t\", \"because\": \"b\",\n \"after\": \"q\"}]}"),
      ElementsAre(
          "base/rubric.json:2:11: /steps/0/after: \"after\" is for packs that extend another; expected the step in "
          "its place in the list"));
}

TEST(LoadPack, OddLabelNamesAreRefused) {
  EXPECT_THAT(
      BadFile("labels.json", R"({"labels": [{"name": " a", "description": "d"}, {"name": "a\nb", "description": "d"},
    {"name": "@t", "description": "d"}]})"),
      ElementsAre(HasSubstr("/labels/0/name: expected a name without"), HasSubstr("got \"a<0A>b\""),
                  HasSubstr("/labels/2/name: expected a label, got \"@t\"")));
}

TEST(LoadPack, ABadZonePatternNamesItsPlace) {
  const auto problems = BadFile("zones.json", "{\"trace_starts\": [\"ok\"],\n\"boilerplate\": [\"fine\",\n \"(\"]}");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("base/zones.json:3:2: /boilerplate/1: "));
}

TEST(LoadPack, ATwinIsAnotherCaseOfThePack) {
  EXPECT_THAT(
      BadFile("cases/c.json",
              "{\"cases\": [{\"id\": \"k1\", \"title\": \"\", \"body\": \"\", \"labels\": []},\n"
              "{\"id\": \"k2\", \"title\": \"\", \"body\": \"\",\n \"twin_of\": \"k11\"},\n"
              "{\"id\": \"k3\", \"title\": \"\", \"body\": \"\", \"twin_of\": \"k3\"}]}"),
      ElementsAre(
          "base/cases/c.json:3:13: /cases/1/twin_of: expected the id of another case of this pack, got \"k11\"; did "
          "you mean \"k1\"?",
          "base/cases/c.json:4:50: /cases/2/twin_of: expected the id of another case of this pack, got \"k3\""));
}

TEST(LoadPack, HostileFilesAreProblemsNotCrashes) {
  for (const std::string& text : {std::string(), std::string("null"), std::string(100000, '['),
                                  std::string("{\"signals\": ") + std::string(63, '[') + "1", std::string("\xFF\xFE"),
                                  std::string("{\"signals\": [{\"id\": \"\\u0000\", \"words\": [\"x\"]}]}")}) {
    EXPECT_THAT(BadFile("rubric.json", text), Not(IsEmpty()));
  }
}

// --- Packs that extend others ---

TEST(Extends, EverythingButCasesIsInherited) {
  const PackModel pack = LoadOk(WithChild(), "child");
  EXPECT_EQ(pack.name, "child");
  EXPECT_EQ(pack.title, "Child");
  EXPECT_EQ(pack.extends, "base");
  EXPECT_EQ(pack.entry_label, "queue");
  EXPECT_THAT(Ids(pack.signals), ElementsAre("s1", "s2", "s3"));
  EXPECT_TRUE(pack.has_rubric);
  EXPECT_TRUE(pack.has_zones);
  EXPECT_TRUE(pack.guardrails);
  EXPECT_THAT(pack.cases, IsEmpty());
  EXPECT_EQ(pack.signals[0].origin.pack, "base");
}

TEST(Extends, TheSameIdReplacesInPlaceAndNewOnesAreAppended) {
  PackFiles files = WithChild();
  files["child/rubric.json"] = R"({
    "signals": [{"id": "s9", "words": ["n"]}, {"id": "s1", "words": ["changed"]}],
    "steps": [{"id": "p2", "title": "Changed", "because": "b"}, {"id": "p9", "title": "New", "because": "b"}]})";
  files["child/labels.json"] =
      R"({"labels": [{"name": "c", "description": "C"}, {"name": "a", "description": "changed"}]})";
  const PackModel pack = LoadOk(files, "child");
  EXPECT_THAT(Ids(pack.signals), ElementsAre("s1", "s2", "s3", "s9"));
  EXPECT_THAT(pack.signals[0].words, ElementsAre("changed"));
  EXPECT_EQ(pack.signals[0].origin.pack, "child");
  EXPECT_EQ(pack.signals[3].zones[Index(Zone::kTitle)], 3) << "inherited default zones";
  EXPECT_THAT(Ids(pack.steps), ElementsAre("p1", "p2", "p3", "p9"));
  EXPECT_EQ(pack.steps[1].title, "Changed");
  ASSERT_THAT(pack.labels, SizeIs(3));
  EXPECT_EQ(pack.labels[0].description, "changed");
  EXPECT_EQ(pack.labels[2].name, "c");
}

TEST(Extends, AStepWithAfterIsPutBehindThatStep) {
  PackFiles files = WithChild();
  files["child/rubric.json"] = R"({"steps": [
    {"id": "n1", "title": "t", "because": "b", "after": "p1"}, {"id": "n2", "title": "t", "because": "b", "after": "p1"},
    {"id": "n3", "title": "t", "because": "b", "after": "n1"}, {"id": "p2", "title": "moved", "because": "b", "after": "p3"}]})";
  EXPECT_THAT(Ids(LoadOk(files, "child").steps), ElementsAre("p1", "n1", "n3", "n2", "p3", "p2"));
  files["child/rubric.json"] = R"({"steps": [{"id": "n1", "title": "t", "because": "b", "after": "p4"}]})";
  EXPECT_THAT(LoadBad(files, "child"), ElementsAre("child/rubric.json:1:64: /steps/0/after: expected the id of a step "
                                                   "before this one, got \"p4\"; did you mean \"p1\"?"));
}

TEST(Extends, RemoveTakesInheritedPiecesOutFirst) {
  PackFiles files = WithChild();
  files["child/pack.json"] = R"({"name": "child", "title": "Child", "extends": "base",
    "remove": {"signals": ["s1"], "suppressors": ["u1"], "classifiers": ["c1"], "steps": ["p1", "p2"], "labels": ["a"], "templates": ["ask"]}})";
  files["child/rubric.json"] = R"({"signals": [{"id": "s1", "words": ["again"]}]})";
  const PackModel pack = LoadOk(files, "child");
  EXPECT_THAT(Ids(pack.signals), ElementsAre("s2", "s3", "s1"));
  EXPECT_THAT(pack.suppressors, IsEmpty());
  EXPECT_THAT(pack.classifiers, IsEmpty());
  EXPECT_THAT(Ids(pack.steps), ElementsAre("p3"));
  EXPECT_THAT(pack.labels, SizeIs(1));
  EXPECT_THAT(pack.templates, IsEmpty());
}

TEST(Extends, WhatIsNotThereCanNotBeRemoved) {
  PackFiles files = WithChild();
  files["child/pack.json"] =
      "{\"name\": \"child\", \"title\": \"Child\", \"extends\": \"base\",\n \"remove\": {\"signals\": [\"s1\",\n "
      "\"s11\"]}}";
  EXPECT_THAT(LoadBad(files, "child"),
              ElementsAre("child/pack.json:3:2: /remove/signals/1: nothing named \"s11\" is inherited"));
  files["child/pack.json"] = R"({"name": "child", "title": "Child", "remove": {"signals": ["s1"]}})";
  EXPECT_THAT(LoadBad(files, "child"), ElementsAre(HasSubstr("/remove: nothing to remove from")));
}

TEST(Extends, GuardrailsAreReplacedKeyByKey) {
  PackFiles files = WithChild();
  files["child/guardrails.json"] = R"({"allow": ["b"], "markers": ["n1", "n2"], "max_labels": 4})";
  const PackModel pack = LoadOk(files, "child");
  EXPECT_THAT(pack.guardrails->allow, ElementsAre("b"));
  EXPECT_THAT(pack.guardrails->markers, ElementsAre("n1", "n2"));
  EXPECT_EQ(pack.guardrails->max_labels, 4u);
  EXPECT_THAT(pack.guardrails->never, ElementsAre("p0")) << "kept";
  EXPECT_THAT(pack.guardrails->templates, ElementsAre("ask")) << "kept";
  EXPECT_EQ(pack.guardrails->origin.file, "child/guardrails.json");
}

TEST(Extends, ZonesTopicsAndNegationsAddUp) {
  PackFiles files = WithChild();
  files["child/zones.json"] = R"({"trace_starts": ["^Panic", "^Traceback"]})";
  files["child/rubric.json"] = R"({"topics": ["@u", "@t"], "negations": ["no "]})";
  const PackModel pack = LoadOk(files, "child");
  EXPECT_THAT(pack.zone_rules.trace_starts, ElementsAre("^Traceback", "^Panic"));
  EXPECT_THAT(pack.zone_rules.boilerplate, ElementsAre("^### Form"));
  EXPECT_THAT(pack.topics, ElementsAre("@t", "@u"));
  EXPECT_THAT(pack.negations, ElementsAre("not ", "no "));
}

TEST(Extends, DefaultZonesOfTheChildHoldForInheritedSignalsToo) {
  PackFiles files = WithChild();
  files["child/rubric.json"] = R"({"default_zones": {"code": 5}, "comment_factor": 0.25})";
  const PackModel pack = LoadOk(files, "child");
  EXPECT_EQ(pack.signals[0].zones[Index(Zone::kCode)], 10);
  EXPECT_EQ(pack.signals[0].zones[Index(Zone::kTitle)], 0);
  EXPECT_EQ(pack.comment_factor, 0.25);
}

TEST(Extends, AnIdDoesNotChangeItsKind) {
  PackFiles files = WithChild();
  files["child/rubric.json"] = R"({"signals": [{"id": "p1", "words": ["x"]}]})";
  const auto problems = LoadBad(files, "child");
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0], HasSubstr("the id \"p1\" is there already, as a signal: child/rubric.json:1"));
}

TEST(Extends, AMissingParentIsNamedWithItsNearestNeighbour) {
  PackFiles files = WithChild();
  files["child/pack.json"] = "{\"name\": \"child\", \"title\": \"C\",\n \"extends\": \"bsae\"}";
  EXPECT_THAT(
      LoadBad(files, "child"),
      ElementsAre(
          "child/pack.json:2:13: /extends: expected the name of another pack, got \"bsae\", which is not there; did "
          "you mean \"base\"?"));
}

TEST(Extends, ACircleIsAProblemThatShowsIt) {
  PackFiles files = {{"a/pack.json", R"({"name": "a", "title": "A", "extends": "b"})"},
                     {"b/pack.json", R"({"name": "b", "title": "B", "extends": "a"})"},
                     {"c/pack.json", R"({"name": "c", "title": "C", "extends": "c"})"}};
  EXPECT_THAT(
      LoadBad(files, "a"),
      ElementsAre(
          "b/pack.json:1:40: /extends: expected a pack that does not build on this one, got a circle: a → b → a"));
  EXPECT_THAT(LoadBad(files, "c"), ElementsAre(HasSubstr("got a circle: c → c")));
  EXPECT_THAT(PackChain(files, "a"), ElementsAre("a", "b"));
}

TEST(Extends, AChainHasALimit) {
  PackFiles files;
  for (int i = 0; i <= 8; ++i) {
    const std::string name = "p" + std::to_string(i);
    const std::string extends = i > 0 ? ", \"extends\": \"p" + std::to_string(i - 1) + "\"" : "";
    std::string& text = files[name + "/pack.json"];
    text = R"({"name": ")";
    text += name;
    text += R"(", "title": "T")";
    text += extends;
    text += '}';
  }
  EXPECT_EQ(LoadOk(files, "p7").extends, "p6");
  EXPECT_THAT(LoadBad(files, "p8"),
              ElementsAre(HasSubstr("p1/pack.json:1:41: /extends: expected at most 8 packs that extend one another")));
}

TEST(Extends, ProblemsOfTheParentAreReportedWithTheChilds) {
  PackFiles files = WithChild();
  files["base/labels.json"] = R"({"labels": 1})";
  files["child/zones.json"] = R"({"trace_starts": 2})";
  EXPECT_THAT(LoadBad(files, "child"),
              ElementsAre(HasSubstr("base/labels.json:1:12: /labels: expected a list, got 1"),
                          HasSubstr("child/zones.json:1:18: /trace_starts: expected a list, got 2")));
}

TEST(Extends, APackWhoseParentIsBrokenIsNotBlamedForWhatIsMissing) {
  PackFiles files = WithChild();
  files["base/rubric.json"] = "{";
  files["child/pack.json"] = R"({"name": "child", "title": "C", "extends": "base", "remove": {"signals": ["s1"]}})";
  EXPECT_THAT(LoadBad(files, "child"), ElementsAre(HasSubstr("base/rubric.json:1:")));
}

// --- Many packs ---

TEST(PackLoader, EachOfManyPacksIsAsIfItWereLoadedAlone) {
  PackFiles files = WithChild();
  files["child/templates.json"] = R"({"templates": [{"id": "ask", "purpose": "asks", "body": "three"}]})";
  PackLoader loader(files);
  // The child first and last: what it takes from its parent stays there.
  for (const char* name : {"child", "base", "child"}) {
    Problems problems;
    const std::optional<PackModel> pack = loader.Load(name, problems);
    ASSERT_TRUE(pack.has_value());
    const PackModel alone = LoadOk(files, name);
    EXPECT_EQ(pack->revision, alone.revision);
    EXPECT_EQ(pack->signals, alone.signals);
    EXPECT_EQ(pack->zone_rules, alone.zone_rules);
    EXPECT_EQ(pack->templates.front().body, alone.templates.front().body);
    EXPECT_EQ(Ids(pack->steps), Ids(alone.steps));
    EXPECT_EQ(Ids(pack->cases), Ids(alone.cases));
  }
}

TEST(PackLoader, EachPackTellsOfTheBadParentThatItExtends) {
  PackFiles files = WithChild();
  files["other/pack.json"] = R"({"name": "other", "title": "Other", "extends": "base"})";
  files["base/labels.json"] = R"({"labels": 1})";
  PackLoader loader(files);
  for (const char* name : {"child", "other"}) {
    Problems problems;
    EXPECT_FALSE(loader.Load(name, problems).has_value());
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems.front().ToString(), HasSubstr("base/labels.json:1:12: /labels: expected a list, got 1"));
  }
}

// --- Revision and names ---

TEST(Revision, ChangesWithWhatDecidesAndOnlyWithThat) {
  PackFiles files = WithChild();
  const std::string base = LoadOk(files, "base").revision;
  const std::string child = LoadOk(files, "child").revision;
  EXPECT_THAT(base, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_NE(base, child);
  files["base/cases/c.json"] = R"({"cases": []})";
  files["base/README.md"] = "changed";
  EXPECT_EQ(LoadOk(files, "base").revision, base);
  files["base/zones.json"] = R"({"trace_starts": ["^Panic"]})";
  EXPECT_NE(LoadOk(files, "base").revision, base);
  EXPECT_NE(LoadOk(files, "child").revision, child) << "the parent decides, too";
}

TEST(PackNames, AreTheFoldersWithAPackJson) {
  const PackFiles files = {
      {"b/pack.json", ""}, {"a/pack.json", ""}, {"a/x/pack.json", ""}, {"c/rubric.json", ""}, {"pack.json", ""}};
  EXPECT_THAT(PackNames(files), ElementsAre("a", "b"));
}

TEST(LocateProblems, AValueInsideOfARuleGetsItsOwnLine) {
  PackFiles files = Basic();
  files["base/zones.json"] = "{\n  \"trace_starts\": [\"a\",\n    \"b\"]}";
  Problems problems = {{"base/zones.json", "/trace_starts/1", 1, 0, "x"},
                       {"base/zones.json", "/trace_starts/1", 9, 9, "has a column"},
                       {"base/zones.json", "", 1, 0, "the whole file"},
                       {"elsewhere.json", "/a", 4, 0, "another file"}};
  LocateProblems(files, problems);
  EXPECT_EQ(problems[0].ToString(), "base/zones.json:3:5: /trace_starts/1: x");
  EXPECT_EQ(problems[1].ToString(), "base/zones.json:9:9: /trace_starts/1: has a column");
  EXPECT_EQ(problems[2].ToString(), "base/zones.json:1: the whole file");
  EXPECT_EQ(problems[3].ToString(), "elsewhere.json:4: /a: another file");
}

TEST(PackChain, EndsWhereNothingCanBeRead) {
  PackFiles files = WithChild();
  EXPECT_THAT(PackChain(files, "child"), ElementsAre("child", "base"));
  files["base/pack.json"] = "{";
  EXPECT_THAT(PackChain(files, "child"), ElementsAre("child", "base"));
  EXPECT_THAT(PackChain(files, "nope"), ElementsAre("nope"));
}

}  // namespace
}  // namespace yardmaster::rules
