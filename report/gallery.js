// gallery.js - the labels that look wrong, worst first: pictures where there are some, filters, pages, CSV.
'use strict';

class Gallery {
    constructor(section, data) {
        Object.assign(this, {section, issues: data.issues, classes: data.classes, page: 0, filter: {given: '', suggested: ''}});
        this.pictures = data.pictures ? new Pictures(data.pictures) : null;
        this.size = matchMedia('(max-width: 40rem)').matches ? 12 : 24;
        this.given = this.select('given', 'given label');
        this.suggested = this.select('suggested', 'suggested label');
        this.where = html('output', {'aria-live': 'polite'});
        this.back = html('button', {type: 'button', 'aria-label': 'page before', onclick: () => this.turn(-1)}, '‹ back');
        this.next = html('button', {type: 'button', 'aria-label': 'next page', onclick: () => this.turn(1)}, 'next ›');
        this.cards = html('div', {class: this.pictures ? 'cards' : 'cards plain'});
        this.save = html('button', {type: 'button', class: 'save', onclick: () => this.download()});
        section.append(html('div', {class: 'controls'}, this.given, this.suggested, html('span', {class: 'pager'}, this.back, this.where, this.next)), this.cards,
            html('p', {class: 'note keys'}, this.save, ' The arrow keys ← → turn the pages while the gallery is in view.'));
        document.addEventListener('keydown', event => this.key(event));
        this.choose('', '');
    }

    select(key, title) {
        const counts = new Array(this.classes.length).fill(0);
        for (const k of this.issues[key]) counts[k]++;
        const options = counts.map((count, k) => [count, k]).filter(([count]) => count).map(([count, k]) => html('option', {value: k}, `${this.classes[k]} (${count.toLocaleString('en')})`));
        const choice = html('select', {'data-filter': key, onchange: () => this.choose(this.given.lastChild.value, this.suggested.lastChild.value)},
            html('option', {value: ''}, 'any'), ...options);
        return html('label', {}, title, choice);
    }

    choose(given, suggested) {
        const fits = i => (given === '' || this.issues.given[i] === Number(given)) && (suggested === '' || this.issues.suggested[i] === Number(suggested));
        this.given.lastChild.value = given;
        this.suggested.lastChild.value = suggested;
        this.shown = this.issues.index.map((_, i) => i).filter(fits);
        this.page = 0;
        this.draw();
    }

    turn(step) {
        const last = Math.max(0, Math.ceil(this.shown.length / this.size) - 1);
        this.page = Math.min(last, Math.max(0, this.page + step));
        this.draw();
    }

    key(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key], frame = this.section.getBoundingClientRect();
        if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select, textarea, svg, .scroll')) return;
        if (frame.bottom < 0 || frame.top > innerHeight) return;
        event.preventDefault();
        this.turn(step);
    }

    draw() {
        const from = this.page * this.size, part = this.shown.slice(from, from + this.size);
        this.cards.replaceChildren(...part.map(i => this.card(i)));
        this.where.textContent = part.length ? `${(from + 1).toLocaleString('en')}–${(from + part.length).toLocaleString('en')} of ${this.shown.length.toLocaleString('en')}` : 'none';
        this.back.disabled = this.page === 0;
        this.next.disabled = from + this.size >= this.shown.length;
        this.save.textContent = `Save these ${this.shown.length.toLocaleString('en')} as CSV`;
    }

    card(i) {
        const row = this.issues, given = this.classes[row.given[i]], suggested = this.classes[row.suggested[i]];
        const card = html('figure', {class: 'card', 'data-row': row.index[i]});
        if (this.pictures && i < this.pictures.count) card.append(this.pictures.canvas(i, `row ${row.index[i]}: given ${given}, suggested ${suggested}`));
        card.append(html('figcaption', {}, html('span', {class: 'labels'}, html('del', {}, given), ' → ', html('ins', {}, suggested)),
            html('small', {}, `weight ${shortText(row.weight[i])}`), html('small', {}, `quality ${shortText(row.quality[i])}`),
            html('small', {}, `row ${row.index[i]}`)));
        return card;
    }

    download() {
        const quoted = text => /^$|[,";\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = this.shown.map(i => [this.issues.index[i], quoted(this.classes[this.issues.given[i]]), quoted(this.classes[this.issues.suggested[i]]),
            this.issues.weight[i], this.issues.quality[i], 1].join(','));
        const text = ['index,given_label,suggested_label,weight,label_quality,is_issue', ...lines, ''].join('\n');
        const url = URL.createObjectURL(new Blob([text], {type: 'text/csv'}));
        html('a', {href: url, download: 'issues.csv'}).click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
    }
}

// The counts of pairs lead to the gallery.
function linkPairs(run, gallery) {
    for (const cell of run.querySelectorAll('td[data-given]')) {
        const {given, suggested} = cell.dataset;
        const title = `given ${gallery.classes[given]}, suggested ${gallery.classes[suggested]}`;
        cell.replaceChildren(html('button', {type: 'button', title, onclick: () => {
            gallery.choose(given, suggested);
            gallery.section.scrollIntoView({behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
        }}, cell.textContent));
    }
}
