"""A small site on loopback whose pages change while a test looks on; it understands conditional requests."""

import crawling


def page(title, *links, text=""):
    anchors = "".join(f'<p><a href="{link}">{link} is here</a></p>' for link in links)
    words = " ".join(f"{title.replace(' ', '')}word{i} {title}-{i * 7}." for i in range(60))  # near no other page
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{words} {text}</p>{anchors}</body></html>"


class Site(crawling.Site):
    """A server on loopback. `pages` maps a path to what it says, or to a function of the request's headers that returns
    (status, headers, body); `etags` and `dates` are what it offers and understands. `asked` is what it was asked."""

    def __init__(self, **pages):
        super().__init__({})
        self.pages = {"/" + path.replace("index", ""): body for path, body in pages.items()}
        self.etags, self.dates, self.asked = {}, {}, []
        self.everywhere = None  # what a path says that has no page

    def answer(self, path, headers):
        self.asked.append((path, dict(headers)))
        status, offer, body = self.choose(path, headers)
        return status, offer.items(), body

    def choose(self, path, headers):
        body = self.pages.get(path, self.everywhere if path != "/robots.txt" else None)
        if body is None:
            return 404, {"Content-Type": "text/plain"}, b"no"
        if callable(body):
            return body(headers)
        offer = {"Content-Type": "text/html"}
        if path in self.etags:
            offer["ETag"] = self.etags[path]
        if path in self.dates:
            offer["Last-Modified"] = self.dates[path]
        known = headers.get("If-None-Match")
        if known is not None and path in self.etags:
            same = known == self.etags[path]
        else:
            same = path in self.dates and headers.get("If-Modified-Since") == self.dates[path]
        return (304, offer, b"") if same else (200, offer, body.encode())

    def questions(self):
        """{path: [(If-None-Match, If-Modified-Since) of each request]} since the last call, without robots.txt."""
        asked, self.asked = self.asked, []
        found = {}
        for path, headers in asked:
            if path != "/robots.txt":
                found.setdefault(path, []).append((headers.get("If-None-Match"), headers.get("If-Modified-Since")))
        return found
