#include "services/intake/service/intake_service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "services/core/executor.h"
#include "services/core/rpc/contract_options.h"
#include "tests/support/rpc_server.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kRepository;
using testing::World;

// The service behind a real server inside of this process, over the store of a world.
class IntakeServiceTest : public ::testing::Test {
 protected:
  IntakeServiceTest()
      : auth_(*ReadMethodRules(), {{"ops", Role::kOperator, Secret("operators-token")}},
              /*allow_anonymous_loopback=*/true),
        pool_(2, 100),
        service_(RpcEnvironment{auth_, metrics_, world_.clock_, world_.logger_}, pool_, Parts()),
        server_(std::make_unique<testing::RpcServer>(service_)),
        stub_(v1::IntakeService::NewStub(server_->Connect())) {}
  ~IntakeServiceTest() override {
    server_.reset();
    pool_.Stop();
  }

  IntakeParts Parts() {
    IntakeParts parts;
    parts.store = world_.store_.get();
    parts.config = &world_.config_;
    parts.on_requeue = [this](int64_t delivery) { requeued_.push_back(delivery); };
    parts.settle = [this](const v1::Subject& subject) { settled_.push_back(subject.number()); };
    return parts;
  }
  void AsOperator(grpc::ClientContext& context) { context.AddMetadata("authorization", "Bearer operators-token"); }

  v1::ListDeliveriesResponse List(const v1::ListDeliveriesRequest& request) {
    grpc::ClientContext context;
    v1::ListDeliveriesResponse response;
    const grpc::Status status = stub_->ListDeliveries(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  v1::ListDeadLettersResponse DeadLetters(const v1::ListDeadLettersRequest& request) {
    grpc::ClientContext context;
    v1::ListDeadLettersResponse response;
    const grpc::Status status = stub_->ListDeadLetters(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  // A delivery that ended as `state`.
  int64_t Ended(const std::string& id, store::DeliveryState state) {
    world_.forge_.Open(kRepository, 1, "socket", "The socket broke.", {"queue"});
    const int64_t row = world_.Deliver("issues", world_.Body("opened", 1), id);
    EXPECT_TRUE(world_.store_->inbox().Settle({row, state, "because", {}, {}}).ok());
    return row;
  }

  World world_;
  Authenticator auth_;
  Metrics metrics_;
  ThreadPool pool_;
  std::vector<int64_t> requeued_;
  std::vector<int64_t> settled_;
  IntakeServiceImpl service_;
  std::unique_ptr<testing::RpcServer> server_;
  std::unique_ptr<v1::IntakeService::Stub> stub_;
};

TEST_F(IntakeServiceTest, WhatThePipeDidIsToldByAllItsCalls) {
  world_.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  const int64_t row = world_.Opened(1);
  world_.Run();

  const v1::ListDeliveriesResponse list = List({});
  ASSERT_EQ(list.deliveries_size(), 1);
  EXPECT_EQ(list.deliveries(0).id(), row);
  EXPECT_EQ(list.deliveries(0).state(), v1::DELIVERY_STATE_DONE);
  EXPECT_EQ(list.deliveries(0).action(), "opened");
  EXPECT_EQ(list.deliveries(0).subject().number(), 1);
  EXPECT_EQ(list.next(), 0);

  v1::ShowDeliveryRequest show;
  show.mutable_delivery()->set_delivery_id(list.deliveries(0).delivery_id());
  v1::ShowDeliveryResponse shown;
  grpc::ClientContext show_context;
  ASSERT_TRUE(stub_->ShowDelivery(&show_context, show, &shown).ok());
  EXPECT_EQ(shown.effects_size(), 2);
  EXPECT_EQ(shown.effects(0).kind(), "post_template") << "the comment came first";
  EXPECT_THAT(shown.body(), HasSubstr("\"opened\""));

  v1::ListDecisionsResponse decisions;
  grpc::ClientContext decisions_context;
  ASSERT_TRUE(stub_->ListDecisions(&decisions_context, {}, &decisions).ok());
  ASSERT_EQ(decisions.decisions_size(), 1);
  EXPECT_EQ(decisions.decisions(0).id(), shown.effects(0).decision());
  EXPECT_FALSE(decisions.decisions(0).has_explanation());

  v1::ListEffectsRequest by_subject;
  *by_subject.mutable_subject() = list.deliveries(0).subject();
  by_subject.set_state(v1::EFFECT_STATE_CONFIRMED);
  v1::ListEffectsResponse effects;
  grpc::ClientContext effects_context;
  ASSERT_TRUE(stub_->ListEffects(&effects_context, by_subject, &effects).ok());
  ASSERT_EQ(effects.effects_size(), 2);
  v1::ShowEffectRequest by_key;
  by_key.set_key(effects.effects(0).key());
  v1::ShowEffectResponse effect;
  grpc::ClientContext effect_context;
  ASSERT_TRUE(stub_->ShowEffect(&effect_context, by_key, &effect).ok());
  EXPECT_EQ(effect.effect().id(), effects.effects(0).id());

  v1::GetPendingResponse pending;
  grpc::ClientContext pending_context;
  ASSERT_TRUE(stub_->GetPending(&pending_context, {}, &pending).ok());
  EXPECT_EQ(pending.deliveries(), 0);
  EXPECT_EQ(pending.effects(), 0);
}

TEST_F(IntakeServiceTest, FiltersAndPages) {
  for (int i = 0; i < 5; ++i) Ended("d-" + std::to_string(i), store::DeliveryState::kDone);
  Ended("other", store::DeliveryState::kIgnored);
  v1::ListDeliveriesRequest request;
  request.set_state(v1::DELIVERY_STATE_DONE);
  request.mutable_page()->set_limit(2);
  std::vector<std::string> ids;
  do {
    const v1::ListDeliveriesResponse page = List(request);
    EXPECT_LE(page.deliveries_size(), 2);
    for (const v1::Delivery& delivery : page.deliveries()) ids.push_back(delivery.delivery_id());
    request.mutable_page()->set_before(page.next());
  } while (request.page().before() != 0);
  EXPECT_THAT(ids, ElementsAre("d-4", "d-3", "d-2", "d-1", "d-0"));
}

TEST_F(IntakeServiceTest, DeadLettersAreListedFailedFirstAcrossPages) {
  Ended("dead-1", store::DeliveryState::kDead);
  Ended("failed-1", store::DeliveryState::kFailed);
  Ended("done", store::DeliveryState::kDone);
  Ended("dead-2", store::DeliveryState::kDead);
  Ended("failed-2", store::DeliveryState::kFailed);
  for (const int limit : {1, 2, 3, 50}) {
    v1::ListDeadLettersRequest request;
    request.mutable_page()->set_limit(limit);
    std::vector<std::string> ids;
    do {
      const v1::ListDeadLettersResponse page = DeadLetters(request);
      for (const v1::Delivery& delivery : page.deliveries()) ids.push_back(delivery.delivery_id());
      request.mutable_page()->set_before(page.next());
    } while (request.page().before() != 0);
    EXPECT_THAT(ids, ElementsAre("failed-2", "failed-1", "dead-2", "dead-1")) << limit;
  }
  v1::ListDeadLettersRequest dead;
  dead.set_state(v1::DELIVERY_STATE_DEAD);
  EXPECT_EQ(DeadLetters(dead).deliveries_size(), 2);
}

TEST_F(IntakeServiceTest, RequeueTakesAllThatFailedAndDeadOnesByNameOnly) {
  const int64_t dead = Ended("dead", store::DeliveryState::kDead);
  const int64_t failed = Ended("failed", store::DeliveryState::kFailed);
  const int64_t done = Ended("done", store::DeliveryState::kDone);
  v1::RequeueDeadLettersRequest request;
  request.set_all(true);
  v1::RequeueDeadLettersResponse response;
  grpc::ClientContext anonymous;
  EXPECT_EQ(stub_->RequeueDeadLetters(&anonymous, request, &response).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  grpc::ClientContext all;
  AsOperator(all);
  ASSERT_TRUE(stub_->RequeueDeadLetters(&all, request, &response).ok());
  EXPECT_THAT(response.requeued(), ElementsAre(failed));
  EXPECT_EQ(world_.StateOf(dead), "dead (because)");

  v1::RequeueDeadLettersRequest named;
  named.add_ids(dead);
  named.add_ids(done);
  named.add_ids(4'711);
  grpc::ClientContext some;
  AsOperator(some);
  ASSERT_TRUE(stub_->RequeueDeadLetters(&some, named, &response).ok());
  EXPECT_THAT(response.requeued(), ElementsAre(dead));
  ASSERT_EQ(response.refused_size(), 2);
  EXPECT_THAT(requeued_, ElementsAre(failed, dead)) << "their deaths are forgiven";

  grpc::ClientContext nothing;
  AsOperator(nothing);
  EXPECT_EQ(stub_->RequeueDeadLetters(&nothing, {}, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(IntakeServiceTest, ReplayWorksOnAFinishedDeliveryAgainAndWritesNothingTwice) {
  world_.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  const int64_t row = world_.Opened(1);
  world_.Run();
  const int writes = world_.forge_.writes;
  v1::ReplayDeliveryRequest request;
  request.mutable_delivery()->set_id(row);
  v1::ReplayDeliveryResponse response;
  grpc::ClientContext context;
  AsOperator(context);
  ASSERT_TRUE(stub_->ReplayDelivery(&context, request, &response).ok());
  EXPECT_EQ(response.delivery().state(), v1::DELIVERY_STATE_RECEIVED);
  grpc::ClientContext again;
  AsOperator(again);
  EXPECT_EQ(stub_->ReplayDelivery(&again, request, &response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  world_.Run();
  EXPECT_EQ(world_.forge_.writes, writes);
  world_.ExpectSettled();
}

TEST_F(IntakeServiceTest, AnOpenEffectIsSettledOrAbandonedByHand) {
  store::NewEffect effect;
  effect.key = "k";
  effect.subject.set_forge("github");
  effect.subject.set_repository(kRepository);
  effect.subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  effect.subject.set_number(1);
  effect.kind = "add_labels";
  effect.action.mutable_add_labels()->add_labels("bug");
  const int64_t id = world_.store_->ledger().Intent(effect)->id;

  v1::SettleEffectRequest settle;
  settle.mutable_effect()->set_key("k");
  v1::SettleEffectResponse asked;
  grpc::ClientContext anybody;
  EXPECT_EQ(stub_->SettleEffect(&anybody, settle, &asked).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  grpc::ClientContext operators;
  AsOperator(operators);
  ASSERT_TRUE(stub_->SettleEffect(&operators, settle, &asked).ok());
  EXPECT_EQ(asked.effect().state(), v1::EFFECT_STATE_INTENT);
  EXPECT_THAT(settled_, ElementsAre(1));

  v1::AbandonEffectRequest abandon;
  abandon.mutable_effect()->set_id(id);
  abandon.set_reason("the repository is gone");
  v1::AbandonEffectResponse given_up;
  grpc::ClientContext once;
  AsOperator(once);
  ASSERT_TRUE(stub_->AbandonEffect(&once, abandon, &given_up).ok());
  EXPECT_EQ(given_up.effect().state(), v1::EFFECT_STATE_FAILED);
  EXPECT_EQ(given_up.effect().reason(), "abandoned by an operator: the repository is gone");
  EXPECT_EQ(*world_.store_->ledger().CountPending(), 0);

  grpc::ClientContext twice;
  AsOperator(twice);
  EXPECT_EQ(stub_->AbandonEffect(&twice, abandon, &given_up).error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  grpc::ClientContext late;
  AsOperator(late);
  ASSERT_TRUE(stub_->SettleEffect(&late, settle, &asked).ok());
  EXPECT_EQ(asked.effect().state(), v1::EFFECT_STATE_FAILED);
  EXPECT_THAT(settled_, ElementsAre(1));
}

TEST_F(IntakeServiceTest, UnknownThingsAreNotFound) {
  v1::ShowDeliveryRequest delivery;
  delivery.mutable_delivery()->set_id(99);
  v1::ShowDeliveryResponse shown;
  grpc::ClientContext one;
  EXPECT_EQ(stub_->ShowDelivery(&one, delivery, &shown).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::ShowEffectRequest effect;
  effect.set_key("nothing");
  v1::ShowEffectResponse found;
  grpc::ClientContext two;
  EXPECT_EQ(stub_->ShowEffect(&two, effect, &found).error_code(), grpc::StatusCode::NOT_FOUND);
  v1::FindSimilarRequest similar;
  similar.mutable_subject()->set_forge("github");
  similar.mutable_subject()->set_repository(kRepository);
  similar.mutable_subject()->set_number(5);
  v1::FindSimilarResponse alike;
  grpc::ClientContext three;
  EXPECT_EQ(stub_->FindSimilar(&three, similar, &alike).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(IntakeServiceTest, SimilarSubjectsAreFoundByTextAndNamedInExplanations) {
  world_.forge_.Open(kRepository, 1, "socket broken after a reconnect", "The socket breaks at the reconnect.",
                     {"queue"});
  world_.forge_.Open(kRepository, 2, "disk quota", "The disk has a quota.", {"queue"});
  world_.forge_.Open(kRepository, 3, "reconnect breaks the socket", "After a reconnect the socket is gone.", {"queue"});
  for (int64_t number = 1; number <= 3; ++number) {
    world_.Opened(number);
    world_.Run();
  }
  v1::FindSimilarRequest request;
  request.set_title("reconnect socket");
  v1::FindSimilarResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->FindSimilar(&context, request, &response).ok());
  ASSERT_GE(response.similar_size(), 2);
  EXPECT_NE(response.similar(0).subject().number(), 2);

  v1::Subject third;
  third.set_forge("github");
  third.set_repository(kRepository);
  third.set_kind(v1::SUBJECT_KIND_ISSUE);
  third.set_number(3);
  const auto decision = world_.store_->decisions().Latest(third);
  ASSERT_TRUE(decision.ok() && decision->has_value());
  v1::Plan plan;
  ASSERT_TRUE(plan.ParseFromString((*decision)->plan));
  ASSERT_FALSE(plan.explanation().similar().empty());
  EXPECT_EQ(plan.explanation().similar(0).subject().number(), 1);
}

TEST(IntakeServiceWithoutAStore, SaysSo) {
  const Authenticator auth(*ReadMethodRules(), {}, true);
  Metrics metrics;
  testing::FakeClock clock;
  Logger logger(World::QuietLog());
  ThreadPool pool(1, 10);
  IntakeServiceImpl service(RpcEnvironment{auth, metrics, clock, logger}, pool, {});
  const testing::RpcServer server(service);
  const auto stub = v1::IntakeService::NewStub(server.Connect());
  grpc::ClientContext context;
  v1::GetPendingResponse response;
  const grpc::Status status = stub->GetPending(&context, {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("data directory"));
}

}  // namespace
}  // namespace yardmaster
