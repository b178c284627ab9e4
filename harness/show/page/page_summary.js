// SPDX-License-Identifier: Apache-2.0
//
// The page of a whole run: one section for each summary that it was given (cosim, bench, fuzz,
// campaign, mutants, timeline). A key that a summary does not have is shown as "-".

"use strict";

// Cells of a list of objects that lies at `path`.
function cellOf(path, key, digits) {
    return (row) => shown(path + "/" + row.at + "/" + key, digits === undefined ? {}
        : {"data-digits": digits});
}

function column(path, title, key, options) {
    const more = options || {};
    return {title, n: more.n !== false && !more.m, m: more.m, cell: cellOf(path, key, more.digits),
        th: more.th, mark: more.mark};
}

// Only the columns that at least one row has a value for.
function present(rows, columns) {
    return columns.filter((c) => c[1] === "" || rows.some((row) => {
        let value = row;
        for (const key of c[1].split("/")) {
            value = value === null || value === undefined ? undefined : value[key];
        }
        const none = value === 0 && (c[2] || {}).zero === false; // 0 = not measured
        return value !== undefined && value !== null && value !== "" && !none;
    }));
}

function numbered(list) {
    return (list || []).map((row, i) => ({...row, at: i}));
}

// A table of objects: columns are [title, key, options].
function objects(path, list, columns, options) {
    const rows = numbered(list);
    if (rows.length === 0) {
        return el("p", {class: "soft"}, "none");
    }
    const made = table(present(rows, columns).map(([title, key, more]) =>
        column(path, title, key, more)), rows, options);
    makeSortable(made.querySelector("table"));
    return made;
}

// Heads that sort: numbers by value, the rest by text.
function makeSortable(made) {
    made.querySelectorAll("thead th").forEach((head, index) => {
        const button = el("button", {type: "button", class: "sort"}, head.textContent);
        button.addEventListener("click", () => {
            const down = head.getAttribute("aria-sort") === "ascending";
            made.querySelectorAll("thead th").forEach((h) => h.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", down ? "descending" : "ascending");
            const key = (row) => row.cells[index].textContent;
            const body = made.tBodies[0];
            const rows = [...body.rows].sort((a, b) => key(a).localeCompare(key(b), "en",
                {numeric: true}));
            body.append(...(down ? rows.reverse() : rows));
        });
        head.replaceChildren(button);
    });
}

function facts(path, list) {
    return el("dl", {class: "facts"}, list.filter(([, key]) => at(path + "/" + key) !== undefined)
        .map(([name, key, digits]) => fact(name, shown(path + "/" + key,
            digits === undefined ? {} : {"data-digits": digits}))));
}

function number(value) {
    const read = Number(value);
    return Number.isFinite(read) ? read : 0;
}

function shapeText(row) {
    return number(row.m) > 0 ? row.m + "x" + row.k + "x" + row.n : "-";
}

// ---- charts ------------------------------------------------------------------------------------

// Lines over one axis; series: {name, points: [[x, y]...]}.
function lineChart(series, xName, yName) {
    const width = 620;
    const height = 230;
    const all = series.flatMap((s) => s.points);
    const xMax = Math.max(...all.map((p) => p[0]), 1e-9);
    const yMax = Math.max(...all.map((p) => p[1]), 1e-9);
    const x = (value) => 60 + (width - 80) * value / xMax;
    const y = (value) => height - 32 - (height - 60) * value / yMax;
    const parts = [
        svg("line", {class: "axis", x1: 60, x2: width - 20, y1: y(0), y2: y(0)}),
        svg("line", {class: "axis", x1: 60, x2: 60, y1: y(0), y2: 20}),
        svg("text", {class: "soft", x: width - 20, y: height - 14, "text-anchor": "end"},
            xName + ", up to " + Number(xMax.toPrecision(4))),
        svg("text", {class: "soft", x: 62, y: 14}, yName + ", up to " + yMax),
    ];
    series.forEach((line, i) => {
        const d = line.points.map((p, at) => (at === 0 ? "M" : "L") + x(p[0]).toFixed(1) + " "
            + y(p[1]).toFixed(1)).join("");
        parts.push(svg("path", {class: i === 0 ? "curve" : "curve2", d}));
        const last = line.points[line.points.length - 1];
        parts.push(svg("text", {x: x(last[0]) - 4, y: y(last[1]) + (i === 0 ? -5 : 14),
            "text-anchor": "end"}, line.name + " " + last[1]));
    });
    return el("div", {class: "scroll"}, svg("svg", {class: "picture", width, height,
        viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": yName + " over " + xName},
    parts));
}

// A bar a row, with a mark where it should be at most.
function barChart(rows, name) {
    const max = Math.max(...rows.map((r) => Math.max(r.value, r.mark || 0)), 1e-9);
    const height = 22 * rows.length + 6;
    const x = (value) => 210 + 400 * value / max;
    return el("div", {class: "scroll"}, svg("svg", {class: "picture", width: 740, height,
        viewBox: "0 0 740 " + height, role: "img", "aria-label": name}, rows.map((r, i) => [
        svg("text", {x: 202, y: 22 * i + 16, "text-anchor": "end"}, r.name),
        svg("rect", {class: "bar" + (r.bad ? " bad" : ""), x: 210, y: 22 * i + 4,
            width: Math.max(x(r.value) - 210, 0), height: 14}),
        r.mark ? svg("line", {class: "mark", x1: x(r.mark), x2: x(r.mark), y1: 22 * i + 2,
            y2: 22 * i + 20}) : null,
        svg("text", {class: "soft", x: x(Math.max(r.value, r.mark || 0)) + 6, y: 22 * i + 16},
            r.text),
    ]).flat().filter((part) => part !== null)));
}

// How many values fall into each decade.
function decades(values) {
    const named = [[0.01, "< 0.01 s"], [0.1, "< 0.1 s"], [1, "< 1 s"], [10, "< 10 s"],
        [60, "< 60 s"], [Infinity, ">= 60 s"]];
    let least = -Infinity;
    return named.map(([limit, name]) => {
        const value = values.filter((v) => v >= least && v < limit).length;
        least = limit;
        return {name, value, text: String(value)};
    });
}

// Growth of coverage: objects with bins and seconds or programs, told apart by `series`.
function growthChart(list) {
    if (!Array.isArray(list) || list.length === 0) {
        return null;
    }
    const over = list[0].seconds !== undefined ? "seconds" : "programs";
    const names = [...new Set(list.map((p) => p.series || "bins"))];
    return [el("h3", {}, "Bins hit", el("small", {}, "over " + over)), lineChart(names.map((name) => ({name,
        points: list.filter((p) => (p.series || "bins") === name)
            .map((p) => [number(p[over]), number(p.bins)])})), over, "bins")];
}
