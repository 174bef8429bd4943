import { expect, test } from 'vitest';
import { startFuzzTarget } from './fuzz-target.ts';
import { judge } from './judge.ts';
import { ATTACKS, runRounds } from './run-rounds.ts';

const ROUNDS = 240;

test('whatever strangers and tenants send, the program goes on serving others at once', async () => {
  const target = await startFuzzTarget();
  try {
    const result = await runRounds(target, { seed: 1, attacks: ATTACKS, until: { rounds: ROUNDS } });
    expect(judge(result)).toEqual([]);
    expect(result.rounds).toBe(ROUNDS);
    expect(result.visitor.visits).toBeGreaterThan(20);
  } finally {
    await target.close();
  }
});
