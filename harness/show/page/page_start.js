// SPDX-License-Identifier: Apache-2.0
//
// Draws the page that the data is for. The last of the scripts.

"use strict";

document.getElementById("foot").append("Made by tpucosim. This file loads nothing.");
const wanted = location.hash === "#selftest";
if (data.kind === "failure") {
    const drawn = drawFailure();
    if (wanted) {
        selftest(drawn);
    }
} else {
    drawSummary();
    if (wanted) {
        selftestSummary();
    }
}
