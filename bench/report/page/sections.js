// The sections of the page, the details of a cell, and the start.
const sections = (() => {
  const {groupBy, show} = data;
  const {element, table, definitions, colour} = format;
  const {chosen} = filters;
  const {parts} = charts;
  const main = document.getElementById('sections');
  const paragraph = (text, kind = null) => element('p', {class: kind}, text);
  const commit = (source) => source.context.commit || 'unknown';

  function showDetails(cell) {
    const {source} = cell, other = data.launchedOtherwise(cell), counted = data.counters(cell);
    document.getElementById('details-title').textContent = cell.name;
    document.getElementById('details-content')
        .replaceChildren(
            paragraph(cell.rung.idea), definitions([['bound by', cell.rung.bound_by]]),
            element('h3', {}, 'Result'), definitions([
              ...data.details(cell, 'result'),
              [`time ${data.byGraph(cell.mode) ? 'by stream' : 'by graph'}`, other && show(other, 'real_time')]
            ]),
            element('h3', {}, 'Kernel'), definitions(data.details(cell, 'kernel')),
            element('h3', {}, 'Where the numbers come from'), definitions([
              ['file', source.file], ['mode', cell.mode], ...data.details(cell, 'source'),
              ...['commit', 'date', 'seed', 'version'].map((key) => [key, source.context[key]])
            ]),
            element('h3', {}, 'Counters'),
            counted.length ? table(
                                 'Hardware counters of one launch', ['counter', '#value', 'meaning'],
                                 counted.map((c) => [c.name, c.text, c.meaning])) :
                             paragraph('None were taken: bench --counters takes them.', 'why'));
    document.getElementById('details').showModal();
  }
  const cellButton = (cell, text) => charts.cellButton(showDetails, cell, text);

  /// A section, with its link; of an experiment, hidden where the filter leaves none of its cells.
  function section(id, title, experiment) {
    const made = element('section', {id, 'aria-labelledby': `${id}-title`}, element('h2', {id: `${id}-title`}, title));
    const link = element('a', {href: `#${id}`}, title);
    main.append(made);
    document.getElementById('contents').append(link);
    if (experiment)
      parts.push({
        refresh() {
          made.hidden = link.hidden = !data.cells.some((c) => c.experiment === experiment && filters.selects(c));
        }
      });
    return made;
  }

  /// A table that follows the filter, made when it is opened. `make` returns {head, rows}.
  function openedTable(parent, title, make) {
    const details = element('details', {}, element('summary', {}, title));
    parent.append(details);
    const part = {
      refresh() {
        details.querySelector('.scroll')?.remove();
        if (!details.open) return;
        const {head, rows} = make();
        details.append(table(title, head, rows));
      }
    };
    details.addEventListener('toggle', part.refresh);
    parts.push(part);
  }

  /// The cards of all devices, folded.
  function devices() {
    const cards = data.devices.filter(({name}) => name).map(
        ({name, file, facts}) => element(
            'article', {class: 'card'}, element('h3', {}, name), definitions(facts),
            paragraph(`as ${file} has it`, 'faint')));
    document.getElementById('setup').append(
        cards.length ? element('div', {class: 'cards'}, ...cards) : paragraph('No device was opened.', 'why'));
  }

  function againstOthers(parent, experiment, open) {
    const all = data.verdicts.filter((v) => v.experiment === experiment);
    charts.againstOthers(parent, {
      id: `backends-${experiment}`,
      title: 'Native against portable',
      something: all.some((v) => v.others.length),
      verdicts: () => all.filter((v) => v.best && filters.shows(v.best))
                          .map((v) => ({...v, others: v.others.filter((o) => filters.shows(o.cell))})),
      open,
    });
  }

  function portability() {
    const made = section('portability', 'Portability');
    made.append(paragraph(
        'Efficiency against the best known variant of all backends on a device, and against its peak (the measured one where it is known); geometric means over the points that run. ' +
        'Performance portability is their harmonic mean over the devices, 0 where one of them cannot run it (Pennycook, Sewall and Lee 2016); the median over the points, with the least and the most.'));
    const lines = () => data.portability.filter(
        (p) => p.mode === chosen.mode && (!chosen.experiment || p.experiment === chosen.experiment) &&
            chosen.backends.has(p.backend) && filters.hasWords(`${p.experiment} ${p.application}`.toLowerCase()));
    const ofBackends = () => lines().filter((p) => p.application === p.backend);
    charts.portability(made, ofBackends);
    charts.cascade(made, ofBackends);
    const several = data.devices.length > 1;
    if (!several)
      made.append(paragraph(
          'These results are of one device: a harmonic mean over devices needs those of several. Give bench report the files of all.',
          'why'));
    const head = [
      'experiment', 'application', '#points', ...(several ? ['#portability, of best', '#portability, of peak'] : []),
      ...data.devices.flatMap(({name}) => [`#of best, ${name}`, `#of peak, ${name}`])
    ];
    const row = (p) =>
        [p.experiment, p.application, String(p.points), ...(several ? [p.of_best, p.of_peak] : []),
         ...data.devices.flatMap(({name}) => {
           const own = p.devices.find((d) => d.device === name);
           return own ? [own.of_best[1], own.of_peak[1]] : ['', ''];
         })];
    openedTable(made, 'Backends in numbers', () => ({head, rows: ofBackends().map(row)}));
    openedTable(
        made, 'Every rung', () => ({head, rows: lines().filter((p) => p.application !== p.backend).map(row)}));
  }

  function experiment(name) {
    const made = section(`experiment-${name}`, name, name);
    for (const chart of [charts.ladder, charts.sweep, charts.randomPoints, againstOthers, charts.tunings])
      chart(made, name, showDetails);
    const findings = data.findings.filter((f) => f.experiment === name);
    if (findings.length)
      made.append(element(
          'details', {}, element('summary', {}, 'Findings'),
          ...findings.flatMap((f) => [
            paragraph(`${f.device}, ${f.mode}; ${data.sources[f.source].file}:`, 'faint'),
            element('ul', {}, ...f.lines.map((line) => element('li', {}, line)))
          ])));
    openedTable(made, 'Every cell, and where its numbers come from', () => ({
      head: [
        'cell', 'status', '#time', '#±', '#rate', '#of peak', '#samples', 'ended by', '#clock', 'device', 'file', 'commit'
      ],
      rows: filters.shown(name).map(
          (c) => [cellButton(c), c.outcome,
                  ...['real_time', 'spread', 'rate', 'of_measured_peak', 'samples', 'stopped', 'sm_clock_mhz'].map(
                      (field) => show(c, field)),
                  c.device, c.source.file, commit(c.source)]),
    }));
  }

  function withoutNumbers() {
    const made = section('without-numbers', 'Without a number');
    const target = element('div');
    made.append(
        paragraph(
            'What failed, was skipped, was wrong or implausible, and what a backend cannot express: each with its reason.'),
        target);
    const order = ['failed', 'wrong', 'implausible', 'ok', 'skipped', 'not expressible'];
    parts.push({
      refresh() {
        const list = data.cells.filter((c) => filters.shows(c) && !c.ok);
        const groups = [...groupBy(list, (c) => `${c.kind}\n${c.rung.name}\n${c.note}`).values()].sort(
            ([a], [b]) => order.indexOf(a.kind) - order.indexOf(b.kind));
        const row = (own) => {
          const [first] = own, {name} = first.rung;
          return [own.length === 1 ? cellButton(first, name) : name, first.kind, first.reason, String(own.length)];
        };
        target.replaceChildren(
            groups.length ?
                table(
                    `${list.length} cells of ${groups.length} kinds`, ['rung', 'status', 'reason', '#points'],
                    groups.map(row)) :
                paragraph('Every cell that is shown has a number.', 'why'));
      }
    });
  }

  function sources() {
    const made = section('sources', 'Sources');
    made.append(paragraph(`Page made by ${
        data.made_by}. Of a cell that several files have, the newest counts. Open a cell, in a table or by a click on its mark, for all that is known of it.`));
    const columns = ['commit', 'date', 'seed', 'version', 'backends'];
    const isElse = (key) =>
        !columns.includes(key) && !key.startsWith('device.') && key !== 'executable' && key !== 'library';
    const used = groupBy(data.cells, (c) => c.source);
    const row = (source) =>
        [source.file, String((used.get(source) || []).length),
         ...columns.map((key) => (source.context[key] ?? '').replace('T', ' ').replace(/,/g, ', ')),
         Object.entries(source.context)
             .filter(([key]) => isElse(key))
             .map(([key, value]) => `${key.replace(/_/g, ' ')}: ${value}`)
             .join('; ')];
    made.append(table('Files of results', ['file', '#cells used', ...columns, 'else'], data.sources.map(row)));
  }

  // --- The start -------------------------------------------------------------------------------------------------------

  const root = document.documentElement, themeButton = document.getElementById('theme');
  function setTheme(theme) {
    root.dataset.theme = theme;
    themeButton.textContent = theme === 'dark' ? 'Light' : 'Dark';
    for (const swatch of document.querySelectorAll('.swatch')) swatch.style.background = colour(swatch.dataset.backend);
    for (const part of parts)
      if (part.figure) part.refresh();
  }
  function refresh() {
    document.getElementById('shown').textContent =
        `${data.cells.filter(filters.shows).length} of ${data.cells.length} cells`;
    for (const part of parts) part.refresh();
  }

  const kinds = [...groupBy(data.cells, (c) => (c.ok ? 'with a number' : c.kind))];
  document.getElementById('summary').textContent =
      `${data.cells.length} cells of ${data.experiments.length} experiments on ${
          data.devices.map((d) => d.name).join(', ') || 'no device'}: ${
          kinds.map(([kind, own]) => `${own.length} ${kind}`).join(', ')}.`;
  filters.start(refresh);
  devices();
  overview.start(showDetails);
  portability();
  charts.roofline(section('roofline', 'Roofline'), showDetails);
  data.experiments.forEach(experiment);
  withoutNumbers();
  sources();
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const preferred = () => setTheme(dark.matches ? 'dark' : 'light');
  preferred();
  dark.addEventListener('change', preferred);
  themeButton.addEventListener('click', () => setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark'));
  addEventListener('beforeprint', () => parts.forEach((part) => part.draw?.()));
  refresh();
  // Behind the first frame, and the charts that it shows.
  requestAnimationFrame(() => setTimeout(() => performance.mark('crosswarp-open')));
})();
