// The panel of a step: its options, the values of its inputs when it began, and the values that it wrote.
const [, , STEP_NAME, STEP_KIND, , STEP_READS, STEP_WRITES, STEP_OPTIONS] = Array(8).keys();
const optionTexts = {undo: 'can be undone', condition: 'has a condition', retry: 'may be retried',
  timeout: 'has a time limit', wait: 'only waits'};

const valueTable = (caption, values) => {
  const rows = make('tbody', {});
  for (const [name, value] of values.slice(0, 100)) {
    rows.append(make('tr', {}, make('th', {scope: 'row'}, make('bdi', {}, name)), make('td', {}, value)));
  }
  if (values.length > 100) {
    rows.append(make('tr', {}, make('td', {colspan: 2}, grouped(values.length - 100) + ' more values')));
  }
  return make('table', {class: 'values'}, make('caption', {}, caption), rows);
};
const panelOf = (id, row) => {
  const step = steps[byId.get(id)], inside = within(id), own = [];
  let count = 0;
  for (let index = 0; index < events.length; index += 1) {
    if (inside.has(events[index][STEP])) count += 1;
    if (events[index][STEP] === id) own.push(index);
  }
  const facts = make('dl', {class: 'facts'});
  const fact = (term, text) => {
    facts.append(make('div', {}, make('dt', {}, term), make('dd', {}, make('bdi', {}, text))));
  };
  fact('Step', path(id));
  fact('Kind', step[STEP_KIND]);
  for (const cell of row.cells) if (cell.dataset.name && cell.textContent) fact(cell.dataset.name, cell.textContent);
  if (step[STEP_OPTIONS].length) fact('Options', step[STEP_OPTIONS].map(name => optionTexts[name] || name).join(', '));
  fact('Events', grouped(count));
  const panel = make('div', {class: 'panel'}, facts);
  const failed = own.filter(index => events[index][ITEM] < 0 && ['failed', 'retried', 'recovered', 'undoFailed']
    .includes(words[events[index][WORD]][2]));
  if (failed.length) {
    panel.append(valueTable('Errors', failed.map(index => [words[events[index][WORD]][0]
      + (events[index][ATTEMPT] > 1 ? ', attempt ' + events[index][ATTEMPT] : ''), clamp(events[index][TEXT])])));
  }
  if (step[STEP_READS].length) {
    const before = own.length ? bucket(own[0]) : new Map();
    panel.append(valueTable('Values that it declares to read, as they were when it began', step[STEP_READS].map(name =>
      [name, before.has(name) ? clamp(before.get(name)) : make('em', {}, 'not recorded')])));
  }
  const written = own.filter(index => writes.has(words[events[index][WORD]][2]) && isOfRun(events[index]));
  if (written.length) {
    panel.append(valueTable('Values that it wrote', written.map(index => [events[index][TEXT],
      events[index][NEW] === null ? make('em', {}, 'removed') : clamp(events[index][NEW])])));
  } else if (step[STEP_WRITES].length) {
    panel.append(make('p', {class: 'hint'}, 'It declares to write ' + step[STEP_WRITES].join(', ')
      + '; the record has no write of it.'));
  }
  const only = make('button', {type: 'button'}, 'Show its events in the log');
  only.addEventListener('click', () => showStep(id));
  panel.append(only);
  return panel;
};
const stepRows = new Map();
for (const row of document.querySelectorAll('.steps tbody tr[data-step]')) {
  const cell = row.cells[0], name = cell.firstElementChild, id = Number(row.dataset.step);
  const button = make('button', {type: 'button', class: 'name', 'aria-expanded': 'false'});
  button.append(name);
  cell.append(button);
  let open = null;
  const toggle = () => {
    if (open) {
      open.remove();
      open = null;
    } else {
      open = make('tr', {class: 'opened'}, make('td', {colspan: 7}, panelOf(id, row)));
      row.after(open);
    }
    button.setAttribute('aria-expanded', Boolean(open));
  };
  row.addEventListener('click', toggle);
  stepRows.set(id, {row, button, toggle});
}
const rowOf = button => stepRows.get(Number(button.closest('tr').dataset.step));
rove([...stepRows.values()].map(step => step.button), button => rowOf(button).toggle());

// Shows the row of a step in the middle of the table, and its bar in that of the chart.
const showRow = id => {
  const found = stepRows.get(id), place = byId.get(id);
  if (found) {
    const box = found.row.closest('.step-box');
    box.scrollTop = found.row.offsetTop - (box.clientHeight - found.row.offsetHeight) / 2;
  }
  const span = spans.find(span => span[SPAN_STEP] === place);
  if (chart && span) chart.scrollTop = (span[ROW] + 0.5) * laneHeight + axisHeight - chart.clientHeight / 2;
};
for (const link of document.querySelectorAll('a[data-row]')) {
  link.addEventListener('click', () => {
    const id = Number(link.dataset.row), found = stepRows.get(id);
    showRow(id);
    if (found && found.button.getAttribute('aria-expanded') === 'false') found.toggle();
  });
}

// Shows times in the reader's time zone.
for (const time of document.querySelectorAll('time')) {
  time.title = time.textContent;
  time.textContent = moment(new Date(time.dateTime));
}

// A reader usually looks first for the event that reported the failure.
if (data.failure >= 0) {
  choose(data.failure, false);
  redraw();
  requestAnimationFrame(() => requestAnimationFrame(() => showRow(events[data.failure][STEP])));
}
