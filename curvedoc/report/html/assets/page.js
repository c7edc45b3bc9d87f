// The page around the curves: theme, choice of run, filter and sort, deep links, answers, Markdown.
// The page is complete without this script; it only adds to what stands there.

const $ = (s, r = document) => r.querySelector(s), $$ = (s, r = document) => [...r.querySelectorAll(s)];
const root = document.documentElement;

// Every markup sink is closed: a string becomes markup only where it is empty (vega-embed clears its container that way).
if (window.trustedTypes?.createPolicy) {
  trustedTypes.createPolicy('default', { createHTML: s => (s === '' ? '' : null), createScript: () => null, createScriptURL: () => null });
}
document.addEventListener('securitypolicyviolation', e => { root.dataset.blocked = e.violatedDirective; });
root.classList.add('js');

const { runs: RUNS, templates: TEMPLATES } = JSON.parse($('#data').textContent);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const scrollTo = el => el?.scrollIntoView({ behavior: calm.matches ? 'auto' : 'smooth', block: 'start' });
const whole = v => Math.round(v).toLocaleString('en');
const AXIS = r => r.axis[0].toUpperCase() + r.axis.slice(1);
const number = v => {
  if (v == null) return 'NaN';
  const a = Math.abs(v);
  return v === 0 ? '0' : a >= 1e6 || a < 1e-3 ? v.toExponential(1) : a >= 1000 ? whole(v) : v.toPrecision(3);
};
const nearest = (xs, x) => {
  let lo = 0, hi = xs.length - 1;
  while (lo < hi) { const m = (lo + hi) >> 1; if (xs[m] < x) lo = m + 1; else hi = m; }
  return lo > 0 && x - xs[lo - 1] < xs[lo] - x ? lo - 1 : lo;
};
// Storage throws in a sandboxed frame.
const store = {
  get: k => { try { return localStorage.getItem(k); } catch { return null; } },
  set: (k, v) => { try { localStorage.setItem(k, v); } catch { /* kept for this visit only */ } },
};

const themes = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' };
let theme = store.get('curvedoc.theme');
const setTheme = t => {
  theme = themes[t] ? t : 'auto';
  if (theme === 'auto') root.removeAttribute('data-theme'); else root.dataset.theme = theme;
  $('#theme').textContent = themes[theme];
  $('#theme').setAttribute('aria-label', themes[theme] + ' color theme');
  store.set('curvedoc.theme', theme);
};
$('#theme').onclick = () => { const all = Object.keys(themes); setTheme(all[(all.indexOf(theme) + 1) % all.length]); };
setTheme(theme);

let toastTimer;
function toast(text) {
  const t = $('#toast');
  t.textContent = text; t.classList.add('on');
  clearTimeout(toastTimer); toastTimer = setTimeout(() => t.classList.remove('on'), 1600);
}
async function copy(text, said = 'Copied') {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = document.createElement('textarea');
    area.value = text; document.body.append(area); area.select(); document.execCommand('copy'); area.remove();
  }
  toast(said);
}

// Runs are drawn when they are chosen: at once where near the window, else after the rest of the page.
const stacks = {};
let current = null;
const near = new IntersectionObserver(entries => { for (const e of entries) if (e.isIntersecting) start(e.target); }, { rootMargin: '600px' });
function start(curves) {
  const s = stacks[curves.dataset.run];
  near.unobserve(curves);
  if (s.begun) return;
  s.begun = true;
  s.draw().then(() => { if (s.zoomed) s.update(); root.dataset.drawn = Number(root.dataset.drawn ?? 0) + 1; });
}

// What is chosen, filtered and sorted is in the address, so that a link shows the same.
let moved = false;
const listed = { f: 'all', g: '', q: '', s: '' };
function remember() {
  const s = stacks[current], p = new URLSearchParams();
  if (current && moved) p.set('run', RUNS[current].n);
  if (s?.zoomed) { p.set('run', RUNS[current].n); p.set('x', s.xd.join('-')); }
  for (const [k, v] of Object.entries(listed)) if (v && v !== 'all') p.set(k, v);
  try { history.replaceState(null, '', '#' + p); } catch { /* a sandboxed frame has no history */ }
}
// A section is made when its run is opened.
function section(id) {
  const kept = $(`template[data-section="${id}"]`);
  if (kept) { kept.before(kept.content.cloneNode(true)); kept.remove(); prepare(document.getElementById(id)); }
  return document.getElementById(id);
}
function show(id, jump) {
  if (!RUNS[id]) return;
  const made = section(id);
  if (!made) return;
  current = id;
  $$('.run').forEach(r => r.classList.toggle('on', r.id === id));
  $$('.runs tbody tr').forEach(t => t.setAttribute('aria-selected', t.dataset.run === id));
  const curves = $('.curves', made);
  if (curves && !stacks[id]) {
    stacks[id] = new Stack(curves, RUNS[id], RUNS[id].n);
    near.observe(curves);
    setTimeout(() => start(curves), 500); // a tab in the background is never scrolled to, but may be printed
  } else if (stacks[id]?.live) stacks[id].update();
  if (jump) { moved = true; scrollTo(made); remember(); }
}
const zoomTo = text => {
  const [a, b] = text.split('-').map(Number);
  if (Number.isFinite(a) && Number.isFinite(b)) stacks[current]?.zoom([a, b]);
};

document.addEventListener('click', e => {
  const filtered = e.target.closest('[data-g]');
  if (filtered) {
    set({ g: listed.g === filtered.dataset.g ? '' : filtered.dataset.g, f: 'all', q: '' });
    if (listed.g) scrollTo($('#runs'));
    return;
  }
  const go = e.target.closest('[data-run]:is(tr, .group a)');
  if (go?.dataset.run) { e.preventDefault(); show(go.dataset.run, true); return; }
  const zoom = e.target.closest('[data-zoom]');
  if (zoom) {
    scrollTo($('.run.on .curves'));
    zoomTo(zoom.dataset.zoom);
    stacks[current]?.point(zoom.dataset.spot.split('-').map(Number));
    return;
  }
  const stepped = e.target.closest('[data-step]');
  if (stepped) { scrollTo($('.run.on .curves')); stacks[current]?.around(Number(stepped.dataset.step)); return; }
  const text = e.target.closest('[data-copy]');
  if (text) copy($('code', text.parentElement).textContent);
});

// Table of runs: filter, search, sort.
const lines = $$('.runs tbody tr');
// What does not fit its cell is read on it.
$$('.runs .two, .runs .name bdi').forEach(e => { e.title = e.textContent; });
// A long table shows its worst runs; the button, a search or a filter shows all.
const SHORT = 15, LONG = 20;
let short = lines.length > LONG;
if (short) {
  const more = document.createElement('button');
  more.type = 'button'; more.className = 'btn more'; more.textContent = `Show all ${lines.length} runs`;
  more.onclick = () => { short = false; $('table.runs').classList.remove('short'); more.remove(); lines[SHORT].querySelector('a')?.focus(); };
  $('table.runs').after(more);
  $('table.runs').classList.add('short');
}
function filter() {
  const words = listed.q.trim().toLowerCase(), group = /^group ([a-z]+)$/.exec(words)?.[1].toUpperCase();
  let n = 0;
  for (const t of lines) {
    const kept = (listed.f === 'all' || t.dataset.state === listed.f) && (!listed.g || t.dataset.group === listed.g);
    t.hidden = !(kept && (group ? t.dataset.group === group : t.textContent.toLowerCase().includes(words)));
    n += !t.hidden;
  }
  const some = short && !words && listed.f === 'all' && !listed.g;
  $('table.runs').classList.toggle('short', some);
  if ($('.btn.more')) $('.btn.more').hidden = !some;
  $('#count').textContent = `${some ? SHORT : n} shown`;
  $$('.filters .btn').forEach(b => b.setAttribute('aria-pressed', b.dataset.f === listed.f && !listed.g));
  $$('.group').forEach(g => g.classList.toggle('on', g.dataset.name === listed.g));
  $$('[data-g]').forEach(b => b.setAttribute('aria-pressed', b.dataset.g === listed.g));
  if ($('#find').value !== listed.q) $('#find').value = listed.q;
}
// What has no value stays last both ways, and equal rows keep the order of the verdict.
function sort() {
  const [column, way] = listed.s.split('-'), up = way !== 'down', i = Number(column);
  $$('.runs th').forEach((th, j) => { if (listed.s && i === j) th.setAttribute('aria-sort', up ? 'ascending' : 'descending'); else th.removeAttribute('aria-sort'); });
  const key = t => { const s = t.children[i].dataset.v ?? t.children[i].textContent.trim(); return s === '' || Number.isNaN(Number(s)) ? s : Number(s); };
  const order = (x, y) => (x === '' || y === '' ? (x === '') - (y === '') : (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1));
  $('.runs tbody').append(...(listed.s ? [...lines].sort((a, b) => order(key(a), key(b))) : lines));
}
function set(change) {
  Object.assign(listed, change);
  if (!$('#find')) return;
  filter();
  if ('s' in change) sort();
  remember();
}
if ($('#find')) {
  $('#find').oninput = () => set({ q: $('#find').value });
  $$('.filters .btn').forEach(b => { b.onclick = () => set({ f: b.dataset.f, g: '' }); });
}
$$('.runs th button').forEach(b => {
  b.onclick = () => {
    const th = b.parentElement, i = [...th.parentElement.children].indexOf(th), now = th.getAttribute('aria-sort');
    // what was lost is looked at from the top
    const down = now ? now === 'ascending' : b.dataset.first === 'down';
    set({ s: `${i}-${down ? 'down' : 'up'}` });
  };
});

// A run that has no section is shown in the table, and it is said: another run opened in its place would mislead.
function seek(name) {
  const row = name && lines.find(t => $('.name', t).textContent.trim() === name), box = $('#sought');
  lines.forEach(t => t.classList.toggle('sought', t === row));
  if (box) box.hidden = !name;
  if (!name) return;
  const said = row ? `${name} has no section in this page: its row is marked. Run curvedoc analyze on its directory for the rest.` : `This page has no run called ${name}.`;
  if (!box) { toast(said); return; }
  box.textContent = said;
  if (row) set({ f: 'all', g: '', q: name });
  scrollTo(box);
}

// #run=NAME&x=6200-7700 restores run and zoom, f, g, q and s what the table shows; #r3 is the address of a section.
function follow() {
  // A paragraph of the reference changes nothing of what the page shows above it.
  const ref = location.hash.startsWith('#ref-') && document.getElementById(location.hash.slice(1));
  if (ref) { ref.parentElement.open = true; ref.parentElement.scrollIntoView(); if (current) return; }
  const plain = location.hash.slice(1).replace(/^at-/, ''), p = new URLSearchParams(plain);
  const named = Object.keys(RUNS).find(id => RUNS[id].n === p.get('run'));
  moved = Boolean(RUNS[plain] || named);
  const wanted = Object.fromEntries(Object.keys(listed).map(k => [k, p.get(k) ?? (k === 'f' ? 'all' : '')]));
  if (!/^\d-(up|down)$/.test(wanted.s)) wanted.s = '';
  const sorted = wanted.s !== listed.s;
  Object.assign(listed, wanted);
  if ($('#find')) { filter(); if (sorted) sort(); }
  show(RUNS[plain] ? plain : named ?? current ?? $('.run')?.id);
  seek(named ? '' : p.get('run') ?? '');
  if (p.get('x')) zoomTo(p.get('x'));
}

const read = new IntersectionObserver(entries => {
  for (const e of entries) {
    if (!e.isIntersecting) continue;
    $$('.bar nav a').forEach(a => { if (a.dataset.to === e.target.dataset.nav) a.setAttribute('aria-current', 'true'); else a.removeAttribute('aria-current'); });
  }
}, { rootMargin: '-30% 0px -60% 0px' });
// Answers to the checks stay with this report, and the section that is being read is marked in the bar.
function prepare(part) {
  $$('.forks input', part).forEach(i => {
    const k = `curvedoc.${document.body.dataset.report}.${i.name}`;
    if (store.get(k) === i.value) i.checked = true;
    i.onchange = () => { store.set(k, i.value); answer(i.closest('.run').id); };
    // A second click takes an answer back: a radio button alone cannot.
    i.onclick = () => {
      if (i.dataset.held) { i.checked = false; store.set(k, ''); answer(i.closest('.run').id); }
      $$('input', i.closest('.forks')).forEach(o => { if (o.checked) o.dataset.held = '1'; else delete o.dataset.held; });
    };
    if (i.checked) i.dataset.held = '1';
  });
  const runs = part === document ? $$('.run') : [part];
  runs.filter(r => checked(r).length).forEach(r => answer(r.id));
  $$('[data-nav]', part).forEach(s => read.observe(s));
}
$('#md').onclick = () => { if (current) copy(since(current), 'Markdown of this run copied'); };
// On paper a run takes two pages; the rest is an appendix.
const onPaper = all => { if (all) root.dataset.print = 'all'; else delete root.dataset.print; print(); };
$('#print').onclick = () => onPaper(false);
$('#printall').onclick = () => onPaper(true);
addEventListener('beforeprint', () => $$('details').forEach(d => { d.dataset.was = d.open ? '1' : ''; d.open = true; }));
addEventListener('afterprint', () => $$('details').forEach(d => { d.open = !!d.dataset.was; }));

$$('.bar nav a').forEach(a => {
  a.onclick = e => { e.preventDefault(); scrollTo($(`.run.on [data-nav=${a.dataset.to}]`) ?? $(`[data-nav=${a.dataset.to}]`)); };
});

prepare(document);
follow();
addEventListener('hashchange', follow);
