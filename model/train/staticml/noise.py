"""Made-up names, places, dates, numbers, files and quotations, as real requests are full of.

Training puts them into requests while the answer stays the same, so that their pieces lose weight: in a mean of rows
a name of four pieces would otherwise outweigh the verb that says what is wanted.
"""

import random

LOCALES = {
    "en": "en_US",
    "lt": "lt_LT",
    "de": "de_DE",
    "es": "es_ES",
    "fr": "fr_FR",
    "pl": "pl_PL",
    "pt": "pt_BR",
    "ja": "ja_JP",
    "zh": "zh_CN",
    "ru": "ru_RU",
    "tr": "tr_TR",
    "ar": "ar_AA",
    "hi": "hi_IN",
}
DATES = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%B %d", "%d %B", "%b %d, %Y")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def date(fake, rnd):
    return rnd.choice(
        (
            fake.date(rnd.choice(DATES)),
            f"{fake.day_of_week()} {rnd.randint(1, 28)}",
            f"{fake.month_name()} {rnd.randint(1, 30)}",
            fake.day_of_week(),
        )
    )


def time_of_day(_, rnd):
    return f"{rnd.randint(0, 23)}:{rnd.randint(0, 59):02d}{rnd.choice(('', ' pm', ' am'))}"


def identifier(fake, rnd):
    project = "".join(rnd.choice(LETTERS) for _ in range(rnd.randint(2, 4)))
    return rnd.choice(
        (
            f"#{rnd.randint(1, 9999)}",
            f"{project}-{rnd.randint(1, 9999)}",
            str(rnd.randint(1, 99999)),
            "".join(rnd.choice("0123456789abcdef") for _ in range(rnd.randint(6, 12))),
            str(fake.uuid4()),
            f"v{rnd.randint(0, 9)}.{rnd.randint(0, 20)}.{rnd.randint(0, 9)}",
            f"{rnd.randint(1, 100)}%",
        )
    )


def address(fake, rnd):
    path = "/".join(["", *(fake.word() for _ in range(3))])
    return rnd.choice((fake.file_name(), fake.domain_name(), fake.url(), path))


def quotation(fake, rnd):
    return '"' + " ".join(fake.words(rnd.randint(1, 3))) + '"'


def slug(fake, rnd):
    return rnd.choice("-_").join(fake.word() for _ in range(rnd.choice((2, 2, 3))))


def amount(_, rnd):
    unit = rnd.choice(("", " USD", " EUR", " km", " min", " kg", ""))
    return rnd.choice(("$", "€", "")) + str(rnd.randint(1, 5000)) + unit


# (share, maker): people, places and dates are what requests name most.
MAKERS = (
    (25, lambda fake, _: fake.name()),
    (10, lambda fake, _: fake.first_name()),
    (10, lambda fake, _: fake.city()),
    (7, lambda fake, _: fake.company()),
    (10, date),
    (5, time_of_day),
    (10, identifier),
    (5, lambda fake, _: fake.email()),
    (5, address),
    (6, quotation),
    (4, slug),
    (3, amount),
)


def snippets(lang, count, seed=7):
    """That many pieces of noise in a language."""
    import faker

    fake = faker.Faker(LOCALES[lang])
    fake.seed_instance(seed)
    rnd = random.Random(seed)
    weights = [share for share, _ in MAKERS]
    return [rnd.choices(MAKERS, weights)[0][1](fake, rnd) for _ in range(count)]
