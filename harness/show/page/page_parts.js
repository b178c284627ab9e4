// SPDX-License-Identifier: Apache-2.0
//
// The sections of a summary page, one function a kind of summary, and what puts them together.

"use strict";

function buckets(path, list) {
    return [el("h3", {}, "Buckets", el("small", {}, "findings with one signature")),
        objects(path + "/buckets", list, [
            ["signature", "signature", {m: true}], ["times", "count"],
            ["what", "sentence", {n: false}], ["seed", "seed"], ["sequence", "sequence"],
            ["program", "index"], ["after programs", "programs_before"],
            ["after seconds", "seconds", {digits: 2}], ["instructions found", "found_instructions"],
            ["shrunk to", "instructions"], ["waived", "waived", {n: false}],
            ["files", "directory", {m: true}]])];
}

function waivers(path, list) {
    return (list || []).length === 0 ? null : [el("h3", {}, "Waivers"), objects(path + "/waivers",
        list, [["signature", "signature", {m: true}], ["state", "state", {n: false}],
            ["seen", "seen"], ["at most", "max_count"], ["until", "expires", {m: true}],
            ["owner", "owner", {n: false}], ["reason", "reason", {n: false}]])];
}

function cosimPart(path, json) {
    const bad = (row) => !row.skipped && row.verdict !== "OK";
    const used = json.rows.filter((r) => number(r.ideal) > 0 && number(r.cycles) > 0);
    return [facts(path, [["lines exact", "exact"], ["lines run", "run"], ["not run", "skipped"],
        ["digest of all", "digest"], ["engine", "engine"]]),
    objects(path + "/rows", json.rows.map((r) => ({...r, shape: shapeText(r)})), [
        ["program", "program", {n: false, th: true}], ["M", "m"], ["K", "k"], ["N", "n"],
        ["verdict", "verdict", {n: false, mark: (r) => bad(r) ? "wrong" : "ok"}],
        ["cycles", "cycles"], ["ideal", "ideal"], ["cells compared", "cells"],
        ["checked/s", "checked_per_second", {digits: 0, zero: false}],
        ["bare/s", "bare_per_second", {digits: 0, zero: false}],
        ["digest", "digest", {m: true}], ["note", "note", {n: false}],
        ["what", "sentence", {n: false}], ["files", "directory", {m: true}]],
    {row: (r) => bad(r) ? {class: "guilty"} : {}}),
    used.length === 0 ? null : [el("h3", {}, "The array's use",
        el("small", {}, "ideal cycles in a hundred of the run's")),
    barChart(used.map((r) => ({name: (r.program + " " + shapeText(r)).slice(0, 29),
        value: 100 * number(r.ideal) / number(r.cycles),
        text: percent(number(r.ideal), number(r.cycles))})), "Use of the array")]];
}

function benchPart(path, json) {
    const rows = Array.isArray(json) ? json : json.rows;
    const base = Array.isArray(json) ? path : path + "/rows";
    const four = (key) => [1, 16, 64, 100].map((latency, i) =>
        [key + ", L=" + latency, key + "/" + i]);
    const missed = (r) => number(r.target) > 0 && number(r.best[0]) > number(r.target);
    return [objects(base, rows, [["M", "m", {th: true}], ["K", "k"], ["N", "n"], ["ideal", "ideal"],
        ["target", "target"], ["published", "published"], ...four("shipped"), ...four("best"),
        ["form", "form", {n: false}], ["relu", "relu"], ["QD=2", "qd2"],
        ["checked/s", "checked_per_second", {digits: 0, zero: false}],
        ["bare/s", "bare_per_second", {digits: 0, zero: false}],
        ["exact", "exact", {n: false}]],
    {row: (r) => missed(r) || r.exact === false ? {class: "guilty"} : {}}),
    el("h3", {}, "Cycles at latency 1", el("small", {}, "the line is the target")),
    barChart(rows.map((r) => ({name: shapeText(r), value: number((r.best || [0])[0]),
        mark: number(r.target), bad: missed(r), text: String((r.best || ["-"])[0])})),
    "Cycles of the best form against the target"),
    (json.figures || []).length === 0 ? null : [el("h3", {}, "Figures"), objects(path + "/figures",
        json.figures, [["what", "name", {n: false, th: true}], ["value", "value", {digits: 3}],
            ["unit", "unit", {n: false}], ["target", "target"],
            ["at most", "at_most", {n: false}]])]];
}

function fuzzPart(path, json) {
    return [facts(path, [["programs", "programs"], ["cycles", "cycles"], ["issues", "issues"],
        ["rows compared", "rows"], ["findings", "findings"], ["bins hit", "bins"],
        ["bins", "bins_possible"], ["seconds", "seconds", 1],
        ["processor seconds", "processor_seconds", 1], ["jobs", "jobs"], ["seed", "seed"],
        ["digest", "digest"]]), growthChart(json.growth || (json.coverage || {}).growth),
    buckets(path, json.buckets), waivers(path, json.waivers)];
}

function campaignPart(path, json) {
    return [facts(path, [["complete", "complete"], ["programs", "programs"], ["cycles", "cycles"],
        ["rows compared", "rows"], ["findings", "findings"], ["units of work", "units"],
        ["finished", "finished"], ["attempts", "attempts"],
        ["processor seconds", "processor_seconds", 1], ["first seed", "first_seed"],
        ["last seed", "last_seed"], ["digest", "digest"], ["commits", "commits"]]),
    el("h3", {}, "Points"), objects(path + "/points", json.points, [
        ["machine", "parameters", {m: true, th: true}], ["units", "units"], ["finished", "finished"],
        ["programs", "programs"], ["cycles", "cycles"], ["rows", "rows"], ["findings", "findings"],
        ["seconds", "processor_seconds", {digits: 1}], ["digest", "digest", {m: true}]],
    {row: (p) => number(p.findings) > 0 ? {class: "guilty"} : {}}),
    growthChart(json.growth), buckets(path, json.buckets), waivers(path, json.waivers)];
}

function mutantsPart(path, json) {
    const rows = json.mutants;
    const times = rows.filter((m) => m.outcome === "caught" && number(m.detect_seconds) > 0)
        .map((m) => number(m.detect_seconds));
    const list = objects(path + "/mutants", rows, [["mutant", "name", {n: false, th: true}],
        ["kind", "kind", {n: false}], ["outcome", "outcome", {n: false,
            mark: (m) => m.well === false ? "wrong" : ""}],
        ["unit right", "unit_right", {n: false}], ["seconds", "detect_seconds", {digits: 2}],
        ["programs", "programs"], ["cycles", "cycles"], ["found", "found_instructions"],
        ["shrunk to", "instructions"], ["file", "file", {m: true}], ["what", "why", {n: false}],
        ["signature", "signature", {m: true}], ["equivalent because", "equivalent", {n: false}],
        ["note", "note", {n: false}]],
    {row: (m) => m.well === false ? {class: "guilty"} : {}});
    const only = el("button", {type: "button", "aria-pressed": "false", click: () => {
        const on = only.getAttribute("aria-pressed") !== "true";
        only.setAttribute("aria-pressed", String(on));
        list.querySelectorAll("tbody tr").forEach((row) => {
            row.hidden = on && row.className !== "guilty";
        });
    }}, "Only those that did not go well");
    return [facts(path + "/totals", [["asked", "asked"], ["caught", "caught"],
        ["at the right place", "right"], ["blamed the right unit", "blamed"], ["fuzzed", "fuzzed"],
        ["shrunk", "shrunk"], ["to 10 or fewer", "small"], ["must survive", "must_survive"],
        ["did not go well", "not_well"], ["median to detect, s", "detect_median", 2],
        ["95 of 100, s", "detect_p95", 2], ["median to minimal, s", "minimal_median", 2]]),
    times.length === 0 ? null : [el("h3", {}, "Seconds to detection"), barChart(decades(times),
        "Mutants by seconds to detection")],
    el("div", {class: "toolbar"}, only), list];
}

function timelinePart(path, json) {
    const units = Object.keys(json.units);
    return [facts(path, [["verdict", "verdict"], ["cycles", "total"], ["rows of mm", "mm_rows"],
        ["needed at least", "ideal"]]),
    table([{title: "unit", th: true, cell: (u) => u},
        {title: "busy", n: true, cell: (u) => shown(path + "/units/" + u + "/busy")},
        {title: "starved", n: true, cell: (u) => String(sum(json.units[u].starved))},
        {title: "blocked", n: true, cell: (u) => String(sum(json.units[u].blocked))},
        {title: "idle", n: true, cell: (u) => shown(path + "/units/" + u + "/idle")},
        {title: "", cell: (u) => splitBar(json.units[u], Number(json.total))},
        {title: "waited for", cell: (u) => [causes(json.units[u].starved),
            causes(json.units[u].blocked)].filter((t) => t !== "").join("; ")}], units)];
}

function illegalPart(path, json) {
    return [facts(path, [["programs", "programs"], ["findings", "finding_count"],
        ["seconds", "seconds", 1]]), findings(path, json),
    objects(path + "/rules", json.rules, [["rule", "rule", {n: false, th: true}],
        ["programs", "programs"], ["refused by check", "refused"],
        ["the same fault on the machine", "same_fault"], ["another fault", "other_fault"],
        ["no fault", "clean"], ["cycles", "cycles"]])];
}

function equalPart(path, json) {
    return [facts(path, [["programs", "programs"], ["runs", "runs"], ["cycles", "cycles"],
        ["read latencies", "read_latencies"], ["findings", "finding_count"],
        ["seconds", "seconds", 1]]), findings(path, json)];
}

function findings(path, json) {
    return el("ul", {}, (json.findings || []).map((_, i) => el("li", {class: "wrongtext"},
        shown(path + "/findings/" + i))));
}

// All files of this kind are lines of one picture, at the place of the first.
function growthPart() {
    const all = data.parts.map((part, i) => ({...part, path: "parts/" + i + "/json"}))
        .filter((part) => part.kind === "growth" && part.json.length > 0);
    if (all.length === 0) {
        return el("p", {class: "soft"}, "No line yet.");
    }
    const points = all.flatMap((part) => part.json.map((p) => ({...p, series: part.file})));
    return [growthChart(points), table([
        {title: "run", th: true, cell: (part) => part.file},
        ...["seconds", "processor_seconds", "programs", "cycles", "bins"].map((key) => ({
            title: key.replace("_", " "), n: true,
            cell: (part) => shown(part.path + "/" + (part.json.length - 1) + "/" + key)})),
    ], all)];
}

const PARTS = {
    cosim: [cosimPart, "The suite in lockstep", (j) => j.exact === j.run],
    bench: [benchPart, "Cycles and speeds", (j) => (j.rows || j).every((r) => r.exact !== false)],
    fuzz: [fuzzPart, "Fuzzing", (j) => number(j.findings) === 0],
    campaign: [campaignPart, "Campaign", (j) => number(j.findings) === 0 && j.complete !== false],
    mutants: [mutantsPart, "Mutants", (j) => number((j.totals || {}).not_well) === 0],
    illegal: [illegalPart, "Illegal programs", (j) => number(j.finding_count) === 0],
    equal: [equalPart, "Equality", (j) => number(j.finding_count) === 0],
    growth: [growthPart, "Coverage growth", () => true],
    timeline: [timelinePart, "Where the cycles went", (j) => j.verdict === "OK"],
};

function shownParts() {
    const first = data.parts.findIndex((part) => part.kind === "growth");
    const files = data.parts.filter((part) => part.kind === "growth").map((part) => part.file);
    return data.parts.map((part, i) => ({...part, path: "parts/" + i + "/json",
        id: part.kind + "-" + i, good: PARTS[part.kind][2](part.json),
        file: part.kind === "growth" ? files.join(", ") : part.file}))
        .filter((part, i) => part.kind !== "growth" || i === first);
}

function drawSummary() {
    const parts = shownParts();
    const good = parts.every((part) => part.good);
    document.getElementById("head").append(
        el("div", {}, el("span", {class: "badge " + (good ? "good" : "bad")}, good ? "ALL WELL"
            : "LOOK HERE"), el("span", {class: "sub"}, parts.map((p) => p.kind).join(", "))),
        el("h1", {}, data.title),
        el("ul", {}, parts.map((part) => el("li", {}, el("a", {href: "#" + part.id},
            PARTS[part.kind][1]), ": ", el("span", {class: part.good ? "ok" : "wrongtext"},
            part.good ? "well" : "not well"), " (" + part.file + ")"))));
    document.getElementById("main").replaceChildren(...parts.map((part) => section(part.id,
        PARTS[part.kind][1], part.file, PARTS[part.kind][0](part.path, part.json))), rawSection());
    drawIndex();
}

// The same as on a failure's page, for what is here: sorting, links, nothing from outside.
function selftestSummary() {
    const lines = [];
    const check = (name, good) => lines.push((good ? "ok " : "FAILED ") + name);
    const made = [...document.querySelectorAll("table")].find((t) => t.querySelector("button.sort"));
    if (made) {
        const texts = () => [...made.tBodies[0].rows].map((r) => r.cells[0].textContent);
        const button = made.querySelector("button.sort");
        const order = (a, b) => a.localeCompare(b, "en", {numeric: true});
        button.click();
        check("a head sorts its column", String(texts()) === String(texts().sort(order)));
        button.click();
        check("and back", String(texts()) === String(texts().sort(order).reverse()));
    }
    check("there is a section for each part", shownParts().length
        === document.querySelectorAll("main > section").length);
    check("every link of the index leads somewhere", [...document.querySelectorAll("#index a")]
        .every((a) => document.getElementById(a.hash.slice(1)) !== null));
    check("every picture has a name", [...document.querySelectorAll("[role=img]")]
        .every((n) => n.getAttribute("aria-label")));
    check("nothing was asked of the network", refusals === 0
        && performance.getEntriesByType("resource").length === 0);
    check("no error was shown", document.getElementById("trouble").hidden);
    document.body.append(el("pre", {id: "selftest"}, lines.join("\n")));
}
