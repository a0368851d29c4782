"""What a card says in each language: the fields' labels, directions and questions, and the card's own words.

The English texts of the fields are the contract's own.
"""

from __future__ import annotations

from .errors import UsageError
from .fields import FIELDS, NOT_SHOWN

LANGUAGES = ("en", "ja")

NOTHING_STORED = "(no coglog found)"
"""What a reader gets where nothing is stored; clients compare it, so it is the same in every language."""

WORDS = {
    "en": {
        **{f"{field.name}.label": field.label for field in FIELDS},
        **{f"{field.name}.question": field.question for field in FIELDS},
        **{f"direction.{field.direction}": field.direction for field in FIELDS if field.direction},
        "card.turn": "Turn {turn_id}",
        "card.session": "session",
        "card.fact": "Fact layer",
        "card.interpretation": "Interpretation layer",
        "card.empty": "(empty)",
        "card.missing": "(missing) not in this entry",
        "card.hidden": NOT_SHOWN,
        "card.before": "a turn ago",
        "card.now": "now",
        "card.changed": "changed",
    },
    "ja": {
        "user.label": "ユーザー",
        "thinking.label": "思考",
        "assistant.label": "アシスタント",
        "current_focus.label": "いまの焦点",
        "theory_of_mind.label": "相手の心の推測",
        "self_narrative.label": "自己の語り",
        "annotation.label": "次への覚え書き",
        "user.question": "ユーザーの発言そのまま",
        "thinking.question": "AIの思考過程の全文",
        "assistant.question": "AIの返答そのまま",
        "current_focus.question": "いま何に取り組んでいますか？",
        "theory_of_mind.question": "ユーザーはいまどんな状態ですか？",
        "self_narrative.question": "この瞬間の「わたし」は誰ですか？",
        "annotation.question": "次に何をすべきですか？",
        "direction.present": "現在",
        "direction.other": "他者",
        "direction.self": "自己",
        "direction.future": "未来",
        "card.turn": "ターン {turn_id}",
        "card.session": "セッション",
        "card.fact": "事実の層",
        "card.interpretation": "解釈の層",
        "card.empty": "（空欄）",
        "card.missing": "（欠落）このエントリにはありません",
        "card.hidden": "（非表示）",
        "card.before": "1つ前のターン",
        "card.now": "現在のターン",
        "card.changed": "変更あり",
    },
}
"""The texts by language and key."""


def checked_language(lang: str) -> str:
    """Return the language.

    Raises
    ------
    UsageError
        If it is unknown; the message names the known ones.
    """
    if lang not in LANGUAGES:
        raise UsageError(f"no such language: {lang!r}; there are {' and '.join(LANGUAGES)}")
    return lang


def field_table(lang: str = "en") -> list[dict[str, str]]:
    """Return the seven fields as the viewer takes them.

    Parameters
    ----------
    lang : str, optional
        The language of labels, directions and questions: ``"en"`` or ``"ja"``.

    Returns
    -------
    list of dict
        For each field its name, label, layer, direction (empty for a fact) and question.

    Raises
    ------
    UsageError
        If there is no such language.
    """
    words = WORDS[checked_language(lang)]
    return [
        {
            "name": field.name,
            "label": words[f"{field.name}.label"],
            "layer": field.layer,
            "direction": words[f"direction.{field.direction}"] if field.direction else "",
            "question": words[f"{field.name}.question"],
        }
        for field in FIELDS
    ]
