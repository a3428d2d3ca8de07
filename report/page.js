// page.js - gives every run on the page its charts, its review and its task.
'use strict';

for (const run of document.querySelectorAll('section.run')) {
    const data = JSON.parse(run.querySelector('script.data').textContent);
    for (const figure of run.querySelectorAll('figure.chart')) {
        const spec = data.charts.find(chart => chart.id === figure.dataset.chart);
        new (spec.bars ? Bars : Chart)(figure, spec);
    }
    const task = run.querySelector('[data-task]');
    if (task) drawTask(task, data.task, data.pictures);
    const section = run.querySelector('[data-review]');
    if (section) linkReview(run, new Review(section, data));
}
