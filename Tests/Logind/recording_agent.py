"""An agent that holds nothing, and notes what it is asked to lock."""

import os
import socket
import struct
import threading

HELLO, LOCK = 1, 5
HELLO_REPLY, DONE = 1, 2
VERSION = 1


class RecordingAgent:
    """Listens at a path. `locks` has the path of each lock, or None for all; it answers while `answers` is set."""

    def __init__(self, path):
        self.path, self.locks, self.answers = path, [], threading.Event()
        self.answers.set()
        path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        os.chmod(path, 0o600)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            while prefix := receive(connection, 4):
                body = receive(connection, struct.unpack("<I", prefix)[0])
                if body == bytes([HELLO]) + struct.pack("<I", VERSION):
                    # Locked, wiped on fork, bound at the start, nothing refused.
                    send(connection, bytes([HELLO_REPLY]) + struct.pack("<I", VERSION) + bytes([1, 1, 0, 0]))
                elif body[:1] == bytes([LOCK]):
                    self.locks.append(None if body[1] == 0 else body[6:].decode())
                    if not self.answers.wait(10):
                        return
                    send(connection, bytes([DONE]))
                else:
                    return

    def close(self):
        self.answers.set()
        # Closing alone does not end an accept that has begun.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.path.unlink(missing_ok=True)


def receive(connection, count):
    """So many bytes, or nothing at the end."""
    data = b""
    while len(data) < count:
        try:
            more = connection.recv(count - len(data))
        except OSError:
            return b""
        if not more:
            return b""
        data += more
    return data


def send(connection, body):
    try:
        connection.sendall(struct.pack("<I", len(body)) + body)
    except OSError:
        pass
