"""Stop words of many languages: real sentences keep what they are about, and lists are as people
write.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
import Stemmer
import stopwordsiso
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from undertow import InvalidInput, Vectorizer
from undertow.cli.fit import _stop_words
from undertow.corpus.stop_words import CODES, LANGUAGES, words_of

WITHOUT_A_LIST = {"nepali", "serbian", "tamil", "yiddish"}
NO_LANGUAGES = {"porter", "dutch_porter"}

SENTENCES = {
    "german": (
        "Der Hund und die Katze liegen nicht auf dem Sofa.",
        {"hund", "katze", "liegen", "sofa"},
    ),
    "french": ("Aujourd'hui, il n'y a pas de lait dans la cuisine.", {"lait", "cuisine"}),
    "spanish": ("Los libros están en la mesa de la cocina.", {"libros", "mesa", "cocina"}),
    "italian": ("Il treno per Roma non è ancora partito.", {"treno", "roma", "partito"}),
    "russian": ("Мы не знали, что газета лежит на столе.", {"знали", "газета", "лежит", "столе"}),
    "turkish": ("Bu kitap ve defter çok pahalı.", {"kitap", "defter", "pahalı"}),
    "greek": (
        "Αυτό το βιβλίο είναι ακριβό, αλλά ήταν στη βιβλιοθήκη.",
        {"βιβλίο", "ακριβό", "βιβλιοθήκη"},
    ),
    "romanian": ("Câinele și pisica nu sunt în grădină.", {"câinele", "pisica", "grădină"}),
    "lithuanian": (
        "Mūsų knyga iš bibliotekos, bet ne aš ją skaičiau.",
        {"knyga", "bibliotekos", "skaičiau", "ją"},
    ),
    "hindi": ("यह किताब मेज पर है और नई है", {"किताब", "मेज", "नई"}),
    "arabic": ("هذا الكتاب على الطاولة في المكتبة", {"الكتاب", "الطاولة", "المكتبة"}),
    "finnish": ("Kirja ja kynä ovat pöydällä.", {"kirja", "kynä", "pöydällä"}),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_what_a_sentence_is_about_stays(language: str) -> None:
    sentence, words = SENTENCES[language]
    assert set(Vectorizer(stop_words=language).fit([sentence]).vocabulary_) == words


def test_english_is_the_list_of_scikit_learn() -> None:
    assert words_of("english") == tuple(sorted(ENGLISH_STOP_WORDS))


def test_every_language_of_the_stemmer_but_four_has_a_list() -> None:
    assert set(Stemmer.algorithms()) - set(LANGUAGES) == WITHOUT_A_LIST | NO_LANGUAGES
    assert set(CODES.values()) == stopwordsiso.langs()
    assert all(len(words_of(language)) >= 25 for language in LANGUAGES)


def test_words_beside_an_apostrophe_are_read_as_texts_are() -> None:
    assert {"aujourd", "hui", "quelqu", "celles"} <= set(words_of("french"))


@pytest.mark.parametrize("language", sorted(WITHOUT_A_LIST))
def test_a_language_without_a_list_is_refused_with_those_there_are(language: str) -> None:
    with pytest.raises(
        InvalidInput, match=f"one of afrikaans, .*, thai, .*, zulu, got '{language}'"
    ):
        Vectorizer(stop_words=language).fit(["text"])


@pytest.mark.parametrize(
    ("stop_words", "stemmer", "said"),
    [
        ("german", "english", 1),
        ("german", "german", 0),
        ("english", "porter", 0),
        ("dutch", "dutch_porter", 0),
        (["der"], "english", 0),
        ("german", None, 0),
    ],
)
def test_stop_words_of_another_language_than_the_stemmer(
    stop_words: str | list[str], stemmer: str | None, said: int, caplog: pytest.LogCaptureFixture
) -> None:
    model = Vectorizer(stop_words=stop_words, stemmer=stemmer)
    with caplog.at_level(logging.WARNING, logger="undertow"):
        model.fit(["Haus und Hof"]).partial_fit(["noch ein Haus"])
    assert len(caplog.records) == said


def test_the_command_line_takes_a_language_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("der\ndie das\n", encoding="utf-8")
    assert _stop_words("german") == "german"
    assert _stop_words(str(tmp_path / "words.txt")) == ["der", "die", "das"]
    assert _stop_words(None) is None


def test_the_readme_says_how_many() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"stop words of {len(LANGUAGES)} languages" in readme
    assert f"stems of {len(set(Stemmer.algorithms()) - NO_LANGUAGES)}," in readme


def test_the_page_on_languages_lists_them() -> None:
    text = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
    page = " ".join(text.split())  # lines are wrapped
    listed = re.search(r"Lists of stop words: (.*?)\. ", page)
    assert listed is not None
    assert tuple(listed[1].split(", ")) == LANGUAGES
    missing = re.search(r"the stemmer knows (.*?), which have none", page)
    assert missing is not None
    assert set(missing[1].replace(" and ", ", ").split(", ")) == WITHOUT_A_LIST
