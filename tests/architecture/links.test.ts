import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = process.cwd();
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'cli/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(page: string): Set<string> {
  const headings = [...textOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it.each(PAGES)('every link of %s leads to a file that is there, and to a heading that it has', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  for (const link of links) {
    if (/^[a-z]+:/.test(link)) continue;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : relative(ROOT, join(ROOT, dirname(page), file));
    expect(existsSync(join(ROOT, target)), `${link}: ${target}`).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
  }
});
