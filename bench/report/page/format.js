// Elements, colours, and the ticks of axes: all numbers but these are formatted by the program.
const format = (() => {
  const prefixes = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P'];
  /// Of a round number: `2 TB/s`.
  function tick(value, unit) {
    if (!unit || value === 0) return `${Number(value.toPrecision(3))}${unit ? ` ${unit}` : ''}`;
    const thousands = Math.max(-4, Math.min(5, Math.floor(Math.log10(Math.abs(value) * (1 + 1e-9)) / 3)));
    return `${Number((value / 1000 ** thousands).toPrecision(3))} ${prefixes[thousands + 4]}${unit}`;
  }
  /// Of a power of two on an axis: `64 KiB`, `2^20`.
  function power(axis, value) {
    const exponent = Math.log2(value);
    if (axis !== 'bytes') return value >= 1024 && Number.isInteger(exponent) ? `2<sup>${exponent}</sup>` : String(value);
    const thousands = Math.min(4, Math.max(0, Math.floor(exponent / 10)));
    return `${Number((value / 1024 ** thousands).toPrecision(4))} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][thousands]}`;
  }
  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  /// Ticks at round numbers with their unit, which plotly's own prefixes do not know.
  function logAxis(title, unit, values) {
    const least = Math.log10(Math.min(...values)), most = Math.log10(Math.max(...values));
    const every = Math.max(1, Math.ceil((most - least) / 9)), ticks = [];
    const within = most - least < 0.7 ? [1, 1.5, 2, 3, 4, 5, 7] : most - least < 2 ? [1, 2, 5] : [1];
    for (let decade = Math.floor(least) - 1; decade <= Math.ceil(most) + 1; decade += every)
      ticks.push(...within.map((m) => m * 10 ** decade));
    return {type: 'log', title: {text: title}, tickvals: ticks, ticktext: ticks.map((t) => tick(t, unit))};
  }
  function linearAxis(title, unit, most, ticksAtMost = 8) {
    const magnitude = 10 ** Math.floor(Math.log10(most / ticksAtMost));
    const step = [1, 2, 5, 10, 20].map((m) => m * magnitude).find((v) => most / v <= ticksAtMost);
    const ticks = Array.from({length: Math.floor(most / step) + 1}, (_, i) => i * step);
    return {title: {text: title}, range: [0, most], tickvals: ticks, ticktext: ticks.map((t) => tick(t, unit))};
  }
  /// Of the values that points have on an axis; of logarithms where they are numbers far apart.
  function pointAxis(axis, points) {
    const values = data.unique(points.map((p) => p.axes[axis]));
    const isNumeric = values.every((v) => typeof v === 'number' && v > 0);
    if (!isNumeric || Math.max(...values) < 8 * Math.min(...values))
      return {
        type: 'category',
        categoryorder: 'array',
        categoryarray: data.unique(points.map((p) => p.shown[axis])),
        title: {text: axis}
      };
    const octaves = Math.log2(Math.max(...values) / Math.min(...values)), every = Math.ceil(octaves / 12);  // at least 3
    const first = Math.round(Math.log2(Math.min(...values)));
    const ticks = Array.from({length: Math.floor(octaves / every) + 1}, (_, i) => 2 ** (first + i * every));
    return {type: 'log', title: {text: axis}, tickvals: ticks, ticktext: ticks.map((t) => power(axis, t))};
  }
  const onAxis = (made, axis, point) => (made.type === 'category' ? point.shown[axis] : point.axes[axis]);

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
  /// head: names of columns, those of numbers begin with '#'. A row's first cell is its head.
  function table(caption, head, rows) {
    const ofNumbers = head.map((h) => (h.startsWith('#') ? 'number' : null));
    const row = (cells) => element(
        'tr', {}, ...cells.map((c, i) => element(i ? 'td' : 'th', {scope: i ? null : 'row', class: ofNumbers[i]}, c)));
    const heads = head.map((h, i) => element('th', {scope: 'col', class: ofNumbers[i]}, h.replace(/^#/, '')));
    return element(
        'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
        element(
            'table', {}, element('caption', {}, caption), element('thead', {}, element('tr', {}, ...heads)),
            element('tbody', {}, ...rows.map(row))));
  }
  /// Labels and texts; without those that have none.
  const definitions = (pairs) => element(
      'dl', {},
      ...pairs.filter(([, text]) => text).flatMap(([label, text]) => [element('dt', {}, label), element('dd', {}, text)]));

  // plotly takes a few tags in texts; names of the data are none.
  const plain = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

  // A hue for each backend: Okabe and Ito's, which colour-blind people tell apart. A lightness and a symbol for each of
  // its variants.
  const hues = {cuda: [202, 85], kokkos: [32, 95], hip: [162, 85], host: [327, 45], simt: [265, 40], simt64: [265, 40]};
  const spareHues = [[54, 85], [0, 60], [220, 15]];
  const symbols = [
    'circle', 'square', 'diamond', 'triangle-up', 'cross', 'star', 'triangle-down', 'x', 'hexagon', 'bowtie',
    'pentagon', 'hourglass'
  ];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  function colour(backend, step = 0, of = 1) {
    const unknown = data.backends.filter((b) => !hues[b]).indexOf(backend);
    const [hue, saturation] = hues[backend] || spareHues[Math.max(0, unknown) % spareHues.length];
    const middle = parseFloat(css('--lightness')), spread = of > 1 ? 30 * (step / (of - 1) - 0.5) : 0;
    return `hsl(${hue}, ${saturation}%, ${middle + spread}%)`;
  }
  /// Marks of the first backend are the largest and lie below those of the others, so that neither hides the other.
  const isFirst = (backend) => backend === data.backends[0];
  /// The colours and symbols of some cells' variants. A variant has one symbol in all backends.
  function look(list) {
    const variants = data.unique(list.map((c) => c.rung.variant));
    const own = data.groupBy(data.unique(list.map((c) => c.rung)), (r) => r.backend);
    return ({backend, variant}) => {
      const mine = data.unique(own.get(backend).map((r) => r.variant));
      return {
        colour: colour(backend, mine.indexOf(variant), mine.length),
        symbol: symbols[variants.indexOf(variant) % symbols.length]
      };
    };
  }

  return {
    tick, percent, logAxis, linearAxis, pointAxis, onAxis, element, table, definitions, plain, css, colour, symbols,
    isFirst, look
  };
})();
