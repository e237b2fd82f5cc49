"""The rows of the sweep over sizes and shapes of corpora."""

from __future__ import annotations

from dataclasses import dataclass

ALL = 25_000  # no part holds more labelled documents
QUICK = 1500  # a quick run takes the rows that learn from so many documents at most
QUICK_WORDS, QUICK_UNITS = 10_000, 512


@dataclass(frozen=True)
class Row:
    """A line of the sweep: which documents, how they are counted, and how many units learn from
    them.
    """

    name: str
    source: str
    documents: int  # labelled ones to learn from; fewer where there are not so many
    unlabelled: bool = False  # learn from the unlabelled ones as well
    counting: str = "words"
    words: int = 10_000
    units: int = 256
    folder: str = ""  # of news

    @property
    def cost(self) -> float:
        """Roughly, for the order of work."""
        return (self.documents + 50_000 * self.unlabelled) * (1 + self.units / 256)


def rows(news: str = "") -> list[Row]:
    """All rows; those of news where a folder is given."""
    return [
        *_posts(),
        *_counted_otherwise(),
        *_units(),
        *_reviews(),
        *_others(),
        *(_news(news) if news else []),
    ]


def quick(row: Row) -> bool:
    """Whether a quick run has it."""
    small = row.words <= QUICK_WORDS and row.units <= QUICK_UNITS
    return small and row.documents <= QUICK and not row.unlabelled


def _posts() -> list[Row]:
    return [
        *(Row(f"posts {size:,}", "posts", size) for size in (200, 500, 1000, 3000)),
        Row("posts all", "posts", ALL),
        Row("five groups 2,225", "five groups", 2225),
        Row("bodies 1,000", "bodies", 1000),
        Row("bodies all", "bodies", ALL),
        Row("subjects 1,000", "subjects", 1000, counting="all words"),
        Row("subjects all", "subjects", ALL, counting="all words"),
        *(Row(f"twenty posts joined {size}", "joined posts", size) for size in (200, 500)),
    ]


def _counted_otherwise() -> list[Row]:
    return [
        Row("posts all, stop words kept", "posts", ALL, counting="all words"),
        Row("posts all, 2,000 stems", "posts", ALL, counting="stems", words=2000),
        *(Row(f"posts all, {words:,} words", "posts", ALL, words=words) for words in (500, 50_000)),
        Row("posts 3,000, letter trigrams", "posts", 3000, counting="trigrams"),
    ]


def _units() -> list[Row]:
    return [
        *(Row(f"posts all, {units} units", "posts", ALL, units=units) for units in (16, 128)),
        Row("posts 3,000, 1,024 units", "posts", 3000, units=1024),
        Row("posts 1,000, 16 units", "posts", 1000, units=16),
        Row("baskets 1,000, 512 units", "baskets", 1000, counting="all words", units=512),
    ]


def _reviews() -> list[Row]:
    return [
        *(Row(f"reviews {size:,}", "reviews", size) for size in (1000, 3000)),
        Row("reviews 3,000, stop words kept", "reviews", 3000, counting="all words"),
        Row("reviews 10,000, stop words kept", "reviews", 10_000, counting="all words"),
        Row("reviews 25,000", "reviews", ALL),
        Row(
            "reviews 25,000 and 50,000 unlabelled, stop words kept",
            "reviews",
            ALL,
            True,
            counting="all words",
        ),
        Row("openings of reviews 10,000", "openings", 10_000, counting="all words"),
    ]


def _others() -> list[Row]:
    return [
        *(Row(f"python {size:,}", "python", size) for size in (1500, 6000)),
        *(
            Row(f"baskets {size:,}", "baskets", size, counting="all words")
            for size in (1000, 10_000)
        ),
    ]


def _news(folder: str) -> list[Row]:
    return [
        Row(f"newswire {size:,}", "newswire", size, folder=folder) for size in (1000, 2500, 5500)
    ]
