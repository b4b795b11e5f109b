// The test's own calls, below /_fake/. JSON in, JSON out; a wrong call is a 400 with {"error"}.
//
//   POST issues      {forge, repository, title, body?, user?, labels?, number?, pull?, quiet?} → {number}; for pull
//                    requests also files?, draft?, base_ref?, base_sha?, head_ref?, head_sha?, head_repository?
//                    ("-": it is gone)
//   POST pulls       the same for a pull request → {number, head_sha, base_sha}. With real repositories (--git-root)
//                    head_ref, base_ref and head_repository name branches there: commits and files are read from them,
//                    with follow: true again at every look
//   POST comments    {forge, repository, number, pull?, user?, body, quiet?} → {id}
//   POST labels      {forge, repository, number, pull?, user?, add?, remove?}, or {forge, repository, declare: […]}:
//                    a repository with declared labels accepts no others
//   POST edit        {forge, repository, number, pull?, user?, title?, body?, state?: "open"|"closed",
//                    draft?, merged?, queued?: into GitHub's merge queue, or out of it}
//                    or {forge, repository, number, pull?, user?, comment: id, body}: a comment; with delete: true
//                    instead of a body it is deleted
//   POST push        {forge, repository, number, pull?, user?, files?, head_sha?, base_sha?, age_seconds?}: new commits
//   on
//                    a pull request's branch; with real repositories {head_ref?}: what its branches name now
//   POST check       {forge: "github", repository, check?: id, head?, name?, identifier?, suite?, user?}: somebody asks
//                    for a check again; without an id the newest one of that head and name; with "identifier" by a
//                    button of the check, with "suite" by its suite
//   POST run         {forge: "gitcode", repository, run: {workflow_run_id, pull_request_id, …}}: a run of Actions, as
//   the
//                    forge answers it
//   POST check_run   {forge: "github", repository, head, name, status?, conclusion?}: a check run of somebody else
//   POST check_suites {forge: "github", repository, suites: [{id, app, status, conclusion, …}]}: of every commit, as
//   they
//                    are answered
//   POST builds      {job, number, result?, building?, description?, timestamp?, duration?, console?}: a build of the
//                    Jenkins below /jenkins
//   POST jenkins     {fail: N, status}: its next N answers are that status
//   POST repository  {forge, repository, default_branch?, contents?: {path: text}, permissions?: {login: word},
//                    comments_editable?, contents_readable?, private?, hooks?, pushed_by?, required_checks?: names that
//                    GitHub's rules require}: "path@ref" is the text at one branch or commit only; with "pushed_by" the
//                    contents come as a push; "hooks" are answered as they are
//   POST account     {forge, scopes?: "repo, …", clock_ahead?: seconds}: of the token and of the forge's clock
//   POST teams       {forge, organisation, team, members?: [login], invited?, remove?}
//   POST faults      {"seed"?: N, "late": 5, …} in percent, names of faults.h; "all" sets every one; "slow_ms": each
//                    answer comes so much later
//   POST limits      {forge, requests_per_minute?, writes_per_minute?}
//   POST redeliver   {"forge"?}: another attempt for every delivery that never got a 2xx → {redelivered}
//   GET  calls, unexpected, deliveries, state, pending
#ifndef YARDMASTER_TESTS_SUPPORT_FAKEFORGE_ADMIN_H_
#define YARDMASTER_TESTS_SUPPORT_FAKEFORGE_ADMIN_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/fakeforge/message.h"
#include "tests/support/fakeforge/model.h"

namespace yardmaster::fakeforge {

class State;

// `parts`: of the path, "_fake" first.
Answer HandleAdmin(State& state, const Request& request, const std::vector<std::string>& parts, Time now);

// Opens an issue as POST issues does. False and `error` if it can't.
bool OpenFromJson(State& state, const nlohmann::json& issue, Time now, nlohmann::json& answer, std::string& error);

}  // namespace yardmaster::fakeforge

#endif  // YARDMASTER_TESTS_SUPPORT_FAKEFORGE_ADMIN_H_
