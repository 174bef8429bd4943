import { Registry } from 'prom-client';
import { systemClock } from '#server/clock.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createOutgoing, type Outgoing } from '#server/outgoing/outgoing.ts';

/**
 * Returns a separate Outgoing, for adapters that are tested without an App: closed circuits, and throws in
 * transactions.
 */
export function testOutgoing(): Outgoing {
  const logger = createLogger('silent');
  return createOutgoing({ metrics: new Registry(), logger, clock: systemClock, refuses: true });
}
