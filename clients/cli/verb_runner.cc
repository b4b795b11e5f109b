// `yard runner list|devices|health|drain|resume|quarantine|forget`: the machines that are attached to the server.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/dispatch_client.h"
#include "clients/cli/job_text.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "services/core/readable.h"

namespace yardmaster::cli {
namespace {

constexpr const char* kNoRunners = "The server knows no runners. deploy/runners.md tells how to attach one.";

// All, or those of one name.
absl::StatusOr<RunnerRows> ReadRunners(const Session& session, const std::string& verb, const std::string& name) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, verb));
  ASSIGN_OR_RETURN(v1::ListRunnersResponse response,
                   server.Call(&v1::DispatchService::Stub::ListRunners, v1::ListRunnersRequest()));
  RunnerRows rows;
  for (v1::RunnerInfo& runner : *response.mutable_runners()) {
    if (name.empty() || runner.name() == name) *rows.Add() = std::move(runner);
  }
  if (!name.empty() && rows.empty()) return NegativeError(absl::StrCat("there is no runner ", Quoted(name, 200)));
  return rows;
}

absl::StatusOr<ExitCode> ListRunners(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const RunnerRows rows, ReadRunners(session, "runner list", name));
  PrintRows("runners", rows, RunnerJson, RunnerTable, session, kNoRunners);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> ListDevices(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const RunnerRows rows, ReadRunners(session, "runner devices", name));
  PrintRows("runners", rows, RunnerJson, DeviceTable, session, kNoRunners);
  return ExitCode::kDone;
}

// What is wrong with a runner, each in a line.
std::vector<std::string> FaultsOf(const v1::RunnerInfo& runner) {
  std::vector<std::string> faults;
  if (runner.state() == "offline") faults.emplace_back("it does not report");
  if (runner.state() == "quarantined") {
    faults.push_back(absl::StrCat("it is in quarantine", runner.why().empty() ? "" : ": ", runner.why()));
  }
  for (const v1::DeviceCount& device : runner.devices()) {
    if (device.state() == "ok") continue;
    faults.push_back(
        absl::StrCat(device.kind(), device.model().empty() ? "" : " ", device.model(), ": ", device.state()));
  }
  return faults;
}

absl::StatusOr<ExitCode> ShowHealth(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const RunnerRows rows, ReadRunners(session, "runner health", name));
  bool healthy = true;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::string text;
  for (const v1::RunnerInfo& runner : rows) {
    const std::vector<std::string> faults = FaultsOf(runner);
    healthy = healthy && faults.empty();
    json.push_back({{"name", runner.name()},
                    {"state", runner.state()},
                    {"healthy", faults.empty()},
                    {"faults", JsonList(faults, [](const std::string& fault) { return fault; })}});
    absl::StrAppend(&text,
                    session.output.Paint(faults.empty() ? "ok  " : "bad ", faults.empty() ? Style::kGood : Style::kBad),
                    " ", Printable(runner.name()), "  ", runner.state(), "\n");
    for (const std::string& fault : faults) absl::StrAppend(&text, "       ", Printable(fault), "\n");
  }
  if (session.options.json) {
    session.output.Json({{"healthy", healthy}, {"runners", json}});
  } else if (rows.empty()) {
    session.output.Note(kNoRunners);
  } else {
    session.output.out() << text;
  }
  return healthy ? ExitCode::kDone : ExitCode::kNegative;
}

absl::StatusOr<ExitCode> SetService(const v1::SetRunnerServiceRequest& request, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "runner"));
  ASSIGN_OR_RETURN(const v1::SetRunnerServiceResponse response,
                   server.Call(&v1::DispatchService::Stub::SetRunnerService, request));
  RunnerRows rows;
  *rows.Add() = response.runner();
  PrintAnswer(
      rows, [](const RunnerRows& one) { return RunnerJson(one.Get(0)); }, RunnerTable, session);
  return ExitCode::kDone;
}

// A runner, or one of its devices.
struct ServiceArguments {
  std::string name;
  std::string device;
  std::string why;
};

v1::SetRunnerServiceRequest RequestOf(const ServiceArguments& arguments, v1::SetRunnerServiceRequest::Service service) {
  v1::SetRunnerServiceRequest request;
  request.set_runner(arguments.name);
  request.set_device(arguments.device);
  request.set_why(arguments.why);
  request.set_service(service);
  return request;
}

absl::StatusOr<ExitCode> DrainRunner(const std::string& name, Session& session) {
  return SetService(RequestOf({name, "", ""}, v1::SetRunnerServiceRequest::SERVICE_DRAINED), session);
}
absl::StatusOr<ExitCode> ResumeRunner(const ServiceArguments& arguments, Session& session) {
  return SetService(RequestOf(arguments, v1::SetRunnerServiceRequest::SERVICE_IN), session);
}
absl::StatusOr<ExitCode> QuarantineRunner(const ServiceArguments& arguments, Session& session) {
  return SetService(RequestOf(arguments, v1::SetRunnerServiceRequest::SERVICE_QUARANTINED), session);
}

absl::StatusOr<ExitCode> ForgetRunner(const std::string& name, Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, OpenDispatch(session, "runner forget"));
  v1::SetRunnerServiceRequest request;
  request.set_runner(name);
  request.set_service(v1::SetRunnerServiceRequest::SERVICE_FORGOTTEN);
  RETURN_IF_ERROR(server.Call(&v1::DispatchService::Stub::SetRunnerService, request).status());
  if (session.options.json) {
    session.output.Json({{"name", name}, {"forgotten", true}});
  } else {
    session.output.out() << "forgotten: " << Printable(name) << "\n";
  }
  return ExitCode::kDone;
}

}  // namespace

void AddRunnerVerbs(Verb& yard) {
  Verb& runner = yard.Add("runner", "Machines that run suites for the server: what they have, do and lack",
                          {"yard runner list", "yard runner health box-1", "yard runner drain box-1"});
  constexpr const char* kOne = "Only this one (default: all)";
  Verb& list =
      runner.Add("list", "List runners with their devices and runs", {"yard runner list", "yard runner list --json"});
  list.Argument("NAME", &list.Runs(ListRunners), kOne);
  Verb& devices = runner.Add("devices", "List the devices of runners", {"yard runner devices box-1"});
  devices.Argument("NAME", &devices.Runs(ListDevices), kOne);
  Verb& health = runner.Add("health", "Say what is wrong with runners; exit code 1 if anything is",
                            {"yard runner health", "yard runner health box-1 --json"});
  health.Argument("NAME", &health.Runs(ShowHealth), kOne);
  Verb& drain = runner.Add("drain", "Give a runner no new runs; returns at once, current runs continue",
                           {"yard runner drain box-1"});
  drain.Argument("NAME", &drain.Runs(DrainRunner), "The runner").Required();
  constexpr const char* kDevice = "Only this device of it ('yard runner devices' shows their ids)";
  Verb& resume = runner.Add("resume", "Give a runner runs again, and end its quarantine and that of its devices",
                            {"yard runner resume box-1", "yard runner resume box-1 --device GPU-8f3a…"});
  ServiceArguments& back = resume.Runs(ResumeRunner);
  resume.Argument("NAME", &back.name, "The runner").Required();
  resume.Value("--device", &back.device, "ID", kDevice);
  Verb& quarantine =
      runner.Add("quarantine", "Take a runner, or one of its devices, out of use because something is wrong",
                 {"yard runner quarantine box-1 --device GPU-8f3a… --why 'ECC errors, card is swapped'"});
  ServiceArguments& out = quarantine.Runs(QuarantineRunner);
  quarantine.Argument("NAME", &out.name, "The runner").Required();
  quarantine.Value("--device", &out.device, "ID", kDevice);
  quarantine.Value("--why", &out.why, "TEXT", "What is wrong, for people");
  Verb& forget = runner.Add("forget", "Forget a runner that is gone for good; jobs no longer wait for it",
                            {"yard runner forget box-1"});
  forget.Argument("NAME", &forget.Runs(ForgetRunner), "The runner; its worker has ended").Required();
}

}  // namespace yardmaster::cli
