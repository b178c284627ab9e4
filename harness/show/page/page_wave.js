// SPDX-License-Identifier: Apache-2.0
//
// The recorded window as lanes over cycles: for each unit what it did, below it the streams that it
// writes. Only what is in sight is drawn, so a window of a million cycles scrolls as a small one.
// Everything that the mouse can do, the keyboard can.

"use strict";

const STATES = ["idle", "busy", "starved", "blocked"];
const WAIT_NAMES = {30: "memory", 31: "hazard"};

function waitName(wait) {
    return WAIT_NAMES[wait] || (data.machine.streams[wait] || {name: "?"}).name;
}

function stateText(state, wait) {
    return STATES[state] + (state === 2 ? " on " + waitName(wait)
        : state === 3 ? " by " + waitName(wait) : "");
}

// A row's bytes as fields and lanes.
function decodeRow(stream, hex) {
    return decodeBytes(data.machine.streams[stream], hex);
}

function decodeBytes(info, hex) {
    if (!hex) {
        return null;
    }
    const bytes = hex.match(/../g).map((two) => parseInt(two, 16));
    const number = (from, count, signed) => {
        let value = 0n;
        for (let i = count - 1; i >= 0; i--) {
            value = value * 256n + BigInt(bytes[from + i]);
        }
        return signed ? BigInt.asIntN(8 * count, value) : value;
    };
    const items = info.fields.map((f) => ({
        name: f.name,
        text: f.bytes > 4 ? number(f.offset, f.bytes, false).toString(16).padStart(16, "0")
            : String(number(f.offset, f.bytes, false)),
        value: Number(number(f.offset, f.bytes, false)),
    }));
    for (let at = info.head; info.lane_bytes > 0 && at < bytes.length; at += info.lane_bytes) {
        const value = number(at, info.lane_bytes, true);
        items.push({name: "lane " + (at - info.head) / info.lane_bytes, lane: true,
            text: String(value), value: Number(value)});
    }
    return items;
}

// Looks things up in the recording; cycles here count from the first of the window.
class Recording {
    constructor(from) {
        this.first = BigInt(from.first);
        this.cycles = Number(BigInt(from.last) - this.first) + 1;
        this.spans = from.spans;
        this.issues = new Map(from.issues.map((i) => [i[1], i]));
        this.streams = data.machine.streams.map(() => []);
        this.wrong = [];
        for (const [cycle, stream, index, issue, inIssue, flags, got, expected] of from.events) {
            const event = {cycle, stream, index, issue, inIssue, differs: (flags & 1) !== 0,
                extra: (flags & 2) !== 0, got, expected: flags === 0 ? got : expected};
            this.streams[stream].push(event);
            if (event.differs) {
                this.wrong.push(event);
            }
        }
    }

    cycleText(cycle) {
        return String(this.first + BigInt(cycle));
    }

    // Index of the last item whose cycle is not behind `cycle`; key gives an item's cycle.
    static before(list, cycle, key) {
        let low = 0;
        let high = list.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (key(list[middle]) <= cycle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    state(unit, cycle) {
        const at = Recording.before(this.spans[unit], cycle, (s) => s[0]);
        return at >= 0 ? this.spans[unit][at] : [0, 0, 0, 0];
    }

    event(stream, cycle) {
        const list = this.streams[stream];
        const found = list[Recording.before(list, cycle, (e) => e.cycle)];
        return found && found.cycle === cycle ? found : null;
    }

    // Cycle of the last row of all.
    lastMove() {
        return this.streams.reduce((last, list) => list.length === 0 ? last
            : Math.max(last, list[list.length - 1].cycle), 0);
    }

    issueText(seq) {
        const issue = this.issues.get(seq);
        return issue ? "#" + issue[1] + " " + issue[3] : seq >= 0 ? "#" + seq : "header";
    }
}

const UNIT_HEIGHT = 24;
const STREAM_HEIGHT = 18;
const WRONG_HEIGHT = 36;

class Wave {
    constructor(recording, guilty, start) {
        this.of = recording;
        this.guilty = guilty;
        this.mark = start;
        this.all = false;
        this.cursor = clamp(start, 0, recording.cycles - 1);
        this.listeners = [];
        this.build();
        this.chooseLanes();
        this.lane = 0;
    }

    build() {
        const button = (text, label, act) => el("button", {type: "button", "aria-label": label,
            title: label, click: act}, text);
        this.input = el("input", {type: "text", inputmode: "numeric", "aria-label": "Cycle",
            change: () => this.goText(this.input.value)});
        this.allButton = button("All lanes", "Show lanes without rows too", () => this.toggleAll());
        this.toolbar = el("div", {class: "toolbar"},
            button("\u2212", "Zoom out (-)", () => this.zoom(0.5)),
            button("+", "Zoom in (+)", () => this.zoom(2)),
            button("Fit", "Whole window (0)", () => this.fit()),
            button("\u25C0 wrong", "Previous wrong row (p)", () => this.jump(-1)),
            button("wrong \u25B6", "Next wrong row (n)", () => this.jump(1)),
            button("Verdict", "First difference (v)", () => this.go(this.mark, true)),
            this.allButton, el("span", {class: "gap"}),
            el("label", {}, "cycle ", this.input));
        this.names = el("div", {class: "names"});
        this.plot = el("div", {class: "plot"});
        this.over = svg("svg", {class: "over", height: 16, "aria-hidden": "true"});
        this.canvas = svg("svg", {role: "img", "aria-label": "Lanes of the wave window"});
        this.plot.append(this.canvas);
        this.status = el("p", {class: "soft", "aria-live": "polite"});
        this.root = el("div", {class: "wave", tabindex: 0, role: "group",
            "aria-label": "Wave window; arrow keys move the cursor, plus and minus zoom",
            keydown: (event) => this.key(event)},
        this.over, el("div", {class: "body"}, this.names, this.plot));
        this.plot.addEventListener("mousedown", (event) => this.press(event));
        this.plot.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
        this.over.addEventListener("mousedown", (event) => this.overview(event));
        new ResizeObserver(() => {
            this.measure();
            this.draw();
        }).observe(this.plot);
    }

    element() {
        return [this.toolbar, this.root, this.legend(), this.status];
    }

    legend() {
        const item = (kind, text) => el("span", {}, el("i", {class: kind}), text);
        const keys = (text, ...names) => el("span", {}, names.map((n) => el("kbd", {}, n)),
            " " + text);
        return el("div", {class: "legend"}, item("busy", "busy"), item("starved", "starved"),
            item("blocked", "blocked"), item("row", "row"), item("hit", "wrong row"),
            keys("cycle", "\u2190", "\u2192"), keys("lane", "\u2191", "\u2193"),
            keys("zoom", "+", "-"), keys("ends", "Home", "End"), keys("wrong row", "n", "p"),
            keys("first difference", "v"), keys("whole window", "0"));
    }

    chooseLanes() {
        this.lanes = [];
        data.machine.units.forEach((name, unit) => {
            this.lanes.push({unit, name, height: UNIT_HEIGHT});
            data.machine.streams.forEach((info, stream) => {
                const rows = this.of.streams[stream];
                if (info.unit === unit && (rows.length > 0 || this.all)) {
                    const wrong = rows.some((e) => e.differs);
                    this.lanes.push({unit, stream, name: info.name, wrong,
                        height: wrong ? WRONG_HEIGHT : STREAM_HEIGHT});
                }
            });
        });
        let top = 20;
        for (const lane of this.lanes) {
            lane.top = top;
            top += lane.height;
        }
        this.height = top + 2;
        this.names.replaceChildren(el("div", {style: "height:20px", class: "soft"}, "cycle"),
            ...this.lanes.map((lane, i) => el("div", {
                style: "height:" + lane.height + "px",
                class: lane.stream === undefined ? "unit" : "stream",
                title: this.laneTitle(lane),
                click: () => this.choose(i),
            }, lane.name, lane.wrong ? el("small", {}, "got", el("br"), "expected") : null)));
    }

    laneTitle(lane) {
        const info = data.machine.streams[lane.stream];
        if (info === undefined) {
            return "unit " + lane.name;
        }
        const units = data.machine.units;
        return units[info.unit] + (info.reader >= 0 ? " to " + units[info.reader] : "");
    }

    toggleAll() {
        this.all = !this.all;
        this.allButton.setAttribute("aria-pressed", String(this.all));
        this.chooseLanes();
        this.lane = clamp(this.lane, 0, this.lanes.length - 1);
        this.draw();
    }

    // Asking the browser lays the page out anew, so it is done once a change.
    measure() {
        this.measured = Math.max(this.plot.clientWidth, 200);
    }

    width() {
        return this.measured;
    }

    // At the start the neighbourhood of the first difference, so that rows can be read.
    ready() {
        this.measure();
        this.scale = clamp(this.width() / 72, this.least(), 60);
        this.left = 0;
        this.center(this.cursor, 0.6);
        this.draw();
    }

    least() {
        return this.width() / Math.max(this.of.cycles, 1);
    }

    center(cycle, share) {
        this.left = cycle + 0.5 - share * this.width() / this.scale;
        this.keepInside();
    }

    keepInside() {
        this.scale = clamp(this.scale, this.least(), Math.max(this.least(), 120));
        this.left = clamp(this.left, 0, Math.max(0, this.of.cycles - this.width() / this.scale));
    }

    zoom(factor, around) {
        const cycle = around === undefined ? this.cursor + 0.5 : around;
        const share = (cycle - this.left) * this.scale / this.width();
        this.scale *= factor;
        this.keepInside();
        this.left = cycle - share * this.width() / this.scale;
        this.keepInside();
        this.draw();
    }

    fit() {
        this.scale = this.least();
        this.left = 0;
        this.draw();
    }

    go(cycle, central) {
        this.cursor = clamp(cycle, 0, this.of.cycles - 1);
        const span = this.width() / this.scale;
        const margin = Math.min(3, span / 4);
        if (central) {
            this.center(this.cursor, 0.5);
        } else if (this.cursor < this.left + margin) {
            this.left = this.cursor - margin;
        } else if (this.cursor + 1 > this.left + span - margin) {
            this.left = this.cursor + 1 - span + margin;
        }
        this.keepInside();
        this.draw();
    }

    goText(text) {
        if (/^[0-9]+$/.test(text.trim())) {
            this.go(Number(BigInt(text.trim()) - this.of.first), true);
        }
        this.draw();
    }

    choose(lane) {
        this.lane = clamp(lane, 0, this.lanes.length - 1);
        this.draw();
    }

    // The next or previous wrong row of any lane.
    jump(step) {
        const wrong = this.of.wrong;
        const list = step > 0 ? wrong : wrong.slice().reverse();
        const found = list.find((e) => step > 0 ? e.cycle > this.cursor : e.cycle < this.cursor);
        if (found) {
            this.lane = this.lanes.findIndex((l) => l.stream === found.stream);
            this.go(found.cycle);
        }
    }

    key(event) {
        const far = event.shiftKey ? 10 : 1;
        const acts = {
            ArrowLeft: () => this.go(this.cursor - far), ArrowRight: () => this.go(this.cursor + far),
            ArrowUp: () => this.choose(this.lane - 1), ArrowDown: () => this.choose(this.lane + 1),
            PageUp: () => this.go(this.cursor - Math.round(this.width() / this.scale)),
            PageDown: () => this.go(this.cursor + Math.round(this.width() / this.scale)),
            Home: () => this.go(0), End: () => this.go(this.of.cycles - 1),
            "+": () => this.zoom(2), "=": () => this.zoom(2), "-": () => this.zoom(0.5),
            "0": () => this.fit(), n: () => this.jump(1), p: () => this.jump(-1),
            v: () => this.go(this.mark, true),
        };
        const act = acts[event.key];
        if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            act();
        }
    }

    cycleAt(event) {
        return this.left + (event.clientX - this.plot.getBoundingClientRect().left) / this.scale;
    }

    press(event) {
        const top = event.clientY - this.canvas.getBoundingClientRect().top;
        const lane = this.lanes.findIndex((l) => top >= l.top && top < l.top + l.height);
        const start = {x: event.clientX, left: this.left};
        this.lane = lane >= 0 ? lane : this.lane;
        this.go(Math.floor(this.cycleAt(event)));
        const move = (now) => {
            this.left = start.left - (now.clientX - start.x) / this.scale;
            this.keepInside();
            this.draw();
        };
        window.addEventListener("mousemove", move);
        window.addEventListener("mouseup", () => window.removeEventListener("mousemove", move),
            {once: true});
    }

    wheel(event) {
        const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (event.ctrlKey) {
            event.preventDefault();
            this.zoom(event.deltaY < 0 ? 1.25 : 0.8, this.cycleAt(event));
        } else if (sideways || event.shiftKey) {
            event.preventDefault();
            this.left += (sideways ? event.deltaX : event.deltaY) / this.scale;
            this.keepInside();
            this.draw();
        }
    }

    overview(event) {
        const box = this.over.getBoundingClientRect();
        this.go(Math.floor((event.clientX - box.left) / box.width * this.of.cycles), true);
    }

    onMove(listener) {
        this.listeners.push(listener);
    }
}
