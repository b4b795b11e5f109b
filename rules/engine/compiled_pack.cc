#include "rules/engine/compiled_pack.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/engine/comment_similarity.h"
#include "rules/engine/compiled_pack_impl.h"
#include "rules/engine/compiled_parts.h"
#include "rules/engine/pack/pack_reader.h"

namespace yardmaster::rules {
namespace {

// Resolves names and builds the parts, adding problems as it goes; later parts may rely on the sizes of earlier ones
// even if those had problems.
class Compiler {
 public:
  Compiler(CompiledPack::Impl& impl, CompiledParts& parts, Problems& problems);
  void Run();

 private:
  void Names();
  void Zones();
  void Signals();
  void Suppressors();
  void Classifiers();
  void Steps();
  void Templates();
  void Cases();
  void PeopleLabels();
  uint32_t Label(const std::string& name, const Origin& origin, std::string_view below = {});
  CompiledCondition Compile(const Condition& condition, ConditionPlace place);

  CompiledPack::Impl& impl_;
  PackModel& model_;
  CompiledParts& parts_;
  Problems& problems_;
  uint32_t step_limit_ = 0;
};

Compiler::Compiler(CompiledPack::Impl& impl, CompiledParts& parts, Problems& problems)
    : impl_(impl), model_(impl.model), parts_(parts), problems_(problems) {}

void Compiler::Run() {
  Names();
  Zones();
  impl_.matcher = parts_.SignalMatcher(model_.signals, model_.negations, problems_);
  Signals();
  Suppressors();
  Classifiers();
  if (model_.guardrails.has_value()) impl_.guardrails = Guardrails::Create(*model_.guardrails, problems_);
  PeopleLabels();
  impl_.commands = std::make_shared<const CommandTable>(std::move(model_.commands));
  Templates();
  Steps();
  Cases();
}

void Compiler::Names() {
  for (const LabelModel& label : model_.labels) impl_.label_names.push_back(label.name);
  for (const std::string& topic : model_.topics) impl_.label_names.push_back(topic);
  for (uint32_t i = 0; i < impl_.label_names.size(); ++i) impl_.names.labels.emplace(impl_.label_names[i], i);
  for (uint32_t i = 0; i < model_.signals.size(); ++i) impl_.names.signals.emplace(model_.signals[i].id, i);
  for (uint32_t i = 0; i < model_.classifiers.size(); ++i) impl_.names.classifiers.emplace(model_.classifiers[i].id, i);
  for (uint32_t i = 0; i < model_.steps.size(); ++i) impl_.names.steps.emplace(model_.steps[i].id, i);
  if (!model_.entry_label.empty() && !impl_.names.labels.contains(model_.entry_label)) {
    problems_.push_back({model_.name + "/pack.json", "/entry_label", 0, 0,
                         "label '" + model_.entry_label + "' is not in labels.json; expected it there"});
  }
  for (size_t i = 0; i < model_.waiting_labels.size(); ++i) {
    if (impl_.names.labels.contains(model_.waiting_labels[i])) continue;
    problems_.push_back({model_.name + "/pack.json", "/waiting_labels/" + std::to_string(i), 0, 0,
                         "label '" + model_.waiting_labels[i] + "' is not in labels.json; expected it there"});
  }
  impl_.not_in_queue_text = "the issue does not carry the entry label '" + model_.entry_label + "'";

  // Thresholds by label are needed by conditions before classifiers are compiled.
  const double never = std::numeric_limits<double>::infinity();
  impl_.classifier_of_label.assign(impl_.label_names.size(), -1);
  impl_.medium_of_label.assign(impl_.label_names.size(), never);
  impl_.high_of_label.assign(impl_.label_names.size(), never);
  for (uint32_t c = 0; c < model_.classifiers.size(); ++c) {
    const ClassifierModel& classifier = model_.classifiers[c];
    for (size_t i = 0; i < classifier.labels.size(); ++i) {
      const auto it = impl_.names.labels.find(classifier.labels[i].label);
      if (it == impl_.names.labels.end()) continue;  // reported with the classifier
      if (impl_.classifier_of_label[it->second] >= 0) {
        problems_.push_back(
            ProblemAt(classifier.origin,
                      "label '" + it->first + "' is already scored by classifier '" +
                          model_.classifiers[static_cast<size_t>(impl_.classifier_of_label[it->second])].id +
                          "'; expected it in one classifier only",
                      "/labels/" + std::to_string(i)));
        continue;
      }
      impl_.classifier_of_label[it->second] = static_cast<int>(c);
      impl_.medium_of_label[it->second] = classifier.medium;
      impl_.high_of_label[it->second] = classifier.high;
    }
  }
}

void Compiler::Zones() {
  const size_t before = problems_.size();
  impl_.splitter = parts_.Splitter(model_.zone_rules, problems_);
  for (size_t i = before; i < problems_.size(); ++i) {
    problems_[i].file = model_.zones_origin.file;
    problems_[i].line = model_.zones_origin.line;
  }
}

uint32_t Compiler::Label(const std::string& name, const Origin& origin, std::string_view below) {
  const auto it = impl_.names.labels.find(name);
  if (it != impl_.names.labels.end()) return it->second;
  problems_.push_back(ProblemAt(origin,
                                name.starts_with('@')
                                    ? "unknown topic '" + name + "'; expected one of the rubric's \"topics\""
                                    : "unknown label '" + name + "'; expected one of labels.json",
                                below));
  return 0;
}

CompiledCondition Compiler::Compile(const Condition& condition, ConditionPlace place) {
  return CompiledCondition::Compile(condition, place, impl_.names, impl_.medium_of_label, impl_.high_of_label,
                                    step_limit_, problems_);
}

void Compiler::Signals() {
  for (const SignalModel& signal : model_.signals) {
    CompiledSignal out;
    for (const auto& [label, factor] : signal.labels) out.labels.emplace_back(Label(label, signal.origin), factor);
    if (signal.when.has_value()) out.when = Compile(*signal.when, ConditionPlace::kSignal);
    if (out.when.has_value()) impl_.derived.push_back(static_cast<uint32_t>(impl_.signals.size()));
    impl_.signals.push_back(std::move(out));
  }
}

void Compiler::Suppressors() {
  for (const SuppressorModel& suppressor : model_.suppressors) {
    CompiledSuppressor out;
    for (const std::string& label : suppressor.labels) out.labels.push_back(Label(label, suppressor.origin));
    out.when = Compile(suppressor.when, ConditionPlace::kSuppressor);
    impl_.suppressors.push_back(std::move(out));
  }
}

void Compiler::Classifiers() {
  for (uint32_t c = 0; c < model_.classifiers.size(); ++c) {
    const ClassifierModel& classifier = model_.classifiers[c];
    CompiledClassifier out;
    for (size_t i = 0; i < classifier.labels.size(); ++i) {
      const std::string below = "/labels/" + std::to_string(i);
      out.labels.push_back(Label(classifier.labels[i].label, classifier.origin, below));
      LabelFactors from;
      for (const auto& [label, factor] : classifier.labels[i].from) {
        const uint32_t source = Label(label, classifier.origin, below + "/from");
        const int by = impl_.classifier_of_label[source];
        if (by >= static_cast<int>(c)) {
          problems_.push_back(ProblemAt(classifier.origin,
                                        "'" + label +
                                            "' is scored by a classifier that does not come before this one; expected "
                                            "only labels of earlier classifiers, or of none",
                                        below + "/from"));
        }
        from.emplace_back(source, factor);
      }
      out.from.push_back(std::move(from));
    }
    if (classifier.kind == ClassifierModel::Kind::kExactlyOne) {
      const bool known = absl::c_any_of(classifier.labels,
                                        [&](const ClassifierLabel& l) { return l.label == classifier.default_label; });
      if (!known) {
        problems_.push_back(ProblemAt(
            classifier.origin, "the default '" + classifier.default_label + "' is not one of the classifier's labels",
            "/default"));
      } else {
        out.default_label = Label(classifier.default_label, classifier.origin, "/default");
      }
    }
    if (classifier.when.has_value()) out.when = Compile(*classifier.when, ConditionPlace::kClassifier);
    impl_.classifiers.push_back(std::move(out));
  }
}

void Compiler::Steps() {
  for (uint32_t s = 0; s < model_.steps.size(); ++s) {
    const StepModel& step = model_.steps[s];
    step_limit_ = s;
    CompiledStep out;
    out.when = Compile(step.when, ConditionPlace::kStep);
    const auto check_add = [&](const std::string& label, std::string_view below) {
      if (impl_.guardrails == nullptr || label.starts_with('@')) return;
      if (impl_.guardrails->IsMarker(label)) {
        problems_.push_back(
            ProblemAt(step.origin, "'" + label + "' is a marker; expected \"marker\": true instead", below));
      } else if (!impl_.guardrails->MayAdd(label)) {
        problems_.push_back(ProblemAt(step.origin, "guardrails.json does not allow to add '" + label + "'", below));
      }
    };
    for (const std::string& label : step.add) {
      if (label.starts_with('@')) {
        problems_.push_back(
            ProblemAt(step.origin, "topic '" + label + "' is no label; expected one of labels.json", "/add"));
      }
      out.add.push_back(Label(label, step.origin, "/add"));
      check_add(label, "/add");
    }
    for (const std::string& name : step.add_outcome) {
      const auto it = impl_.names.classifiers.find(name);
      if (it == impl_.names.classifiers.end()) {
        problems_.push_back(ProblemAt(step.origin, "unknown classifier '" + name + "'", "/add_outcome"));
        continue;
      }
      out.add_outcome.push_back(it->second);
      for (const ClassifierLabel& label : model_.classifiers[it->second].labels) check_add(label.label, "/add_outcome");
    }
    if (!step.comment.empty()) {
      const auto known =
          absl::c_find_if(model_.templates, [&](const TemplateModel& t) { return t.id == step.comment; });
      if (known == model_.templates.end()) {
        problems_.push_back(ProblemAt(
            step.origin, "unknown template '" + step.comment + "'; expected one of templates.json", "/comment"));
      } else if (model_.guardrails.has_value() &&
                 absl::c_find(model_.guardrails->templates, step.comment) == model_.guardrails->templates.end()) {
        problems_.push_back(ProblemAt(
            step.origin, "guardrails.json does not allow to post template '" + step.comment + "'", "/comment"));
      }
    }
    out.after_stop_text = "step '" + step.id + "' had ended the procedure";
    impl_.steps.push_back(std::move(out));
  }
}

void Compiler::Templates() {
  for (const TemplateModel& text : model_.templates) {
    impl_.templates.push_back(
        {impl_.splitter == nullptr ? std::vector<std::string>{} : CommentTokens(text.body, *impl_.splitter)});
  }
}

void Compiler::Cases() {
  const auto known_rule = [&](const std::string& id) {
    return impl_.names.signals.contains(id) || impl_.names.steps.contains(id) || impl_.names.classifiers.contains(id) ||
           absl::c_any_of(model_.suppressors, [&](const SuppressorModel& s) { return s.id == id; });
  };
  for (const CaseModel& test : model_.cases) {
    for (const auto* list : {&test.rules, &test.not_rules}) {
      for (const std::string& id : *list) {
        if (!known_rule(id)) {
          problems_.push_back(ProblemAt(test.origin, "case '" + test.id + "' names the unknown rule '" + id + "'",
                                        list == &test.rules ? "/rules" : "/not_rules"));
        }
      }
    }
    if (!test.twin_of.empty() &&
        absl::c_none_of(model_.cases, [&](const CaseModel& other) { return other.id == test.twin_of; })) {
      problems_.push_back(ProblemAt(
          test.origin, "case '" + test.id + "' is a twin of the unknown case '" + test.twin_of + "'", "/twin_of"));
    }
  }
}

}  // namespace

CompiledPack::CompiledPack(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}

CompiledPack::~CompiledPack() = default;

// People ask for labels through the bot, which writes them: the guardrails hold there too.
void Compiler::PeopleLabels() {
  const CommandsModel& commands = model_.commands;
  for (size_t i = 0; i < commands.people_labels.size(); ++i) {
    const std::string& label = commands.people_labels[i];
    const std::string below = "/" + std::to_string(i);
    if (impl_.guardrails == nullptr) {
      if (model_.guardrails.has_value()) return;  // told already
      problems_.push_back(
          ProblemAt(commands.people_labels_origin, "a pack without guardrails.json writes no labels", below));
    } else if (!impl_.guardrails->MayPeopleAdd(label)) {
      problems_.push_back(ProblemAt(commands.people_labels_origin,
                                    "guardrails.json forbids '" + label + "', or has it as a marker", below));
    }
  }
}

const PackModel& CompiledPack::model() const { return impl_->model; }

std::shared_ptr<const CommandTable> CompiledPack::commands() const { return impl_->commands; }

std::shared_ptr<const CompiledPack> CompiledPack::Compile(PackModel model, Problems& problems) {
  CompiledParts parts;
  return Compile(std::move(model), parts, problems);
}

std::shared_ptr<const CompiledPack> CompiledPack::Compile(PackModel model, CompiledParts& parts, Problems& problems) {
  const size_t before = problems.size();
  auto impl = std::make_unique<Impl>();
  impl->model = std::move(model);
  Compiler(*impl, parts, problems).Run();
  if (problems.size() != before) return nullptr;
  return std::shared_ptr<const CompiledPack>(new CompiledPack(std::move(impl)));
}

}  // namespace yardmaster::rules
