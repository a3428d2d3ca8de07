// decisions.js - what a reviewer decided: kept in the browser under the name of the run, exported and imported as decisions.csv (docs/formats.md).
'use strict';

const DECISIONS_HEADER = ['run', 'row', 'given', 'decision', 'label'];

// A spreadsheet would take the text for a formula. As the program does, such texts get an apostrophe, which is taken away when they are read.
const isFormula = text => /^'*[=+\-@\t\r]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(inf|infinity|nan)$/i.test(text);

function csvField(value) {
    const text = isFormula(String(value)) ? `'${value}` : String(value);
    return /[,";\t\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const csvText = rows => rows.map(fields => fields.map(csvField).join(',') + '\n').join('');

// The lines of a CSV file, each {line, fields}; quoted fields may have line breaks.
function csvLines(text) {
    const found = [], field = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/gy;
    let fields = [], line = 1, next = 1, match;
    text = text.replace(/^\uFEFF/, '');
    field.lastIndex = 0;
    while (field.lastIndex < text.length && (match = field.exec(text))) {
        const value = match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2];
        fields.push(value.startsWith("'") && isFormula(value) ? value.slice(1) : value);
        next += match[0].split('\n').length - 1;
        if (match[3] === ',' && field.lastIndex < text.length) continue;
        if (match[3] === ',') fields.push('');
        if (fields.length > 1 || fields[0] !== '') found.push({line, fields});
        line = next;
        fields = [];
    }
    return found;
}

function saveFile(name, text) {
    const url = URL.createObjectURL(new Blob([text], {type: 'text/csv'}));
    html('a', {href: url, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

class Decisions {
    // The decisions of a run: one object for all that show the same rows. `changed(other)` is called when another window or `other` on this page has changed them.
    static of(id, changed) {
        const decisions = Decisions.open.get(id) || new Decisions(id);
        Decisions.open.set(id, decisions);
        decisions.readers.push(changed);
        return decisions;
    }

    constructor(id) {
        Object.assign(this, {id, key: `sustain review ${id}`, log: [], state: new Map(), at: null, kept: id !== '', exported: true, readers: []});
        this.load();
        addEventListener('storage', event => {
            if (event.key !== this.key) return;
            this.load();
            this.tell(null);
        });
        addEventListener('beforeunload', event => {
            if (!this.kept && !this.exported) event.preventDefault();
        });
    }

    // ---- storage: the log of [row, given, decision, label], and the row that was shown last ----

    load() {
        let stored = null;
        try {
            stored = this.id === '' ? null : JSON.parse(localStorage.getItem(this.key));
        } catch (problem) {
            this.kept = !(problem instanceof DOMException);
        }
        this.log = stored && Array.isArray(stored.log) ? stored.log : [];
        this.at = stored ? stored.at : null;
        this.state = new Map(this.log.map(entry => [entry[0], entry]));
    }

    save() {
        if (!this.kept) return;
        try {
            localStorage.setItem(this.key, JSON.stringify({at: this.at, log: this.log}));
        } catch {
            this.kept = false;
        }
    }

    tell(other) {
        for (const changed of this.readers) changed(other);
    }

    // ---- decisions ----

    of(row) {
        const entry = this.state.get(row);
        return entry && {row, given: entry[1], decision: entry[2], label: entry[3]};
    }

    add(row, given, decision, label) {
        const entry = [row, given, decision, label];
        this.log.push(entry);
        this.state.set(row, entry);
        this.exported = false;
    }

    // Takes the last decision back and returns its row; null where there is none.
    undo() {
        const last = this.log.pop();
        if (!last) return null;
        const before = this.log.findLast(entry => entry[0] === last[0]);
        if (before) this.state.set(last[0], before);
        else this.state.delete(last[0]);
        this.exported = false;
        return last[0];
    }

    // ---- decisions.csv ----

    text() {
        return csvText([DECISIONS_HEADER, ...[...this.state.values()].map(entry => [this.id, ...entry])]);
    }

    // Adds the decisions of a file and returns how many there are. `givenOf(row)` is the name of the row's given class, undefined where it is not known. A file that
    // does not fit changes nothing: an Error says what to do.
    read(name, text, classes, givenOf) {
        const [head, ...lines] = csvLines(text), known = new Set(classes), rows = new Set(), found = [];
        const refuse = (line, why) => { throw new Error(`${name}, line ${line}: ${why}.`); };
        if (!head || head.fields.join() !== DECISIONS_HEADER.join()) refuse(1, `the first line must be ${DECISIONS_HEADER.join()}; choose a file that this page exported`);
        for (const {line, fields} of lines) {
            const [run, row, given, decision, label] = fields;
            if (fields.length !== 5) refuse(line, `it has ${fields.length} fields, not 5`);
            if (run !== this.id) refuse(line, `these are decisions of another run (${run}, this one is ${this.id})`);
            if (!/^\d+$/.test(row) || rows.has(row)) refuse(line, rows.has(row) ? `row ${row} is there twice` : `"${row}" is no row`);
            if ((givenOf(Number(row)) ?? given) !== given) refuse(line, `row ${row} is given as ${givenOf(Number(row))} here and as ${given} in the file; the data has changed`);
            if (!['accept', 'keep', 'class', 'unsure'].includes(decision)) refuse(line, `"${decision}" is none of accept, keep, class, unsure`);
            if (decision === 'unsure' ? label !== '' : !known.has(label)) refuse(line, decision === 'unsure' ? 'unsure has no label' : `"${label}" is no class of this run`);
            rows.add(row);
            found.push([Number(row), given, decision, label]);
        }
        for (const entry of found)
            if (String(this.state.get(entry[0])) !== String(entry)) this.add(...entry);
        return found.length;
    }
}

Decisions.open = new Map();
