// gallery.js - the listed rows as a grid of small cards, page by page, with what was decided about each.
'use strict';

const grouped = number => number.toLocaleString('en');

// What a row shows besides its labels: a picture, a text, or fields by name.
class Items {
    constructor(data) {
        this.pictures = data.pictures ? new Pictures(data.pictures) : null;
        this.shown = data.shown || {columns: [], rows: {}};
        this.rows = data.rows;
    }

    picture(i, label) {
        const number = this.rows.picture[i];
        return this.pictures && number < this.pictures.count ? this.pictures.canvas(number, label) : null;
    }

    fields(i) {
        return this.shown.rows[this.rows.row[i]] || [];
    }

    // The whole of it, for the row under review.
    view(i, label) {
        const picture = this.picture(i, label), fields = this.fields(i), {columns} = this.shown;
        const text = fields.length === 1 ? html('blockquote', {'aria-label': columns[0]}, fields[0])
            : html('dl', {class: 'fields'}, ...fields.map((value, k) => html('div', {}, html('dt', {}, columns[k]), html('dd', {}, value))));
        return [...(picture ? [picture] : []), ...(fields.length ? [text] : [])];
    }
}

class Gallery {
    // `mark(i)` is {css, text} of what was decided about row i; `go(i)` shows the row.
    constructor(data, items, mark, go) {
        Object.assign(this, {rows: data.rows, classes: data.classes, items, mark, go, page: 0, shown: []});
        this.size = matchMedia('(max-width: 40rem)').matches ? 12 : 24;
        this.where = html('output', {'aria-live': 'polite'});
        this.back = html('button', {type: 'button', 'aria-label': 'previous page', onclick: () => this.turn(-1)}, '‹ back');
        this.next = html('button', {type: 'button', 'aria-label': 'next page', onclick: () => this.turn(1)}, 'next ›');
        this.cards = html('div', {class: items.pictures ? 'cards' : 'cards plain'});
        this.save = html('button', {type: 'button', class: 'save', onclick: () => this.download()});
        this.element = html('div', {class: 'gallery'}, html('div', {class: 'controls'}, this.save, html('span', {class: 'pager'}, this.back, this.where, this.next)), this.cards);
    }

    // Shows the page that has the current row.
    list(shown, current) {
        Object.assign(this, {shown, current});
        this.page = Math.max(0, Math.floor(shown.indexOf(current) / this.size));
        this.draw();
    }

    turn(step) {
        const last = Math.max(0, Math.ceil(this.shown.length / this.size) - 1);
        this.page = Math.min(last, Math.max(0, this.page + step));
        this.draw();
    }

    draw() {
        const from = this.page * this.size, part = this.shown.slice(from, from + this.size);
        this.cards.replaceChildren(...part.map(i => this.card(i)));
        this.where.textContent = part.length ? `${grouped(from + 1)}–${grouped(from + part.length)} of ${grouped(this.shown.length)}` : 'none';
        this.back.disabled = this.page === 0;
        this.next.disabled = from + this.size >= this.shown.length;
        this.save.textContent = `Save these ${grouped(this.shown.length)} rows as CSV`;
    }

    card(i) {
        const {row, given, suggested} = this.rows, mark = this.mark(i), from = this.classes[given[i]], to = this.classes[suggested[i]];
        const picture = this.items.picture(i, ''), text = this.items.fields(i).join(' · ');
        return html('button', {type: 'button', class: `card ${mark.css}`, 'data-row': row[i], 'aria-current': i === this.current ? 'true' : undefined, onclick: () => this.go(i)},
            ...(picture ? [picture] : []), ...(text ? [html('span', {class: 'excerpt'}, text)] : []),
            html('span', {class: 'labels'}, html('del', {}, from), ' → ', html('ins', {}, to)),
            html('small', {}, `row ${row[i]}`), ...(mark.text ? [html('strong', {class: 'mark-text'}, mark.text)] : []));
    }

    download() {
        const {row, given, suggested, quality, is_issue: flagged} = this.rows;
        saveFile('issues.csv', csvText([['index', 'given_label', 'suggested_label', 'label_quality', 'is_issue'],
            ...this.shown.map(i => [row[i], this.classes[given[i]], this.classes[suggested[i]], quality[i], flagged[i]])]));
    }
}
