"""Rules by hand, as ADS had them in 1991: weighted words of each type of incident.

Every sentence whose words weigh enough for a type gives a template, of which ADS filled the type
alone. By the rules of 1992 such a template pairs with nothing: a perpetrator or a target must
match, too. So a few words for them are filled in as they stand in the sentence. Nothing is learned.
"""

from __future__ import annotations

import math
import re

from studies.muc3.extract.corpus import TYPE, Filled, Message

THRESHOLD = 1.0
RULES = {
    "BOMBING": {
        r"BOMB(ED|ING|INGS)": 1.0, r"BOMBS?": 0.6, r"DYNAMITE[DS]?": 0.7,
        r"EXPLO(DED|SION|SIONS)": 0.7, r"CAR BOMBS?": 0.5, r"EXPLOSIVES?": 0.4,
        r"BLEW UP|BLOWN UP": 1.0, r"WENT OFF": 0.5, r"GRENADES?": 0.4,
        r"DETONATED": 0.8, r"PLACED": 0.2, r"DAMAGED?": 0.3,
    },
    "KIDNAPPING": {
        r"KIDNAPP?(ED|ING|INGS)": 1.0, r"ABDUCT(ED|ION|IONS)": 1.0, r"HOSTAGES?": 0.6,
        r"HELD CAPTIVE": 0.8, r"KIDNAPPERS?": 0.7, r"RANSOM": 0.5, r"DISAPPEARED": 0.4,
    },
    "ARSON": {
        r"SET FIRE": 1.0, r"SET ON FIRE": 1.0, r"BURNED": 0.7, r"ARSON": 1.0, r"TORCHED": 1.0,
        r"BUSE?S|VEHICLES?|TRUCKS?": 0.3,
    },
    "ROBBERY": {r"ROBB(ED|ERY|ERIES)": 1.0, r"STOLEN?": 0.6, r"LOOT(ED|ING)": 0.7, r"HOLDUP": 1.0},
    "HIJACKING": {r"HIJACK(ED|ING|ERS)": 1.0},
    "ATTACK": {
        r"MURDER(ED|S|ING)?": 0.8, r"ASSASSINAT(ED|ION|IONS)": 0.9, r"KILL(ED|ING|INGS)": 0.6,
        r"ATTACK(ED|S|ING)?": 0.5, r"AMBUSH(ED)?": 0.7, r"SHOT( TO DEATH| DEAD)?": 0.6,
        r"MACHINEGUN(NED)?": 0.5, r"MASSACRED?": 0.9, r"WOUNDED": 0.3, r"GUNMEN": 0.5,
        r"TERRORISTS?|GUERRILLAS?|FMLN|REBELS|EXTREMISTS|HITMEN": 0.3,
        r"PRIESTS?|PEASANTS?|CIVILIANS?|MAYOR|JUDGE|LEADER|JESUITS": 0.3, r"YESTERDAY|TODAY": 0.2,
    },
}  # fmt: skip
"""Weights of patterns; a sentence that holds one counts it once"""
AGAINST = {
    r"SOLDIERS?|BATTALION|TROOPS|COMBAT|CLASH(ES)?": -0.4,
    r"TALKS|DIALOGUE|NEGOTIAT\w+": -0.3,
}
"""What speaks against a terrorist incident: the war, and its end"""

STRINGS = {
    "perp-ind-id": r"TERRORISTS?|GUERRILLAS?|REBELS|EXTREMISTS?|GUNMEN|HITMEN|URBAN COMMANDOS",
    "perp-org-id": r"FMLN|FARABUNDO MARTI NATIONAL LIBERATION FRONT|SHINING PATH|ELN"
    r"|NATIONAL LIBERATION ARMY|MEDELLIN CARTEL|EXTRADITABLES|MRTA|FARC",
    "phys-tgt-id": r"OIL PIPELINE|PIPELINE|EMBASSY|BUSES|BUS|VEHICLES|POWER PYLONS|BANKS?|CHURCH",
    "hum-tgt-desc": r"JESUIT PRIESTS|JESUITS|PRIESTS?|PEASANTS?|CIVILIANS|MAYOR|JUDGE|STUDENTS?"
    r"|JOURNALISTS?|TRADE UNION LEADERS?|POLICEMEN|CHILDREN",
}
"""Words for perpetrators and targets"""

_COMPILED = {
    kind: [
        (re.compile(rf"\b(?:{words})\b"), weight) for words, weight in {**own, **AGAINST}.items()
    ]
    for kind, own in RULES.items()
}


def weight(sentence: str, kind: str) -> float:
    """Return what the words of a sentence weigh for a type of incident.

    >>> weight("THE MAYOR WAS KIDNAPPED YESTERDAY", "KIDNAPPING")
    1.0
    """
    return math.fsum(own for pattern, own in _COMPILED[kind] if pattern.search(sentence))


def incident(sentence: str) -> str | None:
    """Return the type that the rules give a sentence: the one of the greatest weight, if enough.

    >>> incident("A CAR BOMB EXPLODED."), incident("THE PRESIDENT LEFT FOR SPAIN.")
    ('BOMBING', None)
    """
    best = max(RULES, key=lambda kind: weight(sentence, kind))
    return best if weight(sentence, best) >= THRESHOLD else None


def extract(message: Message) -> list[Filled]:
    """Return a template for each sentence with enough words of an incident."""
    sentences = [sentence.upper() for _, sentence in message.sentences]
    kinds = [(incident(sentence), sentence) for sentence in sentences]
    return [{TYPE: [kind], **strings(sentence)} for kind, sentence in kinds if kind is not None]


def strings(sentence: str) -> Filled:
    """Return the words for perpetrators and targets in a sentence.

    >>> strings("GUERRILLAS OF THE FMLN KILLED TWO PEASANTS")
    {'perp-ind-id': ['"GUERRILLAS"'], 'perp-org-id': ['"FMLN"'], 'hum-tgt-desc': ['"PEASANTS"']}
    """
    found = {slot: re.findall(rf"\b(?:{own})\b", sentence) for slot, own in STRINGS.items()}
    return {slot: [f'"{v}"' for v in dict.fromkeys(own)] for slot, own in found.items() if own}
