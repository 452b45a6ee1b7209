"""A server of one large file, by ranges, which discards what is uploaded to it by tus.

    server.py FILE

`/plain` sends as fast as it can, `/shaped` 20 MB/s on each connection. It prints its port, and counts the bytes that it
has sent and received, and those of the largest range that was asked for: `/counts`.
"""

import os
import re
import socket
import socketserver
import sys
import threading
import time

FILE = open(sys.argv[1], "rb")
SIZE = os.fstat(FILE.fileno()).st_size
RATE = 20_000_000
lock = threading.Lock()
counts = {"sent": 0, "received": 0, "largest": 0}
uploads = {}


def count(name, number):
    with lock:
        counts[name] += number


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self.one():
                pass
        except (ConnectionError, TimeoutError):
            pass

    def one(self):
        line = self.rfile.readline(65536).decode("latin-1").split()
        if len(line) < 2:
            return False
        headers = {}
        while (field := self.rfile.readline(65536).decode("latin-1").strip()):
            name, _, value = field.partition(":")
            headers[name.lower()] = value.strip()
        method, path = line[0], line[1]
        if path == "/counts":
            with lock:
                self.answer(200, {}, " ".join(map(str, counts.values())).encode())
        elif method == "GET":
            self.send(path, headers)
        else:
            self.take(method, path, headers)
        return True

    def answer(self, status, fields, body=b""):
        head = f"HTTP/1.1 {status} Status\r\n"
        fields = {"Content-Length": len(body), **fields}
        if status == 204:
            del fields["Content-Length"]
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.wfile.write(head.encode() + b"\r\n" + body)

    def send(self, path, headers):
        start, end, status = 0, SIZE, 200
        fields = {"ETag": '"1"', "Accept-Ranges": "bytes"}
        if found := re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", "")):
            start, status = int(found[1]), 206
            end = min(SIZE, int(found[2]) + 1) if found[2] else SIZE
            with lock:
                counts["largest"] = max(counts["largest"], end - start)
            fields["Content-Range"] = f"bytes {start}-{end - 1}/{SIZE}"
        head = f"HTTP/1.1 {status} Status\r\nContent-Length: {end - start}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.wfile.write(head.encode() + b"\r\n")
        piece = RATE // 50 if path == "/shaped" else 8 << 20
        due = getattr(self, "due", 0)
        while start < end:
            if path == "/shaped":
                now = time.monotonic()
                due = max(due, now - 0.05)
                if due > now:
                    time.sleep(due - now)
            sent = os.sendfile(
                self.connection.fileno(), FILE.fileno(), start, min(piece, end - start))
            start += sent
            due += sent / RATE
            count("sent", sent)
        self.due = due

    def take(self, method, path, headers):
        tus = {"Tus-Resumable": "1.0.0"}
        length = int(headers.get("content-length", 0))
        if method == "OPTIONS":
            return self.answer(204, {**tus, "Tus-Version": "1.0.0", "Tus-Extension": "creation"})
        if method == "POST":
            with lock:
                name = f"/uploads/{len(uploads)}"
                uploads[name] = 0
            return self.answer(201, {**tus, "Location": name})
        if method == "HEAD":
            return self.answer(200, {**tus, "Upload-Offset": uploads[path]})
        buffer = memoryview(bytearray(1 << 20))
        while length > 0:
            got = self.rfile.readinto1(buffer[: min(length, len(buffer))])
            if not got:
                return None
            length -= got
            uploads[path] += got
            count("received", got)
        return self.answer(204, {**tus, "Upload-Offset": uploads[path]})


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128


with Server(("127.0.0.1", 0), Handler) as server:
    print(server.server_address[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.serve_forever()
