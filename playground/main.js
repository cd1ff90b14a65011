// The page: a text, the findings on it, and what the compiler makes of it.
import { autocompletion } from '@codemirror/autocomplete';
import { indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { EditorView, basicSetup } from 'codemirror';
import { completions } from './complete.js';
import { packed, unpacked } from './link.js';
import { carried, load, run, stop } from './program.js';

const FILE = 'home.yaml';
const MARK = 'marked.yaml';
/** Milliseconds without a change after which the text is compiled. */
const PAUSE = 250;
/** Milliseconds of a run after which the page shows how to end it. */
const PATIENCE = 1000;
const byId = (id) => document.getElementById(id);

/** Views of the compiler's results. `call` returns the result of the program, and `options` names the controls. */
const VIEWS = [
  { name: 'Picture', call: () => compiler('graph', FILE), show: picture, options: ['fit'] },
  { name: 'Explanation', call: () => compiler('explain', ...(controls.all.checked ? ['-v'] : []), FILE), options: ['all'] },
  { name: 'Script', call: script, options: ['emit'] },
  { name: 'Packet', call: () => compiler('explain', '--packet', controls.packet.value, FILE), options: ['packet'] },
  { name: 'Changes', call: () => compiler('diff', MARK, FILE), options: ['mark'], empty: 'Nothing differs from the marked text.' },
];

const controls = {
  fit: control('input', { type: 'checkbox' }, 'fit to the width'),
  all: control('input', { type: 'checkbox' }, 'with all numbers of the kernel objects'),
  emit: control('select', {}, 'Show', ['the full script', 'only its commands']),
  packet: control('input', { type: 'text', value: 'up udp 192.168.1.5:5060 > 198.51.100.9:5060 dscp ef', spellcheck: false }, 'Packet'),
  mark: control('button', { type: 'button', textContent: 'Compare with the present text from now on' }),
};

/** Colours that can be read on a light and on a dark page. */
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: 'light-dark(#6b5000, #b8a878)' },
  { tag: tags.definition(tags.propertyName), color: 'light-dark(#0b3fa8, #8ab4ff)' },
  { tag: tags.string, color: 'light-dark(#97231b, #ffa197)' },
]);

let given;
let editor;
/** The text with which the last view compares. */
let marked;
let view = VIEWS[0];
let timer;
let patience;

const text = () => editor.state.doc.toString();
const compiler = (...args) => run(args, { [FILE]: text(), [MARK]: marked });

async function script() {
  if (controls.emit.selectedIndex === 0) return compiler('compile', FILE);
  const named = await compiler('compile', '--emit', 'plain', FILE);
  // The name of a device does not always tell its header.
  return named.err.includes('--assume') ? compiler('compile', '--emit', 'plain', '--assume', 'ethernet', FILE) : named;
}

function control(tag, properties, label, choices = []) {
  const element = Object.assign(document.createElement(tag), properties);
  for (const choice of choices) element.add(new Option(choice));
  element.box = element;
  if (label) {
    element.box = document.createElement('label');
    element.box.append(...(properties.type === 'checkbox' ? [element, label] : [label, element]));
  }
  element.addEventListener(tag === 'button' ? 'click' : 'input', () => {
    if (element === controls.mark) marked = text();
    later();
  });
  return element;
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function later() {
  halt();
  timer = setTimeout(refresh, PAUSE);
}

/** Ends what is running or due. */
function halt() {
  clearTimeout(timer);
  rest();
  stop();
}

/** Nothing is running. */
function rest() {
  clearTimeout(patience);
  byId('stop').hidden = true;
}

/** Checks the text, and shows the present view. */
async function refresh() {
  halt();
  patience = setTimeout(() => { byId('stop').hidden = false; }, PATIENCE);
  await findings();
  await show();
  rest();
  // For tests: the number of results, and the time of the first in milliseconds.
  const { dataset } = document.body;
  dataset.shown = Number(dataset.shown ?? 0) + 1;
  dataset.first ??= Math.round(performance.now());
}

async function findings() {
  const { out, err } = await compiler('check', '--format', 'json', FILE);
  let found = [];
  try {
    found = JSON.parse(out);
  } catch {
    byId('count').textContent = err;
  }
  const shown = found.map(diagnostic);
  editor.dispatch(setDiagnostics(editor.state, shown));
  byId('list').replaceChildren(...shown.map(item));
  const number = (severity) => found.filter((finding) => finding.severity === severity).length;
  const counts = ['error', 'warning', 'note'].map((severity) => [number(severity), severity]);
  const words = counts.filter(([n]) => n > 0).map(([n, severity]) => `${n} ${severity}${n > 1 ? 's' : ''}`);
  byId('count').textContent = words.join(', ') || 'No findings';
}

function offset({ line, column }) {
  const { doc } = editor.state;
  const there = doc.line(Math.min(Math.max(line, 1), doc.lines));
  // A column counts characters, and the editor counts units of UTF-16.
  return there.from + [...there.text].slice(0, column - 1).join('').length;
}

/** A finding as the editor shows it. */
function diagnostic(finding) {
  const { code, severity, message, help = [], labels = [], fix } = finding;
  const primary = labels.find((label) => label.primary)?.text;
  const from = offset(finding);
  return {
    finding,
    from,
    to: Math.max(offset(finding.end), from),
    severity: severity === 'note' ? 'info' : severity,
    source: code,
    message: [primary ? `${message}: ${primary}` : message, ...help].join('\n'),
    actions: fix ? [{ name: fix.title, apply: () => repair(fix) }] : [],
  };
}

/** The same finding in the list below the editor. */
function item({ finding, from, message, actions }) {
  const { severity, code, line } = finding;
  const [first, ...help] = message.split('\n');
  const jump = make('button', { type: 'button', textContent: `Go to line ${line}` });
  jump.addEventListener('click', () => {
    editor.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    editor.focus();
  });
  const cures = actions.map(({ name, apply }) => {
    const cure = make('button', { type: 'button', textContent: `Fix: ${name}` });
    cure.addEventListener('click', apply);
    return cure;
  });
  const paragraphs = help.map((words) => make('p', {}, words));
  return make('li', { className: severity }, make('b', {}, `${severity} ${code}`), ` ${first}`, ...paragraphs, make('div', {}, jump, ...cures));
}

function repair(fix) {
  const changes = fix.edits.map((edit) => ({ from: offset(edit.start), to: offset(edit.end), insert: edit.text }));
  editor.dispatch({ changes });
  editor.focus();
}

async function show() {
  const { code, out, err } = await view.call();
  const result = byId('result');
  if (out === '' && code !== 0) {
    const words = make('p', { className: 'wrong' }, make('b', {}, 'The program shows no result for this text.'));
    result.replaceChildren(words, make('pre', {}, err));
  } else {
    result.replaceChildren(view.show ? view.show(out) : make('pre', {}, out || view.empty));
  }
}

function picture(svg) {
  const image = new Image();
  image.className = controls.fit.checked ? 'fit' : '';
  image.alt = 'The tree of classes, with guarantees and ceilings as bars. The explanation has the same numbers in words.';
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.onload = () => URL.revokeObjectURL(image.src);
  return image;
}

function select(next) {
  view = next;
  for (const tab of byId('tabs').children) {
    const own = tab.textContent === view.name;
    tab.setAttribute('aria-selected', own);
    tab.tabIndex = own ? 0 : -1;
    if (own) byId('panel').setAttribute('aria-labelledby', tab.id);
  }
  byId('options').replaceChildren(...(view.options ?? []).map((name) => controls[name].box));
  byId('result').scrollTo(0, 0);
  refresh();
}

function tabs() {
  for (const each of VIEWS) {
    const tab = make('button', { type: 'button', id: `tab-${each.name}`, textContent: each.name });
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'panel');
    tab.addEventListener('click', () => select(each));
    byId('tabs').append(tab);
  }
  byId('tabs').addEventListener('keydown', (event) => {
    const last = VIEWS.length - 1;
    const at = VIEWS.indexOf(view);
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    select(VIEWS[next]);
    byId('tabs').children[next].focus();
  });
}

/** Puts another text into the editor. The last view compares with it. */
function replace(words) {
  marked = words;
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: words }, selection: { anchor: 0 }, scrollIntoView: true });
  refresh();
}

function examples(linked) {
  const list = byId('examples');
  list.add(new Option('choose…', ''));
  for (const name of Object.keys(given.examples)) list.add(new Option(name));
  list.value = linked ? '' : given.first;
  list.addEventListener('change', () => list.value && replace(given.examples[list.value]));
}

/** The form that writes a first file, as `qosc init` does. */
function form() {
  const fields = byId('form');
  for (const [name, about] of given.profiles) fields.profile.add(new Option(`${name}: ${about}`, name));
  const begin = byId('begin');
  const open = (shown) => {
    fields.hidden = !shown;
    begin.setAttribute('aria-expanded', shown);
    (shown ? fields.profile : begin).focus();
  };
  begin.addEventListener('click', () => open(fields.hidden));
  fields.addEventListener('keydown', (event) => event.key === 'Escape' && open(false));
  fields.addEventListener('submit', async (event) => {
    event.preventDefault();
    const options = ['profile', 'device', 'up', 'down'].flatMap((name) => [`--${name}`, fields[name].value.trim()]);
    const { code, out, err } = await run(['init', ...options]);
    byId('refused').textContent = code === 0 ? '' : err;
    if (code !== 0) return;
    byId('examples').value = '';
    open(false);
    replace(out);
  });
}

function stopping() {
  byId('stop').addEventListener('click', () => {
    halt();
    byId('count').textContent = 'Stopped. The findings and the result are those of an earlier text.';
  });
}

/** Returns the text of the address, if there is one. */
async function linked() {
  try {
    return await unpacked(location.hash);
  } catch {
    byId('note').textContent = 'The link is damaged.';
    return undefined;
  }
}

function linking() {
  byId('link').addEventListener('click', async () => {
    location.hash = await packed(text());
    let note = 'The link is in the address bar.';
    try {
      await navigator.clipboard.writeText(location.href);
      note = 'The link is in the clipboard.';
    } catch { /* A browser may refuse that, such as for a page on the disk. */ }
    byId('note').textContent = note;
  });
  addEventListener('hashchange', async () => {
    const words = await linked();
    if (words === undefined || words === text()) return;
    byId('examples').value = '';
    replace(words);
  });
}

async function begin() {
  const loading = load();
  given = await carried('given').json();
  const words = await linked();
  marked = words ?? given.examples[given.first];
  editor = new EditorView({
    parent: byId('editor'),
    state: EditorState.create({
      doc: marked,
      extensions: [
        basicSetup,
        keymap.of([indentWithTab]),
        yaml(),
        syntaxHighlighting(COLOURS),
        lintGutter(),
        autocompletion({ override: [completions(given.schema)] }),
        EditorView.contentAttributes.of({ 'aria-label': 'Configuration in YAML', 'aria-describedby': 'keys' }),
        EditorView.updateListener.of((update) => update.docChanged && later()),
      ],
    }),
  });
  examples(words);
  form();
  linking();
  stopping();
  tabs();
  byId('licenses').querySelector('pre').textContent = given.licenses;
  await loading;
  select(view);
}

begin().catch((error) => {
  byId('count').textContent = `This page cannot run the compiler here: ${error.message}. It needs a browser of 2024 or newer.`;
});
