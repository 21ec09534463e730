"""A small site on loopback whose pages change while a test looks on; it understands conditional requests."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def page(title, *links, text=""):
    anchors = "".join(f'<p><a href="{link}">{link} is here</a></p>' for link in links)
    words = " ".join(f"{title.replace(' ', '')}word{i} {title}-{i * 7}." for i in range(60))  # near no other page
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{words} {text}</p>{anchors}</body></html>"


class Site:
    """A server on loopback. `pages` maps a path to what it says, or to a function of the request's headers that returns
    (status, headers, body); `etags` and `dates` are what it offers and understands. `asked` is what it was asked."""

    def __init__(self, **pages):
        self.pages = {"/" + path.replace("index", ""): body for path, body in pages.items()}
        self.etags, self.dates, self.asked = {}, {}, []
        self.everywhere = None  # what a path says that has no page
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site.asked.append((self.path, dict(self.headers)))
                status, headers, body = site.answer(self.path, self.headers)
                self.send_response_only(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # a client that was killed
        self.root = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    def answer(self, path, headers):
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

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def questions(self):
        """{path: [(If-None-Match, If-Modified-Since) of each request]} since the last call, without robots.txt."""
        asked, self.asked = self.asked, []
        found = {}
        for path, headers in asked:
            if path != "/robots.txt":
                found.setdefault(path, []).append((headers.get("If-None-Match"), headers.get("If-Modified-Since")))
        return found
