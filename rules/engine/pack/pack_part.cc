#include "rules/engine/pack/pack_part.h"

#include <functional>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/command_reader.h"
#include "rules/engine/pack/schema_validator.h"
#include "rules/engine/text/line_patterns.h"
#include "rules/engine/text/zones.h"
#include "services/core/json_document.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// The files that a pack may have.
constexpr std::string_view kExpectedFiles =
    "pack.json, labels.json, templates.json, zones.json, rubric.json, "
    "guardrails.json, recipes.json, "
    "signatures.json, commands.json, pipeline.json, linters.json, "
    "signals/*.json, checks/*.json, phrases/*.json, "
    "suites/*.json, "
    "cases/*.json or "
    "README.md";

// Schema of the file at a path inside a pack's folder; empty if no such file is
// known.
std::string_view SchemaOfFile(std::string_view path) {
  for (std::string_view name : {"pack", "labels", "templates", "zones", "rubric", "guardrails", "recipes", "signatures",
                                "commands", "pipeline", "linters"}) {
    if (path.size() == name.size() + 5 && path.starts_with(name) && path.ends_with(".json")) return name;
  }
  const auto inside = [&](std::string_view folder) {
    return path.starts_with(folder) && path.ends_with(".json") && path.size() > folder.size() + 5 &&
           path.find('/', folder.size()) == std::string_view::npos;
  };
  if (inside("signals/")) return "rubric";
  if (inside("cases/")) return "cases";
  if (inside("checks/")) return "checks";    // read by engine/checks; here only its shape is checked
  if (inside("phrases/")) return "phrases";  // read by engine/phrases
  if (inside("suites/"))
    return "suites";  // read by engine/suites, as signatures.json and
                      // recipes.json are
  return {};
}

// A text, or its lines.
std::string Text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string out;
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out += '\n';
    out += value[i].get_ref<const std::string&>();
  }
  return out;
}

ZoneWeights Weights(const json& object) {
  ZoneWeights weights{};
  for (const auto& [name, weight] : object.items()) {
    if (const auto zone = ZoneFromName(name)) weights[static_cast<size_t>(*zone)] = weight.get<double>();
  }
  return weights;
}

std::vector<Zone> ZoneList(const json& array) {
  std::vector<Zone> zones;
  for (const json& name : array) {
    if (const auto zone = ZoneFromName(name.get_ref<const std::string&>())) zones.push_back(*zone);
  }
  return zones;
}

std::vector<std::pair<std::string, double>> Factors(const json& object) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [name, factor] : object.items()) out.emplace_back(name, factor.get<double>());
  return out;
}

// Reads the values of one document, which is valid under its schema.
class FileReader : public PackDocumentReader {
 public:
  FileReader(const JsonDocument& document, std::string_view pack, PackPart& part, Problems& problems)
      : PackDocumentReader(document, pack, problems), part_(part) {}

  void ReadPack();
  void ReadLabels();
  void ReadTemplates();
  void ReadZones();
  void ReadRubric(bool signals_only);
  void ReadGuardrails();
  void ReadCases();

 private:
  Condition ReadCondition(const JsonPlace& at);
  std::optional<Condition> ReadWhen(const JsonPlace& at);
  void ReadSignal(const JsonPlace& at);
  void ReadSuppressor(const JsonPlace& at);
  void ReadClassifier(const JsonPlace& at);
  void ReadStep(const JsonPlace& at);
  void ReadCase(const JsonPlace& at);

  PackPart& part_;
};

void FileReader::ReadPack() {
  Take(value(), "title", part_.title);
  const std::string& name = value().at("name").get_ref<const std::string&>();
  if (name != pack()) Add("/name", "expected the name of the folder, " + Quoted(pack()) + ", got " + Quoted(name));
  Take(value(), "extends", part_.extends);
  part_.extends_origin = At("/extends");
  Take(value(), "entry_label", part_.entry_label);
  Take(value(), "waiting_labels", part_.waiting_labels);
  Take(value(), "ignore_bots", part_.ignore_bots);
  const auto remove = value().find("remove");
  if (remove == value().end()) return;
  if (part_.extends.empty()) Add("/remove", "nothing to remove from: the pack does not extend another");
  for (const auto& [kind, names] : remove->items()) {
    ForEach({&*remove, "/remove"}, kind.c_str(), [&, &kind = kind](const JsonPlace& at) {
      part_.remove[kind].push_back({at.value->get<std::string>(), At(at.pointer)});
    });
  }
}

void FileReader::ReadLabels() {
  ForEach("labels", [this](const JsonPlace& at) {
    LabelModel label;
    Take(*at.value, "name", label.name);
    Take(*at.value, "description", label.description);
    label.origin = At(at.pointer);
    const auto unusual = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (label.name.front() == ' ' || label.name.back() == ' ' || absl::c_any_of(label.name, unusual)) {
      Add(at.pointer + "/name",
          "expected a name without control characters "
          "and without blanks at its ends, got " +
              Quoted(label.name));
    }
    if (label.name.front() == '@') {
      Add(at.pointer + "/name",
          "expected a label, got " + Quoted(label.name) + ": names that begin with \"@\" are topics");
    }
    part_.labels.push_back(std::move(label));
  });
}

void FileReader::ReadTemplates() {
  ForEach("templates", [this](const JsonPlace& at) {
    TemplateModel text;
    Take(*at.value, "id", text.id);
    Take(*at.value, "purpose", text.purpose);
    text.body = Text(at.value->at("body"));
    text.origin = At(at.pointer);
    part_.templates.push_back(std::move(text));
  });
}

void FileReader::ReadZones() {
  part_.has_zones = true;
  part_.zones_origin = At("");
  for (const auto& [key, list] : kZoneRuleLists) Take(value(), key, part_.zone_rules.*list);
  // Patterns are checked here, since here their places in the file are known;
  // merged lists lose them.
  Problems bad;
  LinePatterns::Check(part_.zone_rules, bad);
  for (Problem& problem : bad) Add(problem.pointer, std::move(problem.message));
}

Condition FileReader::ReadCondition(const JsonPlace& at) {
  using Kind = Condition::Kind;
  // The key that says what a condition asks for.
  static constexpr std::pair<const char*, Kind> kForms[] = {
      {"all", Kind::kAll},         {"any", Kind::kAny},
      {"not", Kind::kNot},         {"signal", Kind::kSignal},
      {"label", Kind::kLabel},     {"only_zones", Kind::kOnlyZones},
      {"outcome", Kind::kOutcome}, {"labels_before", Kind::kLabelsBefore},
      {"step", Kind::kStepTaken},  {"body_shorter_than", Kind::kBodyShorter}};
  Condition condition;
  condition.origin = At(at.pointer);
  const json& value = *at.value;
  if (value.is_boolean()) return condition;
  const auto form = absl::c_find_if(kForms, [&](const auto& one) { return value.contains(one.first); });
  condition.kind = form->second;
  const json& asked = value.at(form->first);
  switch (condition.kind) {
    case Kind::kAll:
    case Kind::kAny:
      ForEach(at, form->first, [&](const JsonPlace& child) { condition.children.push_back(ReadCondition(child)); });
      break;
    case Kind::kNot:
      condition.children.push_back(ReadCondition(at.At("not")));
      break;
    case Kind::kOnlyZones:
      condition.names = Names(asked.at("label"));
      condition.zones = ZoneList(asked.at("zones"));
      break;
    case Kind::kOutcome:
      condition.classifier = asked.get<std::string>();
      condition.names = Names(value.at("is"));
      break;
    case Kind::kBodyShorter:
      condition.bytes = asked.get<uint64_t>();
      break;
    default:
      condition.names = Names(asked);
      if (value.contains("zones")) condition.zones = ZoneList(value.at("zones"));
      Take(value, "at_least", condition.at_least);
      Take(value, "min_score", condition.min_score);
  }
  return condition;
}

std::optional<Condition> FileReader::ReadWhen(const JsonPlace& at) {
  if (!at.value->contains("when")) return std::nullopt;
  return ReadCondition(at.At("when"));
}

void FileReader::ReadSignal(const JsonPlace& at) {
  const json& value = *at.value;
  SignalPart part;
  SignalModel& signal = part.model;
  Take(value, "id", signal.id);
  Take(value, "description", signal.description);
  signal.written = value.dump();
  signal.origin = At(at.pointer);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"words", &signal.words},       {"exact", &signal.exact},     {"phrases", &signal.phrases},
      {"patterns", &signal.patterns}, {"imports", &signal.imports}, {"frames", &signal.frames},
      {"errors", &signal.errors}};
  bool has_patterns = false;
  for (const auto& [key, list] : lists) {
    Take(value, key, *list);
    has_patterns = has_patterns || !list->empty();
  }
  signal.when = ReadWhen(at);
  if (signal.when) {
    if (has_patterns) Add(at.pointer + "/when", "a signal has either patterns or \"when\"; expected two signals");
    if (value.contains("zones")) {
      Add(at.pointer + "/zones",
          "a signal with \"when\" is found in no zone; "
          "expected \"points\" only");
    }
  }
  Take(value, "points", signal.points);
  Take(value, "cap", signal.cap);
  Take(value, "negatable", signal.negatable);
  if (const auto zones = value.find("zones"); zones != value.end()) {
    if (zones->is_object()) {
      part.weights = Weights(*zones);
    } else {
      part.listed = ZoneList(*zones);
    }
  }
  if (const auto label = value.find("label"); label != value.end()) {
    signal.labels.emplace_back(label->get<std::string>(), 1.0);
  }
  if (const auto labels = value.find("labels"); labels != value.end()) signal.labels = Factors(*labels);
  part_.signals.push_back(std::move(part));
}

void FileReader::ReadSuppressor(const JsonPlace& at) {
  const json& value = *at.value;
  SuppressorModel suppressor;
  Take(value, "id", suppressor.id);
  Take(value, "label", suppressor.labels);
  Take(value, "labels", suppressor.labels);
  suppressor.when = ReadCondition(at.At("when"));
  Take(value, "factor", suppressor.factor);
  Take(value, "reason", suppressor.reason);
  suppressor.written = value.dump();
  suppressor.origin = At(at.pointer);
  part_.suppressors.push_back(std::move(suppressor));
}

void FileReader::ReadClassifier(const JsonPlace& at) {
  const json& value = *at.value;
  ClassifierModel classifier;
  Take(value, "id", classifier.id);
  classifier.written = value.dump();
  classifier.origin = At(at.pointer);
  const std::string& kind = value.at("kind").get_ref<const std::string&>();
  classifier.kind = kind == "exactly_one"   ? ClassifierModel::Kind::kExactlyOne
                    : kind == "at_most_one" ? ClassifierModel::Kind::kAtMostOne
                                            : ClassifierModel::Kind::kMultiLabel;
  for (const json& item : value.at("labels")) {
    ClassifierLabel label;
    if (item.is_string()) {
      label.label = item.get<std::string>();
    } else {
      Take(item, "label", label.label);
      if (const auto from = item.find("from"); from != item.end()) label.from = Factors(*from);
    }
    classifier.labels.push_back(std::move(label));
  }
  Take(value, "high", classifier.high);
  Take(value, "medium", classifier.medium);
  Take(value, "margin", classifier.margin);
  Take(value, "strong", classifier.strong);
  Take(value, "default", classifier.default_label);
  Take(value, "keep_existing", classifier.keep_existing);
  Take(value, "shown_counts_below", classifier.shown_counts_below);
  Take(value, "shown_factor", classifier.shown_factor);
  Take(value, "existing_score", classifier.existing_score);
  classifier.when = ReadWhen(at);

  const bool exactly_one = classifier.kind == ClassifierModel::Kind::kExactlyOne;
  if (exactly_one && classifier.default_label.empty()) {
    Add(at.pointer,
        "missing key \"default\"; expected one where \"kind\" is "
        "\"exactly_one\"");
  }
  if (!exactly_one && value.contains("default")) {
    Add(at.pointer + "/default", "only a classifier of the kind \"exactly_one\" has a default");
  }
  if (classifier.high < classifier.medium) {
    Add(at.pointer + "/high", "expected a number that is not less than \"medium\", got " + value.at("high").dump());
  }
  part_.classifiers.push_back(std::move(classifier));
}

void FileReader::ReadStep(const JsonPlace& at) {
  const json& value = *at.value;
  StepPart part;
  StepModel& step = part.model;
  Take(value, "id", step.id);
  Take(value, "title", step.title);
  step.written = value.dump();
  step.origin = At(at.pointer);
  step.when.origin = step.origin;
  step.when = ReadWhen(at).value_or(step.when);
  Take(value, "add", step.add);
  Take(value, "add_outcome", step.add_outcome);
  Take(value, "comment", step.comment);
  Take(value, "marker", step.marker);
  Take(value, "withhold_marker", step.withhold_marker);
  Take(value, "stop", step.stop);
  Take(value, "because", step.because);
  Take(value, "after", part.after.name);
  part.after.origin = At(at.pointer + "/after");
  if (step.marker && step.withhold_marker) {
    Add(at.pointer + "/withhold_marker", "expected only one of \"marker\" and \"withhold_marker\"");
  }
  part_.steps.push_back(std::move(part));
}

void FileReader::ReadRubric(bool signals_only) {
  if (signals_only) {
    for (const auto& [key, value] : value().items()) {
      if (key == "signals" || key == "suppressors" || key == "$schema") continue;
      Add(PointerJoin("", key), "key " + Quoted(key) +
                                    " belongs into rubric.json; files below signals/ hold "
                                    "\"signals\" and \"suppressors\" only");
    }
  } else {
    Take(value(), "topics", part_.topics);
    if (const auto zones = value().find("default_zones"); zones != value().end()) part_.default_zones = Weights(*zones);
    Take(value(), "comment_factor", part_.comment_factor);
    Take(value(), "negations", part_.negations);
    ForEach("classifiers", [this](const JsonPlace& at) { ReadClassifier(at); });
    ForEach("steps", [this](const JsonPlace& at) { ReadStep(at); });
  }
  part_.has_rubric = true;
  ForEach("signals", [this](const JsonPlace& at) { ReadSignal(at); });
  ForEach("suppressors", [this](const JsonPlace& at) { ReadSuppressor(at); });
}

void FileReader::ReadGuardrails() {
  part_.guardrails = value();
  part_.guardrails_origin = At("");
}

void FileReader::ReadCase(const JsonPlace& at) {
  const json& value = *at.value;
  CaseModel model;
  Take(value, "id", model.id);
  Take(value, "title", model.title);
  model.body = Text(value.at("body"));
  model.origin = At(at.pointer);
  Take(value, "labels_before", model.labels_before);
  Take(value, "comments", model.comments);
  Take(value, "rules", model.rules);
  Take(value, "not_rules", model.not_rules);
  Take(value, "labels", model.labels);
  Take(value, "has_labels", model.has_labels);
  Take(value, "lacks_labels", model.lacks_labels);
  Take(value, "applied", model.applied);
  if (const auto comment = value.find("comment"); comment != value.end()) {
    model.comment = comment->is_null() ? "" : comment->get<std::string>();
  }
  Take(value, "twin_of", model.twin_of);
  part_.twins.push_back({model.twin_of, At(at.pointer + "/twin_of")});
  part_.cases.push_back(std::move(model));
}

void FileReader::ReadCases() {
  ForEach("cases", [this](const JsonPlace& at) { ReadCase(at); });
}

// Reports ids that occur twice.
class UniqueIds {
 public:
  UniqueIds(std::string what, Problems& problems) : what_(std::move(what)), problems_(problems) {}
  void Add(const std::string& id, const Origin& origin) {
    const auto [it, inserted] = first_.try_emplace(id, &origin);
    if (inserted) return;
    problems_.push_back(ProblemAt(origin, what_ + " " + Quoted(id) + " is there already: " + it->second->file + ":" +
                                              std::to_string(it->second->line) + "; expected each once in a pack"));
  }

 private:
  std::string what_;
  Problems& problems_;
  std::map<std::string, const Origin*, std::less<>> first_;
};

// What concerns several files of the pack.
void CheckAcrossFiles(const PackPart& part, Problems& problems) {
  // Cases name these by their ids alone, whatever their kind. Classifiers are
  // only named where a classifier is expected.
  UniqueIds classifiers("the classifier", problems);
  for (const ClassifierModel& classifier : part.classifiers) classifiers.Add(classifier.id, classifier.origin);
  UniqueIds rules("the id", problems);
  for (const StepPart& step : part.steps) rules.Add(step.model.id, step.model.origin);
  for (const SignalPart& signal : part.signals) rules.Add(signal.model.id, signal.model.origin);
  for (const SuppressorModel& suppressor : part.suppressors) rules.Add(suppressor.id, suppressor.origin);
  UniqueIds labels("the label", problems);
  for (const LabelModel& label : part.labels) labels.Add(label.name, label.origin);
  UniqueIds templates("the template", problems);
  for (const TemplateModel& text : part.templates) templates.Add(text.id, text.origin);
  UniqueIds commands("the command", problems);
  for (const CommandModel& command : part.commands.commands) commands.Add(command.id, command.origin);
  UniqueIds cases("the case", problems);
  for (const CaseModel& model : part.cases) cases.Add(model.id, model.origin);

  for (const StepPart& step : part.steps) {
    if (step.after.name.empty() || !part.extends.empty()) continue;
    problems.push_back(ProblemAt(step.after.origin,
                                 "\"after\" is for packs that extend another; "
                                 "expected the step in its place in the list"));
  }

  std::vector<std::string_view> ids;
  for (const CaseModel& model : part.cases) ids.push_back(model.id);
  for (size_t i = 0; i < part.twins.size(); ++i) {
    const PlacedName& twin = part.twins[i];
    const bool known = absl::c_linear_search(ids, twin.name);
    if (twin.name.empty() || (known && twin.name != ids[i])) continue;
    problems.push_back(ProblemAt(twin.origin, "expected the id of another case of this pack, got " + Quoted(twin.name) +
                                                  (known ? "" : DidYouMean(twin.name, ids))));
  }
}

}  // namespace

JsonLimits PackFileLimits() {
  JsonLimits limits;
  limits.max_bytes = kMaxPackFileBytes;
  limits.max_values = kMaxPackFileValues;
  return limits;
}

std::vector<std::string> Names(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> out;
  for (const json& one : value) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

void ApplyGuardrails(const json& value, GuardrailsModel& guardrails) {
  Take(value, "allow", guardrails.allow);
  Take(value, "never", guardrails.never);
  Take(value, "never_patterns", guardrails.never_patterns);
  if (const auto groups = value.find("exactly_one"); groups != value.end()) {
    guardrails.exactly_one.clear();
    for (const json& group : *groups) guardrails.exactly_one.push_back(Names(group));
  }
  if (const auto exclusions = value.find("exclusions"); exclusions != value.end()) {
    guardrails.exclusions.clear();
    for (const json& item : *exclusions) {
      guardrails.exclusions.push_back({item.at("label").get<std::string>(), Names(item.at("with"))});
    }
  }
  if (const auto redundant = value.find("redundant"); redundant != value.end()) {
    guardrails.redundant.clear();
    for (const json& item : *redundant) {
      guardrails.redundant.push_back({item.at("general").get<std::string>(), item.at("specific").get<std::string>()});
    }
  }
  Take(value, "markers", guardrails.markers);
  Take(value, "confident_markers", guardrails.confident_markers);
  Take(value, "fallback", guardrails.fallback);
  Take(value, "templates", guardrails.templates);
  Take(value, "duplicate_comment_similarity", guardrails.duplicate_comment_similarity);
  Take(value, "max_labels", guardrails.max_labels);
}

PackPart ReadPackPart(const PackFiles& files, std::string_view name, Problems& problems) {
  PackPart part;
  part.name = name;
  const size_t before = problems.size();
  ForEachPackFile(files, name, [&](const std::string& path, const std::string& bytes) {
    const std::string_view inner = std::string_view(path).substr(name.size() + 1);
    if (inner == "README.md") return;
    const std::string_view schema = SchemaOfFile(inner);
    if (schema.empty()) {
      problems.push_back({Readable(path, 200), "", 0, 0, "unknown file; expected " + std::string(kExpectedFiles)});
      return;
    }
    const auto document = JsonDocument::Parse(Readable(path, 200), bytes, PackFileLimits(), problems);
    if (!document || !SchemaValidator::Get().Validate(schema, *document, problems)) return;

    FileReader reader(*document, name, part, problems);
    if (schema == "pack") reader.ReadPack();
    if (schema == "labels") reader.ReadLabels();
    if (schema == "templates") reader.ReadTemplates();
    if (schema == "zones") reader.ReadZones();
    if (schema == "rubric") reader.ReadRubric(inner != "rubric.json");
    if (schema == "guardrails") reader.ReadGuardrails();
    if (schema == "cases") reader.ReadCases();
    if (schema == "commands") part.has_people_labels = ReadCommands(*document, name, part.commands, problems);
  });
  // A file that could not be read would only lead to more of the same here.
  if (problems.size() == before) CheckAcrossFiles(part, problems);
  return part;
}

}  // namespace yardmaster::rules
