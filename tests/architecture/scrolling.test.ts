import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listSources } from './imports.ts';

/** Steps of a wizard, and another form in place of one: they begin at the top like a page. */
const BEGIN_AT_THE_TOP = [
  'app/features/billing/onboarding/onboarding-page.tsx',
  'app/routes/identity/interaction.$uid.tsx',
];

/** Returns the arguments of each call of `navigate` in a source. */
function navigationsOf(source: string): string[] {
  return source
    .split(/\bnavigate\((?=\{)/)
    .slice(1)
    .map((rest) => {
      let depth = 0;
      const end = [...rest].findIndex((letter) => {
        if (letter === '{') depth += 1;
        if (letter === '}') depth -= 1;
        return depth === 0;
      });
      return rest.slice(0, end + 1);
    });
}

it('a search, a filter, a panel or a dialog changes the address and leaves the page where it is', () => {
  const jumps = listSources(process.cwd(), 'app')
    .filter((path) => !BEGIN_AT_THE_TOP.includes(path))
    .flatMap((path) =>
      navigationsOf(readFileSync(path, 'utf8'))
        .filter((options) => /\bsearch\b/.test(options) && !/\b(to|href|resetScroll):/.test(options))
        .map((options) => `${path}: ${options}`),
    );
  expect(jumps).toEqual([]);
});
