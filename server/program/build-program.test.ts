import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { buildProgram, refreshProgram } from './build-program.ts';
import { ENTRIES, findProgram } from './compiled-program.ts';

const run = promisify(execFile);

/** A checkout whose processes print what they find beside their sources, and what a thread of theirs says. */
const SOURCE = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
const said: string[] = [readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')];
said.push(readFileSync(new URL('./words.txt', import.meta.url), 'utf8'));
new Worker(new URL('./speaking-thread.ts', import.meta.url)).on('message', (word: string) => {
  console.log([...said, word].join(' '));
});
`;

async function makeCheckout() {
  const files = Object.values(ENTRIES).flatMap((path) => [
    [path, SOURCE],
    [path.replace(/[^/]+$/, 'words.txt'), 'beside'],
    [
      path.replace(/[^/]+$/, 'speaking-thread.ts'),
      `import { parentPort } from 'node:worker_threads';\nparentPort?.postMessage('thread');\n`,
    ],
  ]);
  const root = await makeTemporaryFolder({
    ...Object.fromEntries(files),
    'package.json': '{"type":"module"}',
  });
  const change = (text: string) => writeFile(join(root, 'server', 'start', 'words.txt'), text);
  const print = async () => {
    const program = (await findProgram(root)) ?? 'none';
    const { stdout } = await run(process.execPath, [join(program, 'run-process.js')]);
    return stdout.trim();
  };
  return { root, change, print, builds: () => readdir(join(root, 'dist', 'program')) };
}

it('a compiled program finds the files beside its sources, and its threads', async () => {
  const { root, print } = await makeCheckout();
  expect(await findProgram(root)).toBeNull();
  await buildProgram(root);
  expect(await print()).toBe('beside beside thread');
});

it('a changed source means another build, and the one before stays for the program that runs', async () => {
  const { root, change, print, builds } = await makeCheckout();
  await buildProgram(root);
  const [first] = await builds();
  await change('second');
  expect(await findProgram(root)).toBeNull();
  await refreshProgram(root, createLogger('silent'));
  expect(await print()).toBe('second second thread');
  expect(await builds()).toHaveLength(2);
  expect(await builds()).toContain(first);
});

it('sources that were compiled before are not compiled again', async () => {
  const { root, change, builds } = await makeCheckout();
  await buildProgram(root);
  const [first = ''] = await builds();
  const made = join(root, 'dist', 'program', first, 'run-process.js');
  await writeFile(made, `${await readFile(made, 'utf8')}// kept`);
  await change('second');
  await buildProgram(root);
  await change('beside');
  await buildProgram(root);
  expect(await findProgram(root)).toBe(join(root, 'dist', 'program', first));
  expect(await readFile(made, 'utf8')).toMatch(/\/\/ kept$/);
});

it('says in one sentence what to do when it has to be compiled and the folder cannot be written', async () => {
  const root = join(import.meta.dirname, 'a-folder-of-another-user');
  await expect(refreshProgram(root, createLogger('silent'))).rejects.toThrow(
    `The program is not built, or older than the code, and ${root} cannot be written. Run \`npm run build\` there as its owner.`,
  );
});
