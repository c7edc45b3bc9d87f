// Linked curve panels of one run: lazy drawing, drag-zoom, cross-hair, keyboard, markers, PNG.
// Data comes as columns; names from logs reach the page as text nodes only.

const LEFT = 46, RIGHT = 14, BADGE = 25, EDGE = 11, CHAR = 6.4, HEAD = 30, TEXT = 16, STEPS = 110, LINE = 15;
const palette = k => `var(--b-${k})`;

// Where axes are labeled, and how: as charts/ticks.py does it.
const times = (factor, exponent) => Number(`${factor}e${exponent}`);
const range = (a, b) => Array.from({ length: Math.max(0, b - a + 1) }, (_, i) => a + i);
function linear(low, high, most, integer = false) {
  const span = high - low;
  if (!(span > 0 && Number.isFinite(span))) return Number.isFinite(low) ? [low] : [];
  const rough = span / Math.max(1, most);
  if (rough < 1e-290) return [low];
  const power = Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].find(m => m * 10 ** power >= 0.7 * rough), exponent = power;
  if (step === 10) { step = 1; exponent += 1; }
  if (integer && exponent < 0) { step = 1; exponent = 0; }
  const unit = step * 10 ** exponent, first = Math.ceil(low / unit - 1e-9), last = Math.floor(high / unit + 1e-9);
  return range(first, Math.min(last, first + 60)).map(i => times(i * step, exponent));
}
function logarithmic(low, high, pixels) {
  if (!(low > 0 && low < high && high < Infinity)) return low > 0 && low < Infinity ? [low] : [];
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const decade = pixels / (Math.log10(high) - Math.log10(low)), every = Math.max(1, Math.ceil(LINE * 1.6 / decade));
  const decades = range(first, last).filter(e => e % every === 0).map(e => times(1, e));
  if (every > 1 || decade * Math.log10(2) < LINE * 0.8) return decades.length ? decades : linear(low, high, 3);
  const between = range(first - 1, last).flatMap(e => [1, 2, 5].map(m => [m * 10 ** e, times(m, e)])).filter(([v]) => low <= v && v <= high).map(p => p[1]);
  const chosen = new Set([...decades, ...between]);
  const all = chosen.size >= 3 ? chosen : new Set([...decades, ...linear(low, high, Math.max(3, Math.floor(pixels / 45)))]);
  return [...all].sort((a, b) => a - b);
}
const trim = text => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
function labels(values) {
  const sizes = values.map(Math.abs).filter(v => v), tiny = sizes.some(v => v < 1e-3), huge = sizes.some(v => v >= 1e5);
  return values.map(v => {
    const a = Math.abs(v);
    if (a && ((tiny && a < 1) || (huge && a >= 1000))) { const [d, p] = v.toExponential(3).split('e'); return `${trim(d)}e${Number(p)}`; }
    return a < 1000 ? String(Number(v.toPrecision(10))) : v.toLocaleString('en', { maximumFractionDigits: v === Math.round(v) ? 0 : 1 });
  });
}
function stepLabels(values, axis) {
  let made = values.map(v => whole(v));
  const top = Math.max(0, ...values.map(Math.abs)), unit = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M']].find(u => top >= 2 * u[0]);
  if (unit) {
    const short = values.map(v => (v ? Number((v / unit[0]).toPrecision(4)) + unit[1] : '0'));
    if (new Set(short).size === new Set(made).size) made = short;
  }
  return made.map((text, i) => (i ? text : `${axis} ${text}`));
}
const opacity = s => (s < 0 ? 1 : s === 0 ? 0.04 : 0.08 + 0.92 * s / 12);

class Stack {
  constructor(el, run, name) {
    this.el = el; this.r = run; this.name = name;
    this.xd = [...run.view]; this.log = run.panels.map(p => p.log); this.full = false; this.ref = el.classList.contains('withref'); this.views = [];
    this.plots = $$('.plot', el); this.stack = $('.stack', el);
    this.hair = $('.xh', el); this.hairLabel = $('.xlab', el); this.brush = $('.brush', el); this.shade = $('.spot', el); this.flags = $('.flags', el);
    this.bind();
  }

  get zoomed() { return this.xd[0] > this.r.x[0] || this.xd[1] < this.r.x[1]; }

  // Whether the window lies inside a stretch of which every logged value is drawn.
  every(line) { return line.every?.some(([a, b]) => this.xd[0] >= a && this.xd[1] <= b); }

  // The visible values, without those that a blow-up takes out of every readable scale unless all are asked for.
  yDomain(i, head = 0) {
    const p = this.r.panels[i], [a, b] = this.xd, log = this.log[i];
    let lo = Infinity, hi = -Infinity;
    const see = v => { if (v != null && (!log || v > 0)) { if (v < lo) lo = v; if (v > hi) hi = v; } };
    for (const c of p.lines) {
      for (let j = 0; j < c.x.length; j++) {
        const inside = c.x[j] >= a && c.x[j] <= b, last = j + 1 === c.x.length || c.x[j + 1] > a;
        if (!inside && !(c.x[j] < a && last)) continue;
        see(c.v[j]);
        if (c.lo) { see(c.lo[j]); see(c.hi[j]); }
      }
    }
    for (const row of this.refRows(i)) if (row.x >= a && row.x <= b) see(row.v);
    if (!this.zoomed) p.levels.forEach(l => see(l.v));
    if (lo === Infinity) return log ? [1, 10] : [0, 1];
    if (p.clip && !this.full && p.clip[0] < hi && p.clip[1] > lo) { lo = Math.max(lo, p.clip[0]); hi = Math.min(hi, p.clip[1]); }
    const share = Math.min(0.6, head / p.h);
    if (log) {
      lo = Math.max(lo * 0.94, 1e-300); hi = Math.max(hi * 1.12, 1e-299);
      return [lo, Math.min(hi * (hi / lo) ** (share / (1 - share)), 1e300)];
    }
    if (p.k === 'lr') { lo = Math.min(0, lo); hi = hi > 0 ? hi * 1.08 : 1; } else {
      const pad = (hi - lo) * (p.levels.length ? 0.16 : 0.06) || Math.abs(hi) * 0.1 || 1;
      lo = lo >= 0 ? Math.max(0, lo - pad) : lo - pad; hi += pad;
    }
    return [lo, hi + (hi - lo) * share / (1 - share)];
  }

  // The visible rows and one on each side, so that a line enters and leaves the window.
  rows(i, floor) {
    const [a, b] = this.xd, out = { env: [], lines: [], dots: [] };
    const up = v => v == null || floor == null || v > floor ? v : floor;
    this.r.panels[i].lines.map((line, k) => [line, k]).reverse().forEach(([c, k]) => {
      const n = c.x.length;
      let from = 0, to = n - 1;
      while (from + 1 < n && c.x[from + 1] < a) from++;
      while (to > 0 && c.x[to - 1] > b) to--;
      const dots = c.dots || to - from < 60;
      for (let j = from; j <= to; j++) {
        const row = { x: c.x[j], v: up(c.v[j]), k, c: c.c };
        out.lines.push(row);
        // A value between two that are not finite has no line to stand on.
        if (dots || (c.v[j - 1] == null && c.v[j + 1] == null)) out.dots.push(row);
        if (k === 0 && c.lo) out.env.push({ x: c.x[j], lo: up(c.lo[j]), hi: up(c.hi[j]), c: c.c });
      }
    });
    return out;
  }

  get scale() { return (this.el.clientWidth - 16 - LEFT - RIGHT) / (this.xd[1] - this.xd[0]); }

  bands() {
    return this.r.bands.map(b => {
      const a = Math.max(b.a, this.xd[0]), z = Math.min(b.b, this.xd[1]);
      return { a: b.a, b: b.b, m: (a + z) / 2, l: (z - a) * this.scale > b.l.length * CHAR + 12 ? b.l : '', c: palette(b.k) };
    });
  }

  badges() {
    // Apart from each other, and none over the edge: it would make its panel narrower than the others.
    const seen = this.r.marks.filter(m => m.x >= this.xd[0] && m.x <= this.xd[1]), at = [];
    seen.forEach((m, i) => { at[i] = Math.max((m.x - this.xd[0]) * this.scale, i ? at[i - 1] + BADGE : EDGE); });
    const width = (this.xd[1] - this.xd[0]) * this.scale;
    for (let i = at.length - 1; i >= 0; i--) at[i] = Math.min(at[i], i + 1 < at.length ? at[i + 1] - BADGE : width - EDGE);
    return seen.map((m, i) => ({ ...m, bx: this.xd[0] + at[i] / this.scale }));
  }

  refRows(i) {
    const other = this.ref && RUNS[this.r.ref], same = other && other.panels.find(p => p.k === this.r.panels[i].k);
    return same ? same.lines[0].x.map((x, j) => ({ x, v: same.lines[0].v[j] })) : [];
  }

  cells(p) {
    const { a, b, r, s } = p.cells ?? { a: [] };
    return a.map((x, j) => ({ a: x, b: b[j], r: r[j], q: r[j] + 1, c: s[j] < 0 ? 'var(--fail)' : 'var(--s-gn)', o: opacity(s[j]) }));
  }

  // Domains and labels of a panel, and what is drawn on it.
  data(i) {
    const p = this.r.panels[i], bands = this.bands(), first = i === 0, per = this.r.per;
    const labeled = first ? bands.filter(b => b.l) : [], badges = first ? this.badges() : [], top = badges.length ? HEAD : 0;
    const xt = linear(this.xd[0] / per, this.xd[1] / per, Math.max(2, Math.floor((this.xd[1] - this.xd[0]) * this.scale / STEPS)), true);
    const signals = { xd: this.xd, xt: xt.map(v => v * per), xl: stepLabels(xt, this.r.unit), top };
    if (p.cells) {
      const n = p.cells.names.length, yt = linear(1, n, Math.max(2, Math.floor(p.h / LINE / 1.6)), true);
      Object.assign(signals, { yd: [n, 0], yt: yt.map(v => v - 0.5), yl: yt.map(String) });
    } else {
      const yd = this.yDomain(i, top + (labeled.length ? TEXT : 0)), yt = this.log[i] ? logarithmic(...yd, p.h) : linear(...yd, Math.max(3, Math.floor(p.h / 30)));
      Object.assign(signals, { yd, yt, yl: labels(yt) });
    }
    return {
      signals,
      sets: {
        ...this.rows(i, this.log[i] ? signals.yd[0] : null),
        bands, cells: this.cells(p), ref: this.refRows(i), rules: this.r.marks.map(m => ({ x: m.x })),
        levels: p.levels, badges: badges.map(m => ({ bx: m.bx, x: m.x, n: m.n, c: m.f ? 'var(--fail)' : 'var(--ink)' })),
        labels: labeled,
      },
    };
  }

  spec(i) {
    const p = this.r.panels[i], last = i === this.r.panels.length - 1, { signals, sets } = this.data(i);
    const spec = structuredClone(TEMPLATES[(this.log[i] ? 'log' : 'lin') + (last ? '_x' : '')]);
    spec.width = 'container'; spec.height = p.h; spec.datasets = sets;
    for (const param of spec.params) param.value = signals[param.name];
    return spec;
  }

  async draw(only) {
    for (let i = 0; i < this.plots.length; i++) {
      if (only != null && i !== only) continue;
      this.views[i]?.finalize();
      const made = await vegaEmbed(this.plots[i], this.spec(i), {
        actions: false, ast: true, renderer: 'svg', defaultStyle: false, hover: false, tooltip: { disableDefaultStyle: true },
      });
      this.views[i] = made.view;
      const svg = $('svg', this.plots[i]);
      svg.setAttribute('role', 'img'); svg.setAttribute('aria-label', this.plots[i].dataset.alt);
    }
    this.el.classList.add('live'); this.live = true; this.place();
  }

  async update() {
    await Promise.all(this.views.map((v, i) => {
      const { signals, sets } = this.data(i);
      for (const name in sets) v.data(name, sets[name]);
      for (const name in signals) v.signal(name, signals[name]);
      return v.runAsync();
    }));
    this.place();
    $('[data-act=reset]', this.el).disabled = !this.zoomed;
    const where = $('.where', this.el), raw = this.every(this.r.panels[0].lines[0]);
    where.textContent = this.zoomed ? `${AXIS(this.r)}s ${whole(this.xd[0])} to ${whole(this.xd[1])}${raw ? ', every value' : ''}` : where.dataset.whole;
  }

  geometry() {
    const v = this.views[0];
    if (!v) return null;
    const stack = this.stack.getBoundingClientRect(), plot = this.plots[0].getBoundingClientRect();
    return { left: plot.left - stack.left + v.origin()[0], width: v.width(), stack };
  }

  pixel(x) { const g = this.geometry(); return g.left + (x - this.xd[0]) / (this.xd[1] - this.xd[0]) * g.width; }

  // Real buttons over the drawn badges.
  place() {
    if (!this.geometry()) return;
    const held = this.flags.contains(document.activeElement) ? document.activeElement.textContent : null;
    const span = Math.max(8, (this.r.x[1] - this.r.x[0]) / 60);
    this.flags.replaceChildren(...this.badges().map(m => {
      const b = document.createElement('button');
      b.type = 'button'; b.textContent = m.n; b.title = `${m.t}, ${this.r.axis} ${whole(m.x)}`;
      b.setAttribute('aria-label', `Marker ${m.n}: ${b.title}`);
      b.style.left = this.pixel(m.bx) + 'px'; b.onclick = () => this.zoom([m.x - span, m.x + span]);
      return b;
    }));
    this.shadeSpot();
    if (held) [...this.flags.children].find(b => b.textContent === held)?.focus();
  }

  // The steps that a sentence speaks of, shaded until the window changes.
  point(spot) { this.spot = spot; if (this.live) this.shadeSpot(); }

  around(x) {
    const pad = Math.max(8, (this.r.x[1] - this.r.x[0]) / 50);
    this.zoom([x - pad, x + pad]);
    this.point([x, x]);
  }

  shadeSpot() {
    this.shade.style.display = this.spot ? 'block' : 'none';
    if (!this.spot) return;
    const [a, b] = this.spot.map(x => this.pixel(Math.max(this.xd[0], Math.min(this.xd[1], x)))), width = Math.max(7, b - a);
    Object.assign(this.shade.style, { left: (a + b - width) / 2 + 'px', width: width + 'px' });
  }

  zoom([a, b]) {
    a = Math.max(this.r.x[0], Math.round(a)); b = Math.min(this.r.x[1], Math.round(b));
    if (b - a < 2) return undefined;
    this.xd = [a, b]; this.spot = null;
    remember();
    return this.live ? this.update() : undefined;
  }

  // The layer under the pointer, where it is over a strip of layers.
  layer(e) {
    const i = this.plots.findIndex(p => p.contains(e.target)), made = this.r.panels[i]?.cells;
    if (!made) return '';
    const box = this.plots[i].getBoundingClientRect();
    return made.names[Math.floor((e.clientY - box.top - 2) / this.views[i].height() * made.names.length)] ?? '';
  }

  cross(x, layer = '') {
    const on = x != null;
    this.hair.style.display = this.hairLabel.style.display = on ? 'block' : 'none';
    if (!on) return;
    x = Math.max(this.xd[0], Math.min(this.xd[1], Math.round(x)));
    this.at = x;
    this.hair.style.left = this.hairLabel.style.left = this.pixel(x) + 'px';
    this.hairLabel.textContent = `${this.r.axis} ${whole(x)}${layer ? `, ${layer}` : ''}`;
    this.r.panels.forEach((p, i) => p.lines.forEach((line, j) => {
      const out = $(`output[data-at="${i}-${j}"]`, this.el);
      if (out) out.textContent = number(line.v[nearest(line.x, x)]);
    }));
  }

  bind() {
    const at = e => {
      const g = this.geometry();
      if (!g) return null;
      const f = (e.clientX - g.stack.left - g.left) / g.width;
      return { f, x: this.xd[0] + f * (this.xd[1] - this.xd[0]), px: e.clientX - g.stack.left };
    };
    let drag = null;
    this.stack.addEventListener('pointermove', e => {
      const t = at(e);
      if (!t) return;
      if (t.f < -0.01 || t.f > 1.01) { if (!drag) this.cross(null); return; }
      this.cross(t.x, this.layer(e));
      if (drag) Object.assign(this.brush.style, { display: 'block', left: Math.min(drag.px, t.px) + 'px', width: Math.abs(drag.px - t.px) + 'px' });
    });
    this.stack.addEventListener('pointerleave', () => { if (!drag) this.cross(null); });
    this.stack.addEventListener('pointerdown', e => {
      if (e.pointerType === 'touch' || e.button || e.target.closest('button')) return;
      const t = at(e);
      if (t && t.f >= 0 && t.f <= 1) { drag = t; this.stack.setPointerCapture(e.pointerId); }
    });
    const drop = e => {
      if (!drag) return;
      const t = at(e), from = drag;
      drag = null; this.brush.style.display = 'none';
      if (t && e.type === 'pointerup' && Math.abs(t.px - from.px) > 6) this.zoom([Math.min(from.x, t.x), Math.max(from.x, t.x)]);
    };
    this.stack.addEventListener('pointerup', drop);
    this.stack.addEventListener('pointercancel', drop);
    this.stack.addEventListener('dblclick', () => this.zoom(this.r.x));
    this.stack.addEventListener('keydown', e => this.key(e));
    this.el.addEventListener('click', e => { const b = e.target.closest('[data-act]'); if (b) this.act(b); });
    let timer;
    addEventListener('resize', () => {
      clearTimeout(timer);
      timer = setTimeout(async () => { for (const v of this.views) await v.resize().runAsync(); if (this.live) await this.update(); }, 120);
    });
  }

  key(e) {
    if (!this.live || e.ctrlKey || e.metaKey || e.altKey) return;
    const [a, b] = this.xd, move = (b - a) / (e.shiftKey ? 20 : 200), c = this.at ?? (a + b) / 2;
    const marks = this.r.marks.map(m => m.x);
    const go = x => {
      this.cross(x);
      const read = panel => $('b', panel).textContent + ': ' + $$('.key', panel).filter(k => $('output', k)).map(k => k.textContent.trim()).join(', ');
      $('.say', this.el).textContent = `${this.hairLabel.textContent}. ` + $$('.panel', this.stack).map(read).join('; ');
    };
    const keys = {
      ArrowRight: () => go(c + Math.max(1, move)), ArrowLeft: () => go(c - Math.max(1, move)),
      ']': () => go(marks.find(x => x > c + 1) ?? c), '[': () => go(marks.filter(x => x < c - 1).pop() ?? c),
      '+': () => this.zoom([c - (c - a) / 2, c + (b - c) / 2]), '-': () => this.zoom([c - (c - a) * 2, c + (b - c) * 2]),
      0: () => this.zoom(this.r.x), Escape: () => { this.cross(null); this.point(null); },
    };
    if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
  }

  async act(button) {
    const press = on => button.setAttribute('aria-pressed', on);
    switch (button.dataset.act) {
      case 'reset': await this.zoom(this.r.x); break;
      case 'onset': await this.zoom(this.r.zoom); break;
      case 'log': this.log[0] = !this.log[0]; press(this.log[0]); if (this.live) await this.draw(0); break;
      case 'ref': this.ref = !this.ref; press(this.ref); this.el.classList.toggle('withref', this.ref); if (this.live) await this.update(); break;
      case 'full': this.full = !this.full; press(this.full); if (this.live) await this.update(); break;
      case 'png': await this.png(); break;
    }
  }

  // The panels as one PNG, in the colors of the page.
  async png() {
    const css = getComputedStyle(root), solve = s => s.replace(/var\((--[\w-]+)(?:,[^)]*)?\)/g, (_, v) => css.getPropertyValue(v).trim());
    const svgs = this.plots.map(p => $('svg', p)), box = svgs.map(s => s.getBoundingClientRect());
    const W = Math.max(...box.map(b => b.width)), H = box.reduce((h, b) => h + b.height + 26, 40);
    const canvas = document.createElement('canvas'), g = canvas.getContext('2d');
    canvas.width = W * 2; canvas.height = H * 2; g.scale(2, 2);
    g.fillStyle = css.getPropertyValue('--card'); g.fillRect(0, 0, W, H);
    g.fillStyle = css.getPropertyValue('--ink'); g.font = '600 14px sans-serif'; g.fillText(this.name, 14, 22);
    let y = 34;
    for (let i = 0; i < svgs.length; i++) {
      g.font = '12px sans-serif'; g.fillText(this.plots[i].dataset.title, LEFT + 2, y + 12); y += 18;
      const image = new Image();
      image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(solve(new XMLSerializer().serializeToString(svgs[i])));
      await image.decode();
      g.drawImage(image, 0, y, box[i].width, box[i].height); y += box[i].height + 8;
    }
    const a = document.createElement('a');
    a.href = canvas.toDataURL('image/png'); a.download = this.name.replace(/[^\w.-]+/g, '_').slice(0, 80) + '.png'; a.click();
    toast('PNG saved');
  }
}
