#include "services/commands/commands_service.h"

#include <memory>
#include <string_view>
#include <vector>

#include "rules/engine/phrases/phrase_set.h"
#include "services/commands/command_messages.h"
#include "services/commands/help.h"
#include "services/commands/interpretation.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

constexpr std::string_view kInterpret = "/yardmaster.v1.CommandsService/Interpret";
constexpr std::string_view kListCommands = "/yardmaster.v1.CommandsService/ListCommands";

}  // namespace

grpc::ServerUnaryReactor* CommandsServiceImpl::Interpret(grpc::CallbackServerContext* context,
                                                         const v1::InterpretRequest* request,
                                                         v1::InterpretResponse* response) {
  return HandleUnary(env_, *context, kInterpret, [&](const RpcCall&) { return DoInterpret(*request, *response); });
}

absl::Status CommandsServiceImpl::DoInterpret(const v1::InterpretRequest& request,
                                              v1::InterpretResponse& response) const {
  if (request.text().empty()) return errors::FieldMissing("text");
  if (request.text().size() > rules::kMaxPhraseBytes) {
    return errors::OverLimit("text", request.text().size(), rules::kMaxPhraseBytes, "bytes");
  }
  const std::string_view name = request.pack().empty() ? kPhrasesPack : std::string_view(request.pack());
  if (name.size() > kMaxNameBytes) return errors::OverLimit("pack", name.size(), kMaxNameBytes, "bytes");
  rules::PhraseContext context;
  if (request.context().pull_request() < 0) return errors::FieldInvalid("context.pull_request", "a number from 1");
  if (request.context().pull_request() > 0) context.pr = request.context().pull_request();
  context.repo = request.context().repository();
  if (context.repo.size() > kMaxNameBytes) {
    return errors::OverLimit("context.repository", context.repo.size(), kMaxNameBytes, "bytes");
  }

  const std::shared_ptr<const PackSet> packs = packs_.Current();
  const std::shared_ptr<const rules::PhraseSet> phrases = packs->FindPhrases(name);
  if (phrases == nullptr) return UnknownPack(*packs, name);
  WriteInterpretation(phrases->Interpret(request.text(), context), response);
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* CommandsServiceImpl::ListCommands(grpc::CallbackServerContext* context,
                                                            const v1::ListCommandsRequest* request,
                                                            v1::ListCommandsResponse* response) {
  return HandleUnary(env_, *context, kListCommands,
                     [&](const RpcCall&) { return DoListCommands(*request, *response); });
}

absl::Status CommandsServiceImpl::DoListCommands(const v1::ListCommandsRequest& request,
                                                 v1::ListCommandsResponse& response) const {
  const std::string_view name = request.pack().empty() ? kPhrasesPack : std::string_view(request.pack());
  if (request.command().size() > kMaxNameBytes) {
    return errors::OverLimit("command", request.command().size(), kMaxNameBytes, "bytes");
  }
  const std::shared_ptr<const PackSet> packs = packs_.Current();
  ASSIGN_OR_RETURN(const std::shared_ptr<const rules::CompiledPack> pack, FindPack(*packs, name));
  const std::shared_ptr<const rules::CommandTable> table = pack->commands();
  if (request.command().empty()) {
    for (const rules::CommandModel& command : table->commands()) {
      commands::WriteCommand(command, *response.add_commands());
    }
    return absl::OkStatus();
  }
  const rules::CommandModel* command = commands::FindForHelp(*table, request.command());
  if (command == nullptr) return errors::CommandUnknown(request.command(), table->Nearest(request.command()));
  commands::WriteCommand(*command, *response.add_commands());
  return absl::OkStatus();
}

}  // namespace yardmaster
