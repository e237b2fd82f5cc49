"""20 Newsgroups, the "bydate" version: 18,846 posts of 1993 in twenty groups, with the official
split by date.

Collected by Ken Lang; posts remain their authors', for research use.
"""

from __future__ import annotations

import re

import polars as pl

from undertow._errors import InvalidInput
from undertow.datasets._official import Official, Place
from undertow.datasets._post import strip_post
from undertow.datasets._source import Folder, load

GROUPS = {  # documents in train and in test
    "alt.atheism": (480, 319),
    "comp.graphics": (584, 389),
    "comp.os.ms-windows.misc": (591, 394),
    "comp.sys.ibm.pc.hardware": (590, 392),
    "comp.sys.mac.hardware": (578, 385),
    "comp.windows.x": (593, 395),
    "misc.forsale": (585, 390),
    "rec.autos": (594, 396),
    "rec.motorcycles": (598, 398),
    "rec.sport.baseball": (597, 397),
    "rec.sport.hockey": (600, 399),
    "sci.crypt": (595, 396),
    "sci.electronics": (591, 393),
    "sci.med": (594, 396),
    "sci.space": (593, 394),
    "soc.religion.christian": (599, 398),
    "talk.politics.guns": (546, 364),
    "talk.politics.mideast": (564, 376),
    "talk.politics.misc": (465, 310),
    "talk.religion.misc": (377, 251),
}


def _place(match: re.Match[str]) -> Place:
    split, group, number = match.groups()
    return Place(id=f"{split}/{group}/{number}", split=split, label=group, number=int(number))


OFFICIAL = Official(
    name="20newsgroups",
    url="http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz",
    encoding="latin-1",  # 73 posts are not ASCII, and none is UTF-8
    member=re.compile(r"(?:\./)?20news-bydate-(train|test)/([a-z][a-z.-]{0,30})/([0-9]{1,9})"),
    place=_place,
    counts={
        (split, group): counts[index]
        for index, split in enumerate(("train", "test"))
        for group, counts in GROUPS.items()
    },
    # content_digest of the copy that was compared, post by post, with two other public copies
    digest="fb4863281328e161bf3590b4f1801778b16cb377cacfe1b4d06754474c84d1ce",
    largest_archive=64 << 20,  # it has about 14 MB
    largest_unpacked=256 << 20,
    largest_document=1 << 20,  # the longest post has 161 kB
)


def load_20newsgroups(
    *,
    split: str | None = None,
    headers: bool = True,
    quotes: bool = True,
    signatures: bool = True,
    cache: Folder | None = None,
    progress: bool = True,
) -> pl.DataFrame:
    """20 Newsgroups (bydate): posts to twenty groups, with the official split.

    The posts are read from `20newsgroups.parquet` in the folder that the environment variable
    `UNDERTOW_DATA` names; else from the cache; else the official archive is downloaded, checked and
    kept in the cache.

    Parameters
    ----------
    split : {"train", "test"} or None
        The training part (11,314 posts), the test part (7,532), or both.
    headers, quotes, signatures : bool
        False removes that part of every post; `undertow.datasets._post.strip_post` has the rules. A
        post of which nothing is left stays in the table with an empty text, so that rows and
        numbers are always the same.
    cache : path or None
        Folder for the download. None: the one that `UNDERTOW_CACHE` names, else
        `~/.cache/undertow`.
    progress : bool
        Whether a download shows a bar on standard error.

    Returns
    -------
    polars.DataFrame
        The string columns id, split, label and text, sorted by split, label and number.

    Raises
    ------
    InvalidInput
        For a split that there is not, or an archive that is not the official one.

    Examples
    --------
    >>> from undertow.datasets import load_20newsgroups
    >>> posts = load_20newsgroups(split="train")  # doctest: +SKIP
    >>> posts.columns  # doctest: +SKIP
    ['id', 'split', 'label', 'text']
    """
    kept = {"headers": headers, "quotes": quotes, "signatures": signatures}
    for name, value in kept.items():
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} must be True (keep) or False (strip), got {value!r}")
    documents = load(OFFICIAL, split=split, cache=cache, progress=progress)
    if all(kept.values()):
        return documents
    texts = [
        strip_post(text, headers=headers, quotes=quotes, signatures=signatures)
        for text in documents["text"]
    ]
    return documents.with_columns(pl.Series("text", texts, dtype=pl.String))
