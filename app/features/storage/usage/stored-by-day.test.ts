import { expect, it } from 'vitest';
import { storedByDay } from './stored-by-day.ts';

it('what is stored unchanged stays level, also on the day that is not over', () => {
  const points = [{ byte_hours: 240 }, { byte_hours: 240 }, { byte_hours: 5 }];
  expect(storedByDay(points, 48.5)).toEqual([10, 10, 10]);
  expect(storedByDay([{ byte_hours: 0 }], 0)).toEqual([0]);
});
