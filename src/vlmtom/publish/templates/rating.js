"use strict";
(() => {
  const sheet = JSON.parse(document.getElementById("sheet").textContent);
  const items = sheet.items;
  const $ = (id) => document.getElementById(id);
  const RATER = new RegExp(sheet.rater);
  // Of one sheet and one rater: two people at one machine do not meet.
  const STORE = `vlmtom ratings ${sheet.sheet} `;

  let rater = "";
  // item_id: {intent, approp: null or a level, cannot: true or false, at: when it was given, in ms
  // since 1970; null: never}
  let ratings = {};
  let place = 0;
  let view = "start";
  let active = sheet.scales[0];
  let unsaved = false;

  const blank = () => {
    const levels = Object.fromEntries(sheet.scales.map((s) => [s.key, null]));
    return { ...levels, cannot: false, at: null };
  };
  const given = (rating) => rating.cannot || sheet.scales.every((s) => rating[s.key] !== null);
  const touched = (rating) => rating.cannot || sheet.scales.some((s) => rating[s.key] !== null);
  const same = (one, other) =>
    one.cannot === other.cannot && sheet.scales.every((s) => one[s.key] === other[s.key]);
  const of = (index) => ratings[items[index].item_id];
  const open = () => items.map((_, index) => index).filter((index) => !given(of(index)));
  const words = (n, one, many) => `${n} ${n === 1 ? one : many}`;

  // Files

  function csvText(code, all) {
    const lines = [sheet.columns.join(",")];
    for (const item of items) {
      const rating = all[item.item_id] || blank();
      const levels = sheet.scales.map((s) => rating[s.key] ?? "");
      lines.push([sheet.sheet, code, item.item_id, ...levels, rating.cannot ? sheet.cannot : ""].join(","));
    }
    return lines.join("\n") + "\n";
  }

  function download(name, text) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }

  function save() {
    const name = `ratings.${sheet.sheet}.${rater}.csv`;
    download(name, csvText(rater, ratings));
    unsaved = false;
    const left = open().length;
    say(`Saved as ${name}, where this browser puts downloads. ` +
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

  // Another window of this rater may have kept something since: of two the later one stays.
  function keep() {
    for (const [id, rating] of Object.entries(kept(rater))) {
      if (rating.at !== null && rating.at > (ratings[id].at ?? -1)) ratings[id] = rating;
    }
    try { localStorage.setItem(STORE + rater, JSON.stringify(ratings)); } catch { /* the file is what counts */ }
  }

  function kept(code) {
    try {
      const found = JSON.parse(localStorage.getItem(STORE + code)) || {};
      const sound = {};
      for (const item of items) {
        const rating = found[item.item_id];
        const fits = (s) => rating[s.key] === null || (Number.isInteger(rating[s.key]) && rating[s.key] >= 0 && rating[s.key] < s.levels.length);
        if (!rating || !sheet.scales.every(fits)) continue;
        const at = Number.isFinite(rating.at) ? rating.at : null;
        sound[item.item_id] = { ...blank(), ...rating, cannot: rating.cannot === true, at };
      }
      return sound;
    } catch { return {}; }
  }

  // Showing

  function show(name) {
    view = name;
    for (const id of ["start", "differ", "work", "end"]) $(id).hidden = id !== name;
    window.scrollTo(0, 0);
  }

  function say(text) {
    $("said").textContent = view === "work" ? text : "";
    $("end-file").textContent = view === "end" ? text : "";
  }

  // A description is put down as text. What turns its direction or cannot be seen is spelled out:
  // a reader would else be shown other words than stand there. In an emoji what joins its parts
  // stays; a flag that is written in tags does not, for tags can spell anything.
  const EMOJI = String.raw`\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?`;
  const ODD = new RegExp(
    String.raw`(?<emoji>${EMOJI}(?:\u200d${EMOJI})*|[0-9#*]\ufe0f\u20e3)` +
    String.raw`|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`, "gu");

  function put(element, text) {
    const parts = document.createDocumentFragment();
    let from = 0;
    for (const match of text.matchAll(ODD)) {
      if (match.groups.emoji) continue;
      parts.append(text.slice(from, match.index));
      const odd = document.createElement("span");
      odd.className = "odd";
      odd.textContent = "U+" + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
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
    of(place).at = Date.now();
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

  // A file has no times: which of two ratings holds is for the rater to say, and the other is not lost.

  let asked = null; // what was read of a file, and where the browser had kept otherwise

  function beginAsRead() {
    const { rater: code, ratings: found, more, n } = asked;
    for (const rating of Object.values(found)) if (touched(rating)) rating.at ??= Date.now();
    unsaved = more > 0;
    const others = more ? `, and ${more} more that this browser had kept.` : ".";
    begin(code, found, `${words(n, "rating", "ratings")} of ${code} read from the file${others}`);
    keep();
  }

  function told(rating) {
    return rating.cannot ? "cannot be rated" : sheet.scales.map((s) => rating[s.key] ?? "–").join(" / ");
  }

  function ask(file) {
    const { before, differing, ratings: theirs } = asked;
    const when = (ms) => new Date(ms).toLocaleString();
    const n = differing.length;
    $("differ-said").textContent =
      `The file has ${words(n, "rating that differs", "ratings that differ")} from ` +
      `${n === 1 ? "the one" : "those"} kept in this browser. ` +
      `The file was last changed ${when(file.lastModified)}.`;
    $("differ-rows").replaceChildren(...differing.map((id) => {
      const row = document.createElement("tr");
      const ours = before[id];
      const number = items.findIndex((item) => item.item_id === id) + 1;
      const given = ours.at === null ? "" : when(ours.at);
      const cells = [number, told(theirs[id]), told(ours), given];
      row.append(...cells.map((text) => {
        const cell = document.createElement("td");
        cell.textContent = String(text);
        return cell;
      }));
      return row;
    }));
    show("differ");
    $("differ-head").focus();
  }

  function settle(byFile) {
    const { rater: code, ratings: found, before, differing, more, file } = asked;
    const n = differing.length;
    const are = more === 1 ? "is" : "are";
    const others = more ? ` ${more} more that only this browser had kept ${are} there too.` : "";
    let note;
    if (byFile) {
      const name = `ratings.${sheet.sheet}.${code}.browser.csv`;
      download(name, csvText(code, before));
      note = `Took the file's ${words(n, "rating", "ratings")}. What this browser had kept was ` +
        `saved first as ${name}: do not send that one back.${others}`;
    } else {
      for (const id of differing) found[id] = before[id];
      note = `Kept this browser's ${words(n, "rating", "ratings")}; ${file} is as it was, so ` +
        `save a new one.${others}`;
    }
    for (const [id, rating] of Object.entries(found)) {
      // Chosen now, so that it is later than what was kept.
      if (touched(rating) && (rating.at === null || differing.includes(id))) rating.at = Date.now();
    }
    unsaved = !byFile || more > 0;
    begin(code, found, note);
    keep();
  }

  function backToStart() {
    asked = null;
    $("file").value = "";
    show("start");
    $("code").focus();
  }

  async function beginFrom(file) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      const read = fromFile(text);
      const before = kept(read.rater);
      let more = 0;
      const differing = [];
      for (const item of items) {
        const ours = before[item.item_id];
        const theirs = read.ratings[item.item_id] || blank();
        if (!ours || same(ours, theirs)) continue;
        if (!touched(ours) && ours.at === null) continue; // never given
        // Given after the file was saved, in a window that was closed.
        if (!touched(theirs)) { read.ratings[item.item_id] = ours; more += 1; }
        else differing.push(item.item_id);
      }
      const n = Object.values(read.ratings).filter(touched).length - more;
      asked = { ...read, before, differing, more, n, file: file.name };
      if (differing.length) ask(file);
      else beginAsRead();
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
    if (["start", "differ"].includes(view) || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
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
    "differ-browser": () => settle(false), "differ-file": () => settle(true),
    "differ-back": backToStart,
    "end-save": save, "end-open": nextOpen, "end-back": () => go(place), "keys-close": () => $("keys").close(),
  };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
  $("begin").addEventListener("submit", (event) => { event.preventDefault(); beginWith($("code").value.trim()); });
  $("file").addEventListener("change", () => { if ($("file").files.length) beginFrom($("file").files[0]); });
  window.addEventListener("beforeunload", (event) => { if (unsaved) { event.preventDefault(); event.returnValue = true; } });

  buildScales();
  show("start");
  $("code").focus();
})();
