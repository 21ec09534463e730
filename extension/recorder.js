// Sends events to 'scent browse record', in order, and keeps them while it is away.

import {AWAY_MINUTES, QUEUE_MAX, browser, forget, load, save} from "./settings.js";

const AT_ONCE = 100; // events in a request
const PATIENCE_MS = 5000;
const FLASH_MS = 1500;

async function ask(state, path, body) {
    const answer = await fetch(state.address + path, {
        method: body ? "POST" : "GET",
        headers: {Authorization: `Bearer ${state.token}`, ...(body && {"Content-Type": "application/json"})},
        body: body && JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return {status: answer.status, counts: answer.ok ? await answer.json() : null};
}

// Asks the recorder at this address whether it knows the token. Null: it does; otherwise what to tell.
export async function greet(state) {
    try {
        const {status, counts} = await ask(state, "/status");
        if (counts)
            await save({counts});
        if (status === 401)
            return "That token is of another recording. Paste the line that the recorder shows now.";
        return status === 200 ? null : `The recorder refused (${status}).`;
    } catch {
        return "Nobody answers there. Is 'scent browse record' running?";
    }
}

// Keeps what waits, for a while: nobody wants to be followed by a recording that was forgotten.
function wait(state, problem = "") {
    const awaySince = state.awaySince || Date.now();
    if (Date.now() - awaySince > AWAY_MINUTES * 60_000)
        return forget({problem: `The recorder was away for ${AWAY_MINUTES} minutes, so recording was switched off.`});
    return save({awaySince, problem});
}

// Sends a part of the queue; true: go on with the rest.
async function sendSome(state, count) {
    const part = state.queue.slice(0, count);
    let answer;
    try {
        answer = await ask(state, "/events", part);
    } catch {
        await wait(state);
        return false;
    }
    if (answer.status === 400 && count > 1)
        return sendSome(state, 1); // one of them is bad: it shall not take the others with it
    if (answer.status !== 200 && answer.status !== 400) {
        await wait(state, answer.status === 401 ? "Another recording runs there. Paste its line to go on in it." : "");
        return false;
    }
    const {counts} = answer;
    await save({queue: state.queue.slice(part.length), awaySince: 0, problem: "", ...(counts && {counts})});
    return true;
}

async function send() {
    let state = await load();
    while (state.on && state.queue.length > 0 && (await sendSome(state, AT_ONCE)))
        state = await load();
}

async function enqueue(event) {
    const state = await load();
    if (!state.on)
        return;
    const queue = [...state.queue, event], over = Math.max(0, queue.length - QUEUE_MAX);
    await save({queue: queue.slice(over), dropped: state.dropped + over});
}

async function show() {
    const state = await load();
    const [text, title] = !state.on ? ["", "scent: not recording"]
                          : state.awaySince ? ["…", "scent: the recorder is away, events wait for it"]
                                            : ["REC", "scent: recording what you visit"];
    await browser.action.setBadgeText({text});
    await browser.action.setBadgeBackgroundColor({color: state.awaySince ? "#8a5300" : "#b3261e"});
    await browser.action.setBadgeTextColor?.({color: "#ffffff"});
    await browser.action.setTitle({title});
}

// Everything that changes the state goes through here, one at a time.
let last = Promise.resolve();
export function inTurn(work) {
    last = last.catch(() => {}).then(work);
    return last;
}

export function record(event) {
    return inTurn(() => enqueue({...event, time: new Date().toISOString()}))
        .then(() => inTurn(send)).then(() => inTurn(show));
}

// A sign on the badge for a moment: who marks with the keyboard sees no popup.
export async function flash(text) {
    await inTurn(() => browser.action.setBadgeText({text}));
    setTimeout(refresh, FLASH_MS);
}

// Tries again what waits, and shows how it stands.
export function refresh() {
    return inTurn(send).then(() => inTurn(show));
}
