#include "rules/engine/pack/pack_part.h"

#include <functional>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/commands/command_reader.h"
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
    "pack.json, labels.json, templates.json, zones.json, rubric.json, guardrails.json, recipes.json, "
    "signatures.json, commands.json, signals/*.json, checks/*.json, phrases/*.json, suites/*.json, cases/*.json or "
    "README.md";

JsonLimits PackLimits() {
  JsonLimits limits;
  limits.max_bytes = kMaxPackFileBytes;
  limits.max_depth = 64;
  limits.max_values = kMaxPackFileValues;
  return limits;
}

// Schema of the file at a path inside a pack's folder; empty if no such file is known.
std::string_view SchemaOfFile(std::string_view path) {
  for (std::string_view name :
       {"pack", "labels", "templates", "zones", "rubric", "guardrails", "recipes", "signatures", "commands"}) {
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
  if (inside("suites/")) return "suites";    // read by engine/suites, as signatures.json and recipes.json are
  return {};
}

std::vector<std::string> Strings(const json& array) {
  std::vector<std::string> out;
  out.reserve(array.size());
  for (const json& item : array) out.push_back(item.get<std::string>());
  return out;
}

// One string or a list of them.
std::vector<std::string> Names(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return Strings(value);
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

void Take(const json& object, const char* key, std::string& out) {
  if (const auto it = object.find(key); it != object.end()) out = it->get<std::string>();
}
void Take(const json& object, const char* key, bool& out) {
  if (const auto it = object.find(key); it != object.end()) out = it->get<bool>();
}
void Take(const json& object, const char* key, double& out) {
  if (const auto it = object.find(key); it != object.end()) out = it->get<double>();
}
void Take(const json& object, const char* key, std::vector<std::string>& out) {
  if (const auto it = object.find(key); it != object.end()) out = Names(*it);
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
class FileReader {
 public:
  FileReader(const JsonDocument& document, std::string_view pack, PackPart& part, Problems& problems)
      : document_(document), value_(document.value()), pack_(pack), part_(part), problems_(problems) {}

  void ReadPack();
  void ReadLabels();
  void ReadTemplates();
  void ReadZones();
  void ReadRubric(bool signals_only);
  void ReadGuardrails();
  void ReadCases();

 private:
  Origin At(const std::string& pointer) const {
    return {std::string(pack_), document_.file(), pointer, document_.PositionOf(pointer).line};
  }
  void Add(const std::string& pointer, std::string message) {
    problems_.push_back(document_.ProblemAt(pointer, std::move(message)));
  }

  // Calls `read(item, pointer)` for each item of the list under `key`.
  void ForEach(const char* key, const std::function<void(const json&, const std::string&)>& read) {
    const auto it = value_.find(key);
    if (it == value_.end()) return;
    const std::string list = PointerJoin("", key);
    for (size_t i = 0; i < it->size(); ++i) read((*it)[i], PointerJoin(list, i));
  }

  Condition ReadCondition(const json& value, const std::string& pointer);
  void ReadSignal(const json& value, const std::string& pointer);
  void ReadSuppressor(const json& value, const std::string& pointer);
  void ReadClassifier(const json& value, const std::string& pointer);
  void ReadStep(const json& value, const std::string& pointer);
  void ReadCase(const json& value, const std::string& pointer);

  const JsonDocument& document_;
  const json& value_;
  const std::string_view pack_;
  PackPart& part_;
  Problems& problems_;
};

void FileReader::ReadPack() {
  Take(value_, "title", part_.title);
  const std::string& name = value_.at("name").get_ref<const std::string&>();
  if (name != pack_) {
    Add("/name", "expected the name of the folder, " + Quoted(pack_) + ", got " + Quoted(name));
  }
  Take(value_, "extends", part_.extends);
  part_.extends_origin = At("/extends");
  if (const auto label = value_.find("entry_label"); label != value_.end())
    part_.entry_label = label->get<std::string>();
  if (const auto waiting = value_.find("waiting_labels"); waiting != value_.end())
    part_.waiting_labels = waiting->get<std::vector<std::string>>();
  if (const auto bots = value_.find("ignore_bots"); bots != value_.end()) part_.ignore_bots = bots->get<bool>();
  const auto remove = value_.find("remove");
  if (remove == value_.end()) return;
  if (part_.extends.empty()) Add("/remove", "nothing to remove from: the pack does not extend another");
  for (const auto& [kind, names] : remove->items()) {
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string pointer = PointerJoin(PointerJoin("/remove", kind), i);
      part_.remove[kind].push_back({names[i].get<std::string>(), At(pointer)});
    }
  }
}

void FileReader::ReadLabels() {
  ForEach("labels", [this](const json& value, const std::string& pointer) {
    LabelModel label;
    Take(value, "name", label.name);
    Take(value, "description", label.description);
    label.origin = At(pointer);
    const auto unusual = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    if (label.name.front() == ' ' || label.name.back() == ' ' || absl::c_any_of(label.name, unusual)) {
      Add(PointerJoin(pointer, "name"),
          "expected a name without control characters and without blanks at its ends, got " + Quoted(label.name));
    }
    if (label.name.front() == '@') {
      Add(PointerJoin(pointer, "name"),
          "expected a label, got " + Quoted(label.name) + ": names that begin with \"@\" are topics");
    }
    part_.labels.push_back(std::move(label));
  });
}

void FileReader::ReadTemplates() {
  ForEach("templates", [this](const json& value, const std::string& pointer) {
    TemplateModel text;
    Take(value, "id", text.id);
    Take(value, "purpose", text.purpose);
    text.body = Text(value.at("body"));
    text.origin = At(pointer);
    part_.templates.push_back(std::move(text));
  });
}

void FileReader::ReadZones() {
  part_.has_zones = true;
  part_.zones_origin = At("");
  ZoneRules& rules = part_.zone_rules;
  Take(value_, "trace_starts", rules.trace_starts);
  Take(value_, "trace_lines", rules.trace_lines);
  Take(value_, "error_lines", rules.error_lines);
  Take(value_, "environment_starts", rules.environment_starts);
  Take(value_, "environment_lines", rules.environment_lines);
  Take(value_, "boilerplate", rules.boilerplate);
  // Patterns are checked here, since here their places in the file are known; merged lists lose them.
  Problems bad;
  LinePatterns::Check(rules, bad);
  for (Problem& problem : bad) Add(problem.pointer, std::move(problem.message));
}

Condition FileReader::ReadCondition(const json& value, const std::string& pointer) {
  Condition condition;
  condition.origin = At(pointer);
  if (value.is_boolean()) return condition;
  const auto at = [&](const char* key) {
    const auto it = value.find(key);
    return it == value.end() ? nullptr : &*it;
  };
  const auto children = [&](const json& list, const char* key) {
    const std::string list_pointer = PointerJoin(pointer, key);
    for (size_t i = 0; i < list.size(); ++i) {
      condition.children.push_back(ReadCondition(list[i], PointerJoin(list_pointer, i)));
    }
  };
  if (const json* all = at("all")) {
    condition.kind = Condition::Kind::kAll;
    children(*all, "all");
  } else if (const json* any = at("any")) {
    condition.kind = Condition::Kind::kAny;
    children(*any, "any");
  } else if (const json* child = at("not")) {
    condition.kind = Condition::Kind::kNot;
    condition.children.push_back(ReadCondition(*child, PointerJoin(pointer, "not")));
  } else if (const json* signals = at("signal")) {
    condition.kind = Condition::Kind::kSignal;
    condition.names = Names(*signals);
    if (const json* zones = at("zones")) condition.zones = ZoneList(*zones);
  } else if (const json* labels = at("label")) {
    condition.kind = Condition::Kind::kLabel;
    condition.names = Names(*labels);
    Take(value, "at_least", condition.at_least);
    if (const json* score = at("min_score")) condition.min_score = score->get<double>();
  } else if (const json* only = at("only_zones")) {
    condition.kind = Condition::Kind::kOnlyZones;
    condition.names = Names(only->at("label"));
    condition.zones = ZoneList(only->at("zones"));
  } else if (const json* outcome = at("outcome")) {
    condition.kind = Condition::Kind::kOutcome;
    condition.classifier = outcome->get<std::string>();
    condition.names = Names(value.at("is"));
  } else if (const json* before = at("labels_before")) {
    condition.kind = Condition::Kind::kLabelsBefore;
    condition.names = Names(*before);
  } else if (const json* steps = at("step")) {
    condition.kind = Condition::Kind::kStepTaken;
    condition.names = Names(*steps);
  } else if (const json* bytes = at("body_shorter_than")) {
    condition.kind = Condition::Kind::kBodyShorter;
    condition.bytes = bytes->get<uint64_t>();
  }
  return condition;
}

void FileReader::ReadSignal(const json& value, const std::string& pointer) {
  SignalPart part;
  SignalModel& signal = part.model;
  Take(value, "id", signal.id);
  Take(value, "description", signal.description);
  signal.written = value.dump();
  signal.origin = At(pointer);
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"words", &signal.words},       {"exact", &signal.exact},     {"phrases", &signal.phrases},
      {"patterns", &signal.patterns}, {"imports", &signal.imports}, {"frames", &signal.frames},
      {"errors", &signal.errors}};
  bool has_patterns = false;
  for (const auto& [key, list] : lists) {
    Take(value, key, *list);
    has_patterns = has_patterns || !list->empty();
  }
  if (const auto when = value.find("when"); when != value.end()) {
    const std::string when_pointer = PointerJoin(pointer, "when");
    signal.when = ReadCondition(*when, when_pointer);
    if (has_patterns) Add(when_pointer, "a signal has either patterns or \"when\"; expected two signals");
    if (value.contains("zones")) {
      Add(PointerJoin(pointer, "zones"), "a signal with \"when\" is found in no zone; expected \"points\" only");
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

void FileReader::ReadSuppressor(const json& value, const std::string& pointer) {
  SuppressorModel suppressor;
  Take(value, "id", suppressor.id);
  Take(value, "label", suppressor.labels);
  Take(value, "labels", suppressor.labels);
  suppressor.when = ReadCondition(value.at("when"), PointerJoin(pointer, "when"));
  Take(value, "factor", suppressor.factor);
  Take(value, "reason", suppressor.reason);
  suppressor.written = value.dump();
  suppressor.origin = At(pointer);
  part_.suppressors.push_back(std::move(suppressor));
}

void FileReader::ReadClassifier(const json& value, const std::string& pointer) {
  ClassifierModel classifier;
  Take(value, "id", classifier.id);
  classifier.written = value.dump();
  classifier.origin = At(pointer);
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
  Take(value, "default", classifier.default_label);
  Take(value, "keep_existing", classifier.keep_existing);
  Take(value, "existing_score", classifier.existing_score);
  if (const auto when = value.find("when"); when != value.end()) {
    classifier.when = ReadCondition(*when, PointerJoin(pointer, "when"));
  }

  const bool exactly_one = classifier.kind == ClassifierModel::Kind::kExactlyOne;
  if (exactly_one && classifier.default_label.empty()) {
    Add(pointer, "missing key \"default\"; expected one where \"kind\" is \"exactly_one\"");
  }
  if (!exactly_one && value.contains("default")) {
    Add(PointerJoin(pointer, "default"), "only a classifier of the kind \"exactly_one\" has a default");
  }
  if (classifier.high < classifier.medium) {
    Add(PointerJoin(pointer, "high"),
        "expected a number that is not less than \"medium\", got " + value.at("high").dump());
  }
  part_.classifiers.push_back(std::move(classifier));
}

void FileReader::ReadStep(const json& value, const std::string& pointer) {
  StepPart part;
  StepModel& step = part.model;
  Take(value, "id", step.id);
  Take(value, "title", step.title);
  step.written = value.dump();
  step.origin = At(pointer);
  step.when.origin = step.origin;
  if (const auto when = value.find("when"); when != value.end()) {
    step.when = ReadCondition(*when, PointerJoin(pointer, "when"));
  }
  Take(value, "add", step.add);
  Take(value, "add_outcome", step.add_outcome);
  Take(value, "comment", step.comment);
  Take(value, "marker", step.marker);
  Take(value, "withhold_marker", step.withhold_marker);
  Take(value, "stop", step.stop);
  Take(value, "because", step.because);
  Take(value, "after", part.after.name);
  part.after.origin = At(PointerJoin(pointer, "after"));
  if (step.marker && step.withhold_marker) {
    Add(PointerJoin(pointer, "withhold_marker"), "expected only one of \"marker\" and \"withhold_marker\"");
  }
  part_.steps.push_back(std::move(part));
}

void FileReader::ReadRubric(bool signals_only) {
  if (signals_only) {
    for (const auto& [key, value] : value_.items()) {
      if (key == "signals" || key == "suppressors" || key == "$schema") continue;
      Add(PointerJoin("", key), "key " + Quoted(key) +
                                    " belongs into rubric.json; files below signals/ hold "
                                    "\"signals\" and \"suppressors\" only");
    }
  } else {
    Take(value_, "topics", part_.topics);
    if (const auto zones = value_.find("default_zones"); zones != value_.end()) part_.default_zones = Weights(*zones);
    if (const auto factor = value_.find("comment_factor"); factor != value_.end()) {
      part_.comment_factor = factor->get<double>();
    }
    Take(value_, "negations", part_.negations);
    ForEach("classifiers", [this](const json& value, const std::string& at) { ReadClassifier(value, at); });
    ForEach("steps", [this](const json& value, const std::string& at) { ReadStep(value, at); });
  }
  part_.has_rubric = true;
  ForEach("signals", [this](const json& value, const std::string& at) { ReadSignal(value, at); });
  ForEach("suppressors", [this](const json& value, const std::string& at) { ReadSuppressor(value, at); });
}

void FileReader::ReadGuardrails() {
  part_.guardrails = value_;
  part_.guardrails_origin = At("");
}

void FileReader::ReadCase(const json& value, const std::string& pointer) {
  CaseModel model;
  Take(value, "id", model.id);
  Take(value, "title", model.title);
  model.body = Text(value.at("body"));
  model.origin = At(pointer);
  const auto list = [&](const char* key) -> std::optional<std::vector<std::string>> {
    const auto it = value.find(key);
    if (it == value.end()) return std::nullopt;
    return Strings(*it);
  };
  model.labels_before = list("labels_before");
  if (const auto comments = value.find("comments"); comments != value.end()) model.comments = *comments;
  Take(value, "rules", model.rules);
  Take(value, "not_rules", model.not_rules);
  model.labels = list("labels");
  Take(value, "has_labels", model.has_labels);
  Take(value, "lacks_labels", model.lacks_labels);
  model.applied = list("applied");
  if (const auto comment = value.find("comment"); comment != value.end()) {
    model.comment = comment->is_null() ? "" : comment->get<std::string>();
  }
  Take(value, "twin_of", model.twin_of);
  part_.twins.push_back({model.twin_of, At(PointerJoin(pointer, "twin_of"))});
  part_.cases.push_back(std::move(model));
}

void FileReader::ReadCases() {
  ForEach("cases", [this](const json& value, const std::string& at) { ReadCase(value, at); });
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
  // Cases name these by their ids alone, whatever their kind. Classifiers are only named where a classifier is
  // expected.
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
    problems.push_back(ProblemAt(
        step.after.origin, "\"after\" is for packs that extend another; expected the step in its place in the list"));
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

Problem ProblemAt(const Origin& origin, std::string message) {
  return {origin.file, origin.pointer, origin.line, 0, std::move(message)};
}

void ApplyGuardrails(const json& value, GuardrailsModel& guardrails) {
  Take(value, "allow", guardrails.allow);
  Take(value, "never", guardrails.never);
  Take(value, "never_patterns", guardrails.never_patterns);
  if (const auto groups = value.find("exactly_one"); groups != value.end()) {
    guardrails.exactly_one.clear();
    for (const json& group : *groups) guardrails.exactly_one.push_back(Strings(group));
  }
  if (const auto exclusions = value.find("exclusions"); exclusions != value.end()) {
    guardrails.exclusions.clear();
    for (const json& item : *exclusions) {
      guardrails.exclusions.push_back({item.at("label").get<std::string>(), Strings(item.at("with"))});
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
  if (const auto max = value.find("max_labels"); max != value.end()) guardrails.max_labels = max->get<uint32_t>();
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
    const auto document = JsonDocument::Parse(Readable(path, 200), bytes, PackLimits(), problems);
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
