"use strict";
/* The frame of the page: the token, requests, news, and which view is shown. Views are in views.js. */

const state = { crawls: [], labs: [], crawl: 0, view: "overview", parameters: new URLSearchParams(), leave: null, streaming: false };
const main = document.getElementById("main");

/* ---- the token comes with the address, and stays in this browser ---- */

function storage(value) {
  try {
    if (value !== undefined) localStorage.setItem("token", value);
    return localStorage.getItem("token") || "";
  } catch { return value || ""; }
}

function takeToken() {
  const found = /^#token=([0-9a-f]{32})$/.exec(location.hash);
  if (found) {
    storage(found[1]);
    history.replaceState(null, "", location.pathname + "#/0/overview");
  }
}

function headers(more) {
  const token = storage();
  return token ? { Authorization: "Bearer " + token, ...more } : { ...more };
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch("/api/v1" + path, { ...options, headers: headers(options.headers) });
  } catch {
    throw new Error("scent does not answer; does 'scent serve' still run?");
  }
  const body = await answer.json().catch(() => ({ error: "the answer could not be read" }));
  if (!answer.ok) throw Object.assign(new Error(body.error || "failed"), { status: answer.status });
  return body;
}

const send = (path, body) => ask(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
const here = path => `/crawls/${state.crawl}${path}`;

/* ---- elements: whatever comes from the web enters as text ---- */

function h(name, attributes, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside.flat(Infinity).filter(item => item !== null && item !== undefined && item !== false));
  return element;
}

const card = (title, ...inside) => h("section", { class: "card" }, title ? h("h2", {}, title) : null, ...inside);
const empty = (title, text) => h("p", { class: "empty" }, h("b", {}, title), text || "");
const number = n => n === null || n === undefined ? "–" : Number(n).toLocaleString("en");
const percent = share => share === null || share === undefined ? "–" : (share * 100).toFixed(share < .1 ? 1 : 0) + "%";
const link = (view, parameters) => `#/${state.crawl}/${view}${parameters ? "?" + new URLSearchParams(parameters) : ""}`;
const archived = url => `/replay/${state.crawl}?url=${encodeURIComponent(url)}`;

function bytes(n) {
  if (n === null || n === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return `${n.toFixed(n < 10 && i ? 1 : 0)} ${units[i]}`;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined || seconds < 0) return "–";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

function notice(text) {
  const element = document.getElementById("notice");
  element.hidden = !text;
  element.textContent = text || "";
}

/* ---- which view ---- */

function readAddress() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [crawl, view] = path.split("/");
  state.crawl = /^\d+$/.test(crawl || "") ? Number(crawl) : 0;
  state.view = Object.hasOwn(views, view || "") ? view : state.crawls.length ? "overview" : "lab";
  state.parameters = new URLSearchParams(query || "");
}

function showFrame() {
  const nav = document.getElementById("nav"), chooser = document.getElementById("chooser"), select = document.getElementById("crawl");
  const known = Object.entries(views).filter(([name]) => name === "lab" ? state.labs.length : state.crawls.length);
  nav.replaceChildren(...known.map(([name, view]) => h("a", { href: link(name), "aria-current": name === state.view ? "page" : null }, view.title)));
  chooser.hidden = state.crawls.length < 2;
  if (select.options.length !== state.crawls.length)
    select.replaceChildren(...state.crawls.map(crawl => h("option", { value: crawl.id }, crawl.name)));
  select.value = state.crawl;
  document.title = `${views[state.view].title} · ${state.crawls[state.crawl]?.name || "scent"}`;
  showState();
}

function showState() {
  const pill = document.getElementById("state"), crawl = state.crawls[state.crawl];
  const word = !crawl ? "" : crawl.live && crawl.live.state !== "crawling" ? crawl.live.state : crawl.state;
  if (pill.textContent !== word) pill.textContent = word;
  pill.className = "pill " + (word === "unreadable" ? "bad" : word);
}

async function show() {
  readAddress();
  if (state.leave) state.leave();
  state.leave = null;
  showFrame();
  notice("");
  const token = state.token = {};
  const root = h("div", { class: "view " + state.view });
  root.style.display = "contents";
  main.replaceChildren(root);
  root.append(h("p", { class: "empty" }, "Loading…"));
  main.scrollIntoView?.({ block: "nearest" });
  try {
    const leave = await views[state.view].show(root);
    if (state.token === token) state.leave = leave || null;
    else leave?.();
  } catch (problem) {
    if (state.token === token) fail(root, problem);
  }
  root.dataset.ready = "yes";
}

function fail(root, problem) {
  root.replaceChildren(h("div", { class: "card" }, empty("This cannot be shown", problem.message),
    h("p", { class: "row" }, h("button", { onclick: show }, "Try again"))));
}

/* ---- news, once a second; by asking where the stream breaks ---- */

function hear(news) {
  state.crawls = news.crawls;
  showState();
  document.dispatchEvent(new CustomEvent("news"));
}

async function listen() {
  for (;;) {
    try {
      const answer = await fetch("/api/v1/events", { headers: headers() });
      if (!answer.ok) throw new Error();
      const reader = answer.body.getReader(), decoder = new TextDecoder();
      let text = "";
      notice("");
      state.streaming = true;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += decoder.decode(value, { stream: true });
        for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2))
          if (text.startsWith("data: ")) hear(JSON.parse(text.slice(6, end)));
      }
    } catch { /* it is tried again below */ }
    state.streaming = false;
    notice("No connection to scent: the figures are not live. Trying again…");
    await new Promise(done => setTimeout(done, 2000));
  }
}

/* A view that changes with the news: at most every `seconds`, and only while it is seen. */
function everyNews(seconds, change) {
  let last = Date.now(), busy = false;
  const on = async () => {
    if (busy || document.hidden || Date.now() - last < seconds * 1000 - 50) return;
    busy = true;
    last = Date.now();
    try { await change(); } catch { /* the next news may do better */ }
    busy = false;
  };
  document.addEventListener("news", on);
  return () => document.removeEventListener("news", on);
}

async function begin() {
  takeToken();
  try {
    const all = await ask("/crawls");
    state.crawls = all.crawls;
    state.labs = all.labs;
  } catch (problem) {
    fail(main, problem);
    return;
  }
  document.getElementById("crawl").addEventListener("change", event => { location.hash = `#/${event.target.value}/${state.view}`; });
  addEventListener("hashchange", show);
  await show();
  listen();
}

begin();
