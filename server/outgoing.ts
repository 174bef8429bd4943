import { Counter, Gauge, type Registry } from 'prom-client';
import { isInTransaction } from '#db/transaction.ts';
import { createBoundedLog } from './bounded-log.ts';
import { Circuit } from './circuit.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** What this process asks outside itself and its database, as the metrics call it. */
export type Dependency =
  | 'store'
  | 'authority'
  | 'resolvers'
  | 'updates'
  | 'mail'
  | 'issuer'
  | 'ci_issuers'
  | 'code_host'
  | 'payments'
  | 'webhooks';

/** The way out to everything but the database: nothing is asked while a transaction waits, nor again and again in vain. */
export interface Outgoing {
  /**
   * Returns the same port, whose calls inside a transaction are reported: a lock would be held for as long as somebody else
   * takes to answer. In production they are logged and counted, and go on.
   */
  outsideTransactions<T extends object>(dependency: Dependency, port: T): T;
  /**
   * Returns a circuit whose state the metrics show.
   * @param isOutage whether an error says that the dependency is away, and not what it thinks of the question
   */
  circuit(dependency: Dependency, isOutage: (error: unknown) => boolean): Circuit;
}

/** Returns the way out of one process. @param refuses whether a call inside a transaction throws, as it does in tests */
export function createOutgoing(parts: {
  metrics: Registry;
  logger: Logger;
  clock: Clock;
  refuses?: boolean;
}): Outgoing {
  const { metrics, logger, clock, refuses = false } = parts;
  const circuits = new Map<Dependency, Circuit>();
  const log = createBoundedLog(logger, metrics, 'outgoing', clock.now);
  const early = new Counter({
    name: 'portage_network_in_transaction_total',
    help: 'Calls to something outside that were made while a database transaction waited for them.',
    labelNames: ['dependency'],
    registers: [metrics],
  });
  new Gauge({
    name: 'portage_circuit_open',
    help: 'Whether a dependency is taken to be away: its last calls in a row failed without an answer.',
    labelNames: ['dependency'],
    registers: [metrics],
    collect() {
      for (const [dependency, circuit] of circuits) this.set({ dependency }, circuit.isOpen ? 1 : 0);
    },
  });

  const report = (dependency: Dependency, call: string) => {
    const error = new Error(`${dependency}.${call} was called inside a transaction`);
    if (refuses) throw error;
    early.inc({ dependency });
    log.warn({ dependency, err: error }, 'something outside was asked inside a transaction');
  };
  return {
    outsideTransactions: (dependency, port) =>
      new Proxy(port, {
        get(target, property) {
          const value: unknown = Reflect.get(target, property, target);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]): unknown => {
            if (isInTransaction()) report(dependency, String(property));
            return Reflect.apply(value, target, given);
          };
        },
      }),
    circuit(dependency, isOutage) {
      const circuit = circuits.get(dependency) ?? new Circuit(isOutage);
      circuits.set(dependency, circuit);
      return circuit;
    },
  };
}
