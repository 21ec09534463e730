// What the extension remembers. Everything lies in storage, because the browser ends a background script that is idle
// and starts it again with the next event. `kept` outlives the browser, `tabs` does not.

export const browser = globalThis.browser ?? globalThis.chrome;

export const QUEUE_MAX = 1000;
export const AWAY_MINUTES = 30;

const FRESH = {
    on: false, // recording
    address: "", // http://127.0.0.1:PORT
    token: "",
    queue: [], // events that wait for the recorder
    dropped: 0, // events that did not fit the queue
    awaySince: 0, // when the recorder was first missed, in ms; 0: it answers
    counts: null, // what the recorder said last: {file, visits, useful}
    useful: [], // URLs that are marked in this recording
    problem: "", // for people
};

export async function load() {
    return {...FRESH, ...(await browser.storage.local.get(Object.keys(FRESH)))};
}

export function save(changes) {
    return browser.storage.local.set(changes);
}

export function forget(changes) {
    return save({...FRESH, ...changes});
}

// Which page each tab shows: {tab id: URL}, and the page that opened a tab that shows none yet: {"from" + tab id: URL}.
export async function loadTabs() {
    return (await browser.storage.session.get({tabs: {}})).tabs;
}

export function saveTabs(tabs) {
    return browser.storage.session.set({tabs});
}

// {address, token} of what 'scent browse record' printed; null: it is something else.
export function parseAddress(text) {
    const found = /^\s*(?:http:\/\/)?127\.0\.0\.1:(\d{1,5})\/?#?([0-9a-f]{32})\s*$/.exec(text);
    return found && Number(found[1]) < 65536 ? {address: `http://127.0.0.1:${found[1]}`, token: found[2]} : null;
}

// A page of the web without its fragment; null: something else, which is not recorded.
export function pageUrl(text) {
    if (!/^https?:/.test(text ?? ""))
        return null;
    const url = new URL(text);
    url.hash = url.username = url.password = "";
    return url.href;
}
