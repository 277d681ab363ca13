"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const { nodes } = data.graph;
const levels = data.steps.filter((step) => step.isLevel);
const MOST_FOUND = 60, AROUND = 3, MOST_ROWS = 4000;

function make(tag, text, style) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (style) made.className = style;
  return made;
}

function button(text, count, act) {
  const made = make("button");
  made.type = "button";
  made.append(make("span", text), make("span", count, "count"));
  made.addEventListener("click", act);
  return made;
}

/* ---- the program after each step */

const known = [];

function textAfter(number) {
  if (number < 0) return [];
  if (!known[number]) {
    const lines = [...textAfter(number - 1)];
    for (const [first, gone, came] of [...data.steps[number].edits].reverse())
      lines.splice(first, gone, ...came);
    known[number] = lines;
  }
  return known[number];
}

for (let i = 0; i < data.steps.length; i++) textAfter(i); // in order: no deep recursion

function changed(step) {
  let gone = 0, came = 0;
  for (const [, removed, added] of step.edits) gone += removed, came += added.length;
  return `+${came} -${gone}`;
}

function listSteps() {
  let level = "";
  data.steps.forEach((step, number) => {
    if (step.isLevel && step.level === "source") at("steps").append(make("h2", "source"));
    if (!step.isLevel && step.level !== level) at("steps").append(make("h2", `to ${step.level}`));
    level = step.isLevel ? level : step.level;
    const shown = step.isLevel ? `level ${step.level}` : step.name.replace(/^dycl-/, "").replace("-round-", " · ");
    const made = button(shown, step.isLevel ? "" : changed(step), () => go(`step=${number}`));
    made.dataset.step = number;
    at("steps").append(made);
  });
  at("steps").append(make("h2", "host program"));
  for (const name of Object.keys(data.host)) {
    const made = button(name, "", () => go(`host=${name}`));
    made.dataset.host = name;
    at("steps").append(made);
  }
}

/* ---- side by side */

function showStep(number) {
  const step = data.steps[number], before = textAfter(number - 1), box = at("diff");
  box.replaceChildren(make("h2", step.isLevel ? `level ${step.level}` : step.name));
  if (step.isLevel) {
    box.append(make("pre", textAfter(number).join("\n")));
    return;
  }
  const table = make("table"), row = (left, right, style = ["", ""]) => {
    const line = table.insertRow();
    [left, right].forEach((text, side) => {
      line.insertCell().append(text ?? "");
      if (text !== undefined) line.cells[side].className = style[side];
    });
    return line;
  };
  let last = 0;
  const context = (from, to) => {
    const start = Math.max(from, last);
    if (start > last) row(`... ${start - last} lines`, "").className = "gap";
    for (let i = start; i < to; i++) row(before[i], before[i]);
    last = Math.max(last, to);
  };
  for (const [first, gone, came] of step.edits) {
    if (first - last > 2 * AROUND) {
      context(last, Math.min(last + (last ? AROUND : 0), first));
      context(first - AROUND, first);
    } else context(last, first);
    for (let i = 0; i < Math.max(gone, came.length); i++)
      row(i < gone ? before[first + i] : undefined, came[i], ["gone", "came"]);
    last = first + gone;
    if (table.rows.length > MOST_ROWS) {
      row("... and more", "").className = "gap";
      break;
    }
  }
  if (last) context(last, Math.min(last + AROUND, before.length));
  box.append(table);
}

/* ---- a node */

function numbered(lines, marked, first = 1) {
  const box = make("pre");
  lines.forEach((text, i) => {
    const line = make("span", undefined, marked(first + i) ? "on" : "");
    line.append(make("span", `${String(first + i).padStart(5)}  `, "number"), text || " ");
    box.append(line);
  });
  return box;
}

function sourceOf(node) {
  const [file, line] = node.place.split(":");
  const lines = data.sources[file];
  if (!lines) return make("p", "The source is not at hand.", "hint");
  const first = Math.max(1, +line - 12);
  const box = make("div");
  box.append(make("p", node.place, "hint"));
  box.append(numbered(lines.slice(first - 1, +line + 12), (n) => n === +line, first));
  return box;
}

function functionOf(lines, name) {
  const start = lines.findIndex((line) => line.includes(`func.func @${name}(`));
  if (start < 0) return [];
  const pad = lines[start].match(/^ */)[0];
  let end = start + 1;
  while (end < lines.length && !lines[end].startsWith(`${pad}}`)) end++;
  return lines.slice(start, end + 1);
}

function irOf(node, level) {
  const number = data.steps.indexOf(level), lines = textAfter(number), box = make("div");
  const rows = lines.map((text, i) => [text, i]).filter(([, i]) => level.places[i] === node.place);
  const own = node.kind === "kernel" ? functionOf(lines, node.name) : [];
  if (own.length) box.append(make("p", "The kernel", "hint"), make("pre", own.join("\n")));
  box.append(make("p", `Lines from ${node.place || "an unknown place"}`, "hint"));
  const pre = make("pre");
  for (const [text, i] of rows) {
    const line = make("span");
    line.append(make("span", `${String(i + 1).padStart(6)}  `, "number"), text);
    pre.append(line);
  }
  box.append(rows.length ? pre : make("p", "none at this level", "hint"));
  return box;
}

function tableOf(head, rows) {
  const table = make("table", undefined, "facts");
  for (const [tag, cells] of [["th", head], ...rows.map((row) => ["td", row])]) {
    const line = table.insertRow();
    for (const cell of cells) line.append(make(tag, cell));
  }
  return table;
}

const KEYS = ["mean_us", "p50_us", "p90_us", "p99_us"], HEADS = ["mean", "p50", "p90", "p99"];

function span(us) {
  if (us === undefined) return "";
  for (const [size, unit] of [[1e6, "s"], [1e3, "ms"], [1, "us"]])
    if (us >= size) return `${(us / size).toPrecision(3)} ${unit}`;
  return `${Math.round(us * 1e3)} ns`;
}

const times = (found) => KEYS.map((key) => span(found[key]));

function factsOf(id) {
  const found = data.graph.measured[id];
  if (!found) return make("p", data.profile ? "It has no times of its own." : NO_PROFILE, "hint");
  if (!("yes" in found)) return tableOf(["count", ...HEADS], [[found.count, ...times(found)]]);
  const decision = data.profile.decisions.find((_, i) => decisionOf(i) === id);
  const sides = ["true", "false"].map((key) => [key, decision[key].count, ...times(decision[key])]);
  const box = make("div");
  box.append(tableOf(["is", "count", ...HEADS], sides));
  box.append(make("p", "Times are until the next decision, or the end of the run.", "hint"));
  return box;
}

const NO_PROFILE = "There is no profile: `dycl profile NET -o P.json` makes one for --profile.";

function overview() {
  const box = at("details"), p = data.profile;
  box.replaceChildren(make("p", "Click a node for its source, IR, kernel and times; a pass for what it changed.", "hint"));
  if (!p) return;
  const kernels = p.kernels.filter((k) => k.count).sort((a, b) => b.total_us - a.total_us);
  box.append(make("h2", "kernels"), tableOf(["kernel", "line", "count", ...HEADS],
    kernels.map((k) => [k.kernel, k.places.join(" "), k.count, ...times(k)])));
  const sides = (path) => path === null ? "(others)" : path.map(([, side]) => "FT"[+side]).join("") || "(no decision)";
  box.append(make("h2", "paths"), tableOf(["decisions", "count", ...HEADS],
    p.paths.slice(0, 20).map((path) => [sides(path.path), path.count, ...times(path)])));
}

/* The node of a decision of the profile: those of a name and line in order. */
function decisionOf(number) {
  const waiting = nodes.map((node, id) => [node, id]).filter(([node]) => node.kind === "decision");
  let found = -1;
  for (let i = 0; i <= number; i++) {
    const { name, file, line } = data.profile.decisions[i];
    const place = waiting.findIndex(([n]) => n.name === name && n.place === (file ? `${file}:${line}` : ""));
    found = place < 0 ? -1 : waiting.splice(place, 1)[0][1];
  }
  return found;
}

function showNode(id, wanted) {
  const node = nodes[id], box = at("details"), tabs = make("div", undefined, "tabs"), body = make("div");
  const views = new Map([["Source", () => sourceOf(node)]]);
  for (const level of levels) views.set(`IR: ${level.level}`, () => irOf(node, level));
  for (const [stage, text] of Object.entries(data.kernels[node.name] ?? {}))
    views.set(`Kernel: ${stage}`, () => make("pre", text));
  views.set("Profile", () => factsOf(id));
  const show = (name) => {
    for (const tab of tabs.children) tab.classList.toggle("on", tab.dataset.view === name);
    body.replaceChildren(views.get(name)());
  };
  for (const name of views.keys()) {
    const tab = make("button", name);
    tab.type = "button";
    tab.dataset.view = name;
    tab.addEventListener("click", () => show(name));
    tabs.append(tab);
  }
  box.replaceChildren(make("h2", node.kind), make("div", data.graph.captions[id].join(" · "), "code"), tabs, body);
  show(views.has(wanted) ? wanted : "Source");
}

/* ---- search */

function search(text) {
  const box = at("results"), wanted = text.trim().toLowerCase(), found = [];
  box.hidden = !wanted;
  if (!wanted) return;
  const has = (s) => s.toLowerCase().includes(wanted);
  const add = (kind, words, act) => found.length < MOST_FOUND && found.push([kind, words, act]);
  nodes.forEach((n, id) => has(`${n.label} ${n.name} ${n.place}`) && add("node", `${n.label} ${n.name}`, () => go(`node=${id}`)));
  data.steps.forEach((s, i) => !s.isLevel && has(s.name) && add("pass", s.name, () => go(`step=${i}`)));
  for (const [file, lines] of Object.entries(data.sources))
    lines.forEach((line, i) => has(line) && add(`${file}:${i + 1}`, line.trim(), () => goToLine(file, i + 1)));
  for (const level of levels) {
    const number = data.steps.indexOf(level);
    textAfter(number).forEach((line) => has(line) && add(level.level, line.trim(), () => go(`step=${number}`)));
  }
  box.replaceChildren(make("h2", found.length < MOST_FOUND ? `${found.length} found` : `the first ${MOST_FOUND}`));
  for (const [kind, words, act] of found) {
    const made = button(words, kind, act);
    made.className = "found";
    box.append(made);
  }
}

function goToLine(file, line) {
  const id = nodes.findIndex((node) => node.place === `${file}:${line}`);
  if (id >= 0) return go(`node=${id}`);
  at("details").replaceChildren(make("h2", "source"), sourceOf({ place: `${file}:${line}` }));
}

/* ---- what is shown: the address says it */

function go(where) {
  if (location.hash === `#${where}`) show();
  else location.hash = where;
}

function show() {
  const [kind, value] = location.hash.slice(1).split("="), number = Number(value);
  const isStep = kind === "step" && data.steps[number] !== undefined;
  const isHost = kind === "host" && data.host[value] !== undefined;
  at("diff").hidden = !isStep && !isHost;
  at("picture").hidden = isStep || isHost;
  document.querySelector("main").classList.toggle("wide", isStep || isHost);
  for (const made of at("steps").querySelectorAll("button"))
    made.classList.toggle("on", value !== undefined && made.dataset[kind] === value);
  if (isStep) showStep(number);
  if (isHost) at("diff").replaceChildren(make("h2", value), numbered(data.host[value].split("\n"), () => false));
  const isNode = kind === "node" && nodes[number] !== undefined;
  for (const g of document.querySelectorAll("#picture g[data-node]"))
    g.classList.toggle("on", isNode && Number(g.dataset.node) === number);
  if (isNode) showNode(number);
  else overview();
}

function fold(isFolded) {
  at("whole").hidden = isFolded;
  at("folded").hidden = !isFolded;
  at("fold").textContent = isFolded ? "Show all blocks" : "Fold repetitions";
}

function summary() {
  const count = (kind) => nodes.filter((node) => node.kind === kind).length;
  const some = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`, p = data.profile;
  const words = [some(count("decision"), "decision"), `${count("kernel")} kernel launches`, some(count("exit"), "exit")];
  if (p) words.push(`${some(p.calls.count, "call")}, p50 ${span(p.calls.p50_us)}`);
  if (p) words.push(`kernels ${(100 * p.share.kernels).toFixed(1)} %, host ${(100 * p.share.host).toFixed(1)} %`);
  return words.join(" · ");
}

const hasFolded = at("folded").childElementCount > 0;
at("fold").hidden = !hasFolded;
at("fold").addEventListener("click", () => fold(at("folded").hidden));
fold(hasFolded);
at("summary").textContent = summary();
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = isDark ? "dark" : "light";
at("theme").addEventListener("click", () => {
  const root = document.documentElement.dataset;
  root.theme = root.theme === "dark" ? "light" : "dark";
});
at("search").addEventListener("input", (event) => search(event.target.value));
at("picture").addEventListener("click", (event) => {
  const g = event.target.closest("g[data-node]");
  if (!g) return;
  if (Number(g.dataset.node) < 0) fold(false);
  else go(`node=${g.dataset.node}`);
});
listSteps();
addEventListener("hashchange", show);
show();
