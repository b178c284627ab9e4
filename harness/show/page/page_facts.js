// SPDX-License-Identifier: Apache-2.0
//
// The quiet parts of a failure's page (issues, cycles, counts, how to see it again), and what puts
// that page together.

"use strict";

function recentSection() {
    const list = report.recent || [];
    const guilty = report.issue ? report.issue.seq : -1;
    if (list.length === 0) {
        return null;
    }
    return section("recent", "Last issues seen", null, table([
        {title: "issue", n: true, cell: (_, i) => shown("report/recent/" + i + "/seq")},
        {title: "pc", n: true, cell: (_, i) => shown("report/recent/" + i + "/pc")},
        {title: "instruction as resolved", m: true,
            cell: (_, i) => shown("report/recent/" + i + "/text")},
        {title: "loops", m: true, cell: (issue) => ivText(issue)},
    ], list, {row: (issue) => issue.seq === guilty ? {class: "guilty"} : {}}));
}

function causes(of) {
    return Object.entries(of).map(([name, count]) => name + " " + count).join(", ");
}

function sum(of) {
    return Object.values(of).reduce((total, count) => total + Number(count), 0);
}

function splitBar(unit, total) {
    const part = (kind, count) => el("span", {class: kind,
        style: "width:" + (100 * count / total).toFixed(2) + "%"});
    return el("div", {class: "split", role: "img", "aria-label": "busy " + unit.busy},
        part("busy", Number(unit.busy)), part("starved", sum(unit.starved)),
        part("blocked", sum(unit.blocked)));
}

function cyclesSection() {
    const account = data.cycles;
    if (!account) {
        return null;
    }
    const names = Object.keys(account.units);
    const total = Number(account.total);
    const path = (name, key) => "cycles/units/" + name + "/" + key;
    return section("cycles", "Where the cycles went", "cycles " + account.first + " to "
        + account.last,
    table([
        {title: "unit", th: true, cell: (name) => name},
        {title: "busy", n: true, cell: (name) => shown(path(name, "busy"))},
        {title: "starved", n: true, cell: (name) => String(sum(account.units[name].starved))},
        {title: "blocked", n: true, cell: (name) => String(sum(account.units[name].blocked))},
        {title: "idle", n: true, cell: (name) => shown(path(name, "idle"))},
        {title: "", cell: (name) => splitBar(account.units[name], total)},
        {title: "waited for", cell: (name) => [causes(account.units[name].starved),
            causes(account.units[name].blocked)].filter((t) => t !== "").join("; ")},
    ], names, {row: (name) => name === report.unit ? {class: "guilty"} : {}}));
}

function countsSection() {
    const names = Object.keys(report.compared || {});
    const counts = ["memory_rows", "c_cells", "oracle_cells"].filter((k) => report[k] !== undefined);
    return section("compared", "What was compared", null, table([
        {title: "stream", th: true, cell: (name) => name},
        {title: "rows compared", n: true, cell: (name) => shown("report/compared/" + name)},
        {title: "digest", m: true, cell: (name) => shown("report/stream_digests/" + name)},
    ], names, {row: (name) => name === report.stream ? {class: "guilty"} : {}}),
    el("p", {}, counts.map((key) => [key.replace(/_/g, " "), " ", shown("report/" + key), "; "]),
        "digest of all ", el("span", {class: "mono"}, shown("report/digest"))));
}

function againSection() {
    const files = [["repro.json", "everything that the run needs; tpucosim replay runs it"],
        ["program.s", "the program"], ["window.fst", "the same window as a wave, both sides in it"],
        ["timeline.json", "for Perfetto (ui.perfetto.dev) and Chrome's own tracing page"],
        ["timeline.kanata", "for Konata"], ["report.json", "the report for a script"]];
    return section("again", "Run it again", null,
        report.again ? command(report.again) : null,
        el("p", {}, "machine: ", shown("report/engine"), " ",
            Object.keys(report.parameters || {}).map((name) => [name, "=",
                shown("report/parameters/" + name), " "]), "seed ", shown("report/seed")),
        report.left_out ? el("p", {}, "left out: ", shown("report/left_out")) : null,
        table([{title: "beside this page", th: true, cell: (f) => f[0]},
            {title: "", cell: (f) => f[1]}], files));
}

function waveSection(wave, machine, detail) {
    const cut = data.recording.cut ? "; rows farther off were left out to keep the page small" : "";
    return section("wave", "Wave window", "cycles " + data.recording.first + " to "
        + data.recording.last + cut, wave.element(),
    el("div", {class: "beside"}, detail.root,
        el("div", {}, el("h3", {}, "The machine", machine.title), machine.root, machine.text)));
}

function arraySection(rows) {
    const here = ["cw", "acol", "wcol"].includes(report.stream) || report.unit === "array";
    if (!here) {
        return null;
    }
    const suspects = findSuspects(rows);
    return section("array", "The array", null, el("p", {}, suspects.text),
        el("div", {class: "scroll"}, arrayPicture(suspects)));
}

function drawFailure() {
    const recording = new Recording(data.recording);
    const mark = Number(BigInt(report.cycle || data.recording.last) - recording.first);
    const wave = new Wave(recording, report.unit, mark);
    if (report.verdict === "HANG") { // where things stopped, not where patience did
        wave.cursor = clamp(recording.lastMove() + 2, 0, wave.cursor);
    }
    const machine = new Machine(recording, report.unit);
    const detail = new Detail(recording);
    const found = guiltyRows(recording);
    wave.onMove((cycle, lane) => {
        machine.draw(cycle);
        detail.draw(cycle, lane);
    });
    const lane = wave.lanes.findIndex((l) => l.name === report.stream);
    wave.lane = lane >= 0 ? lane : Math.max(0, wave.lanes.findIndex((l) => l.name === report.unit));
    drawHead();
    const main = document.getElementById("main");
    main.replaceChildren(...[drawFacts(), ...suggestions(), instructionSection(),
        waveSection(wave, machine, detail), waitsSection(), heatSection(found.rows, wave, recording),
        el("div", {class: "columns"}, laneSection(found.rows), arraySection(found.rows)),
        recentSection(), cyclesSection(), countsSection(), againSection(), rawSection(),
    ].filter((part) => part !== null));
    drawIndex();
    wave.ready();
    return {recording, wave};
}

