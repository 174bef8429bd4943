import { randomBytes } from 'node:crypto';

const SLOTS = 65_536;

/**
 * Allows each network a number of events per second, and a number at once after a pause. Memory use is fixed:
 * networks share slots by a keyed hash, so that an attacker cannot aim at a slot.
 */
export class NetworkRate {
  private readonly perMs: number;
  private readonly burst: number;
  private readonly tokens: Float64Array;
  private readonly seenAt: Float64Array;
  private readonly key = randomBytes(4).readUInt32BE(0);

  constructor(perSecond: number, burst: number, now: number) {
    this.perMs = perSecond / 1000;
    this.burst = burst;
    this.tokens = new Float64Array(SLOTS).fill(burst);
    this.seenAt = new Float64Array(SLOTS).fill(now);
  }

  /** Returns whether one more event of this slot may happen now. */
  take(slot: number, now: number): boolean {
    const elapsedMs = Math.max(0, now - (this.seenAt[slot] ?? now));
    const tokens = Math.min(this.burst, (this.tokens[slot] ?? 0) + elapsedMs * this.perMs);
    this.seenAt[slot] = now;
    this.tokens[slot] = tokens >= 1 ? tokens - 1 : tokens;
    return tokens >= 1;
  }

  /** Returns the slot of an address's network. */
  slotOf(address: string): number {
    const network = networkOf(address);
    let hash = this.key;
    for (let index = 0; index < network.length; index += 1) {
      hash = Math.imul(hash ^ network.charCodeAt(index), 0x01000193);
      hash ^= hash >>> 15;
    }
    return (hash >>> 0) % SLOTS;
  }

  static readonly slots = SLOTS;
}

/**
 * Returns the network of an address, as far as its owner can choose addresses: IPv4 /24, IPv6 /48, which
 * anybody gets with a tunnel.
 */
export function networkOf(address: string): string {
  const ipv4 = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  if (!ipv4.includes(':')) return ipv4.slice(0, ipv4.lastIndexOf('.'));
  const [head = '', tail] = (ipv4.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const [a = '0', b = '0', c = '0'] = [...before, ...zeros, ...after];
  return `${a}:${b}:${c}`;
}
