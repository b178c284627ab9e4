// SPDX-License-Identifier: Apache-2.0
//
// The page of one failure: from the verdict down to the row, lane by lane. Every number that the
// report knows is shown through `shown`, which a test compares with the JSON.

"use strict";

const report = data.report;

function drawHead() {
    document.getElementById("head").append(
        el("div", {}, badge(report.verdict), el("span", {class: "sub"}, shown("report/name"))),
        el("h1", {}, report.sentence ? shown("report/sentence") : "Nothing differs"),
        el("p", {class: "signature mono"}, shown("report/signature")));
}

function fact(name, value, guilty) {
    return el("div", {class: guilty ? "guilty" : null}, el("dt", {}, name), el("dd", {}, value));
}

function peText() {
    const known = (path) => at(path) !== null && at(path) !== undefined;
    if (!known("report/pe_row") && !known("report/pe_col")) {
        return null;
    }
    return ["PE row ", shown("report/pe_row"), ", column ", shown("report/pe_col")];
}

function drawFacts() {
    const place = report.stream ? "report/stream" : "report/memory";
    const failed = report.cycle !== undefined;
    return el("dl", {class: "facts"},
        failed ? fact("unit to blame", shown("report/unit"), report.unit !== null) : null,
        failed && at(place) ? fact(report.stream ? "stream" : "memory", shown(place)) : null,
        failed ? fact("cycle", shown("report/cycle")) : null,
        failed ? fact("row", shown("report/row")) : null,
        report.field ? fact("field", shown("report/field")) : null,
        report.lane !== null && report.lane !== undefined ? fact("lane", shown("report/lane")) : null,
        peText() ? fact("element of the array", peText(), true) : null,
        failed && report.expected !== report.got ? fact("expected", shown("report/expected")) : null,
        failed && report.expected !== report.got ? fact("got", shown("report/got"), true) : null,
        failed && report.elements_seen !== "0" ? fact("elements that differ",
            [shown("report/elements_differ"), " of ", shown("report/elements_seen")]) : null,
        report.shape && report.shape !== "none" ? fact("shape", shown("report/shape")) : null,
        report.vote ? fact("vote", shown("report/vote")) : null);
}

function suggestions() {
    const list = report.suggests || [];
    const inputs = report.inputs || [];
    return [
        list.length === 0 ? null : el("h3", {}, "What the pattern suggests"),
        list.length === 0 ? null : el("ul", {}, list.map((_, i) => el("li", {},
            shown("report/suggests/" + i)))),
        inputs.length === 0 ? null : el("p", {class: "soft"}, "Its inputs were right: ",
            inputs.map((_, i) => [i > 0 ? ", " : "", shown("report/inputs/" + i + "/stream"), " ",
                shown("report/inputs/" + i + "/seen"), " rows seen, ",
                shown("report/inputs/" + i + "/needed"), " needed"]), "."),
    ];
}

function ivText(issue) {
    return (issue.iv || []).map((value, level) => "iv" + level + "=" + value).join(" ");
}

function instructionSection() {
    const issue = report.issue;
    if (!issue) {
        return null;
    }
    const written = (data.program || []).find((line) => line.pc === issue.pc);
    const line = issue.line === 0 ? "" : data.source ? data.source + ":" + issue.line
        : "line " + issue.line;
    return section("instruction", "Instruction", line,
        el("pre", {}, el("code", {}, shown("report/issue/text"))),
        written ? el("p", {class: "mono soft"}, "written: " + written.text) : null,
        el("p", {}, "issue ", shown("report/issue/seq"), ", pc ", shown("report/issue/pc"),
            issue.iv.length > 0 ? ", " + ivText(issue) : "", ", row ", shown("report/issue/row"),
            " of it in ", shown("report/stream")),
        listing(issue.pc));
}

function listing(pc) {
    const lines = data.program || [];
    if (lines.length === 0) {
        return null;
    }
    const body = lines.map((line) => el("tr", {class: line.pc === pc ? "here" : null},
        el("th", {class: "n", scope: "row"}, String(line.pc)),
        el("td", {class: "m"}, "  ".repeat(line.depth) + line.text),
        el("td", {class: "soft"}, line.line > 0 ? "line " + line.line : "")));
    const box = el("div", {class: "listing", tabindex: 0, role: "region", "aria-label": "Program"},
        el("table", {}, el("tbody", {}, body)));
    const here = body.find((row) => row.className === "here");
    if (here) {
        requestAnimationFrame(() => { box.scrollTop = here.offsetTop - 60; });
    }
    return el("details", {open: lines.length <= 14 || null}, el("summary", {},
        "The program, " + lines.length + (lines.length === 1 ? " instruction" : " instructions")),
    box);
}

// ---- rows of the guilty stream -----------------------------------------------------------------

function diffRow(stream, event) {
    return diffItems(event, decodeRow(stream, event.got),
        event.extra ? null : decodeRow(stream, event.expected));
}

function diffItems(event, got, want) {
    const items = (got || []).map((item, i) => ({
        name: item.name, lane: item.lane ? Number(item.name.slice(5)) : null, got: item.text,
        expected: want ? want[i].text : null, differs: want === null || item.text !== want[i].text,
        by: want ? Math.abs(item.value - want[i].value) : Infinity,
    }));
    return {event, items};
}

const HEAT_ROWS = 64;

// Rows of a memory at the end of the run, as the report has them around the first that differs.
function memoryRows() {
    const bytes = report.memory === "ar" ? 4 : 1;
    const lanes = {fields: [], head: 0, lane_bytes: bytes};
    const seen = (report.window || {}).got || [];
    const first = Number((report.window || {}).first_row || 0);
    return ((report.window || {}).expected || []).slice(0, seen.length).map((want, i) => {
        const got = decodeBytes(lanes, seen[i]);
        return {...diffItems({index: first + i, cycle: null}, got, decodeBytes(lanes, want)), bytes};
    });
}

// Rows of the stream around the first difference: those of its instruction, at most HEAT_ROWS.
function guiltyRows(recording) {
    const stream = data.machine.streams.findIndex((s) => s.name === report.stream);
    if (stream < 0) {
        return {stream, rows: report.memory ? memoryRows() : []};
    }
    const list = recording.streams[stream].filter((e) => e.got !== "");
    const wrong = list.findIndex((e) => e.differs);
    const from = Math.max(0, (wrong < 0 ? list.length : wrong) - 8);
    const of = list.slice(from, from + HEAT_ROWS);
    return {stream, rows: of.map((event) => diffRow(stream, event))};
}

function place() {
    return report.stream || report.memory;
}

function heatKind(item) {
    if (!item.differs) {
        return "";
    }
    const steps = [2, 16, 256];
    const level = steps.findIndex((limit) => item.by < limit);
    return "h" + (level < 0 ? 4 : level + 1);
}

function heatSection(rows, wave, recording) {
    if (rows.length === 0) {
        return null;
    }
    const wrong = rows.reduce((n, r) => n + r.items.filter((i) => i.differs).length, 0);
    const all = rows.reduce((n, r) => n + r.items.length, 0);
    const go = (row) => row.event.cycle !== null && wave.go(row.event.cycle, true);
    const cell = (row, item) => el("td", {class: heatKind(item), tabindex: item.differs ? 0 : null,
        title: item.name + " of row " + row.event.index + ": expected "
            + (item.expected === null ? "no row" : item.expected) + ", got " + item.got,
        click: () => go(row),
        keydown: (e) => e.key === "Enter" && go(row),
    }, item.differs ? item.got : "\u00B7");
    const head = rows[0].items.map((item) => el("th", {scope: "col"},
        item.lane === null ? item.name : String(item.lane)));
    const body = rows.map((row) => el("tr", {},
        el("th", {scope: "row", class: "n"}, String(row.event.index)),
        el("th", {class: "n soft"}, row.event.cycle === null ? "end"
            : recording.cycleText(row.event.cycle)),
        row.items.map((item) => cell(row, item))));
    return section("heat", "Wrong elements", place() + ", a row a line, a lane a column",
        el("p", {class: "soft"}, el("span", {id: "heat-wrong"}, String(wrong)), " of ",
            el("span", {id: "heat-all"}, String(all)), " elements of ", rows.length === 1 ? "the row"
                : "the " + rows.length + " rows",
            " shown are wrong. In them stands what was got, darker the farther off."),
        el("div", {class: "scroll"}, el("table", {class: "heat"},
            el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "row"),
                el("th", {scope: "col"}, "cycle"), head)), el("tbody", {}, body))));
}

// ---- the row under the cursor ------------------------------------------------------------------

class Detail {
    constructor(recording) {
        this.of = recording;
        this.root = el("div", {id: "detail"});
    }

    draw(cycle, lane) {
        const title = el("h3", {}, "At the cursor", el("small", {}, "cycle "
            + this.of.cycleText(cycle) + ", " + lane.name));
        if (lane.stream === undefined) {
            const [first, last, state, wait] = this.of.state(lane.unit, cycle);
            this.root.replaceChildren(title, el("p", {}, stateText(state, wait) + " from cycle "
                + this.of.cycleText(first) + " to " + this.of.cycleText(last)));
            return;
        }
        const event = this.of.event(lane.stream, cycle);
        if (event === null) {
            this.root.replaceChildren(title, el("p", {class: "soft"}, "No row in this cycle."));
            return;
        }
        const row = diffRow(lane.stream, event);
        this.root.replaceChildren(title,
            el("p", {}, "row " + event.index + ", " + this.of.issueText(event.issue)
                + (event.issue >= 0 ? ", row " + event.inIssue + " of it" : "")),
            row.items.length === 0 ? el("p", {class: "soft"}, "Its bytes were left out of the page.")
                : this.items(row));
    }

    items(row) {
        return table([
            {title: "", th: true, cell: (i) => i.name},
            {title: "expected", n: true, cell: (i) => i.expected === null ? "no row" : i.expected},
            {title: "got", n: true, cell: (i) => i.got, mark: (i) => i.differs ? "wrong" : ""},
            {title: "", cell: (i) => i.differs ? "differs" : "",
                mark: (i) => i.differs ? "wrong" : ""},
        ], row.items);
    }
}

// Expected against got by lane, of the first wrong row.
function laneSection(rows) {
    const wrong = rows.find((r) => r.items.some((i) => i.differs));
    if (!wrong) {
        return null;
    }
    const by = (item) => item.expected === null || item.lane === null ? ""
        : String(BigInt(item.got) - BigInt(item.expected));
    const hex = (text) => /^-?[0-9]+$/.test(text || "") ? "0x" + BigInt.asUintN(
        8 * (wrong.bytes || data.machine.streams[wrong.event.stream].lane_bytes || 8),
        BigInt(text)).toString(16)
        : "";
    return section("lanes", "Expected and got", "row " + wrong.event.index + " of " + place(),
        table([
            {title: "lane", th: true, cell: (i) => i.lane === null ? i.name : String(i.lane)},
            {title: "expected", n: true, cell: (i) => i.expected === null ? "no row" : i.expected},
            {title: "got", n: true, cell: (i) => i.got, mark: (i) => i.differs ? "wrong" : ""},
            {title: "off by", n: true, cell: (i) => i.differs ? by(i) : ""},
            {title: "expected", n: true, cell: (i) => hex(i.expected)},
            {title: "got", n: true, cell: (i) => hex(i.got)},
        ], wrong.items, {row: (i) => i.differs ? {class: "guilty"} : {}}));
}
