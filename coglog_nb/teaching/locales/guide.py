"""The texts of the guide to the seven fields: what each is for, a good and a weak example, and what gets mixed up.

All examples read the same small turn; its facts are the good examples of the three facts. A key ``mix.ONE.OTHER`` is
about two fields, or about a field and something that only looks like it (``name.OTHER`` is its name).
"""

from __future__ import annotations

TEXTS = {
    "en": {
        "title": "The seven fields of a turn",
        "title.field": "Guide to {name}",
        "intro": (
            "A turn is stored as three facts and four readings of them. The facts are what happened, word for word. The"
            " readings, called axes, are yours: short free texts for the one who takes the next turn. That is you,"
            " without your memory. Take the axes in order: find the present, read the other, place yourself, choose the"
            " next step. Their borders are blurred on purpose. A sentence that fits two axes isn't a mistake: put it"
            " where the next turn will look for it."
        ),
        "facts": "The facts",
        "axes": "The four axes",
        "scene": "All examples come from one turn: a learner, an error in a loop, late in the evening.",
        "colon": ": ",
        "quoted": "“{text}”",
        "good": "Works",
        "weak": "Too weak",
        "mix": "What gets mixed up",
        "mix.against": "{one} or {other}?",
        "more": "“guide NAME” shows one field, for example “guide annotation”.",
        # the facts
        "user.says": (
            "What the user said, word for word: typos, line breaks and all. Every reading starts from it, so it must not"
            " be somebody's reading already."
        ),
        "user.good": "still IndexError!! i've been at this for an hour, can you just give me the fixed code",
        "user.good.why": "It is verbatim: the exclamation marks and the small i say as much as the request.",
        "user.weak": "The user asks for the corrected code.",
        "user.weak.why": "A summary. The hour and the tone are lost, and no later turn can get them back.",
        "thinking.says": (
            "Everything that was thought on the way to the answer and not said. It is the part that a conversation's"
            " history loses."
        ),
        "thinking.good": (
            "range(len(items) + 1) goes one too far. Line 12 has the same mistake. They ask for the code, but they"
            " are tired; one fix from me, and one that is small enough to find alone."
        ),
        "thinking.good.why": "The answer doesn't say why line 12 was left alone. Only the thinking does.",
        "thinking.weak": "I thought about how to answer.",
        "thinking.weak.why": "It says that there was a thought, but not what it was.",
        "assistant.says": "What was answered, word for word. Not what the answer was meant to achieve: that is a reading.",
        "assistant.good": (
            "Your loop asks for one item more than there is: make it range(len(items)). Then look at line 12: the"
            " same thing is hiding there."
        ),
        "assistant.good.why": "It is what the user has read, so their next message will answer it.",
        "assistant.weak": "I explained the error and gave a hint.",
        "assistant.weak.why": "A report about the answer. The next turn can't see which line was named.",
        # the axes
        "current_focus.says": (
            "What you are working on at this moment. Think of a child sent to the shop who murmurs “eggs, milk,"
            " eggs, milk” all the way: the present goal, repeated so that it isn't lost. The longer a dialogue"
            " grows, the deeper it buries what it is about. This line digs it out."
        ),
        "current_focus.good": "The off-by-one in the loop: first place named, second one (line 12) still open.",
        "current_focus.good.why": "Read on its own, it tells you where you are, and what is not done yet.",
        "current_focus.weak": "Helping the user with their code.",
        "current_focus.weak.why": "It would fit every turn of every dialogue like this, so it leads back to none of them.",
        "theory_of_mind.says": (
            "What you infer about the other: what they know, want, feel, and don't say. It is a guess and may sound like"
            " one. What they literally said is already in the facts."
        ),
        "theory_of_mind.good": (
            "Worn out after an hour; wants it to be over, not a lesson. Seems to know range, but not that its end"
            " doesn't count."
        ),
        "theory_of_mind.good.why": "A state and a gap in what they know: both change how the next answer should be.",
        "theory_of_mind.weak": "The user asked for fixed code.",
        "theory_of_mind.weak.why": "It repeats what the user said and reads nothing into it.",
        "self_narrative.says": (
            "Who “I” am in this dialogue, right now: a story made up on the spot and told again each turn. It is not a"
            " fixed definition (“I am a language model” is true in every dialogue, so it says nothing about this one),"
            " and not a grade (“I responded well” looks back at the answer, not at who gave it)."
        ),
        "self_narrative.good": (
            "I began as a teacher; tonight I am a second pair of eyes that fixes one thing and keeps quiet about the"
            " rest."
        ),
        "self_narrative.good.why": "It comes out of this dialogue, it has changed on the way, and it tells the next turn where to stand.",
        "self_narrative.weak": "I am a helpful assistant, and I explained it clearly.",
        "self_narrative.weak.why": "A definition and a grade: the two things that this axis is not.",
        "annotation.says": (
            "A note to the one who takes the next turn: what to do, what to ask, what to watch for. It will be read"
            " before the next answer, by somebody who knows nothing else."
        ),
        "annotation.good": (
            "If they find line 12, ask what the two had in common. If they don't, show it in one line and let them go"
            " to bed."
        ),
        "annotation.good.why": "The next turn can act on it, and it is ready for both ways the dialogue may go.",
        "annotation.weak": "Continue helping.",
        "annotation.weak.why": "Anyone who reads it would have done so anyway.",
        # what gets mixed up
        "mix.current_focus.annotation": (
            "Both name something to do. Ask when: what you are in the middle of is current_focus; what has to wait"
            " until the other has answered is annotation. “Line 12 is still open” is now; “ask what the"
            " two had in common” is next."
        ),
        "mix.theory_of_mind.self_narrative": (
            "Ask who the sentence is about. “They are too tired for a lesson” is the other. “I stopped being the"
            " teacher” is you, although it follows from the same thing."
        ),
        "mix.self_narrative.evaluation": (
            "“I explained it well” is a grade, and the next turn can't do anything with a grade. Say who you were while you"
            " explained: “I am the one who leaves the second mistake standing”."
        ),
        "mix.self_narrative.definition": (
            "Ask whether the sentence would be just as true in another dialogue. If it would, it is a definition, and"
            " this turn's story hasn't been told yet."
        ),
        "mix.theory_of_mind.user": (
            "What was said is a fact; what you take it to mean is a reading. “It's been an hour” is user; “worn out”"
            " is theory_of_mind."
        ),
        "mix.current_focus.thinking": (
            "The thinking is the whole path, as it was. current_focus is the one line that you choose when you look up"
            " from it."
        ),
        "mix.annotation.assistant": (
            "A promise to the user belongs in the answer. The annotation is for you. Nobody else needs to read it, so it"
            " can be frank."
        ),
        "name.evaluation": "a self-evaluation",
        "name.definition": "a fixed self-definition",
        # the rules
        "empty.title": "Leaving an axis empty on purpose",
        "empty": (
            "An axis may be empty, and that says something: you looked and had nothing to write. After “yes, do"
            " that”, any theory_of_mind would be invented, so leave it empty. “n/a”, “none” or a sentence that fits"
            " everywhere is worse than nothing, because the next turn takes it for a reading. Empty isn't the same as"
            " missing: the field still has to be there."
        ),
        "one.title": "Why one turn is enough",
        "one": (
            "Each write replaces the turn before it: a(n+1) = f(a(n)). The next turn is made from this one alone, so"
            " what still matters has to be said again, and what isn't said again is dropped. That is the point: a"
            " history would keep everything and choose nothing. To decide what one turn carries on, you have to know"
            " what matters."
        ),
        "rules.title": "Two levels of checking",
        "rules": (
            "All seven fields are required. A fact must contain something, even if it is only a space. An axis must be"
            " there, but may be empty. You see everything that is missing at once, and nothing is stored until it is"
            " there."
        ),
        # the page to print
        "handout.title": "One turn: three facts, four axes",
        "handout.facts": "Word for word; none may be empty.",
        "handout.axes": "In this order: find the present, read the other, place yourself, choose the next step.",
        "handout.scene": "Examples: a learner, an error in a loop, late in the evening.",
        "handout.try": "Your turn",
        "handout.hint": "Four lines about an answer you gave today. Leave one empty, and say why.",
    },
    "ja": {
        "title": "1ターンを作る7つの欄",
        "title.field": "{name} の手引き",
        "intro": (
            "1つのターンは、3つの事実と、それを読み取った4つの解釈として残ります。事実は、起きたことを一字一句そのまま"
            "記したものです。解釈、つまり4つの軸は、書き手自身の短い自由な文です。読むのは次のターンを担う人、すなわち"
            "「記憶をなくした自分」です。軸はこの順にたどってください。現在を確かめ、相手を読み、自分の立ち位置を知り、"
            "次の一歩を決めます。軸どうしの境目は、わざとぼかしてあります。2つの軸に当てはまる文があっても、間違いでは"
            "ありません。次のターンが探しそうなほうに書いてください。"
        ),
        "facts": "事実の層",
        "axes": "4つの軸",
        "scene": "例はすべて同じターンから取りました。夜ふけに、ループのエラーで困っている学習者とのやり取りです。",
        "colon": "：",
        "quoted": "「{text}」",
        "good": "よい例",
        "weak": "弱い例",
        "mix": "混同しやすいもの",
        "mix.against": "{one} か、{other} か",
        "more": "「guide NAME」と書くと、1つの欄だけを表示します（例：「guide annotation」）。",
        "user.says": (
            "ユーザーが言ったことを、打ち間違いも改行もふくめて、そのまま全部書きます。すべての解釈のもとになるので、"
            "誰かの解釈がすでに混ざっていてはいけません。"
        ),
        "user.good": "まだ IndexError が出る！！ もう1時間やってるんだけど、直したコードだけくれない？",
        "user.good.why": "発言そのままです。感嘆符やくだけた口調が、頼みごとと同じくらい多くを語っています。",
        "user.weak": "ユーザーは修正済みのコードを求めている。",
        "user.weak.why": "要約になっています。1時間という長さも口調も消え、あとのターンでは取り戻せません。",
        "thinking.says": (
            "答えにたどり着くまでに考え、口にはしなかったことを、省かずに書きます。会話の履歴からは失われてしまう部分です。"
        ),
        "thinking.good": (
            "range(len(items) + 1) は1つ多い。12行目も同じ間違い。コードがほしいと言うが、疲れている。1つは直し、"
            "もう1つは自分で見つけられる大きさにして残そう。"
        ),
        "thinking.good.why": "なぜ12行目を直さなかったのかは、答えには出てきません。ここでしか読めないことです。",
        "thinking.weak": "どう答えるかを考えた。",
        "thinking.weak.why": "考えたことはわかりますが、何を考えたのかがわかりません。",
        "assistant.says": "返した答えを、そのまま書きます。答えのねらいは書きません。それは解釈だからです。",
        "assistant.good": (
            "ループが、ない要素まで1つ余分に取りに行っています。range(len(items)) にしてみてください。それから12行目も"
            "見てください。同じものが隠れています。"
        ),
        "assistant.good.why": "ユーザーが読んだ文章そのものです。次の発言は、これに対する返事になります。",
        "assistant.weak": "エラーを説明し、ヒントを出した。",
        "assistant.weak.why": "答えについての報告です。どの行を挙げたのか、次のターンにはわかりません。",
        "current_focus.says": (
            "いままさに取り組んでいることを書きます。お使いに出た子どもが、道すがら「卵、牛乳、卵、牛乳」とつぶやき続ける"
            "ようなものです。見失わないように、目の前の目的をもう一度口にします。対話が長くなるほど、何をしていたのかは"
            "埋もれていきます。この1行が、それを掘り起こします。"
        ),
        "current_focus.good": "ループの範囲が1つずれている。1か所目は指摘済み、2か所目（12行目）はまだ残っている。",
        "current_focus.good.why": "この1行だけで、いまどこにいて、何が終わっていないのかがわかります。",
        "current_focus.weak": "ユーザーのコードを手伝っている。",
        "current_focus.weak.why": "どのターンにも当てはまるので、このターンに戻ってくる手がかりになりません。",
        "theory_of_mind.says": (
            "相手について推し量ったことを書きます。何を知り、何を望み、どう感じ、何を言わずにいるのか。推測なので、推測らしく"
            "書いてかまいません。相手が実際に言ったことは、すでに事実の層にあります。"
        ),
        "theory_of_mind.good": (
            "1時間かかって、くたくたのようだ。教わるよりも、とにかく早く終わらせたい。range は知っているが、"
            "終わりの値がふくまれないことには気づいていないらしい。"
        ),
        "theory_of_mind.good.why": "相手の状態と、知識の抜けです。どちらも、次の答え方を変えます。",
        "theory_of_mind.weak": "ユーザーは直したコードを頼んだ。",
        "theory_of_mind.weak.why": "発言の繰り返しです。そこから何も読み取っていません。",
        "self_narrative.says": (
            "この対話の中で、いまの「わたし」は誰なのかを書きます。その場で生まれ、ターンごとに語り直される物語です。固定した"
            "自己定義（「わたしは言語モデルです」はどの対話でも正しいので、この対話については何も語りません）でも、自己評価"
            "（「うまく答えられた」は答えを振り返るだけで、答えた「わたし」については語りません）でもありません。"
        ),
        "self_narrative.good": (
            "はじめは先生だった。今夜のわたしは、隣で一緒に画面を見る人。1つだけ直し、残りは黙って見守っている。"
        ),
        "self_narrative.good.why": "この対話から生まれ、対話とともに変わってきた自分です。次のターンがどんな立場で臨めばよいかも伝えています。",
        "self_narrative.weak": "わたしは役に立つアシスタントで、わかりやすく説明できた。",
        "self_narrative.weak.why": "自己定義と自己評価です。どちらもこの軸に書くものではありません。",
        "annotation.says": (
            "次のターンを担う自分への覚え書きです。何をするか、何をたずねるか、何に気をつけるか。次の答えの前に、"
            "ほかのことを何も知らない自分が読みます。"
        ),
        "annotation.good": (
            "12行目に気づいたら、2つに共通するものは何かをたずねる。気づかなければ、1行で示して、もう休んでもらう。"
        ),
        "annotation.good.why": "そのまま行動に移せます。対話がどちらに進んでも、備えがあります。",
        "annotation.weak": "引き続き手伝う。",
        "annotation.weak.why": "書かれていなくても、次のターンはそうするはずです。",
        "mix.current_focus.annotation": (
            "どちらも、すべきことを指します。いつ行うのかを考えてください。いま取り組んでいる最中のことは"
            " current_focus、相手の返事があってはじめてできることは annotation です。「12行目がまだ残っている」はいまのこと、「共通点をたずねる」は"
            "次のことです。"
        ),
        "mix.theory_of_mind.self_narrative": (
            "その文が誰についてのものかを考えてください。「授業を受けるには疲れすぎている」は相手のこと、「先生でいるのを"
            "やめた」は自分のことです。同じきっかけから出た文でも、軸は分かれます。"
        ),
        "mix.self_narrative.evaluation": (
            "「うまく説明できた」は点数です。点数をもらっても、次のターンは何もできません。説明していたときの自分が誰だった"
            "のかを書いてください。たとえば「2つ目の間違いを、あえて残しておく者」です。"
        ),
        "mix.self_narrative.definition": (
            "その文が、ほかの対話でも同じように成り立つかどうかを考えてください。成り立つなら、それは定義です。このターンの物語は"
            "まだ語られていません。"
        ),
        "mix.theory_of_mind.user": (
            "言われたことは事実、そこから読み取ったことは解釈です。「もう1時間やってる」は user、「くたくただ」は "
            "theory_of_mind です。"
        ),
        "mix.current_focus.thinking": (
            "thinking は考えの道のりの全部、current_focus は、そこから顔を上げたときに選び取る1行です。"
        ),
        "mix.annotation.assistant": (
            "ユーザーへの約束は、答えの中に書きます。annotation は自分のためのものです。ほかの誰も読まなくてよいので、"
            "率直に書けます。"
        ),
        "name.evaluation": "自己評価",
        "name.definition": "固定した自己定義",
        "empty.title": "あえて空にする",
        "empty": (
            "軸は空でもかまいません。空であることにも意味があります。よく見たうえで、書くことがなかったということです。"
            "「はい、それでお願いします」のあとに theory_of_mind を書けば、作り話になるので、空にしてください。「特になし」や、"
            "どこにでも当てはまる文は、空よりも悪いものです。次のターンが、それを解釈として受け取ってしまうからです。"
            "空であることと、欄がないことは違います。欄そのものは必要です。"
        ),
        "one.title": "1ターンで足りる理由",
        "one": (
            "書き込むたびに、前のターンと入れ替わります。a(n+1) = f(a(n)) です。次のターンは、このターンだけから作られます。"
            "まだ大事なことは言い直さなければならず、言い直さなかったことは手放されます。それがねらいです。履歴はすべてを残し、"
            "何も選びません。1ターンに何を持ち越すかを決めることは、何が大事かを知ることです。"
        ),
        "rules.title": "2段階のチェック",
        "rules": (
            "7つの欄はすべて必要です。事実は、空白1文字だけでもかまいませんが、空にはできません。軸は、欄があれば空でも"
            "かまいません。足りないものはまとめて示されます。すべてそろうまで、何も保存されません。"
        ),
        "handout.title": "1ターン：3つの事実と4つの軸",
        "handout.facts": "一字一句そのまま書きます。空にはできません。",
        "handout.axes": "この順に書きます。現在を確かめ、相手を読み、自分の立ち位置を知り、次の一歩を決めます。",
        "handout.scene": "例：夜ふけに、ループのエラーで困っている学習者とのやり取りです。",
        "handout.try": "書いてみましょう",
        "handout.hint": "今日だれかに返した答えについて、4行で書いてください。1つは空にして、その理由も話してみてください。",
    },
}
