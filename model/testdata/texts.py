"""The texts that the Go package and the reference are compared on, as bytes: some aren't valid UTF-8."""

import random
import unicodedata

CORPUS = """
send an email to the team with the weekly report
create a branch in the repository and open a pull request
list all events of my calendar for the next seven days
search the web for the weather in Vilnius tomorrow
delete the file and empty the trash, then tell me how much space is free
Sukurk naują šaką saugykloje ir atidaryk užklausą
Išsiųsk laišką komandai su savaitės ataskaita
Zeige alle Termine meines Kalenders für die nächste Woche
Lösche die Datei und leere den Papierkorb
Buscar en la web el tiempo de mañana en Sevilla
Créer une branche dans le dépôt, puis ouvrir une demande
Wyślij wiadomość do zespołu z tygodniowym raportem
создать ветку в репозитории и открыть запрос
показать все события календаря на следующую неделю
チームに週報をメールで送る
リポジトリにブランチを作成する
在仓库中创建一个分支并打开请求
搜索明天的天气预报
팀에 주간 보고서를 이메일로 보내기
저장소에 브랜치를 만들기
أرسل رسالة إلى الفريق مع التقرير الأسبوعي
ابحث في الويب عن الطقس غدا
שלח הודעה לצוות עם הדוח השבועי
टीम को साप्ताहिक रिपोर्ट भेजें
कल के मौसम के लिए वेब पर खोजें
ส่งอีเมลถึงทีมพร้อมรายงานประจำสัปดาห์
στείλε ένα μήνυμα στην ομάδα με την εβδομαδιαία αναφορά
Gửi thư cho nhóm với báo cáo hằng tuần
get_user_by_id list_messages createIssue update-page files.read (draft) [x] {y} "z" 1 2 3 42 2024-05-06
"""

# A text, or a text and how many times it stands in a row.
TORTURE = [
    "",
    " ",
    "     ",
    "a",
    "send an email",
    "Send An EMAIL!",
    "  two  spaces   in front, between and  behind   ",
    "tab\tnew\nline\r\ncarriage\rvertical\vform\ffeed",
    "\tleading tab",
    "no\u00a0break\u2007figure\u202fnarrow\u3000ideographic\u2003em\u1680ogham",
    "zero\u200bwidth\u200cnon\u200djoiner\u2060word\ufeffjoiner",
    "soft\u00adhyphen left\u200eto\u200fright \u202aembedded\u202c \u2066isolated\u2069",
    "line\u2028paragraph\u2029next\u0085line",
    "NUL\x00in\x00side",
    "\x00",
    "\x01\x02\x08\x0b\x1b[31mred\x7f\x8f\x9f",
    "Sukurk naują šaką saugykloje",
    "Zażółć gęślą jaźń",
    "İstanbul ISPARTA ısı I i ẞ ß",
    "ΣΊΣΥΦΟΣ στείλε",
    "создать ветку Ёлка ёлка",
    "日本語のテキストを検索する",
    "リポジトリにﾌﾞﾗﾝﾁを作成する",
    "在仓库中创建一个分支，并打开请求。",
    "𠀀𠮷 rare ideographs 〇〻",
    "팀에 주간 보고서를 보내기",
    "\u1110\u1175\u11b7\u110b\u1166 conjoining jamo \u1100\u1161\u11a8",
    "ﾊﾝｸﾞﾙ ㄱㄴㄷ ㈀ ㉠ half-width ﾡﾢ",
    "مرحبا بالعالم، أرسل رسالة",
    "ﷺ ﷲ ﻻ العَرَبِيَّة",
    "שלום עולם שָׁלוֹם",
    "हिन्दी में खोज क्षत्रिय ज्ञान क\u093c ड़",
    "தமிழ் நாடு കേരളം తెలుగు ಕನ್ನಡ বাংলা ગુજરાતી",
    "ส่งอีเมลถึงทีม กำ น้ำ",
    "ພາສາລາວ ភាសាខ្មែរ မြန်မာ བོད་ཡིག",
    "Gửi thư cho nhóm — tiếng Việt",
    "e\u0301 a\u0308 n\u0303 o\u0308\u0304 combining, é ä ñ ȫ composed",
    "Z\u0335\u0321\u034c\u0351a\u0336\u0322\u0308l\u0337\u0328\u030ag\u0334\u0327\u0306o",
    ("q", "\u0301" * 40),
    "\u200d\u0301 ﬁrst a mark whose neighbour becomes a space that is stripped",
    "\u0301 a mark alone \u0338",
    "😀 👍🏽 👩‍👩‍👧‍👦 🇱🇹🇯🇵 ❤️ ☎︎ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "ｆｕｌｌ ｗｉｄｔｈ ＡＢＣ １２３ ！？",
    "ﬁ ﬂ ﬀ ﬃ ﬅ ligatures ĳ ǆ œ æ",
    "½ ² ³ ₂ ™ ℃ № Ⅷ ⑩ ㍿ ㌔ ㎏ ℡",
    "𝓼𝓬𝓻𝓲𝓹𝓽 𝔣𝔯𝔞𝔨𝔱𝔲𝔯 𝟙𝟚𝟛 Ａ\u030a Å Å",
    "“quotes” ‘single’ «guillemets» … — – ‐ ‑ ⁃",
    "getUserById list_messages files.read update-page a/b\\c",
    "https://example.com/a?b=c&d=%20#e name@example.com",
    "2024-05-06T07:08:09Z 3.14 1,000,000 -42 0x1F 1e-9 $5 50%",
    "! \" # $ % & ' ( ) * + , - . / : ; < = > ? @ [ ] ^ _ ` { | } ~",
    "!!! ??? ... --- *** (((a)))",
    "<s> hello </s>",
    "<s>hello</s><pad><unk>",
    "<unk> and <unk>é and unknown",
    "a <mask> b<mask>c  <mask>  d",
    "ask <Tool> or <tool>, a Toolbox, TOOL-box toolbox tool",
    "name=TOOLBOX1 toolbox\u0301 toolbox",
    "<0x41> <0xE2>",
    "\u2581 already \u2581marked\u2581",
    "\ufffd replacement \ufffd\ufffd",
    "\ue000 private \U000f0000 use \U0010fffd",
    "ꙮ 𓀀𓀁𓀂 𐎠𐎡 unknown scripts ᚠᚢᚦ",
    "\uffff\ufdd0 noncharacters",
    ("word ", 700),
    ("a", 10_000),
    ("字", 10_000),
    ("😀", 3_000),
    ("𓀀", 5_000),
    ("é ", 2_000),
    b"\xff\xfe broken \xc3 and \xc3\x28",
    b"cut \xe2\x82 in \xf0\x9f\x98 the middle\xe2",
    b"\xed\xa0\x80 surrogate \xf4\x90\x80\x80 too large \xc0\x80 overlong \xf8\x88\x80\x80\x80",
    b"\xe0\x80\xaf \xf0\x80\x80\xaf \x80\x80\x80",
]


def torture():
    """Every text as (bytes, times): some are one text many times in a row."""
    for text in TORTURE:
        times = 1
        if isinstance(text, tuple):
            text, times = text
        if isinstance(times, str):
            text, times = text + times, 1
        yield text if isinstance(text, bytes) else text.encode(), times


def random_texts(count, seed):
    """Texts of characters from everywhere, more of them from the corpus."""
    draw = random.Random(seed)
    words = CORPUS.split()
    # Only characters of Unicode 3.2: the reference's parts and Go follow different later versions.
    everywhere = [chr(c) for c in range(0x30000) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs")]
    special = ["<s>", "<mask>", " ", "  ", "\u0301", "\u200d", "\r\n", "\u2581", "\x00", "toolbox", "<Tool>"]
    for _ in range(count):
        parts = []
        for _ in range(draw.randrange(1, 30)):
            kind = draw.random()
            if kind < 0.5:
                parts.append(draw.choice(words) + draw.choice(["", " "]))
            elif kind < 0.75:
                parts.append(draw.choice(special))
            else:
                start = draw.randrange(len(everywhere))
                parts.append("".join(draw.sample(everywhere[start : start + 100], min(100, len(everywhere) - start, draw.randrange(1, 4)))))
        yield "".join(parts).encode(), 1
