#!/usr/bin/env python3
"""The server of `../torture`: prints its port; each writer is told apart by the Host it asks for."""
import gzip
import http.server
import json
import threading

arrived = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, content="application/json", **headers):
        self.send_response(200)
        for name, value in {"Content-Type": content, "Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        run, path = self.path.split("/", 2)[1:]
        if path.startswith("items/"):
            body = json.dumps({"number": int(path.split("/")[1])}).encode()
            return self.answer(
                gzip.compress(body), Cache_Control="max-age=60", ETag='"1"', Content_Encoding="gzip")
        if path == "writes":
            return self.answer(json.dumps(sorted(arrived.get(run, []))).encode())
        self.answer(b"x" * 300_000, "application/octet-stream", ETag='"2"', Accept_Ranges="bytes")

    def do_PUT(self):
        run, path = self.path.split("/", 2)[1:]
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        arrived.setdefault(run, set()).add("/" + path)
        self.answer(b"{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
