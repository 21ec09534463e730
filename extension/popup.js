// The popup: connects to a recorder, marks the page, shows how the recording stands. What comes from pages is text.

import {browser, parseAddress} from "./settings.js";

const at = (id) => document.getElementById(id);

async function ask(what, more) {
    const [tab] = await browser.tabs.query({active: true, currentWindow: true});
    return browser.runtime.sendMessage({what, tab: tab && {id: tab.id, url: tab.url, title: tab.title}, ...more});
}

function complain(problem) {
    at("problem").textContent = problem;
    at("problem").hidden = !problem;
}

function showState({on, awaySince}) {
    at("state").className = !on ? "" : awaySince ? "away" : "live";
    at("state").textContent = !on ? "Not recording" : awaySince ? "The recorder is away" : "Recording";
    at("off").hidden = on && !awaySince;
    at("on").hidden = !on;
    at("intro").hidden = on;
    at("start").textContent = on ? "Go on with a new line" : "Start recording";
}

function showPage({page, marked}) {
    at("title").textContent = page.title || (page.url ? new URL(page.url).host : "This page");
    at("url").textContent = page.url ?? "Only pages of the web can be marked; load this one again if it is one.";
    at("mark").disabled = !page.url;
    at("mark").setAttribute("aria-pressed", String(marked));
    at("word").textContent = marked ? "Useful: take it back" : "Useful";
}

function showCounts({counts, waiting, dropped}) {
    at("visits").textContent = counts?.visits ?? 0;
    at("useful").textContent = counts?.useful ?? 0;
    at("waiting").textContent = waiting;
    at("file").textContent = dropped ? `${dropped} could not wait and were dropped` : `into ${counts?.file ?? ""}`;
}

async function show(problem) {
    const told = await ask("tell");
    showState(told);
    showPage(told);
    showCounts(told);
    complain(problem ?? told.problem);
}

// Firefox asks the user before an extension may talk to an address, and only at once after a click: what is allowed
// already must be known by then.
const LOOPBACK = {origins: ["http://127.0.0.1/*"]};
const allowed = await browser.permissions.contains(LOOPBACK);

at("off").addEventListener("submit", async (event) => {
    event.preventDefault();
    const where = parseAddress(at("address").value);
    if (!where)
        return complain("That is not the line that 'scent browse record' shows: http://127.0.0.1:PORT/#TOKEN");
    if (!allowed && !(await browser.permissions.request(LOOPBACK)))
        return complain("Without leave to talk to 127.0.0.1 nothing can be recorded.");
    const {problem} = await ask("connect", where);
    await show(problem);
    if (!problem)
        at("address").value = "";
    at(problem ? "address" : "mark").focus();
});

at("mark").addEventListener("click", async () => {
    await ask("toggle");
    await show();
});

at("stop").addEventListener("click", async () => {
    await ask("disconnect");
    await show();
    at("address").focus();
});

browser.storage.onChanged.addListener(() => show());
await show();
(at("off").hidden ? at("mark") : at("address")).focus();
