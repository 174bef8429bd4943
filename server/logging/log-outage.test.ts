import { describe, expect, it, vi } from 'vitest';
import { logOutage, OUTAGE_MESSAGE } from './log-outage.ts';

function prepare() {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: { message: string; unlogged: unknown }[] = [];
  const write = (details: object, message: string) =>
    lines.push({ message, unlogged: 'unlogged' in details ? details.unlogged : 0 });
  const logger = { warn: vi.fn(write), error: vi.fn(write) };
  return { logger, lines };
}

const refused = () =>
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const starting = () => Object.assign(new Error('the database system is starting up'), { code: '57P03' });

describe('an outage', () => {
  it('is logged once a minute for each reason, with how often it was not', () => {
    const { logger, lines } = prepare();
    for (const err of [refused(), refused(), starting(), refused()]) logOutage(logger, 'error', { err });
    expect(lines).toEqual([
      { message: OUTAGE_MESSAGE, unlogged: 0 },
      { message: OUTAGE_MESSAGE, unlogged: 0 },
    ]);
    vi.advanceTimersByTime(61_000);
    logOutage(logger, 'error', { err: refused() });
    logOutage(logger, 'error', { err: refused() });
    expect(lines.slice(2)).toEqual([{ message: OUTAGE_MESSAGE, unlogged: 2 }]);
    vi.useRealTimers();
  });

  it('is told for each kind of work that it stops', () => {
    const { logger, lines } = prepare();
    for (const message of ['edge changes cannot be read', 'spending limits cannot be read']) {
      logOutage(logger, 'warn', { err: refused() }, message);
      logOutage(logger, 'warn', { err: refused() }, message);
    }
    expect(lines).toHaveLength(2);
    vi.useRealTimers();
  });

  it('hides no other failure: each of those is logged', () => {
    const { logger, lines } = prepare();
    for (let time = 0; time < 3; time += 1)
      logOutage(logger, 'warn', { err: new TypeError('a defect') }, 'failed');
    expect(lines).toHaveLength(3);
    vi.useRealTimers();
  });
});
