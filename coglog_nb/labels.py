"""The labels, directions and questions of the seven fields; the English ones are the contract's own."""

from __future__ import annotations

from .fields import FIELDS

WORDS = {
    "en": {
        **{f"{field.name}.label": field.label for field in FIELDS},
        **{f"{field.name}.question": field.question for field in FIELDS},
        **{f"direction.{field.direction}": field.direction for field in FIELDS if field.direction},
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
    },
}
