import { expect, test } from 'vitest';
import { startFuzzTarget } from './fuzz-target.ts';
import { FUZZ_LIMITS, judge } from './judge.ts';
import { ATTACKS, runRounds } from './run-rounds.ts';

const ROUNDS = 240;
/**
 * `npm run fuzz` holds the program to its real figures on a quiet machine. Here others run beside it, and code is still cold:
 * what is looked for blocks for seconds.
 */
const LIMITS = { ...FUZZ_LIMITS, blockedCpuMs: 1_500, visitorP99Ms: 5_000 };

test('whatever strangers and tenants send, the program goes on serving others at once', async () => {
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
