import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  documentedCommands,
  fencedBlocks,
  PAGES,
  RUNNERS,
  runnerOf,
} from '#tests/support/sources/documented-commands.ts';

const ROOT = process.cwd();
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('every command of every page', () => {
  it('is found: there are many, of every kind', () => {
    const commands = documentedCommands();
    expect(commands.length).toBeGreaterThan(120);
    expect(new Set(commands.map(({ kind }) => kind))).toEqual(new Set(['shell', 'operator', 'deploys']));
  });

  it.each(documentedCommands().map((command) => [command.page, command.text, runnerOf(command)]))(
    '%s: %s is run by a test',
    (_page, _text, test) => {
      expect(RUNNERS.map((row) => row.test)).toContain(test);
    },
  );

  it.each(RUNNERS)('$test runs what is left to it', ({ test }) => {
    expect(existsSync(join(ROOT, test))).toBe(true);
    expect(textOf(test)).toContain('commandsRunBy(import.meta.filename)');
  });
});

describe.each(PAGES.filter((page) => page.endsWith('.md')))('%s', (page) => {
  it('says of every block what it is in, so that none with commands is overlooked', () => {
    expect(fencedBlocks(textOf(page)).filter(({ language }) => language === '')).toEqual([]);
    const withoutFences = textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
    expect(withoutFences.match(/(?<=\n\n)(?: {4}\S.*\n)+/g)).toBeNull();
  });
});
