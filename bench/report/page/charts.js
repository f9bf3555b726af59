// The charts: each is drawn by plotly when it comes into view, and has its numbers in a table.
const charts = (() => {
  const {unique, groupBy, show, fastest, comparePoints, sweepAxes, rest} = data;
  const {element, table, plain, css, colour, symbols, isFirst, look, percent} = format;
  const {chosen} = filters;

  const parts = [];  // what is made anew when the filter changes, in the order of the page
  const narrow = matchMedia('(max-width: 700px)');
  narrow.addEventListener('change', () => parts.forEach((part) => part.figure && part.refresh()));

  // --- Any chart ---------------------------------------------------------------------------------------------------

  const inView = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const part = parts.find((p) => p.figure === entry.target);
      part.visible = entry.isIntersecting;
      part.drawIfVisible();
    }
  }, {rootMargin: '300px'});

  /// `entries`: of the legend. On a narrow screen it stands below the chart, to which it would leave no room.
  function layout(own, entries) {
    const axis = {gridcolor: css('--grid'), linecolor: css('--line'), zerolinecolor: css('--line'), automargin: true};
    const made = {
      paper_bgcolor: 'rgba(0,0,0,0)',
      plot_bgcolor: 'rgba(0,0,0,0)',
      font: {color: css('--text'), size: 12},
      hoverlabel:
          {bgcolor: css('--panel'), bordercolor: css('--line'), font: {color: css('--text'), size: 12}, align: 'left'},
      margin: {l: 60, r: 24, t: 40, b: 48},
      hovermode: 'closest',
      modebar: {bgcolor: 'rgba(0,0,0,0)', color: css('--faint'), activecolor: css('--accent')},
      ...own,
      xaxis: {...axis, ...own.xaxis},
      yaxis: {...axis, ...own.yaxis},
    };
    if (narrow.matches)
      Object.assign(made, {
        margin: {l: 44, r: 8, t: 40, b: 48},
        legend: {...own.legend, orientation: 'h', x: 0, y: -0.2, yanchor: 'top'},
        height: (own.height || 450) + 20 * entries
      });
    return made;
  }

  /// A chart below a heading, with what chooses in it and its numbers. `make(state)` returns {traces, layout, head,
  /// rows, summary}, or {why} where there is nothing to draw; `state` has the values of `controls`, each {name, label,
  /// options()}. Until it is drawn its place is kept, where there is `something` to draw: else links would miss what
  /// lies below. `open(cell)` shows a cell that is clicked.
  function chart(parent, {id, title, explanation, controls = [], make, something = true, hasButtons = true, open}) {
    const target = element('div', {class: 'chart', role: 'img', id, 'data-state': something ? 'waiting' : 'empty'});
    const why = element('p', {class: 'why'});
    const numbers = element('details', {}, element('summary', {}, 'The same in numbers'));
    const selects = controls.map((control) => element('select', {name: control.name}));
    const labels = controls.map((control, i) => element('label', {}, `${control.label} `, selects[i]));
    const figure = element(
        'figure', {'aria-labelledby': `${id}-title`}, element('figcaption', {}, explanation),
        element('div', {class: 'controls'}, ...labels), target, why, numbers);
    parent.append(element('h3', {id: `${id}-title`}, title), figure);

    const part = {figure, visible: false, stale: true, made: null};
    const state = () => Object.fromEntries(selects.map((s) => [s.name, s.value]));
    function fillControls() {
      controls.forEach((control, i) => {
        const options = control.options(state()), old = selects[i].value;
        selects[i].replaceChildren(...options.map((o) => element('option', {value: o}, o)));
        const kept = selects[i].dataset.chosen === 'yes' && options.includes(old);
        const first = options.length && control.preferred ? control.preferred(options, state()) : options[0];
        selects[i].value = kept ? old : first;
        labels[i].hidden = options.length < 2;
      });
    }
    function fillTable() {
      numbers.querySelector('.scroll')?.remove();
      if (numbers.open && part.made.rows)
        numbers.append(table(`${title}: ${part.made.summary}`, part.made.head, part.made.rows));
    }
    const draw = () => {
      part.stale = false;
      fillControls();
      const made = part.made = make(state());
      why.textContent = made.why || '';
      why.hidden = !made.why;
      numbers.hidden = Boolean(made.why);
      target.dataset.state = made.why ? 'empty' : 'drawn';
      if (made.why) return;
      target.setAttribute('aria-label', `${title}. ${made.summary} The same in numbers is below.`);
      const entries = made.traces.filter((t) => t.showlegend !== false && t.name).length;
      Plotly.react(target, made.traces, layout(made.layout, entries), {
        responsive: true,
        displayModeBar: hasButtons ? 'hover' : false,
        displaylogo: false,
        // Only these buttons: some versions of plotly add one that uploads the chart.
        modeBarButtons: [['toImage'], ['zoom2d', 'pan2d', 'autoScale2d', 'resetScale2d']],
        showSendToCloud: false,
        plotlyServerURL: ''
      });
      if (!target.dataset.listens) {
        target.dataset.listens = 'yes';
        target.on('plotly_click', (event) => {
          const index = event.points[0].customdata;
          if (typeof index === 'number') open(data.cells[index]);
        });
      }
      fillTable();
    };
    part.refresh = () => {
      part.stale = true;
      part.drawIfVisible();
    };
    part.draw = () => part.stale && draw();
    part.drawIfVisible = () => part.visible && part.draw();
    numbers.addEventListener('toggle', () => part.made && fillTable());
    selects.forEach((s) => s.addEventListener('change', () => {
      s.dataset.chosen = 'yes';
      draw();
    }));
    parts.push(part);
    inView.observe(figure);
    return part;
  }

  /// Names on the axis of a bar chart; on a narrow screen without their middle, to leave room for the bars.
  function nameAxis(names) {
    const short = (name) => (narrow.matches && name.length > 19 ? `${name.slice(0, 9)}…${name.slice(-9)}` : name);
    return {
      type: 'category',
      autorange: 'reversed',
      categoryorder: 'array',
      categoryarray: names,
      tickvals: names,
      ticktext: names.map((name) => plain(short(name))),
      tickfont: {size: narrow.matches ? 10 : 12},
    };
  }

  // --- What charts have in common ------------------------------------------------------------------------------------

  const cellButton = (open, cell, text = cell.name) => element('button', {type: 'button', onclick: () => open(cell)}, text);

  const onHover = {
    fields: [
      'real_time', 'spread', 'rate', 'of_measured_peak', 'of_theoretical_peak', 'over_parent', 'over_library', 'bound',
      'observed'
    ],
    counters: [
      'dram_throughput', 'l2_throughput', 'sm_throughput', 'l2_hit_rate', 'achieved_occupancy', 'sectors_per_load',
      'bank_conflicts', 'issue_slots', 'ipc'
    ],
  };
  const folded = (text) => plain(text.replace(/(.{60}\S*) /g, '$1\n')).replace(/\n/g, '<br>');
  function hover(cell) {
    const lines = [`<b>${plain(cell.rung.short)}</b>`, plain(cell.point.short)];
    if (!cell.ok) return [...lines, folded(cell.outcome)].join('<br>');
    for (const field of onHover.fields)
      if (show(cell, field)) lines.push(folded(`${data.meaning(field)}: ${show(cell, field)}`));
    for (const counter of data.counters(cell))
      if (onHover.counters.includes(counter.name)) lines.push(`${counter.name} ${plain(counter.text)}`);
    lines.push(`<i>${plain(cell.source.file)}, commit ${plain(cell.source.context.commit || 'unknown')}</i>`);
    return lines.join('<br>');
  }

  function nothing(experiment) {
    const elsewhere = unique(data.cells.filter((c) => c.experiment === experiment && filters.selects(c))
                                 .map((c) => `${c.device || 'no device'}, ${c.mode}`));
    return {
      why: elsewhere.length ? `Nothing of ${chosen.device}, ${chosen.mode}; there is of ${elsewhere.join('; ')}.` :
                              'The filter leaves no cell.'
    };
  }

  /// Lines across a chart with their names in the legend, where they cannot cover each other. `lines`: {value, name,
  /// dash, colour}.
  function across(lines, direction) {
    const style = ({colour: color, dash}) => ({color, dash, width: 2});
    const ends = ({value}) => (direction === 'vertical' ? {x0: value, x1: value, yref: 'paper', y0: 0, y1: 1} :
                                                          {y0: value, y1: value, xref: 'paper', x0: 0, x1: 1});
    return {
      shapes: lines.map((line) => ({type: 'line', line: style(line), layer: direction === 'vertical' ? 'above' : 'below', ...ends(line)})),
      traces: lines.map((line) => ({
                          type: 'scatter',
                          mode: 'lines',
                          x: [null],
                          y: [null],
                          name: line.name,
                          line: style(line),
                          hoverinfo: 'skip',
                        })),
    };
  }
  const labelRoom = 70;  // pixels for labels behind the last points
  /// A trace's name behind its last point, at one of three heights so that neighbours keep apart.
  const endLabel = (mode, label, count, rank, color) => ({
    mode: narrow.matches ? mode : `${mode}+text`,
    text: Array.from({length: count}, (_, i) => (i === count - 1 ? `\u00a0${plain(label)}` : '')),
    textposition: ['top right', 'middle right', 'bottom right'][rank % 3],
    textfont: color && {color, size: 12},
    cliponaxis: false,
  });
  /// The cell with the median of a number, of those that have it.
  function middle(list, number) {
    const sorted = list.filter((c) => c[number]).sort((a, b) => a[number] - b[number]);
    return sorted[sorted.length >> 1];
  }
  const peaks = [['measured_peak', 'measured', 'dash'], ['theoretical_peak', 'theoretical', 'dot']];
  /// The ceilings that some cells are held to: measured and theoretical, in their unit.
  function ceilings(list) {
    const lines = [];
    for (const [ceiling, held] of groupBy(list.filter((c) => c.ceiling && c.unit !== 's'), (c) => c.ceiling))
      for (const [peak, word, dash] of peaks) {
        const cell = middle(held, peak);
        if (cell)
          lines.push({
            value: cell[peak],
            name: `${ceiling}, ${word}: ${show(cell, peak)}`,
            dash,
            colour: css(word === 'measured' ? '--text' : '--faint')
          });
      }
    return lines;
  }
  const most = (list, count) => list.reduce((best, item) => (count(item) > count(best) ? item : best), list[0]);
  const mark = (cells) => ({customdata: cells.map((c) => c.index), hovertext: cells.map(hover), hoverinfo: 'text'});

  // --- The charts of an experiment -----------------------------------------------------------------------------------

  function ladder(parent, experiment, open) {
    const points = () =>
        [...groupBy(filters.shown(experiment), (c) => c.point)].sort(([a], [b]) => comparePoints(a, b)).reverse();
    const label = (cell) => {
      if (!cell.ok) return cell.outcome.length > 90 ? `${cell.outcome.slice(0, 88)}…` : cell.outcome;
      const share = show(cell, 'of_measured_peak');
      return `${show(cell, 'rate')}${share ? ` (${share})` : ''}`;
    };
    chart(parent, {
      id: `ladder-${experiment}`,
      title: 'The ladder',
      explanation: 'Every rung at one point, in the order of the ladder; lines for the ceilings and the fastest library.',
      open,
      controls: [{
        name: 'point',
        label: 'Point',
        options: () => points().map(([p]) => p.short).reverse(),
        preferred: () => most(points(), ([, list]) => list.filter((c) => c.ok).length)[0].short,
      }],
      make({point}) {
        const list = filters.shown(experiment).filter((c) => c.point.short === point);
        if (!list.length) return nothing(experiment);
        const isShown = ({is_of_ranks}, i) => !is_of_ranks || list.some((c) => data.ladderOf(c)[i]);
        const numbers = list.filter((c) => c.ok);
        if (!numbers.length)
          return {why: `No rung has a number at ${point}: ${unique(list.map((c) => c.outcome)).join('; ')}.`};
        const {unit} = numbers[0];
        const library = fastest(list.filter((c) => c.rung.library));
        // Of cells with a number, in the chart's unit: what others are held to may be of another kind.
        const lines = ceilings(numbers.filter((c) => c.unit === unit));
        if (library)
          lines.push({
            value: library.rated,
            name: `library, ${library.rung.short}: ${show(library, 'rate')}`,
            dash: 'longdashdot',
            colour: css('--bad')
          });
        const drawn = across(lines, 'vertical');
        const longest = Math.max(...numbers.map((c) => c.rated), ...lines.map((l) => l.value));
        const bars = [...groupBy(list, (c) => c.rung.backend)].map(([backend, own]) => ({
          type: 'bar',
          orientation: 'h',
          name: backend,
          y: own.map((c) => c.rung.short),
          x: own.map((c) => (c.ok ? c.rated : 0)),
          text: own.map((c) => `\u00a0${plain(label(c))}\u00a0`),
          textposition: own.map((c) => (c.ok && c.rated > 0.5 * longest ? 'inside' : 'outside')),
          insidetextanchor: 'end',
          insidetextfont: {color: css('--page')},
          outsidetextfont: {color: css('--text')},
          cliponaxis: false,
          textangle: 0,
          constraintext: 'none',
          ...mark(own),
          marker: {color: colour(backend)},
          error_x: {
            type: 'data',
            array: own.map((c) => (c.ok ? c.rated * c.spread : 0)),
            color: css('--faint'),
            thickness: 1,
            width: 0
          },
        }));
        const both = list.some(data.launchedOtherwise);
        const way = data.byGraph(chosen.mode) ? 'by stream' : 'by graph';
        const otherwise = (c) => {
          const other = data.launchedOtherwise(c);
          return other ? [show(other, 'real_time'), show(other, 'over_library')] : ['', ''];
        };
        return {
          traces: [...bars, ...drawn.traces],
          layout: {
            height: 130 + 27 * list.length,
            barmode: 'overlay',
            bargap: 0.25,
            shapes: drawn.shapes,
            xaxis: format.linearAxis(
                unit === 's' ? 'time of an access, shorter is better' : 'rate, longer is better', unit, 1.06 * longest,
                narrow.matches ? 4 : 8),
            yaxis: nameAxis(list.map((c) => c.rung.short)),
            legend: {orientation: 'h', y: 1, yanchor: 'bottom', x: 0},
          },
          summary: `${point}: ${numbers.length} of ${list.length} rungs have a number; the fastest is ${
              fastest(list).rung.short} with ${show(fastest(list), 'rate')}.`,
          head: [
            ...data.ladder.filter(isShown).map(({head, is_text}) => (is_text ? head : `#${head}`)),
            ...(both ? [`#time ${way}`, `#× library ${way}`] : [])
          ],
          rows: list.map((c) => {
            const [, ...columns] = data.ladderOf(c).filter((_, i) => isShown(data.ladder[i], i));
            return [cellButton(open, c, c.rung.short), ...columns, ...(both ? otherwise(c) : [])];
          }),
        };
      }
    });
  }

  /// The levels that findings tell of the rungs shown: a bar over the footprints of each.
  function levels(experiment, byRung, axis) {
    const traces = [];
    if (axis !== 'bytes') return traces;
    const here = data.findings.filter(
        (f) => f.experiment === experiment && f.device === chosen.device && f.mode === chosen.mode);
    for (const level of here.flatMap((f) => f.levels))
      for (const [rung, mine] of byRung) {
        const {axes} = mine[0].point;
        if (rung.name !== level.rung || axes.space !== level.space || axes.stride !== level.stride) continue;
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
          hovertext: folded(level.text),
        });
      }
    return traces;
  }

  function sweep(parent, experiment, open) {
    const everything = data.cells.filter((c) => c.experiment === experiment && c.ok && !c.half);
    const isTime = everything.some((c) => c.unit === 's');
    const isLatency = isTime && everything.some((c) => c.point.axes.bytes !== undefined);
    const list = () => filters.shown(experiment).filter((c) => c.ok && !c.half);
    const sweeps = (axis) => groupBy(list(), (c) => rest(c.point, axis));
    chart(parent, {
      id: `sweep-${experiment}`,
      title: isLatency ? 'Latency against footprint' :
          isTime       ? 'Time of an access against size' :
                         'Rate against size',
      explanation: isLatency ?
          'Time of one load; level stretches are levels of the memory hierarchy, drawn as the findings have them.' :
          'The fastest variant of each backend, the library (dashed) and the first rung over one axis; the legend draws the others. Lines across are the ceilings.',
      open,
      controls: [
        {name: 'axis', label: 'Against', options: () => sweepAxes(list())},
        {
          name: 'rest',
          label: 'At',
          options: ({axis}) => [...sweeps(axis).keys()],
          preferred: (options, {axis}) => most(
              options,
              (o) => unique(sweeps(axis).get(o).map((c) => c.point)).length * 1000 + sweeps(axis).get(o).length),
        },
      ],
      make({axis, rest: at}) {
        if (!list().length)
          return filters.shown(experiment).length ? {why: 'No cell has a number.'} : nothing(experiment);
        if (!axis) return {why: 'There is one point only.'};
        const own = sweeps(axis).get(at);
        const xaxis = format.pointAxis(axis, own.map((c) => c.point));
        const looks = look(own);
        const nameOf = (c) => `${c.rung.backend}/${c.rung.variant}`;
        const byVariant = groupBy(own, nameOf);
        // Lines drawn at first, the fastest first: each backend's fastest variant, the library, the first rung.
        const largest = own.map((c) => c.point).sort(comparePoints).pop(), atLargest = own.filter((c) => c.point === largest);
        const firstRung = data.verdicts.find((v) => v.best && atLargest.includes(v.best))?.ladder[0].cell;
        const drawnAtFirst = unique([
          ...[...groupBy(atLargest, (c) => `${c.rung.backend} ${c.rung.library}`).values()].map(fastest),
          ...atLargest.filter((c) => c === firstRung)
        ].sort((a, b) => a.real_time - b.real_time).map(nameOf));
        const trace = ([name, all]) => {
          const mine = [...groupBy(all, (c) => c.point).values()].map(fastest).sort(
              (a, b) => comparePoints(a.point, b.point));
          const {rung} = mine[0], {colour: color, symbol} = looks(rung);
          const isWord = typeof mine[0].point.axes[axis] === 'string', rank = drawnAtFirst.indexOf(name);
          const mode = isWord ? 'markers' : 'lines+markers';
          return {
            type: 'scatter',
            ...(isWord || rank < 0 ? {mode} : endLabel(mode, rung.short, mine.length, rank, color)),
            visible: rank < 0 && !isWord ? 'legendonly' : true,
            name: unique(all.map((m) => m.rung)).length > 1 ? `${name}, best tuning` : rung.short,
            x: mine.map((m) => format.onAxis(xaxis, axis, m.point)),
            y: mine.map((m) => m.rated),
            ...mark(mine),
            legendgroup: rung.backend,
            line: {color, width: isFirst(rung.backend) ? 3.4 : 1.6, dash: rung.library ? 'dash' : 'solid'},
            marker: {color, symbol, size: isFirst(rung.backend) ? 10 : 6},
          };
        };
        const inOrder = [...byVariant].sort(
            ([, a], [, b]) => data.backends.indexOf(a[0].rung.backend) - data.backends.indexOf(b[0].rung.backend));
        const byRung = groupBy(own, (c) => c.rung);
        const bars = isLatency ? levels(experiment, byRung, axis) : [];
        const drawn = across(isTime ? [] : ceilings(own), 'horizontal');
        const points = unique(own.map((c) => c.point)).sort(comparePoints);
        return {
          traces: [...inOrder.map(trace), ...bars, ...drawn.traces],
          layout: {
            height: 480 + 20 * Math.ceil(byVariant.size / 5),
            margin: {l: 60, r: 160, t: 40, b: 48},
            xaxis,
            yaxis: format.logAxis(isTime ? 'time of an access' : 'rate', own[0].unit, own.map((c) => c.rated)),
            shapes: drawn.shapes,
            legend: {font: {size: 11}, orientation: 'h', x: 0, y: -0.16, yanchor: 'top'},
          },
          summary: `${byVariant.size} variants at ${points.length} values of ${axis}, ${at}${
              bars.length ? `; ${bars.length} levels` : ''}.`,
          head: ['rung', ...points.map((p) => `#${p.shown[axis]}`)],
          rows: [...byRung].map(([rung, mine]) => [rung.short, ...points.map((p) => {
                                  const cell = mine.find((m) => m.point === p);
                                  return cell ? cellButton(open, cell, show(cell, 'rate')) : '';
                                })]),
        };
      }
    });
  }

  /// Random points: each rung's speed over the fastest library, else over the fastest rung of the point, against work.
  function randomPoints(parent, experiment, open) {
    const all = data.cells.filter((c) => c.experiment === experiment && c.half && c.ok);
    if (!all.length) return;
    const work = (c) => 1e-9 * c.real_time * (c.flops_per_second || c.bytes_per_second);
    const hasWork = (c) => work(c) > 0;
    const list = () => filters.shown(experiment).filter((c) => c.half && c.ok && hasWork(c));
    const halves = (cells) => unique(cells.map((c) => c.half)).sort();
    chart(parent, {
      id: `random-${experiment}`,
      title: 'Random points',
      explanation:
          'One mark a random point: the speed over the fastest library there, above 1 is faster; without a library over the fastest rung. The legend draws other rungs; the worst point of each half is named.',
      open,
      controls: [{name: 'half', label: 'Points', options: () => ['all', ...halves(list())]}],
      make({half}) {
        const own = list().filter((c) => half === 'all' || c.half === half);
        if (!own.length) return {why: list().length ? 'No point of this half has a time.' : 'No random point has a time.'};
        const points = groupBy(own, (c) => c.point);
        const libraries = new Map([...points].map(([p, cells]) => [p, fastest(cells.filter((c) => c.rung.library))]));
        const hasLibrary = [...libraries.values()].some(Boolean);
        const yardstick = (c) => (hasLibrary ? libraries.get(c.point) : fastest(points.get(c.point)));
        const shown = own.filter((c) => yardstick(c) && !(hasLibrary && c.rung.library));
        if (!shown.length) return {why: 'Only libraries have a time here.'};
        const ratio = (c) => yardstick(c).real_time / c.real_time;
        const mean = (cells) => Math.exp(cells.reduce((sum, c) => sum + Math.log(ratio(c)), 0) / cells.length);
        const rungs = [...groupBy(shown, (c) => c.rung)].sort(([, a], [, b]) => mean(b) - mean(a));
        const looks = look(shown), kinds = halves(shown);
        const what = hasLibrary ? 'speed over the fastest library' : 'speed over the fastest rung';
        const worst = (cells) => cells.reduce((w, c) => (ratio(c) < ratio(w) ? c : w));
        const traces = rungs.flatMap(([rung, cells], rank) => [...groupBy(cells, (c) => c.half)].map(([kind, mine]) => ({
          type: 'scatter',
          mode: 'markers',
          name: kinds.length > 1 ? `${rung.short}, ${kind}` : rung.short,
          visible: rank < 2 ? true : 'legendonly',
          x: mine.map(work),
          y: mine.map(ratio),
          customdata: mine.map((c) => c.index),
          hoverinfo: 'text',
          hovertext: mine.map((c) => `${plain(rung.short)}: ${ratio(c).toPrecision(3)} ×<br>${plain(c.point.short)}, ${kind}`),
          marker: {color: looks(rung).colour, symbol: symbols[kinds.indexOf(kind) % symbols.length], size: 8},
        })));
        const named = rungs.slice(0, 1).flatMap(([, cells]) => [...groupBy(cells, (c) => c.half).values()].map(worst));
        const line = across([{value: 1, name: 'equally fast', dash: 'dash', colour: css('--text')}], 'horizontal');
        return {
          traces,
          layout: {
            height: 460,
            shapes: line.shapes,
            xaxis: format.logAxis(own[0].flops_per_second ? 'operations of the problem' : 'bytes of the problem', '', shown.map(work)),
            yaxis: format.logAxis(what, '', [...shown.map(ratio), 1]),
            legend: {font: {size: 11}, orientation: 'h', x: 0, y: -0.16, yanchor: 'top'},
            annotations: named.map((c) => ({
                                     x: Math.log10(work(c)),
                                     y: Math.log10(ratio(c)),
                                     text: plain(`worst, ${c.half}: ${c.point.short}`),
                                     font: {size: 11, color: css('--faint')},
                                     ay: 24,
                                     ax: 0,
                                   })),
          },
          summary: `${rungs.length} rungs at ${points.size} random points; ${what}. ${
              rungs.slice(0, 3)
                  .map(([rung, cells]) => `${rung.short}: geometric mean ${mean(cells).toPrecision(3)}, worst ${
                           ratio(worst(cells)).toPrecision(3)} at ${worst(cells).point.short}`)
                  .join('; ')}.`,
          head: ['rung', 'half', '#points', '#geometric mean', '#worst', 'at'],
          rows: rungs.flatMap(
              ([rung, cells]) => [...groupBy(cells, (c) => c.half)].map(
                  ([kind, mine]) => [rung.short, kind, String(mine.length), mean(mine).toPrecision(3),
                                     ratio(worst(mine)).toPrecision(3), cellButton(open, worst(mine), worst(mine).point.short)])),
        };
      }
    });
  }

  function tunings(parent, experiment, open) {
    const hasSeveral = (list) => unique(list.map((c) => c.rung.tuning)).length > 1;
    const byVariant = (list) =>
        [...groupBy(list.filter((c) => c.ok), (c) => `${c.rung.backend}/${c.rung.variant}`)].filter(
            ([, own]) => hasSeveral(own));
    const variants = () => byVariant(filters.shown(experiment));
    chart(parent, {
      id: `tunings-${experiment}`,
      title: 'Tunings',
      explanation: 'Speed of each tuning of a variant relative to its best one at that point: 100 % is the best.',
      open,
      something: byVariant(data.cells.filter((c) => c.experiment === experiment)).length > 0,
      controls: [{name: 'variant', label: 'Variant', options: () => variants().map(([name]) => name)}],
      make({variant}) {
        if (!variant)
          return filters.shown(experiment).length ?
              {why: 'No variant was run with more than one tuning: bench --tuning all does.'} :
              nothing(experiment);
        const list = variants().find(([name]) => name === variant)[1];
        const points = unique(list.map((c) => c.point)).sort(comparePoints);
        const names = unique(list.map((c) => c.rung.tuning)), axes = sweepAxes(list);
        const at = (name, p) => list.find((c) => c.rung.tuning === name && c.point === p);
        const best = new Map(points.map((p) => [p, fastest(list.filter((c) => c.point === p))]));
        const share = (name, p) => (at(name, p) ? best.get(p).real_time / at(name, p).real_time : null);
        const column = (p) =>
            (axes.length ? axes.map((a) => `${axes.length > 1 ? `${a} ` : ''}${p.shown[a]}`).join(', ') : p.short);
        const z = names.map((n) => points.map((p) => share(n, p)));
        const labels = names.flatMap((n, i) => points.map((p, j) => ({
                                                            x: column(p),
                                                            y: n,
                                                            text: z[i][j] === null ? '' : (100 * z[i][j]).toFixed(0),
                                                            showarrow: false,
                                                            font: {color: z[i][j] > 0.75 ? '#1b1f27' : '#ffffff', size: 11},
                                                          })));
        return {
          traces: [{
            type: 'heatmap',
            x: points.map(column),
            y: names,
            z,
            zmin: Math.min(0.5, ...z.flat().filter((v) => v !== null)),
            zmax: 1,
            colorscale: 'Viridis',
            showscale: !narrow.matches,
            xgap: 2,
            ygap: 2,
            customdata: names.map((n) => points.map((p) => at(n, p)?.index)),
            hoverinfo: 'text',
            text: names.map((n) => points.map((p) => (at(n, p) ? hover(at(n, p)) : 'not measured'))),
            colorbar: {title: {text: 'of the best'}, tickformat: '.0%', outlinewidth: 0},
          }],
          layout: {
            height: 150 + 26 * names.length,
            xaxis: {type: 'category', title: {text: axes.join(', ') || 'point'}, showgrid: false},
            yaxis: {...nameAxis(names), showgrid: false},
            annotations: labels.length > 150 ? [] : labels,
          },
          summary: `${names.length} tunings of ${variant} at ${points.length} points.`,
          head: ['tuning', ...points.map((p) => `#${column(p)}`)],
          rows: names.map((n) => [n || 'default', ...points.map((p) => {
                                    const cell = at(n, p);
                                    return cell ?
                                        cellButton(open, cell, `${show(cell, 'rate')} (${percent(share(n, p))})`) :
                                        '';
                                  })]),
        };
      }
    });
  }

  /// The fastest handwritten variant over the fastest one of each other backend. `verdicts()`: those to draw; `first()`:
  /// the one whose line is drawn at first.
  function againstOthers(parent, {id, title, something, height = 400, isSmall = false, verdicts, first, open}) {
    const pairs = () =>
        verdicts().flatMap((v) => v.others.map((other) => ({...other, best: v.best, other: other.cell, point: v.best.point})));
    // Points along one axis, where three or more have the other axes in common; all points side by side.
    const everything = 'all points';
    const axisOf = () => sweepAxes(pairs().map((p) => p.best))[0];
    const groups = () => {
      const all = pairs(), axis = axisOf();
      const along = axis ? [...groupBy(all, (p) => rest(p.point, axis))] : [];
      return new Map([...along.filter(([, own]) => unique(own.map((p) => p.point)).length > 2), [everything, all]]);
    };
    return chart(parent, {
      id,
      title,
      explanation: 'Times as fast as the fastest variant of the other backend; above 1, handwritten is faster.',
      open,
      something,
      hasButtons: !isSmall,
      controls: [{
        name: 'rest',
        label: 'At',
        options: () => [...groups().keys()],
        preferred: (options) => {
          const verdict = first?.();
          if (!verdict?.best) return options[0];
          const own = axisOf() && rest(verdict.best.point, axisOf());
          return options.includes(own) ? own : everything;
        },
      }],
      make({rest: at}) {
        if (!pairs().length) return {why: 'No two backends have times at one point here.'};
        const axis = at === everything ? null : axisOf(), own = groups().get(at);
        const xaxis = axis ? format.pointAxis(axis, own.map((p) => p.point)) : {type: 'category'};
        const x = (p) => (axis ? format.onAxis(xaxis, axis, p.point) : p.point.brief);
        const backend = (p) => p.other.rung.backend, native = unique(own.map((p) => p.best.rung.backend)).join(', ');
        const rounds = (p) => (p.paired ? 'in the same rounds' : 'in different runs');
        const told = (p) => `${plain(p.best.rung.short)}: ${p.interval} × as fast as<br>${
            plain(p.other.rung.short)}, ${rounds(p)}<br>${plain(p.point.short)}: ${show(p.best, 'real_time')} and ${
            show(p.other, 'real_time')}`;
        const traces = [...groupBy(own, backend)].map(([name, mine], i) => {
          mine.sort((a, b) => comparePoints(a.point, b.point));
          const beyond = (end) => mine.map((p) => (p.ratio[end] === null ? 0 : Math.abs(p.ratio[end] - p.ratio[0])));
          const isLine = axis && typeof mine[0].point.axes[axis] === 'number';
          return {
            type: 'scatter',
            ...endLabel(isLine ? 'lines+markers' : 'markers', `× ${name}`, mine.length, i),
            name: `${native} over ${name}`,
            x: mine.map(x),
            y: mine.map((p) => p.ratio[0]),
            customdata: mine.map((p) => p.best.index),
            hovertext: mine.map(told),
            hoverinfo: 'text',
            error_y: {type: 'data', symmetric: false, array: beyond(2), arrayminus: beyond(1), thickness: 1.5, width: 4},
            line: {color: colour(name), width: 2},
            marker: {color: colour(name), symbol: symbols[i], size: 8},
          };
        });
        const drawn =
            across([{value: 1, name: 'equally fast', dash: 'dash', colour: css('--text')}], 'horizontal');
        const ends = own.flatMap((p) => p.ratio.filter((r) => r !== null));
        const least = Math.min(0.95, ...ends), greatest = Math.max(1.05, ...ends);
        const isWide = least > 0 && greatest > 20 * least, room = 0.05 * (greatest - least);
        return {
          traces,
          layout: {
            height,
            xaxis,
            shapes: drawn.shapes,
            showlegend: false,
            margin: {l: 56, r: labelRoom, t: 16, b: 44},
            yaxis: isWide ? format.logAxis(`${native}: × as fast`, '', [least, greatest]) :
                            {title: {text: `${native}: × as fast`}, range: [least - room, greatest + room]},
          },
          summary: `${traces.map((t) => t.name).join(', ')} at ${unique(own.map((p) => p.point)).length} points, ${at}.`,
          head: ['point', 'fastest handwritten', '#time', 'fastest of the other', '#time', '#× as fast [95 %]', 'sampled'],
          rows: own.map(
              (p) =>
                  [p.point.short, cellButton(open, p.best, p.best.rung.short), show(p.best, 'real_time'),
                   cellButton(open, p.other, p.other.rung.short), show(p.other, 'real_time'), p.interval, rounds(p)]),
        };
      }
    });
  }

  // --- The charts of all experiments -----------------------------------------------------------------------------------

  const efficiencies = {'against the best known variant': 'of_best', 'against peak': 'of_peak'};
  /// `lines`: of the backends, as chosen.
  function portability(parent, lines) {
    chart(parent, {
      id: 'portability-chart',
      title: 'Efficiency of the backends',
      explanation:
          'By the fastest rung of each, vendors’ libraries left out; over the points that a backend runs, whose number stands behind it where it is not all.',
      controls: [{name: 'measure', label: 'Efficiency', options: () => Object.keys(efficiencies)}],
      make({measure}) {
        const rows = lines().flatMap((line) => line.devices.filter((d) => d.device === chosen.device).map((d) => {
          const [value, text] = d[efficiencies[measure]];
          return {...line, value, text};
        })).filter((row) => row.value !== null);
        if (!rows.length) return {why: 'No experiment has an efficiency of that kind here.'};
        const names = unique(rows.map((r) => r.experiment));
        return {
          traces: [...groupBy(rows, (r) => r.backend)].map(([backend, own]) => ({
            type: 'bar',
            orientation: 'h',
            name: backend,
            y: own.map((r) => r.experiment),
            x: own.map((r) => r.value),
            marker: {color: colour(backend)},
            hoverinfo: 'text',
            hovertext: own.map((r) => `${plain(r.experiment)}, ${plain(backend)}: ${r.text}<br>${r.points} points`),
            text: own.map((r) => r.text),
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
              title: {text: `${measure}, ${chosen.device}`}
            },
            yaxis: {type: 'category', autorange: 'reversed'},
          },
          summary: `${names.length} experiments, ${unique(rows.map((r) => r.backend)).length} backends.`,
          head: ['experiment', 'backend', '#points', '#efficiency'],
          rows: rows.map((r) => [r.experiment, r.backend, String(r.points), r.text]),
        };
      }
    });
  }

  const harmonicMean = (values) =>
      values.some((v) => v <= 0) ? 0 : values.length / values.reduce((sum, v) => sum + 1 / v, 0);

  /// Cascade (Sewall et al. 2020): the devices of each backend from its most to its least efficient one, and the harmonic
  /// mean over those so far. `lines`: of the backends, as chosen.
  function cascade(parent, lines) {
    const overDevices = () => lines().filter((line) => line.devices.length > 1);
    chart(parent, {
      id: 'cascade-chart',
      title: 'Cascade over the devices',
      explanation:
          'Lines: efficiency on each device, from a backend’s best device to its worst; dashed: the harmonic mean of the best ones so far, whose last value is the performance portability. Geometric means over the points that run there; 0 from the first device on that runs none.',
      something: data.devices.length > 1,
      controls: [
        {name: 'experiment', label: 'Experiment', options: () => unique(overDevices().map((line) => line.experiment))},
        {name: 'measure', label: 'Efficiency', options: () => Object.keys(efficiencies)},
      ],
      make({experiment, measure}) {
        // Without an efficiency of that kind, a backend that runs has no line.
        const all = overDevices().filter((line) => line.experiment === experiment).map((line) => ({
          backend: line.backend,
          points: line.points,
          steps: line.devices
                     .map((d) => ({device: d.device, value: d.of_best[0] === 0 ? 0 : d[efficiencies[measure]][0]}))
                     .sort((a, b) => b.value - a.value),
        })).filter((line) => line.steps.every((step) => step.value !== null));
        if (!all.length)
          return {why: data.devices.length > 1 ? 'No experiment has such an efficiency on several devices here.' :
                                                 'A cascade needs the results of several devices.'};
        for (const line of all)
          line.steps.forEach((step, i) => (step.mean = harmonicMean(line.steps.slice(0, i + 1).map((s) => s.value))));
        const most = Math.max(...all.map((line) => line.steps.length));
        const count = (line) => line.steps.map((_, i) => i + 1);
        const told = (line, i) => `${plain(line.backend)}, ${plain(line.steps[i].device)}: ${percent(line.steps[i].value)}<br>mean over ${
            i + 1} of ${line.steps.length} devices: ${percent(line.steps[i].mean)}`;
        const trace = (line, value, more) => ({
          type: 'scatter',
          mode: 'lines+markers',
          x: count(line),
          y: line.steps.map(value),
          hoverinfo: 'text',
          hovertext: line.steps.map((_, i) => told(line, i)),
          cliponaxis: false,
          ...more,
        });
        return {
          traces: all.flatMap((line, i) => [
            trace(line, (s) => s.value, {
              name: line.backend,
              line: {color: colour(line.backend), width: 2},
              marker: {color: colour(line.backend), symbol: symbols[i % symbols.length], size: 9},
            }),
            trace(line, (s) => s.mean, {
              name: `${line.backend}, mean so far`,
              line: {color: colour(line.backend), width: 2, dash: 'dash'},
              marker: {color: colour(line.backend), symbol: symbols[i % symbols.length], size: 5},
            }),
          ]),
          layout: {
            height: 380,
            legend: {font: {size: 11}},
            xaxis: {title: {text: 'devices, each backend’s best first'}, dtick: 1, range: [0.8, most + 0.2]},
            yaxis: {
              title: {text: measure},
              tickformat: '.0%',
              range: [-0.03, 1.06 * Math.max(1, ...all.flatMap((line) => line.steps.map((s) => s.value)))]
            },
          },
          summary: `${experiment}: ${all.length} backends on ${most} devices.`,
          head: ['backend', '#device', 'name', '#efficiency', '#mean so far'],
          rows: all.flatMap((line) => line.steps.map(
                                (s, i) => [line.backend, String(i + 1), s.device, percent(s.value), percent(s.mean)])),
        };
      }
    });
  }

  /// Flat roofs of ceilings; those that are nearly the same get one line.
  function flatRoofs(list, ofDevice) {
    const found = unique(list.map((c) => c.ceiling))
                      .filter((ceiling) => ceiling && ceiling !== 'memory')
                      .map((ceiling) => [ceiling, middle(ofDevice.filter((c) => c.ceiling === ceiling), 'theoretical_peak')])
                      .filter(([, cell]) => cell)
                      .map(([name, cell]) => ({names: [name], value: cell.theoretical_peak, text: show(cell, 'theoretical_peak')}))
                      .sort((a, b) => a.value - b.value);
    return found.reduce((merged, roof) => {
      const last = merged[merged.length - 1];
      if (last && roof.value < 1.15 * last.value)
        last.names.push(...roof.names);
      else
        merged.push(roof);
      return merged;
    }, []);
  }

  function roofline(parent, open) {
    const intensity = (c) => c.flops_per_second / c.bytes_per_second;
    chart(parent, {
      id: 'roofline-chart',
      title: 'Every variant under its roofs',
      explanation:
          'Each rung at its highest rate; operations and bytes are those of the problem, so that rungs of one experiment stand above each other.',
      open,
      make() {
        const here = data.cells.filter((c) => filters.shows(c) && c.ok);
        const able = here.filter((c) => c.bytes_per_second > 0 && c.flops_per_second > 0);
        if (!able.length)
          return {why: here.length ? 'Nothing here has both bytes and operations.' : 'The filter leaves no cell.'};
        const best = [...groupBy(able, (c) => `${c.rung.name} ${c.ceiling}`).values()].map(
            (own) => most(own, (c) => c.flops_per_second));
        const names = unique(best.map((c) => c.experiment));
        const marks = [...groupBy(best, (c) => `${c.rung.backend}, ${c.experiment}`)].map(([name, own]) => ({
          type: 'scatter',
          mode: 'markers',
          name,
          x: own.map(intensity),
          y: own.map((c) => c.flops_per_second),
          ...mark(own),
          marker: {
            color: colour(own[0].rung.backend),
            symbol: symbols[names.indexOf(own[0].experiment) % symbols.length],
            size: isFirst(own[0].rung.backend) ? 14 : 8,
            line: {width: 1, color: css('--page')}
          },
        }));
        const ofDevice = data.cells.filter((c) => c.device === chosen.device);
        const slopes = peaks.map(([peak, word, dash]) => [middle(ofDevice.filter((c) => c.ceiling === 'memory'), peak), peak, word, dash])
                           .filter(([cell]) => cell)
                           .map(([cell, peak, word, dash]) => ({value: cell[peak], name: `memory, ${word}: ${show(cell, peak)}`, dash}));
        const flats = flatRoofs(best, ofDevice), top = flats.length ? flats[flats.length - 1].value : Infinity;
        const ridge = slopes.length && flats.length ? [2 * top / slopes[0].value] : [];
        const left = Math.min(...best.map(intensity)) / 4, right = Math.max(...best.map(intensity), ...ridge) * 4;
        const from = (flat) => (slopes.length ? flat.value / slopes[slopes.length - 1].value : left);
        const roofs = [
          ...slopes.map((s) => ({
                          type: 'scatter',
                          mode: 'lines',
                          name: s.name,
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
                         x: [from(f), right],
                         y: [f.value, f.value],
                         line: {color: css('--faint'), width: 1.5},
                         hoverinfo: 'skip',
                       })),
        ];
        return {
          traces: [...roofs, ...marks],
          layout: {
            height: 560,
            xaxis: format.logAxis('operations for each byte of memory traffic that the problem needs', '', [left, right]),
            yaxis: format.logAxis(
                'operations a second', 'FLOP/s',
                [...best.map((c) => c.flops_per_second), ...(flats.length ? [top] : slopes.map((s) => right * s.value))]),
            legend: {font: {size: 11}},
            annotations: flats.map((f) => ({
                                     x: Math.log10(from(f)),
                                     y: Math.log10(f.value),
                                     xanchor: 'left',
                                     yanchor: 'top',
                                     showarrow: false,
                                     text: plain(`${f.names.join(', ')}: ${f.text}`),
                                     font: {size: 11, color: css('--faint')}
                                   })),
          },
          summary: `${best.length} rungs of ${names.length} experiments; ${here.length - able.length} of ${
              here.length} cells have no operations, or no bytes, and are left out.`,
          head: ['rung', 'point', '#operations a byte', '#rate', 'held to'],
          rows: best.map(
              (c) => [cellButton(open, c, c.rung.name), c.point.short, intensity(c).toPrecision(3), show(c, 'rate'), c.ceiling]),
        };
      }
    });
  }

  return {parts, cellButton, ladder, sweep, randomPoints, tunings, againstOthers, portability, cascade, roofline};
})();
