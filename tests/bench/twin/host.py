"""Host threads that note what they do, and the notes of one rank."""


class Notes:
    """What one rank did: host slices (thread, kind, name, start, end, facts), device slices alike."""

    def __init__(self):
        self.host = []
        self.device = []
        self.ids = 0

    def next_id(self):
        self.ids += 1
        return self.ids


class Thread:
    def __init__(self, world, notes, tid):
        self.world, self.notes, self.tid = world, notes, tid
        self.open = []

    def begin(self, name, kind, **facts):
        facts["id"] = self.notes.next_id()
        self.open.append((name, kind, self.world.now, facts))
        return facts

    def end(self):
        name, kind, start, facts = self.open.pop()
        self.notes.host.append((self.tid, kind, name, start, self.world.now, facts))

    def op_id(self):
        return self.open[-1][3]["id"] if self.open else 0
