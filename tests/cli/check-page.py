"""Reads a page of --format html as strictly as a browser may not: usage: check-page.py PAGE."""
import base64
import hashlib
import os
import re
import sys
import urllib.parse
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "rect"}
TAGS = VOID | set(
    "html head title style body main script article h1 h2 h3 p ul li b table thead tbody tr th td"
    " div details summary pre code a svg footer section figure figcaption canvas ins del".split())
ATTRIBUTES = set(
    "lang charset http-equiv content name type class tabindex data-v aria-hidden viewbox"
    " preserveaspectratio width height id href role aria-label data-linked data-rank hidden data-kind data-fixes".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.policy, self.inside = [], [], [], "", {}

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, f"<{tag}>"
        for name, value in attributes:
            assert name in ATTRIBUTES, f"{name}={value!r} of <{tag}>"
        given = dict(attributes)
        self.policy += given.get("content", "") if "http-equiv" in given else ""
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self.open.append((tag, given))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> inside of {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        tag, given = self.open[-1] if self.open else ("", {})
        if tag == "style" or (tag == "script" and given.get("type") == "module"):
            self.inside[tag] = self.inside.get(tag, "") + data


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
page = Page()
page.feed(text)
page.close()
assert not page.open, f"not closed: {page.open}"
assert len(page.ids) == len(set(page.ids)), "an id twice"
for link in page.links:
    inside = link.startswith("#") and link[1:] in page.ids
    beside = os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), urllib.parse.unquote(link)))
    assert inside or (link.startswith("jobs/") and beside), f"{link} leads nowhere"
for tag in "style", "script":
    digest = base64.b64encode(hashlib.sha256(page.inside[tag].encode()).digest()).decode()
    assert f"{tag}-src 'sha256-{digest}'" in page.policy, f"the policy does not name the {tag}"
assert page.policy.startswith("default-src 'none';"), page.policy
assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text), "markup from texts"
