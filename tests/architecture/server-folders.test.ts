import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('docs/developing.md says in a line what each folder of server/ is for', () => {
  const root = process.cwd();
  const page = readFileSync(join(root, 'docs', 'developing.md'), 'utf8');
  const table = page.slice(page.indexOf('| folder of `server/` |'), page.indexOf('## A mutation'));
  const told = Array.from(table.matchAll(/^\| `([a-z0-9-]+)` \| \S/gm), ([, folder]) => folder);
  const folders = readdirSync(join(root, 'server'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(told.toSorted()).toEqual(folders.toSorted());
});
