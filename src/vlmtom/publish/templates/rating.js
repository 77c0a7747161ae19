"use strict";
(() => {
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const items = sheet.items;
  const $ = (id) => document.getElementById(id);
  const RATER = new RegExp(sheet.rater);
  // Of one sheet and one rater: two people at one machine do not meet.
  const STORE = `vlmtom ratings ${sheet.sheet} `;

  let rater = "";
  let ratings = {}; // item_id: {intent, approp: null or a level, cannot: true or false}
  let place = 0;
  let view = "start";
  let active = sheet.scales[0];
  let unsaved = false;

  const blank = () => ({ ...Object.fromEntries(sheet.scales.map((s) => [s.key, null])), cannot: false });
  const given = (rating) => rating.cannot || sheet.scales.every((s) => rating[s.key] !== null);
  const touched = (rating) => rating.cannot || sheet.scales.some((s) => rating[s.key] !== null);
  const of = (index) => ratings[items[index].item_id];
  const open = () => items.map((_, index) => index).filter((index) => !given(of(index)));
  const words = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  // Files

  function csvText() {
    const lines = [sheet.columns.join(",")];
    for (const item of items) {
      const rating = ratings[item.item_id];
      const levels = sheet.scales.map((s) => rating[s.key] ?? "");
      lines.push([sheet.sheet, rater, item.item_id, ...levels, rating.cannot ? sheet.cannot : ""].join(","));
    }
    return lines.join("\n") + "\n";
  }

  function save() {
    const url = URL.createObjectURL(new Blob([csvText()], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `ratings.${sheet.sheet}.${rater}.csv`;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    unsaved = false;
    const left = open().length;
    say(`Saved as ${link.download}, where this browser puts downloads. ` +
      (left ? `${words(left, "description is", "descriptions are")} still open.` : "All are done: send this file back."));
  }

  // Rows of cells. The page writes neither quotes nor blanks; a spreadsheet program may add quotes.
  function readCsv(text) {
    const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
    while (lines.length && lines[lines.length - 1] === "") lines.pop();
    const mark = (lines[0] || "").includes(";") ? ";" : ",";
    return lines.map((line) => line.split(mark).map((cell) => cell.replace(/^"(.*)"$/, "$1")));
  }

  // What a file holds, or an Error that says in which row what is wrong with it.
  function fromFile(text) {
    const [head, ...rows] = readCsv(text);
    if (!head || head.join() !== sheet.columns.join()) {
      throw new Error("Row 1: this is no file of ratings. Choose the CSV file that this page saved.");
    }
    const found = {};
    let who = null;
    rows.forEach((cells, index) => {
      const fail = (what) => { throw new Error(`Row ${index + 2}: ${what}`); };
      if (cells.length !== head.length) fail(`${cells.length} cells, expected ${head.length}.`);
      const [from, code, id] = cells;
      const levels = cells.slice(3, 3 + sheet.scales.length);
      const mark = cells[cells.length - 1];
      if (from !== sheet.sheet) fail(`ratings of another sheet (${from}); this one is ${sheet.sheet}.`);
      if (!RATER.test(code) || (who !== null && who !== code)) fail(`the code ${code} is not the rater's.`);
      who = code;
      if (!items.some((item) => item.item_id === id)) fail(`${id} is not on this sheet.`);
      if (found[id]) fail(`${id} is there twice.`);
      const rating = blank();
      sheet.scales.forEach((scale, n) => {
        if (levels[n] === "") return;
        const top = scale.levels.length - 1;
        if (!/^[0-9]$/.test(levels[n]) || Number(levels[n]) > top) fail(`${scale.name} ${levels[n]}, expected 0 to ${top}.`);
        rating[scale.key] = Number(levels[n]);
      });
      if (mark !== "" && mark !== sheet.cannot) fail(`cannot_be_rated is ${mark}, expected ${sheet.cannot} or nothing.`);
      rating.cannot = mark === sheet.cannot;
      if (rating.cannot && levels.some((level) => level !== "")) fail("a score, and marked as one that cannot be rated.");
      found[id] = rating;
    });
    if (who === null) throw new Error("The file holds no rating. Choose the CSV file that this page saved.");
    return { rater: who, ratings: found };
  }

  // What the browser keeps, where it keeps anything: some forbid it for files.

  function keep() {
    try { localStorage.setItem(STORE + rater, JSON.stringify(ratings)); } catch { /* the file is what counts */ }
  }

  function kept(code) {
    try {
      const found = JSON.parse(localStorage.getItem(STORE + code)) || {};
      const sound = {};
      for (const item of items) {
        const rating = found[item.item_id];
        const fits = (s) => rating[s.key] === null || (Number.isInteger(rating[s.key]) && rating[s.key] >= 0 && rating[s.key] < s.levels.length);
        if (rating && sheet.scales.every(fits)) sound[item.item_id] = { ...blank(), ...rating, cannot: rating.cannot === true };
      }
      return sound;
    } catch { return {}; }
  }

  function keptCodes() {
    try {
      return Object.keys(localStorage).filter((name) => name.startsWith(STORE)).map((name) => name.slice(STORE.length)).filter((code) => RATER.test(code)).sort();
    } catch { return []; }
  }

  // Showing

  function show(name) {
    view = name;
    for (const id of ["start", "work", "end"]) $(id).hidden = id !== name;
    window.scrollTo(0, 0);
  }

  function say(text) {
    $("said").textContent = view === "work" ? text : "";
    $("end-file").textContent = view === "end" ? text : "";
  }

  // A description is put down as text. What turns its direction or cannot be seen is spelled out:
  // a reader would else be shown other words than stand there.
  const ODD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;

  function put(element, text) {
    const parts = document.createDocumentFragment();
    let from = 0;
    for (const match of text.matchAll(ODD)) {
      parts.append(text.slice(from, match.index));
      const odd = document.createElement("span");
      odd.className = "odd";
      odd.textContent = "U+" + match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      parts.append(odd);
      from = match.index + match[0].length;
    }
    parts.append(text.slice(from));
    element.replaceChildren(parts);
  }

  function buildScales() {
    for (const scale of sheet.scales) {
      const set = document.createElement("fieldset");
      set.id = `scale-${scale.key}`;
      set.tabIndex = -1;
      const legend = document.createElement("legend");
      const [name, ...rest] = scale.head.split(": ");
      const bold = document.createElement("b");
      bold.textContent = `${name}:`;
      legend.append(bold, rest.join(": "));
      set.append(legend);
      scale.levels.forEach((wording, level) => {
        const label = document.createElement("label");
        label.className = "level";
        const input = document.createElement("input");
        Object.assign(input, { type: "radio", name: scale.key, value: String(level), id: `${scale.key}-${level}` });
        input.addEventListener("change", () => score(scale, level, false));
        const number = document.createElement("span");
        number.className = "n";
        number.textContent = String(level);
        const text = document.createElement("span");
        text.textContent = wording;
        label.append(input, number, text);
        set.append(label);
      });
      set.addEventListener("focusin", () => { if (active !== scale) { active = scale; paint(); } });
      $("scales").append(set);
    }
  }

  function paint() {
    const rating = of(place);
    for (const scale of sheet.scales) {
      $(`scale-${scale.key}`).classList.toggle("active", scale === active);
      scale.levels.forEach((_, level) => { $(`${scale.key}-${level}`).checked = rating[scale.key] === level; });
    }
    $("cannot").setAttribute("aria-pressed", String(rating.cannot));
    $("cannot-said").textContent = rating.cannot ? "Marked. A level takes the mark away." : "";
    const left = open().length;
    $("progress").value = items.length - left;
    $("counts").textContent = `${items.length - left} done, ${left} open`;
    $("previous").disabled = place === 0;
  }

  function focusScale(scale) {
    active = scale;
    const level = of(place)[scale.key];
    // Where nothing is chosen no level stands out, not even by where the focus is.
    $(level === null ? `scale-${scale.key}` : `${scale.key}-${level}`).focus();
    paint();
  }

  function go(index, note) {
    place = Math.max(0, Math.min(items.length - 1, index));
    const item = items[place];
    show("work");
    $("where").textContent = `Description ${place + 1} of ${items.length}`;
    put($("condition"), item.condition);
    put($("script"), item.script);
    put($("description"), item.description);
    $("description").scrollTop = 0;
    say(note || "");
    const rating = of(place);
    focusScale((!rating.cannot && sheet.scales.find((s) => rating[s.key] === null)) || sheet.scales[0]);
  }

  function next() {
    if (place + 1 < items.length) go(place + 1);
    else overview();
  }

  function nextOpen() {
    const left = open();
    if (!left.length) overview();
    else go(left.find((index) => index > place) ?? left[0]);
  }

  function overview() {
    show("end");
    const left = open().length;
    const cannot = items.filter((item) => ratings[item.item_id].cannot).length;
    $("end-head").textContent = left ? "Overview" : "All done";
    $("end-said").textContent =
      `${items.length - left - cannot} rated, ${cannot} cannot be rated, ${left} open. ` +
      (left ? "You can save a file now and go on from it later." : "Save the file and send it to the person who gave you this page. Thank you.");
    $("end-open").hidden = left === 0;
    say("");
    $("grid").replaceChildren(...items.map((_, index) => {
      const rating = of(index);
      const state = rating.cannot ? ["×", "cannot be rated"] : given(rating) ? ["✓", "rated"] : ["○", "open"];
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${index + 1} ${state[0]}`;
      button.setAttribute("aria-label", `${index + 1}: ${state[1]}`);
      button.classList.toggle("open", !given(rating));
      button.addEventListener("click", () => go(index));
      const entry = document.createElement("li");
      entry.append(button);
      return entry;
    }));
    $(left ? "end-head" : "end-save").focus();
  }

  // Rating

  function changed() {
    unsaved = true;
    keep();
    paint();
  }

  function score(scale, level, moveOn) {
    const rating = of(place);
    rating[scale.key] = level;
    rating.cannot = false;
    say("");
    changed();
    const later = sheet.scales[sheet.scales.indexOf(scale) + 1];
    focusScale(moveOn && later ? later : scale);
  }

  function step(by) {
    const level = of(place)[active.key];
    const top = active.levels.length - 1;
    const from = by > 0 ? -1 : top + 1;
    score(active, Math.max(0, Math.min(top, (level ?? from) + by)), false);
  }

  function toggleCannot() {
    const rating = of(place);
    const cannot = !rating.cannot;
    Object.assign(rating, blank(), { cannot });
    say("");
    changed();
  }

  function begin(code, found, note) {
    rater = code;
    ratings = Object.fromEntries(items.map((item) => [item.item_id, found[item.item_id] || blank()]));
    place = -1;
    if (open().length) {
      place = open()[0];
      go(place, note);
    } else {
      place = items.length - 1;
      overview();
      say(note || "");
    }
  }

  function beginWith(code) {
    if (!RATER.test(code)) {
      $("trouble").textContent = "A code begins with a letter and has letters, digits, hyphens and underscores, 32 at most.";
      $("code").focus();
      return;
    }
    const found = kept(code);
    const n = Object.values(found).filter(touched).length;
    unsaved = n > 0;
    begin(code, found, n ? `This browser had kept ${words(n, "rating", "ratings")} of ${code}; you go on from there.` : "");
  }

  async function beginFrom(file) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      const read = fromFile(text);
      const before = kept(read.rater);
      let more = 0;
      for (const [id, rating] of Object.entries(before)) {
        // Given after the file was saved, in a window that was closed.
        if (touched(rating) && !(read.ratings[id] && touched(read.ratings[id]))) { read.ratings[id] = rating; more += 1; }
      }
      const n = Object.values(read.ratings).filter(touched).length - more;
      unsaved = more > 0;
      begin(read.rater, read.ratings, `${words(n, "rating", "ratings")} of ${read.rater} read from the file` + (more ? `, and ${more} more that this browser had kept.` : "."));
      keep();
    } catch (error) {
      const why = error instanceof TypeError ? "It is not UTF-8 text." : error.message;
      $("trouble").textContent = `${file.name} cannot be used. ${why}`;
      $("file").value = "";
    }
  }

  // Keys

  const KEYS = {
    n: next, ArrowRight: next, p: () => go(place - 1), ArrowLeft: () => go(place - 1),
    u: nextOpen, o: overview, x: toggleCannot, s: save, "?": () => $("keys").showModal(),
    i: () => focusScale(sheet.scales[0]), a: () => focusScale(sheet.scales[1]),
    d: () => $("description").focus(), r: () => { $("rules").open = !$("rules").open; },
  };
  const END_KEYS = { s: save, u: nextOpen, p: () => go(place), "?": KEYS["?"] };

  document.addEventListener("keydown", (event) => {
    if (view === "start" || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const single = event.key.length === 1;
    if (single && !$("single").checked) return;
    if (view === "work" && /^[0-9]$/.test(key)) {
      event.preventDefault();
      const top = active.levels.length - 1;
      if (Number(key) > top) say(`${active.name} goes from 0 to ${top}.`);
      else score(active, Number(key), true);
      return;
    }
    if (view === "work" && key === "Enter" && !event.target.closest("button, summary")) {
      event.preventDefault();
      const missing = !of(place).cannot && sheet.scales.find((s) => of(place)[s.key] === null);
      if (!missing) next();
      else { focusScale(missing); say(`${missing.name} is open. n goes on without it; x marks what cannot be rated.`); }
      return;
    }
    if (view === "work" && (key === "ArrowUp" || key === "ArrowDown") && event.target.closest("fieldset")) {
      event.preventDefault();
      step(key === "ArrowDown" ? 1 : -1);
      return;
    }
    const act = (view === "work" ? KEYS : END_KEYS)[key];
    if (act) { event.preventDefault(); act(); }
  });

  const clicks = {
    previous: () => go(place - 1), next, overview, save, help: KEYS["?"], cannot: toggleCannot,
    "end-save": save, "end-open": nextOpen, "end-back": () => go(place), "keys-close": () => $("keys").close(),
  };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
  $("begin").addEventListener("submit", (event) => { event.preventDefault(); beginWith($("code").value.trim()); });
  $("file").addEventListener("change", () => { if ($("file").files.length) beginFrom($("file").files[0]); });
  window.addEventListener("beforeunload", (event) => { if (unsaved) { event.preventDefault(); event.returnValue = true; } });

  const codes = keptCodes();
  if (codes.length) {
    const note = document.createElement("p");
    note.append("Kept by this browser: ", ...codes.map((code) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `go on as ${code}`;
      button.addEventListener("click", () => beginWith(code));
      return button;
    }));
    $("kept").append(note);
  }
  buildScales();
  show("start");
  $("code").focus();
})();
