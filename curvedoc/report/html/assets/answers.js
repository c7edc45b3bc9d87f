// The tree lives: an answer re-ranks the causes, and changes the headline and the first action. Without answers the page
// stands as it was written.

// Odds of an answer: "confirmed" is decisive, "ruled-out" its inverse, the id of another cause speaks strongly for that.
const DECISIVE = 20, STRONG = 6;
const checked = section => $$('.forks', section).filter(f => $(':checked', f));
const lower = t => (/^.[^\s]*[A-Z0-9]/.test(t) ? t : t[0].toLowerCase() + t.slice(1));
const percent = p => (p < 0.005 ? '< 1 %' : p >= 0.995 ? '> 99 %' : `${Math.floor(p * 100 + 0.5)} %`);
const likely = p => (p >= 0.695 ? 'very likely' : p >= 0.495 ? 'likely' : p >= 0.095 ? 'possible' : 'unlikely');

// The causes of a run by what was answered since, likeliest first; those of the first trouble share 100 % with none of them.
function reranked(run, answers) {
  const odds = new Map(run.causes.map(c => [c.id, 1]));
  const speak = (id, times) => odds.has(id) && odds.set(id, odds.get(id) * times);
  for (const f of answers) {
    const to = f.dataset[$(':checked', f).value], own = f.dataset.cause;
    if (to === 'confirmed') speak(own, DECISIVE);
    else if (to === 'ruled-out') speak(own, 1 / DECISIVE);
    else { speak(own, 1 / STRONG); speak(to, STRONG); }
  }
  const own = run.causes.filter(c => !c.beside).map(c => ({ ...c, p: c.p * odds.get(c.id) }));
  const none = Math.max(run.none ?? 0, 0.001), total = own.reduce((sum, c) => sum + c.p, none);
  const others = run.causes.filter(c => c.beside).map(c => {
    const o = c.p / Math.max(1 - c.p, 0.001) * odds.get(c.id);
    return { ...c, p: o / (1 + o) };
  });
  const by = (a, b) => b.p - a.p;
  return { causes: [...own.map(c => ({ ...c, p: c.p / total })).sort(by), ...others.sort(by)], none: none / total };
}

// The sentence of a run after its answers: what happened, and the cause as it stands now.
function concluded(run, { causes: [first], none }) {
  if (first.p <= none) return `${run.story} After your checks: probably none of the causes listed.`;
  return `${run.story} After your checks: ${lower(first.title)} (${percent(first.p)}).`;
}

const plain = (el, text) => { if (el) { el.dataset.was ??= el.textContent; el.textContent = text ?? el.dataset.was; } };
const ranked = new Map();
function answer(id) {
  const run = RUNS[id], section = document.getElementById(id), answers = checked(section);
  if (!run.causes?.length) return;
  const now = answers.length ? reranked(run, answers) : { causes: run.causes, none: run.none };
  ranked.set(id, answers.length ? now : null);
  const items = new Map($$('li.cause', section).map(li => [li.dataset.cause, li]));
  const lists = $$('ol.causes', section), room = lists.map(l => l.children.length);
  now.causes.filter(c => items.has(c.id)).forEach((c, i) => {
    const li = items.get(c.id);
    lists[i < room[0] ? 0 : lists.length - 1].append(li);
    $('h3', li).textContent = `${i + 1}. ${c.title}`;
    $('.m1', li).setAttribute('width', Math.max(4, Math.round(150 * c.p)));
    plain($('.prob span', li), answers.length ? `${likely(c.p)[0].toUpperCase()}${likely(c.p).slice(1)}, ${percent(c.p)} after your checks` : null);
    li.classList.toggle('top', i === 0);
  });
  plain($('.none .num', section), answers.length ? percent(now.none) : null);
  const single = Object.keys(RUNS).length === 1;
  plain(single ? $('h1') : $('.runlede', section), answers.length ? concluded(run, now) : null);
  if (!single || !$('.dothis .ask')) return;
  const first = now.causes[0], moved = answers.length && (first.id !== run.causes[0].id || first.p <= now.none);
  plain($('.dothis .ask'), moved ? (first.p <= now.none ? 'Answer another check below, or log what was missing: the causes known here do not explain it.' : first.action || `Test this next: ${lower(first.title)}.`) : null);
  $$('.dothis p:not(.ask), .dothis .cmd, .dothis details').forEach(el => { el.hidden = !!moved; });
}
// What was found out since goes into the Markdown, with what follows from it.
function since(id) {
  const asked = checked(document.getElementById(id)).map(f => `- ${f.dataset.ask} checked: **${$(':checked', f).value}**`);
  const now = ranked.get(id);
  return asked.length ? `\nChecked since:\n\n${asked.join('\n')}\n${now ? `\n${concluded(RUNS[id], now)}\n` : ''}` : '';
}
