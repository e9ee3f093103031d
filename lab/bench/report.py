"""The tables of docs/benchmarks.md, docs/papers.md and README.md, made from what the benches print with --json.

Records are kept in lab/results, one of each bench. A page holds a table between `<!-- name -->` and `<!-- /name -->`;
nothing outside of such marks is touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from lab.bench import published
from lab.bench.errors import BenchError
from lab.bench.markdown import (
    Field,
    Record,
    grid,
    headline,
    hundredths,
    milliseconds,
    percent,
    seconds,
    table,
    tenths_of_milliseconds,
    thousandths,
    times,
    times_as_fast,
    whole_percent,
)
from lab.bench.provenance import ROOT

RESULTS = ROOT / "lab" / "results"
PAGE, PAPERS_PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "papers.md", ROOT / "README.md"

Records = Mapping[str, Record]


METHOD = Field("method", "title", str)
LEAST_WORDS = 1500
"""Fewest words of which a page says how many are wrong: of fewer, chance alone makes a difference of points."""

CAPTIONS = (
    METHOD,
    Field("step", "step_seconds", seconds),
    Field("words wrong (95%)", "words_wrong", str),
    Field("delay", "word_latency_seconds", seconds),
    Field("95% within", "word_latency_p95_seconds", seconds),
    Field("share of real time", "real_time_factor", hundredths),
    Field("encoder's work", "encoder_gmacs_ratio", whole_percent),
    Field("forwards a round", "forwards_per_round", times),
)
WHISPERFLOW = (
    METHOD,
    Field("step", "step_seconds", seconds),
    Field("words wrong (95%)", "words_wrong", str),
    Field("delay", "word_latency_seconds", seconds),
    Field("times as soon", "times_as_soon", hundredths),
    Field("encoder's work", "encoder_gmacs_ratio", whole_percent),
    Field("candidates", "average_beam", hundredths),
    Field("r", "reduce_ratio", hundredths),
    Field("W", "watts", times),
    Field("W, estimated", "estimated_watts", times),
    Field("paper", "published", str),
)
WHISPERFLOW_METHODS = (
    "whisper-streaming", "hush-alone", "hush", "pruning-as-published", "pruning", "earshot",
    "whisper-streaming-best-effort", "earshot-best-effort",
)  # fmt: skip

TRANSLATION = (
    METHOD,
    Field("times as fast", "speedup", hundredths),
    Field("forwards an update", "forwards_per_update", times),
    Field("an update takes", "update_seconds_p50", milliseconds),
    Field("words taken back", "taken_back", hundredths),
    Field("lag, words", "lag_words", hundredths),
    Field("shown before the end", "shown_before_end", whole_percent),
    Field("NE", "normalized_erasure", hundredths),
    Field("A/D", "acceptance_drafted", whole_percent),
    Field("as offline", "final_equal_share", whole_percent),
    Field("BLEU", "bleu", times),
)
ASSISTANT = (
    METHOD,
    Field("first sound", "latency_seconds", milliseconds),
    Field("median", "latency_seconds_p50", milliseconds),
    Field("95% within", "latency_seconds_p95", milliseconds),
    Field("times as soon", "speedup", hundredths),
    Field("made ahead", "made_ahead_share", whole_percent),
    Field("identical", "identical_share", whole_percent),
    Field("right", "right_share", whole_percent),
    Field("same sentence", "agreement_share", whole_percent),
    Field("log-prob.", "logprob", hundredths),
    Field("forwards ahead", "forwards_ahead_per_turn", times),
    Field("tokens in vain", "wasted_tokens_per_turn", times),
)
PREDGEN_METHODS = {
    "baseline": "plain", "greedy": "greedy", "top-2": "top-2", "top-3": "top-3", "top-5": "top-5", "top-10": "top-10",
    "reflection": "reflection", "jacobi": "Jacobi", "biased": "biased", "earshot": "Earshot's",
    "earshot-top": "Earshot's, top-3",
}  # fmt: skip
"""Columns of the PredGen paper's Table 1 and Figure 4, by method."""

PREDGEN = (
    Field("paper: times as soon", "published", times),
    Field("times as soon (95%)", "times_as_soon", str),
    Field("first sound, mean", "latency_seconds", seconds),
    Field("same first sentence (95%)", "same_sentence", str),
    Field("log-probability of its tokens", "logprob", hundredths),
    Field("NFETFS = 1", "premade_share", whole_percent),
    Field("the same, second turns", "premade_later_share", whole_percent),
    Field("forwards ahead", "forwards_ahead_per_turn", times),
)
SPOKEN = (
    METHOD,
    Field("turn ended", "endpoint_seconds_p50", seconds),
    Field("first sound", "first_sound_seconds_p50", seconds),
    Field("95% within", "first_sound_seconds_p95", seconds),
    Field("mean", "first_sound_seconds_mean", seconds),
    Field("times as soon", "speedup_same_endpoint", hundredths),
    Field("understood", "understood", str),
    Field("of these ready before the last word's end (95%)", "ready_before_end", str),
    Field("identical", "identical_share", whole_percent),
    Field("forwards ahead", "forwards_ahead_per_turn", times),
    Field("ended too early", "too_early_share", whole_percent),
    Field("right", "right_share", whole_percent),
)
MULTITOKEN = (
    Field("decoding", "title", str),
    Field("words wrong", "wer", percent),
    Field("calls a word", "eta", hundredths),
    Field("times fewer", "eta_ratio", hundredths),
    Field("paper: calls a word", "published_eta", hundredths),
    Field("paper: times fewer", "published_eta_ratio", hundredths),
    Field("time", "decoder_rtf_ratio", hundredths),
    Field("paper: time", "published_rtf_ratio", hundredths),
    Field("same text", "identical_share", whole_percent),
)

SSBD_METHODS: Mapping[str, str] = {
    "plain": "plain",
    **{f"ssbd@{bias}": f"β {bias}" for bias in ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "1")},
    "mask-3": "mask 3", "mask-5": "mask 5", "display-3": "display 3", "display-5": "display 5", "full": "Earshot's",
}  # fmt: skip
"""Columns of the SSBD paper's Tables 3 and 4, by method."""

SSBD = (
    Field("paper: times as fast", "published_speedup", hundredths),
    Field("times as fast", "speedup", hundredths),
    Field("paper: NE", "published_erasure", hundredths),
    Field("NE", "normalized_erasure", hundredths),
    Field("paper: COMET", "published_comet", thousandths),
    Field("chrF", "chrf", times),
)

WINDOW = (
    Field("from the start of the process to the first picture of the window", "window_seconds", seconds),
    Field("from the start of the process until the engine can hear", "model_seconds", seconds),
    Field("from a word to its first caption on the screen", "first_caption_seconds", seconds),
    Field("from a caption's leaving the engine to its picture in the overlay, median", "overlay_seconds", milliseconds),
    Field("processor time at rest, of one core", "idle_cpu_share", percent),
    Field("longest computation of the window's thread in one turn", "longest_work_seconds", milliseconds),
    Field("growth of memory while captions are shown, without the transcript, MB", "other_growth_megabytes", times),
)

AVX2_KERNELS = "kernels-avx2"
"""The section of `bench kernels --avx2`."""

KERNELS = (
    Field("stage", "stage", str),
    Field("Earshot", "Earshot", tenths_of_milliseconds),
    Field("CTranslate2 float32", "CTranslate2 float32", tenths_of_milliseconds),
    Field("CTranslate2 int8", "CTranslate2 int8", tenths_of_milliseconds),
    Field("Earshot's time", "ratio", hundredths),
    Field("over", "peer", str),
)
KERNEL_STAGES = (
    ("encoder, 5 s", "encoder_ratio_5s", "float32"),
    ("encoder, 30 s", "encoder_ratio_30s", "float32"),
    ("decoder step, 1 candidate", "step_ratio_1", "int8"),
    ("decoder step, 5 candidates", "step_ratio_5", "int8"),
)


def captions(record: Record) -> Iterator[str]:
    """Yield the paragraphs about captions."""
    yield run(record, f"{record['audio']} {words_said(record)}")
    yield table(CAPTIONS, with_words_wrong(record))


def whisperflow(record: Record) -> Iterator[str]:
    """Yield the paragraphs about the figures of the WhisperFlow paper."""
    yield run(record, f"{record['audio']} {words_said(record)}")
    rows = {row["method"]: row for row in with_words_wrong(record)}
    fastest = rows.get("whisper-streaming-best-effort", {}).get("word_latency_seconds")
    same_step = rows.get("whisper-streaming", {}).get("word_latency_seconds")
    shown = []
    for name in WHISPERFLOW_METHODS:
        if name not in rows:
            continue
        row = rows[name]
        baseline, delay = fastest if name.endswith("best-effort") else same_step, row.get("word_latency_seconds")
        sooner = baseline / delay if baseline and delay else None
        shown.append({**row, "times_as_soon": sooner, "published": published.WHISPERFLOW.get(name)})
    yield table(WHISPERFLOW, shown)


def words_said(record: Record) -> str:
    """Write how many words were said, and whether they are enough to say how many are wrong."""
    words = record["figures"]["words"]
    return f"{words:,} words." if words >= LEAST_WORDS else f"{words} words are too few to say how many are wrong."


def with_words_wrong(record: Record) -> list[Record]:
    """Return the rows of a record with the share of wrong words written out, where there are enough."""
    if record["figures"]["words"] < LEAST_WORDS:
        return list(record["rows"])
    return [
        {**row, "words_wrong": f"{percent(row['wer'])} ({percent(row['wer_low'])} to {percent(row['wer_high'])})"}
        for row in record["rows"]
    ]


def translation(record: Record) -> Iterator[str]:
    """Yield the paragraphs about translation, those of captions as they are heard included."""
    yield run(record, f"{record['texts']} texts into {record['target']} ({record['set']}).")
    heard = [{**row, "title": f"as heard: {row['title']}"} for row in record["heard_rows"]]
    yield table(TRANSLATION, [*record["rows"], *heard])
    languages = sorted(name for name in record["figures"] if re.fullmatch("chrf_[a-z]{2}", name))
    known = [name for name in languages if record["figures"][name] is not None]
    if known:
        scores = ", ".join(
            f"{name[-2:]} {record['figures'][name]:.1f} and {record['figures'][f'{name}_careful']:.1f}"
            for name in known
        )
        yield f"chrF of complete texts, greedily and with five candidates: {scores}."


def multitoken(record: Record) -> Iterator[str]:
    """Yield the paragraphs about several tokens at once."""
    yield run(record, record["audio"])
    yield table(MULTITOKEN, [{**row, **published.MULTITOKEN.get(row["method"], {})} for row in record["rows"]])


def ssbd(record: Record) -> Iterator[str]:
    """Yield the paragraphs about the tables of the SSBD paper."""
    yield run(record, f"{record['texts']} texts into {record['target']} ({record['set']}).")
    rows = {name: {**row, **published.SSBD.get(name, {})} for name, row in rows_of(record).items()}
    yield from headline("", SSBD_METHODS, rows, SSBD)


def assistant(record: Record) -> Iterator[str]:
    """Yield the paragraphs about questions that are typed."""
    yield run(record, f"{record['conversations']} conversations ({record['set']}).")
    yield table(ASSISTANT, record["rows"])


def predgen(record: Record) -> Iterator[str]:
    """Yield the paragraphs about the tables of the PredGen paper."""
    turns = record["rows"][0]["turns"]
    yield run(record, f"{record['conversations']} conversations, {turns} turns ({record['set']}).")
    paper = published.PREDGEN["gsm8k" if record["set"].startswith("gsm8k") else "mt-bench"]
    rows = {name: {**row, **with_bounds(row), "published": paper.get(name)} for name, row in rows_of(record).items()}
    yield from headline("", PREDGEN_METHODS, rows, PREDGEN)


def with_bounds(row: Record) -> Record:
    """Return the figures of a row of the assistant's that stand with their intervals, written out."""
    sooner = f"{row['speedup']:.1f} ({row['speedup_low']:.1f} to {row['speedup_high']:.1f})"
    low, high = (whole_percent(row[f"agreement_{bound}"]) for bound in ("low", "high"))
    return {"times_as_soon": sooner, "same_sentence": f"{whole_percent(row['agreement_share'])} ({low} to {high})"}


def conversation(record: Record) -> Iterator[str]:
    """Yield the paragraphs about questions and requests that are spoken."""
    asking = {"people": "asked by people of the judging half", "synthetic": "said by synthetic voices"}
    asked = asking.get(record.get("set", "synthetic"), "recorded")
    yield run(record, f"{record['rows'][0]['questions']} questions, {asked}.")
    yield table(SPOKEN, map(with_ready_share, record["rows"]))
    done = [row for row in record["requests"] if row["act_seconds_p50"] is not None]
    if done:
        waits = ", ".join(f"{seconds(row['act_seconds_p50'])} ({row['title']})" for row in done)
        yield f"From the last word of a request to its being done, median: {waits}."


def with_ready_share(row: Record) -> Record:
    """Return a row with the share of answers that were ready early written out with its interval, where it is known."""
    share = row.get("ready_before_end_share")
    if share is None:
        return row
    low, high = (whole_percent(row[f"ready_before_end_{bound}"]) for bound in ("low", "high"))
    return {**row, "ready_before_end": f"{whole_percent(share)} ({low} to {high})"}


def window(record: Record) -> Iterator[str]:
    """Yield the paragraphs about the window."""
    yield run(record, "")
    figures = record["figures"]
    yield grid(("figure", "measured"), ([each.title, each.shown(figures[each.key])] for each in WINDOW))


def kernels(record: Record) -> Iterator[str]:
    """Yield the paragraphs about the computation of hearing with the instructions of one processor."""
    yield run(record, f"One thread; ONNX Runtime {record['instruction_sets']['onnxruntime']}. Processor time.")
    seconds_of = {each["stage"]: each["seconds"] for each in record["stages"]}
    yield table(KERNELS, ({**seconds_of[stage], "stage": stage, "ratio": record["figures"][ratio], "peer": peer}
                          for stage, ratio, peer in KERNEL_STAGES))  # fmt: skip


SECTIONS: Mapping[str, Callable[[Record], Iterator[str]]] = {
    "captions": captions,
    "whisperflow": whisperflow,
    "multitoken": multitoken,
    "translation": translation,
    "ssbd": ssbd,
    "assistant": assistant,
    "gsm8k": predgen,
    "predgen": predgen,
    "conversation": conversation,
    "window": window,
    "kernels": kernels,
    AVX2_KERNELS: kernels,
}
"""The sections of the pages, each made from the record of the bench that it is named after, or of PAPERS."""

PAPERS: Mapping[str, tuple[str, str, str]] = {
    "ssbd": ("translation", "mask-3", ""),
    "whisperflow": ("captions", "pruning-as-published", ""),
    "multitoken": ("multitoken", "single", ""),
    "gsm8k": ("assistant", "greedy", "gsm8k"),
    "predgen": ("assistant", "top-10", ""),
}
"""Sections of docs/papers.md: the bench that they are of, a method that only a run for them has, and how the name of
what was asked begins. The other sections are on docs/benchmarks.md."""


def headlines(records: Records) -> Iterator[str]:
    """Yield the tables of README.md: the figures of docs/benchmarks.md that say most."""
    heard = with_same_effort(rows_of(records["captions"]), rows_of(records["whisperflow"]))
    columns = {"earshot": "Earshot", "whisper-streaming-natural-1s": "Whisper-Streaming's way",
               "faster-whisper": "the same on faster-whisper int8"}  # fmt: skip
    yield from headline("captions of people", columns, heard, (
        Field("from the end of a word to its being shown for good", "word_latency_seconds", seconds),
        Field("the same at steps of 0.3 s, Whisper-Streaming with windows of 30 s", "same_step", seconds),
        Field("the same, both as often as they can", "best_effort", seconds),
        Field("computation, as a share of real time", "real_time_factor", hundredths),
    ))  # fmt: skip
    translated = rows_of(records["translation"])
    columns = {"plain": "plain re-translation", "finals-only": "finished captions only",
               "ssbd@0.2": "SSBD, as published", "full": "Earshot"}  # fmt: skip
    yield from headline("translation into German", columns, translated, (
        Field("speed for the same captions", "speedup", times_as_fast),
        Field("words taken back on screen, per word of the final text", "taken_back", hundredths),
        Field("lag behind the spoken words, in words", "lag_words", times),
        Field("final words on the screen before their caption ends", "shown_before_end", whole_percent),
        Field("final translations that are the offline ones", "final_equal_share", whole_percent),
    ))  # fmt: skip
    typed, spoken = rows_of(records["assistant"]), rows_of(records["conversation"])
    pairs = {"same-endpoint": "baseline", "earshot": "earshot"}
    both = {name: {**typed.get(same, {}), **spoken.get(name, {})} for name, same in pairs.items()}
    columns = {"same-endpoint": "plain cascade, the same end of turn", "earshot": "Earshot"}
    asked = records["conversation"]["rows"][0]["questions"]
    yield from headline("the assistant", columns, both, (
        Field(f"from the end of {asked} questions of people, none taught, to the first sound, mean",
              "first_sound_seconds_mean", seconds),
        Field("from the end of typed questions that it knows to the first sound, mean", "latency_seconds", seconds),
    ))  # fmt: skip


def with_same_effort(rows: Mapping[str, Record], paper: Mapping[str, Record]) -> dict[str, Record]:
    """Return the rows of captions with the delays of the WhisperFlow paper's: at the same step, and as often as can be.

    There Whisper-Streaming's way has the windows of 30 s that it was published with.
    """
    found = dict(rows)
    for name, way, same in (("earshot", "earshot", "earshot-fixed-step"),
                            ("whisper-streaming-natural-1s", "whisper-streaming", "whisper-streaming")):  # fmt: skip
        delays = {"same_step": same, "best_effort": f"{way}-best-effort"}
        known = {key: paper.get(each, {}).get("word_latency_seconds") for key, each in delays.items()}
        found[name] = {**found[name], **known}
    return found


def rows_of(record: Record) -> dict[str, Record]:
    """Return the rows of a record by the names of their methods."""
    return {row["method"]: row for row in record["rows"]}


def run(record: Record, what: str) -> str:
    """Return the line that says where figures come from."""
    origin = record["run"]
    voice = f" Voice: {record['voice'].split()[0]}." if "voice" in record else ""
    clock = f" Computation in {record['clock']}." if "clock" in record else ""
    line = (
        f"`{origin['command']}`, commit {origin['commit']}, {origin['machine']}, {origin['date']}. {what}{voice}{clock}"
    )
    return line.strip()


def between(page: str, name: str, text: str) -> str:
    """Return a page with what stands between the marks of a name replaced.

    Raises:
        BenchError: the page has no such marks.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise BenchError(f"A page has no lines {begin.strip()} and {end}, between which its table of {name} belongs.")
    return f"{before}{begin}{text}\n{end}{after}"


def pages(records: Records) -> dict[Path, str]:
    """Return what the pages are with the tables of these records; a table without a record stays as it is."""
    found = {path: path.read_text(encoding="utf-8") for path in (PAGE, PAPERS_PAGE)}
    for name, section in SECTIONS.items():
        if name in records:
            page = PAPERS_PAGE if name in PAPERS else PAGE
            found[page] = between(found[page], name, "\n\n".join(section(records[name])))
    readme = between(README.read_text(encoding="utf-8"), "figures", "\n\n".join(headlines(records)))
    return {**found, README: readme}


def kept_records() -> dict[str, Record]:
    """Read the records in lab/results, by section."""
    found = {name: RESULTS / f"{name}.json" for name in SECTIONS}
    return {name: read_record(path) for name, path in found.items() if path.exists()}


def read_record(path: Path) -> Record:
    """Read what a bench printed with --json.

    Raises:
        BenchError: the file cannot be read, or is no record that a page shows.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BenchError(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BenchError(f"{path} is not what a bench prints with --json.") from error
    if not isinstance(record, dict) or record.get("bench") not in SECTIONS or "run" not in record:
        shown = ", ".join(name for name in SECTIONS if name not in PAPERS or PAPERS[name][0] == name)
        raise BenchError(f"{path} is no record of {shown}: the pages show no other bench.")
    return record


def section_of(record: Record) -> str:
    """Return the section that a record is for."""
    if record["bench"] == "kernels" and "--avx2" in record["run"].get("command", ""):
        return AVX2_KERNELS
    methods = {row.get("method") for row in record.get("rows", ())}
    for section, (bench, method, asked) in PAPERS.items():
        if record["bench"] == bench and method in methods and str(record.get("set", "")).startswith(asked):
            return section
    return str(record["bench"])


def keep(record: Record) -> Path:
    """Write a record to lab/results, in place of the earlier one of its section, and return where."""
    path = RESULTS / f"{section_of(record)}.json"
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
