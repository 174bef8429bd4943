import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isInTransaction } from '#db/transaction.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import type { Logger } from '../logging/logger.ts';
import { Circuit } from './circuit.ts';

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

  const seconds = new Histogram({
    name: 'portage_outside_seconds',
    help: 'Calls to something outside by how they ended; "refused" is an answer, "failed" is none.',
    labelNames: ['dependency', 'result'],
    buckets: [0.001, 0.01, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  });
  /** Notes how long a call took, without taking part in it. */
  const measure = (dependency: Dependency, call: unknown) => {
    if (!(call instanceof Promise)) return;
    const begin = performance.now();
    const note = (result: 'ok' | 'refused' | 'failed') =>
      seconds.observe({ dependency, result }, (performance.now() - begin) / 1000);
    void call.then(
      () => note('ok'),
      (error: unknown) => note(error instanceof AppError && error.status < 500 ? 'refused' : 'failed'),
    );
  };
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
            const call: unknown = Reflect.apply(value, target, given);
            measure(dependency, call);
            return call;
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
