"""Hostile texts, as strangers send them: markup, scripts, marks of direction, lengths, and addresses."""

# Whatever runs sets it, and whatever is fetched goes to this host.
MARK = "hostile"
HOST = "hostile.invalid"
RUN = f"window.{MARK}=1"

MARKUP = [
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<img src=https://{HOST}/a.png>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<iframe src=https://{HOST}></iframe>",
    f"<iframe srcdoc='<script>parent.{MARK}=1</script>'></iframe>",
    f"<link rel=stylesheet href=https://{HOST}/a.css>",
    f"<style>@import 'https://{HOST}/b.css';</style>",
    f"<base href=https://{HOST}/>",
    f"<form action=https://{HOST}><button>Send</button></form>",
    f"<meta http-equiv=refresh content='0;url=https://{HOST}'>",
    f"<object data=https://{HOST}/o></object>",
    f"<video src=https://{HOST}/v.mp4 onerror={RUN}></video>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<math><mi xlink:href='data:x,<script>{RUN}</script>'></mi></math>",
    f"<template><script>{RUN}</script></template>",
    f"<a href=javascript:{RUN}>Press me</a>",
    f"<body onload={RUN}>",
]
BREAKOUTS = ['"', "'", '">', "'>", "</textarea>", "</title>", "</style>", "-->", "]]>", "{@html}", "${", "{{constructor}}", "`", "\\"]
DIRECTIONS = ["\u202e", "\u202d", "\u2066", "\u2067", "\u2069", "\u200f", "\u061c", "\ufeff", "\u200b", "\u2060", "\u00ad"]
ADDRESSES = [
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"https://{HOST}",
    f"//{HOST}",
    "https://",
    "https://[::1",
    "http://user:password@host:99999/?#%",
    f"vbscript:{RUN}",
    "file:///etc/passwd",
    f"https://exa\u202emple.com/{HOST}",
    "mailto:a@example.com?body=<b>",
]
ODD = [
    "W" * 900,
    "ä" * 500,
    "👩‍👩‍👧‍👦" * 60,
    "Z̸̢̛̺̮͎͛͑̈́a̴̛̤͐l̶̻̊g̸̱̈́o̶̦̓ " * 20,
    "word " * 180,
    "a\nb\n" * 60,
    "\ttab\ttab",
    "مرحبا <b>بك</b> 123",
    "שלום (abc) [1]",
    "null",
    "undefined",
    "[object Object]",
    "NaN",
    "0",
    "-1",
    "1e309",
    "true",
    "__proto__",
    "constructor",
    "toString",
    "%00%0d%0aSet-Cookie: a=b",
    "$(id)",
    "; DROP TABLE messages; --",
    "../../../../etc/passwd",
    "#/organization",
    "=cmd|' /C calc'!A0",
    "&lt;b&gt;",
    "&#x3c;script&#x3e;",
    "\\u003cscript\\u003e",
    "<!-- ",
]


def texts() -> list[str]:
    """Returns 200 different texts that the API accepts: not empty, and at most 1,000 characters long."""
    broken = [f"{opening}{markup}" for markup in MARKUP for opening in BREAKOUTS[:4]]
    turned = [f"{mark}gnp.{text}" for mark in DIRECTIONS for text in (MARKUP[1], "harmless")]
    all_of_them = [*MARKUP, *(f"x{text}x" for text in BREAKOUTS), *ADDRESSES, *ODD, *turned, *broken, *(f"See {one} now" for one in ADDRESSES)]
    unique = list(dict.fromkeys(all_of_them))
    number = 0
    while len(unique) < 200:
        unique.append(f"{MARKUP[number % len(MARKUP)]}{BREAKOUTS[number % len(BREAKOUTS)]}{number}")
        number += 1
    return unique[:200]
