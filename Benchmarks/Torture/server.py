#!/usr/bin/env python3
"""The server of `../torture`: prints its port; each writer is told apart by the Host it asks for."""
import base64
import gzip
import hashlib
import http.server
import json
import struct
import zlib

arrived = {}
# The uploads of each run: their lengths and what has arrived of them.
uploads = {}


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
        if path == "files":
            whole = [number for number, (length, content) in enumerate(uploads.get(run, [])) if len(content) == length]
            return self.answer(json.dumps(whole).encode())
        if path.startswith("files/"):
            return self.answer(bytes(self.upload()[1]), "application/octet-stream")
        if path == "socket":
            return self.echo()
        self.answer(b"x" * 300_000, "application/octet-stream", ETag='"2"', Accept_Ranges="bytes")

    def do_PUT(self):
        run, path = self.path.split("/", 2)[1:]
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        arrived.setdefault(run, set()).add("/" + path)
        self.answer(b"{}")

    # Uploads by tus 1.0.0.
    def upload(self):
        run, _, number = self.path.split("/", 3)[1:]
        return uploads[run][int(number)]

    def end(self, status, **headers):
        self.send_response(status)
        for name, value in {"Tus-Resumable": "1.0.0", "Content-Length": 0, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def do_POST(self):
        run = self.path.split("/", 2)[1]
        own = uploads.setdefault(run, [])
        own.append((int(self.headers["Upload-Length"]), bytearray()))
        self.end(201, Location=f"/{run}/files/{len(own) - 1}")

    def do_HEAD(self):
        length, content = self.upload()
        self.end(200, Upload_Offset=len(content), Upload_Length=length)

    def do_PATCH(self):
        length, content = self.upload()
        rest = int(self.headers["Content-Length"])
        if int(self.headers["Upload-Offset"]) != len(content):
            self.close_connection = True
            return self.end(409)
        while rest:
            piece = self.rfile.read1(min(rest, 1 << 16))
            if not piece:
                self.close_connection = True
                return
            content.extend(piece)
            rest -= len(piece)
        self.end(204, Upload_Offset=len(content))

    # A WebSocket (RFC 6455) that sends back what arrives, with permessage-deflate (RFC 7692).
    def echo(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        if "permessage-deflate" in self.headers.get("Sec-WebSocket-Extensions", ""):
            self.send_header(
                "Sec-WebSocket-Extensions",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        self.end_headers()
        self.close_connection = True
        while True:
            head = self.rfile.read(2)
            if len(head) < 2:
                return
            length = head[1] & 127
            if length == 126:
                length = struct.unpack(">H", self.rfile.read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.rfile.read(8))[0]
            mask = self.rfile.read(4)
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self.rfile.read(length)))
            if head[0] & 0x40:
                payload = zlib.decompressobj(-15).decompress(payload + b"\x00\x00\xff\xff")
                writer = zlib.compressobj(wbits=-15)
                payload = (writer.compress(payload) + writer.flush(zlib.Z_SYNC_FLUSH))[:-4]
            opcode = 10 if head[0] & 15 == 9 else head[0] & 15
            size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack(">H", len(payload))
            self.wfile.write(bytes([head[0] & 0xF0 | opcode]) + size + payload)
            if opcode == 8:
                return

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
