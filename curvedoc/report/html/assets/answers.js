// The tree lives: an answer re-ranks the causes, and changes the headline, the tile, the first action, the next check and
// the Markdown. Without answers the page stands as it was written.

// Odds of an answer: "confirmed" is decisive, the id of another cause speaks as much for that and against this one, and
// what is ruled out is out: nothing else that is known brings it back.
const DECISIVE = 20, OUT = 1e-5, UNLISTED = 0.005;
const COSTS = ['look', 'code', 'short-run', 'full-run'];
const checked = section => $$('.forks', section).filter(f => $(':checked', f));
const lower = t => (/^.[^\s]*[A-Z0-9]/.test(t) ? t : t[0].toLowerCase() + t.slice(1));
const percent = p => (p < 0.005 ? '< 1 %' : p >= 0.995 ? '> 99 %' : `${Math.floor(p * 100 + 0.5)} %`);
const likely = p => (p >= 0.695 ? 'very likely' : p >= 0.495 ? 'likely' : p >= 0.095 ? 'possible' : 'unlikely');

// The causes of a run by what was answered since, likeliest first; those of the first trouble share 100 % with none of
// them. A cause that an answer leads to and that the run did not list is listed then.
function reranked(run, answers) {
  const odds = new Map(run.causes.map(c => [c.id, 1])), more = [];
  const speak = (id, times, title) => {
    if (!odds.has(id)) {
      if (!title) return;
      more.push({ id, title, p: UNLISTED, beside: false, action: '' });
    }
    odds.set(id, (odds.get(id) ?? 1) * times);
  };
  for (const f of answers) {
    const word = $(':checked', f).value, to = f.dataset[word], own = f.dataset.cause;
    if (to === 'confirmed') speak(own, DECISIVE);
    else if (to === 'ruled-out') speak(own, OUT);
    else if (to) { speak(own, 1 / DECISIVE); speak(to, DECISIVE, f.dataset[`${word}To`]); }
  }
  const own = [...run.causes.filter(c => !c.beside), ...more].map(c => ({ ...c, p: c.p * odds.get(c.id) }));
  const none = Math.max(run.none ?? 0, 0.001), total = own.reduce((sum, c) => sum + c.p, none);
  const others = run.causes.filter(c => c.beside).map(c => {
    const o = c.p / Math.max(1 - c.p, 0.001) * odds.get(c.id);
    return { ...c, p: o / (1 + o) };
  });
  const by = (a, b) => b.p - a.p;
  const causes = [...own.map(c => ({ ...c, p: c.p / total })).sort(by), ...others.sort(by)];
  return { causes, none: none / total, first: causes[0].p > none / total ? causes[0] : null };
}

// The sentence of a run after its answers: what happened, and the cause as it stands now.
function concluded(run, { first }) {
  if (!first) return `${run.story} After your checks: probably none of the causes listed.`;
  return `${run.story} After your checks: ${lower(first.title)} (${percent(first.p)}).`;
}
// What to do first after the answers; null where that is what the page says already.
function advised(run, { first }) {
  if (!first) return 'Answer another check, or log what was missing: the causes known here do not explain it.';
  return first.id === run.causes[0].id ? null : first.action || `Test this next: ${lower(first.title)}.`;
}

const plain = (el, text) => { if (el) { el.dataset.was ??= el.textContent; el.textContent = text ?? el.dataset.was; } };
const ranked = new Map(), order = new Map();
// The next check is the cheapest one of the likeliest cause that nobody has answered yet.
function advance(section, now) {
  const open = $$('.node:is(.next, .later, .blocked)', section).filter(n => $('.forks', n));
  if (!open.length) return;
  if (!order.has(section.id)) order.set(section.id, open.map(n => [n, n.className, n.parentElement, n.nextElementSibling]));
  for (const [n, name, list, after] of [...order.get(section.id)].reverse()) { n.className = name; list.insertBefore(n, after); }
  if (!now) return;
  const was = open.find(n => n.matches('.next')), left = open.filter(n => !$('.forks :checked', n));
  const rank = n => now.causes.findIndex(c => c.id === $('.forks', n).dataset.cause) * 9 + COSTS.indexOf($('.forks', n).dataset.cost);
  const next = left.filter(n => rank(n) >= 0).sort((a, b) => rank(a) - rank(b))[0];
  if (next === was) return;
  const name = n => n.className.replace(/\b(next|later|blocked|appx)\b */g, '').trim();
  if (was) was.className = `${name(was)} ${$(':checked', was) ? 'done' : 'later'}`;
  if (!next) return;
  next.className = `${name(next)} next`;
  if (was) was.after(next);
}
function answer(id) {
  const run = RUNS[id], section = document.getElementById(id), answers = checked(section);
  if (!run.causes?.length) return;
  const now = answers.length ? reranked(run, answers) : null;
  ranked.set(id, now);
  const items = new Map($$('li.cause', section).map(li => [li.dataset.cause, li]));
  const lists = $$('ol.causes', section), room = lists.map(l => l.children.length);
  (now ?? run).causes.filter(c => items.has(c.id)).forEach((c, i) => {
    const li = items.get(c.id);
    lists[i < room[0] ? 0 : lists.length - 1].append(li);
    $('h3', li).textContent = `${i + 1}. ${c.title}`;
    $('.m1', li).setAttribute('width', Math.max(4, Math.round(150 * c.p)));
    const word = likely(c.p);
    plain($('.prob span', li), now ? `${word[0].toUpperCase()}${word.slice(1)}, ${percent(c.p)} after your checks` : null);
    li.classList.toggle('top', i === 0 && (!now || now.first === c));
  });
  plain($('.none .num', section), now ? percent(now.none) : null);
  advance(section, now);
  const single = Object.keys(RUNS).length === 1;
  plain(single ? $('h1') : $('.runlede', section), now ? concluded(run, now) : null);
  plain($(`#at-${id} .c-ca .two`), now ? (now.first ? now.first.title : 'None of the causes listed') : null);
  const box = $('.dothis');
  if (box?.dataset.of !== id) return;
  const tile = $('[data-tile=cause]');
  if (tile) {
    plain($('.fig', tile), now ? percent(now.first ? now.first.p : now.none) : null);
    plain($('small', tile), now ? 'after your checks' : null);
    plain($('.which', tile), now ? (now.first ? now.first.title : 'None of the causes listed') : null);
  }
  const other = now && advised(run, now);
  plain($('.ask', box), other);
  $$('p:not(.ask), .cmd, details', box).forEach(el => { el.hidden = !!other; });
}
// What was found out since stands first in the Markdown; what the log alone says comes after it.
function since(id) {
  const now = ranked.get(id), md = RUNS[id].md;
  if (!now) return md;
  const asked = checked(document.getElementById(id)).map(f => `- ${f.dataset.ask} checked: **${$(':checked', f).value}**`);
  const causes = now.causes.filter(c => c.p >= 0.095).map(c => `- ${c.title}: ${percent(c.p)}`);
  const [title, ...rest] = md.split('\n'), next = advised(RUNS[id], now);
  return [title, '', concluded(RUNS[id], now), ...(next ? ['', `**Do this first**: ${next}`] : []), '', 'Checked since:', '', ...asked,
    '', 'Causes after that:', '', ...causes, `- None of them: ${percent(now.none)}`, '', 'What the log alone says:', ...rest].join('\n');
}
