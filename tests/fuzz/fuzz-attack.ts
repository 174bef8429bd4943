import type { SeededRandom } from '#tests/support/seeded-random.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** A kind of attack; one round is small, limited, and determined by its random generator alone. */
export interface FuzzAttack {
  name: string;
  round(target: FuzzTarget, random: SeededRandom): Promise<void>;
}

/**
 * Returns an address of this machine from which an attacker connects, so that a limit per address does not
 * end an attack.
 */
export function attackerAddress(random: SeededRandom): string {
  return `127.${1 + random.below(200)}.${random.below(256)}.${1 + random.below(250)}`;
}
