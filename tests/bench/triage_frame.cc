// triage_frame FILE GRPC_ADDRESS: writes the TriageIssue request for the typical case to FILE, as one gRPC message (a
// byte 0, four bytes of length, the message), for a load generator that knows HTTP/2 only. First sends it with a real
// client, once, and the health check too: a load generator counts HTTP status 200, which failed calls have as well.
// Prints one JSON line about the answer.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/bench/bench_data.h"
#include "yardmaster/v1/triage.grpc.pb.h"

namespace {

// The health check, as bytes: Debian ships no generated code for it. An empty request asks for the whole server; the
// answer of one that serves is the field 1 with the value 1.
void CheckHealth(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  const grpc::Slice nothing;
  const grpc::ByteBuffer request(&nothing, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> ended;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                 [&ended](grpc::Status status) { ended.set_value(std::move(status)); });
  const grpc::Status status = ended.get_future().get();
  if (!status.ok())
    yardmaster::bench::Fail("the health check answers " + std::to_string(status.error_code()) + ": " +
                            status.error_message());
  grpc::Slice slice;
  const std::string_view serving("\x08\x01", 2);
  if (!response.DumpToSingleSlice(&slice).ok() ||
      std::string_view(reinterpret_cast<const char*>(slice.begin()), slice.size()) != serving) {
    yardmaster::bench::Fail("the health check does not answer that the server serves");
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace yardmaster;  // NOLINT: a program of one function
  if (argc != 3) {
    std::cerr << "Usage: triage_frame FILE GRPC_ADDRESS\n";
    return 2;
  }
  const rules::IssueInput issue = bench::TypicalCase();
  v1::TriageIssueRequest request;
  request.set_pack(bench::PackName());
  request.mutable_issue()->mutable_subject()->set_number(issue.number);
  request.mutable_issue()->set_title(issue.title);
  request.mutable_issue()->set_body(issue.body);

  const std::shared_ptr<grpc::Channel> channel = grpc::CreateChannel(argv[2], grpc::InsecureChannelCredentials());
  CheckHealth(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1::TriageIssueResponse response;
  const grpc::Status status = v1::TriageService::NewStub(channel)->TriageIssue(&context, request, &response);
  if (!status.ok())
    bench::Fail("TriageIssue answers " + std::to_string(status.error_code()) + ": " + status.error_message());
  if (response.plan().id().empty()) bench::Fail("TriageIssue answers without a plan");

  const std::string message = request.SerializeAsString();
  std::string frame(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) frame.push_back(static_cast<char>((message.size() >> shift) & 0xFF));
  std::ofstream file(argv[1], std::ios::binary);
  file << frame << message;
  if (!file.flush()) bench::Fail(std::string("cannot write ") + argv[1]);

  nlohmann::json about;
  about["number"] = issue.number;
  about["text_bytes"] = issue.title.size() + issue.body.size();
  about["request_bytes"] = message.size();
  about["response_bytes"] = response.ByteSizeLong();
  std::cout << about.dump() << "\n";
  return 0;
}
