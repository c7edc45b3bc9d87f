"""Logs in other languages than English: both losses are told by their words, whatever their values do."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_first_contact_shapes import CURVES, EPOCHS, told, values
from text_log import read

from curvedoc.ingest.naming.languages import in_english
from curvedoc.ingest.naming.log_words import is_outcome

pytestmark = pytest.mark.fast

SAID = {
    "Bulgarian": ("Епоха", "загуба обучение", "загуба валидация"),
    "Croatian": ("Epoha", "gubitak treniranja", "gubitak validacije"),
    "Catalan": ("Època", "pèrdua entrenament", "pèrdua validació"),
    "Czech": ("Epocha", "trénovací chyba", "testovací chyba"),
    "Danish": ("Epoke", "træningstab", "valideringstab"),
    "Dutch": ("Ronde", "trainfout", "testfout"),
    "Finnish": ("Epookki", "opetushäviö", "validointihäviö"),
    "Greek": ("Εποχή", "απώλεια εκπαίδευσης", "απώλεια επικύρωσης"),
    "Hebrew": ("אפוק", "הפסד אימון", "הפסד אימות"),
    "Hindi": ("एपोक", "प्रशिक्षण हानि", "सत्यापन हानि"),
    "Hungarian": ("Korszak", "tanító hiba", "validációs hiba"),
    "Indonesian": ("Epok", "kerugian pelatihan", "kerugian validasi"),
    "Norwegian": ("Epoke", "tap (trening)", "tap (validering)"),
    "Persian": ("دوره", "خطای آموزش", "خطای اعتبارسنجی"),
    "Polish": ("Epoka", "błąd uczenia", "błąd walidacji"),
    "Romanian": ("Epoca", "pierdere antrenare", "pierdere validare"),
    "Russian": ("Эпоха", "лосс на трейне", "лосс на валидации"),
    "Serbian": ("Epoha", "gubitak trening", "gubitak validacija"),
    "Swedish": ("Epok", "träningsfel", "testfel"),
    "Arabic": ("الحقبة", "خسارة التدريب", "خسارة التحقق"),
    "Thai": ("รอบ", "ค่าสูญเสียฝึก", "ค่าสูญเสียทดสอบ"),
    "Turkish": ("Dönem", "eğitim kaybı", "doğrulama kaybı"),
    "Ukrainian": ("Епоха", "похибка навчання", "похибка перевірки"),
    "Vietnamese": ("Vòng", "lỗi huấn luyện", "lỗi kiểm tra"),
}


@pytest.mark.parametrize("way", ["falls", "rests"])
@pytest.mark.parametrize("language", SAID)
def test_both_losses_are_told_in_the_language_of_the_log(tmp_path: Path, language: str, way: str) -> None:
    epoch, train, val = SAID[language]
    curve = CURVES[way]
    text = "".join(
        f"{epoch} {i}: {train} {curve(i)} | {val} {round(1.1 * curve(i), 4)} | lr 0.01\n" for i in range(EPOCHS)
    )
    run = read(tmp_path, text)[0]
    assert values(run, "loss") == told(curve)
    assert values(run, "val_loss") == told(curve, 1.1)


def test_english_stays_as_it_is() -> None:
    for name in ("train_loss", "val_error", "tab_count", "tap_rate", "hiatus", "whata", "feline", "table", "validity"):
        assert in_english(name) == name
    assert not any(map(is_outcome, ("table rows", "taps", "chybrid", "hiatus", "feels")))
