import { NetworkRate } from './network-rate.ts';

/** What a network gets for its question: an answer, a short "retry over TCP", or nothing. */
export type Verdict = 'answer' | 'truncate' | 'nothing';

/**
 * Limits what is sent over UDP to one network, because a sender's address may be forged and belong to a
 * victim. Above the rate, every second answer is a short one that sends real resolvers to TCP, and the rest
 * are dropped.
 */
export class AnswerRate {
  private readonly rate: NetworkRate;
  private readonly isShortNext = new Uint8Array(NetworkRate.slots);

  constructor(answersPerSecond: number, burst: number, now: number) {
    this.rate = new NetworkRate(answersPerSecond, burst, now);
  }

  take(address: string, now: number): Verdict {
    const slot = this.rate.slotOf(address);
    if (this.rate.take(slot, now)) return 'answer';
    this.isShortNext[slot] = 1 - (this.isShortNext[slot] ?? 0);
    return this.isShortNext[slot] === 1 ? 'truncate' : 'nothing';
  }
}
