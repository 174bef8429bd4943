/**
 * What a provider, or the line to it, can do to a request. `refused`: nothing happened and an error came. `lost`: it happened
 * and the answer never came. `silent`: nobody answers until whoever asks gives up.
 */
export type FaultKind = 'unreachable' | 'server_error' | 'rate_limited' | 'lost' | 'nonsense' | 'silent';

export interface Fault {
  kind: FaultKind;
  /** Which requests, by method and path; all of them where it is left out. */
  on?: RegExp;
  /** How many of them; one where it is left out. */
  times?: number;
}

/** How deliveries of events are disturbed. */
export interface DeliveryFaults {
  isDuplicated?: boolean;
  isReversed?: boolean;
  /** Delivered only so much later. */
  delayMs?: number;
}

/** Faults on demand, in the order in which they were asked for. They last as long as the process. */
export class Faults {
  private pending: { kind: FaultKind; on: RegExp; left: number }[] = [];
  deliveries: DeliveryFaults = {};

  add({ kind, on = /./, times = 1 }: Fault): void {
    this.pending.push({ kind, on, left: times });
  }

  clear(): void {
    this.pending = [];
    this.deliveries = {};
  }

  /** Returns the fault that this request meets, if any, and uses it up. */
  take(method: string, path: string): FaultKind | null {
    const fault = this.pending.find(({ on, left }) => left > 0 && on.test(`${method} ${path}`));
    if (!fault) return null;
    fault.left -= 1;
    return fault.kind;
  }
}
