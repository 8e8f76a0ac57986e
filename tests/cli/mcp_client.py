"""A client of tracecoach mcp for the tests: a line of JSON a message."""
import json
import subprocess


class Client:
    command = []

    def __init__(self, protocol):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send({"id": 0, "method": "initialize", "params": {"protocolVersion": protocol, "capabilities": {}}})
        self.greeting = self.read()["result"]
        assert self.greeting["protocolVersion"] == protocol

    def send(self, message):
        lines = message if isinstance(message, list) else {"jsonrpc": "2.0", **message}
        self.process.stdin.write(json.dumps(lines) + "\n")
        self.process.stdin.flush()

    def call(self, number, name, arguments, **params):
        self.send({"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments, **params}})

    def cancel(self, number):
        self.send({"method": "notifications/cancelled", "params": {"requestId": number}})

    def read(self):
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait() == 0
        return rest


def text(reply):
    return reply["result"]["content"][0]["text"]
