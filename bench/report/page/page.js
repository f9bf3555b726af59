// Reads the data of the page, lets a filter choose among its cells, and has plotly draw what is chosen: each chart when
// it comes into view. Every chart has its numbers in a table, too. Texts of the data get into the page as text, never
// as HTML.
'use strict';

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const texts = new Set([
    'mode', 'device', 'status', 'note', 'rate_of', 'ceiling', 'throttle', 'stopped', 'bound', 'proof', 'other_rung'
  ]);

  // --- The cells -------------------------------------------------------------------------------------------------

  const cells = data.cells.map((line, place) => {
    const cell = {place};
    data.columns.forEach((column, i) => {
      cell[column] = texts.has(column) ? (line[i] === null ? '' : data.texts[line[i]]) : line[i];
    });
    cell.rung = data.rungs[cell.rung];
    cell.point = data.points[cell.point];
    cell.source = data.sources[cell.source];
    cell.experiment = cell.rung.experiment;
    cell.name = [cell.rung.name, cell.point.name, cell.mode].filter(Boolean).join('/');
    cell.searched = `${cell.name} ${cell.rung.idea} ${cell.rung.bound_by} ${cell.status} ${cell.note}`.toLowerCase();
    cell.notExpressible = cell.note.startsWith('not expressible');
    return cell;
  });
  const ok = (cell) => cell.time !== null;
  /// The same cell launched in the other way, where the files have it. Of modes `cold/graph` is `cold` by graph.
  const byGraph = (mode) => mode.endsWith('/graph');
  const named = new Map(cells.map((c) => [`${c.device} ${c.name}`, c]));
  const launchedOtherwise = (cell) =>
      named.get(`${cell.device} ${byGraph(cell.mode) ? cell.name.slice(0, -'/graph'.length) : `${cell.name}/graph`}`);
  const otherWay = (mode) => (byGraph(mode) ? 'by stream' : 'by graph');
  const rungName = (cell) => cell.rung.name.replace(`/${cell.experiment}/`, '/');

  const unique = (values) => [...new Set(values)];
  const groupBy = (list, key) => {
    const groups = new Map();
    for (const item of list) {
      const k = key(item);
      if (!groups.has(k)) groups.set(k, []);
      groups.get(k).push(item);
    }
    return groups;
  };
  const fastest = (list) => list.reduce((best, c) => (ok(c) && (!best || c.time < best.time) ? c : best), null);
  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };

  const experiments = unique(cells.map((c) => c.experiment)).sort();
  const backends = unique(cells.map((c) => c.rung.backend)).sort((a, b) => (b === 'cuda') - (a === 'cuda'));
  const devices = [...groupBy(cells.filter((c) => c.device), (c) => c.device)]
                      .sort(([, a], [, b]) => b.length - a.length)
                      .map(([device]) => device);
  const modes = unique(cells.map((c) => c.mode)).sort((a, b) => byGraph(a) - byGraph(b));

  // --- Numbers for people ----------------------------------------------------------------------------------------

  const prefixes = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'];
  /// `more` than three digits, where it is differences that count.
  function si(value, unit, more = 0) {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (value === 0) return `0 ${unit}`;
    const thousands = Math.max(-4, Math.min(5, Math.floor(Math.log10(Math.abs(value) * (1 + 1e-9)) / 3)));
    return `${digits(value / 1000 ** thousands, more)} ${prefixes[thousands + 4]}${unit}`;
  }
  /// Of a round number: `2 TB/s`.
  const brief = (value, unit) =>
      (!unit ? String(Number(value.toPrecision(3))) : si(value, unit).replace(/\.0+(?= )|(\.\d*[1-9])0+(?= )/, '$1'));
  const digits = (value, more = 0) => value.toFixed(
      more +
      (Math.abs(value) < 9.995     ? 2 :
           Math.abs(value) < 99.95 ? 1 :
                                     0));
  const percent = (value) => (value === null || value === undefined ? '–' : `${(100 * value).toFixed(1)} %`);
  /// `1.05 (naive)`: what a ratio is to, without its experiment.
  const to = (ratio, name) =>
      (ratio ? times(ratio[0]) + (name ? ` (${name.split('/').filter((_, i) => i !== 1 || name.split('/').length < 3).join('/')})` : '') :
               '');
  const times = (value) =>
      (value === null                  ? '–' :
           value > 0 && value < 0.0995 ? value.toPrecision(2) :
                                         value.toFixed(2));
  const precise = (ratio) => {
    if (!ratio) return '';
    const interval = ratio[1] === null ? '[?]' : `[${ratio[1].toFixed(3)}, ${ratio[2].toFixed(3)}]`;
    return `${ratio[0].toFixed(3)} ${interval}`;
  };
  function binaryBytes(value) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
    return `${Number(value.toPrecision(4))} ${units[unit]}`;
  }
  const units = {bytes: 'B/s', flops: 'FLOP/s', accesses: 's'};
  /// What a cell is rated by: its rate, or for accesses the time of one.
  const rated = (cell) => (cell.rate_of === 'accesses' ? latency(cell) : cell.rate);
  const showRated = (cell) => (cell.rate === null ? '–' : si(rated(cell), units[cell.rate_of]));
  /// Of a load or another access: as the kernel's own clock has it, else by the launch's time.
  function latency(cell) {
    if (cell.observed.ns_per_load !== undefined) return cell.observed.ns_per_load * 1e-9;
    return cell.rate ? 1 / cell.rate : null;
  }
  const showTime = (cell) => (ok(cell) ? si(cell.time, 's') : '–');
  const kind = (cell) => (cell.notExpressible ? 'not expressible' : cell.status);
  const reason = (cell) => cell.note.replace(/^not expressible: /, '');
  const showStatus = (cell) => (cell.note && !ok(cell) ? `${kind(cell)}: ${reason(cell)}` : cell.status);
  function showValue(axis, value) {
    if (typeof value !== 'number') return String(value);
    if (axis === 'bytes') return binaryBytes(value);
    const exponent = Math.log2(value);
    return value >= 1024 && Number.isInteger(exponent) ? `2^${exponent}` : String(value);
  }

  // --- Elements --------------------------------------------------------------------------------------------------

  /// element('p', {class: 'faint'}, 'text', child, …)
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith('on'))
        made.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null)
        made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.filter((c) => c !== null && c !== undefined));
    return made;
  }
  const option = (value, text = value) => element('option', {value}, text);
  const cellButton = (cell, text = cell.name) =>
      element('button', {type: 'button', onclick: () => showDetails(cell)}, text);

  /// head: names of columns, those of numbers begin with '#'. A row's first cell is its head.
  function table(caption, head, rows) {
    const isNumber = head.map((h) => h.startsWith('#'));
    const body = element('tbody');
    for (const row of rows)
      body.append(element(
          'tr', {},
          ...row.map(
              (content, i) =>
                  element(i ? 'td' : 'th', {scope: i ? null : 'row', class: isNumber[i] ? 'number' : null}, content))));
    return element(
        'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
        element(
            'table', {}, element('caption', {}, caption),
            element(
                'thead', {},
                element(
                    'tr', {},
                    ...head.map(
                        (h, i) =>
                            element('th', {scope: 'col', class: isNumber[i] ? 'number' : null}, h.replace(/^#/, ''))))),
            body));
  }
  const definitions = (pairs) => element(
      'dl', {},
      ...pairs.filter(([, v]) => v !== null && v !== undefined && v !== '')
          .flatMap(([k, v]) => [element('dt', {}, k), element('dd', {}, v)]));

  // --- Colours: a hue for each backend, a lightness and a symbol for each of its rungs ------------------------------

  // Okabe and Ito's, which colour-blind people tell apart.
  const hues = {cuda: [202, 85], kokkos: [32, 95], hip: [162, 85], host: [327, 45], simt: [265, 40], simt64: [265, 40]};
  const spareHues = [[54, 85], [0, 60], [220, 15]];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const symbols = [
    'circle', 'square', 'diamond', 'triangle-up', 'cross', 'star', 'triangle-down', 'x', 'hexagon', 'bowtie',
    'pentagon', 'hourglass'
  ];
  function colour(backend, step = 0, of = 1) {
    const [hue, saturation] =
        hues[backend] || spareHues[Math.max(0, backends.filter((b) => !hues[b]).indexOf(backend)) % spareHues.length];
    const middle = parseFloat(css('--lightness')), spread = of > 1 ? 30 * (step / (of - 1) - 0.5) : 0;
    return `hsl(${hue}, ${saturation}%, ${middle + spread}%)`;
  }
  // Its marks are the largest and lie below those of the others, so that neither hides where they agree.
  const isFirst = (backend) => backend === backends[0];
  /// The colours and symbols of some cells' variants. A variant has one symbol in all backends.
  function look(list) {
    const variants = unique(list.map((c) => c.rung.variant));
    const own = groupBy(unique(list.map((c) => c.rung)), (r) => r.backend);
    return ({backend, variant}) => {
      const mine = unique(own.get(backend).map((r) => r.variant));
      return {
        colour: colour(backend, mine.indexOf(variant), mine.length),
        symbol: symbols[variants.indexOf(variant) % symbols.length]
      };
    };
  }

  // --- What hovering tells, and the details of a cell ----------------------------------------------------------------

  // plotly takes a few tags in texts; names of the data are none.
  const plain = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const onHover = [
    'dram_throughput', 'l2_throughput', 'sm_throughput', 'l2_hit_rate', 'achieved_occupancy', 'sectors_per_load',
    'bank_conflicts', 'issue_slots', 'ipc'
  ];
  function showCounter(place, value) {
    const unit = data.counters[place][1];
    if (unit === '%') return `${value.toFixed(1)} %`;
    if (unit === 'ns') return si(value * 1e-9, 's');
    if (unit === 'B' || unit === 'Hz') return si(value, unit);
    return `${value >= 1e5 ? value.toExponential(3) : value}`;
  }
  /// Median / max. null: the result is no number.
  const showUlps = (errors) => errors ? errors.slice(0, 2).map((e) => e === null ? 'inf' : String(e)).join(' / ') : '';
  const errorColumns = (list) => unique(list.flatMap((c) => Object.keys(c.accuracy || {})));

  function hover(cell) {
    const lines = [`<b>${plain(rungName(cell))}</b>`, plain(cell.point.short)];
    if (!ok(cell)) return [...lines, plain(showStatus(cell))].join('<br>');
    lines.push(`${showTime(cell)} ± ${percent(cell.spread)}, ${showRated(cell)}${
        cell.rate_of === 'accesses' ? ' an access' : ''}`);
    if (cell.of_measured !== null) lines.push(`${percent(cell.of_measured)} of the measured peak`);
    if (cell.of_theoretical !== null) lines.push(`${percent(cell.of_theoretical)} of the theoretical peak`);
    if (cell.parent) lines.push(`${times(cell.parent[0])} × its parent ${plain(cell.rung.improves || '')}`);
    if (cell.library) lines.push(`${times(cell.library[0])} × the library`);
    if (cell.bound) lines.push(plain(cell.bound.replace(/(.{60}\S*) /g, '$1\n')).replace(/\n/g, '<br>'));
    for (const [on, errors] of Object.entries(cell.accuracy || {}))
      lines.push(`errors on ${on} numbers: ${showUlps(errors)} ulps`);
    for (const [name, value] of Object.entries(cell.observed).slice(0, 4)) lines.push(`${plain(name)} ${value}`);
    if (cell.counters)
      for (const name of onHover) {
        const place = data.counters.findIndex((c) => c[0] === name);
        if (place >= 0 && cell.counters[place] !== null)
          lines.push(`${name} ${showCounter(place, cell.counters[place])}`);
      }
    lines.push(`<i>${plain(cell.source.file)}, commit ${plain(cell.source.context.commit || 'unknown')}</i>`);
    return lines.join('<br>');
  }

  function showDetails(cell) {
    const {context} = cell.source;
    document.getElementById('details-title').textContent = cell.name;
    const content = document.getElementById('details-content');
    const ratio = (r) => (r ? `${precise(r)} × as fast` : null);
    const other = launchedOtherwise(cell);
    content.replaceChildren(
        element('p', {}, cell.rung.idea), definitions([['bound by', cell.rung.bound_by]]),
        element('h3', {}, 'Result'), definitions([
          ['status', showStatus(cell)],
          ['note', ok(cell) ? cell.note : null],
          ['time of a launch', ok(cell) ? showTime(cell) : null],
          [`time of a launch ${otherWay(cell.mode)}`, other ? showTime(other) : null],
          [
            '95 % interval of the median over placements',
            ok(cell) && cell.low !== null ? `${si(cell.low, 's', 1)} to ${si(cell.high, 's', 1)}` : null
          ],
          ['spread: half the quartiles’ distance', ok(cell) ? percent(cell.spread) : null],
          [cell.rate_of === 'accesses' ? 'time of an access' : 'rate', ok(cell) ? showRated(cell) : null],
          ['held to', cell.ceiling],
          [
            'of measured peak',
            cell.of_measured === null ? null :
                                        `${percent(cell.of_measured)} of ${si(cell.measured_peak, units[cell.rate_of])}`
          ],
          [
            'of theoretical peak',
            cell.of_theoretical === null ? null :
                                           percent(cell.of_theoretical) +
                    (cell.theoretical_peak ? ` of ${si(cell.theoretical_peak, units[cell.rate_of])}` : '')
          ],
          ['bound', cell.bound],
          ['proof', cell.proof],
          ['improves', cell.rung.improves],
          [`against its parent${cell.rung.improves ? `, ${cell.rung.improves}` : ''}`, ratio(cell.parent)],
          ['against the library', ratio(cell.library)],
          [`against ${cell.other_rung || 'the other backend'}`, ratio(cell.other)],
          [
            'error against the oracle',
            cell.error === null ? null : `${cell.error}, at most ${cell.error_bound} is right`
          ],
          ...Object.entries(cell.accuracy || {}).map(([on, errors]) => [
            `errors on ${on} numbers, median / max`,
            `${showUlps(errors)} ulps, ${showUlps(errors.slice(2))} of the result`
          ]),
          ...Object.entries(cell.observed),
        ]),
        element('h3', {}, 'Kernel'), definitions([
          ['tuning', cell.rung.tuning || 'none'],
          ['registers', cell.registers],
          ['shared memory', cell.shared_bytes === null ? null : `${cell.shared_bytes} B`],
          ['occupancy', cell.occupancy === null ? null : percent(cell.occupancy)],
          ['blocks', cell.blocks],
          ['threads of a block', cell.threads],
        ]),
        element('h3', {}, 'Where the numbers come from'), definitions([
          ['file', cell.source.file],
          ['device', cell.device],
          ['mode', cell.mode],
          [
            'samples',
            ok(cell) ? `${cell.samples} in ${cell.placements} placements, ${cell.launches} launches each` : null
          ],
          ['ended by', cell.stopped],
          ['an empty launch', cell.floor === null ? null : si(cell.floor, 's')],
          ['clock before and after', cell.clock ? `${cell.clock_before} and ${cell.clock} MHz` : null],
          ['throttled by', cell.throttle],
          ['commit', context.commit],
          ['date', context.date],
          ['seed', context.seed],
          ['version', context.version],
        ]),
        element('h3', {}, 'Counters'));
    const counted =
        cell.counters ? data.counters.map((c, i) => [c, cell.counters[i], i]).filter(([, v]) => v !== null) : [];
    content.append(
        counted.length ? table(
                             'Hardware counters of one launch', ['counter', '#value', 'meaning'],
                             counted.map(([c, v, i]) => [c[0], showCounter(i, v), c[2]])) :
                         element('p', {class: 'why'}, 'None were taken: bench --counters takes them.'));
    document.getElementById('details').showModal();
  }

  // --- The filter ------------------------------------------------------------------------------------------------

  const form = document.getElementById('filter');
  const filter = {};
  function readFilter() {
    const fields = new FormData(form);
    filter.device = fields.get('device');
    filter.mode = fields.get('mode');
    filter.experiment = fields.get('experiment');
    filter.backends = new Set(fields.getAll('backend'));
    filter.words = fields.get('text').toLowerCase().split(/\s+/).filter(Boolean);
  }
  /// Apart from device and mode.
  const selected = (cell) => (!filter.experiment || cell.experiment === filter.experiment) &&
      filter.backends.has(cell.rung.backend) && filter.words.every((word) => cell.searched.includes(word));
  // What was skipped before a device was opened is so on all of them.
  const shown = (cell) =>
      selected(cell) && (!cell.device || cell.device === filter.device) && cell.mode === filter.mode;

  function makeFilter() {
    form.elements.device.append(...devices.map((d) => option(d)));
    form.elements.mode.append(...modes.map((m) => option(m)));
    document.getElementById('by-device').hidden = devices.length < 2;
    document.getElementById('by-mode').hidden = modes.length < 2;
    form.elements.experiment.append(option('', 'all'), ...experiments.map((e) => option(e)));
    for (const backend of backends)
      document.getElementById('by-backend')
          .append(element(
              'label', {}, element('input', {type: 'checkbox', name: 'backend', value: backend, checked: true}),
              element('span', {class: 'swatch', 'data-backend': backend}), backend));
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(refresh));
    form.addEventListener('change', refresh);
    let typing;
    form.elements.text.addEventListener('input', () => {
      clearTimeout(typing);
      typing = setTimeout(refresh, 150);
    });
  }

  // --- Sections, charts and tables, which follow the filter ----------------------------------------------------------

  const parts = [];  // what is made anew when the filter changes, in the order of the page
  const main = document.getElementById('content');

  function section(id, title, experiment) {
    const made = element('section', {id, 'aria-labelledby': `${id}-title`}, element('h2', {id: `${id}-title`}, title));
    const link = element('a', {href: `#${id}`}, title);
    main.append(made);
    document.getElementById('contents').append(link);
    if (experiment)
      parts.push({
        refresh() {
          const left = cells.some((c) => c.experiment === experiment && selected(c));
          made.hidden = link.hidden = !left;
        }
      });
    return made;
  }

  const inView = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const part = parts.find((p) => p.figure === entry.target);
      part.visible = entry.isIntersecting;
      part.drawIfVisible();
    }
  }, {rootMargin: '300px'});

  /// A chart below a heading, with what chooses in it and its numbers. `make(state)` returns {traces, layout, head,
  /// rows, summary}, or {why} where there is nothing to draw; `state` has the values of `controls`, each {name, label,
  /// options()}. Until it is drawn its place is kept, where there is `something` to draw: else links would miss what
  /// lies below.
  function chart(parent, id, title, explanation, controls, make, something = true) {
    const target = element('div', {class: 'chart', role: 'img', id, 'data-state': something ? 'waiting' : 'empty'});
    const why = element('p', {class: 'why'});
    const numbers = element('details', {}, element('summary', {}, 'The same in numbers'));
    const selects = controls.map((control) => element('select', {name: control.name}));
    const labels = controls.map((control, i) => element('label', {}, `${control.label} `, selects[i]));
    const heading = element('h3', {id: `${id}-title`}, title);
    const figure = element(
        'figure', {'aria-labelledby': `${id}-title`}, element('figcaption', {}, explanation),
        element('div', {class: 'controls'}, ...labels), target, why, numbers);
    parent.append(heading, figure);

    const part = {figure, visible: false, stale: true, made: null, title};
    const state = () => Object.fromEntries(selects.map((s) => [s.name, s.value]));
    function fillControls() {
      controls.forEach((control, i) => {
        const options = control.options(state()), old = selects[i].value;
        selects[i].replaceChildren(...options.map((o) => option(o)));
        const kept = selects[i].dataset.chosen === 'yes' && options.includes(old);
        selects[i].value = kept ? old : control.preferred ? control.preferred(options, state()) : options[0];
        labels[i].hidden = options.length < 2;
      });
    }
    function fillTable() {
      numbers.querySelector('.scroll')?.remove();
      if (numbers.open && part.made.rows)
        numbers.append(table(`${title}: ${part.made.summary}`, part.made.head, part.made.rows));
    }
    function draw() {
      part.stale = false;
      fillControls();
      const made = part.made = make(state());
      why.textContent = made.why || '';
      why.hidden = !made.why;
      numbers.hidden = Boolean(made.why);
      if (made.why) {
        target.dataset.state = 'empty';
        return;
      }
      target.dataset.state = 'drawn';
      target.setAttribute('aria-label', `${title}. ${made.summary} The same in numbers is below.`);
      Plotly.react(target, made.traces, layout(made.layout, made.traces.filter((t) => t.showlegend !== false && t.name).length), {
        responsive: true,
        displaylogo: false,
        // Only these buttons: some versions of plotly add one that uploads the chart.
        modeBarButtons: [['toImage'], ['zoom2d', 'pan2d', 'autoScale2d', 'resetScale2d']],
        showSendToCloud: false,
        plotlyServerURL: ''
      });
      if (!target.dataset.listens) {
        target.dataset.listens = 'yes';
        target.on('plotly_click', (event) => {
          const place = event.points[0].customdata;
          if (typeof place === 'number') showDetails(cells[place]);
        });
      }
      fillTable();
    }
    part.refresh = () => {
      part.stale = true;
      part.drawIfVisible();
    };
    part.drawIfVisible = () => {
      if (part.stale && part.visible) draw();
    };
    part.draw = () => {
      if (part.stale) draw();
    };
    numbers.addEventListener('toggle', () => part.made && fillTable());
    selects.forEach((s) => s.addEventListener('change', () => {
      s.dataset.chosen = 'yes';
      draw();
    }));
    parts.push(part);
    inView.observe(figure);
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

  /// `entries`: of the legend. On a narrow screen it stands below the chart, to which it would leave no room.
  function layout(own, entries) {
    const isNarrow = window.innerWidth < 700;
    const below = isNarrow ? {
      margin: {l: 44, r: 8, t: 40, b: 48},
      legend: {...own.legend, orientation: 'h', x: 0, y: -0.2, yanchor: 'top'},
      height: (own.height || 450) + 20 * entries
    } :
                             {};
    const axis = {gridcolor: css('--grid'), linecolor: css('--line'), zerolinecolor: css('--line'), automargin: true};
    const axes = {};
    for (const name of ['xaxis', 'yaxis']) axes[name] = {...axis, ...own[name]};
    return {
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      font: {color: css('--text'), size: 12},
      hoverlabel:
          {bgcolor: css('--panel'), bordercolor: css('--line'), font: {color: css('--text'), size: 12}, align: 'left'},
      margin: {l: 60, r: 24, t: 40, b: 48},
      hovermode: 'closest',
      modebar: {bgcolor: 'rgba(0,0,0,0)', color: css('--faint'), activecolor: css('--accent')},
      ...own,
      ...axes,
      ...below,
    };
  }
  /// Ticks at round numbers with their unit, which plotly's own prefixes do not know.
  function logAxis(title, unit, values) {
    const least = Math.log10(Math.min(...values)), most = Math.log10(Math.max(...values));
    const every = Math.max(1, Math.ceil((most - least) / 9)), ticks = [];
    for (let decade = Math.floor(least) - 1; decade <= Math.ceil(most) + 1; decade += every)
      ticks.push(...(most - least < 0.7   ? [1, 1.5, 2, 3, 4, 5, 7] :
                         most - least < 2 ? [1, 2, 5] :
                                            [1])
                     .map((m) => m * 10 ** decade));
    return {type: 'log', title: {text: title}, tickvals: ticks, ticktext: ticks.map((t) => brief(t, unit))};
  }
  function linearAxis(title, unit, most) {
    const power = 10 ** Math.floor(Math.log10(most / 4)),
          step = [1, 2, 5, 10].map((m) => m * power).find((v) => most / v <= 8);
    const ticks = Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
    return {title: {text: title}, range: [0, most], tickvals: ticks, ticktext: ticks.map((t) => brief(t, unit))};
  }
  /// An axis of values, at which ticks stand; of logarithms where they are numbers far apart.
  function valueAxis(axis, values) {
    const numeric = values.every((v) => typeof v === 'number' && v > 0);
    if (!numeric || Math.max(...values) < 8 * Math.min(...values))
      return {
        type: 'category',
        categoryorder: 'array',
        categoryarray: values.map((v) => showValue(axis, v)),
        title: {text: axis}
      };
    const sorted = unique(values).sort((a, b) => a - b);
    const octaves = Math.log2(sorted[sorted.length - 1] / sorted[0]),
          every = Math.ceil(octaves / 12);  // at least 3 of them
    const first = Math.round(Math.log2(sorted[0]));
    const ticks = Array.from({length: Math.floor(octaves / every) + 1}, (_, i) => 2 ** (first + i * every));
    return {
      type: 'log',
      title: {text: axis},
      tickvals: ticks,
      ticktext: ticks.map((t) => showValue(axis, t).replace(/\^(\d+)/, '<sup>$1</sup>'))
    };
  }
  const onAxis = (made, axis, value) => (made.type === 'category' ? showValue(axis, value) : value);

  const comparePoints = (a, b) => {
    for (const axis of Object.keys(a.axes)) {
      const [x, y] = [a.axes[axis], b.axes[axis]];
      if (x !== y) return typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : 1;
    }
    return 0;
  };
  const rest = (point, axis) => Object.entries(point.axes)
                                    .filter(([name, v]) => name !== axis && v !== 0)
                                    .map(([name, v]) => `${name} = ${showValue(name, v)}`)
                                    .join(', ') ||
      'all';

  // --- The charts of an experiment ---------------------------------------------------------------------------------

  const ofExperiment = (experiment) => cells.filter((c) => c.experiment === experiment && shown(c));
  function nothing(experiment) {
    const elsewhere = unique(cells.filter((c) => c.experiment === experiment && selected(c))
                                 .map((c) => `${c.device || 'no device'}, ${c.mode}`));
    return {
      why: elsewhere.length ? `Nothing of ${filter.device}, ${filter.mode}; there is of ${elsewhere.join('; ')}.` :
                              'The filter leaves no cell.'
    };
  }

  /// Lines across a chart with their names in the legend, where they cannot cover each other. `lines`: {value, name,
  /// dash, colour}.
  function across(lines, direction) {
    const shapes =
        lines.map((line) => ({
                    type: 'line',
                    line: {color: line.colour, dash: line.dash, width: 2},
                    layer: 'above',
                    ...(direction === 'vertical' ? {x0: line.value, x1: line.value, yref: 'paper', y0: 0, y1: 1} :
                                                   {y0: line.value, y1: line.value, xref: 'paper', x0: 0, x1: 1}),
                  }));
    const traces = lines.map((line) => ({
                               type: 'scatter',
                               mode: 'lines',
                               x: [null],
                               y: [null],
                               name: line.name,
                               line: {color: line.colour, dash: line.dash, width: 2},
                               hoverinfo: 'skip',
                             }));
    return {shapes, traces};
  }
  /// The ceilings that some cells are held to: measured and theoretical, in their unit.
  function ceilings(list) {
    const lines = [];
    for (const [ceiling, held] of groupBy(
             list.filter((c) => c.ceiling && c.rate_of !== 'accesses'), (c) => c.ceiling)) {
      const unit = units[held[0].rate_of];
      for (const [key, word, dash] of [
               ['measured_peak', 'measured', 'dash'], ['theoretical_peak', 'theoretical', 'dot']]) {
        const values = held.map((c) => c[key]).filter((v) => v);
        if (values.length)
          lines.push({
            value: median(values),
            name: `${ceiling}, ${word}: ${si(median(values), unit)}`,
            dash,
            colour: css(word === 'measured' ? '--text' : '--faint')
          });
      }
    }
    return lines;
  }

  function ladder(parent, experiment) {
    const points = () => [...groupBy(ofExperiment(experiment), (c) => c.point)].sort(([a], [b]) => comparePoints(a, b));
    const atPoint = (name) => ofExperiment(experiment).filter((c) => c.point.short === name);
    chart(
        parent, `ladder-${experiment}`, 'The ladder',
        'Every rung at one point, in the order of the ladder; lines for the ceilings and the fastest library.', [{
          name: 'point',
          label: 'Point',
          options: () => points().map(([p]) => p.short),
          // The last of those where most rungs have a number.
          preferred: () => points()
                               .reduce(
                                   (best, [p, list]) => {
                                     const count = list.filter(ok).length;
                                     return count >= best.count ? {count, name: p.short} : best;
                                   },
                                   {count: -1})
                               .name,
        }],
        ({point}) => {
          const list = atPoint(point);
          if (!list.length) return nothing(experiment);
          const withNumbers = list.filter(ok);
          if (!withNumbers.length)
            return {why: `No rung has a number at ${point}: ${unique(list.map(showStatus)).join('; ')}.`};
          const isTime = withNumbers[0].rate_of === 'accesses', unit = units[withNumbers[0].rate_of];
          const library = fastest(list.filter((c) => c.rung.library));
          // Of cells with a number, in the chart's unit: what others are held to may be of another kind.
          const lines = ceilings(withNumbers.filter((c) => c.rate_of === withNumbers[0].rate_of));
          if (library)
            lines.push({
              value: rated(library),
              name: `library, ${rungName(library)}: ${showRated(library)}`,
              dash: 'longdashdot',
              colour: css('--bad')
            });
          const both = list.some(launchedOtherwise), way = otherWay(filter.mode);
          const otherwise = (c) => (c ? [showTime(c), c.library ? times(c.library[0]) : ''] : ['', '']);
          const drawn = across(lines, 'vertical');
          const most = Math.max(...withNumbers.map(rated), ...lines.map((l) => l.value));
          const short = (text) => (text.length > 90 ? `${text.slice(0, 88)}…` : text);
          const label = (c) =>
              (ok(c) ? showRated(c) + (c.of_measured !== null ? ` (${percent(c.of_measured)})` : '') :
                                                                short(showStatus(c)));
          const bars = [...groupBy(list, (c) => c.rung.backend)].map(
              ([backend, own]) => ({
                type: 'bar',
                orientation: 'h',
                name: backend,
                y: own.map(rungName),
                x: own.map((c) => (ok(c) ? rated(c) : 0)),
                text: own.map((c) => `\u00a0${plain(label(c))}\u00a0`),
                textposition: own.map((c) => (ok(c) && rated(c) > 0.5 * most ? 'inside' : 'outside')),
                insidetextanchor: 'end',
                insidetextfont: {color: css('--page')},
                outsidetextfont: {color: css('--text')},
                cliponaxis: false,
                textangle: 0,
                constraintext: 'none',
                hovertext: own.map(hover),
                hoverinfo: 'text',
                customdata: own.map((c) => c.place),
                marker: {color: colour(backend)},
                error_x: {
                  type: 'data',
                  array: own.map((c) => (ok(c) ? rated(c) * c.spread : 0)),
                  color: css('--faint'),
                  thickness: 1,
                  width: 0
                },
              }));
          return {
            traces: [...bars, ...drawn.traces],
            layout: {
              height: 130 + 27 * list.length,
              barmode: 'overlay',
              bargap: 0.25,
              shapes: drawn.shapes,
              xaxis: linearAxis(
                  isTime ? 'time of an access, shorter is better' : 'rate, longer is better', unit, 1.06 * most),
              yaxis:
                  {autorange: 'reversed', categoryorder: 'array', categoryarray: list.map(rungName), type: 'category'},
              legend: {orientation: 'h', y: 1, yanchor: 'bottom', x: 0},
            },
            summary: `${point}: ${withNumbers.length} of ${list.length} rungs have a number; the fastest is ${
                rungName(fastest(list))} with ${showRated(fastest(list))}.`,
            head: [
              'rung', '#time', '#±', isTime ? '#of an access' : '#rate', '#of measured peak', '#× parent', '#× library',
              '#× other backend', ...(both ? [`#time ${way}`, `#× library ${way}`] : []),
              ...errorColumns(list).map((on) => `#ulps, ${on}: median / max`), 'bound, or why there is no number'
            ],
            rows: list.map(
                (c) =>
                    [cellButton(c, rungName(c)), showTime(c), ok(c) ? percent(c.spread) : '', showRated(c),
                     percent(c.of_measured), to(c.parent, c.rung.improves), c.library ? times(c.library[0]) : '',
                     to(c.other, c.other_rung), ...(both ? otherwise(launchedOtherwise(c)) : []),
                     ...errorColumns(list).map((on) => showUlps((c.accuracy || {})[on])),
                     ok(c) ? c.bound : showStatus(c)]),
          };
        });
  }

  /// The axes of an experiment that have several values, numbers first, those with most values first.
  function sweepAxes(list) {
    const axes = unique(list.flatMap((c) => Object.keys(c.point.axes)));
    const values = (axis) => unique(list.map((c) => c.point.axes[axis]).filter((v) => v !== undefined));
    const isNumeric = (axis) => values(axis).every((v) => typeof v === 'number');
    return axes.filter((axis) => values(axis).length > 1)
        .sort((a, b) => isNumeric(b) - isNumeric(a) || values(b).length - values(a).length);
  }

  function sweep(parent, experiment) {
    const everything = cells.filter((c) => c.experiment === experiment && ok(c));
    const isLatency = everything.some((c) => c.rate_of === 'accesses' && c.point.axes.bytes !== undefined);
    const isTime = everything.some((c) => c.rate_of === 'accesses');
    const title = isLatency ? 'Latency against footprint' :
        isTime              ? 'Time of an access against size' :
                              'Rate against size';
    const list = () => ofExperiment(experiment).filter(ok);
    const sweeps = (axis) => groupBy(list(), (c) => rest(c.point, axis));
    chart(
        parent, `sweep-${experiment}`, title,
        isLatency ?
            'Time of one load; level stretches are levels of the memory hierarchy, drawn as the findings have them.' :
            'Every variant of every backend over one axis, the others as chosen. Libraries are dashed; lines across are the ceilings.',
        [
          {name: 'axis', label: 'Against', options: () => sweepAxes(list())},
          {
            name: 'rest',
            label: 'At',
            options: ({axis}) => [...sweeps(axis).keys()],
            preferred: (options, {axis}) => options
                                                .reduce(
                                                    (best, o) => {
                                                      const count =
                                                          unique(sweeps(axis).get(o).map((c) => c.point)).length *
                                                              1000 +
                                                          sweeps(axis).get(o).length;
                                                      return count > best.count ? {count, name: o} : best;
                                                    },
                                                    {count: -1})
                                                .name,
          },
        ],
        ({axis, rest: at}) => {
          if (!list().length)
            return ofExperiment(experiment).length ? {why: 'No cell has a number.'} : nothing(experiment);
          if (!axis) return {why: 'There is one point only.'};
          const own = sweeps(axis).get(at);
          const xaxis = valueAxis(axis, own.map((c) => c.point.axes[axis]));
          const looks = look(own);
          const byVariant = groupBy(own, (c) => `${c.rung.backend}/${c.rung.variant}`);
          const traces =
              [...byVariant]
                  .sort(([, a], [, b]) => backends.indexOf(a[0].rung.backend) - backends.indexOf(b[0].rung.backend))
                  .map(([name, all]) => {
                    const mine = [...groupBy(all, (c) => c.point).values()].map(fastest).sort(
                        (a, b) => comparePoints(a.point, b.point));
                    const {rung} = mine[0], {colour: c, symbol} = looks(rung);
                    return {
                      type: 'scatter',
                      mode: xaxis.type === 'category' && typeof mine[0].point.axes[axis] === 'string' ? 'markers' :
                                                                                                        'lines+markers',
                      name: unique(all.map((m) => m.rung)).length > 1 ? `${name}, best tuning` : rungName(mine[0]),
                      x: mine.map((m) => onAxis(xaxis, axis, m.point.axes[axis])),
                      y: mine.map(rated),
                      customdata: mine.map((m) => m.place),
                      hovertext: mine.map(hover),
                      hoverinfo: 'text',
                      legendgroup: rung.backend,
                      line: {color: c, width: isFirst(rung.backend) ? 3.4 : 1.6, dash: rung.library ? 'dash' : 'solid'},
                      marker: {color: c, symbol, size: isFirst(rung.backend) ? 10 : 6},
                    };
                  });
          const byRung = groupBy(own, (c) => c.rung);
          const levels = isLatency ? plateaus(experiment, byRung, axis) : [];
          const drawn = across(isTime ? [] : ceilings(own), 'horizontal');
          const unit = isTime ? 's' : units[own[0].rate_of];
          const values = unique(own.map((c) => c.point)).sort(comparePoints);
          return {
            traces: [...traces, ...levels, ...drawn.traces],
            layout: {
              height: 500,
              xaxis,
              yaxis: logAxis(isTime ? 'time of an access' : 'rate', unit, own.map(rated)),
              shapes: drawn.shapes,
              legend: {font: {size: 11}, tracegroupgap: 6},
            },
            summary: `${byVariant.size} variants at ${values.length} values of ${axis}, ${at}${
                levels.length ? `; ${levels.length} levels` : ''}.`,
            head: ['rung', ...values.map((p) => `#${showValue(axis, p.axes[axis])}`)],
            rows: [...byRung].map(([, mine]) => [rungName(mine[0]), ...values.map((p) => {
                                    const cell = mine.find((m) => m.point === p);
                                    return cell ? cellButton(cell, showRated(cell)) : '';
                                  })]),
          };
        });
  }
  /// The levels that findings tell of the rungs shown: a bar over the footprints of each.
  function plateaus(experiment, byRung, axis) {
    const traces = [];
    if (axis !== 'bytes') return traces;
    for (const found of data.findings.filter(
             (f) => f.experiment === experiment && f.device === filter.device && f.mode === filter.mode))
      for (const level of found.plateaus)
        for (const [rung, mine] of byRung) {
          const {axes} = mine[0].point;
          if (rung.name !== level.rung || axes.space !== level.space || String(axes.stride) !== level.stride) continue;
          const last = level.last ?? Math.max(...mine.map((c) => c.point.axes.bytes));
          traces.push({
            type: 'scatter',
            mode: 'lines',
            x: [level.first, last],
            y: [level.seconds, level.seconds],
            showlegend: false,
            legendgroup: rung.backend,
            line: {color: colour(rung.backend), width: 12},
            opacity: 0.28,
            name: 'level',
            hoverinfo: 'text',
            hovertext: plain(`level of ${rungName(mine[0])}: ${si(level.seconds, 's')} from ${
                binaryBytes(level.first)}${level.last ? ` to ${binaryBytes(level.last)}` : ' on'}`),
          });
        }
    return traces;
  }

  function tunings(parent, experiment) {
    const variants =
        () => [...groupBy(ofExperiment(experiment).filter(ok), (c) => `${c.rung.backend}/${c.rung.variant}`)].filter(
            ([, list]) => unique(list.map((c) => c.rung.tuning)).length > 1);
    chart(
        parent, `tunings-${experiment}`, 'Tunings',
        'Speed of each tuning of a variant relative to its best one at that point: 100 % is the best.',
        [
          {name: 'variant', label: 'Variant', options: () => variants().map(([name]) => name)},
        ],
        ({variant}) => {
          if (!variant)
            return ofExperiment(experiment).length ?
                {why: 'No variant was run with more than one tuning: bench --tuning all does.'} :
                nothing(experiment);
          const list = variants().find(([name]) => name === variant)[1];
          const points = unique(list.map((c) => c.point)).sort(comparePoints),
                names = unique(list.map((c) => c.rung.tuning));
          const at = (name, p) => list.find((c) => c.rung.tuning === name && c.point === p);
          const share = (name, p) => {
            const cell = at(name, p);
            return cell ? fastest(list.filter((c) => c.point === p)).time / cell.time : null;
          };
          const axes = sweepAxes(list);
          const column = (p) =>
              (axes.length ? axes.map((a) => `${axes.length > 1 ? `${a} ` : ''}${showValue(a, p.axes[a])}`).join(', ') :
                                                                  p.short);
          const z = names.map((n) => points.map((p) => share(n, p)));
          return {
            traces: [{
              type: 'heatmap',
              x: points.map(column),
              y: names.map(plain),
              z,
              zmin: Math.min(0.5, ...z.flat().filter((v) => v !== null)),
              zmax: 1,
              colorscale: 'Viridis',
              xgap: 2,
              ygap: 2,
              customdata: names.map((n) => points.map((p) => at(n, p)?.place)),
              hoverinfo: 'text',
              text: names.map((n) => points.map((p) => (at(n, p) ? hover(at(n, p)) : 'not measured'))),
              colorbar: {title: {text: 'of the best'}, tickformat: '.0%', outlinewidth: 0},
            }],
            layout: {
              height: 150 + 26 * names.length,
              xaxis: {type: 'category', title: {text: axes.join(', ') || 'point'}, showgrid: false},
              yaxis: {type: 'category', autorange: 'reversed', showgrid: false},
              annotations: points.length * names.length > 150 ?
                  [] :
                  names.flatMap((n, i) => points.map((p, j) => ({
                                                       x: column(p),
                                                       y: plain(n),
                                                       text: z[i][j] === null ? '' : (100 * z[i][j]).toFixed(0),
                                                       showarrow: false,
                                                       font: {color: z[i][j] > 0.75 ? '#1b1f27' : '#ffffff', size: 11},
                                                     }))),
            },
            summary: `${names.length} tunings of ${variant} at ${points.length} points.`,
            head: ['tuning', ...points.map((p) => `#${column(p)}`)],
            rows: names.map(
                (n) =>
                    [n || 'default',
                     ...points.map(
                         (p) =>
                             (at(n, p) ? cellButton(at(n, p), `${showRated(at(n, p))} (${percent(share(n, p))})`) :
                                         ''))]),
          };
        },
        [
          ...groupBy(
              cells.filter((c) => c.experiment === experiment && ok(c)), (c) => `${c.rung.backend}/${c.rung.variant}`)
              .values()
        ].some((list) => unique(list.map((c) => c.rung.tuning)).length > 1));
  }

  function backendsSideBySide(parent, experiment) {
    const pairs = () => data.side_by_side
                            .map(([reference, cell, ratio,
                                   paired]) => ({reference: cells[reference], cell: cells[cell], ratio, paired}))
                            .filter(
                                (p) => p.cell.experiment === experiment && shown(p.cell) &&
                                    filter.backends.has(p.reference.rung.backend));
    const axisOf = () => sweepAxes(pairs().map((p) => p.cell))[0];
    const groups = () => groupBy(pairs(), (p) => rest(p.cell.point, axisOf()));
    chart(
        parent, `backends-${experiment}`, 'Backends side by side',
        'How many times as fast as that of the first the fastest rung of each other backend is, above 1 faster, vendors’ libraries left out; with the 95 % interval.',
        [{
          name: 'rest',
          label: 'At',
          options: () => [...groups().keys()],
          preferred: (options) =>
              options.reduce((best, o) => (groups().get(o).length > groups().get(best).length ? o : best), options[0]),
        }],
        ({rest: at}) => {
          if (!pairs().length)
            return ofExperiment(experiment).length ?
                {why: 'No two backends that are chosen have numbers at one point on this device.'} :
                nothing(experiment);
          const axis = axisOf(), own = groups().get(at);
          const xaxis = axis ? valueAxis(axis, own.map((p) => p.cell.point.axes[axis])) : {type: 'category'};
          const x = (p) => (axis ? onAxis(xaxis, axis, p.cell.point.axes[axis]) : p.cell.point.short);
          const reference = unique(own.map((p) => p.reference.rung.backend)).join(', ');
          const told = (p) => `${plain(rungName(p.cell))} is ${precise(p.ratio)} times<br>as fast as ${
              plain(rungName(p.reference))}<br>${p.paired ? 'same rounds' : 'different runs'}<br>${hover(p.cell)}`;
          const traces = [...groupBy(own, (p) => p.cell.rung.backend)].map(([backend, mine], i) => {
            mine.sort((a, b) => comparePoints(a.cell.point, b.cell.point));
            const beyond = (end) => mine.map((p) => (p.ratio[end] === null ? 0 : Math.abs(p.ratio[end] - p.ratio[0])));
            return {
              type: 'scatter',
              mode: axis && typeof mine[0].cell.point.axes[axis] === 'number' ? 'lines+markers' : 'markers',
              name: `${backend}, × as fast as ${reference}`,
              x: mine.map(x),
              y: mine.map((p) => p.ratio[0]),
              customdata: mine.map((p) => p.cell.place),
              hovertext: mine.map(told),
              hoverinfo: 'text',
              error_y:
                  {type: 'data', symmetric: false, array: beyond(2), arrayminus: beyond(1), thickness: 1.5, width: 4},
              line: {color: colour(backend), width: 1.6},
              marker: {color: colour(backend), symbol: symbols[i], size: 8},
            };
          });
          const drawn =
              across([{value: 1, name: `as fast as ${reference}`, dash: 'dash', colour: css('--text')}], 'horizontal');
          const ends = own.flatMap((p) => p.ratio.filter((r) => r !== null)), least = Math.min(0.95, ...ends),
                most = Math.max(1.05, ...ends);
          const isWide = least > 0 && most > 20 * least, room = 0.05 * (most - least);
          return {
            traces: [...traces, ...drawn.traces],
            layout: {
              height: 400,
              xaxis,
              shapes: drawn.shapes,
              legend: {orientation: 'h', y: 1, yanchor: 'bottom', x: 0},
              yaxis: isWide ? logAxis('times as fast', '', [least, most]) :
                              {title: {text: 'times as fast'}, range: [least - room, most + room]},
            },
            summary: `${traces.map((t) => t.name).join(', ')} at ${
                unique(own.map((p) => p.cell.point)).length} points, ${at}.`,
            head: [
              'point', 'fastest of the first', '#time', 'fastest of the other', '#time', '#× as fast [95 %]',
              'sampled'
            ],
            rows: own.map(
                (p) =>
                    [p.cell.point.short, cellButton(p.reference, rungName(p.reference)), showTime(p.reference),
                     cellButton(p.cell, rungName(p.cell)), showTime(p.cell), precise(p.ratio),
                     p.paired ? 'in the same rounds' : 'in different runs']),
          };
        },
        data.side_by_side.some(([, place]) => cells[place].experiment === experiment));
  }

  // --- The sections ------------------------------------------------------------------------------------------------

  function deviceSection() {
    const made = section('devices', 'Devices');
    const cards = element('div', {class: 'cards'});
    const facts = {
      architecture: ['architecture', String],
      compute_units: ['multiprocessors or cores', String],
      clock_mhz: ['clock', (v) => `${v} MHz`],
      memory_bytes: ['memory', (v) => binaryBytes(Number(v))],
      cache_bytes: ['cache', (v) => binaryBytes(Number(v))],
      theoretical_bytes_per_second: ['memory’s rate, theoretical', (v) => si(Number(v), 'B/s')],
      measured_bytes_per_second: ['memory’s rate, measured', (v) => si(Number(v), 'B/s')],
    };
    for (const device of devices) {
      const own = cells.filter((c) => c.device === device);
      const source = own[own.length - 1].source;
      const prefix = Object.keys(source.context)
                         .find((k) => k.endsWith('.name') && source.context[k] === device)
                         ?.replace(/name$/, '');
      const pairs = Object.entries(source.context)
                        .filter(([k]) => prefix && k.startsWith(prefix) && !k.endsWith('.name'))
                        .map(([k, v]) => [k.slice(prefix.length), v])
                        .map(([k, v]) => (facts[k] ? [facts[k][0], facts[k][1](v)] : [k.replace(/_/g, ' '), v]));
      for (const [ceiling, held] of groupBy(own.filter((c) => c.ceiling && c.ceiling !== 'memory'), (c) => c.ceiling))
        for (const [key, word] of [['theoretical_peak', 'theoretical'], ['measured_peak', 'measured']]) {
          const with_ = held.find((c) => c[key]);
          if (with_) pairs.push([`${ceiling}, ${word}`, si(with_[key], units[with_.rate_of])]);
        }
      cards.append(element(
          'article', {class: 'card'}, element('h3', {}, device), definitions(pairs),
          element('p', {class: 'faint'}, `as ${source.file} has it`)));
    }
    made.append(devices.length ? cards : element('p', {class: 'why'}, 'No device was opened.'));
  }

  function portabilitySection() {
    const made = section('portability', 'Portability');
    made.append(element(
        'p', {},
        'Efficiency against the best known variant of all backends on a device, and against its peak (the measured one where it is known); geometric means over the points. ' +
            'Performance portability is their harmonic mean over the devices, 0 where one of them cannot run it (Pennycook, Sewall and Lee 2016); the median over the points, with the least and the most.'));
    const chosen = () => data.portability.filter(
        (p) => p.mode === filter.mode && (!filter.experiment || p.experiment === filter.experiment) &&
            filter.backends.has(p.backend) &&
            filter.words.every((word) => `${p.experiment} ${p.application}`.toLowerCase().includes(word)));
    const byBackend = () => chosen().filter((p) => p.application === p.backend);
    const measures = ['against the best known variant', 'against peak'];
    chart(
        made, 'portability-chart', 'Efficiency of the backends',
        'By the fastest rung of each, vendors’ libraries left out; 0 where a backend cannot run most of the points.',
        [
          {name: 'measure', label: 'Efficiency', options: () => measures},
        ],
        ({measure}) => {
          const place = measure === measures[0] ? 1 : 2;
          const rows = byBackend().flatMap(
              (p) => p.devices.filter((d) => d[0] === filter.device && d[place] !== null)
                         .map((d) => ({...p, value: d[place]})));
          if (!rows.length) return {why: 'No experiment has an efficiency of that kind here.'};
          const names = unique(rows.map((r) => r.experiment));
          return {
            traces: [...groupBy(rows, (r) => r.backend)].map(
                ([backend, own]) => ({
                  type: 'bar',
                  orientation: 'h',
                  name: backend,
                  y: own.map((r) => r.experiment),
                  x: own.map((r) => r.value),
                  marker: {color: colour(backend)},
                  hoverinfo: 'text',
                  hovertext: own.map(
                      (r) => `${plain(r.experiment)}, ${plain(backend)}: ${percent(r.value)}<br>over ${
                          r.points} points`),
                  text: own.map((r) => percent(r.value)),
                  textposition: 'outside',
                  cliponaxis: false,
                })),
            layout: {
              height: 110 + 22 * rows.length + 16 * names.length,
              barmode: 'group',
              bargap: 0.3,
              legend: {orientation: 'h', y: 1, yanchor: 'bottom', x: 0, traceorder: 'normal'},
              xaxis: {
                tickformat: '.0%',
                range: [0, 1.1 * Math.max(1, ...rows.map((r) => r.value))],
                title: {text: `${measure}, ${filter.device}`}
              },
              yaxis: {type: 'category', autorange: 'reversed'},
            },
            summary: `${names.length} experiments, ${unique(rows.map((r) => r.backend)).length} backends.`,
            head: ['experiment', 'backend', '#points', '#efficiency'],
            rows: rows.map((r) => [r.experiment, r.backend, String(r.points), percent(r.value)]),
          };
        });
    const several = devices.length > 1;
    if (!several)
      made.append(element(
          'p', {class: 'why'},
          'These results are of one device: a harmonic mean over devices needs those of several. Give bench report the files of all.'));
    const range = (r) => (r ? `${percent(r[1])} [${percent(r[0])}, ${percent(r[2])}]` : '–');
    const head = [
      'experiment', 'application', '#points', ...(several ? ['#portability, of best', '#portability, of peak'] : []),
      ...devices.flatMap((d) => [`#of best, ${d}`, `#of peak, ${d}`])
    ];
    const row = (p) =>
        [p.experiment, p.application, String(p.points), ...(several ? [range(p.of_best), range(p.of_peak)] : []),
         ...devices.flatMap((d) => {
           const own = p.devices.find((o) => o[0] === d);
           return own ? [percent(own[1]), percent(own[2])] : ['', ''];
         })];
    openedTable(made, 'Backends in numbers', () => ({head, rows: byBackend().map(row)}));
    openedTable(made, 'Every rung', () => ({head, rows: chosen().filter((p) => p.application !== p.backend).map(row)}));
  }

  function rooflineSection() {
    const made = section('roofline', 'Roofline');
    chart(
        made, 'roofline-chart', 'Every variant under its roofs',
        'Each rung at its highest rate; operations and bytes are those of the problem, so that rungs of one experiment stand above each other.',
        [], () => {
          const here = cells.filter((c) => shown(c) && ok(c));
          const able = here.filter((c) => c.bytes_rate > 0 && c.flops_rate > 0);
          if (!able.length)
            return {why: here.length ? 'Nothing here has both bytes and operations.' : 'The filter leaves no cell.'};
          const best = [...groupBy(able, (c) => `${c.rung.name} ${c.ceiling}`).values()].map(
              (own) => own.reduce((a, b) => (b.flops_rate > a.flops_rate ? b : a)));
          const intensity = (c) => c.flops_rate / c.bytes_rate;
          const names = unique(best.map((c) => c.experiment));
          const marks = [...groupBy(best, (c) => `${c.rung.backend}, ${c.experiment}`)].map(
              ([name, own]) => ({
                type: 'scatter',
                mode: 'markers',
                name,
                x: own.map(intensity),
                y: own.map((c) => c.flops_rate),
                customdata: own.map((c) => c.place),
                hovertext: own.map(hover),
                hoverinfo: 'text',
                marker: {
                  color: colour(own[0].rung.backend),
                  symbol: symbols[names.indexOf(own[0].experiment) % symbols.length],
                  size: isFirst(own[0].rung.backend) ? 14 : 8,
                  line: {width: 1, color: css('--page')}
                },
              }));
          const ofDevice = cells.filter((c) => c.device === filter.device);
          const peak = (ceiling, key) => {
            const values = ofDevice.filter((c) => c.ceiling === ceiling).map((c) => c[key]).filter((v) => v);
            return values.length ? median(values) : null;
          };
          const slopes = [['measured_peak', 'measured', 'dash'], ['theoretical_peak', 'theoretical', 'dot']]
                             .map(([key, word, dash]) => ({value: peak('memory', key), word, dash}))
                             .filter((s) => s.value);
          let flats = unique(best.map((c) => c.ceiling))
                          .filter((c) => c && c !== 'memory')
                          .map((c) => ({names: [c], value: peak(c, 'theoretical_peak')}))
                          .filter((f) => f.value);
          // Peaks that are nearly the same get one line.
          flats = flats.sort((a, b) => a.value - b.value).reduce((merged, flat) => {
            const last = merged[merged.length - 1];
            if (last && flat.value < 1.15 * last.value)
              last.names.push(...flat.names);
            else
              merged.push(flat);
            return merged;
          }, []);
          const left = Math.min(...best.map(intensity)) / 4,
                right = Math.max(
                            ...best.map(intensity),
                            ...(slopes.length && flats.length ? [2 * flats[flats.length - 1].value / slopes[0].value] :
                                                                [])) *
              4;
          const top = flats.length ? flats[flats.length - 1].value : Infinity;
          const roofs = [
            ...slopes.map((s) => ({
                            type: 'scatter',
                            mode: 'lines',
                            name: `memory, ${s.word}: ${si(s.value, 'B/s')}`,
                            x: [left, Math.min(right, top / s.value)],
                            y: [left * s.value, Math.min(right * s.value, top)],
                            line: {color: css('--faint'), width: 2, dash: s.dash},
                            hoverinfo: 'name',
                          })),
            ...flats.map((f) => ({
                           type: 'scatter',
                           mode: 'lines',
                           showlegend: false,
                           name: f.names.join(', '),
                           x: [slopes.length ? f.value / slopes[slopes.length - 1].value : left, right],
                           y: [f.value, f.value],
                           line: {color: css('--faint'), width: 1.5},
                           hoverinfo: 'skip',
                         })),
          ];
          return {
            traces: [...roofs, ...marks],
            layout: {
              height: 560,
              xaxis: logAxis('operations for each byte of memory traffic that the problem needs', '', [left, right]),
              yaxis: logAxis(
                  'operations a second', 'FLOP/s',
                  [...best.map((c) => c.flops_rate), ...(flats.length ? [top] : slopes.map((s) => right * s.value))]),
              legend: {font: {size: 11}},
              annotations: flats.map((f) => ({
                                       x: Math.log10(slopes.length ? f.value / slopes[slopes.length - 1].value : left),
                                       y: Math.log10(f.value),
                                       xanchor: 'left',
                                       yanchor: 'top',
                                       showarrow: false,
                                       text: plain(`${f.names.join(', ')}: ${si(f.value, 'FLOP/s')}`),
                                       font: {size: 11, color: css('--faint')}
                                     })),
            },
            summary: `${best.length} rungs of ${names.length} experiments; ${here.length - able.length} of ${
                here.length} cells have no operations, or no bytes, and are left out.`,
            head: ['rung', 'point', '#operations a byte', '#operations a second', '#bytes a second', 'held to'],
            rows: best.map(
                (c) =>
                    [cellButton(c, c.rung.name), c.point.short, intensity(c).toPrecision(3), si(c.flops_rate, 'FLOP/s'),
                     si(c.bytes_rate, 'B/s'), c.ceiling]),
          };
        });
  }

  function experimentSection(experiment) {
    const made = section(`experiment-${experiment}`, experiment, experiment);
    ladder(made, experiment);
    sweep(made, experiment);
    backendsSideBySide(made, experiment);
    tunings(made, experiment);
    const lines = data.findings.filter((f) => f.experiment === experiment);
    if (lines.length) {
      const list = element('details', {}, element('summary', {}, 'What follows'));
      for (const f of lines)
        list.append(
            element('p', {class: 'faint'}, `${f.device}, ${f.mode}; ${data.sources[f.source].file}:`),
            element('ul', {}, ...f.lines.map((l) => element('li', {}, l))));
      made.append(list);
    }
    openedTable(
        made, 'Every cell, and where its numbers come from',
        () => ({
          head: [
            'cell', 'status', '#time', '#±', '#rate', '#of measured peak', '#samples', 'ended by', '#clock, MHz',
            'device', 'file', 'commit'
          ],
          rows: ofExperiment(experiment)
                    .map(
                        (c) =>
                            [cellButton(c), showStatus(c), showTime(c), ok(c) ? percent(c.spread) : '', showRated(c),
                             percent(c.of_measured), String(c.samples), c.stopped,
                             c.clock === null ? '' : String(c.clock), c.device, c.source.file,
                             c.source.context.commit || 'unknown']),
        }));
  }

  function withoutNumbersSection() {
    const made = section('without-numbers', 'Without a number');
    const target = element('div');
    made.append(
        element(
            'p', {},
            'What failed, was skipped, was wrong or implausible, and what a backend cannot express: each with its reason.'),
        target);
    parts.push({
      refresh() {
        const list = cells.filter((c) => shown(c) && !ok(c));
        const groups = [...groupBy(list, (c) => `${kind(c)}\n${c.rung.name}\n${c.note}`).values()];
        const order = ['failed', 'wrong', 'implausible', 'ok', 'skipped', 'not expressible'];
        groups.sort((a, b) => order.indexOf(kind(a[0])) - order.indexOf(kind(b[0])));
        target.replaceChildren(
            groups.length ?
                table(
                    `${list.length} cells of ${groups.length} kinds`, ['rung', 'status', 'reason', '#points'],
                    groups.map(
                        (own) =>
                            [own.length === 1 ? cellButton(own[0], own[0].rung.name) : own[0].rung.name, kind(own[0]),
                             reason(own[0]), String(own.length)])) :
                element('p', {class: 'why'}, 'Every cell that is shown has a number.'));
      }
    });
  }

  function sourcesSection() {
    const made = section('sources', 'Sources');
    made.append(element(
        'p', {},
        `Page made by ${
            data.made_by}. Of a cell that several files have, the newest counts. Open a cell, in a table or by a click on its mark, for all that is known of it.`));
    const columns = ['commit', 'date', 'seed', 'version', 'backends'];
    const isElse = (key) =>
        !columns.includes(key) && !key.startsWith('device.') && key !== 'executable' && key !== 'library';
    const used = groupBy(cells, (c) => c.source);
    made.append(table(
        'Files of results', ['file', '#cells used', ...columns, 'else'],
        data.sources.map(
            (s) =>
                [s.file,
                 String((used.get(s) || []).length),
                 ...columns.map((k) => (s.context[k] ?? '').replace('T', ' ').replace(/,/g, ', ')),
                 Object.entries(s.context)
                     .filter(([k]) => isElse(k))
                     .map(([k, v]) => `${k.replace(/_/g, ' ')}: ${v}`)
                     .join('; '),
    ])));
  }

  // --- Colours, and the start ----------------------------------------------------------------------------------------

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.getElementById('theme').textContent = theme === 'dark' ? 'Light colours' : 'Dark colours';
    for (const swatch of document.querySelectorAll('.swatch')) swatch.style.background = colour(swatch.dataset.backend);
    for (const part of parts)
      if (part.figure) part.refresh();
  }

  function refresh() {
    readFilter();
    const count = cells.filter(shown).length;
    document.getElementById('shown').textContent = `${count} of ${cells.length} cells`;
    for (const part of parts) part.refresh();
  }

  const counts = groupBy(cells, (c) => (ok(c) ? 'with a number' : kind(c)));
  document.getElementById('summary').textContent = `${cells.length} cells of ${experiments.length} experiments on ${
      devices.join(', ') || 'no device'}: ${[...counts].map(([k, v]) => `${v.length} ${k}`).join(', ')}.`;
  makeFilter();
  deviceSection();
  portabilitySection();
  rooflineSection();
  experiments.forEach(experimentSection);
  withoutNumbersSection();
  sourcesSection();
  const dark = matchMedia('(prefers-color-scheme: dark)');
  readFilter();
  setTheme(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
  document.getElementById('theme').addEventListener(
      'click', () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
  addEventListener('beforeprint', () => parts.forEach((part) => part.draw?.()));
  refresh();
  // Behind the first frame, and the charts that it shows.
  requestAnimationFrame(() => setTimeout(() => performance.mark('crosswarp-open')));
})();
