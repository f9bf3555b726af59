// The first screen: a verdict per experiment, then the ladder of the chosen one, then portable against native.
const overview = (() => {
  const {groupBy, show, unique} = data;
  const {element, table} = format;
  const {chosen} = filters;
  const root = document.getElementById('overview');

  const steps = (list) => Math.max(0, ...list.map((v) => v.ladder.length));
  const isHere = (v) => (!v.device || v.device === chosen.device) && v.mode === chosen.mode;
  const ofExperiments = () => groupBy(data.verdicts.filter(isHere), (v) => v.experiment);

  // The point chosen for each experiment, else its headline; the experiment chosen, else the one with the most steps.
  const points = new Map();
  let selected = null;
  const verdictOf = (experiment, all = ofExperiments()) => {
    const list = all.get(experiment) || [];
    return list.find((v) => v.point === points.get(experiment)) || list.find((v) => v.isHeadline) || list[0];
  };
  function selection() {
    const all = ofExperiments(), names = [...all.keys()];
    return names.includes(selected) ? selected :
                                      names.reduce((a, b) => (steps(all.get(b)) > steps(all.get(a)) ? b : a), names[0]);
  }

  // --- Verdicts ------------------------------------------------------------------------------------------------------

  const sum = (list, status) => list.reduce((total, v) => total + (v.not_ok[status] || 0), 0);
  const counted = (list, statuses) =>
      statuses.map((s) => [sum(list, s), s]).filter(([n]) => n).map(([n, s]) => `${n} ${s}`).join(', ');
  const unsound = ['wrong', 'failed', 'implausible'];

  /// `1.01`, with the interval, the other variant and its time as a tooltip.
  function ratio(rival) {
    if (!rival) return '';
    const {cell} = rival;
    return element(
        'span', {
          class: rival.ratio[0] < 0.995 ? 'behind' : null,
          title: `${rival.interval} × as fast as ${cell.rung.name} (${show(cell, 'real_time')}), in ${
              rival.paired ? 'the same rounds' : 'different runs'}`
        },
        rival.text);
  }

  /// Columns: head, class of its cells, content for a verdict. Those that no verdict fills are left out.
  function columns(shown) {
    const found = unique(shown.flatMap((v) => v.others.map((o) => o.cell.rung.backend)));
    const backends = found.sort((a, b) => (b === 'kokkos') - (a === 'kokkos'));
    return [
      ['fastest of its backend', 'wide variant', (v) => v.best.rung.short],
      ['time', 'number', (v) => show(v.best, 'real_time')],
      ['of peak', 'number', (v) => show(v.best, 'of_measured_peak') || show(v.best, 'of_theoretical_peak')],
      ['× first rung', 'number wide', (v) => ratio(v.naive)],
      ['× library', 'number', (v) => ratio(v.library)],
      ...backends.map(
          (b, i) => [`× ${b}`, i ? 'number wide' : 'number', (v) => ratio(v.others.find((other) => other.cell.rung.backend === b))]),
      ['bound by', 'bound wide', (v) => v.bound],
    ].filter(([, , content]) => shown.some((v) => v.best && content(v)));
  }

  function pointSelect(v, list) {
    const brief = (other) => other.cell.point.brief;
    if (list.length < 2) return brief(v);
    const select = element(
        'select', {'aria-label': `Point of ${v.experiment}`, title: v.point},
        ...list.map((other) => element('option', {value: other.point, selected: other === v}, brief(other))));
    select.addEventListener('change', () => {
      points.set(v.experiment, select.value);
      selected = v.experiment;
      refresh();
      root.querySelector('tr.selected select')?.focus();
    });
    return select;
  }

  function verdictTable(all, experiment) {
    const shown = [...all.keys()].map((name) => verdictOf(name, all)), heads = columns(shown);
    const skips = shown.some((v) => sum(all.get(v.experiment), 'skipped'));
    const row = (v) => {
      const list = all.get(v.experiment), loud = counted(list, unsound);
      const choice =
          element('input', {type: 'radio', name: 'verdict', value: v.experiment, checked: v.experiment === experiment});
      choice.addEventListener('change', () => {
        selected = v.experiment;
        refresh();
        root.querySelector('tr.selected input').focus();
      });
      const why = () => `no time: ${unique(data.cells.filter((c) => c.experiment === v.experiment && c.mode === v.mode &&
          c.device === v.device && c.point.short === v.point).map((c) => c.outcome)).join('; ')}`;
      return element(
          'tr', {class: v.experiment === experiment ? 'selected' : null, 'data-cell': v.best && v.best.name},
          element(
              'th', {scope: 'row'}, element('label', {}, choice, v.experiment),
              loud ? element('strong', {class: 'loud'}, loud) : null),
          element('td', {class: 'wide'}, pointSelect(v, list)),
          ...(v.best ? heads.map(([, kind, content]) => element('td', {class: kind}, content(v))) :
                       [element('td', {colspan: heads.length, class: 'why'}, why())]),
          skips ? element('td', {class: 'number wide faint'}, counted(list, ['skipped'])) : null);
    };
    const head = (text, kind) => element('th', {scope: 'col', class: kind}, text);
    return element(
        'table', {class: 'verdicts'},
        element(
            'caption', {},
            'The fastest variant of each experiment’s reference backend, libraries left out. × is how many times as fast it is: above 1, it is faster.'),
        element(
            'thead', {},
            element(
                'tr', {}, head('experiment'), head('at', 'wide'), ...heads.map(([text, kind]) => head(text, kind)),
                skips ? head('left out', 'number wide') : null)),
        element('tbody', {}, ...shown.map(row)));
  }

  // --- The ladder ----------------------------------------------------------------------------------------------------

  function ladder(v) {
    const title = element('h3', {id: 'steps-title'}, `What each step brings: ${v.experiment}`);
    const link = element('a', {href: `#experiment-${v.experiment}`}, 'All rungs and sizes');
    if (!v.best) return [title, element('p', {class: 'why'}, `No handwritten variant has a time at ${v.point}. `, link)];
    const speed = (cell) => 100 * v.best.real_time / cell.real_time;
    const row = ({cell, text}) => element(
        'tr', {}, element('th', {scope: 'row', class: 'number'}, text ? `${text} ×` : 'first'),
        element(
            'td', {class: 'bar', style: `--share: ${speed(cell).toFixed(1)}%`}, cell.rung.idea || cell.rung.variant,
            element('span', {class: 'faint wide'}, ` ${cell.rung.variant}`)),
        element('td', {class: 'number'}, show(cell, 'real_time')));
    return [
      title,
      element(
          'table', {class: 'steps', 'aria-labelledby': 'steps-title'},
          element(
              'caption', {},
              `${v.cell.point.brief}: × the speed of the step before; bars are speeds. `, link),
          element(
              'thead', {},
              element(
                  'tr', {}, element('th', {scope: 'col', class: 'number'}, 'step'), element('th', {scope: 'col'}, 'idea'),
                  element('th', {scope: 'col', class: 'number'}, 'time'))),
          element('tbody', {}, ...v.ladder.map(row)))
    ];
  }

  // --- All of it -----------------------------------------------------------------------------------------------------

  const verdictsHere = element('div'), ladderHere = element('section', {'aria-labelledby': 'steps-title'});
  const nativeHere = element('section', {'aria-labelledby': 'native-title'});

  function setup() {
    const device = data.devices.find((d) => d.name === chosen.device) || data.devices[0];
    document.querySelector('#setup > summary').textContent =
        [device ? device.line : 'no results', chosen.mode].filter(Boolean).join(' · ');
  }

  function refresh() {
    const all = ofExperiments(), experiment = selection();
    setup();
    verdictsHere.replaceChildren(
        all.size ? verdictTable(all, experiment) :
                   element('p', {class: 'why'}, data.cells.length ? 'No result of this device and mode.' : 'No results.'));
    ladderHere.replaceChildren(...(experiment ? ladder(verdictOf(experiment)) : []));
    nativeHere.hidden = !data.verdicts.some((v) => v.others.length);
    native?.refresh();
  }

  let native = null;
  function start(open) {
    root.append(verdictsHere, element('div', {class: 'pair'}, ladderHere, nativeHere));
    native = charts.againstOthers(nativeHere, {
      id: 'native',
      title: 'Native against portable',
      something: data.verdicts.some((v) => v.others.length),
      height: 270,
      isSmall: true,
      verdicts: () => (selection() ? ofExperiments().get(selection()) : []),
      first: () => selection() && verdictOf(selection()),
      open,
    });
    charts.parts.push({refresh});
  }

  return {start};
})();
