"""Words of other languages than English for what training logs tell: a loss, an error, a part of the data, an epoch.

Words are inflected and put together, so that most are known by what they begin with; accents and case are gone.
"""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize

from curvedoc.core.late_regex import late_regex

#: The marks of Latin, Greek and Cyrillic letters; those of Japanese make another letter and stay.
_ACCENT = late_regex("[\u0300-\u036f]")
#: A letter with a stroke is no letter with an accent to Unicode.
_STROKES = {ord("ł"): "l", ord("Ł"): "L"}
#: Signs that stand on or behind letters of India, Thailand, Arabia and Israel, and are no letters of their own.
SIGNS = "\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
#: What a loss and an error are called, by what the words begin with, or whole.
_LOSS = r"gubita?k|rugi(?![^\W_])|pierder|kayb|kay[iı]p|kerugian|veszteseg|verlust|verlies|forlust|ztrat|havio|perdua"
_ERROR = r"eroar|hatas[iı]|chyb[ayeu]|galat(?![^\W_])|virhe|hiba|fejl|feil|greska|fehler|fout|b[lł]ad"
_LOSS_ABROAD = "загуб|втрат|потер|лосс|απωλει|خسار|הפסד|हानि|สูญเสีย|mat[ _]mat|損失|损失|손실"
_VIETNAMESE = r"(?<![^\W_])loi(?=[ _]+(?:huan|kiem|xac|train|val|test))"
_ERROR_ABROAD = rf"похибк|помилк|грешк|ошибк|σφαλμα|خط[اأ]|שגיא|त्रुटि|ผิดพลาด|{_VIETNAMESE}|误差|誤差|오차"
#: Shares of right answers.
_ACCURACY = (
    "presnost|tarkkuu|noggrannhet|n[oø][yi]aktighet|n[oø]jagtighed|pontossag|acuratet|tocnost|akurasi|dokladnost"
    "|ακριβει|דיוק|دقة|دقت|सटीकता|แม่นยำ|точніст"
)
#: Words too short to be told without what stands beside them.
_BESIDE_SPLIT = r"(?:ning|ring|test)s?(?:ta[pb]|fel)(?![^\W_])|(?<![^\W_])ta[pb](?=[ (_]+(?:tr|val|test))"
#: What tells an outcome in a key without accents; and pieces of those of plain letters, quickly found.
OUTCOMES = f"{_ACCURACY}|{_LOSS}|{_ERROR}|{_BESIDE_SPLIT}|{_LOSS_ABROAD}|{_ERROR_ABROAD}"
OUTCOME_PIECES = (
    r"gubit|pierd|eroar|kayb|kayip|hatasi|chyb|kerug|galat|virhe|hiba|fejl|feil|testfel|testta"
    r"|\bta[pb]\b|gresk|presnost|tarkkuu|grannhet|aktighe|agtighed|pontoss|acuratet|tocnost|akurasi|dokladnost"
)
#: The data that training sees and data that it does not see, by what their words begin with; what may follow in one
#: word with it, as Germanic and Finnic languages write it.
_END = rf"[^\W_]*?s?(?:(?=(?:{_LOSS}|{_ERROR}|fel(?![^\W_])|ta[pb](?![^\W_])|genauig|nauwk|loss))|(?![^\W_]))"
_SEEN = (
    "trainings|tr[ae]n(?:ing|ov|er|ir)|træning|entren|entrain|addestr|trein|latih|pelatih|opetus|koulutus|tanit|tanul"
    "|antren|egitim|uczeni|uczac|oefen|in_sample|huan_luyen|εκπαιδευσ|навчан|обуч|трен|трейн"
)
_UNSEEN = (
    "valid(?:as|ac|ar|az|er|ier|oint|atie)|walid|dogrulama|kiem_[dđ]inh|xac_thuc|вал[иі]д|επικυρωσ|перев[іи]р|провер"
)
_TESTED = (
    r"testi(?![^\W_])|test(?:data|dat[ae]n|sett?|menge|mengde|maengde)(?![^\W_])|teszt|testov|uji(?![^\W_])|kiem_tra"
    "|prueba|ελεγχ"
)
_STEMS = (
    (late_regex(rf"(?<![^\W_])(?:{_UNSEEN}){_END}"), "_val_"),
    (late_regex(rf"(?<![^\W_])(?:{_SEEN}){_END}"), "_train_"),
    (late_regex(rf"(?<![^\W_])(?:{_TESTED}){_END}|(?<![^\W_])test(?=(?:fel|{_LOSS}|{_ERROR}|ta[pb]))"), "_test_"),
    (late_regex("تدريب|[آا]موزش|אימון|प्रशिक्षण|ฝ[ึิ]ก|训练|訓練|훈련|学習(?!率)|학습(?!률)"), "_train_"),
    (late_regex("تحقق|اعتبارسنج[ىيی]|אימות|सत्यापन|ตรวจสอบ|验证|驗證|検証|검증"), "_val_"),
    (late_regex("اختبار|परीक्षण|ทดสอบ|测试|測試|テスト|테스트"), "_test_"),
    (late_regex(r"(?:(?<=train_)|(?<=val_)|(?<=test_))ta[pb]$|^ta[pb](?=_(?:train|val|test)_?$)"), "_loss_"),
    (late_regex(r"(?:(?<=train_)|(?<=val_)|(?<=test_))fel$|^fel(?=_(?:train|val|test)_?$)"), "_error_"),
    (late_regex(rf"(?<![^\W_])(?:{_LOSS})[^\W_]*|[^\W_]{{0,24}}(?:{_LOSS_ABROAD})[^\W_]*"), "_loss_"),
    (late_regex(rf"[^\W_]{{0,24}}(?:{_ACCURACY})[^\W_]*"), "_accuracy_"),
    (late_regex(rf"(?<![^\W_])(?:{_ERROR})[^\W_]*|[^\W_]{{0,24}}(?:{_ERROR_ABROAD})[^\W_]*"), "_error_"),
)
#: What stands between a loss and the split that it is of: "perte d'entraînement".
_OF = late_regex(r"(?<![^\W_])[dl]_+(?=(?:train|val|test)(?![^\W_]))")
_EDGES = late_regex("__+")
#: Counters of epochs.
EPOCHS = (
    "epoche", "époque", "epoque", "época", "epoca", "эпоха", "epoka", "epok", "epoke", "epocha", "epoha", "епоха",
    "època", "epookki", "kierros", "korszak", "devir", "dönem", "vòng", "durchlauf", "durchgang", "εποχή", "युग", "एपोक",
    "الحقبة", "حقبة", "دوره", "אפוק", "รอบ", "รอบที่", "ronde", "runde", "ronda", "rodada",
    "putaran", "pusingan", "varv", "omgång", "omgang", "runda", "ciclo",
    "轮", "轮次", "回合", "周期", "エポック", "에폭", "에포크",
)  # fmt: skip


def without_accents(text: str) -> str:
    """The text without the accents of its letters.

    >>> without_accents("Häviö"), without_accents("Εποχή")
    ('Havio', 'Εποχη')
    """
    return normalize("NFC", _ACCENT.sub("", normalize("NFKD", text))).translate(_STROKES)


@lru_cache(maxsize=4096)  # the runs of a tree have few others
def in_english(name: str) -> str:
    """The words of a name (as `comparable_name.plain` writes it) that other languages have for splits and losses, in
    English.

    >>> in_english("opetusvirhe"), in_english("втрати_валідації"), in_english("val_loss"), in_english("treningstap")
    ('train_error', 'loss_val', 'val_loss', 'train_loss')
    """
    out = name
    for stem, word in _STEMS:
        out = stem.sub(word, out)
    return _EDGES.sub("_", _OF.sub("", out)).strip("_") if out != name else name
