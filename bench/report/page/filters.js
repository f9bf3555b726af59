// Which cells are shown: device and mode, chosen at the top of the page, and the row above the sections.
const filters = (() => {
  const {element} = format;
  const form = document.getElementById('filter');
  const chosen = {};

  function read() {
    const fields = new FormData(form);
    for (const name of ['device', 'mode', 'experiment']) chosen[name] = fields.get(name);
    chosen.backends = new Set(fields.getAll('backend'));
    chosen.words = fields.get('text').toLowerCase().split(/\s+/).filter(Boolean);
  }

  const hasWords = (text) => chosen.words.every((word) => text.includes(word));
  /// Apart from device and mode.
  const selects = (cell) => (!chosen.experiment || cell.experiment === chosen.experiment) &&
      chosen.backends.has(cell.rung.backend) && hasWords(cell.searched);
  // A cell that was skipped before a device was opened is skipped on all of them.
  const shows = (cell) =>
      selects(cell) && (!cell.device || cell.device === chosen.device) && cell.mode === chosen.mode;
  const shown = (experiment) => data.cells.filter((c) => c.experiment === experiment && shows(c));

  /// Calls `refresh` after each change.
  function start(refresh) {
    const option = (value, text = value) => element('option', {value}, text);
    form.elements.device.append(...data.devices.map((d) => option(d.name)));
    form.elements.mode.append(...data.modes.map((m) => option(m)));
    document.getElementById('by-device').hidden = data.devices.length < 2;
    document.getElementById('by-mode').hidden = data.modes.length < 2;
    form.elements.experiment.append(option('', 'all'), ...data.experiments.map((e) => option(e)));
    for (const backend of data.backends)
      document.getElementById('by-backend')
          .append(element(
              'label', {}, element('input', {type: 'checkbox', name: 'backend', value: backend, checked: true}),
              element('span', {class: 'swatch', 'data-backend': backend}), backend));
    const changed = () => {
      read();
      refresh();
    };
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(changed));
    form.addEventListener('change', changed);
    for (const outside of [form.elements.device, form.elements.mode]) outside.addEventListener('change', changed);
    let typing;
    form.elements.text.addEventListener('input', () => {
      clearTimeout(typing);
      typing = setTimeout(changed, 150);
    });
    read();
  }

  return {chosen, selects, shows, shown, hasWords, start};
})();
