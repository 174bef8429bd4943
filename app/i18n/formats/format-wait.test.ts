import { expect, it } from 'vitest';
import { formatWait } from './format-wait.ts';

it.each([
  [1, 'en-CA', '1 second'],
  [90, 'en-CA', '90 seconds'],
  [91, 'en-CA', '2 minutes'],
  [3000, 'en-CA', '50 minutes'],
  [2, 'fr-CA', '2 secondes'],
  [3001, 'fr-CA', '51 minutes'],
])('a wait of %d seconds is %j in %s', (seconds, locale, words) => {
  expect(formatWait(seconds, locale).replace(/\s/g, ' ')).toBe(words);
});
