// Runs the compiler. Each call is a run of the whole program with its own files in memory.
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

let compiled;

/** Unpacks what the page carries as base64 of a gzip file. */
export function carried(id) {
  const packed = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

/** Compiles the program to machine code. */
export async function load() {
  compiled = await WebAssembly.compile(await carried('program').arrayBuffer());
}

/** Runs `qosc` with these arguments. `files` has the text of each file by its name. */
export function run(args, files = {}) {
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
