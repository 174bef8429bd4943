import { parseArgs } from 'node:util';
import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';
import { startFuzzTarget } from './fuzz-target.ts';
import { describeResult, judge } from './judge.ts';
import { ATTACKS, runRound, runRounds } from './run-rounds.ts';

/**
 * `npm run fuzz -- --minutes N [--seed S] [--only http-bytes,routes] [--round I]`: attacks a program started
 * for it, on this machine, and exits with 1 on a violation. With `--round`, one round of a seed is repeated.
 */
const print = (text: string) => process.stdout.write(`${text}\n`);
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    round: { type: 'string' },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const wanted = values.only?.split(',');
const attacks = ATTACKS.filter(({ name }) => wanted === undefined || wanted.includes(name));
if (!Number.isInteger(seed) || !(minutes > 0) || attacks.length === 0) {
  print(
    `--seed takes a whole number, --minutes a positive one, --only of ${ATTACKS.map(({ name }) => name)}`,
  );
  process.exit(2);
}

await ensureCurrentBuilds(process.cwd());
print(`seed ${seed}`);
const target = await startFuzzTarget();
try {
  if (values.round !== undefined) {
    const index = Number(values.round);
    const attack = attacks[index % attacks.length];
    if (attack) await runRound(target, attack, seed, index);
    print(target.faults.join('\n') || 'nothing was found');
  } else {
    const result = await runRounds(target, {
      seed,
      attacks,
      until: { endsAt: Date.now() + minutes * 60_000 },
    });
    print(describeResult(result));
    const faults = judge(result);
    print(faults.length === 0 ? 'everything held' : faults.join('\n'));
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
} finally {
  await target.close();
}
