// Watches which page leads to which, and hears the popup and the keyboard.

import {browser, forget, load, loadTabs, pageUrl, save, saveTabs} from "./settings.js";
import {flash, greet, inTurn, record, refresh} from "./recorder.js";

const RETRY = "retry";

// ---- navigation ----

// Did the page that the tab showed lead to this one? Otherwise it was typed, a bookmark, or the browser's own doing.
function wasLinked({transitionType, transitionQualifiers}) {
    return ["link", "form_submit"].includes(transitionType) && !transitionQualifiers.includes("from_address_bar");
}

async function arrive(details) {
    const url = pageUrl(details.url), tabs = await loadTabs(), id = details.tabId;
    const before = tabs[id] ?? tabs[`from${id}`];
    delete tabs[id];
    if (url) { // a new tab may show about:blank before it shows where its opener led
        delete tabs[`from${id}`];
        tabs[id] = url;
    }
    await saveTabs(tabs);
    const again = details.transitionType === "reload" || details.transitionQualifiers.includes("forward_back");
    if (!url || again || url === before)
        return null;
    return {visit: url, ...(before && wasLinked(details) && {from: before})};
}

async function onArrival(details) {
    if (details.frameId !== 0 || (details.documentLifecycle ?? "active") !== "active" || !(await load()).on)
        return;
    const visit = await inTurn(() => arrive(details));
    if (visit)
        await record(visit);
}

async function onNewTab({sourceTabId, tabId}) {
    await inTurn(async () => {
        const tabs = await loadTabs();
        if (tabs[sourceTabId] && !tabs[tabId]) {
            tabs[`from${tabId}`] = tabs[sourceTabId];
            await saveTabs(tabs);
        }
    });
}

async function onClosed(tabId) {
    await inTurn(async () => {
        const {[tabId]: shown, [`from${tabId}`]: from, ...rest} = await loadTabs();
        if (shown || from)
            await saveTabs(rest);
    });
}

// ---- marks ----

// The page of a tab: as the browser tells (it does so after our button or key was pressed), or as we saw it come.
async function pageOf(tab) {
    const seen = (await loadTabs())[tab?.id];
    return {url: pageUrl(tab?.url) ?? seen ?? null, title: tab?.title ?? "", seen: Boolean(seen)};
}

// Notes what the page is from now on; null: it cannot be marked.
async function flip(tab) {
    const {useful, on} = await load(), page = await pageOf(tab);
    if (!on || !page.url)
        return null;
    const was = useful.includes(page.url);
    await save({useful: was ? useful.filter((url) => url !== page.url) : [...useful, page.url]});
    return {...page, was};
}

// Marks the page useful, or takes the mark back. In turn: of two presses at once the second takes the first back.
async function toggle(tab) {
    const page = await inTurn(() => flip(tab));
    if (!page)
        return null;
    const title = page.title && !page.was ? {title: page.title} : {};
    if (!page.seen && !page.was) // it was open before the recording began
        await record({visit: page.url, ...title});
    await record({[page.was ? "not_useful" : "useful"]: page.url, ...title});
    await flash(page.was ? "☆" : "★");
    return !page.was;
}

// ---- the popup ----

async function connect({address, token}) {
    const problem = await greet({address, token});
    if (problem)
        return {problem};
    const {on, counts} = await load();
    if (on) // the recorder was started again: what waits is for it
        await save({address, token, awaySince: 0, problem: ""});
    else
        await forget({on: true, address, token, counts}).then(() => saveTabs({}));
    await browser.alarms.create(RETRY, {periodInMinutes: 1});
    await refresh();
    return {};
}

async function disconnect() {
    await refresh();
    await forget({});
    await browser.alarms.clear(RETRY);
    await refresh();
    return {};
}

async function tell(tab) {
    const {token, queue, ...state} = await load(), page = await pageOf(tab);
    return {...state, waiting: queue.length, page, marked: state.useful.includes(page.url)};
}

const requests = {
    connect: ({address, token}) => connect({address, token}),
    disconnect,
    toggle: ({tab}) => toggle(tab),
    tell: ({tab}) => tell(tab),
};

// Only our own popup may ask; pages cannot, but it costs nothing to look.
function onMessage(message, sender, answer) {
    if (sender.id !== browser.runtime.id || !Object.hasOwn(requests, message.what))
        return false;
    requests[message.what](message).then(answer, (error) => answer({problem: String(error)}));
    return true;
}

browser.webNavigation.onCommitted.addListener(onArrival);
browser.webNavigation.onHistoryStateUpdated.addListener(onArrival);
browser.webNavigation.onCreatedNavigationTarget.addListener(onNewTab);
browser.tabs.onRemoved.addListener(onClosed);
browser.runtime.onMessage.addListener(onMessage);
browser.runtime.onStartup.addListener(refresh);
browser.runtime.onInstalled.addListener(refresh);
browser.commands.onCommand.addListener((command, tab) => {
    if (command === "mark")
        toggle(tab);
});
browser.alarms.onAlarm.addListener(({name}) => {
    if (name === RETRY)
        refresh();
});
