// SPDX-License-Identifier: Apache-2.0
//
// What both pages share: the data, building of elements (text only, never markup), numbers bound to
// the place in the JSON that they come from, tables. Errors show on the page.

"use strict";

window.addEventListener("error", (event) => {
    const place = document.getElementById("trouble");
    place.hidden = false;
    place.textContent = "This page could not be drawn in full: " + event.message;
});

// Nothing may be asked of the network; the policy in the head forbids it, and this counts tries.
let refusals = 0;
document.addEventListener("securitypolicyviolation", () => { refusals++; });

const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) {
            continue;
        }
        if (typeof value === "function") {
            node.addEventListener(key, value);
        } else {
            node.setAttribute(key, value === true ? "" : String(value));
        }
    }
    for (const child of children.flat(Infinity)) {
        if (child !== null && child !== undefined && child !== false) {
            node.append(child);
        }
    }
    return node;
}

function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

// The value at a path such as "report/compared/cw".
function at(path) {
    let here = data;
    for (const key of path.split("/")) {
        if (here === null || here === undefined) {
            return undefined;
        }
        here = here[key];
    }
    return here;
}

// The value as it stands in the JSON; the element remembers the place.
function shown(path, attributes) {
    const value = at(path);
    const known = value !== undefined && value !== null;
    const digits = (attributes || {})["data-digits"];
    return el("span", {...attributes, "data-json": known ? path : null}, !known ? "-"
        : digits === undefined ? String(value) : Number(value).toFixed(digits));
}

// Columns: {title, cell(row, index), n: number, m: monospace, th: heads the row}.
function table(columns, rows, options) {
    const more = options || {};
    const head = el("tr", {}, columns.map((c) => el("th", {class: c.n ? "n" : null, scope: "col"},
        c.title)));
    const body = rows.map((row, i) => el("tr", more.row ? more.row(row, i) : {},
        columns.map((c) => {
            const made = c.cell(row, i);
            const kind = [c.n ? "n" : "", c.m ? "m" : "", c.mark ? c.mark(row, i) : ""].join(" ");
            return c.th ? el("th", {scope: "row", class: kind.trim() || null}, made)
                : el("td", {class: kind.trim() || null}, made);
        })));
    return el("div", {class: "scroll"}, el("table", {class: more.kind || null},
        more.caption ? el("caption", {class: "soft"}, more.caption) : null,
        el("thead", {}, head), el("tbody", {}, body)));
}

const sections = [];

// A titled part of the page with a link in the index.
function section(id, title, note, ...children) {
    sections.push({id, title});
    return el("section", {id, "aria-labelledby": id + "-title"},
        el("h2", {id: id + "-title"}, title, note ? el("small", {}, note) : null), children);
}

function drawIndex() {
    document.getElementById("index").append(
        ...sections.map((s) => el("a", {href: "#" + s.id}, s.title)));
}

function badge(verdict) {
    const kind = verdict === "OK" ? "good" : verdict === "MISMATCH" || verdict === "HANG" ? "bad"
        : "warn";
    return el("span", {class: "badge " + kind, "data-json": null}, verdict);
}

// A command with a button that copies it.
function command(text) {
    const line = el("pre", {tabindex: 0}, el("code", {}, text));
    const button = el("button", {type: "button", click: () => copyText(text, line, button)},
        "Copy");
    return el("div", {class: "toolbar"}, line, button);
}

function copyText(text, line, button) {
    const choose = () => {
        const range = document.createRange();
        range.selectNodeContents(line);
        const chosen = window.getSelection();
        chosen.removeAllRanges();
        chosen.addRange(range);
        button.textContent = "Selected";
    };
    if (navigator.clipboard === undefined) { // pages from a file may not write it
        choose();
        return;
    }
    navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, choose);
}

function clamp(value, low, high) {
    return Math.min(Math.max(value, low), high);
}

function percent(part, whole) {
    return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "-";
}

// The raw data, to look up what the page does not show.
function rawSection() {
    const place = el("pre", {});
    const details = el("details", {
        toggle: () => {
            if (details.open && place.textContent === "") {
                place.textContent = JSON.stringify(data, null, 1);
            }
        },
    }, el("summary", {}, "The JSON that this page is drawn from"), place);
    return details;
}
