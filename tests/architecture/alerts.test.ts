import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const METRIC = /\bportage_[a-z_]+/g;

it('has a rule for every metric that the pages tell operators to alert on', () => {
  const pages = readdirSync(join(DOCS, 'operating')).map((page) => join(DOCS, 'operating', page));
  const parts = pages.flatMap((page) => readFileSync(page, 'utf8').split(/\n\n|\n(?=[-|])/));
  const told = parts.filter((part) => /\balert\b/.test(part)).flatMap((part) => part.match(METRIC) ?? []);
  expect(told.length).toBeGreaterThan(8);
  const rules = readFileSync(join(DOCS, 'monitoring', 'alerts.yml'), 'utf8');
  const ruled = new Set(rules.match(METRIC));
  expect(told.filter((metric) => !ruled.has(metric))).toEqual([]);
});
