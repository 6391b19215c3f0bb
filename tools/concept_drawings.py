# SPDX-License-Identifier: Apache-2.0
"""Drawings of docs/concepts; `page_drawings.py` writes them."""

from __future__ import annotations

from drawing import WIDTH, Drawing

# Column of a tile in drawings of a row, the memory tile first.
_COLUMNS = (34, 102, 170, 238, 306)


def _row(drawing: Drawing, names: list[str], routers: str) -> None:
    """A row of tiles: routers above, endpoints below; no name, no tile."""
    for x, name in zip(_COLUMNS, names, strict=True):
        if name:
            drawing.box(x - 14, 50, 28, 28, f"{routers} edge")
            style = "memory" if name == "mem" else "tile"
            drawing.box(x - 22, 112, 44, 28, f"{style} edge")
            drawing.words(x, 131, name, "small", "middle")


def multicast(is_forked: bool) -> Drawing:
    """A multicast from a memory tile to a row of four clusters."""
    title = "Routers fork" if is_forked else "The first cluster sends copies"
    drawing = Drawing(f"{title}: copies of a flit on each link", 214)
    drawing.words(14, 26, title, "title")
    _row(drawing, ["mem", "c0", "c1", "c2", "c3"], "slot")
    copies = [1, 1, 1, 1] if is_forked else [1, 3, 2, 1]
    drawing.path([(34, 112), (34, 64)], "l0")
    if not is_forked:
        drawing.path([(110, 112), (110, 64)], "l1", 6)
    for index, number in enumerate(copies):
        left, right = _COLUMNS[index], _COLUMNS[index + 1]
        style = "0" if is_forked or index == 0 else "1"
        start = left if style == "0" else max(left, 110)
        drawing.path([(start, 64), (right, 64)], f"l{style}", 2 * number)
        drawing.words((left + right) / 2, 47, str(number), f"t{style}", "middle")
        x = right if is_forked or index else right - 6
        drawing.arrow((x, 64), (x, 110), f"l{style}")
    drawing.words(14, 163, f"A flit crosses {sum(copies)} links between routers.", "small")
    drawing.words(14, 180, f"The busiest link carries it {_times(max(copies))}.", "small")
    drawing.words(14, 203, "1, 2, 3: copies of a flit on the link", "small muted")
    return drawing


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def reduction(is_in_network: bool) -> Drawing:
    """A sum of a row of four clusters into the first one."""
    title = "Routers add, beat by beat" if is_in_network else "Software tree: cores add"
    drawing = Drawing(f"{title}: a sum of four clusters into c0", 236)
    drawing.words(14, 26, title, "title")
    drawing.key(208, [("c0", "data of a cluster"), ("c1", "a sum; + where it is computed")])
    _row(drawing, ["", "c0", "c1", "c2", "c3"], "slot")
    if is_in_network:
        for x in _COLUMNS[2:]:
            drawing.arrow((x, 112), (x, 80), "l0")
        drawing.path([(94, 112), (94, 80)], "l0")
        drawing.arrow((110, 80), (110, 110), "l1")
        sums = ["x3+x2+x1", "x3+x2", "x3"]
        for index, text in enumerate(sums, start=1):
            style = "l0" if text == "x3" else "l1"
            drawing.arrow((_COLUMNS[index + 1] - 14, 64), (_COLUMNS[index] + 16, 64), style)
            middle = (_COLUMNS[index] + _COLUMNS[index + 1]) / 2
            drawing.words(middle, 46, text, "small t0" if text == "x3" else "small t1", "middle")
        for x in _COLUMNS[1:4]:
            drawing.words(x, 69, "+", "title t1", "middle")
        drawing.words(14, 166, "A sum leaves as soon as both operands of", "small")
        drawing.words(14, 184, "a beat are there: one pass over the row.", "small")
        return drawing
    for start, end, y, style in ((2, 1, 60, "l0"), (4, 3, 60, "l0"), (3, 1, 70, "l1")):
        x1, x2 = _COLUMNS[start], _COLUMNS[end]
        drawing.path([(x1 - 4, 112), (x1 - 4, y), (x2 + 6, y)], style)
        drawing.arrow((x2 + 6, y), (x2 + 6, 110), style)
    for x, text in ((102, "+ +"), (238, "+")):
        drawing.words(x, 154, text, "title t1", "middle")
    drawing.words(136, 46, "step 1", "small t0", "middle")
    drawing.words(272, 46, "step 1", "small t0", "middle")
    drawing.words(204, 92, "step 2", "small t1", "middle")
    drawing.words(14, 172, "Step 2 begins when step 1 is over and", "small")
    drawing.words(14, 190, "the cores have added.", "small")
    return drawing


def _beats(drawing: Drawing, x: float, y: float, owners: str) -> None:
    """Beats in a link or FIFO, from the head on the right to the left; a blank is free."""
    for index, owner in enumerate(owners):
        left = x + 24 * index
        style = {"A": "c0", "B": "c1", " ": "slot edge"}[owner]
        drawing.box(left, y, 21, 21, style)
        drawing.words(left + 10.5, y + 15, owner.strip(), "small on", "middle")


def links(is_ours: bool) -> Drawing:
    """Two multicasts whose trees share two links."""
    title = "Every beat is a packet" if is_ours else "A packet keeps its links"
    drawing = Drawing(f"{title}: two multicasts that share two links", 240)
    drawing.words(14, 26, title, "title")
    drawing.key(208, [("c0", "beats of multicast A"), ("c1", "beats of multicast B")])
    for y, name, owners in ((44, "link 1", "AAAAAA"), (106, "link 2", "BBBBBB")):
        drawing.words(14, y + 15, name, "small")
        _beats(drawing, 62, y, "ABABAB" if is_ours else owners)
        drawing.arrow((210, y + 10), (240, y + 10), "line")
    if is_ours:
        drawing.words(14, 160, "No beat keeps a link, so nobody waits for", "small")
        drawing.words(14, 178, "one that the other has.", "small")
        return drawing
    drawing.arrow((84, 67), (84, 103), "l0 dashed")
    drawing.arrow((180, 103), (180, 67), "l1 dashed")
    drawing.words(92, 90, "A waits", "small t0")
    drawing.words(188, 90, "B waits", "small t1")
    drawing.words(14, 160, "A has link 1 and waits for link 2, which", "small")
    drawing.words(14, 178, "B keeps until it gets link 1: deadlock.", "small")
    return drawing


def joins(is_ours: bool) -> Drawing:
    """Responses of two multicasts that arrive at a router in opposite orders."""
    title = "Contributions wait in a table" if is_ours else "Contributions wait in FIFOs"
    drawing = Drawing(f"{title}: responses in opposite orders", 240)
    drawing.words(14, 26, title, "title")
    drawing.key(208, [("c0", "responses to multicast A"), ("c1", "responses to multicast B")])
    for y, name, owners in ((50, "West", "  BA"), (104, "South", "  AB")):
        drawing.words(14, y + 15, name, "small")
        _beats(drawing, 58, y, "    " if is_ours else owners)
    if not is_ours:
        drawing.box(190, 60, 60, 56, "slot edge")
        drawing.words(220, 93, "join", "small", "middle")
        for y, end in ((60, 78), (114, 98)):
            drawing.arrow((156, y), (186, end), "line dashed")
        drawing.words(14, 160, "The join takes A only from both heads. Behind", "small")
        drawing.words(14, 178, "A waits B, behind B waits A: deadlock.", "small")
        return drawing
    drawing.words(262, 46, "merge table", "small muted", "middle")
    for y, owner in ((56, "A"), (98, "B")):
        drawing.box(196, y, 132, 30, "slot edge")
        _beats(drawing, 202, y + 4, owner + owner)
        drawing.words(256, y + 20, "2 of 2", "small")
        drawing.arrow((300, y + 15), (324, y + 15), "l0" if owner == "A" else "l1")
    for y, end in ((60, 72), (114, 112)):
        drawing.arrow((158, y), (192, end), "line")
    drawing.words(14, 160, "Each contribution leaves its FIFO at once;", "small")
    drawing.words(14, 178, "the one that completes an entry sends it on.", "small")
    return drawing


def window(beats: int) -> Drawing:
    """Beats and credits between a sender and a merge point, in time; credits for four beats."""
    hop_cycles, batch, cycles, pitch = 3, 4, 21, 11
    drawing = Drawing(f"A window of {beats} beats: beats and credits over time", 362)
    drawing.words(14, 26, f"Window of {beats} beats", "title")
    left, right, top = 96, 270, 66
    drawing.words(left, 50, "sender", "small", "middle")
    drawing.words(right, 50, "merge point", "small", "middle")
    for x in (left, right):
        drawing.path([(x, 56), (x, top + pitch * cycles)], "line")
    drawing.words(14, top + 12, "time", "small muted")
    drawing.arrow((28, top + 18), (28, top + 60), "line")
    drawing.key(
        316,
        [
            ("c0", "a beat, three cycles to the merge point"),
            ("c1", "credits for four beats"),
            ("c3", "a cycle in which the sender waits"),
        ],
    )
    sent, credits_at = 0, list[int]()
    for cycle in range(cycles):
        y = top + pitch * cycle
        in_flight_max = beats + batch * len([at for at in credits_at if at <= cycle])
        if sent < in_flight_max:
            sent += 1
            if cycle + hop_cycles <= cycles:
                drawing.arrow((left + 4, y), (right - 3, y + pitch * hop_cycles), "l0")
            if sent % batch == 0:
                credits_at.append(cycle + 2 * hop_cycles)
                if cycle + 2 * hop_cycles <= cycles:
                    start = (right - 3, y + pitch * hop_cycles)
                    drawing.arrow(start, (left + 4, y + 2 * pitch * hop_cycles), "l1 dashed")
        else:
            drawing.box(left - 16, y - 4, 12, 8, "c3")
    return drawing


def layers() -> Drawing:
    """Which part of a run is simulated, compared, charged or estimated."""
    rows = [
        ("c2", "routers of S1, network interfaces, DMA engines"),
        ("c2", "routers of S2 (SMART), endpoints of S3"),
        ("c0", "S1 with bypass, published S1, ESP, ideal"),
        ("c0", "core tiles (S4): cores, networks of words"),
        ("c0", "memories: fixed latency, one port"),
        ("c1", "instructions of cores, energy"),
        ("c3", "--backend model"),
    ]
    drawing = Drawing("What is simulated, compared with hardware, charged, estimated", 300)
    drawing.words(14, 26, "What a number of cycles rests on", "title")
    for index, (style, text) in enumerate(rows):
        y = 40 + 24 * index
        drawing.box(14, y, WIDTH - 28, 20, "slot edge")
        drawing.box(14, y, 12, 20, style)
        drawing.words(34, y + 15, text, "small")
    drawing.key(
        232,
        [
            ("c2", "simulated; equal to SystemVerilog in every cycle"),
            ("c0", "simulated cycle by cycle; no hardware"),
            ("c1", "charged: counts times constants"),
            ("c3", "estimated: equations with a measured error"),
        ],
    )
    return drawing


def engine() -> Drawing:
    """How the engine stores 64 routers: bits, slots, flits."""
    drawing = Drawing("A block of 64 routers: sets of 64 bits, slots of entries, flits", 290)
    drawing.words(14, 24, "64 routers of one plane", "title")
    bits = (("West input holds a flit", 0x2C9), ("its head asks for East", 0x241))
    for row, (text, members) in enumerate(bits):
        y = 36 + 26 * row
        for bit in range(10):
            style = "c0" if members >> bit & 1 else "slot edge"
            drawing.box(14 + 14 * bit, y, 12, 16, style)
        drawing.words(162, y + 13, text, "small")
    drawing.words(14, 106, "slots of the West input: destination | number of the flit", "small")
    entries = ("3,1 | 7", "", "", "9,4 | 2")
    for column, text in enumerate(entries):
        x = 14 + 80 * column
        drawing.box(x, 114, 72, 24, "tile edge" if text else "slot edge")
        drawing.words(x + 36, 131, text, "small", "middle")
    drawing.arrow((66, 138), (86, 192), "l1")
    drawing.arrow((290, 138), (236, 192), "l1")
    drawing.words(14, 184, "flits", "small")
    for x, number, text in ((30, 7, "beat 3 of write 41"), (178, 2, "beat 0 of write 12")):
        drawing.box(x, 194, 134, 40, "memory edge")
        drawing.words(x + 8, 211, f"number {number}", "small muted")
        drawing.words(x + 8, 228, text, "small")
    moves = "entry of 8 bytes: moves with every hop; its flit stays"
    drawing.key(258, [("c0", "bit of a router in a set"), ("tile edge", moves)])
    return drawing
