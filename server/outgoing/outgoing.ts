import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isInTransaction } from '#db/transaction.ts';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { createBoundedLog } from '../logging/bounded-log.ts';
import type { Logger } from '../logging/logger.ts';
import { Circuit } from './circuit.ts';

/** What this process calls besides its database, as the metrics name it. */
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
  | 'webhooks'
  | 'browser';

/**
 * Access to everything outside but the database: nothing is called while a transaction waits, or repeatedly
 * in vain.
 */
export interface Outgoing {
  /**
   * Returns the same port with calls inside a transaction reported, because a lock would be held for as long
   * as the other side takes to respond. In production they are logged and counted, and continue.
   */
  outsideTransactions<T extends object>(dependency: Dependency, port: T): T;
  /**
   * Returns a circuit whose state the metrics show.
   * @param isOutage whether an error means that the dependency is down, and not that it refused the request
   */
  circuit(dependency: Dependency, isOutage: (error: unknown) => boolean): Circuit;
}

/**
 * Returns the outgoing access of one process.
 * @param refuses whether a call inside a transaction throws, as it does in tests
 */
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
    help: 'Outgoing calls made while a database transaction waited for them.',
    labelNames: ['dependency'],
    registers: [metrics],
  });
  new Gauge({
    name: 'portage_circuit_open',
    help: 'Whether a dependency is considered down: its last calls in a row failed without a response.',
    labelNames: ['dependency'],
    registers: [metrics],
    collect() {
      for (const [dependency, circuit] of circuits) this.set({ dependency }, circuit.isOpen ? 1 : 0);
    },
  });

  const seconds = new Histogram({
    name: 'portage_outside_seconds',
    help: 'Outgoing calls by how they ended; "refused" is a response, "failed" is none.',
    labelNames: ['dependency', 'result'],
    buckets: [0.001, 0.01, 0.1, 0.5, 2, 10, 60],
    registers: [metrics],
  });
  /** Measures how long a call takes, without affecting it. */
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
    log.warn({ dependency, err: error }, 'an outgoing call was made inside a transaction');
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
