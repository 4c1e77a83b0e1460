"""From a phrase in any script to a folder name that is safe on every system."""

import re
import unicodedata

from envgen.core.digest import digest
from envgen.core.errors import UsageError

LONGEST = 200
_WORD = re.compile(r"[^a-z0-9]+")
_PATH = re.compile(r"^[.~/\\]|\\|\.\.|^[A-Za-z]:|://|\.(db|sqlite3?|json|jsonl|sql|csv)$", re.IGNORECASE)
_RESERVED = re.compile(r"^(con|prn|aux|nul|com[0-9]|lpt[0-9])$")
_LETTERS = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґαβγδεζηθικλμνξοπρσςτυφχψωßæøœłđþð",
        "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i i ie g "
        "a v g d e z i th i k l m n x o p r s s t y f ch ps o ss ae o oe l d th d".split(),
        strict=True,
    )
)


def check_phrase(phrase: str) -> str:
    """Return a domain phrase with its spaces tidied. UsageError when it is no phrase: empty, too short or long, or a path."""
    text = " ".join(unicodedata.normalize("NFC", phrase).split())
    if not text:
        raise UsageError('--domain is empty: say what business it is, such as --domain "public library"')
    if len(text) > LONGEST:
        raise UsageError(f"--domain has {len(text)} characters, at most {LONGEST} make a phrase: name the business in a few words")
    if _PATH.search(text):
        raise UsageError(f'--domain {text!r} looks like a path; it takes a phrase, such as "public library"')
    if any(unicodedata.category(sign) in ("Cc", "Cs", "Co", "Cn") for sign in text):
        raise UsageError("--domain holds control characters: name the business in a few words")
    if sum(sign.isalpha() for sign in text) < 2:
        raise UsageError(f'--domain {text!r} is too short to say what business it is; try "public library"')
    return " ".join(text.replace("/", " ").split())


def slug(phrase: str) -> str:
    """Return a folder name for `phrase`: lower-case words joined by hyphens, at most 60 characters.

    What Latin letters cannot show is transliterated where an alphabet allows it, and a short hash keeps the name unique.
    """
    folded = phrase.casefold()
    plain = "".join(_transliterate(sign) for sign in folded)
    name = _WORD.sub("-", plain).strip("-")
    whole = _WORD.sub("-", _strip_accents(folded)).strip("-")
    if name != whole or len(name) > 60 or not name:
        name = f"{name[:50].rstrip('-')}-{digest(phrase, size=3)}".lstrip("-")
    return f"{name}-env" if _RESERVED.fullmatch(name) else name


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


def _transliterate(sign: str) -> str:
    if sign in _LETTERS:
        return _LETTERS[sign].strip("_")
    return "".join(_LETTERS.get(part, part) for part in _strip_accents(sign)).strip("_")
