// chart.js - draws the charts that spec.h describes, as SVG: axes to choose from, values under the pointer or by the arrow keys.
'use strict';

// ---- elements ----

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {}))
        if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
        else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
    node.append(...children);
    return node;
}

const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

// ---- numbers ----

const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 4});

function tickText(value) {
    const size = Math.abs(value);
    if (size >= 1e4) return size < 1e15 ? compact.format(value) : value.toExponential(0);
    if (size > 0 && size < 1e-3) return Number(value.toPrecision(3)).toExponential().replace('e-', 'e−');
    return String(Number(value.toPrecision(4))).replace('-', '−');
}

function valueText(value) {
    if (value === null || value === undefined) return '–';
    if (Number.isInteger(value)) return value.toLocaleString('en');
    const size = Math.abs(value);
    return size < 1e-3 || size >= 1e7 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

// Two digits, for places that are narrow.
function shortText(value) {
    return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1).replace('e-', 'e−') : String(Number(value.toPrecision(2)));
}

// ---- scales ----

function linearTicks(low, high, wanted) {
    const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find(factor => factor * power >= rough) * power;
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(i * step);
    return ticks;
}

function logTicks(low, high, wanted) {
    const decades = Math.log10(high / low), every = Math.max(1, Math.ceil(decades / wanted));
    const factors = decades < 1 ? [1, 1.5, 2, 3, 4, 5, 7] : decades < 3 ? [1, 2, 5] : [1];
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1; power++)
        for (const factor of factors)
            if ((factor > 1 || power % every === 0) && factor * 10 ** power >= low * 0.999 && factor * 10 ** power <= high * 1.001)
                ticks.push(factor * 10 ** power);
    return ticks.length > 1 ? ticks : linearTicks(low, high, wanted);
}

// Maps values to pixels. Values without a logarithm are undefined on a logarithmic axis.
function makeScale(values, log, from, to, air) {
    const usable = values.filter(v => v !== null && Number.isFinite(v) && (!log || v > 0));
    const of = log ? Math.log10 : v => v;
    let [low, high] = usable.reduce(([least, most], v) => [Math.min(least, of(v)), Math.max(most, of(v))], [Infinity, -Infinity]);
    if (!usable.length) [low, high] = [0, 1];
    if (low === high) [low, high] = log ? [low - 0.5, high + 0.5] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
    const room = (high - low) * air;
    low -= room;
    high += room;
    const wanted = Math.max(2, Math.abs(to - from) / (air ? 45 : 80));
    return {
        place: v => v === null || v === undefined || (log && !(v > 0)) ? undefined : from + (of(v) - low) / (high - low) * (to - from),
        ticks: log ? logTicks(10 ** low, 10 ** high, wanted) : linearTicks(low, high, wanted),
    };
}

// ---- curves ----

const COLOURS = 8;
const SHAPES = ['M0-4A4 4 0 1 0 .01-4Z', 'M-3.5-3.5H3.5V3.5H-3.5Z', 'M0-5L5 0 0 5-5 0Z', 'M0-4.5L4.5 3.5H-4.5Z', 'M0 4.5L4.5-3.5H-4.5Z',
                'M-4-1.3H-1.3V-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4Z'];
const DASHES = ['', '7 4', '2 3', '9 3 2 3'];

// Colour, shape and dashes of each curve: no two of the first 24 lines share all three, and none is distinguished by colour alone.
function styleCurves(curves) {
    let line = -1;
    for (const curve of curves) {
        if (curve.kind === 'line') line++;
        curve.shown = true;
        curve.owner = curve.kind === 'fit' ? line : -1;
        curve.number = line;
        curve.css = curve.kind === 'line' || curve.kind === 'fit' ? `c${Math.max(line, 0) % COLOURS}` : 'grey';
        curve.shape = SHAPES[Math.max(line, 0) % SHAPES.length];
        curve.dash = curve.kind === 'line' ? DASHES[Math.floor(Math.max(line, 0) / COLOURS) % DASHES.length] : curve.kind === 'fit' ? '3 3' : '6 4';
    }
}

function linePath(xs, ys, count) {
    let path = '', pen = false;
    for (let i = 0; i < count; i++) {
        const good = xs(i) !== undefined && ys(i) !== undefined;
        if (good) path += `${pen ? 'L' : 'M'}${xs(i).toFixed(1)} ${ys(i).toFixed(1)}`;
        pen = good;
    }
    return path;
}

function bandPath(xs, low, high, count) {
    const there = [...Array(count).keys()].filter(i => xs(i) !== undefined && low(i) !== undefined && high(i) !== undefined);
    if (there.length < 2) return '';
    const point = (i, y) => `${xs(i).toFixed(1)} ${y(i).toFixed(1)}`;
    return `M${there.map(i => point(i, high)).join('L')}L${there.reverse().map(i => point(i, low)).join('L')}Z`;
}

// ---- a chart with axes to choose from ----

class Chart {
    constructor(figure, spec) {
        Object.assign(this, {figure, spec, x: spec.x[0], y: spec.y[0], at: null});
        this.curves = spec.curves;
        styleCurves(this.curves);
        this.log = {x: spec.x[0].log, y: spec.y[0].log};
        this.tip = html('div', {class: 'tip', role: 'status', hidden: true});
        this.stage = html('div', {class: 'stage'}, this.tip);
        this.legend = html('div', {class: 'legend'});
        figure.append(html('div', {class: 'controls'}, ...this.controls()), this.stage, this.legend);
        figure.append(html('figcaption', {}, [spec.about, spec.band && `Bands: ${spec.band}; on a logarithmic axis by the same factor up and down.`].filter(Boolean).join(' ')));
        this.fillLegend();
        new ResizeObserver(() => this.draw()).observe(this.stage);
        this.draw();
    }

    controls() {
        const choice = (title, axis) => {
            const name = `axis-${++Chart.choices}`;
            const options = this.spec[axis].map((row, i) => html('label', {},
                html('input', {type: 'radio', name, value: row.key, checked: i === 0, onchange: () => this.choose(axis, row)}), html('span', {}, row.title)));
            return html('fieldset', {class: 'choice', 'data-axis': axis}, html('legend', {}, title), ...options);
        };
        const logarithm = axis => {
            this[`${axis}Box`] = html('input', {type: 'checkbox', 'data-log': axis, onchange: event => {
                this.log[axis] = event.target.checked;
                this.draw();
            }});
            this[`${axis}Box`].checked = this.log[axis];
            return html('label', {class: 'box'}, this[`${axis}Box`], `log ${axis}`);
        };
        const list = [];
        if (this.spec.y.length > 1) list.push(choice('show', 'y'));
        if (this.spec.x.length > 1) list.push(choice('against', 'x'));
        list.push(html('span', {class: 'boxes'}, logarithm('x'), logarithm('y')));
        return list;
    }

    choose(axis, row) {
        this[axis] = row;
        this.log[axis] = row.log;
        this[`${axis}Box`].checked = row.log;
        this.at = null;
        this.tip.hidden = true;
        this.draw();
    }

    fillLegend() {
        const named = this.curves.filter(curve => curve.kind === 'line' || curve.kind === 'reference');
        if (named.length < 2) return;
        for (const curve of named) {
            const sample = svg('svg', {width: 34, height: 12, 'aria-hidden': 'true', class: curve.css},
                svg('path', {class: 'line', d: 'M1 6H33', 'stroke-dasharray': curve.dash}));
            if (curve.kind === 'line') sample.append(svg('path', {class: 'mark', d: curve.shape, transform: 'translate(17 6)'}));
            this.legend.append(html('button', {type: 'button', 'aria-pressed': 'true', title: 'hide or show this curve', onclick: event => {
                curve.shown = !curve.shown;
                event.currentTarget.setAttribute('aria-pressed', curve.shown);
                this.draw();
            }}, sample, curve.label));
        }
    }

    visible() {
        return this.curves.filter(curve => curve.values[this.y.key] && (curve.kind === 'level' || curve.values[this.x.key]) &&
            (curve.owner >= 0 ? this.curves.find(other => other.kind === 'line' && other.number === curve.owner).shown : curve.shown));
    }

    // The lower end of a band. On a logarithmic axis, where it may be zero or negative, it is as many factors below the curve as the upper end is above.
    low(curve) {
        const middle = curve.values[this.y.key], high = curve.values[`${this.y.key}_high`];
        return (curve.values[`${this.y.key}_low`] || []).map((v, i) => this.log.y && v !== null ? middle[i] ** 2 / high[i] : v);
    }

    draw() {
        const width = Math.max(280, this.stage.clientWidth), height = Math.round(Math.min(420, Math.max(240, width * 0.55)));
        const box = {left: 66, right: width - 22, top: 12, bottom: height - 46}, shown = this.visible();
        const column = (curve, key) => curve.values[key] || [];
        const bounds = curve => [...column(curve, this.y.key), ...column(curve, `${this.y.key}_high`), ...this.low(curve)];
        this.xs = makeScale(shown.flatMap(curve => column(curve, this.x.key)), this.log.x, box.left, box.right, 0);
        this.ys = makeScale(shown.flatMap(bounds), this.log.y, box.bottom, box.top, 0.04);
        const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', tabindex: 0,
            'aria-label': `${this.spec.title}: ${this.y.title} against ${this.x.title}. Arrow keys read the values.`,
            onpointermove: event => this.point(event), onpointerdown: event => this.point(event), onpointerleave: () => this.leave(),
            onblur: () => this.leave(), onkeydown: event => this.key(event)},
            svg('title', {}, `${this.y.title} against ${this.x.title}`), svg('desc', {}, this.spec.about));
        this.drawAxes(picture, box);
        this.names = [];
        for (const curve of [...shown].reverse().sort((a, b) => (a.kind === 'level') - (b.kind === 'level'))) this.drawCurve(picture, curve, box);
        this.cursor = svg('g', {class: 'cursor'});
        picture.append(this.cursor);
        if (this.picture) this.picture.replaceWith(picture);
        else this.stage.prepend(picture);
        this.picture = picture;
        this.box = box;
    }

    drawAxes(picture, box) {
        for (const value of this.ys.ticks) {
            const y = this.ys.place(value);
            picture.append(svg('line', {class: 'grid', x1: box.left, x2: box.right, y1: y, y2: y}),
                svg('text', {x: box.left - 8, y: y + 4, 'text-anchor': 'end'}, tickText(value)));
        }
        let end = -Infinity; // of the last number: the next one stands where there is room for it
        for (const value of this.xs.ticks) {
            const x = this.xs.place(value), text = tickText(value), half = 3.7 * text.length;
            picture.append(svg('line', {class: 'grid', x1: x, x2: x, y1: box.top, y2: box.bottom}));
            if (x - half < end + 6) continue;
            picture.append(svg('text', {x, y: box.bottom + 18, 'text-anchor': 'middle'}, text));
            end = x + half;
        }
        picture.append(svg('text', {class: 'axis', x: (box.left + box.right) / 2, y: box.bottom + 38, 'text-anchor': 'middle'}, this.x.title),
            svg('text', {class: 'axis', 'text-anchor': 'middle', transform: `translate(14 ${(box.top + box.bottom) / 2}) rotate(-90)`}, this.y.title));
    }

    drawCurve(picture, curve, box) {
        const group = svg('g', {class: `curve ${curve.kind} ${curve.css}`}, svg('title', {}, curve.label));
        if (curve.kind === 'level') {
            const y = this.ys.place(curve.values[this.y.key][0]);
            if (y === undefined) return;
            let above = y - 5; // levels that lie close together: their names one above the other
            while (this.names.some(other => Math.abs(other - above) < 13)) above -= 13;
            this.names.push(above);
            group.append(svg('path', {class: 'line', d: `M${box.left} ${y}H${box.right}`, 'stroke-dasharray': curve.dash}),
                svg('text', {x: box.right - 4, y: above, 'text-anchor': 'end'}, curve.label));
            picture.append(group);
            return;
        }
        const x = i => this.xs.place(curve.values[this.x.key][i]);
        const part = suffix => i => this.ys.place((curve.values[this.y.key + suffix] || [])[i]);
        const count = curve.values[this.x.key].length, every = Math.ceil(count / 24);
        const low = this.low(curve);
        if (low.length) group.append(svg('path', {class: 'band', d: bandPath(x, i => this.ys.place(low[i]), part('_high'), count)}));
        group.append(svg('path', {class: 'line', d: linePath(x, part(''), count), 'stroke-dasharray': curve.dash}));
        for (let i = 0; i < count && curve.kind === 'line'; i += every)
            if (x(i) !== undefined && part('')(i) !== undefined)
                group.append(svg('path', {class: 'mark', d: curve.shape, transform: `translate(${x(i).toFixed(1)} ${part('')(i).toFixed(1)})`}));
        picture.append(group);
    }

    // ---- values ----

    lines() {
        return this.visible().filter(curve => curve.kind === 'line');
    }

    placed(curve, i) {
        const x = this.xs.place(curve.values[this.x.key][i]), y = this.ys.place(curve.values[this.y.key][i]);
        return x === undefined || y === undefined ? null : [x, y];
    }

    point(event) {
        const frame = this.picture.getBoundingClientRect(), scale = this.box.right + 22;
        const x = (event.clientX - frame.left) / frame.width * scale, y = (event.clientY - frame.top) / frame.width * scale;
        let best = null, least = Infinity;
        for (const curve of this.lines())
            for (let i = 0; i < curve.values[this.x.key].length; i++) {
                const place = this.placed(curve, i), far = place ? Math.hypot(place[0] - x, (place[1] - y) / 3) : Infinity;
                if (far < least) [best, least] = [{curve, i}, far];
            }
        if (best) this.show(best);
    }

    key(event) {
        const lines = this.lines(), step = {ArrowLeft: -1, ArrowRight: 1}[event.key], turn = {ArrowUp: -1, ArrowDown: 1}[event.key];
        if (event.key === 'Escape') this.leave();
        if ((step === undefined && turn === undefined) || !lines.length) return;
        event.preventDefault();
        event.stopPropagation();
        const at = this.at || {curve: lines[0], i: step < 0 ? lines[0].values[this.x.key].length : -1};
        const curve = turn ? lines[(lines.indexOf(at.curve) + turn + lines.length) % lines.length] : at.curve;
        let i = Math.max(0, at.i + (step || 0));
        while (curve.values[this.x.key][i] !== undefined && !this.placed(curve, i)) i += step || 1;
        if (curve.values[this.x.key][i] !== undefined) this.show({curve, i});
    }

    leave() {
        this.at = null;
        this.tip.hidden = true;
        this.cursor.replaceChildren();
    }

    // What the others had by then: their last point that is not beyond this x.
    row(curve, limit, picked) {
        const xs = curve.values[this.x.key], ys = curve.values[this.y.key];
        let i = picked ?? xs.findLastIndex((x, k) => x !== null && x <= limit && ys[k] !== null);
        if (i < 0) return '';
        const low = curve.values[`${this.y.key}_low`], high = curve.values[`${this.y.key}_high`];
        const spread = low && low[i] !== null ? ` ± ${shortText((high[i] - low[i]) / 2)}` : '';
        const name = curve.values.name ? curve.values.name[i] : curve.label;
        return html('div', {class: `${curve.css}${picked === undefined ? '' : ' picked'}`}, html('i', {}), html('span', {}, name),
            html('b', {'data-value': ys[i]}, valueText(ys[i]) + spread));
    }

    show(at) {
        const [x, y] = this.placed(at.curve, at.i), limit = at.curve.values[this.x.key][at.i], lines = this.lines();
        this.at = at;
        this.cursor.replaceChildren(svg('line', {x1: x, x2: x, y1: this.box.top, y2: this.box.bottom}), svg('circle', {cx: x, cy: y, r: 6, class: at.curve.css}));
        const rows = lines.length <= 8 ? lines : [at.curve];
        this.tip.replaceChildren(html('div', {class: 'head', 'data-value': limit}, `${this.x.title}: ${valueText(limit)}`),
            ...rows.map(curve => this.row(curve, limit, curve === at.curve ? at.i : undefined)));
        this.tip.hidden = false;
        this.placeTip(x);
    }

    // Beside the cursor; below the chart where there is no room for both.
    placeTip(x) {
        const width = this.tip.offsetWidth, room = this.stage.clientWidth, left = x > room / 2 ? x - width - 14 : x + 14;
        const narrow = room < 600;
        this.tip.style.left = `${narrow ? 0 : Math.max(0, Math.min(left, room - width))}px`;
        this.tip.style.top = `${narrow ? this.box.bottom + 44 : this.box.top + 4}px`;
    }
}

Chart.choices = 0;

// ---- bars ----

// Hatching for bars that differ by more than their colour; one for the page.
function hatch() {
    if (document.getElementById('hatch')) return;
    document.body.append(svg('svg', {width: 0, height: 0, class: 'hidden', 'aria-hidden': 'true'},
        svg('pattern', {id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
            svg('rect', {width: 6, height: 6, class: 'under'}), svg('line', {y2: 6, x1: 1.5, x2: 1.5, class: 'over'}))));
}

class Bars {
    constructor(figure, spec) {
        Object.assign(this, {figure, spec, series: spec.bars.series});
        hatch();
        this.tip = html('div', {class: 'tip', role: 'status', hidden: true});
        this.stage = html('div', {class: 'stage'}, this.tip);
        const swatch = k => svg('svg', {width: 16, height: 12, 'aria-hidden': 'true'}, svg('rect', {class: `bar s${k}`, width: 16, height: 12}));
        figure.append(html('p', {class: 'legend'}, ...this.series.map((row, k) => html('span', {}, swatch(k), row.label))), this.stage,
            html('figcaption', {}, spec.about));
        new ResizeObserver(() => this.draw()).observe(this.stage);
        this.draw();
    }

    draw() {
        const {from, to, x: xTitle, y: yTitle} = this.spec.bars, count = this.series[0].counts.length;
        const width = Math.max(280, this.stage.clientWidth), height = Math.round(Math.min(320, Math.max(220, width * 0.4)));
        const box = {left: 66, right: width - 22, top: 12, bottom: height - 46};
        const total = i => this.series.reduce((sum, row) => sum + row.counts[i], 0);
        const xs = makeScale([from, to], false, box.left, box.right, 0);
        const ys = makeScale([0, ...this.series[0].counts.map((_, i) => total(i) * 1.04)], false, box.bottom, box.top, 0);
        ys.ticks = linearTicks(0, this.series[0].counts.reduce((most, _, i) => Math.max(most, total(i)), 0) || 1, (box.bottom - box.top) / 45);
        const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${this.spec.title}. ${this.spec.about}`},
            svg('title', {}, this.spec.title), svg('desc', {}, this.spec.about));
        Chart.prototype.drawAxes.call({xs, ys, x: {title: xTitle}, y: {title: yTitle}}, picture, box);
        for (let i = 0; i < count; i++) {
            const left = from + (to - from) * i / count, right = from + (to - from) * (i + 1) / count;
            const text = `${xTitle} ${tickText(left)} to ${tickText(right)}: ` + this.series.map(row => `${valueText(row.counts[i])} ${row.label}`).join(', ');
            const group = svg('g', {onpointerenter: () => this.show(text, xs.place(left)), onpointerleave: () => { this.tip.hidden = true; }},
                svg('title', {}, text), svg('rect', {class: 'catch', x: xs.place(left), y: box.top, width: xs.place(right) - xs.place(left), height: box.bottom - box.top}));
            let base = 0;
            this.series.forEach((row, k) => {
                group.append(svg('rect', {class: `bar s${k}`, x: xs.place(left) + 0.5, width: Math.max(1, xs.place(right) - xs.place(left) - 1),
                    y: ys.place(base + row.counts[i]), height: ys.place(base) - ys.place(base + row.counts[i])}));
                base += row.counts[i];
            });
            picture.append(group);
        }
        if (this.picture) this.picture.replaceWith(picture);
        else this.stage.prepend(picture);
        this.picture = picture;
    }

    show(text, x) {
        this.tip.textContent = text;
        this.tip.hidden = false;
        this.tip.style.left = `${Math.max(0, Math.min(x + 14, this.stage.clientWidth - this.tip.offsetWidth))}px`;
        this.tip.style.top = '0';
    }
}
