"use strict";
/* Charts without a library: lines and columns as SVG, the map of hosts on a canvas. Text only ever enters as text. */

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...inside) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

/* Round numbers from 0 to at least `max`. */
function ticks(max, count) {
  if (!(max > 0)) return [0];
  const raw = max / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= raw);
  const all = [];
  for (let i = 0; i * step <= max * 1.0001; i++) all.push(Number((i * step).toPrecision(12)));
  return all;
}

/* Lines over one x axis: series are {name, kind, values: [[x, y]]}; y is a share where `percent`. */
function lineChart(series, { percent = true, label = "", xlabel = "pages", top: most, width = 720, height = 260, color } = {}) {
  const left = 46, right = 12, top = 10, bottom = 34;
  const xs = series.flatMap(s => s.values.map(v => v[0])), ys = series.flatMap(s => s.values.map(v => v[1]));
  const maxX = Math.max(1, ...xs), maxY = most || percent ? most || 1 : Math.max(1e-9, ...ys);
  const x = v => left + (width - left - right) * v / maxX, y = v => height - bottom - (height - top - bottom) * v / maxY;
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of ticks(maxY, 4)) {
    chart.append(svg("path", { class: "axis", d: `M${left} ${y(tick)}H${width - right}` }),
      svg("text", { x: left - 7, y: y(tick) + 4, "text-anchor": "end" }, percent ? Math.round(tick * 100) + "%" : short(tick)));
  }
  for (const tick of ticks(maxX, width > 500 ? 8 : 4))
    chart.append(svg("text", { x: x(tick), y: height - bottom + 18, "text-anchor": "middle" }, short(tick)));
  chart.append(svg("text", { x: width - right, y: height - 2, "text-anchor": "end" }, xlabel));
  series.forEach((line, i) => {
    const path = svg("path", { class: line.kind || "more", d: line.values.map((v, n) =>
      `${n ? "L" : "M"}${x(v[0]).toFixed(1)} ${y(v[1]).toFixed(1)}`).join("") });
    if (color) path.style.stroke = color(i);
    chart.append(path);
  });
  return chart;
}

/* Columns: values are counts of equal parts from low to high. */
function columnChart(values, low, high, { label = "", height = 180, xlabel = "" } = {}) {
  const width = 420, left = 44, right = 8, top = 8, bottom = 32, max = Math.max(1, ...values);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const each = (width - left - right) / values.length, y = v => height - bottom - (height - top - bottom) * v / max;
  for (const tick of ticks(max, 3))
    chart.append(svg("path", { class: "axis", d: `M${left} ${y(tick)}H${width - right}` }),
      svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, short(tick)));
  values.forEach((v, i) => chart.append(svg("rect", { x: left + i * each + .5, y: y(v), width: Math.max(1, each - 1),
    height: height - bottom - y(v), rx: 1.5 })));
  chart.append(svg("text", { x: left, y: height - bottom + 16 }, plain(low)),
    svg("text", { x: width - right, y: height - bottom + 16, "text-anchor": "end" }, plain(high)),
    svg("text", { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, xlabel));
  return chart;
}

function short(n) {
  if (n >= 1e9) return plain(n / 1e9) + "G";
  if (n >= 1e6) return plain(n / 1e6) + "M";
  if (n >= 1e4) return plain(n / 1e3) + "k";
  return plain(n);
}

function plain(n) {
  return n === null || n === undefined || !Number.isFinite(n) ? "–" : Number(n.toPrecision(4)).toLocaleString("en");
}

/* ---- the map of hosts ---- */

/* From little harvest to much: grey to the accent, in steps of lightness that also differ without colour. */
function harvestColor(share, dark) {
  const from = dark ? [110, 118, 124] : [138, 146, 152], to = dark ? [84, 221, 190] : [4, 96, 84];
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * Math.sqrt(share))).join(",")})`;
}

/* Places hosts by forces: links pull, neighbours push. A grid bounds the pushing, so that a step costs O(hosts). */
class HostMap {
  constructor(data) {
    this.hosts = data.hosts.map((host, i) => {
      const angle = i * 2.399963, far = 26 * Math.sqrt(i + 1); /* a sunflower: spread evenly from the start */
      return { ...host, x: Math.cos(angle) * far, y: Math.sin(angle) * far, vx: 0, vy: 0,
        r: 3 + Math.sqrt(host.relevant || host.pages * .1) * 1.1, links: 0 };
    });
    this.links = data.links.map(([a, b, n]) => ({ a: this.hosts[a], b: this.hosts[b], n }));
    for (const link of this.links) { link.a.links++; link.b.links++; }
    this.heat = 1;
  }

  step() {
    const cell = 90, grid = new Map(), heat = this.heat;
    for (const host of this.hosts) {
      const key = Math.floor(host.x / cell) * 100003 + Math.floor(host.y / cell);
      if (!grid.has(key)) grid.set(key, []);
      grid.get(key).push(host);
    }
    for (const [key, members] of grid) {
      for (let dx = -1; dx <= 1; dx++) for (let dy = -1; dy <= 1; dy++) {
        const others = grid.get(key + dx * 100003 + dy);
        if (!others) continue;
        for (const a of members) for (const b of others.slice(0, 60)) {
          if (a === b) continue;
          let x = a.x - b.x, y = a.y - b.y, d = x * x + y * y;
          if (d < .01) { x = .1 * (a.links % 3 - 1) + .01; y = .1; d = x * x + y * y; }
          const want = a.r + b.r + 34, push = Math.min(5, want * want / d * .5);
          a.vx += x / Math.sqrt(d) * push;
          a.vy += y / Math.sqrt(d) * push;
        }
      }
    }
    for (const { a, b, n } of this.links) {
      const x = b.x - a.x, y = b.y - a.y, d = Math.sqrt(x * x + y * y) || 1;
      const pull = (d - 90) / d * .12 * Math.min(1, .3 + Math.log10(n + 1) / 3);
      a.vx += x * pull / a.links; a.vy += y * pull / a.links; /* the mean of its links: hubs do not fall into one heap */
      b.vx -= x * pull / b.links; b.vy -= y * pull / b.links;
    }
    for (const host of this.hosts) {
      host.vx -= host.x * .0025; host.vy -= host.y * .004; /* wider than high, as screens are */
      const speed = Math.hypot(host.vx, host.vy), most = 12 * heat;
      const slow = speed > most ? most / speed : 1;
      host.x += host.vx * slow * heat; host.y += host.vy * slow * heat;
      host.vx *= .55; host.vy *= .55;
    }
    this.heat *= .985;
  }
}

function showMap(box, data, open) {
  const canvas = document.createElement("canvas"), tip = document.createElement("div");
  const map = new HostMap(data), paint = canvas.getContext("2d");
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name);
  let zoom = 0, panX = 0, panY = 0, held = null, moved = false, alive = true, hot = null;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Map of ${data.hosts.length} hosts; the table below tells the same`);
  tip.className = "tip";
  tip.hidden = true;
  box.replaceChildren(canvas, tip);
  for (let i = 0; i < (map.hosts.length > 800 ? 60 : 150); i++) map.step();

  function fit() {
    const xs = map.hosts.map(h => h.x), ys = map.hosts.map(h => h.y), n = xs.length;
    if (!n) return;
    const sorted = [...xs].sort((a, b) => a - b), sortedY = [...ys].sort((a, b) => a - b), at = p => Math.floor((n - 1) * p);
    const w = sorted[at(.99)] - sorted[at(.01)] + 80, h = sortedY[at(.99)] - sortedY[at(.01)] + 80;
    zoom = Math.min(canvas.clientWidth / w, canvas.clientHeight / h, 2.5);
    panX = -(sorted[at(.99)] + sorted[at(.01)]) / 2;
    panY = -(sortedY[at(.99)] + sortedY[at(.01)]) / 2;
  }

  function draw() {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio);
    }
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, w, h);
    const X = host => (host.x + panX) * zoom + w / 2, Y = host => (host.y + panY) * zoom + h / 2;
    paint.strokeStyle = css("--soft");
    const faint = Math.min(1, Math.max(.25, 1200 / map.links.length)); /* many links are a texture, hosts stay in front */
    for (const link of map.links) {
      const near = hot && (link.a === hot || link.b === hot);
      paint.globalAlpha = near ? .9 : hot ? .04 : faint * Math.min(.5, .07 + Math.log10(link.n + 1) / 8);
      paint.lineWidth = near ? 1.6 : .8;
      paint.beginPath(); paint.moveTo(X(link.a), Y(link.a)); paint.lineTo(X(link.b), Y(link.b)); paint.stroke();
    }
    paint.globalAlpha = 1;
    for (let i = map.hosts.length; i--;) { /* the first are the most relevant: on top of the others */
      const host = map.hosts[i], r = Math.max(host.relevant ? 3.5 : 2, host.r * Math.min(1.6, Math.max(.5, zoom)));
      paint.beginPath();
      paint.arc(X(host), Y(host), r, 0, 7);
      paint.fillStyle = harvestColor(host.pages ? host.relevant / host.pages : 0, dark);
      paint.fill();
      if (host !== hot && r < 5) continue;
      paint.lineWidth = host === hot ? 3 : 1;
      paint.strokeStyle = host === hot ? css("--two") : css("--card");
      paint.stroke();
    }
    /* Names of the largest hosts, where they do not cover each other. */
    const taken = [];
    paint.font = "12px system-ui, sans-serif";
    paint.textAlign = "center";
    for (const host of map.hosts) {
      if (taken.length > (map.hosts.length > 800 ? 12 : 30) || (host !== hot && !host.relevant)) break;
      const width = paint.measureText(host.name).width, x = X(host), y = Y(host) - host.r * Math.min(1.6, Math.max(.5, zoom)) - 5;
      const spot = [x - width / 2 - 3, y - 13, x + width / 2 + 3, y + 4];
      if (spot[0] < 0 || spot[2] > w || spot[1] < 0 ||
        taken.some(t => t[0] < spot[2] && spot[0] < t[2] && t[1] < spot[3] && spot[1] < t[3])) continue;
      taken.push(spot);
      paint.globalAlpha = .82; paint.fillStyle = css("--card");
      paint.fillRect(spot[0], spot[1], spot[2] - spot[0], spot[3] - spot[1]);
      paint.globalAlpha = 1; paint.fillStyle = css("--text");
      paint.fillText(host.name, x, y);
    }
  }

  function find(event) {
    const rect = canvas.getBoundingClientRect(), w = rect.width, h = rect.height;
    const x = event.clientX - rect.left, y = event.clientY - rect.top;
    let best = null, least = 14;
    for (const host of map.hosts) {
      const d = Math.hypot((host.x + panX) * zoom + w / 2 - x, (host.y + panY) * zoom + h / 2 - y) - host.r;
      if (d < least) { least = d; best = host; }
    }
    return [best, x, y];
  }

  canvas.addEventListener("pointerdown", event => { held = [event.clientX, event.clientY]; moved = false; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", event => {
    held = null;
    if (!moved) { const [host] = find(event); if (host) open(host.name); }
  });
  canvas.addEventListener("pointermove", event => {
    if (held) {
      const dx = event.clientX - held[0], dy = event.clientY - held[1];
      moved ||= Math.hypot(dx, dy) > 4;
      if (moved) { panX += dx / zoom; panY += dy / zoom; held = [event.clientX, event.clientY]; draw(); }
      return;
    }
    const [host, x, y] = find(event);
    tip.hidden = !host;
    if (host) {
      tip.textContent = `${host.name}: ${host.relevant} of ${host.pages} pages relevant`;
      tip.style.left = Math.min(x + 12, canvas.clientWidth - 190) + "px";
      tip.style.top = y + 14 + "px";
    }
    if (host !== hot) { hot = host; draw(); }
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; hot = null; draw(); });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom = Math.min(8, Math.max(.05, zoom * (event.deltaY < 0 ? 1.15 : 1 / 1.15)));
    draw();
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const move = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
    if (move) { panX += move[0] / zoom; panY += move[1] / zoom; }
    else if (event.key === "+" || event.key === "=") zoom = Math.min(8, zoom * 1.2);
    else if (event.key === "-") zoom = Math.max(.05, zoom / 1.2);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    draw();
  });
  const settle = () => {
    if (!alive || !canvas.isConnected) return;
    if (map.heat > .08) { for (let i = 0; i < (map.hosts.length > 800 ? 1 : 3); i++) map.step(); if (!moved) fit(); }
    draw();
    if (map.heat > .08) requestAnimationFrame(settle);
  };
  const watch = new ResizeObserver(() => { if (!moved) fit(); draw(); });
  watch.observe(canvas);
  fit(); draw(); requestAnimationFrame(settle);
  return () => { alive = false; watch.disconnect(); };
}
