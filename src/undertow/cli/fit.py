"""`undertow fit`: from a corpus to a model folder."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from undertow.cli import _checkpoints, _clusters, _signals, common
from undertow.cli._curating import name_and_words
from undertow.cli._shown import say
from undertow.cli._typed import about

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

KNOWN = {
    "weighting": ("idf", "none"),
    "count_transform": ("log", "none"),
    "features": ("balanced", "posterior", "soft", "activation", "strength"),
}
WORDS, MODEL, LEARNING, SIZE = "Words", "Model", "Learning", "Corpora larger than memory"


def _option(panel: str, text: str, **more: Any) -> Any:
    return typer.Option(rich_help_panel=panel, help=text, **more)


def fit(
    corpus: common.CorpusArgument,
    out: Annotated[Path, typer.Option(help="The model folder to write.")],
    vocabulary_size: Annotated[
        int, _option(WORDS, "Words kept, the most frequent ones.", min=1)
    ] = 50_000,
    ngram_range: Annotated[tuple[int, int], _option(WORDS, "Shortest and longest n-gram.")] = (
        1,
        1,
    ),
    stop_words: Annotated[
        str | None, _option(WORDS, "A language, such as 'english', or a file with a word a line.")
    ] = None,
    stemmer: Annotated[str | None, _option(WORDS, "A language, such as 'english'.")] = None,
    segmenter: Annotated[
        str,
        _option(
            WORDS,
            "What cuts scripts without spaces into words: 'chinese', 'japanese', 'thai', 'pairs' "
            "(of letters), several with commas between, 'none', or 'auto' to look at the texts.",
        ),
    ] = "auto",
    min_df: Annotated[int, _option(WORDS, "Fewest documents a word must be in.", min=1)] = 1,
    max_df: Annotated[
        float, _option(WORDS, "Largest share of documents a word may be in.", max=1.0)
    ] = 1.0,
    token_pattern: Annotated[str | None, _option(WORDS, "A regular expression for a word.")] = None,
    lowercase: Annotated[bool, _option(WORDS, "Ignore case.")] = True,
    strip_html: Annotated[bool, _option(WORDS, "Take HTML tags out first.")] = False,
    n_components: Annotated[
        int, _option(MODEL, "Hidden units, the numbers in a document's vector.", min=1)
    ] = 256,
    seed_topic: Annotated[
        list[str] | None,
        _option(
            MODEL, "Make a topic around words; may be given many times.", metavar="NAME=WORD,WORD"
        ),
    ] = None,
    word_vectors: Annotated[
        Path | None,
        _option(
            MODEL,
            "Vectors of words to start from, which helps where documents are few: a text file with "
            "a word and its numbers a line (GloVe, word2vec), or such a file as .gz.",
            metavar="FILE",
        ),
    ] = None,
    weighting: Annotated[str, _option(MODEL, "'idf' or 'none'.")] = "idf",
    count_transform: Annotated[str, _option(MODEL, "'log' or 'none'.")] = "log",
    features: Annotated[
        str, _option(MODEL, "'balanced', 'posterior', 'soft', 'activation' or 'strength'.")
    ] = "balanced",
    learner: Annotated[
        str, _option(LEARNING, "'alpha-nce', 'nce', 'cd', 'pcd', 'mh-cd' or 'ratio-matching'.")
    ] = "alpha-nce",
    optimizer: Annotated[
        str, _option(LEARNING, "'adam', 'sgd', or 'auto': what suits the learner and the corpus.")
    ] = "auto",
    noise_level: Annotated[
        str | None,
        _option(
            LEARNING, "Share of a document that its noise keeps, or 'auto' to choose it by trials."
        ),
    ] = None,
    n_noise: Annotated[int | None, _option(LEARNING, "Noise documents per document.")] = None,
    learning_rate: Annotated[float | None, _option(LEARNING, "Step of the optimizer.")] = None,
    max_epochs: Annotated[
        int | None, _option(LEARNING, "Passes over the corpus.  \\[default: chosen by its size]")
    ] = None,
    batch_size: Annotated[int, _option(LEARNING, "Documents per step.", min=1)] = 128,
    replicas: Annotated[
        int | None,
        _option(
            LEARNING,
            "Copies of the model trained side by side and averaged, which many cores share.  "
            "\\[default: by the size of the corpus]",
            min=1,
        ),
    ] = None,
    sparsity_target: Annotated[float, _option(LEARNING, "How often a unit should be on.")] = 0.1,
    sparsity_cost: Annotated[
        float | None,
        _option(
            LEARNING,
            "How much that counts; 0 switches it off.  \\[default: by the length of documents]",
        ),
    ] = None,
    early_stopping: Annotated[
        bool, _option(LEARNING, "Stop when held-out documents stop gaining.")
    ] = False,
    n_jobs: Annotated[
        int | None, _option(LEARNING, "Threads; never changes the result.  \\[default: all cores]")
    ] = None,
    device: common.Device = "cpu",
    memory_limit: Annotated[
        str,
        _option(
            SIZE, "What word counts may take in memory, such as 500MB; beyond it they go to disk."
        ),
    ] = "1GiB",
    scratch_folder: Annotated[
        Path | None,
        _option(SIZE, "A folder with space for them.  \\[default: the system's temporary folder]"),
    ] = None,
    cluster: _clusters.Address = None,
    workers: _clusters.Workers = None,
    interval: _clusters.Interval = None,
    checkpoint: _checkpoints.Checkpoint = None,
    checkpoint_every: _checkpoints.Every = None,
    resume: _checkpoints.Resume = False,
    vectors: common.Vectors = None,
    id_column: common.IdColumn = None,
    text_column: common.TextColumn = None,
    title_column: common.TitleColumn = None,
    label_column: common.LabelColumn = None,
    split_column: common.SplitColumn = None,
    time_column: common.TimeColumn = None,
    url_column: common.UrlColumn = None,
    seed: common.Seed = 0,
    force: common.Force = False,
    json: common.Json = False,
    quiet: common.Quiet = False,
    debug: common.Debug = False,
) -> None:
    """Learn topics from a corpus and write a model folder. Rows whose split is 'test' are never
    trained on.

    Examples:

        undertow fit reviews.parquet --out model

        undertow fit 20newsgroups --out model --stop-words english --stemmer english
        --vocabulary-size 2000

        undertow fit reviews.parquet --out model --seed-topic acting=actor,cast --seed-topic
        sound=music,score

        undertow fit reviews.parquet --out model --noise-level auto

        undertow fit posts.jsonl.gz --text-column body --ngram-range 1 2 --n-components 256 --out
        model --seed 1

        undertow fit folder_of_parquet_shards --memory-limit 500MB --scratch-folder /mnt/large
        --out model

        undertow fit reviews.parquet --device cuda --out model

        undertow fit reviews.parquet --vectors reviews.npy --out model

        undertow fit few_reviews.parquet --word-vectors glove.6B.300d.txt --out model

        undertow fit reviews.parquet --cluster auto --workers 2 --out model

        undertow fit reviews.parquet --checkpoint saved --resume --out model

        undertow fit /shared/reviews --cluster 10.0.0.1:6379 --workers 8 --checkpoint saved --resume
        --out model
    """
    force = force or _checkpoints.is_ours(out, checkpoint, resume)
    common.check_free(out, force)
    saved = _checkpoints.arguments(
        checkpoint, checkpoint_every, resume, cluster=cluster is not None
    )
    machines = _clusters.chosen(cluster, workers, interval)
    seeds = dict(name_and_words("--seed-topic", text) for text in seed_topic or ())
    _check_names(
        {
            "learner": learner,
            "optimizer": optimizer,
            "weighting": weighting,
            "count_transform": count_transform,
            "features": features,
        }
    )
    common.check_device(device)
    limits, level = _memory(memory_limit, scratch_folder), _noise_level(noise_level)
    left_out, segments = _stop_words(stop_words), _segmenter(segmenter)
    with common.place_of_model(out, force):
        pass  # what would fail at the end fails before anything is read
    from undertow.estimators import TopicModel  # heavy, so after all that can be told without

    columns = {"id": id_column, "text": text_column, "title": title_column, "label": label_column}
    columns |= {"split": split_column, "time": time_column, "url": url_column}
    given, start = common.vectors_in(vectors), _word_vectors(word_vectors, silent=quiet or json)
    documents = common.for_training(common.open_any(corpus, columns, quiet=quiet))
    if given is not None:
        given = given.of_rows(*documents.row_numbers())
    pattern: dict[str, Any] = {} if token_pattern is None else {"token_pattern": token_pattern}
    model = TopicModel(
        n_components,
        vocabulary_size=vocabulary_size,
        ngram_range=ngram_range,
        stop_words=left_out,
        stemmer=stemmer,
        segmenter=segments,
        min_df=min_df,
        max_df=max_df,
        lowercase=lowercase,
        strip_html=strip_html,
        **pattern,
        learner=_learner(learner, level, n_noise),
        optimizer=_optimizer(optimizer, learner, learning_rate),
        weighting=None if weighting == "none" else weighting,
        count_transform=None if count_transform == "none" else count_transform,  # type: ignore[arg-type]
        features=features,  # type: ignore[arg-type]
        max_epochs="auto" if max_epochs is None else max_epochs,
        batch_size=batch_size,
        replicas="auto" if replicas is None else replicas,
        sparsity_target=sparsity_target,
        sparsity_cost="auto" if sparsity_cost is None else sparsity_cost,
        early_stopping=early_stopping,
        random_state=seed,
        n_jobs=n_jobs,
        device=device,
        verbose=0 if quiet or json else 1,
        seeds=seeds or None,
        **limits,
    )
    with common.place_of_model(out, force):
        with common.remarks(shown=not quiet):
            more = {"vectors": given, "word_vectors": start, "cluster": machines, **saved}
            interrupted = _fit(model, documents, more)
        model.save(out, overwrite=force)
        _checkpoints.after(out, checkpoint, interrupted=interrupted)
    _report(model, out, interrupted=interrupted, json=json, quiet=quiet)
    if interrupted:
        raise typer.Exit(_signals.exit_code(0))


def _fit(model: TopicModel, documents: Any, more: dict[str, Any]) -> bool:
    """Trains; says whether it was interrupted with something worth keeping, be it a part of the
    first epoch.
    """
    try:
        model.fit(documents, **more)
    except KeyboardInterrupt:
        if not getattr(getattr(model, "softmax_", None), "_run_state", {}).get("steps", 0):
            raise
        return True
    return False


def _report(model: TopicModel, out: Path, *, interrupted: bool, json: bool, quiet: bool) -> None:
    history = model.softmax_.history_
    seconds = sum(line.seconds for line in history)
    dead = model.softmax_.dead_units_
    facts = {
        "model": str(out),
        "topics": len(model.topic_names()) if hasattr(model, "atlas_") else None,
        "seeds_absent": _absent(model),
        "units": model.softmax_.n_components,
        "words": len(model.vectorizer_.vocabulary_),
        "epochs": model.softmax_.n_iter_,
        "noise_level": model.softmax_.noise_level_,
        "loss": history[-1].loss if history else None,
        "seconds": seconds,
        "waited_seconds": sum(line.waited for line in history),
        "dead_units": 0 if dead is None else len(dead),
        "documents": model.reading_.documents,
        "reading_seconds": model.reading_.seconds,
        "scratch_bytes": model.reading_.scratch_bytes,
        "interrupted": interrupted,
    }
    if hasattr(model, "cluster_"):
        facts["cluster"] = asdict(model.cluster_)
    if json:
        common.print_json(facts)
    elif not quiet:
        kept = "Interrupted: kept what was learned so far. " if interrupted else ""
        topics = "no topics yet" if facts["topics"] is None else f"{facts['topics']} topics"
        say(
            f"{kept}Wrote {out}: {topics}, from {facts['units']} units over {facts['words']:,} "
            f"words, {facts['epochs']} epochs in {facts['seconds']:.1f} s{_chosen(model)}."
            f"{_clusters.told(model)}\nNext: undertow topics {out}"
        )


def _absent(model: TopicModel) -> list[str]:
    """The seeds that made no topic."""
    actions = model.curation_.actions if hasattr(model, "curation_") else ()
    made = {action.name for action in actions if action.kind == "seed"}
    return [name for name in model.seeds or {} if name not in made]


def _memory(memory_limit: str, scratch_folder: Path | None) -> dict[str, Any]:
    """Checked under the names of the options, before anything is read."""
    from undertow._check import number_of_bytes
    from undertow.files.scratch import Scratch

    with Scratch(scratch_folder, name="--scratch-folder") as scratch:
        if scratch_folder is not None:
            scratch.try_out()
    limit = number_of_bytes("--memory-limit", memory_limit)
    return {"memory_limit": limit, "scratch_folder": scratch_folder}


def _word_vectors(path: Path | None, *, silent: bool) -> Any:
    """The vectors of words in a file, read before the corpus: a slip is told early."""
    if path is None:
        return None
    from undertow.corpus.word_vectors import read_word_vectors

    with about(path="word_vectors"), common.status("Reading word vectors", silent=silent):
        return read_word_vectors(path)


def _chosen(model: TopicModel) -> str:
    chosen = hasattr(model.softmax_, "noise_level_scores_")
    return f", noise level {model.softmax_.noise_level_:g} chosen" if chosen else ""


def _stop_words(given: str | None) -> Any:
    from undertow._errors import InvalidInput
    from undertow.corpus.stop_words import LANGUAGES

    if given is None or given in LANGUAGES:
        return given
    if not Path(given).is_file():
        known = ", ".join(LANGUAGES)
        raise InvalidInput(
            f"--stop-words must be a file with a word a line or one of {known}, got {given!r}"
        )
    try:
        return Path(given).read_text(encoding="utf-8-sig").split()
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise InvalidInput(
            f"--stop-words must be UTF-8 text, got {found} of {given}: convert it, such as by "
            f"iconv -f latin1 -t utf-8"
        ) from None


def _segmenter(given: str) -> Any:
    from undertow._errors import InvalidInput
    from undertow.corpus.segmentation import SEGMENTERS

    if given in ("auto", "none"):
        return None if given == "none" else given
    names = given.split(",")
    if not set(names) <= set(SEGMENTERS):
        known = ", ".join(map(repr, SEGMENTERS))
        raise InvalidInput(
            f"--segmenter must be 'auto', 'none', or one or several of {known}, got {given!r}"
        )
    return names


def _noise_level(given: str | None) -> Any:
    from undertow._errors import InvalidInput

    if given is None or given == "auto":
        return given
    try:
        return float(given)
    except ValueError:
        raise InvalidInput(
            f"--noise-level must be a number in [0, 1) or 'auto', got {given!r}"
        ) from None


def _check_names(given: dict[str, str]) -> None:
    """Words for which there are only a few; the library would say the same, but takes a second to
    load.
    """
    from undertow import _check
    from undertow.learn.registry import OPTIMIZERS, learner_names

    known = {**KNOWN, "learner": learner_names(), "optimizer": ["auto", *OPTIMIZERS]}
    for name, word in given.items():
        _check.one_of(name, word, known[name])


def _learner(name: str, noise_level: Any, n_noise: int | None) -> Any:
    from undertow.learn.registry import find_learner

    given = {"noise_level": noise_level, "n_noise": n_noise}
    return _changed(name, find_learner(name), given, "a learner of noise")


def _optimizer(name: str, learner: str, learning_rate: float | None) -> Any:
    from undertow.learn.defaults import make_optimizer
    from undertow.learn.registry import find_learner

    if learning_rate is None:
        return name
    given = {"learning_rate": learning_rate}
    usual = make_optimizer(name, find_learner(learner))
    return _changed(name, usual, given, "an optimizer that has one")


def _changed(name: str, options: Any, given: dict[str, Any], wanted: str) -> Any:
    """What a name stands for, with options that are given; the name where there are none."""
    from undertow._errors import InvalidInput

    given = {option: value for option, value in given.items() if value is not None}
    for option in given:
        if option not in options.get_params():
            raise InvalidInput(
                f"--{option.replace('_', '-')} must be used with {wanted}, got {name!r}"
            )
    return options.changed(**given) if given else name
