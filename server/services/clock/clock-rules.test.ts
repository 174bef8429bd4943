import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { DOUBTED_MS, seeClock, UNSEEN_MAX_MS } from './clock-rules.ts';

const AT = Date.UTC(2028, 1, 29, 12);
const trusted = (seen_at: number) => ({ seen_at, doubted_until: null });

it('a clock is trusted from the first start, over a weekend’s outage, and through small corrections', () => {
  expect(seeClock(null, AT)).toEqual(trusted(AT));
  for (const now of [AT, AT + HOUR_MS, AT + UNSEEN_MAX_MS, AT - 10_000])
    expect(seeClock(trusted(AT), now)).toEqual(trusted(now));
});

it('a clock that goes days ahead is doubted for a day, and is then the time', () => {
  const ahead = AT + 120 * DAY_MS;
  const doubted = seeClock(trusted(AT), ahead);
  expect(doubted.doubted_until).toBe(ahead + DOUBTED_MS);
  expect(seeClock(doubted, ahead + HOUR_MS).doubted_until).toBe(ahead + DOUBTED_MS);
  const day = ahead + DOUBTED_MS;
  expect(seeClock(seeClock(doubted, day - HOUR_MS), day)).toEqual(trusted(day));
});

it('the clock of an installation that runs for some hours a week is trusted every other time', () => {
  let seen = seeClock(null, AT);
  const isTrusted: boolean[] = [];
  for (let week = 1; week <= 4; week += 1) {
    for (const hour of [0, 1, 2]) seen = seeClock(seen, AT + week * 7 * DAY_MS + hour * HOUR_MS);
    isTrusted.push(seen.doubted_until === null);
  }
  expect(isTrusted).toEqual([false, true, false, true]);
});

it('a clock that has been corrected is trusted at once, and doubted again when it goes ahead again', () => {
  const doubted = seeClock(trusted(AT), AT + 120 * DAY_MS);
  const corrected = seeClock(doubted, AT + HOUR_MS);
  expect(corrected).toEqual(trusted(AT + HOUR_MS));
  expect(seeClock(corrected, AT + 120 * DAY_MS).doubted_until).not.toBeNull();
});
