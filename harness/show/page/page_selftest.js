// SPDX-License-Identifier: Apache-2.0
//
// With #selftest behind the address the page presses its own keys and writes what came of it into
// an element of its own. The tests of the repository read it out of a headless browser.

"use strict";

function selftest({recording, wave}) {
    const lines = [];
    const check = (name, good) => lines.push((good ? "ok " : "FAILED ") + name);
    const press = (key, shift) => wave.root.dispatchEvent(new KeyboardEvent("keydown",
        {key, shiftKey: shift === true, bubbles: true, cancelable: true}));
    const last = recording.cycles - 1;
    press("Home");
    check("Home goes to the first cycle", wave.cursor === 0 && wave.left === 0);
    press("ArrowRight");
    check("right moves a cycle", wave.cursor === Math.min(1, last));
    press("ArrowRight", true);
    check("shift right moves ten", wave.cursor === Math.min(11, last));
    press("ArrowLeft");
    check("left moves back", wave.cursor === Math.min(11, last) - 1);
    press("End");
    check("End goes to the last cycle", wave.cursor === last);
    press("0");
    const fitted = wave.scale;
    check("0 shows the whole window", Math.abs(fitted * recording.cycles - wave.width()) < 1.5);
    press("+");
    check("plus zooms in", wave.scale > fitted || fitted >= 120);
    check("the cursor stays in sight", wave.x(wave.cursor + 0.5) >= 0
        && wave.x(wave.cursor + 0.5) <= wave.width() + 1);
    press("-");
    check("minus zooms out", Math.abs(wave.scale - fitted) < 1e-6);
    const lane = wave.lane;
    press("ArrowDown");
    check("down chooses the next lane", wave.lane === Math.min(lane + 1, wave.lanes.length - 1));
    press("ArrowUp");
    press("v");
    check("v goes to the verdict", wave.cursor === clamp(wave.mark, 0, last));
    press("Home");
    press("n");
    const wrong = recording.wrong.find((e) => e.cycle > 0);
    check("n goes to the next wrong row", wrong === undefined ? wave.cursor === 0
        : wave.cursor === wrong.cycle && wave.lanes[wave.lane].stream === wrong.stream);
    check("the wave is reached by tab", wave.root.tabIndex === 0);
    check("every link of the index leads somewhere", [...document.querySelectorAll("#index a")]
        .every((a) => document.getElementById(a.hash.slice(1)) !== null));
    check("nothing is named twice", new Set([...document.querySelectorAll("[id]")].map((n) => n.id))
        .size === document.querySelectorAll("[id]").length);
    check("every picture has a name", [...document.querySelectorAll("[role=img]")]
        .every((n) => n.getAttribute("aria-label")));
    check("nothing was asked of the network", refusals === 0
        && performance.getEntriesByType("resource").length === 0);
    check("no error was shown", document.getElementById("trouble").hidden);
    press("v");
    document.body.append(el("pre", {id: "selftest"}, lines.join("\n")));
}
