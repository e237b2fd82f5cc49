"""A small model whose words, documents, ids, labels and topic names all try to be something else
than text.
"""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import polars as pl

from undertow import TopicModel

SCRIPT = "<script>window.hacked=1</script>"
WORDS = (
    f"{SCRIPT} apple pear plum 1990 cherry </script><script>window.hacked=2</script> melon",
    "<a/href='javascript:window.hacked=3'>engine</a> wheel <img/src=x/onerror=hacked=4> %{x} brake "
    "clutch gear diesel",
    "&lt;b&gt; <!-- rocket orbit moon planet launch satellite",
    "<b>violin</b> $x^2$ guitar melody chord concert rhythm singer",
)
NAME = '<b>bold</b> <a href="javascript:window.hacked=5">name</a> $\\alpha$ &amp; %{y}'
LABELS = ("<i>fruit</i><img src=x onerror=window.hacked=6>", "cars & <br> bikes", "space", "music")


def make_table(documents: int = 120, seed: int = 0) -> pl.DataFrame:
    """Four themes that take turns, five days after each other; the last document knows no word."""
    generator = np.random.default_rng(seed)
    texts = [
        " ".join(generator.choice(WORDS[number % 4].split(), size=12))
        for number in range(documents)
    ]
    texts[-1] = "</textarea></script><!--<script>window.hacked=7</script>\u2028 xyzzy"
    return pl.DataFrame(
        {
            "id": [f"<u>{number}</u>" for number in range(documents)],
            "text": texts,
            "label": [
                None if number % 7 == 0 else LABELS[number % 4] for number in range(documents)
            ],
            "split": ["test" if number % 3 == 0 else "train" for number in range(documents)],
            "time": [date(2020, 1, 1) + timedelta(days=5 * number) for number in range(documents)],
        }
    )


def make_model(table: pl.DataFrame) -> TopicModel:
    """A few topics and units of the table, some of each with names of their own."""
    model = TopicModel(
        6,
        min_df=2,
        token_pattern=r"\S+",
        lowercase=False,
        max_epochs=60,
        batch_size=32,
        early_stopping=True,
        n_iter_no_change=60,
        random_state=0,
    ).fit(table)
    model.name_units({model.units()[0].id: NAME})
    named = {model.topics(n)[0].id for n in (None, 2, 4)}
    return model.name_topics(
        {topic: f"{NAME} {number}" for number, topic in enumerate(sorted(named))}
    )
