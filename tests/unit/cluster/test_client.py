"""What counts as an answer of the API server: its own, of the kind that was asked for, with every page of a list."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from components.cluster.client import ClusterClient, ClusterReadError, Response
from components.cluster.hook_error import PreflightError
from components.cluster.transport import Limits
from components.operators.uninstall_checks import require_no_active_train_jobs
from tests.api_server import VERSION, ApiServer

from .api_answers import QUICK, TRAIN_JOB, TRAIN_JOBS, kubeconfig, status, train_job_list

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trainjobs.trainer.kubeflow.org"
KUBE_SYSTEM = "/api/v1/namespaces/kube-system"


def access_to(server: str, limits: Limits = QUICK) -> ClusterClient:
    return ClusterClient(None, kubeconfig(server), limits)


NO_CRD = status(404, "NotFound", name="trainjobs.trainer.kubeflow.org", group="apiextensions.k8s.io")
NO_TRAIN_JOB = status(404, "NotFound", name="mnist", group="trainer.kubeflow.org", kind="trainjobs")
UNKNOWN_PATH = (404, b"404 page not found\n")
"""What an API server says of a group, version or resource that it does not serve (kube-apiserver 1.37.2, seen)."""

OBJECT = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "mnist", "namespace": "team"},
}

ODD_ANSWERS: Mapping[str, tuple[int, Any]] = {
    "100": (102, b""),
    "204": (204, b""),
    "200 empty": (200, b""),
    "200 of blanks": (200, b" \n"),
    "null": (200, None),
    "true": (200, True),
    "a number": (200, 7),
    "a string": (200, "Welcome"),
    "an empty list": (200, []),
    "a list": (200, [OBJECT]),
    "an empty object": (200, {}),
    "a portal's JSON": (200, {"login": "https://portal.example.com", "items": []}),
    "a portal's HTML": (200, b"<html><body>Log in</body></html>"),
    "truncated JSON": (200, json.dumps(train_job_list("a")).encode()[:-5]),
    "JSON and more": (200, json.dumps(train_job_list()).encode() + b"{}"),
    "NaN": (200, json.dumps(train_job_list()).encode().replace(b'"7"', b"NaN")),
    "NUL bytes": (200, b"\0" * 64),
    "NUL in a string": (200, json.dumps(train_job_list()).encode().replace(b'"7"', b'"\0"')),
    "not UTF-8": (200, b'{"kind": "\xff\xfe"}'),
    "nested deeply": (200, b"[" * 200_000),
    "a number of 5,000 digits": (200, b'{"items": ' + b"1" * 5000 + b"}"),
    "Status of success": (200, {"kind": "Status", "apiVersion": "v1", "status": "Success", "metadata": {}}),
    "Status of failure": (200, NO_TRAIN_JOB),
    "Table": (200, {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {}, "rows": [], "items": []}),
    "APIResourceList": (
        200,
        {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "trainer.kubeflow.org/v1alpha1"},
    ),
    "APIGroupList": (200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}),
    "a list of another group": (200, {**train_job_list(), "apiVersion": "v1", "kind": "List"}),
    "a list of another version": (200, {**train_job_list(), "apiVersion": "trainer.kubeflow.org/v1beta1"}),
    "a list without kind": (200, {k: v for k, v in train_job_list().items() if k != "kind"}),
    "a list without metadata": (200, {k: v for k, v in train_job_list().items() if k != "metadata"}),
    "a list without items": (200, {k: v for k, v in train_job_list().items() if k != "items"}),
    "items of null": (200, {**train_job_list(), "items": None}),
    "items as a mapping": (200, {**train_job_list(), "items": {}}),
    "items without names": (200, {**train_job_list(), "items": [{"metadata": {}}]}),
    "items of strings": (200, {**train_job_list(), "items": ["mnist"]}),
    "a kind that is no text": (200, {**train_job_list(), "kind": ["TrainJobList"]}),
    "300": (300, train_job_list()),
    "304": (304, b""),
    "400": (400, status(400, "BadRequest")),
    "401": (401, status(401, "Unauthorized")),
    "403": (403, status(403, "Forbidden")),
    "404 empty": (404, b""),
    "404 in HTML": (404, b"<html>default backend - 404</html>"),
    "404 of a default backend": (404, b"default backend - 404"),
    "404 in JSON": (404, {"error": "not found"}),
    "404 of another object": (404, status(404, "NotFound", name="another", group="trainer.kubeflow.org")),
    "404 of another group": (404, status(404, "NotFound", name="mnist", group="batch", kind="trainjobs")),
    "404 without details": (404, status(404, "NotFound")),
    "404 of an unknown path": UNKNOWN_PATH,
    "405": (405, status(405, "MethodNotAllowed")),
    "406": (406, status(406, "NotAcceptable")),
    "409": (409, status(409, "Conflict")),
    "410": (410, status(410, "Expired")),
    "429": (429, status(429, "TooManyRequests")),
    "500": (500, status(500, "InternalError")),
    "502": (502, b"Bad Gateway"),
    "503": (503, status(503, "ServiceUnavailable")),
    "504": (504, status(504, "Timeout")),
    "999": (999, b""),
}
"""Status and body of answers that say nothing of what is in the cluster."""


def test_there_are_at_least_forty_odd_answers() -> None:
    assert len(ODD_ANSWERS) >= 40


@pytest.mark.parametrize("odd", ODD_ANSWERS.values(), ids=ODD_ANSWERS)
def test_odd_response_raises(odd: tuple[int, Any]) -> None:
    with ApiServer(lambda *_: odd) as server:
        access = access_to(server.url)
        for path in (TRAIN_JOB, KUBE_SYSTEM):
            with pytest.raises(ClusterReadError):
                access.get(path)
        for path in (TRAIN_JOBS, "/api/v1/namespaces"):
            with pytest.raises(ClusterReadError):
                access.list_objects(path)
        with pytest.raises(ClusterReadError):
            access.uid()


@pytest.mark.parametrize("odd", ODD_ANSWERS.values(), ids=ODD_ANSWERS)
def test_odd_response_stops_the_removal_of_operators(odd: tuple[int, Any]) -> None:
    with ApiServer(lambda *_: odd) as server, pytest.raises(PreflightError):
        require_no_active_train_jobs({"trainer": None}, {}, access_to(server.url))


NOT_DELETED = {name for name in ODD_ANSWERS if not name.startswith(("4", "5")) or name.startswith("404")}
NOT_DELETED -= {"Status of success"}


@pytest.mark.parametrize("odd", [ODD_ANSWERS[name] for name in sorted(NOT_DELETED)], ids=sorted(NOT_DELETED))
def test_odd_response_to_a_deletion_raises(odd: tuple[int, Any]) -> None:
    with ApiServer(lambda *_: odd) as server, pytest.raises(ClusterReadError):
        access_to(server.url).delete(TRAIN_JOB, uid="u", resource_version="7")


@pytest.mark.parametrize("code", [400, 401, 403, 409, 410, 429, 500, 502, 503, 504])
def test_rejected_deletion_is_returned_and_not_retried(code: int) -> None:
    with ApiServer(lambda *_: (code, status(code, "Because"))) as server:
        answer = access_to(server.url).delete(TRAIN_JOB, uid="u", resource_version="7")
    assert (answer.ok, answer.status, answer.message) == (False, code, "Because")
    assert len(server.asked) == 1


@pytest.mark.parametrize("code", [200, 202])
@pytest.mark.parametrize("body", [ODD_ANSWERS["Status of success"][1], OBJECT], ids=["Status", "object"])
def test_a_deletion_carries_uid_and_version(code: int, body: Any) -> None:
    with ApiServer(lambda *_: (code, body)) as server:
        assert access_to(server.url).delete(TRAIN_JOB, uid="u", resource_version="7").ok
    assert server.asked == [("DELETE", TRAIN_JOB)]
    assert json.loads(server.bodies[0]) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
    }


def test_deletion_of_a_missing_object_is_a_404_of_the_api_server() -> None:
    with ApiServer(lambda *_: (404, NO_TRAIN_JOB)) as server:
        assert access_to(server.url).delete(TRAIN_JOB, uid="u", resource_version="7").status == 404


@pytest.mark.parametrize(("code", "ok"), [(199, False), (200, True), (201, True), (299, True), (400, False)])
def test_status_from_200_to_299_is_success(code: int, ok: bool) -> None:
    assert Response(code, {}).ok is ok
    with ApiServer(lambda *_: (code, OBJECT)) as server:
        if code < 200:
            with pytest.raises(ClusterReadError):
                access_to(server.url).request("GET", TRAIN_JOB)
        else:
            assert access_to(server.url).request("GET", TRAIN_JOB).ok is ok


def test_an_object_is_what_the_api_server_says() -> None:
    with ApiServer(lambda *_: (200, OBJECT)) as server:
        assert access_to(server.url).get(TRAIN_JOB) == OBJECT


@pytest.mark.parametrize(
    "odd",
    [
        {**OBJECT, "metadata": {"name": "another"}},
        {**OBJECT, "metadata": None},
        {**OBJECT, "apiVersion": "trainer.kubeflow.org/v1beta1"},
        {**OBJECT, "kind": "Status"},
        train_job_list("mnist"),
    ],
    ids=["name", "metadata", "version", "Status", "list"],
)
def test_object_of_another_name_raises(odd: Any) -> None:
    with ApiServer(lambda *_: (200, odd)) as server, pytest.raises(ClusterReadError):
        access_to(server.url).get(TRAIN_JOB)


def test_missing_object_is_none() -> None:
    with ApiServer(lambda *_: (404, NO_TRAIN_JOB)) as server:
        assert access_to(server.url).get(TRAIN_JOB) is None
    assert server.asked == [("GET", TRAIN_JOB)]


def answers(**paths: tuple[int, Any]) -> Callable[[str, str], tuple[int, Any]]:
    """404 for everything but these: `crd` and `jobs`."""

    def reply(_: str, path: str) -> tuple[int, Any]:
        return paths["crd"] if path == CRD else paths.get("jobs", UNKNOWN_PATH)

    return reply


def test_without_their_crd_there_are_no_objects() -> None:
    with ApiServer(answers(crd=(404, NO_CRD))) as server:
        access = access_to(server.url)
        assert access.list_objects(TRAIN_JOBS) == []
        assert access.get(TRAIN_JOB) is None
        assert access.delete(TRAIN_JOB, uid="u", resource_version="7").status == 404
        require_no_active_train_jobs({"trainer": None}, {}, access)


def crd(*versions: tuple[str, bool]) -> dict[str, Any]:
    served = [{"name": name, "served": is_served} for name, is_served in versions]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "trainjobs.trainer.kubeflow.org"},
        "spec": {"versions": served},
    }


@pytest.mark.parametrize(
    ("versions", "served"),
    [
        ((("v1alpha1", False), ("v1beta1", True)), "v1beta1"),
        ((("v1beta1", True), ("v1", True)), "v1beta1, v1"),
        ((("v1alpha1", True),), "v1alpha1"),
        ((), "no version"),
    ],
)
def test_crd_that_serves_other_versions_raises(versions: tuple[tuple[str, bool], ...], served: str) -> None:
    with ApiServer(answers(crd=(200, crd(*versions)))) as server:
        for ask in (ClusterClient.list_objects, ClusterClient.get):
            path = TRAIN_JOBS if ask is ClusterClient.list_objects else TRAIN_JOB
            with pytest.raises(ClusterReadError) as unknown:
                ask(access_to(server.url), path)
            assert str(unknown.value) == (
                f"{path} cannot be read: the API server answers 404, although CRD "
                f"`trainjobs.trainer.kubeflow.org` exists and serves {served}"
            )


@pytest.mark.parametrize("odd", ODD_ANSWERS.values(), ids=ODD_ANSWERS)
def test_unknown_crd_raises(odd: tuple[int, Any]) -> None:
    with ApiServer(answers(crd=odd)) as server, pytest.raises(ClusterReadError):
        access_to(server.url).list_objects(TRAIN_JOBS)


def test_a_kind_of_kubernetes_itself_is_always_there() -> None:
    with ApiServer(lambda *_: UNKNOWN_PATH) as server:
        for path in ("/apis/apps/v1/namespaces/a/deployments", "/apis/rbac.authorization.k8s.io/v1/clusterroles"):
            with pytest.raises(ClusterReadError, match="HTTP status 404"):
                access_to(server.url).list_objects(path)
    assert len(server.asked) == 2


def pages(*replies: tuple[int, Any]) -> Callable[[str, str], tuple[int, Any]]:
    left = iter(replies)
    return lambda *_: next(left)


def test_every_page_of_a_list_is_read() -> None:
    first, second = (200, train_job_list("a", "b", more="x y")), (200, train_job_list("c"))
    with ApiServer(pages(first, second)) as server:
        found = access_to(server.url).list_objects(TRAIN_JOBS)
    assert [each["metadata"]["name"] for each in found] == ["a", "b", "c"]
    assert [path for _, path in server.asked] == [
        f"{TRAIN_JOBS}?limit=500",
        f"{TRAIN_JOBS}?limit=500&continue=x+y",
    ]


def test_a_list_whose_pages_expire_is_read_again_from_the_beginning_once() -> None:
    expired = (410, status(410, "Expired"))
    first = (200, train_job_list("a", more="x"))
    with ApiServer(pages(first, expired, first, (200, train_job_list("b")))) as server:
        assert [each["metadata"]["name"] for each in access_to(server.url).list_objects(TRAIN_JOBS)] == ["a", "b"]
    with ApiServer(pages(first, expired, first, expired)) as server, pytest.raises(ClusterReadError, match="expired"):
        access_to(server.url).list_objects(TRAIN_JOBS)


@pytest.mark.parametrize("odd", ODD_ANSWERS.values(), ids=ODD_ANSWERS)
def test_list_with_an_odd_second_page_raises(odd: tuple[int, Any]) -> None:
    def reply(_: str, path: str) -> tuple[int, Any]:
        return odd if "continue=" in path else (200, train_job_list("a", more="x"))

    with ApiServer(reply) as server, pytest.raises(ClusterReadError):
        access_to(server.url).list_objects(TRAIN_JOBS)


@pytest.mark.parametrize("token", ["x", ["x"], 7, {"a": 1}])
def test_endless_pages_raise(token: Any) -> None:
    endless = train_job_list("a")
    endless["metadata"]["continue"] = token
    with ApiServer(lambda *_: (200, endless)) as server, pytest.raises(ClusterReadError, match="its pages do not end"):
        access_to(server.url).list_objects(TRAIN_JOBS)


def test_cluster_id_is_the_uid_of_kube_system_and_read_once() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": "1-2-3"}}
    with ApiServer(lambda *_: (200, namespace)) as server:
        access = access_to(server.url)
        assert [access.uid(), access.uid()] == ["1-2-3", "1-2-3"]
    assert server.asked == [("GET", KUBE_SYSTEM)]


@pytest.mark.parametrize("metadata", [{}, {"uid": ""}, {"uid": None}, {"uid": 7}])
def test_namespace_without_uid_raises(metadata: dict[str, Any]) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", **metadata}}
    with ApiServer(lambda *_: (200, namespace)) as server, pytest.raises(ClusterReadError, match="no readable uid"):
        access_to(server.url).uid()


@pytest.mark.parametrize("code", [429, 503])
def test_reads_are_retried_while_the_api_server_is_busy(code: int) -> None:
    busy = (code, status(code, "Busy"))
    with ApiServer(pages(busy, busy, (200, OBJECT))) as server:
        assert access_to(server.url).get(TRAIN_JOB) == OBJECT
    with ApiServer(lambda *_: busy) as server, pytest.raises(ClusterReadError, match="Busy"):
        access_to(server.url).get(TRAIN_JOB)
    assert len(server.asked) == 3


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_writes_are_sent_once(method: str) -> None:
    with ApiServer(lambda *_: (503, status(503, "Busy"))) as server:
        assert access_to(server.url).request(method, TRAIN_JOB, {}).message == "Busy"
    assert len(server.asked) == 1


def test_dry_run_sets_its_parameter_and_field_manager() -> None:
    with ApiServer(lambda *_: (201, OBJECT)) as server:
        access_to(server.url).request("POST", "/apis/trainer.kubeflow.org/v1alpha1/namespaces/team/trainjobs", {}, True)
    assert server.asked[0][1].endswith("/trainjobs?fieldManager=training-platform&dryRun=All")


@pytest.mark.parametrize(("method", "kind"), [("POST", "application/json"), ("PATCH", "application/merge-patch+json")])
def test_a_body_is_json_and_a_patch_is_merged(method: str, kind: str) -> None:
    with ApiServer(lambda *_: (200, OBJECT)) as server:
        access_to(server.url).request(method, TRAIN_JOB, {"spec": {"é": 1}})
    assert server.headers[0]["Content-Type"] == kind
    assert json.loads(server.bodies[0]) == {"spec": {"é": 1}}


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(code: int) -> None:
    with ApiServer(lambda *_: (200, train_job_list())) as elsewhere:

        def reply(*_: str) -> tuple[int, Any, dict[str, str]]:
            return code, b"", {"Location": elsewhere.url + TRAIN_JOBS}

        with ApiServer(reply) as server, pytest.raises(ClusterReadError, match=f"HTTP status {code} is not an answer"):
            access_to(server.url).list_objects(TRAIN_JOBS)
    assert elsewhere.asked == []


def test_the_version_has_no_kind() -> None:
    with ApiServer() as server:
        assert access_to(server.url).get("/version") == VERSION
    with ApiServer(lambda *_: (200, {"items": []})) as server, pytest.raises(ClusterReadError):
        access_to(server.url).get("/version")


def test_a_long_message_is_cut() -> None:
    with ApiServer(lambda *_: (403, {**status(403, "Forbidden"), "message": "x" * 5000})) as server:
        assert access_to(server.url).request("GET", TRAIN_JOB).message == "x" * 1000 + "... (4000 more characters)"


def test_words_of_webhooks_and_proxies_are_printable() -> None:
    forged = "\x1b[2Jdenied\n::error::forged"
    shown = r"\x1b[2Jdenied\n::error::forged"
    with ApiServer(lambda *_: (403, {**status(403, "Forbidden"), "message": forged})) as server:
        assert access_to(server.url).request("GET", TRAIN_JOB).message == shown
        with pytest.raises(ClusterReadError) as refused:
            access_to(server.url).get(TRAIN_JOB)
    assert str(refused.value) == f"{TRAIN_JOB} cannot be read: {shown}"
    odd = {**OBJECT, "apiVersion": forged}
    with ApiServer(lambda *_: (200, odd)) as server, pytest.raises(ClusterReadError) as refused:
        access_to(server.url).get(TRAIN_JOB)
    assert str(refused.value).endswith(f"an object of an unexpected kind, TrainJob of {shown}")


def test_all_calls_go_over_one_connection() -> None:
    with ApiServer() as server:
        access = access_to(server.url)
        assert [access.get("/version") for _ in range(3)] == [VERSION] * 3
    assert server.connections == 1


def test_path_of_the_server_url_is_kept() -> None:
    with ApiServer() as server:
        access_to(f"{server.url}/k8s/clusters/c-1/").get("/version")
    assert server.asked == [("GET", "/k8s/clusters/c-1/version")]


def test_without_a_context_a_kubeconfig_must_be_given() -> None:
    with pytest.raises(ValueError, match="Set `context`"):
        ClusterClient()
    with pytest.raises(ValueError, match="Set `context`"):
        ClusterClient(None, "")


def test_kubeconfig_is_read_at_the_first_request() -> None:
    ClusterClient("nowhere", "/does/not/exist")


def test_unknown_kubeconfig_raises() -> None:
    with pytest.raises(ClusterReadError) as unknown:
        ClusterClient(None, "{}").request("GET", "/version")
    assert str(unknown.value) == (
        "the kubeconfig does not lead to a cluster: the given kubeconfig has no `current-context`, or it does "
        "not exist. Set a context. Known contexts: none"
    )


@pytest.mark.parametrize(
    ("context", "kubeconfig", "arguments"),
    [
        ("a", None, {"kubeconfig": "", "context": "a"}),
        ("a", "config", {"kubeconfig": "config", "context": "a"}),
        (None, "{}", {"kubeconfig": "{}", "context": None}),
    ],
)
def test_pulumis_provider_gets_the_same_kubeconfig(
    context: str | None, kubeconfig: str | None, arguments: dict[str, Any]
) -> None:
    assert ClusterClient(context, kubeconfig).provider_arguments == arguments


APPS = {"groupVersion": "apps/v1", "version": "v1"}
DEPLOYMENTS = {"kind": "Deployment", "name": "deployments", "namespaced": True, "verbs": ["list"]}


def of_version(*resources: Any) -> dict[str, Any]:
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "apps/v1", "resources": [*resources]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/apis", {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"name": "apps"}]}),
        ("/apis", {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"preferredVersion": APPS, "versions": 7}]}),
        (
            "/apis",
            {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"preferredVersion": {}, "versions": [APPS]}]},
        ),
        ("/apis/apps/v1", of_version({})),
        ("/apis/apps/v1", of_version("deployments")),
        ("/apis/apps/v1", of_version({**DEPLOYMENTS, "namespaced": "yes"})),
        ("/apis/apps/v1", of_version({**DEPLOYMENTS, "verbs": 7})),
    ],
)
def test_odd_discovery_response_raises(path: str, body: Any) -> None:
    with ApiServer(lambda *_: (200, body)) as server, pytest.raises(ClusterReadError):
        access_to(server.url).discovery(path)


def test_discovery_response_is_returned() -> None:
    groups = {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"preferredVersion": APPS, "versions": [APPS]}]}
    status = {"kind": "Deployment", "name": "deployments/status", "namespaced": True}
    for path, body in (("/apis", groups), ("/apis/apps/v1", of_version(DEPLOYMENTS, status))):
        with ApiServer(lambda *_, body=body: (200, body)) as server:
            assert access_to(server.url).discovery(path) == body


LOG = "/api/v1/namespaces/default/pods/a/log"


def test_log_is_text() -> None:
    with ApiServer(lambda *_: (200, b'{"not": "parsed"}\n\xff')) as server:
        log = access_to(server.url).read_log(LOG, {"container": "node", "tailLines": "9"})
    assert log == '{"not": "parsed"}\n\ufffd'
    assert server.asked == [("GET", f"{LOG}?container=node&tailLines=9")]


@pytest.mark.parametrize("status", [400, 404, 500])
def test_container_without_a_log_has_none(status: int) -> None:
    with ApiServer(lambda *_: (status, {"kind": "Status"})) as server:
        assert access_to(server.url).read_log(LOG, {}) is None


def test_selectors_are_sent_with_every_page() -> None:
    pod_list = {"kind": "PodList", "apiVersion": "v1", "items": []}
    first, second = {**pod_list, "metadata": {"continue": "more"}}, {**pod_list, "metadata": {}}
    with ApiServer(pages((200, first), (200, second))) as server:
        assert access_to(server.url).list_objects("/api/v1/pods", {"labelSelector": "a=b"}) == []
    assert ["labelSelector=a%3Db" in path for _, path in server.asked] == [True, True]
