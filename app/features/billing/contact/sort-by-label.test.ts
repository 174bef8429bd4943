import { expect, it } from 'vitest';
import { sortByLabel } from './sort-by-label.ts';

const named = (...labels: string[]) => labels.map((label) => ({ value: label, label }));

it('places are in the order of the language, with the expected one first', () => {
  const places = named('Canada', 'Royaume-Uni', 'Afrique du Sud', 'États-Unis', 'Inde');
  expect(sortByLabel(places, 'fr-CA', 'Canada').map(({ label }) => label)).toEqual([
    'Canada',
    'Afrique du Sud',
    'États-Unis',
    'Inde',
    'Royaume-Uni',
  ]);
});
