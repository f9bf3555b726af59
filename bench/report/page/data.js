'use strict';

// The cells and their texts, as page_data.cpp wrote them.
const data = (() => {
  const json = JSON.parse(document.getElementById('data').textContent);
  const text = (index) => json.texts[index] ?? '';  // past the last detail that a cell has
  const words = new Set(['mode', 'half', 'device', 'status', 'note', 'ceiling', 'unit']);

  const unique = (values) => [...new Set(values)];
  function groupBy(list, key) {
    const groups = new Map();
    for (const item of list) {
      const k = key(item);
      if (!groups.has(k)) groups.set(k, []);
      groups.get(k).push(item);
    }
    return groups;
  }

  for (const rung of json.rungs) rung.short = rung.name.replace(`/${rung.experiment}/`, '/');

  const cells = json.cells.map((line, index) => {
    const cell = {index};
    json.columns.forEach((column, i) => (cell[column] = words.has(column) ? text(line[i]) : line[i]));
    cell.rung = json.rungs[cell.rung];
    cell.point = json.points[cell.point];
    cell.source = json.sources[cell.source];
    cell.experiment = cell.rung.experiment;
    cell.ok = cell.real_time !== null;
    cell.name = [cell.rung.name, cell.point.name, cell.mode].filter(Boolean).join('/');
    cell.notExpressible = cell.note.startsWith('not expressible');
    cell.kind = cell.notExpressible ? 'not expressible' : cell.status;
    cell.reason = cell.note.replace(/^not expressible: /, '');
    cell.outcome = cell.note && !cell.ok ? `${cell.kind}: ${cell.reason}` : cell.status;
    cell.searched = `${cell.name} ${cell.rung.idea} ${cell.rung.bound_by} ${cell.status} ${cell.note}`.toLowerCase();
    return cell;
  });

  // Points by what tells those of an experiment apart: `m = n = k = 2^13`.
  for (const own of groupBy(cells, (c) => c.experiment).values()) {
    const varying = new Set(sweepAxes(own));
    for (const {point} of own) {
      const parts = groupBy(
          Object.keys(point.axes).filter((axis) => varying.has(axis)),
          (axis) => (typeof point.axes[axis] === 'number' && point.axes[axis] > 1 ? point.axes[axis] : axis));
      point.brief =
          [...parts.values()].map((axes) => `${axes.join(' = ')} = ${point.shown[axes[0]]}`).join(', ') || point.short;
    }
  }

  const rival = (r) => r && {...r, cell: cells[r.cell]};
  const verdicts = json.verdicts.map((v) => ({
                                       ...v,
                                       isHeadline: v.is_headline,
                                       cell: cells[v.cell],
                                       best: v.best === null ? null : cells[v.best],
                                       ladder: v.ladder.map(rival),
                                       naive: rival(v.naive),
                                       library: rival(v.library),
                                       others: v.others.map(rival),
                                     }));

  // A cell's texts: by the name of the field, label and text of its details, and for the ladder's columns.
  const place = new Map(json.details.map(({name}, i) => [name, i]));
  const show = (cell, field) => text(cell.details[place.get(field)]);
  const meaning = (field) => json.details[place.get(field)].head || json.details[place.get(field)].meaning;
  const details = (cell, group) => json.details.filter((d) => d.group === group).map((d) => [d.meaning, show(cell, d.name)]);
  const ladderOf = (cell) => cell.ladder.map(text);
  const counters = (cell) => (cell.counters || [])
                                 .map((value, i) => ({...json.counters[i], text: text(value)}))
                                 .filter((counter) => counter.text);

  // The same cell launched in the other way, where the files have it. Of modes `cold/graph` is `cold` by graph.
  const byGraph = (mode) => mode.endsWith('/graph');
  const byName = new Map(cells.map((c) => [`${c.device} ${c.name}`, c]));
  const launchedOtherwise = (cell) =>
      byName.get(`${cell.device} ${byGraph(cell.mode) ? cell.name.slice(0, -'/graph'.length) : `${cell.name}/graph`}`);

  const fastest = (list) => list.reduce((best, c) => (c.ok && (!best || c.real_time < best.real_time) ? c : best), null);

  function comparePoints(a, b) {
    for (const axis of Object.keys(a.axes)) {
      const [x, y] = [a.axes[axis], b.axes[axis]];
      if (x !== y) return typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : 1;
    }
    return 0;
  }
  /// The axes that have several values, numbers first, those with most values first.
  function sweepAxes(list) {
    const values = (axis) => unique(list.map((c) => c.point.axes[axis]).filter((v) => v !== undefined));
    const isNumeric = (axis) => values(axis).every((v) => typeof v === 'number');
    return unique(list.flatMap((c) => Object.keys(c.point.axes)))
        .filter((axis) => values(axis).length > 1)
        .sort((a, b) => isNumeric(b) - isNumeric(a) || values(b).length - values(a).length);
  }
  /// The point without one of its axes.
  const rest = (point, axis) => Object.entries(point.axes)
                                    .filter(([name, v]) => name !== axis && v !== 0)
                                    .map(([name]) => `${name} = ${point.shown[name]}`)
                                    .join(', ') ||
      'all';

  return {
    ...json,
    cells,
    verdicts,
    show,
    meaning,
    details,
    ladderOf,
    counters,
    byGraph,
    launchedOtherwise,
    fastest,
    comparePoints,
    sweepAxes,
    rest,
    unique,
    groupBy,
    experiments: unique(cells.map((c) => c.experiment)).sort(),
    backends: unique(cells.map((c) => c.rung.backend)).sort((a, b) => (b === 'cuda') - (a === 'cuda')),
    modes: unique(cells.map((c) => c.mode)).sort((a, b) => byGraph(a) - byGraph(b)),
  };
})();
