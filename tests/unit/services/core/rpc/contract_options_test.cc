#include "services/core/rpc/contract_options.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include "yardmaster/v1/options.pb.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(MethodRules, EveryMethodOfEveryContractHasARole) {
  const auto rules = ReadMethodRules();
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_GE(rules->size(), 26U);
  std::string previous;
  for (const MethodRule& rule : *rules) {
    EXPECT_LT(previous, rule.full_method);
    previous = rule.full_method;
  }
}

// Widening a role must be seen in review: these are the calls that a viewer may not make.
TEST(MethodRules, WhatChangesSomethingNeedsAnOperator) {
  const auto rules = ReadMethodRules();
  ASSERT_TRUE(rules.ok()) << rules.status();
  const auto role_of = [&](const std::string& method) {
    for (const MethodRule& rule : *rules) {
      if (rule.full_method == "/yardmaster.v1." + method) return rule.role;
    }
    return Role::kAdmin;
  };
  for (const char* method :
       {"IntakeService/AbandonEffect", "IntakeService/ReplayDelivery", "IntakeService/RequeueDeadLetters",
        "IntakeService/SettleEffect", "IntakeService/Sweep", "ReviewService/SubmitForVerify",
        "RulesService/ReloadPacks", "DispatchService/CancelJob", "DispatchService/RerunJob",
        "DispatchService/SetRunnerService", "DispatchService/SubmitJob", "DispatchService/UploadSource"}) {
    EXPECT_EQ(role_of(method), Role::kOperator) << method;
  }
  for (const char* method :
       {"RunnerService/Work", "RunnerService/FinishRun", "RunnerService/AppendLog", "RunnerService/UploadArtifact",
        "RunnerService/ReadSource", "RunnerService/DeclineRun", "RunnerService/GiveBackRun"}) {
    EXPECT_EQ(role_of(method), Role::kRunner) << method;
  }
  for (const char* method : {"TriageService/TriageIssue", "IntakeService/ListEffects", "CommandsService/Interpret"}) {
    EXPECT_EQ(role_of(method), Role::kViewer) << method;
  }
}

TEST(MethodRules, AMethodWithoutARoleIsRefused) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("bare.proto");
  file.set_package("bare");
  file.add_message_type()->set_name("Nothing");
  auto& service = *file.add_service();
  service.set_name("BareService");
  auto& method = *service.add_method();
  method.set_name("DoIt");
  method.set_input_type(".bare.Nothing");
  method.set_output_type(".bare.Nothing");
  const auto read = [&file] {
    google::protobuf::DescriptorPool pool;
    const google::protobuf::FileDescriptor* built = pool.BuildFile(file);
    return ReadMethodRules({built->service(0)});
  };
  EXPECT_EQ(read().status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(read().status().message()), HasSubstr("bare.BareService.DoIt"));

  method.mutable_options()->SetExtension(v1::role, v1::ROLE_ADMIN);
  ASSERT_TRUE(read().ok()) << read().status();
  EXPECT_EQ(read()->at(0).full_method, "/bare.BareService/DoIt");
  EXPECT_EQ(read()->at(0).role, Role::kAdmin);
}

TEST(JobWords, AreTheJobsOfAllContractsAndTheirOldNames) {
  const std::map<std::string, std::string> words = ReadJobWords();
  EXPECT_THAT(words, Contains(Pair("sweep", "sweep")));
  EXPECT_THAT(words, Contains(Pair("missed-deliveries", "missed-deliveries")));
  EXPECT_THAT(words, Contains(Pair("gaps", "missed-deliveries")));
}

}  // namespace
}  // namespace yardmaster
