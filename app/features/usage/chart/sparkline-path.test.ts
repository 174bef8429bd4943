import { expect, test } from 'vitest';
import { sparklinePath } from './sparkline-path.ts';

test('the line goes from the first value on the left to the last on the right, with zero at the bottom', () => {
  const { line, area, end } = sparklinePath([0, 5, 10], 10, false);
  expect(line).toBe('M0 30L50 16L100 2');
  expect(area).toBe('M0 30L50 16L100 2V32H0Z');
  expect(end).toBe('M100 2h0');
});

test('the step to a last value that still grows is separate from the line', () => {
  expect(sparklinePath([10, 10, 0], 10, true)).toMatchObject({
    line: 'M0 2L50 2',
    openEnd: 'M50 2L100 30',
  });
});

test('a missing value leaves a gap, and a value between two gaps is a dot', () => {
  const { line, area, end } = sparklinePath([10, 10, null, 10, null], 10, true);
  expect(line).toBe('M0 2L25 2M75 2h0');
  expect(area).toBe('M0 2L25 2V32H0Z');
  expect(end).toBe('');
});

test('all zeros are a line at the bottom; one value is a dot; no value draws nothing', () => {
  expect(sparklinePath([0, 0], 0, false).line).toBe('M0 30L100 30');
  expect(sparklinePath([7], 7, true)).toMatchObject({ line: 'M100 2h0', openEnd: '', area: '' });
  expect(sparklinePath([], 0, true)).toEqual({ line: '', openEnd: '', area: '', end: '' });
});
