// Runs the compiler in a thread of its own. Each call is a run of the whole program with its own files in memory.
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

/** The first message has the machine code, and each further one a call. */
let compiled;
onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) compiled = data;
  else postMessage({ number: data.number, ...run(data.args, data.files) });
};

function run(args, files) {
  const out = [];
  const err = [];
  const encoder = new TextEncoder();
  const folder = new Map(Object.entries(files).map(([name, text]) => [name, new File(encoder.encode(text))]));
  const wasi = new WASI(['qosc', ...args], ['NO_COLOR=1'], [
    new OpenFile(new File([])),
    new ConsoleStdout((bytes) => out.push(bytes.slice())),
    new ConsoleStdout((bytes) => err.push(bytes.slice())),
    new PreopenDirectory('.', folder),
  ], { debug: false });
  const instance = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport });
  let code;
  try {
    code = wasi.start(instance);
  } catch (error) {
    code = 2;
    err.push(encoder.encode(`the program ended: ${error.message}\n`));
  }
  return { code, out: text(out), err: text(err) };
}

function text(parts) {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
}
