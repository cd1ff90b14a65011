// Calls the compiler, which runs in `worker.js`, so that the page stays alive and can end a run.

let compiled;
let worker;
let number = 0;
/** What to do with the result of each call. */
const waiting = new Map();

/** Unpacks what the page carries as base64 of a gzip file. */
export function carried(id) {
  const packed = document.getElementById(id).textContent.trim();
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

/** Compiles the program to machine code. */
export async function load() {
  compiled = await WebAssembly.compile(await carried('program').arrayBuffer());
  start();
}

function start() {
  const script = new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' });
  const address = URL.createObjectURL(script);
  worker = new Worker(address);
  worker.onmessage = ({ data }) => {
    URL.revokeObjectURL(address);
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  };
  worker.postMessage(compiled);
}

/** Runs `qosc` with these arguments. `files` has the text of each file by its name. */
export function run(args, files = {}) {
  number += 1;
  worker.postMessage({ number, args, files });
  return new Promise((resolve) => { waiting.set(number, resolve); });
}

/** Ends all runs. Nobody hears of their results. */
export function stop() {
  if (waiting.size === 0) return;
  waiting.clear();
  worker.terminate();
  start();
}
