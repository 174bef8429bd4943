import { expect, test } from 'vitest';
import { growthChange } from './growth-change.ts';

test('an amount changes by whole percents of what it was', () => {
  expect(growthChange(112, 100, false)).toEqual({ kind: 'more', percent: 12 });
  expect(growthChange(88, 100, false)).toEqual({ kind: 'less', percent: 12 });
  expect(growthChange(0, 100, false)).toEqual({ kind: 'less', percent: 100 });
  expect(growthChange(1001, 1000, false)).toEqual({ kind: 'same' });
});

test('six times as much is not expressed in percent', () => {
  expect(growthChange(599, 100, false)).toEqual({ kind: 'more', percent: 499 });
  expect(growthChange(600, 100, false)).toEqual({ kind: 'times', times: 6 });
});

test('growth from zero is "new", and zero after zero has no change', () => {
  expect(growthChange(5, 0, false)).toEqual({ kind: 'new' });
  expect(growthChange(0, 0, false)).toBeNull();
});

test('a rate changes by points; without a value then or now there is nothing to compare', () => {
  expect(growthChange(97, 94, true)).toEqual({ kind: 'higher', points: 3 });
  expect(growthChange(0, 94, true)).toEqual({ kind: 'lower', points: 94 });
  expect(growthChange(94, 94, true)).toEqual({ kind: 'same' });
  expect(growthChange(0.6, 0.4, true)).toEqual({ kind: 'same' });
  expect(growthChange(null, 94, true)).toBeNull();
  expect(growthChange(94, null, true)).toBeNull();
});
