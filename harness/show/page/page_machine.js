// SPDX-License-Identifier: Apache-2.0
//
// Two pictures of the machine: the units with their channels as they stand at the wave's cursor
// (of a hang also who waits for whom), and the array with the processing elements that can be
// guilty.

"use strict";

// Places in the picture: left, top, width, height of each unit by name.
const PLACES = {
    sequencer: [20, 10, 860, 34], dma_ld: [20, 130, 120, 56], spm: [225, 88, 120, 56],
    vru: [225, 178, 120, 56], array: [430, 130, 120, 56], accu: [610, 130, 110, 56],
    dma_st: [775, 130, 105, 56],
};

// The way of each channel, and where its name stands.
const WAYS = {
    c_dld: ["M80 44V130", 84, 66], c_spm: ["M285 44V88", 289, 66], c_vru: ["M365 44V206H345", 369, 66],
    c_acc: ["M665 44V130", 669, 66], c_dst: ["M827 44V130", 821, 66, "end"],
    dma2sp: ["M140 146H180V116H225", 146, 110], dma2vr: ["M140 170H180V206H225", 146, 222],
    sp2vr: ["M265 144V178", 270, 165], wcol: ["M345 116H390V146H430", 380, 108],
    acol: ["M345 218H390V170H430", 380, 234], cw: ["M550 158H610", 568, 150],
    ac2sp: ["M720 158H775", 727, 150],
};

class Machine {
    constructor(recording, guilty) {
        this.of = recording;
        this.guilty = guilty;
        this.root = el("div", {class: "scroll"});
        this.title = el("small", {});
        this.text = el("p", {class: "soft"}, "A channel is dark when a row passes, red when the "
            + "row is wrong, amber when its reader waits for a row, violet when its writer waits "
            + "for room.");
    }

    // What a channel is doing: fired in this cycle, and who waits for it.
    wayKind(stream, info, cycle) {
        const event = this.of.event(stream, cycle);
        if (event !== null) {
            return event.differs ? "way hit" : "way fired";
        }
        const waits = (unit, state) => {
            const [, , is, wait] = this.of.state(unit, cycle);
            return is === state && wait === stream;
        };
        if (info.reader >= 0 && waits(info.reader, 2)) {
            return "way waited";
        }
        return waits(info.unit, 3) ? "way full" : "way";
    }

    unitBox(name, unit, cycle) {
        const [left, top, width, height] = PLACES[name];
        const [, , state, wait] = this.of.state(unit, cycle);
        const guilty = name === this.guilty ? " guilty" : "";
        const flat = height < 40;
        return [
            svg("rect", {class: "box " + STATES[state] + guilty, x: left, y: top, width, height,
                rx: 5}),
            svg("text", {class: "name" + guilty, x: left + 8, y: top + (flat ? 22 : 22)}, name),
            svg("text", {class: "soft", x: flat ? left + 110 : left + 8,
                y: top + (flat ? 22 : 42)}, stateText(state, wait)),
        ];
    }

    draw(cycle) {
        const parts = [];
        data.machine.streams.forEach((info, stream) => {
            const way = WAYS[info.name];
            if (way === undefined) {
                return;
            }
            const kind = this.wayKind(stream, info, cycle);
            const held = at("report/waits/held/" + info.name);
            parts.push(svg("path", {class: kind, d: way[0], "marker-end": "url(#tip)"}));
            parts.push(svg("text", {class: kind === "way hit" ? "hittext" : "soft", x: way[1],
                y: way[2], "text-anchor": way[3] || "start"}, info.name + (held && held !== "0" ? " (" + held + " held)" : "")));
        });
        data.machine.units.forEach((name, unit) => parts.push(...this.unitBox(name, unit, cycle)));
        const tip = svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 5,
            markerHeight: 5, orient: "auto"}, svg("path", {d: "M0 0L8 4L0 8z",
            style: "fill:var(--soft)"}));
        this.root.replaceChildren(svg("svg", {class: "picture", viewBox: "0 0 900 250", width: 900,
            height: 250, role: "img", "aria-label": "Units and channels at cycle "
                + this.of.cycleText(cycle)}, svg("defs", {}, tip), parts));
        this.title.textContent = "cycle " + this.of.cycleText(cycle);
    }
}

// The point on the border of a box towards another.
function border(from, to) {
    const [x, y, w, h] = from;
    const dx = to[0] + to[2] / 2 - (x + w / 2);
    const dy = to[1] + to[3] / 2 - (y + h / 2);
    const scale = 1 / Math.max(Math.abs(dx) / (w / 2 + 3), Math.abs(dy) / (h / 2 + 3), 1e-6);
    return [x + w / 2 + dx * scale, y + h / 2 + dy * scale];
}

// An arrow from each unit that waits to what it waits for; a circle among them is red.
function waitsPicture(waits, circle) {
    const places = {...PLACES, memory: [20, 205, 120, 36]};
    const parts = [];
    const state = new Map((waits.nodes || []).map((node) => [node.unit, node.state]));
    for (const [name, [x, y, width, height]] of Object.entries(places)) {
        const kind = circle.has(name) || name === at("report/unit") ? " guilty" : "";
        parts.push(svg("rect", {class: "box" + kind + " " + (state.get(name) || ""), x, y, width,
            height, rx: 5}));
        parts.push(svg("text", {class: "name" + kind, x: x + 8, y: y + 22}, name));
        parts.push(svg("text", {class: "soft", x: height < 40 ? x + 90 : x + 8,
            y: y + (height < 40 ? 22 : 42)}, state.get(name) || ""));
    }
    for (const edge of waits.edges || []) {
        const from = places[edge.from];
        const to = places[edge.to];
        if (from === undefined || to === undefined || from === to) {
            continue;
        }
        const [x1, y1] = border(from, to);
        const [x2, y2] = border(to, from);
        const kind = circle.has(edge.from) && circle.has(edge.to) ? "way hit" : "way waited";
        parts.push(svg("line", {class: kind, x1, y1, x2, y2, "marker-end": "url(#wait-tip)"}));
        parts.push(svg("text", {x: (x1 + x2) / 2 - 10, y: (y1 + y2) / 2 - 6}, edge.stream || ""));
    }
    const tip = svg("marker", {id: "wait-tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 4,
        markerHeight: 4, orient: "auto"}, svg("path", {d: "M0 0L8 4L0 8z",
        style: "fill:var(--text)"}));
    return svg("svg", {class: "picture", viewBox: "0 0 900 250", width: 900, height: 250,
        role: "img", "aria-label": "Who waits for whom"}, svg("defs", {}, tip), parts);
}

// Who waits for whom, as the report says it.
function waitsSection() {
    const waits = at("report/waits");
    if (!waits) {
        return null;
    }
    const circle = new Set(waits.circle || []);
    const rows = (waits.edges || []).map((edge, i) => ({...edge, path: "report/waits/edges/" + i}));
    return section("waits", "Who waits for whom", circle.size > 0 ? "there is a circle"
        : "no circle",
    el("div", {class: "scroll"}, waitsPicture(waits, circle)),
    table([
        {title: "unit", th: true, cell: (r) => shown(r.path + "/from")},
        {title: "waits for", cell: (r) => shown(r.path + "/to")},
        {title: "about", m: true, cell: (r) => shown(r.path + "/stream")},
        {title: "needs", cell: (r) => shown(r.path + "/waits_for")},
        {title: "rows held there", n: true, cell: (r) => shown(r.path + "/held")},
        {title: "on the circle", cell: (r) => circle.has(r.from) ? "yes" : "no"},
    ], rows, {row: (r) => r.to === at("report/unit") ? {class: "guilty"} : {}}),
    rows.length === 0 ? el("p", {}, "No unit waits for another.") : null,
    el("p", {class: "soft"}, "Rows held were pushed and not answered yet; a channel has room for ",
        shown("report/waits/depth"), "."));
}

// The array: T x T elements, row i takes lane i of acol, column j gives lane j of cw.
function arrayPicture(suspects) {
    const t = data.machine.t;
    const size = clamp(Math.floor(300 / t), 9, 46);
    const pe = (row, col) => {
        const sure = suspects.row === row && suspects.col === col;
        const maybe = !sure && ((suspects.row === row && suspects.col === null)
            || (suspects.row === null && suspects.cols.has(col)));
        const parts = [svg("rect", {class: "pe" + (sure ? " sure" : maybe ? " maybe" : ""),
            x: 40 + col * size, y: 30 + row * size, width: size - 3, height: size - 3, rx: 3})];
        if (size >= 30) {
            parts.push(svg("text", {class: sure ? "sure" : "soft", x: 40 + col * size + size / 2 - 2,
                y: 30 + row * size + size / 2 + 3, "text-anchor": "middle"}, row + "," + col));
        }
        return parts;
    };
    const parts = [
        svg("text", {class: "soft", x: 40, y: 20}, "weights (wcol), sums go down to cw"),
        svg("text", {class: "soft", x: 14, y: 34 + t * size, "text-anchor": "start",
            transform: "rotate(-90 14 " + (34 + t * size) + ")"}, "activations (acol)"),
    ];
    for (let row = 0; row < t; row++) {
        for (let col = 0; col < t; col++) {
            parts.push(...pe(row, col));
        }
    }
    const width = Math.max(50 + t * size, 300);
    const height = 50 + t * size;
    return svg("svg", {class: "picture", viewBox: "0 0 " + width + " " + height, width, height,
        role: "img", "aria-label": suspects.text}, parts);
}

// Which elements can be guilty: what the report says, else the columns whose sums are wrong.
function findSuspects(rows) {
    const report = data.report;
    const has = (value) => value !== null && value !== undefined;
    const suspects = {row: has(report.pe_row) ? report.pe_row : null,
        col: has(report.pe_col) ? report.pe_col : null, cols: new Set(), text: ""};
    if (has(suspects.col)) {
        suspects.cols.add(suspects.col);
    } else if (suspects.row === null && report.stream === "cw") {
        for (const row of rows) {
            row.items.forEach((item) => item.differs && suspects.cols.add(item.lane));
        }
    }
    if (suspects.row !== null && suspects.col !== null) {
        suspects.text = "Processing element (" + suspects.row + ", " + suspects.col + ")";
    } else if (suspects.row !== null) {
        suspects.text = "A processing element of row " + suspects.row;
    } else if (suspects.cols.size === 1) {
        suspects.text = "A processing element of column " + [...suspects.cols][0];
    } else if (suspects.cols.size > 1) {
        suspects.text = "Wrong sums leave " + suspects.cols.size + " columns: "
            + [...suspects.cols].sort((a, b) => a - b).join(", ");
    } else {
        suspects.text = "The report points at no processing element";
    }
    return suspects;
}
