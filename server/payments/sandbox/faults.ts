/**
 * What a provider, or the connection to it, can do to a request. `refused`: nothing happened and an error was
 * returned. `lost`: it happened and the response never arrived. `silent`: no response until the caller gives
 * up.
 */
export type FaultKind = 'unreachable' | 'server_error' | 'rate_limited' | 'lost' | 'nonsense' | 'silent';

export interface Fault {
  kind: FaultKind;
  /** Which requests, by method and path; all when omitted. */
  on?: RegExp;
  /** How many of them; one when omitted. */
  times?: number;
}

/** How event deliveries are disturbed. */
export interface DeliveryFaults {
  isDuplicated?: boolean;
  isReversed?: boolean;
  /** Delays each delivery by this much. */
  delayMs?: number;
}

/** Faults on demand, in the order in which they were requested. They last as long as the process. */
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

  /** Returns the fault for this request, if any, and uses it up. */
  take(method: string, path: string): FaultKind | null {
    const fault = this.pending.find(({ on, left }) => left > 0 && on.test(`${method} ${path}`));
    if (!fault) return null;
    fault.left -= 1;
    return fault.kind;
  }
}
