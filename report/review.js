// review.js - one row after the other, decided by mouse, finger or key; what is left; export and import of the decisions.
'use strict';

const REVIEW_WORDS = {accept: '✓', class: '✎', keep: '=', unsure: '?'};

const shellWord = text => /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

class Review {
    constructor(section, data) {
        Object.assign(this, {section, data, rows: data.rows, classes: data.classes, probability: data.rows.probability_wrong, current: -1, share: 0.1});
        this.place = new Map(this.rows.row.map((row, i) => [row, i]));
        this.decisions = Decisions.of(data.review.id, other => other !== this && this.paint());
        this.items = new Items(data);
        this.gallery = new Gallery(data, this.items, i => this.mark(i), i => this.go(i));
        this.picker = new Picker(this.classes, k => this.choose(k), () => this.buttons.class.focus({preventScroll: true}));
        this.status = html('p', {class: 'note status', role: 'status'});
        this.progress = html('div', {class: 'progress'});
        this.left = html('div', {class: 'left', 'aria-live': 'polite'});
        this.card = html('article', {class: 'under-review', 'aria-label': 'row under review'});
        section.append(this.progress, this.left, this.card, this.advice(), this.picker.element, this.actions(), this.status, this.exchange(), this.filters(), this.gallery.element);
        document.addEventListener('keydown', event => this.key(event));
        const at = this.place.get(this.decisions.at);
        this.choosePair('', '', at);
        if (this.decisions.log.length) section.scrollIntoView();
    }

    // ---- what is there to do ----

    verified(i) {
        return this.rows.verified && this.rows.verified[i] !== null && this.rows.verified[i] >= 0;
    }

    decision(i) {
        return this.decisions.of(this.rows.row[i]);
    }

    isOpen(i) {
        return !this.verified(i) && !this.decision(i);
    }

    mark(i) {
        const made = this.decision(i);
        if (made) return {css: `decided ${made.decision}`, text: `${REVIEW_WORDS[made.decision]} ${made.decision === 'unsure' ? 'unsure' : made.label}`};
        return this.verified(i) ? {css: 'decided', text: `verified: ${this.classes[this.rows.verified[i]]}`} : {css: '', text: ''};
    }

    // ---- which rows are listed ----

    filters() {
        const {rows, classes, data} = this;
        const select = (key, names) => {
            const counts = new Map();
            for (const k of rows[key] || []) if (k !== null && k >= 0) counts.set(k, (counts.get(k) || 0) + 1);
            const options = [...counts].sort((a, b) => a[0] - b[0]).map(([k, count]) => html('option', {value: k}, `${names[k]} (${grouped(count)})`));
            return html('select', {'data-filter': key, onchange: () => this.list()}, html('option', {value: ''}, 'any'), ...options);
        };
        const lists = [['', 'suspicious'], ['open', 'not decided'], ['done', 'decided'], ['unsure', 'unsure']];
        if (rows.next && rows.next.some(place => place > 0)) lists.splice(1, 0, ['next', 'to ask next']);
        if (rows.verified && rows.verified.some((_, i) => this.verified(i))) lists.push(['verified', 'verified']);
        this.which = html('select', {'data-filter': 'list', onchange: () => this.list()}, ...lists.map(([value, text]) => html('option', {value}, text)));
        this.given = select('given', classes);
        this.suggested = select('suggested', classes);
        this.group = rows.group && data.groups.length ? select('group', data.groups) : null;
        return html('div', {class: 'controls'}, html('label', {}, 'rows', this.which), html('label', {}, 'given', this.given), html('label', {}, 'suggested', this.suggested),
            ...(this.group ? [html('label', {}, 'group', this.group)] : []));
    }

    fits(i) {
        const {rows} = this, is = (select, column) => !select || select.value === '' || column[i] === Number(select.value);
        const list = {'': () => !this.verified(i), open: () => this.isOpen(i), done: () => this.decision(i), unsure: () => this.decision(i)?.decision === 'unsure',
            next: () => rows.next[i] > 0, verified: () => this.verified(i)}[this.which.value];
        return list() && is(this.given, rows.given) && is(this.suggested, rows.suggested) && is(this.group, rows.group);
    }

    // Lists what the filters say and goes to row `at`, or the first open one.
    list(at) {
        this.shown = this.rows.row.map((_, i) => i).filter(i => this.fits(i));
        if (this.which.value === 'next') this.shown.sort((a, b) => this.rows.next[a] - this.rows.next[b]);
        const start = at !== undefined && this.shown.includes(at) ? at : this.shown[0];
        this.current = start === undefined ? -1 : this.isOpen(start) ? start : this.nextOpen(start) ?? start;
        this.draw();
    }

    choosePair(given, suggested, at) {
        this.which.value = '';
        this.given.value = given;
        this.suggested.value = suggested;
        if (this.group) this.group.value = '';
        this.list(at);
    }

    chooseGroup(group) {
        this.choosePair('', '');
        this.group.value = group;
        this.list();
    }

    // ---- moving and deciding ----

    nextOpen(from) {
        const at = this.shown.indexOf(from), later = this.shown.slice(at + 1).find(i => this.isOpen(i));
        return later ?? this.shown.slice(0, at).find(i => this.isOpen(i));
    }

    go(i) {
        this.picker.close();
        this.current = i;
        this.draw();
        const frame = this.card.getBoundingClientRect();
        if (frame.top < 0 || frame.bottom > innerHeight) this.card.scrollIntoView({block: 'start'});
    }

    step(by) {
        const at = this.shown.indexOf(this.current) + by;
        if (at >= 0 && at < this.shown.length) this.go(this.shown[at]);
    }

    decide(decision, k) {
        const i = this.current;
        if (i < 0) return;
        const {row, given} = this.rows, label = k === undefined ? '' : this.classes[k];
        this.picker.close();
        this.decisions.add(row[i], this.classes[given[i]], decision, label);
        this.current = this.nextOpen(i) ?? i;
        this.status.textContent = `Row ${row[i]}: ${decision === 'unsure' ? 'unsure' : label}.` + (this.current === i ? ' No open row is left in this list.' : '');
        this.draw();
    }

    choose(k) {
        this.decide(k === this.rows.given[this.current] ? 'keep' : k === this.rows.suggested[this.current] ? 'accept' : 'class', k);
    }

    accept() {
        this.choose(this.rows.suggested[this.current]);
    }

    keep() {
        this.choose(this.rows.given[this.current]);
    }

    undo() {
        const row = this.decisions.undo(), i = this.place.get(row);
        if (row === null) return;
        this.picker.close();
        this.status.textContent = `Row ${row}: decision undone.`;
        if (i !== undefined && !this.shown.includes(i)) this.choosePair('', '', i);
        else if (i !== undefined) this.current = i;
        this.draw();
    }

    key(event) {
        const frame = this.section.getBoundingClientRect(), control = event.ctrlKey || event.metaKey, name = event.key.toLowerCase();
        if (event.defaultPrevented || event.altKey || event.target.closest('input, select, textarea, svg, .scroll')) return;
        if (frame.bottom < 0 || frame.top > innerHeight || (control && name !== 'z')) return;
        const action = {a: () => this.accept(), k: () => this.keep(), c: () => this.picker.open(), u: () => this.decide('unsure'), z: () => this.undo(),
            arrowleft: () => this.step(-1), arrowright: () => this.step(1)}[name];
        if (!action || this.current < 0) return;
        event.preventDefault();
        action();
    }

    // ---- drawing ----

    actions() {
        const button = (name, key, action) => {
            this.buttons[name] = html('button', {type: 'button', 'data-action': name, 'aria-keyshortcuts': key, onclick: action});
            return this.buttons[name];
        };
        this.buttons = {};
        return html('div', {class: 'actions'}, button('accept', 'a', () => this.accept()), button('keep', 'k', () => this.keep()), button('class', 'c', () => this.picker.open()),
            button('unsure', 'u', () => this.decide('unsure')), html('div', {class: 'moves'}, button('undo', 'z', () => this.undo()),
                button('previous', 'ArrowLeft', () => this.step(-1)), button('following', 'ArrowRight', () => this.step(1))));
    }

    // Without pictures, texts or fields of the rows nobody can decide.
    advice() {
        const {pictures, shown} = this.data;
        return pictures || shown ? '' : html('p', {class: 'note advice'},
            'To see more of the rows here, name columns with --show-columns or pictures with --pictures (in Python: report(path, show=...)).');
    }

    exchange() {
        this.file = html('input', {type: 'file', accept: '.csv,text/csv', hidden: true, 'aria-label': 'decisions.csv', onchange: () => this.importFile()});
        this.exportButton = html('button', {type: 'button', class: 'primary', 'data-action': 'export', onclick: () => this.exportFile()}, 'Export decisions.csv');
        this.command = html('p', {class: 'note'}, 'Then run the job again with your decisions: ',
            html('code', {}, `sustain clean --out ${shellWord(this.data.review.folder)} --reviewed decisions.csv`));
        this.notice = html('p', {class: 'warning', role: 'alert', hidden: true});
        return html('div', {class: 'exchange'}, html('p', {class: 'controls'}, this.exportButton,
            html('button', {type: 'button', 'data-action': 'import', onclick: () => this.file.click()}, 'Import'), this.file), this.command, this.notice);
    }

    exportFile() {
        saveFile('decisions.csv', this.decisions.text());
        this.decisions.exported = true;
    }

    async importFile() {
        const [file] = this.file.files;
        if (!file) return;
        try {
            const count = this.decisions.read(file.name, await file.text(), this.classes, row => this.classes[this.rows.given[this.place.get(row)]]);
            this.status.textContent = `${grouped(count)} decisions imported from ${file.name}.`;
            this.notice.hidden = true;
            this.list(this.current);
        } catch (problem) {
            this.notice.textContent = problem.message;
            this.notice.hidden = false;
        }
        this.file.value = '';
    }

    draw() {
        this.decisions.at = this.current < 0 ? null : this.rows.row[this.current];
        this.decisions.save();
        if (!this.decisions.kept && this.notice.hidden) {
            this.notice.textContent = 'This browser does not keep your decisions: export them before you close the page.';
            this.notice.hidden = false;
        }
        this.decisions.tell(this);
        this.paint();
    }

    paint() {
        this.drawProgress();
        this.drawLeft();
        this.drawCard();
        this.drawActions();
        this.gallery.list(this.shown, this.current);
    }

    drawProgress() {
        const flagged = this.rows.row.map((_, i) => i).filter(i => this.rows.is_issue[i] && !this.verified(i)), done = flagged.filter(i => this.decision(i)).length;
        const all = [...this.decisions.state.values()], count = test => grouped(all.filter(test).length);
        this.progress.replaceChildren(html('progress', {max: Math.max(1, flagged.length), value: done, 'aria-label': 'reviewed'}),
            html('p', {}, html('strong', {}, `${grouped(done)} of ${grouped(flagged.length)}`), ' flagged labels reviewed. Decisions: ',
                `${count(entry => entry[2] === 'accept' || entry[2] === 'class')} wrong, ${count(entry => entry[2] === 'keep')} right, ${count(entry => entry[2] === 'unsure')} unsure.`));
    }

    drawLeft() {
        if (!this.data.left) {
            this.left.replaceChildren(html('p', {class: 'note'}, 'The number of wrong labels left is not known: this run has no calibrated probabilities. Verified rows give them.'));
            return;
        }
        const {left} = this.data, all = this.rows.row.map((_, i) => i).filter(i => !this.verified(i));
        const undecided = i => !this.decision(i) || this.decision(i).decision === 'unsure', p = i => this.probability[i];
        const fit = fitOf(left, all.filter(i => !undecided(i)).map(i => ({p: p(i), wrong: this.decision(i).decision !== 'keep'})));
        const [middle, low, high] = leftWrong(left, all.filter(undecided).map(p), fit.found).map(Math.round);
        const stop = untilStop(left, all.filter(i => !this.decision(i)).map(p), this.share);
        const select = this.stopSelect();
        const sentences = [html('p', {class: 'remaining'}, html('strong', {}, `About ${grouped(middle)} wrong labels are left`),
            high === undefined ? '.' : ` (95 % interval: ${grouped(low)} to ${grouped(high)}).`)];
        sentences.push(html('p', {class: 'stop'}, 'Stop when fewer than ', select, ' of the next rows are wrong: ',
            stop.rows ? `after ${stop.more ? 'more than' : 'about'} ${grouped(stop.rows)} rows. Of the next ${stop.count}, about ${Math.round(stop.expected)} are wrong.` : html('strong', {}, 'you can stop now.')));
        if (fit.differs)
            sentences.push(html('p', {class: 'warning'}, `You found ${grouped(fit.found)} wrong labels where ${grouped(Math.round(fit.expected))} were expected. Export your decisions and run the job again with them: the estimates will fit better.`));
        const focused = document.activeElement === this.select;
        this.select = select;
        this.left.replaceChildren(...sentences);
        if (focused) select.focus();
    }

    stopSelect() {
        return html('select', {'aria-label': 'share of wrong labels at which to stop', 'data-stop': true, onchange: event => {
            this.share = Number(event.target.value);
            this.drawLeft();
        }}, ...[0.5, 0.2, 0.1, 0.05, 0.02].map(share => html('option', {value: share, selected: share === this.share}, `${100 * share} %`)));
    }

    drawCard() {
        const i = this.current, {rows} = this;
        if (i < 0) {
            this.card.replaceChildren(html('p', {}, 'No rows fit this choice.'));
            return;
        }
        const given = this.classes[rows.given[i]], suggested = this.classes[rows.suggested[i]], mark = this.mark(i);
        const facts = [`row ${rows.row[i]}`, `${grouped(this.shown.indexOf(i) + 1)} of ${grouped(this.shown.length)}`];
        if (this.probability) facts.push(`wrong with probability ${this.probability[i] > 0.99 ? 'over 0.99' : shortText(this.probability[i])}`);
        else facts.push(`quality ${shortText(rows.quality[i])}`);
        if (rows.weight) facts.push(`weight ${shortText(rows.weight[i])}`);
        if (rows.group && rows.group[i] >= 0 && this.data.groups[rows.group[i]]) facts.push(`group ${this.data.groups[rows.group[i]]}`);
        this.card.setAttribute('data-row', rows.row[i]);
        this.card.className = `under-review ${mark.css}`;
        this.card.replaceChildren(html('div', {class: 'item'}, ...this.items.view(i, `row ${rows.row[i]}`)),
            html('div', {class: 'facts'}, html('dl', {class: 'pair'}, html('dt', {}, 'given'), html('dd', {class: 'given'}, given), html('dt', {}, 'suggested'),
                html('dd', {class: 'suggested'}, suggested)),
                html('p', {class: 'note'}, facts.join(' · ')), ...(mark.text ? [html('p', {class: 'mark-text'}, mark.text)] : [])));
    }

    drawActions() {
        const i = this.current, at = this.shown.indexOf(i), none = i < 0, same = !none && this.rows.given[i] === this.rows.suggested[i];
        const texts = {accept: ['A', none ? 'Accept' : `It is ${this.classes[this.rows.suggested[i]]}`], keep: ['K', none ? 'Keep' : `Keep ${this.classes[this.rows.given[i]]}`],
            class: ['C', 'Another class'], unsure: ['U', 'Unsure'], undo: ['Z', 'Undo'], previous: ['←', 'Previous'], following: ['→', 'Next']};
        for (const [name, [key, text]] of Object.entries(texts)) this.buttons[name].replaceChildren(html('kbd', {}, key), html('span', {}, text));
        for (const name of ['accept', 'keep', 'class', 'unsure']) this.buttons[name].disabled = none;
        this.buttons.accept.disabled = none || same;
        this.buttons.undo.disabled = !this.decisions.log.length;
        this.buttons.previous.disabled = at <= 0;
        this.buttons.following.disabled = none || at + 1 >= this.shown.length;
        this.exportButton.disabled = !this.decisions.state.size;
    }
}

// Counts of pairs and names of groups lead to their rows.
function linkReview(run, review) {
    const link = (cell, title, action) => cell.replaceChildren(html('button', {type: 'button', title, onclick: () => {
        action();
        review.section.scrollIntoView({behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
    }}, cell.textContent));
    for (const cell of run.querySelectorAll('td[data-given]'))
        link(cell, `given ${review.classes[cell.dataset.given]}, suggested ${review.classes[cell.dataset.suggested]}`, () => review.choosePair(cell.dataset.given, cell.dataset.suggested));
    if (review.group) for (const cell of run.querySelectorAll('td[data-group]')) link(cell, 'review the rows of this group', () => review.chooseGroup(cell.dataset.group));
}
