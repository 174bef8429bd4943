import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HUNG_AFTER_SECONDS, ReportWatch } from './report-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a process that reports nothing is silent within seconds, and hangs after a minute', () => {
  let hung = 0;
  const watch = new ReportWatch(() => hung++);
  watch.report();
  vi.advanceTimersByTime(9_000);
  expect(watch.isSilent).toBe(false);
  vi.advanceTimersByTime(10_000);
  expect([watch.isSilent, hung]).toEqual([true, 0]);
  vi.advanceTimersByTime(HUNG_AFTER_SECONDS * 1000 * 2);
  expect(hung).toBe(1);
});

it('a process that reports again is no longer silent', () => {
  const watch = new ReportWatch(() => expect.unreachable());
  for (let minute = 0; minute < 5; minute += 1) {
    watch.report();
    expect(watch.isSilent).toBe(false);
    vi.advanceTimersByTime(HUNG_AFTER_SECONDS * 1000 - 6_000);
    expect(watch.isSilent).toBe(true);
  }
  watch.end();
});

it('a process of an earlier program, which never reports, is not watched, nor is one that has ended', () => {
  const never = new ReportWatch(() => expect.unreachable());
  const ended = new ReportWatch(() => expect.unreachable());
  ended.report();
  ended.end();
  ended.report();
  vi.advanceTimersByTime(HUNG_AFTER_SECONDS * 1000 * 2);
  expect([never.isSilent, ended.isSilent]).toEqual([false, false]);
});

it('the time in which the whole program is suspended does not count', () => {
  const watch = new ReportWatch(() => expect.unreachable());
  watch.report();
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(5_000);
  expect(watch.isSilent).toBe(false);
  watch.end();
});
