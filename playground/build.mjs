// Builds the page: one file with everything in it.
//
//   node build.mjs ROOT PROGRAM LICENSES OUTPUT
//
// ROOT is the repository, PROGRAM the compiler as WebAssembly, and LICENSES a text with the licenses of its crates.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const [root, program, licenses, output] = process.argv.slice(2);
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const yaml = (folder) => readdirSync(`${root}/${folder}`).filter((name) => name.endsWith('.yaml')).sort()
  .map((name) => [name.replace(/\.yaml$/, ''), readFileSync(`${root}/${folder}/${name}`, 'utf8')]);
const field = (text, key) => text.match(new RegExp(`^${key}: *"?(.*?)"?$`, 'm'))?.[1] ?? '';

const { outputFiles, metafile } = buildSync({
  absWorkingDir: new URL('.', import.meta.url).pathname,
  entryPoints: ['main.js', 'worker.js'],
  outdir: '.',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'eof',
  metafile: true,
  write: false,
});
// A script ends at `</script`, also inside a text.
const [script, worker] = outputFiles.map(({ text }) => text.replaceAll('</script', '<\\/script'));

// Most packages have their license only in a file.
const packages = Object.keys(metafile.inputs).map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]);
const notices = [...new Set(packages.filter(Boolean))].sort().map((name) => {
  const files = readdirSync(new URL(`node_modules/${name}/`, import.meta.url)).filter((file) => /^licen[cs]e/i.test(file));
  if (files.length === 0) throw new Error(`the package ${name} has no license file`);
  return `==== ${name} ====\n${files.map((file) => read(`node_modules/${name}/${file}`)).join('\n')}`;
});

const given = {
  examples: Object.fromEntries(yaml('examples')),
  first: 'vdsl2-home',
  profiles: yaml('profiles/link').map(([name, text]) => [name, field(text, 'about')]),
  schema: JSON.parse(readFileSync(`${root}/schema/qosc.schema.json`, 'utf8')),
  licenses: `${readFileSync(licenses, 'utf8')}\nThe page also has these packages.\n\n${notices.join('\n')}`,
};

const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');
const parts = {
  hash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
  style: read('style.css'),
  program: packed(readFileSync(program)),
  given: packed(JSON.stringify(given)),
  worker,
  script,
};
writeFileSync(output, read('index.html').replace(/@include (\w+)/g, (_, name) => parts[name]));
