// picker.js - chooses one of many classes by typing part of its name: a combobox with a list (WAI-ARIA), for ten classes as for thousands.
'use strict';

class Picker {
    // `chosen(k)` is called with the number of a class, `closed()` when the list is left without a choice.
    constructor(classes, chosen, closed) {
        const plain = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
        Object.assign(this, {classes, chosen, closed, plain, names: classes.map(plain), at: 0, found: []});
        const id = `picker-${++Picker.count}`;
        this.list = html('ul', {id, role: 'listbox', 'aria-label': 'classes'});
        this.input = html('input', {type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': id, 'aria-autocomplete': 'list', 'aria-label': 'class', autocomplete: 'off',
            autocapitalize: 'off', spellcheck: 'false', placeholder: 'type part of a name', oninput: () => this.search(), onkeydown: event => this.key(event)});
        this.more = html('p', {class: 'note', role: 'status'});
        this.element = html('div', {class: 'picker', hidden: true}, html('label', {}, 'Right class', this.input), this.list, this.more);
    }

    open() {
        this.input.value = '';
        this.element.hidden = false;
        this.search();
        this.input.focus();
    }

    close() {
        if (this.element.hidden) return;
        this.element.hidden = true;
        this.closed();
    }

    // Names that begin with the text come first, then those with a word that does, then those that have it inside.
    search() {
        const text = this.plain(this.input.value.trim()), rank = name => {
            const place = name.indexOf(text);
            return place <= 0 ? place : /[\p{L}\p{N}]/u.test(name[place - 1]) ? 2 : 1;
        };
        const ranked = this.names.map((name, k) => [rank(name), name === text ? 0 : 1, k]).filter(row => row[0] >= 0).sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
        this.found = ranked.slice(0, 50).map(row => row[2]);
        const more = ranked.length - this.found.length;
        this.more.textContent = !ranked.length ? 'No class has this in its name.' : more ? `${more.toLocaleString('en')} more: type on.` : '';
        this.list.replaceChildren(...this.found.map((k, i) => html('li', {role: 'option', id: `${this.list.id}-${i}`, 'data-class': k, onclick: () => this.pick(k)}, this.classes[k])));
        this.mark(0);
    }

    mark(at) {
        this.at = Math.min(Math.max(at, 0), Math.max(0, this.found.length - 1));
        [...this.list.children].forEach((option, i) => option.setAttribute('aria-selected', i === this.at));
        const option = this.list.children[this.at];
        if (!option) {
            this.input.removeAttribute('aria-activedescendant');
            return;
        }
        this.input.setAttribute('aria-activedescendant', option.id);
        if (option.offsetTop < this.list.scrollTop) this.list.scrollTop = option.offsetTop;
        else if (option.offsetTop + option.offsetHeight > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = option.offsetTop + option.offsetHeight - this.list.clientHeight;
    }

    pick(k) {
        this.close();
        this.chosen(k);
    }

    key(event) {
        const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
        if (step) this.mark(this.at + step);
        else if (event.key === 'Enter' && this.found.length) this.pick(this.found[this.at]);
        else if (event.key === 'Escape') this.close();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }
}

Picker.count = 0;
