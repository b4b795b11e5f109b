#include "services/core/store/sql_subjects.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/errors.h"
#include "services/core/hex.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"
#include "services/core/store/codec.h"
#include "services/core/store/dialect.h"
#include "services/core/store/search_terms.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// Distinct words of one text that are indexed.
constexpr size_t kMaxIndexedWords = 600;
// Words of a query that are looked up, rare-looking ones first.
constexpr size_t kMaxQueryWords = 48;
// A word in more texts than this, or than a tenth of them, says nothing. It also bounds the work for one word.
constexpr int64_t kMaxTextsOfWord = 1'000;
constexpr int64_t kMinTextsOfWord = 20;
// A word of the title counts so many times.
constexpr double kTitleWeight = 2.0;
// Candidates that are looked at closely.
constexpr size_t kMaxCandidates = 300;
// Below this share of the query's weight nothing is alike, it merely has a word in common.
constexpr double kMinScore = 0.08;
constexpr size_t kMaxCommonWords = 20'000;

// Stands for the repository among a text's words, so that a query for one repository never walks through others. No
// text contains it: words of texts don't begin with an underscore.
std::string PlaceToken(std::string_view forge, std::string_view repository) {
  uint64_t hash = 14695981039346656037ull;
  for (std::string_view part : {forge, std::string_view(":"), repository}) {
    for (char c : part) {
      const auto byte = static_cast<unsigned char>(absl::ascii_tolower(static_cast<unsigned char>(c)));
      hash = (hash ^ byte) * 1099511628211ull;
    }
  }
  return "__" + Hex(hash);
}

std::vector<std::string> IndexedWords(const SeenSubject& seen) {
  std::string text = seen.title;
  text += '\n';
  text += std::string_view(seen.body).substr(0, kMaxIndexedBodyBytes);
  std::vector<std::string> words = WordsOf(text, kMaxIndexedWords);
  words.push_back(PlaceToken(seen.subject.forge(), seen.subject.repository()));
  return words;
}

// The words of a query with their weights. Title first, then those of the body, longer ones first: they are rarer.
std::vector<std::pair<std::string, double>> QueryWords(const SimilarQuery& query) {
  std::vector<std::pair<std::string, double>> chosen;
  std::unordered_set<std::string> seen;
  for (std::string& word : WordsOf(query.title, kMaxQueryWords / 2)) {
    seen.insert(word);
    chosen.emplace_back(std::move(word), kTitleWeight);
  }
  std::vector<std::string> body =
      WordsOf(std::string_view(query.body).substr(0, kMaxIndexedBodyBytes), kMaxIndexedWords);
  absl::c_stable_sort(body, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::string& word : body) {
    if (chosen.size() == kMaxQueryWords) break;
    if (seen.insert(word).second) chosen.emplace_back(std::move(word), 1.0);
  }
  return chosen;
}

}  // namespace

struct SqlSubjects::Statements {
  explicit Statements(soci::session& sql)
      : words(sql),
        put((sql.prepare << "insert into subjects (subject, subject_kind, state, author, digest, first_seen_at, "
                            "seen_at, title, labels) values (:subject, :subject_kind, :state, :author, :digest, :now, "
                            ":now, :title, :labels) on conflict (lower(subject), subject_kind) do update set subject = "
                            "excluded.subject, state = excluded.state, author = excluded.author, digest = "
                            "excluded.digest, seen_at = excluded.seen_at, title = excluded.title, labels = "
                            "excluded.labels returning id",
             soci::use(subject, "subject"), soci::use(subject_kind, "subject_kind"), soci::use(state, "state"),
             soci::use(author, "author"), soci::use(digest, "digest"), soci::use(now, "now"), soci::use(title, "title"),
             soci::use(labels, "labels"), soci::into(id))) {}

  std::string subject, state, author, digest, title, labels;
  long long subject_kind = 0, now = 0, id = 0;
  TextIndexWriter words;
  soci::statement put;
};

SqlSubjects::SqlSubjects(soci::session& sql, Writer& writer, ReaderPool& readers)
    : writer_(writer), readers_(readers), statements_(std::make_unique<Statements>(sql)) {}
SqlSubjects::~SqlSubjects() = default;

void SqlSubjects::Close() { statements_.reset(); }

absl::Status SqlSubjects::Put(const SeenSubject& seen) {
  RETURN_IF_ERROR(CheckStoredSubject(seen.subject));
  RETURN_IF_ERROR(CheckStoredName("digest", seen.digest, true));
  if (seen.labels.size() > kMaxLabels) {
    return errors::OverLimit("labels", seen.labels.size(), kMaxLabels, "labels");
  }
  // In the caller's thread.
  const std::vector<std::string> words = IndexedWords(seen);
  const std::string title = CleanText(seen.title, kMaxTitleBytes);
  const std::string labels = EncodeStrings(seen.labels);
  return writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    Statements& s = *statements_;
    s.subject = SubjectText(seen.subject);
    s.subject_kind = seen.subject.kind();
    s.state = CleanText(seen.state, kMaxNameBytes);
    s.author = CleanText(seen.author, kMaxNameBytes);
    s.digest = seen.digest;
    s.now = transaction.now;
    s.title = title;
    s.labels = labels;
    RunOne(s.put);
    s.words.Put(s.id, words);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::optional<KnownSubject>> SqlSubjects::Get(const v1::Subject& subject) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::optional<KnownSubject>> {
    std::string text, state, author, digest, title, labels;
    long long kind = 0;
    long long first_seen_at = 0;
    long long seen_at = 0;
    Select query(sql);
    query.Add(
        "select subject, subject_kind, state, author, digest, first_seen_at, seen_at, title, labels from subjects "
        "where true");
    BindSubject(query, subject);
    query.Add(" order by subject_kind limit 1");
    query.Into(text).Into(kind).Into(state).Into(author).Into(digest).Into(first_seen_at).Into(seen_at);
    query.Into(title).Into(labels);
    std::optional<KnownSubject> known;
    while (query.Next()) {
      known = KnownSubject{
          SubjectFromText(text, kind), title, DecodeStrings(labels), state, author, digest, FromMicros(first_seen_at),
          FromMicros(seen_at)};
    }
    return known;
  });
}

absl::Status SqlSubjects::NoteLabelRemoved(const v1::Subject& subject, std::string_view label, std::string_view by) {
  RETURN_IF_ERROR(CheckStoredSubject(subject));
  RETURN_IF_ERROR(CheckStoredName("label", label));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string text = SubjectText(subject);
    const long long kind = subject.kind();
    const std::string name(label);
    const std::string person = CleanText(by, kMaxNameBytes);
    transaction.sql << "insert into removed_labels (subject, subject_kind, label, removed_by, removed_at) values "
                       "(:subject, :kind, :label, :person, :now) on conflict (lower(subject), subject_kind, "
                       "lower(label)) do update set label = excluded.label, removed_by = excluded.removed_by, "
                       "removed_at = excluded.removed_at",
        soci::use(text, "subject"), soci::use(kind, "kind"), soci::use(name, "label"), soci::use(person, "person"),
        soci::use(transaction.now, "now");
    return absl::OkStatus();
  });
}

absl::Status SqlSubjects::ForgetLabelRemoved(const v1::Subject& subject, std::string_view label) {
  RETURN_IF_ERROR(CheckStoredSubject(subject));
  RETURN_IF_ERROR(CheckStoredName("label", label));
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string text = SubjectText(subject);
    const long long kind = subject.kind();
    const std::string name(label);
    transaction.sql << "delete from removed_labels where lower(subject) = lower(:subject) and subject_kind = :kind and "
                       "lower(label) = lower(:label)",
        soci::use(text, "subject"), soci::use(kind, "kind"), soci::use(name, "label");
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<RemovedLabel>> SqlSubjects::RemovedLabels(const v1::Subject& subject) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<RemovedLabel>> {
    std::string label, by;
    long long at = 0;
    Select query(sql);
    query.Add("select label, removed_by, removed_at from removed_labels where true");
    BindSubject(query, subject);
    query.Add(" order by label").Into(label).Into(by).Into(at);
    std::vector<RemovedLabel> labels;
    while (query.Next()) labels.push_back({label, by, FromMicros(at)});
    return labels;
  });
}

absl::StatusOr<SeenHead> SqlSubjects::SeeHead(const v1::Subject& subject, std::string_view head, TimePoint at,
                                              HeadSource source) {
  RETURN_IF_ERROR(CheckStoredSubject(subject));
  RETURN_IF_ERROR(CheckStoredName("head", head));
  SeenHead known;
  RETURN_IF_ERROR(writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    const std::string text = SubjectText(subject);
    const long long kind = subject.kind();
    const std::string now(head);
    const long long when = ToMicros(at);
    std::string seen;
    std::string before;
    long long not_before = 0;
    long long not_after = 0;
    long long seen_at = 0;
    transaction.sql << "select head, head_before, not_before, not_after, seen_at from seen_heads where lower(subject) "
                       "= lower(:subject) and subject_kind = :kind",
        soci::use(text, "subject"), soci::use(kind, "kind"), soci::into(seen), soci::into(before),
        soci::into(not_before), soci::into(not_after), soci::into(seen_at);
    const bool late = source == HeadSource::kDelivery && now == before;
    if (when >= seen_at && !late) {
      if (now != seen) {
        before = seen;
        not_before = seen.empty() ? 0 : seen_at;
        not_after = when;
      }
      seen = now;
      transaction.sql << "insert into seen_heads (subject, subject_kind, head, head_before, not_before, not_after, "
                         "seen_at) values (:subject, :kind, :head, :before, :not_before, :not_after, :at) on conflict "
                         "(lower(subject), subject_kind) do update set head = excluded.head, head_before = "
                         "excluded.head_before, not_before = excluded.not_before, not_after = excluded.not_after, "
                         "seen_at = excluded.seen_at",
          soci::use(text, "subject"), soci::use(kind, "kind"), soci::use(seen, "head"), soci::use(before, "before"),
          soci::use(not_before, "not_before"), soci::use(not_after, "not_after"), soci::use(when, "at");
    }
    known.head = seen;
    known.not_before.reset();
    if (not_before > 0) known.not_before = FromMicros(not_before);
    known.not_after = FromMicros(not_after);
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<std::vector<SimilarSubject>> SqlSubjects::Similar(const SimilarQuery& query) {
  const auto limit = static_cast<size_t>(std::clamp<int64_t>(query.limit, 1, kMaxSimilar));
  const std::vector<std::pair<std::string, double>> words = QueryWords(query);
  const std::string place =
      query.forge.empty() || query.repository.empty() ? "" : PlaceToken(query.forge, query.repository);
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<SimilarSubject>> {
    std::vector<SimilarSubject> answer;
    const int64_t texts = CountOf(sql, "select count(*) from subjects");
    if (texts == 0 || words.empty()) return answer;

    // Weight of each text: the sum over the words it shares, rare ones counting more. What we look for shares all.
    const int64_t too_many = std::clamp<int64_t>(texts / 10, kMinTextsOfWord, kMaxTextsOfWord);
    std::unordered_map<int64_t, double> weights;
    double whole = 0;
    for (const auto& [word, weight] : words) {
      const std::string key = place + word;
      {
        std::lock_guard<std::mutex> lock(common_mutex_);
        if (common_.count(key) > 0) continue;
      }
      const std::vector<int64_t> ids = DocumentsWith(sql, word, place, too_many);
      if (static_cast<int64_t>(ids.size()) == too_many) {
        std::lock_guard<std::mutex> lock(common_mutex_);
        // In a small store a word is soon in many texts: only what a large one knows is worth keeping.
        if (too_many == kMaxTextsOfWord) {
          if (common_.size() >= kMaxCommonWords) common_.clear();
          common_.insert(key);
        }
        continue;
      }
      // Nothing for a word that all texts have, most for one that only the query has.
      const double gain =
          weight * std::log((static_cast<double>(texts) + 1.0) / (static_cast<double>(ids.size()) + 0.5));
      whole += gain;
      for (int64_t id : ids) weights[id] += gain;
    }

    // Best first; of equals the newer one.
    std::vector<std::pair<double, int64_t>> best;
    for (const auto& [id, weight] : weights) {
      if (weight >= kMinScore * whole) best.emplace_back(weight / whole, id);
    }
    absl::c_sort(best, std::greater<>());
    if (best.size() > kMaxCandidates) best.resize(kMaxCandidates);
    for (const auto& [score, id] : best) {
      if (answer.size() == limit) break;
      std::string subject, state, title;
      long long kind = 0;
      Select row(sql);
      row.Add("select subject, subject_kind, state, title from subjects where id = :id").Bind("id", id);
      if (!query.state.empty()) row.Add(" and state = :state").Bind("state", query.state);
      row.Into(subject).Into(kind).Into(state).Into(title);
      while (row.Next()) {
        SimilarSubject similar{SubjectFromText(subject, kind), title, state, score};
        if (query.except.has_value() && similar.subject.number() == query.except->number() &&
            PlaceToken(similar.subject.forge(), similar.subject.repository()) ==
                PlaceToken(query.except->forge(), query.except->repository()) &&
            (query.except->kind() == v1::SUBJECT_KIND_UNSPECIFIED || query.except->kind() == similar.subject.kind())) {
          continue;
        }
        if (!query.forge.empty() && similar.subject.forge() != query.forge) continue;
        answer.push_back(std::move(similar));
      }
    }
    return answer;
  });
}

}  // namespace yardmaster::store
