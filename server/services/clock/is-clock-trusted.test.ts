import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#server/durations.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { isClockTrusted } from './is-clock-trusted.ts';

const AT = Date.UTC(2026, 10, 27);
const both = (at: number) => ({ own: at, database: at });

it('a clock that has gone ahead is doubted after a restart too, until it is corrected, and the log says each once', async () => {
  const lines: string[] = [];
  const note = (...told: unknown[]) => void lines.push(String(told.at(-1)));
  const logger = Object.assign(Object.create(createLogger('silent')), { warn: note, info: note });
  const app = { ...(await createTestApp()), logger };
  const trusted = async (at: number) => isClockTrusted(app, both(at));
  expect(await trusted(AT)).toBe(true);
  expect(await trusted(AT + HOUR_MS)).toBe(true);
  const ahead = AT + 120 * DAY_MS;
  expect(await trusted(ahead)).toBe(false);
  expect(await trusted(ahead + MINUTE_MS)).toBe(false);
  expect(await trusted(AT + 2 * HOUR_MS)).toBe(true);
  expect(lines).toEqual([
    expect.stringContaining('the clock has gone ahead by days'),
    expect.stringContaining('has been corrected'),
  ]);
});

it('a machine whose clock differs from the database’s is not trusted, and leaves what others remember', async () => {
  const app = await createTestApp();
  expect(await isClockTrusted(app, both(AT))).toBe(true);
  expect(await isClockTrusted(app, { own: AT + 120 * DAY_MS, database: AT })).toBe(false);
  expect(await isClockTrusted(app, { own: AT - 120 * DAY_MS, database: AT })).toBe(false);
  expect(await isClockTrusted(app, both(AT + MINUTE_MS))).toBe(true);
});
