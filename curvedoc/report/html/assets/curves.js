// Linked curve panels of one run: lazy drawing, drag-zoom, cross-hair, keyboard, markers, PNG.
// Data comes as columns; names from logs reach the page as text nodes only.

const LEFT = 46, RIGHT = 14, BADGE = 25, EDGE = 11, CHAR = 6.4;
const palette = k => `var(--b-${k})`;

class Stack {
  constructor(el, run, name) {
    this.el = el; this.r = run; this.name = name;
    this.xd = [...run.view]; this.log = run.panels.map(p => p.log); this.ref = false; this.views = [];
    this.plots = $$('.plot', el); this.stack = $('.stack', el);
    this.hair = $('.xh', el); this.hairLabel = $('.xlab', el); this.brush = $('.brush', el); this.shade = $('.spot', el); this.flags = $('.flags', el);
    this.bind();
  }

  get zoomed() { return this.xd[0] > this.r.x[0] || this.xd[1] < this.r.x[1]; }

  // Whether the window lies inside a stretch of which every logged value is drawn.
  every(line) { return line.every?.some(([a, b]) => this.xd[0] >= a && this.xd[1] <= b); }

  yDomain(i) {
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
    if (!this.zoomed) p.levels.forEach(see);
    if (lo === Infinity) return log ? [1, 10] : [0, 1];
    if (log) return [Math.max(lo * 0.94, 1e-300), Math.max(hi * 1.12, 1e-299)];
    if (p.k === 'lr') return [Math.min(0, lo), hi > 0 ? hi * 1.08 : 1];
    const pad = (hi - lo) * (p.levels.length ? 0.16 : 0.06) || Math.abs(hi) * 0.1 || 1;
    return [lo >= 0 ? Math.max(0, lo - pad) : lo - pad, hi + pad];
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

  data(i) {
    const yd = this.yDomain(i), bands = this.bands(), first = i === 0;
    return {
      yd,
      sets: {
        ...this.rows(i, this.log[i] ? yd[0] : null),
        bands, ref: this.refRows(i), rules: this.r.marks.map(m => ({ x: m.x })),
        levels: this.r.panels[i].levels.map(v => ({ v, l: String(v) })),
        badges: first ? this.badges().map(m => ({ bx: m.bx, n: m.n })) : [],
        labels: first ? bands.filter(b => b.l) : [],
      },
    };
  }

  spec(i) {
    const p = this.r.panels[i], last = i === this.r.panels.length - 1, { yd, sets } = this.data(i);
    const spec = structuredClone(TEMPLATES[(this.log[i] ? 'log' : 'lin') + (last ? '_x' : '')]);
    spec.width = 'container'; spec.height = p.h; spec.datasets = sets;
    for (const param of spec.params) param.value = param.name === 'xd' ? this.xd : yd;
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
      const { yd, sets } = this.data(i);
      for (const name in sets) v.data(name, sets[name]);
      return v.signal('xd', this.xd).signal('yd', yd).runAsync();
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

  cross(x) {
    const on = x != null;
    this.hair.style.display = this.hairLabel.style.display = on ? 'block' : 'none';
    if (!on) return;
    x = Math.max(this.xd[0], Math.min(this.xd[1], Math.round(x)));
    this.at = x;
    this.hair.style.left = this.hairLabel.style.left = this.pixel(x) + 'px';
    this.hairLabel.textContent = `${this.r.axis} ${whole(x)}`;
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
      this.cross(t.x);
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
