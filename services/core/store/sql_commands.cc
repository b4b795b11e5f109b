#include "services/core/store/sql_commands.h"

#include <soci/soci.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/store/codec.h"
#include "services/core/store/sql.h"

namespace yardmaster::store {
namespace {

// Commands that are remembered for one place.
constexpr size_t kMaxFormer = 50;

constexpr std::string_view kCommandColumns =
    "select c.id, c.subject, c.subject_kind, c.source, c.slot, c.revision, c.fingerprint, c.command, c.actor, "
    "c.delivery, c.progress, c.seen_at, c.settled_at, c.outcome";

CommandProgress ProgressFromText(std::string_view text) {
  if (text == "taken") return CommandProgress::kTaken;
  return text == "planned" ? CommandProgress::kPlanned : CommandProgress::kSettled;
}

struct CommandRow {
  explicit CommandRow(soci::session& sql) : plan(sql) {}

  long long id = 0, subject_kind = 0, slot = 0, revision = 0, delivery = 0, seen_at = 0, settled_at = 0;
  long long plan_bytes = 0, encoding = 0;
  std::string subject, source, fingerprint, command, actor, progress, outcome, delivery_state;
  soci::blob plan;

  void Into(Select& query) {
    query.Into(id).Into(subject).Into(subject_kind).Into(source).Into(slot).Into(revision).Into(fingerprint);
    query.Into(command).Into(actor).Into(delivery).Into(progress).Into(seen_at).Into(settled_at).Into(outcome);
  }
  StoredCommand Read() const {
    StoredCommand out;
    out.id = id;
    out.subject = SubjectFromText(subject, subject_kind);
    out.source = source;
    out.slot = slot;
    out.revision = revision;
    out.fingerprint = fingerprint;
    out.command = command;
    out.actor = actor;
    out.delivery = delivery;
    out.progress = ProgressFromText(progress);
    out.outcome = outcome;
    out.seen_at = FromMicros(seen_at);
    out.settled_at = OptionalTime(settled_at);
    return out;
  }
};

// One row of a text, and what became of the delivery that has it.
struct Known {
  StoredCommand command;
  std::vector<std::string> former;  // fingerprints of what was settled in its place, oldest first
  bool given_up = false;
  bool matched = false;
};

// Every command of a text that was ever seen there, by slot. The blob is read with them: texts hold few commands.
std::vector<Known> KnownOf(soci::session& sql, const CommandsOfText& text) {
  std::vector<Known> known;
  std::vector<std::pair<std::string, std::pair<long long, long long>>> packed;
  CommandRow row(sql);
  Select query(sql);
  query.Add(kCommandColumns)
      .Add(
          ", c.former, coalesce(d.state, ''), c.plan_bytes, c.encoding, c.plan from commands c left join deliveries d "
          "on d.id = c.delivery where lower(c.subject) = lower(:subject) and c.subject_kind = :kind and c.source = "
          ":source order by c.slot");
  query.Bind("subject", SubjectText(text.subject)).Bind("kind", text.subject.kind()).Bind("source", text.source);
  row.Into(query);
  std::string former;
  query.Into(former).Into(row.delivery_state).Into(row.plan_bytes).Into(row.encoding).Into(row.plan);
  while (query.Next()) {
    Known& one = known.emplace_back();
    one.command = row.Read();
    one.former = absl::StrSplit(former, '\n', absl::SkipEmpty());
    // A delivery that is no longer kept was settled long ago.
    one.given_up = row.delivery_state != "received";
    packed.push_back({GetBlob(row.plan), {row.encoding, row.plan_bytes}});
  }
  for (size_t i = 0; i < known.size(); ++i) {
    absl::StatusOr<std::string> plan = Unpack(packed[i].second.first, packed[i].first, packed[i].second.second);
    // What can't be read is planned again.
    if (plan.ok()) {
      known[i].command.plan = *std::move(plan);
    } else {
      known[i].command.progress = std::min(known[i].command.progress, CommandProgress::kTaken);
    }
  }
  return known;
}

}  // namespace

absl::StatusOr<std::vector<std::optional<StoredCommand>>> SqlCommands::Take(const CommandsOfText& text) {
  absl::Status status = CheckStoredSubject(text.subject);
  if (status.ok()) status = CheckStoredName("source", text.source);
  for (const AskedCommand& asked : text.asked) {
    if (status.ok()) status = CheckStoredName("fingerprint", asked.fingerprint);
    if (status.ok()) status = CheckStoredName("command", asked.command, true);
  }
  if (status.ok() && text.asked.size() > kMaxCommandsInText) {
    status = errors::OverLimit("commands", text.asked.size(), kMaxCommandsInText, "commands");
  }
  if (!status.ok()) return status;
  std::vector<std::optional<StoredCommand>> taken;
  status = writer_.Run(WriteKind::kNew, [&](Transaction& transaction) {
    taken.assign(text.asked.size(), std::nullopt);
    soci::session& sql = transaction.sql;
    std::vector<Known> known = KnownOf(sql, text);

    // 1. What was seen before.
    std::vector<bool> placed(text.asked.size(), false);
    for (size_t i = 0; i < text.asked.size(); ++i) {
      const auto same = std::find_if(known.begin(), known.end(), [&](const Known& one) {
        return !one.matched && one.command.fingerprint == text.asked[i].fingerprint;
      });
      if (same == known.end()) continue;
      same->matched = placed[i] = true;
      StoredCommand& command = same->command;
      if (!text.asked[i].take || command.progress == CommandProgress::kSettled) continue;
      if (command.delivery != text.delivery) {
        if (!same->given_up) continue;
        sql << "update commands set delivery = :delivery where id = :id", soci::use(text.delivery, "delivery"),
            soci::use(command.id, "id");
        command.delivery = text.delivery;
      }
      taken[i] = command;
    }

    // 2. What is new: in the place of what it replaces, or behind all others.
    long long next = 0;
    for (const Known& one : known) next = std::max<long long>(next, one.command.slot + 1);
    next = std::max<long long>(next, static_cast<long long>(text.asked.size()));
    for (size_t i = 0; i < text.asked.size(); ++i) {
      if (placed[i] || !text.asked[i].take) continue;
      const auto at = std::find_if(known.begin(), known.end(),
                                   [&](const Known& one) { return one.command.slot == static_cast<int64_t>(i); });
      const bool replaces = at != known.end() && !at->matched;
      // An edit back to what ran here before.
      if (replaces && absl::c_linear_search(at->former, text.asked[i].fingerprint)) continue;
      StoredCommand command;
      command.subject = text.subject;
      command.source = text.source;
      command.fingerprint = text.asked[i].fingerprint;
      command.command = text.asked[i].command;
      command.actor = CleanText(text.actor, kMaxNameBytes);
      command.delivery = text.delivery;
      command.seen_at = FromMicros(transaction.now);
      if (replaces) {
        at->matched = true;
        if (at->command.progress == CommandProgress::kSettled) at->former.push_back(at->command.fingerprint);
        if (at->former.size() > kMaxFormer) at->former.erase(at->former.begin());
        const std::string former = absl::StrJoin(at->former, "\n");
        command.id = at->command.id;
        command.slot = at->command.slot;
        command.revision = at->command.revision + 1;
        sql << "update commands set revision = :revision, fingerprint = :fingerprint, former = :former, command = "
               ":command, actor = :actor, delivery = :delivery, progress = 'taken', outcome = '', seen_at = :now, "
               "settled_at = 0, plan_bytes = 0, encoding = 0 where id = :id",
            soci::use(command.revision, "revision"), soci::use(command.fingerprint, "fingerprint"),
            soci::use(former, "former"), soci::use(command.command, "command"), soci::use(command.actor, "actor"),
            soci::use(command.delivery, "delivery"), soci::use(transaction.now, "now"), soci::use(command.id, "id");
      } else {
        command.slot = at == known.end() ? static_cast<int64_t>(i) : next++;
        const std::string subject = SubjectText(text.subject);
        const long long kind = text.subject.kind();
        long long id = 0;
        soci::blob none(sql);
        SetBlob(none, "");
        soci::statement insert =
            (sql.prepare << "insert into commands (subject, subject_kind, source, slot, fingerprint, command, actor, "
                            "delivery, progress, seen_at, plan) values (:subject, :kind, :source, :slot, :fingerprint, "
                            ":command, :actor, :delivery, 'taken', :now, :plan) returning id",
             soci::use(subject, "subject"), soci::use(kind, "kind"), soci::use(text.source, "source"),
             soci::use(command.slot, "slot"), soci::use(command.fingerprint, "fingerprint"),
             soci::use(command.command, "command"), soci::use(command.actor, "actor"),
             soci::use(command.delivery, "delivery"), soci::use(transaction.now, "now"), soci::use(none, "plan"),
             soci::into(id));
        RunOne(insert);
        command.id = id;
      }
      taken[i] = std::move(command);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return taken;
}

absl::Status SqlCommands::Plan(int64_t id, std::string_view plan) {
  if (plan.size() > kMaxRpcMessageBytes) {
    return errors::OverLimit("plan", plan.size(), kMaxRpcMessageBytes, "bytes");
  }
  const Packed packed = Pack(plan);
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    long long found = 0;
    const auto bytes = static_cast<long long>(plan.size());
    soci::blob blob(transaction.sql);
    SetBlob(blob, packed.bytes);
    soci::statement update =
        (transaction.sql.prepare << "update commands set progress = 'planned', plan_bytes = :bytes, encoding = "
                                    ":encoding, plan = :plan where id = :id and progress = 'taken' returning id",
         soci::use(bytes, "bytes"), soci::use(packed.encoding, "encoding"), soci::use(blob, "plan"),
         soci::use(id, "id"), soci::into(found));
    return RunOne(update) ? absl::OkStatus() : errors::TransitionRefused("command", id, "another state", "planned");
  });
}

absl::Status SqlCommands::Settle(int64_t id, std::string_view outcome) {
  return writer_.Run(WriteKind::kTransition, [&](Transaction& transaction) {
    long long found = 0;
    const std::string words = CleanText(outcome, kMaxReasonBytes);
    soci::statement update =
        (transaction.sql.prepare << "update commands set progress = 'settled', outcome = :outcome, settled_at = :now "
                                    "where id = :id and progress <> 'settled' returning id",
         soci::use(words, "outcome"), soci::use(transaction.now, "now"), soci::use(id, "id"), soci::into(found));
    return RunOne(update) ? absl::OkStatus() : errors::TransitionRefused("command", id, "settled", "settled");
  });
}

absl::StatusOr<std::vector<StoredCommand>> SqlCommands::List(const v1::Subject& subject) {
  return readers_.Read([&](soci::session& sql) -> absl::StatusOr<std::vector<StoredCommand>> {
    CommandRow row(sql);
    Select query(sql);
    query.Add(kCommandColumns).Add(" from commands c where lower(c.subject) = lower(:subject)");
    query.Bind("subject", SubjectText(subject));
    if (subject.kind() != v1::SUBJECT_KIND_UNSPECIFIED) {
      query.Add(" and c.subject_kind = :kind").Bind("kind", subject.kind());
    }
    query.Add(" order by c.id");
    row.Into(query);
    std::vector<StoredCommand> commands;
    while (query.Next()) commands.push_back(row.Read());
    return commands;
  });
}

}  // namespace yardmaster::store
