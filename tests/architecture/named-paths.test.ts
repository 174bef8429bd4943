import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSources } from './imports.ts';

const ROOT = process.cwd();
const SOURCES = ['app', 'server', 'db', 'cli', 'tests'].flatMap((folder) => listSources(ROOT, folder));
const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
const PAGES = ['README.md', 'CHANGELOG.md', ...DOCS.map((name) => `docs/${name}`)];
const FILES = [...SOURCES, ...PAGES.filter((page) => page.endsWith('.md'))];
const NAMES = new Set([
  ...FILES.map((file) => basename(file)),
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'locales')),
]);

/** A path of this repository, `spec/` and `design/` included, which it does not contain. */
const PATH = /(?<![\w./@{<:-])(?:app|cli|db|design|docs|locales|server|spec|tests)\/[\w.$/-]*[\w$]/g;
/** The name of a source file alone. */
const NAME = /(?<![\w./$<>*{}-])[a-z][a-z0-9.-]*\.tsx?\b/g;
/** The end of a source file's path. */
const PATH_END = /(?<![\w./$<>*{}@:-])(?:[\w$-]+\/)+[\w.-]+\.tsx?\b/g;
/** Placeholders, and addresses of other programs. */
const NO_PATH = /NNNN|^(app|server)\/(index\.html|v1)/;

const commentsOf = (source: string) =>
  [...source.matchAll(/(?<=^|[\s{(])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)]
    .map(([comment]) => comment)
    .join('\n');
const codeOf = (page: string) =>
  [...page.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code).join('\n');

function missingIn(text: string): string[] {
  const paths = [...text.matchAll(PATH)].map(([path]) => path).filter((path) => !NO_PATH.test(path));
  const names = [...text.matchAll(NAME)].map(([name]) => name);
  const ends = [...text.matchAll(PATH_END)].map(([end]) => end).filter((end) => !NO_PATH.test(end));
  return [
    ...paths.filter((path) => ![path, `${path}.ts`].some((file) => existsSync(join(ROOT, file)))),
    ...names.filter((name) => !NAMES.has(name)),
    ...ends.filter((end) => !paths.includes(end) && !FILES.some((file) => file.endsWith(`/${end}`))),
  ];
}

describe('a path that is named exists', () => {
  it('in every comment', () => {
    const missing = SOURCES.flatMap((file) =>
      missingIn(commentsOf(readFileSync(join(ROOT, file), 'utf8'))).map((path) => `${file} names ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('on every page of the documentation', () => {
    const missing = FILES.filter((file) => file.endsWith('.md')).flatMap((page) =>
      missingIn(codeOf(readFileSync(join(ROOT, page), 'utf8'))).map((path) => `${page} names ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('and one that does not is noticed', () => {
    expect(
      missingIn('see spec/console.md, server/no-such-folder/rules.ts, no-such-verb.ts and sites/none.ts'),
    ).toEqual(['spec/console.md', 'server/no-such-folder/rules.ts', 'no-such-verb.ts', 'sites/none.ts']);
  });
});
