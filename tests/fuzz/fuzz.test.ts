import { expect, test } from 'vitest';
import { startFuzzTarget } from './fuzz-target.ts';
import { FUZZ_LIMITS, judge } from './judge.ts';
import { ATTACKS, runRounds } from './run-rounds.ts';

const ROUNDS = 240;
/**
 * `npm run fuzz` applies the program's real limits on a quiet machine. Here other work runs at the same time,
 * and code is still cold: this only finds blocks of seconds.
 */
const LIMITS = { ...FUZZ_LIMITS, blockedCpuMs: 1_500, visitorP99Ms: 5_000 };

test('whatever strangers and tenants send, the program keeps serving others promptly', async () => {
  const target = await startFuzzTarget();
  try {
    const result = await runRounds(target, { seed: 1, attacks: ATTACKS, until: { rounds: ROUNDS } });
    expect(judge(result, LIMITS)).toEqual([]);
    expect(result.rounds).toBe(ROUNDS);
    expect(result.visitor.visits).toBeGreaterThan(20);
  } finally {
    await target.close();
  }
});
