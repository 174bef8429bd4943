import { glob, readFile } from 'node:fs/promises';
import { DEFAULT_THEME } from '@mantine/core';
import { expect, it } from 'vitest';
import { theme } from '#app/theme/theme.ts';

it('pages use no colour of Mantine that the theme does not have', async () => {
  const dropped = Object.keys(DEFAULT_THEME.colors).filter(
    (name) => !Object.hasOwn(theme.colors ?? {}, name),
  );
  expect(dropped).toContain('teal');
  const use = new RegExp(`['"](?:${dropped.join('|')})(?:\\.\\d)?['"]`);
  const offenders: string[] = [];
  for await (const file of glob('app/**/*.{ts,tsx}')) {
    if (use.test(await readFile(file, 'utf8'))) offenders.push(file);
  }
  expect(offenders).toEqual([]);
});
