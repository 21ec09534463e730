"use strict";
/* The views. Each fills a root element and may return a function that is called when it is left. */

const views = {
  overview: { title: "Overview", show: showOverview },
  pages: { title: "Pages", show: showPages },
  search: { title: "Search", show: showSearch },
  why: { title: "Why", show: showWhy },
  review: { title: "Review", show: showReview },
  map: { title: "Map", show: showHosts },
  control: { title: "Control", show: showControl },
  lab: { title: "Lab", show: showLab },
};

/* ---- overview ---- */

function tile(value, label, kind) {
  return h("div", { class: "tile" }, h("b", { class: kind }, value), h("span", {}, label));
}

function bars(items, of) {
  const most = Math.max(1e-9, ...items.map(item => item.value));
  return h("ul", { class: "bars" }, items.map(item => {
    const bar = h("i", {});
    bar.style.width = `${Math.max(.5, 100 * item.value / (of || most))}%`;
    return h("li", {}, h("span", {}, item.label), h("span", { class: "num" }, item.shown ?? number(item.value)),
      h("span", { class: "track" }, bar));
  }));
}

function showTiles(crawl, detail) {
  const live = crawl.live;
  return h("div", { class: "tiles wide" },
    tile(number(live?.pages ?? crawl.pages), "pages"),
    tile(number(live?.relevant ?? crawl.relevant), "relevant", "good"),
    tile(percent(live?.harvest ?? crawl.harvest), "harvest rate"),
    tile(number(crawl.hosts), "hosts"),
    ...(live ? liveTiles(live) : [
      tile(crawl.last ? duration(crawl.last - crawl.first) : "–", "from first to last page"),
      detail?.urls_complete ? tile(number(detail.urls.queued), "addresses queued") : null].filter(Boolean)),
    detail ? tile(bytes(live?.disk_free_bytes ?? detail.disk_free), "free on the disk") : "");
}

function liveTiles(live) {
  return [
    tile(plain(live.pages_per_s), "pages a second"),
    tile(percent(live.recent_harvest), `harvest of the last ${number(live.recent_pages)}`),
    tile(number(live.queued), "addresses queued"),
    tile(number(live.in_flight), "on their way"),
    tile(number(live.failed), "visits failed"),
    tile(number(live.robots_refused), "refused by robots.txt"),
    tile(`${number(live.hosts_ready)} / ${number(live.hosts_waiting)} / ${number(live.hosts_resting)}`, "hosts ready, waiting, resting"),
    tile(live.seconds_left === null ? "–" : duration(live.seconds_left), "left, at this speed"),
    tile(duration(live.seconds), "at work"),
    tile(bytes(live.disk_bytes), "on the disk")];
}

async function showOverview(root) {
  const crawl = () => state.crawls[state.crawl];
  if (!crawl()) { root.replaceChildren(card("", empty("There is no such crawl", "Choose another one above."))); return; }
  const tiles = h("div", { class: "wide" }), waits = h("p", { class: "waits wide soft" });
  const curve = h("figure"), queue = h("div"), errors = h("div"), hosts = h("div"), newest = h("div"), side = h("div");
  let detail = null;

  const quick = () => {
    tiles.replaceChildren(showTiles(crawl(), detail));
    waits.textContent = crawl().problem || (crawl().live ? waitingFor(crawl().live) : crawl().state === "waiting" ? "The crawl has not begun yet." : "");
    waits.hidden = !waits.textContent;
  };
  const slow = async () => {
    const [whole, line, best, pages] = await Promise.all([ask(here("")), ask(here("/curve")), ask(here("/hosts?limit=8")),
      ask(here("/pages?limit=6&verdict=relevant&snippets=1"))]);
    detail = whole;
    showCurve(curve, line);
    showQueue(queue, whole);
    showErrors(errors, whole);
    hosts.replaceChildren(best.hosts.length ? h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, "host"), h("th", {}, "pages"), h("th", {}, "relevant"), h("th", {}, "harvest"))),
      h("tbody", {}, best.hosts.map(host => h("tr", {}, h("td", {}, h("a", { href: link("pages", { host: host.name }) }, host.name)),
        h("td", {}, number(host.pages)), h("td", {}, number(host.relevant)), h("td", {}, percent(host.relevant / host.pages))))))) :
      empty("No hosts yet"));
    newest.replaceChildren(pages.pages.length ? pageList(pages.pages) : empty("No relevant page yet", "They appear here as they are found."));
    if (state.crawls.length > 1) showSide(side);
    quick();
  };

  root.replaceChildren(tiles, waits, h("div", { class: "grid two" },
    h("section", { class: "card wide" }, h("h2", {}, "Harvest: the share of pages that is relevant"), curve),
    card("Newest relevant pages", newest, h("p", {}, h("a", { href: link("pages") }, "All pages"))),
    h("div", { class: "stack" }, card("Best hosts", hosts, h("p", {}, h("a", { href: link("map") }, "Map of hosts"))),
      card("Queue by priority", queue), card("Not fetched, by reason", errors)),
    state.crawls.length > 1 ? h("section", { class: "card wide" }, h("h2", {}, "All crawls"), side) : null));
  quick();
  await slow();
  let again = detail.urls_complete && crawl().complete ? null : setTimeout(() => slow().catch(() => {}), 1200);
  const first = everyNews(1, quick), second = everyNews(5, async () => { if (crawl().state !== "stopped" || !detail.urls_complete) await slow(); });
  return () => { first(); second(); clearTimeout(again); };
}

function waitingFor(live) {
  return [live.state === "paused" ? "Paused." : live.state === "stopping" ? "Stopping: visits under way come to their end." :
    live.state === "ending" ? "Ending: all pages are judged once more, by all that the crawl has learned." : "",
    live.waits_for ? `The crawl waits for: ${live.waits_for}` : "", ...(live.warnings || []).map(text => `Warning: ${text}`)].filter(Boolean).join(" ");
}

function showCurve(figure, line) {
  const points = line.points;
  if (points.length < 2) { figure.replaceChildren(empty("Nothing to draw yet", "The curve begins with the first pages.")); return; }
  const last = points[points.length - 1];
  /* Above the curve behind its first pages, which jump; what lies higher is drawn at the edge. */
  const highest = Math.max(...points.filter(p => p.pages > last.pages / 20).map(p => Math.max(p.relevant / p.pages, p.moving)));
  const top = [.1, .25, .5, 1].find(share => share >= highest);
  figure.replaceChildren(
    lineChart([{ kind: "one", values: points.map(p => [p.pages, Math.min(top, p.relevant / p.pages)]) },
      { kind: "two", values: points.map(p => [p.pages, Math.min(top, p.moving)]) }],
    { top, width: chartWidth(figure), label: `Harvest rate over ${number(last.pages)} pages: ${percent(last.relevant / last.pages)} in all, ${percent(last.moving)} of the last ${number(line.window)}` }),
    h("figcaption", { class: "legend" }, h("span", {}, h("i"), `so far: ${percent(last.relevant / last.pages)}`),
      h("span", {}, h("i", { class: "two" }), `of the last ${number(line.window)} pages: ${percent(last.moving)}`)));
}

/* In units of the screen, so that letters keep their size. */
function chartWidth(box) {
  return Math.max(300, Math.min(1300, box.clientWidth || 720));
}

function showQueue(box, detail) {
  const queue = queueOf(detail);
  if (!queue) {
    box.replaceChildren(detail.urls_complete || detail.crawl.live ? empty("The queue is empty") : h("p", { class: "empty" }, "Reading…"));
    return;
  }
  const all = queue.bins.reduce((a, b) => a + b, 0);
  box.replaceChildren(columnChart(queue.bins, queue.low, queue.high, { label: `${number(all)} addresses wait, by their priority`, xlabel: "priority" }),
    h("p", { class: "soft small" }, `${number(all)} addresses wait; those on the right are fetched first.`));
}

function queueOf(detail) {
  const bands = detail.crawl.live?.priorities?.bands;
  if (!detail.crawl.live) return detail.queue;
  return bands?.length ? { bins: bands.map(band => band.count), low: bands[0].from, high: bands[bands.length - 1].to } : null;
}

function showErrors(box, detail) {
  const errors = errorsOf(detail);
  if (!errors.length) {
    box.replaceChildren(detail.urls_complete || detail.crawl.live ? empty("Nothing was left out") : h("p", { class: "empty" }, "Reading…"));
    return;
  }
  box.replaceChildren(bars(errors.slice(0, 10).map(error => ({ label: error.reason, value: error.count }))));
}

function errorsOf(detail) {
  return detail.crawl.live?.errors || detail.errors;
}

function showSide(box) {
  box.replaceChildren(h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ["crawl", "state", "pages", "relevant", "harvest", "hosts"].map(name => h("th", {}, name)))),
    h("tbody", {}, state.crawls.map(crawl => h("tr", {}, h("td", {}, h("a", { href: `#/${crawl.id}/overview` }, crawl.name)),
      h("td", {}, crawl.state), h("td", {}, number(crawl.pages)), h("td", {}, number(crawl.relevant)), h("td", {}, percent(crawl.harvest)),
      h("td", {}, number(crawl.hosts))))))));
}

/* ---- pages ---- */

function pageList(pages) {
  return h("ol", { class: "pages" }, pages.map(page => h("li", {},
    h("span", { class: "score " + (page.relevant ? "good" : "soft") }, (page.score ?? 0).toFixed(2), h("small", {}, page.relevant ? "relevant" : "not")),
    h("span", {}, page.archived ? h("a", { class: "title", href: archived(page.url), target: "_blank", rel: "noopener" }, page.title || page.url) :
      h("span", { class: "title" }, page.title || page.url)),
    h("span", { class: "url" }, page.url),
    page.snippet ? h("span", { class: "snippet" }, page.snippet) : null,
    h("span", { class: "row small" }, h("time", { class: "soft", datetime: page.time }, new Date(page.time).toLocaleString()),
      page.lang ? h("span", { class: "soft" }, page.lang) : null,
      page.mark && page.mark !== "none" ? h("span", { class: "pill" }, page.mark === "yes" ? "marked relevant" : "marked not relevant") : null,
      h("a", { href: link("why", { url: page.url }) }, "why?")))));
}

async function showPages(root) {
  const wanted = state.parameters;
  const detail = await ask(here(""));
  const field = (label, control) => h("label", { class: "field" }, label, control);
  const choice = (name, options) => h("select", { name }, options.map(([value, text]) =>
    h("option", { value, selected: (wanted.get(name) || "") === value }, text)));
  const form = h("form", { class: "filters", onsubmit: event => { event.preventDefault(); go(); }, onchange: () => go() },
    field("Order", choice("order", [["", "newest first"], ["best", "best first"]])),
    field("Verdict", choice("verdict", [["", "all"], ["relevant", "relevant"], ["other", "not relevant"]])),
    field("Language", choice("lang", [["", "all"], ...detail.languages.map(item => [item.lang, `${item.lang} (${number(item.count)})`])])),
    field("Host", h("input", { name: "host", value: wanted.get("host") || "", placeholder: "www.example.org", autocomplete: "off" })),
    field("From", h("input", { name: "since", type: "date", value: wanted.get("since") || "" })),
    field("To", h("input", { name: "until", type: "date", value: wanted.get("until") || "" })));
  const list = h("div"), more = h("p", { class: "row" });
  let next = null;

  function go() {
    const values = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
    location.hash = link("pages", values);
  }
  function query(after) {
    const values = new URLSearchParams({ snippets: 1 });
    for (const name of ["order", "verdict", "lang", "host"]) if (wanted.get(name)) values.set(name, wanted.get(name));
    const day = (name, add) => Math.floor(Date.parse(wanted.get(name) + "T00:00:00") / 1000) + add;
    if (wanted.get("since")) values.set("from", day("since", 0));
    if (wanted.get("until")) values.set("to", day("until", 86399));
    if (after) values.set("after", after);
    return here("/pages?" + values);
  }
  async function load(after) {
    const answer = await ask(query(after));
    if (!after) list.replaceChildren();
    if (answer.pages.length) list.append(pageList(answer.pages));
    else if (!after) list.append(empty(answer.complete ? "No page fits" : "Reading the crawl…", answer.complete ? "Widen the filters, or wait for the crawl." : ""));
    next = answer.next;
    more.replaceChildren(next ? h("button", { onclick: event => { event.target.disabled = true; load(next); } }, "More pages") : "");
  }
  root.replaceChildren(card("", form), card("", list, more));
  await load(null);
  return everyNews(3, async () => { if (state.crawls[state.crawl]?.state === "running" && !wanted.get("order") && scrollY < 200) await load(null); });
}

/* ---- search ---- */

async function showSearch(root) {
  const words = state.parameters.get("q") || "", first = Number(state.parameters.get("first")) || 0;
  const input = h("input", { type: "search", value: words, "aria-label": "Words to search for", placeholder: 'tide tables   "spring tide"   tid*   -river   host:example.org   lang:de' });
  const form = h("form", { class: "row", role: "search", onsubmit: event => { event.preventDefault(); location.hash = link("search", { q: input.value }); } },
    input, h("button", { class: "main" }, "Search"));
  const list = h("div");
  root.replaceChildren(card("", form), list);
  if (!words) {
    list.replaceChildren(card("", empty("Search in the text of the pages", "Words in any form, \"phrases in quotes\", beginnings with a *, -words to leave out; host:, lang: and relevant:yes narrow it down.")));
    input.focus();
    return;
  }
  const load = async () => {
    const found = await ask(here("/search?" + new URLSearchParams({ q: words, first })));
    const go = (text, from) => h("a", { class: "button", href: link("search", { q: words, first: from }) }, text);
    list.replaceChildren(card("",
      h("p", { class: "soft small" }, `${number(found.matches)} pages have ${found.some_words ? "some of the" : "these"} words.`,
        found.complete ? "" : ` ${number(found.indexed)} pages have been read for the search so far; more follow.`, found.cut ? " There may be better ones: the time was over." : ""),
      found.hits.length ? h("ol", { class: "pages" }, found.hits.map(hit => h("li", {},
        h("span", { class: "score " + (hit.relevant ? "good" : "soft") }, (hit.score ?? 0).toFixed(2), h("small", {}, hit.relevant ? "relevant" : "not")),
        h("a", { class: "title", href: archived(hit.url), target: "_blank", rel: "noopener" }, hit.title || hit.url),
        h("span", {}, hit.excerpt.map(piece => [piece.text, piece.match ? h("mark", {}, piece.match) : null])),
        h("span", { class: "row small" }, h("span", { class: "url" }, hit.url), h("a", { href: link("why", { url: hit.url }) }, "why?"))))) :
        empty(found.complete ? "Nothing was found" : "Reading the pages…", found.complete ? "Try other words, or the beginning of a word with a *." : "The index is made when somebody searches first."),
      h("p", { class: "row" }, first ? go("Earlier", Math.max(0, first - 10)) : null, found.more ? go("More", first + 10) : null)));
    return found;
  };
  let found = await load(), stopped = false;
  (async () => {
    for (let wait = 500; !found.complete && !stopped; wait = Math.min(wait * 1.5, 5000)) {
      await new Promise(done => setTimeout(done, wait));
      if (!stopped) found = await load().catch(() => found);
    }
  })();
  return () => { stopped = true; };
}

/* ---- why ---- */

async function showWhy(root) {
  const url = state.parameters.get("url") || "";
  const input = h("input", { type: "search", name: "url", value: url, placeholder: "https://www.example.org/page", "aria-label": "Address", required: true });
  const form = h("form", { class: "row", onsubmit: event => { event.preventDefault(); location.hash = link("why", { url: input.value.trim() }); } },
    h("span", { class: "soft" }, "Why was this page fetched, or not?"), input, h("button", { class: "main" }, "Explain"));
  const answer = h("div");
  answer.style.display = "contents";
  root.replaceChildren(card("", form), answer);
  if (!url) { answer.append(card("", empty("Any address that the crawl knows", "Pages that were fetched, addresses that wait, and those that were left out."))); return; }
  answer.append(card("", h("p", { class: "empty" }, "Looking…")));
  let facts;
  for (let tries = 0; ; tries++) {
    try { facts = await ask(here("/why?" + new URLSearchParams({ url }))); break; } catch (problem) {
      if (problem.status !== 503 || tries > 60 || !answer.isConnected) { answer.replaceChildren(card("", empty("No answer", problem.message))); return; }
      await new Promise(done => setTimeout(done, 1000));
    }
  }
  const parts = h("div"), verdict = h("div", {}, h("p", { class: "empty" }, "Reading the page again…"));
  const counted = facts.page?.counted;
  answer.replaceChildren(story(facts), h("div", { class: "grid" }, h("section", { class: "card" }, h("h2", {}, "The way to it"), chain(facts)),
    card("Why it was chosen", parts), counted ? card("Why it was judged so", verdict) : null));
  showParts(parts, facts, null);
  /* The rest takes a process and seconds: it is asked for only where it tells more. */
  if (counted || !(facts.score || facts.seed)) ask(here("/parts?" + new URLSearchParams({ url }))).then(found => {
    showParts(parts, facts, found);
    showVerdict(verdict, facts, found);
  }, problem => verdict.replaceChildren(h("p", {}, `Score ${plain(facts.page?.score)}.`), h("p", { class: "soft" }, `Its reasons cannot be told now: ${problem.message}`)));
}

const STATES = {
  seen: "It was seen in a link and never queued: the scope of the topic or the strategy left it out.",
  queued: "It waits in the queue.", fetched: "It was fetched.", redirected: "It was fetched and led elsewhere.",
  failed: "It could not be fetched.", dropped: "It was taken out of the queue.", purged: "It was removed from the crawl.",
};

function story(facts) {
  const page = facts.page, words = [STATES[facts.state] || facts.state];
  if (facts.reason) words.push(`The reason: ${facts.reason}.`);
  if (page) words.push(`It came as page number ${number(page.number)} on ${new Date(page.time).toLocaleString()}, with status ${page.status}.`);
  if (page?.counted) words.push(page.relevant ? `It is relevant, with a score of ${plain(page.score)} (1 is the most).` :
    `It is not relevant: its score is ${plain(page.score)} (1 is the most).`);
  if (page?.duplicate_of) words.push(`It says the same as page number ${number(page.duplicate_of)}.`);
  if (facts.seed) words.push("It is a seed: the crawl began with it.");
  else words.push(`It lies ${facts.depth} ${facts.depth === 1 ? "link" : "links"} away from a seed.`);
  return card("", h("h1", {}, page?.title || facts.url), h("p", { class: "url" }, facts.url), h("p", {}, words.join(" ")),
    page?.archived ? h("p", {}, h("a", { class: "button", href: archived(facts.url), target: "_blank", rel: "noopener" }, "Open the archived page")) : null);
}

function chain(facts) {
  const steps = [{ url: facts.url, title: facts.page?.title, relevant: facts.page?.relevant, last: true }, ...facts.chain].reverse();
  return h("ol", { class: "chain" }, steps.map((step, i) => h("li", { class: step.relevant ? "yes" : "" },
    h("div", {}, i === 0 ? h("span", { class: "pill" }, facts.seed || facts.chain.length ? "seed" : "start") : null, " ",
      step.last ? h("b", {}, step.title || step.url) : h("a", { href: link("why", { url: step.url }) }, step.title || step.url)),
    h("div", { class: "url" }, step.url),
    step.relevant === undefined ? null : h("div", { class: "small soft" }, step.relevant ? "relevant" : "not relevant", step.score === undefined ? "" : `, score ${plain(step.score)}`),
    step.anchor !== undefined ? h("div", { class: "small" }, "its link says ", h("q", {}, step.anchor || "(nothing)"),
      Number.isFinite(step.priority) ? h("span", { class: "soft" }, `, which was given priority ${plain(step.priority)}`) : "") : null)));
}

function signedBars(items) {
  const most = Math.max(1e-9, ...items.map(item => Math.abs(item.value)));
  const both = items.some(item => item.value < 0);
  return h("ul", { class: "bars" }, items.map(item => {
    const bar = h("i", { class: item.value < 0 ? "minus" : "" }), width = Math.max(.6, 100 * Math.abs(item.value) / most) / (both ? 2 : 1);
    bar.style.width = width + "%";
    if (both) bar.style.left = item.value < 0 ? 50 - width + "%" : "50%";
    return h("li", {}, h("span", {}, item.label), h("span", { class: "num" }, item.shown), h("span", { class: "track" }, bar),
      item.more ? h("span", { class: "small soft" }, item.more) : null);
  }));
}

/* The strategies of a fusion, in words. */
const STRATEGIES = {
  "anchor-text": "the words of its link", "text-window": "the words around its link", intelligent: "what this crawl has learned so far",
  adaptive: "what this crawl has learned so far", "full-page": "the page that links to it", classifier: "the page that links to it", "best-first": "the page that links to it",
};

function partBars(list) {
  if (list.every(part => part.counted === "of its scores are as large" && part.of)) /* a fusion: each strategy compares it with what it has scored */
    return bars(list.map(part => ({ label: `${STRATEGIES[part.name] || part.name} (${part.name})`, value: 1 - part.count / part.of,
      shown: `better than ${percent(1 - part.count / part.of)} of the addresses` })), 1);
  return signedBars(list.map(part => ({ label: part.name, value: (part.value ?? 0) * (part.weight || 1), shown: plain((part.value ?? 0) * (part.weight || 1)),
    more: [part.counted ? `${number(part.count)} of ${number(part.of)} ${part.counted}` : "", part.ratio ? `${plain(part.ratio)} times as likely` : "",
      part.weight ? `${plain(part.value)} times its weight ${plain(part.weight)}` : ""].filter(Boolean).join("; ") })));
}

/* `found` is what /parts says, where it was asked: it tells what the strategy would say now, and counts links. */
function showParts(box, facts, found) {
  const score = facts.score || found?.score, strongest = found?.links?.[0], now = found?.score?.now;
  if (score?.parts?.length)
    box.replaceChildren(h("p", {}, "Its priority is ", h("b", {}, plain(score.priority)), ": the larger, the earlier it is fetched. It was made of:"), partBars(score.parts),
      now ? h("p", { class: "soft small" }, `With what the strategy has learned since, it would be ${plain(now.priority)}.`) : "");
  else
    box.replaceChildren(h("p", {}, facts.seed ? "Seeds are fetched before all other addresses: no strategy chose it." :
      found?.not_told ? `Not told: ${found.not_told}` : Number.isFinite(facts.priority) ? `It has priority ${plain(facts.priority)}.` : "No strategy has scored it."));
  if (found?.linked) box.append(h("p", { class: "soft small" }, `${number(found.linked)} ${found.linked === 1 ? "link leads" : "links lead"} to it`,
    strongest ? `; the best stands on ${strongest.from}.` : "."));
}

function showVerdict(box, facts, found) {
  const lines = (found.page?.reasons || "").split("\n").filter(Boolean);
  box.replaceChildren(bars([{ label: facts.page.relevant ? "score (relevant)" : "score (not relevant)", value: facts.page.score ?? 0, shown: plain(facts.page.score) }], 1),
    h("ul", {}, lines.map(line => h("li", { class: /^yes\b/.test(line.trim()) ? "good" : /^no\b/.test(line.trim()) ? "bad" : "" }, line))));
}

/* ---- review ---- */

async function showReview(root) {
  let queue = [], done = [], counts = { yes: 0, no: 0 }, skipped = new Set();
  const box = h("section", { class: "card review" }), status = h("p", { class: "soft small", role: "status" });
  root.replaceChildren(card("", h("p", {}, "These pages would teach the crawl most: it is least sure of them. Your marks are examples for the next training."),
    h("p", { class: "soft small" }, h("kbd", {}, "y"), " relevant  ", h("kbd", {}, "n"), " not  ", h("kbd", {}, "s"), " skip  ", h("kbd", {}, "u"), " undo"), status), box);

  async function fill() {
    const answer = await ask(here("/review?limit=30"));
    counts = { yes: answer.yes, no: answer.no };
    queue = answer.pages.filter(page => !skipped.has(page.url));
  }
  function paint(text) {
    const page = queue[0];
    status.textContent = `${text ? text + " " : ""}${counts.yes} marked relevant, ${counts.no} not.`;
    if (!page) { box.replaceChildren(empty("Nothing to review", "There are no more pages, or none is archived yet.")); return; }
    box.replaceChildren(h("h1", {}, page.title || page.url), h("p", { class: "url" }, page.url),
      h("p", { class: "soft" }, `The crawl says ${page.relevant ? "relevant" : "not relevant"}, with a score of ${plain(page.score)}.`),
      h("div", { class: "text", tabindex: 0, "aria-label": "Text of the page" }, page.text || "The text of this page cannot be shown."),
      h("div", { class: "row" }, h("button", { class: "main", onclick: () => mark("yes") }, "Relevant (y)"), h("button", { class: "main", onclick: () => mark("no") }, "Not relevant (n)"),
        h("button", { onclick: skip }, "Skip (s)"), h("button", { onclick: undo, disabled: !done.length }, "Undo (u)"),
        h("a", { class: "button", href: archived(page.url), target: "_blank", rel: "noopener" }, "Open the archived page")));
  }
  async function advance(text) {
    queue.shift();
    if (!queue.length) await fill();
    paint(text);
  }
  async function mark(word) {
    const page = queue[0];
    if (!page) return;
    try {
      await send(here("/marks"), { url: page.url, mark: word });
      counts[word]++;
      done.push({ page, mark: word });
      await advance(word === "yes" ? "Marked as relevant." : "Marked as not relevant.");
    } catch (problem) { status.textContent = problem.message; }
  }
  async function skip() {
    if (!queue[0]) return;
    skipped.add(queue[0].url);
    done.push({ page: queue[0], mark: null });
    await advance("Skipped.");
  }
  async function undo() {
    const last = done.pop();
    if (!last) return;
    try {
      if (last.mark) { await send(here("/marks"), { url: last.page.url, mark: "none" }); counts[last.mark]--; }
      skipped.delete(last.page.url);
      queue.unshift(last.page);
      paint("Undone.");
    } catch (problem) { done.push(last); status.textContent = problem.message; }
  }
  let before = Promise.resolve(); /* keys may come faster than answers: each waits for the one before it */
  const keys = { y: () => mark("yes"), n: () => mark("no"), s: skip, u: undo };
  const onKey = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || !keys[event.key]) return;
    event.preventDefault();
    before = before.then(keys[event.key]);
  };
  document.addEventListener("keydown", onKey);
  await fill();
  paint("");
  return () => document.removeEventListener("keydown", onKey);
}

/* ---- map ---- */

async function showHosts(root) {
  const limit = Math.min(2000, Number(state.parameters.get("hosts")) || 300);
  const box = h("div", { class: "map" }), about = h("p", { class: "soft small" }), table = h("div", { class: "scroll" });
  const ramp = h("span", { class: "ramp" }), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  ramp.style.background = `linear-gradient(to right, ${[0, .25, .5, .75, 1].map(s => harvestColor(s, dark)).join(",")})`;
  let leave = null, stopped = false;
  const choose = h("select", { "aria-label": "Number of hosts", onchange: event => { location.hash = link("map", { hosts: event.target.value }); } },
    [100, 300, 1000, 2000].map(n => h("option", { value: n, selected: n === limit }, `${number(n)} hosts at most`)));
  root.replaceChildren(card("", h("div", { class: "row" }, choose, h("span", { class: "small" }, "harvest rate 0% ", ramp, " 100%"),
    h("span", { class: "soft small" }, "Larger circles have more relevant pages. Drag to move, turn the wheel to zoom, choose a host for its pages.")), box, about), card("Hosts", table));
  const load = async () => {
    const data = await ask(here(`/map?hosts=${limit}&links=${limit * (limit > 500 ? 3 : 10)}`));
    if (!data.hosts.length) { box.replaceChildren(empty("No hosts yet", "The map begins with the first pages.")); return data; }
    leave?.();
    leave = showMap(box, data, host => { location.hash = link("pages", { host }); });
    about.textContent = `${number(data.hosts.length)} of ${number(data.all_hosts)} hosts and ${number(data.links.length)} of ${number(data.all_links)} links between them` +
      (data.complete ? "." : `; ${number(data.links_read)} links have been read so far…`);
    table.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ["host", "pages", "relevant", "harvest"].map(name => h("th", {}, name)))),
      h("tbody", {}, data.hosts.slice(0, 20).map(host => h("tr", {}, h("td", {}, h("a", { href: link("pages", { host: host.name }) }, host.name)),
        h("td", {}, number(host.pages)), h("td", {}, number(host.relevant)), h("td", {}, percent(host.relevant / host.pages)))))));
    return data;
  };
  let data = await load();
  (async () => {
    for (let wait = 500; !data.complete && !stopped; wait = Math.min(wait * 2, 8000)) {
      await new Promise(done => setTimeout(done, wait));
      if (!stopped) data = await load().catch(() => data);
    }
  })();
  return () => { stopped = true; leave?.(); };
}

/* ---- control ---- */

async function showControl(root) {
  const status = h("p", { role: "status" }), box = h("div", { class: "grid" });
  const live = () => state.crawls[state.crawl]?.live;
  const order = async (request, told) => {
    status.className = "soft";
    status.textContent = "…";
    try {
      const answer = await send(here("/control"), request);
      status.className = "good";
      status.textContent = typeof told === "function" ? told(answer) : told;
    } catch (problem) {
      status.className = "bad";
      status.textContent = problem.message;
    }
  };
  const form = (title, about, fields, button, submit) => card(title, about ? h("p", { class: "soft small" }, about) : null,
    h("form", { class: "filters", onsubmit: event => { event.preventDefault(); submit(Object.fromEntries(new FormData(event.target))); } }, fields, h("button", { class: "main" }, button)));
  const field = (label, name, value, more) => h("label", { class: "field" }, label, h("input", { name, value: value ?? "", autocomplete: "off", ...more }));
  const pause = h("button", { class: "main" }), stop = h("button", { onclick: () => { if (confirm("Stop the crawl? The same command resumes it.")) order({ do: "stop" }, "The crawl stops; what is under way comes to its end."); } }, "Stop");
  pause.addEventListener("click", () => live()?.state === "paused" ? order({ do: "resume" }, "The crawl continues.") : order({ do: "pause" }, "The crawl pauses: no more visits begin."));
  const blocked = h("p", { class: "soft small" }), now = h("p", {});

  const build = () => {
    if (!live()) {
      root.replaceChildren(card("", empty("The crawl does not run", "It can be steered while it runs: pause it, change its limits, add seeds, block a host.")));
      return;
    }
    const limits = live().limits || {};
    box.replaceChildren(
      form("Limits", "An empty field stays as it is; 0 takes a limit away.", [field("Pages", "pages", "", { placeholder: limits.pages || "none", inputmode: "numeric" }),
        field("Time", "time", "", { placeholder: limits.time ? duration(limits.time) : "none, or 2h30m" }), field("Depth", "depth", "", { placeholder: limits.depth || "none", inputmode: "numeric" }),
        field("Pages a host", "per_host", "", { placeholder: limits.per_host || "none", inputmode: "numeric" }),
        field("Delay between visits of a host", "delay", "", { placeholder: `${plain(live().delay)} s` })], "Change",
      values => {
        const request = { do: "set" };
        for (const [name, value] of Object.entries(values)) if (value.trim()) request[name] = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value.trim();
        order(request, "The limits hold from now on.");
      }),
      form("Add seeds", "One address a line.", [h("textarea", { name: "urls", rows: 4, "aria-label": "Addresses", class: "wide", placeholder: "https://www.example.org/" })], "Add",
        values => order({ do: "add", urls: values.urls.split(/\s+/).filter(Boolean) }, answer => `${number(answer.added)} added` +
          (answer.refused?.length ? `; refused: ${answer.refused.map(item => `${item.url} (${item.why})`).join(", ")}` : "") + ".")),
      form("Block a host", "It and the hosts below it are not visited any more.", [field("Host", "host", "", { placeholder: "www.example.org", required: true })], "Block",
        values => order({ do: "block", host: values.host.trim() }, `${values.host} is not visited any more.`)));
    root.replaceChildren(card("", now, h("div", { class: "row" }, pause, stop), status, blocked), box);
    tell();
  };
  const tell = () => {
    const at = live();
    if (!at) return;
    pause.textContent = at.state === "paused" ? "Resume" : "Pause";
    now.textContent = `${at.state}: ${plain(at.pages_per_s)} pages a second, ${number(at.queued)} addresses queued. ${at.waits_for || ""}`;
    blocked.replaceChildren(at.blocked?.length ? "Blocked: " : "", ...(at.blocked || []).flatMap(host => [host, " ",
      h("button", { onclick: () => order({ do: "unblock", host }, `${host} is allowed again.`) }, "Allow"), " "]));
  };
  build();
  let was = !!live();
  return everyNews(1, () => { if (!!live() !== was) { was = !!live(); build(); } else if (!blocked.contains(document.activeElement)) tell(); });
}

/* ---- lab ---- */

const lineColor = i => `hsl(${(i * 67 + 168) % 360} 60% ${matchMedia("(prefers-color-scheme: dark)").matches ? 65 : 36}%)`;

async function showLab(root) {
  const id = Number(state.parameters.get("lab")) || 0, measure = state.parameters.get("measure") || "harvest";
  if (!state.labs.length) { root.replaceChildren(card("", empty("No results of the lab", "Start scent serve with the folder that 'scent lab run' wrote."))); return; }
  const summary = await ask(`/labs/${id}`);
  const series = (summary.series || []).filter(line => line.points?.length);
  const measures = [...new Set(series.flatMap(line => Object.entries(line.points[0]).filter(([, v]) => v && typeof v === "object" && "mean" in v).map(([k]) => k)))];
  const of = (line, name) => line.points.filter(p => Number.isFinite(p[name]?.mean)).map(p => [p.pages, p[name].mean]);
  const last = line => line.points[line.points.length - 1];
  const ranked = [...series].sort((a, b) => (last(b)[measure]?.mean ?? -1) - (last(a)[measure]?.mean ?? -1));
  const pick = (name, value, options) => h("select", { "aria-label": name, onchange: event => { location.hash = link("lab", { lab: id, measure, [name]: event.target.value }); } },
    options.map(([v, text]) => h("option", { value: v, selected: String(v) === String(value) }, text)));
  root.replaceChildren(
    card("", h("h1", {}, summary.experiment || state.labs[id].name), h("p", { class: "soft" },
      `${number(series.length)} strategies, ${number(summary.topics?.length)} topics, ${number(summary.budget)} pages a crawl; baseline ${summary.baseline || "–"}.`),
    h("div", { class: "row" }, state.labs.length > 1 ? pick("lab", id, state.labs.map(lab => [lab.id, lab.name])) : null,
      pick("measure", measure, measures.map(name => [name, name])))),
    h("div", { class: "grid" }, h("section", { class: "card wide" }, h("h2", {}, `Mean ${measure} by pages fetched`),
      lineChart(ranked.map(line => ({ values: of(line, measure) })), { percent: ranked.every(line => of(line, measure).every(v => v[1] <= 1)),
        label: `${measure} of ${series.length} strategies`, color: lineColor, height: 320, width: chartWidth(main) - 36 }),
      h("div", { class: "legend" }, ranked.map((line, i) => { const key = h("i"); key.style.borderColor = lineColor(i); return h("span", {}, key, line.name); }))),
    h("section", { class: "card wide" }, h("h2", {}, "At the end of the crawls"), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, "strategy"), measures.map(name => h("th", {}, name)), h("th", {}, "p against the baseline"))),
      h("tbody", {}, ranked.map(line => h("tr", {}, h("td", {}, line.name), measures.map(name => h("td", {}, plain(last(line)[name]?.mean ?? null))),
        h("td", {}, plain(last(line).harvest_test?.p_holm ?? last(line).harvest_test?.p ?? null))))))))));
}
