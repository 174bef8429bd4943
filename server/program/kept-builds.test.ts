import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { HOUR_MS } from '#server/durations.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';
import { buildPlaces, currentBuild, earlierBuilds, findBuild, keepBuild } from './kept-builds.ts';
import { readSources } from './source-stamp.ts';

async function makeCheckout() {
  const root = await makeTemporaryFolder({ 'app/page.tsx': 'first' });
  const places = buildPlaces(root, 'pages');
  const sources = () => readSources(root, { paths: ['app'], isSource: () => true });
  const compile = async (folder: string) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'page.js'), 'compiled');
  };
  return {
    root,
    places,
    find: () => findBuild(places, sources()),
    build: (make = compile) => keepBuild(places, sources(), make),
    change: (text: string) => writeFile(join(root, 'app', 'page.tsx'), text),
    names: () => readdir(places.builds),
    /** Makes all that is built an hour older. */
    async age() {
      for (const name of await readdir(places.builds)) {
        const path = join(places.builds, name);
        const then = (await stat(path)).mtimeMs / 1000 - HOUR_MS / 1000;
        await utimes(path, then, then);
      }
    },
  };
}

it('two builds stay beside the current one, those that were used last', async () => {
  const { build, change, places, names, age } = await makeCheckout();
  const made: string[] = [];
  for (const text of ['first', 'second', 'third', 'first', 'fourth']) {
    await change(text);
    made.push(basename(await build()));
    await age();
  }
  const [first, second, third, again, fourth] = made;
  expect(again).toBe(first);
  expect((await names()).sort()).toEqual([first, third, fourth].sort());
  expect(await names()).not.toContain(second);
  const current = await currentBuild(places);
  expect(basename(current)).toBe(fourth);
  expect((await earlierBuilds(current)).map((each) => basename(each))).toEqual([first, third]);
});

it('the build that runs stays, however often another is built within the hour before a restart', async () => {
  const { build, change, names, age } = await makeCheckout();
  const running = basename(await build());
  await age();
  await age();
  for (const text of ['one', 'two', 'three', 'four']) {
    await change(text);
    await build();
  }
  expect(await names()).toContain(running);
  await age();
  await change('five');
  await build();
  expect(await names()).not.toContain(running);
  expect(await names()).toHaveLength(3);
});

it('a build that breaks off is none, leaves the one before in place, and is removed by the next', async () => {
  const { build, change, find, names } = await makeCheckout();
  const before = await build();
  await change('broken');
  const breakOff = async (folder: string) => {
    await mkdir(folder, { recursive: true });
    throw new Error('out of memory');
  };
  await expect(build(breakOff)).rejects.toThrow('out of memory');
  expect(await find()).toBeNull();
  expect(await earlierBuilds(join(before, '..', 'of-other-sources'))).toEqual([before]);
  await change('mended');
  const mended = await build();
  expect(await find()).toBe(mended);
  expect((await names()).sort()).toEqual([basename(before), basename(mended)].sort());
});

it('what earlier programs have built elsewhere goes with the next build, and what is built of another kind stays', async () => {
  const { root, build } = await makeCheckout();
  const program = buildPlaces(root, 'program');
  await mkdir(join(program.builds, 'of-its-sources'), { recursive: true });
  await writeFile(program.stamp, 'of-its-sources');
  await mkdir(join(root, 'dist', 'client', 'assets'), { recursive: true });
  await writeFile(join(root, 'dist', 'sources.sha256'), 'of the pages');
  await build();
  expect((await readdir(join(root, 'dist'))).sort()).toEqual([
    'pages',
    'pages.sha256',
    'program',
    'program.sha256',
  ]);
});
