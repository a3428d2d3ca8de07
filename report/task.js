// task.js - an example few-shot task: support pictures, queries and predictions.
'use strict';

function drawTask(section, task, data) {
    const pictures = new Pictures(data), shown = pictures.count, learned = task.support.length;
    const name = k => task.classes[k];
    const support = task.classes.map((label, k) => html('div', {class: 'class'}, html('h4', {}, label),
        ...task.support.map((number, i) => number === k && i < shown ? pictures.canvas(i, `${label}, to learn from`) : '')));
    const answers = task.query.map((truth, i) => {
        const right = task.predicted[i] === truth, percent = Math.round(100 * task.probability[i]);
        if (learned + i >= shown) return '';
        return html('figure', {class: `card answer ${right ? 'right' : 'wrong'}`, 'data-query': i},
            pictures.canvas(learned + i, `${name(truth)}, taken for ${name(task.predicted[i])}`),
            html('figcaption', {}, html('span', {class: 'labels'}, right ? html('ins', {}, `✓ ${name(truth)}`) : html('del', {}, `✗ ${name(task.predicted[i])}`)),
                html('small', {}, `${percent} % sure`), right ? '' : html('small', {}, `it is ${name(truth)}`)));
    });
    section.append(html('h3', {}, 'Support: the pictures to learn from'), html('div', {class: 'classes'}, ...support), html('h3', {}, 'Queries: the pictures to classify'), html('div', {class: 'cards'}, ...answers));
}
