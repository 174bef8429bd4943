import type { SeededRandom } from '#tests/support/seeded-random.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** A kind of attack; one round is small, bounded, and follows from its chance alone. */
export interface FuzzAttack {
  name: string;
  round(target: FuzzTarget, random: SeededRandom): Promise<void>;
}

/** Addresses of this machine from which an attacker can connect, so that a bound on one address does not end an attack. */
export function attackerAddress(random: SeededRandom): string {
  return `127.${1 + random.below(200)}.${random.below(256)}.${1 + random.below(250)}`;
}
