"""A download ends with the very bytes of the hub, whatever happens on the way, or with a sentence that says why not."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import hf_hub_download

from engine.models import download as module
from engine.models.catalogue import cached_repository
from engine.models.download import Download, DownloadProgress, DownloadStopped
from engine.models.hub import DownloadError, Reason
from engine.models.hub_cache import CachedRepository
from tests.models.hub_server import COMMIT, Faults, HubServer

REPO = "some/model"
WEIGHTS = random.Random(1).randbytes(700_000)
FILES = {
    "config.json": b'{"model_type": "whisper"}',
    "generation_config.json": b"{}",
    "model.safetensors": WEIGHTS,
    "pytorch_model.bin": b"can run code",
    "README.md": b"# Some model",
}


@pytest.fixture(autouse=True)
def cache(empty_library: Path) -> Path:
    return empty_library


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer({REPO: dict(FILES)}) as server:
        yield server


def download(hub: HubServer, **options: object) -> Download:
    """Make a download that waits for nothing."""
    return Download(REPO, hub.url, **{"patience_seconds": (0.0,) * 3, "silent_seconds": 0.3, **options})  # type: ignore[arg-type]


def assert_whole(folder: Path) -> None:
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert (folder / "config.json").read_bytes() == FILES["config.json"]
    assert CachedRepository(REPO).plan() is None


def refused(hub: HubServer, **options: object) -> DownloadError:
    with pytest.raises(DownloadError) as error:
        download(hub, **options).run()
    assert cached_repository(REPO) is None
    return error.value


def run_until_stopped(download: Download) -> None:
    with pytest.raises(DownloadStopped):
        download.run()


def test_a_model_is_fetched_to_where_hugging_faces_programs_find_it(hub: HubServer) -> None:
    seen: list[DownloadProgress] = []
    folder = download(hub, report=seen.append).run()
    assert_whole(folder)
    assert cached_repository(REPO) == folder
    found = hf_hub_download(REPO, "model.safetensors", local_files_only=True)
    assert Path(found).read_bytes() == WEIGHTS
    assert seen[0].phase == "asking"


def test_nothing_that_can_run_code_is_asked_for(hub: HubServer) -> None:
    folder = download(hub).run()
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "generation_config.json",
        "model.safetensors",
    ]
    assert not hub.fetched("pytorch_model.bin")


def test_of_weights_in_several_versions_one_is_fetched(hub: HubServer) -> None:
    hub.repos[REPO] |= {"model.fp32-00001-of-00002.safetensors": WEIGHTS, "model.fp32-00002-of-00002.safetensors": b"2"}
    folder = download(hub).run()
    assert sorted(path.name for path in folder.glob("*.safetensors")) == ["model.safetensors"]


def test_shards_and_voices_are_fetched(hub: HubServer) -> None:
    shards = {f"model-0000{number}-of-00002.safetensors": WEIGHTS[:number] for number in (1, 2)}
    others = {"config.json": b"{}", "voices/af_heart.safetensors": b"voice", "other/x.safetensors": b"no"}
    hub.repos[REPO] = {**shards, **others}
    folder = download(hub).run()
    fetched = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert fetched == ["config.json", *sorted(shards), "voices/af_heart.safetensors"]


def test_a_second_run_fetches_no_file_again(hub: HubServer) -> None:
    download(hub).run()
    hub.asked.clear()
    assert_whole(download(hub).run())
    assert all("/resolve/" not in each.path for each in hub.asked)


def test_a_cut_connection_goes_on_where_it_was(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(times=2, cut_after=300_000)
    assert_whole(download(hub).run())
    assert hub.fetched("model.safetensors") == [None, "bytes=300000-", "bytes=600000-"]


def test_a_server_that_says_nothing_more_is_asked_again(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(stall_after=200_000)
    assert_whole(download(hub).run())
    assert hub.fetched("model.safetensors") == [None, "bytes=200000-"]


def test_a_server_that_gives_no_parts_gives_the_whole(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(cut_after=300_000)
    waits = []

    def report(progress: DownloadProgress) -> None:
        if progress.phase == "waiting":
            waits.append(progress)
            hub.faults["model.safetensors"] = Faults(ignore_range=True)

    assert_whole(download(hub, report=report, patience_seconds=(0.01,)).run())
    assert waits[0].problem and waits[0].done_bytes >= 300_000


@pytest.mark.parametrize("fault", [Faults(shift_range=10), Faults(status=416)])
def test_a_wrong_part_is_thrown_away_and_the_whole_asked_for(hub: HubServer, fault: Faults) -> None:
    hub.faults["model.safetensors"] = Faults(cut_after=300_000)

    def report(progress: DownloadProgress) -> None:
        if progress.phase == "waiting":
            hub.faults["model.safetensors"] = fault

    assert_whole(download(hub, report=report, patience_seconds=(0.01,) * 3).run())
    assert hub.fetched("model.safetensors")[1:] == ["bytes=300000-", None]


def test_a_file_with_a_wrong_checksum_is_fetched_once_more(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(spoil=True)
    assert_whole(download(hub).run())


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_file_that_is_wrong_twice_is_refused_and_never_seen(hub: HubServer, name: str, cache: Path) -> None:
    hub.faults[name] = Faults(times=9, spoil=True)
    error = refused(hub)
    assert error.reason is Reason.DAMAGED
    assert f"{name} of some/model came twice with a wrong checksum from 127.0.0.1" in str(error)
    assert not [path for path in cache.rglob("*") if path.is_file() and path.read_bytes() == bytes(len(WEIGHTS))]


@pytest.mark.parametrize("status", [500, 503, 429, 408])
def test_a_server_in_trouble_is_asked_again(hub: HubServer, status: int) -> None:
    hub.faults |= {"api": Faults(status=status), "model.safetensors": Faults(times=2, status=status)}
    assert_whole(download(hub).run())


def test_a_server_says_how_long_it_wants_to_be_left_alone(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(status=429, retry_after="1")
    waits: list[float] = []

    def report(progress: DownloadProgress) -> None:
        waits.append(progress.wait_seconds)

    assert_whole(download(hub, report=report).run())
    assert 0.9 < max(waits) <= 1.0


def test_a_server_that_stays_in_trouble_is_given_up_on_and_what_came_is_kept(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(times=99, status=503)
    error = refused(hub)
    assert error.reason is Reason.SERVER
    assert "answers with error 503. Go on with the download later, or choose another mirror." in str(error)
    assert len(hub.fetched("model.safetensors")) == 4
    hub.faults.clear()
    assert_whole(download(hub).run())
    assert len(hub.fetched("config.json")) == 1


def test_no_connection_is_said_plainly(hub: HubServer) -> None:
    with HubServer({}) as other:
        gone = other.url
    with pytest.raises(DownloadError, match=r"does not answer.*Check the connection") as error:
        Download(REPO, gone, patience_seconds=(0.0,)).run()
    assert error.value.reason is Reason.OFFLINE


def test_case_without_a_connection_to_begin_with_nothing_is_waited_for() -> None:
    with HubServer({}) as other:
        gone = other.url
    waited: list[str] = []
    with pytest.raises(DownloadError, match="Check the connection"):
        Download(REPO, gone, lambda progress: waited.append(progress.phase), patience_seconds=(60.0,) * 8).run()
    assert "waiting" not in waited


def test_offline_mode_is_said_plainly(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    error = refused(hub)
    assert error.reason is Reason.OFFLINE and "HF_HUB_OFFLINE is set" in str(error)


@pytest.mark.parametrize(
    ("status", "code", "reason", "words"),
    [
        (401, "GatedRepo", Reason.LICENCE, "wants its terms accepted first: sign in at https://huggingface.co/some/"),
        (403, "GatedRepo", Reason.LICENCE, "wants its terms accepted first"),
        (401, "RepoNotFound", Reason.ACCESS, "private or does not exist. If it is yours, run `hf auth login`"),
        (403, "", Reason.ACCESS, "private or does not exist"),
        (404, "RepoNotFound", Reason.MISSING, "has no some/model"),
    ],
)
@pytest.mark.parametrize("place", ["api", "model.safetensors"])
def test_a_refusal_is_told_apart_and_not_repeated(
    hub: HubServer, place: str, status: int, code: str, reason: Reason, words: str
) -> None:
    hub.faults[place] = Faults(times=9, status=status, error_code=code)
    error = refused(hub)
    assert error.reason is reason and words in str(error)
    assert len(hub.fetched("model.safetensors")) == (0 if place == "api" else 1)


def test_a_repository_without_weights_that_are_read_is_refused(hub: HubServer) -> None:
    hub.repos[REPO] = {"config.json": b"{}", "weights.npz": b"zip"}
    error = refused(hub)
    assert error.reason is Reason.FORMAT and "its weights as weights.npz. Earshot reads safetensors only" in str(error)
    hub.repos[REPO] = {"README.md": b"words"}
    assert "holds no model" in str(refused(hub))


def test_a_hub_that_names_files_outside_of_its_folder_gets_nothing_written(hub: HubServer, cache: Path) -> None:
    hub.repos[REPO] |= {"../../evil.json": b"{}", "..": b"x", "/etc/evil.json": b"{}", "voices/../x.safetensors": b"x"}
    download(hub).run()
    assert not list(cache.parent.rglob("evil*")) and len(hub.fetched("config.json")) == 1


def test_a_page_instead_of_a_hub_is_given_up_on(hub: HubServer) -> None:
    hub.commit = ""
    assert refused(hub, patience_seconds=(0.0,)).reason is Reason.SERVER


@pytest.mark.parametrize("mirror", ["huggingface", "ftp://x", "http://", "http://[bad", "https:///path"])
def test_a_mirror_that_is_no_address_is_refused(mirror: str) -> None:
    with pytest.raises(DownloadError, match=r"is no address\. It begins with https://"):
        Download(REPO, mirror).run()


def test_the_endpoint_of_the_environment_is_used_where_no_mirror_is_given(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
    assert_whole(Download(REPO).run())


def test_a_token_goes_to_the_hub_but_to_no_mirror_and_along_no_redirect(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download(hub).run()
    assert not any(each.token for each in hub.asked)
    CachedRepository(REPO).remove()
    with HubServer({REPO: dict(FILES)}) as store:
        hub.redirect = store.url.replace("127.0.0.1", "localhost")
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert_whole(Download(REPO).run())
        assert any(each.token == "Bearer hf_secret" for each in hub.asked)
        assert store.asked and not any(each.token for each in store.asked)


def test_a_part_is_asked_for_behind_a_redirect_too(hub: HubServer) -> None:
    with HubServer({REPO: dict(FILES)}, {"model.safetensors": Faults(cut_after=300_000)}) as store:
        hub.redirect = store.url
        assert_whole(download(hub).run())
        assert store.fetched("model.safetensors") == [None, "bytes=300000-"]


def test_a_stop_ends_even_a_stalled_download_at_once_and_the_next_goes_on(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(stall_after=200_000)
    held = download(hub, silent_seconds=600.0)
    thread = threading.Thread(target=run_until_stopped, args=(held,))
    thread.start()
    assert hub.stalled.wait(120)
    while CachedRepository(REPO).partial_bytes() < 200_000:
        threading.Event().wait(0.005)
    held.stop()
    thread.join(120)
    assert not thread.is_alive()
    assert_whole(download(hub).run())
    assert hub.fetched("model.safetensors")[-1] == "bytes=200000-"


def test_a_stop_ends_a_wait_at_once(hub: HubServer) -> None:
    hub.faults["api"] = Faults(times=99, status=503)
    held = download(hub, patience_seconds=(60.0,), report=lambda progress: progress.phase == "waiting" and held.stop())
    with pytest.raises(DownloadStopped):
        held.run()


def test_a_download_goes_on_after_its_program_was_killed(hub: HubServer, cache: Path) -> None:
    hub.faults["model.safetensors"] = Faults(stall_after=300_000)
    program = f"from engine.models.download import Download; Download({REPO!r}, {hub.url!r}).run()"
    environment = {"HF_HUB_CACHE": str(cache), "PATH": "/usr/bin:/bin", "HOME": str(cache.parent)}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment)
    assert hub.stalled.wait(120)
    while CachedRepository(REPO).partial_bytes() < 300_000:
        threading.Event().wait(0.005)
    process.kill()
    process.wait()
    plan = CachedRepository(REPO).plan()
    assert plan is not None and plan.commit == COMMIT and cached_repository(REPO) is None
    assert_whole(download(hub).run())
    assert hub.fetched("model.safetensors") == [None, "bytes=300000-"]


def test_a_beginning_that_was_damaged_on_the_disk_is_noticed(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(times=9, cut_after=0)
    refused(hub, patience_seconds=())
    hub.faults.clear()
    cached = CachedRepository(REPO)
    plan = cached.plan()
    assert plan is not None
    cached.partial(plan.files[-1]).write_bytes(bytes(300_000))
    assert_whole(download(hub).run())
    assert hub.fetched("model.safetensors")[-2:] == ["bytes=300000-", None]


def test_a_repository_that_moved_on_meanwhile_is_fetched_as_it_is_now(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(times=9, status=500)
    refused(hub)
    hub.faults.clear()
    hub.commit = "f" * 40
    folder = download(hub).run()
    assert folder.name == "f" * 40
    assert_whole(folder)


def test_two_runs_do_not_write_the_same_files(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(stall_after=100_000)
    first = download(hub, silent_seconds=600.0)
    thread = threading.Thread(target=run_until_stopped, args=(first,))
    thread.start()
    assert hub.stalled.wait(120)
    with pytest.raises(DownloadError, match="is being downloaded already") as error:
        download(hub).run()
    assert error.value.reason is Reason.BUSY
    first.stop()
    thread.join(120)
    assert not thread.is_alive()


def test_too_little_space_is_said_before_anything_is_fetched(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPARE_BYTES", 10**18)
    error = refused(hub)
    assert error.reason is Reason.SPACE and "MB are free. Make room, then try again." in str(error)
    assert not hub.fetched("model.safetensors")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_is_said_plainly(hub: HubServer) -> None:
    hub.faults["model.safetensors"] = Faults(times=9, status=500)
    refused(hub)
    hub.faults.clear()
    cached = CachedRepository(REPO)
    plan = cached.plan()
    assert plan is not None
    partial = cached.partial(plan.files[-1])
    partial.unlink(missing_ok=True)
    partial.symlink_to("/dev/full")
    error = refused(hub)
    assert error.reason is Reason.SPACE and str(error).startswith("The disk is full: ")


def test_a_folder_that_cannot_be_written_to_is_said_plainly(hub: HubServer, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    error = refused(hub)
    assert error.reason is Reason.DISK and "cannot be written to: Not a directory." in str(error)


def test_a_plan_that_makes_no_sense_is_made_anew(hub: HubServer) -> None:
    cached = CachedRepository(REPO)
    cached.folder.mkdir(parents=True)
    for nonsense in ("", "[]", '{"repo": "x"}', '{"repo": "some/model", "commit": "../x", "files": []}'):
        (cached.folder / "earshot-download.json").write_text(nonsense)
        assert cached.plan() is None
    assert_whole(download(hub).run())


def test_a_download_that_is_given_up_leaves_nothing_behind_but_whole_models(hub: HubServer, cache: Path) -> None:
    whole = download(hub).run()
    hub.repos[REPO] = {**FILES, "model.safetensors": WEIGHTS[::-1]}
    hub.commit = "e" * 40
    hub.faults["model.safetensors"] = Faults(times=9, cut_after=100_000)
    with pytest.raises(DownloadError):
        download(hub, patience_seconds=()).run()
    cached = CachedRepository(REPO)
    plan = cached.plan()
    assert plan is not None and cached.done_bytes(plan) > 100_000
    cached.discard_partial(plan)
    assert_whole(whole)
    assert not list(cache.rglob("*.incomplete"))


def test_where_links_are_impossible_files_are_copied(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    folder = download(hub).run()
    assert_whole(folder)
    assert not (folder / "model.safetensors").is_symlink()


def test_progress_grows_to_the_whole_with_a_rate(hub: HubServer) -> None:
    module_reports: list[DownloadProgress] = []
    hub.paced = lambda count: threading.Event().wait(0.03)
    download(hub, report=module_reports.append).run()
    fetching = [each for each in module_reports if each.phase == "fetching"]
    assert [each.done_bytes for each in fetching] == sorted(each.done_bytes for each in fetching)
    assert fetching[-1].total_bytes == len(WEIGHTS) + len(FILES["config.json"]) + 2
    assert fetching[-1].bytes_per_second > 0 and fetching[-1].seconds_left is not None


def test_vocabularies_of_translation_models_come_along(hub: HubServer) -> None:
    hub.repos[REPO]["source.spm"] = b"pieces"
    assert (download(hub).run() / "source.spm").read_bytes() == b"pieces"
