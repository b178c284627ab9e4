// SPDX-License-Identifier: Apache-2.0
//
// How the lanes of the wave window look. Ticks of one lane and kind are one path; texts appear
// where there is room for them.

"use strict";

function hatch(id, color, turned) {
    return svg("pattern", {id, width: 5, height: 5, patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(" + (turned ? -45 : 45) + ")"},
    svg("rect", {width: 2, height: 5, style: "fill:var(" + color + ");stroke:none"}));
}

function hatches() {
    return svg("defs", {}, hatch("hatch-starved", "--starved", false),
        hatch("hatch-blocked", "--blocked", true));
}

function box(left, top, width, height) {
    return "M" + left.toFixed(1) + " " + top + "h" + width.toFixed(1) + "v" + height + "h" +
        (-width).toFixed(1) + "z";
}

function cut(text, width) {
    const room = Math.floor((width - 6) / 6.7);
    return room >= text.length ? text : room >= 4 ? text.slice(0, room - 1) + "\u2026" : "";
}

// The first differing item of a wrong row, as "lane 2: 7" for one side of it.
function wrongText(event, side) {
    const got = decodeRow(event.stream, event.got);
    const expected = decodeRow(event.stream, event.expected);
    if (got === null || expected === null || event.extra) {
        return side === "got" ? "extra" : "none";
    }
    const at = got.findIndex((item, i) => item.text !== expected[i].text);
    const item = (side === "got" ? got : expected)[Math.max(at, 0)];
    return item.name.replace("lane ", "") + ": " + item.text;
}

Object.assign(Wave.prototype, {
    x(cycle) {
        return (cycle - this.left) * this.scale;
    },

    draw() {
        if (this.scale === undefined) {
            return;
        }
        const parts = [hatches(), ...this.drawGrid()];
        this.names.childNodes.forEach((node, i) => {
            const lane = this.lanes[i - 1];
            node.classList.toggle("chosen", i - 1 === this.lane);
            node.classList.toggle("wrong", lane !== undefined && (lane.wrong === true ||
                (lane.stream === undefined && lane.name === this.guilty)));
        });
        for (const [i, lane] of this.lanes.entries()) {
            if (i === this.lane) {
                parts.push(svg("rect", {class: "chosenlane", x: 0, y: lane.top,
                    width: this.width(), height: lane.height}));
            }
            parts.push(...(lane.stream === undefined ? this.drawUnit(lane) : this.drawStream(lane)));
        }
        parts.push(...this.drawMarks());
        this.canvas.setAttribute("height", this.height);
        this.canvas.replaceChildren(...parts);
        this.drawOver();
        this.input.value = this.of.cycleText(this.cursor);
        this.say();
        for (const listener of this.listeners) {
            listener(this.cursor, this.lanes[this.lane]);
        }
    },

    drawGrid() {
        const parts = [];
        const wanted = 70 / this.scale;
        const base = 10 ** Math.floor(Math.log10(wanted));
        const step = Math.max(1, [1, 2, 5, 10].find((f) => f * base >= wanted) * base);
        const shift = Number(this.of.first % BigInt(step));
        const end = Math.min(this.left + this.width() / this.scale, this.of.cycles);
        for (let c = Math.ceil((this.left + shift) / step) * step - shift; c < end; c += step) {
            parts.push(svg("line", {class: "grid", x1: this.x(c), x2: this.x(c), y1: 16,
                y2: this.height}));
            parts.push(svg("text", {class: "soft", x: this.x(c) + 3, y: 13},
                this.of.cycleText(c)));
        }
        for (const lane of this.lanes.filter((l) => l.stream === undefined)) {
            parts.push(svg("line", {class: "sep", x1: 0, x2: this.width(), y1: lane.top,
                y2: lane.top}));
        }
        return parts;
    },

    drawUnit(lane) {
        const parts = [];
        const end = this.left + this.width() / this.scale;
        const spans = this.of.spans[lane.unit];
        const thin = ["", "", "", ""];
        let i = Math.max(0, Recording.before(spans, this.left, (s) => s[0]));
        for (let edge = -1; i < spans.length && spans[i][0] <= end; i++) {
            const [first, last, state, wait] = spans[i];
            const left = Math.max(this.x(first), -2);
            const right = Math.min(this.x(last + 1), this.width() + 2);
            if (state === 0 || right - edge < 0.8) {
                continue;
            }
            edge = right;
            if (right - left < 3) { // too many for an element each
                thin[state] += box(left, lane.top + 3, Math.max(right - left, 0.8), lane.height - 6);
                continue;
            }
            parts.push(svg("rect", {class: STATES[state], x: left, y: lane.top + 3,
                width: Math.max(right - left, 0.5), height: lane.height - 6}));
            const text = cut(stateText(state, wait), right - left);
            if (state > 1 && text !== "") {
                parts.push(svg("rect", {x: left + 2, y: lane.top + 5, width: text.length * 6.7 + 3,
                    height: lane.height - 10, style: "fill:var(--back);opacity:.85"}));
            }
            if (text !== "") {
                parts.push(svg("text", {class: state === 1 ? "onbusy" : "", x: left + 4,
                    y: lane.top + 16}, text));
            }
        }
        thin.forEach((d, state) => d !== "" && parts.unshift(svg("path", {class: STATES[state]
            + " thin", d})));
        return parts;
    },

    drawStream(lane) {
        const list = this.of.streams[lane.stream];
        const end = this.left + this.width() / this.scale;
        const paths = {row: "", hit: ""};
        const texts = [];
        const groups = [];
        const half = lane.wrong ? lane.height / 2 : lane.height;
        const edge = {row: -Infinity, hit: -Infinity}; // where the last tick of a kind ends
        let i = Math.max(0, Recording.before(list, this.left - 1, (e) => e.cycle));
        for (; i < list.length && list[i].cycle <= end; i++) {
            const event = list[i];
            const left = this.x(event.cycle);
            const wide = Math.max(this.scale - 1, 0.7);
            const group = groups[groups.length - 1];
            if (group && group.issue === event.issue && group.last === event.cycle - 1) {
                group.last = event.cycle;
            } else {
                groups.push({issue: event.issue, first: event.cycle, last: event.cycle});
            }
            const kind = event.differs ? "hit" : "row";
            if (left + wide - edge[kind] < 0.5) {
                continue; // nobody could see it
            }
            edge[kind] = left + wide;
            paths[kind] += box(left, lane.top + half - 5, wide, 3);
            if (event.differs) {
                texts.push(...this.wrongLabels(lane, event, left, half));
                paths.hit += box(left, lane.top + lane.height - 4, wide, 2);
            }
        }
        return [...this.drawGroups(lane, groups, half),
            ...Object.entries(paths).filter((p) => p[1] !== "")
                .map(([kind, d]) => svg("path", {class: kind, d})), ...texts];
    },

    drawGroups(lane, groups, half) {
        const texts = [];
        let shade = "";
        for (const group of groups) {
            const left = Math.max(this.x(group.first), -1);
            const width = this.x(group.last + 1) - left;
            if (width < 2) {
                continue;
            }
            shade += box(left, lane.top + 2, width - 1, half - 4);
            if (width > 30 && !lane.wrong) {
                const text = cut(this.of.issueText(group.issue), width);
                texts.push(svg("text", {x: Math.max(left, 0) + 3, y: lane.top + 11}, text));
            }
        }
        return shade === "" ? [] : [svg("path", {class: "group", d: shade}), ...texts];
    },

    wrongLabels(lane, event, left, half) {
        if (this.scale < 12) {
            return [];
        }
        const fit = (text) => {
            const short = text.replace(/^.*: /, "");
            return [text, short].find((t) => t.length * 6.7 + 5 <= this.scale) || "";
        };
        const got = fit(wrongText(event, "got"));
        const expected = fit(wrongText(event, "expected"));
        return [
            got === "" ? null : svg("text", {class: "hittext", x: left + 3, y: lane.top + half - 7},
                got),
            expected === "" ? null : svg("text", {x: left + 3, y: lane.top + lane.height - 6},
                expected),
        ].filter((made) => made !== null);
    },

    // The cursor is as wide as its cycle, so that it covers nothing; the verdict stands before its.
    drawMarks() {
        const parts = [svg("rect", {class: "cursor", x: this.x(this.cursor), y: 16,
            width: Math.max(this.scale, 1.5), height: this.height - 16})];
        if (this.mark >= 0 && this.mark < this.of.cycles) {
            parts.push(svg("line", {class: "verdict", x1: this.x(this.mark), x2: this.x(this.mark),
                y1: 0, y2: this.height}));
        }
        return parts;
    },

    // The strip above the lanes: where rows are, where wrong ones are, what is in sight.
    drawOver() {
        const width = Math.max(this.width(), 1);
        const scale = width / this.of.cycles;
        if (this.overWidth !== width) {
            this.overWidth = width;
            const strip = (kind, cycles, top, height) => {
                let d = "M0 0";
                let edge = -1;
                for (const cycle of cycles) {
                    const left = Math.max(cycle * scale, edge);
                    const right = (cycle + 1) * scale;
                    if (right > edge + 0.5) {
                        d += box(left, top, Math.max(right - left, 1), height);
                        edge = right;
                    }
                }
                return svg("path", {class: kind, d});
            };
            const rows = [...new Set(this.of.streams.flatMap((list) => list.map((e) => e.cycle)))];
            this.strips = [strip("group", rows.sort((a, b) => a - b), 5, 6),
                strip("hit", this.of.wrong.map((e) => e.cycle), 2, 12)];
        }
        this.over.replaceChildren(...this.strips, svg("rect", {class: "view",
            x: this.left * scale, y: 0.5, width: Math.min(width, width / this.scale * scale),
            height: 15}));
    },

    // One sentence for those who do not see the lanes.
    say() {
        const lane = this.lanes[this.lane];
        const where = "Cycle " + this.of.cycleText(this.cursor) + ", " + lane.name + ": ";
        if (lane.stream === undefined) {
            const [, , state, wait] = this.of.state(lane.unit, this.cursor);
            this.status.textContent = where + stateText(state, wait);
            return;
        }
        const event = this.of.event(lane.stream, this.cursor);
        this.status.textContent = where + (event === null ? "no row"
            : "row " + event.index + (event.differs ? ", wrong" : ", as expected") + ", "
                + this.of.issueText(event.issue));
    },
});
