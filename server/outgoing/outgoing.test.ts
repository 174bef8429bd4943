import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { systemClock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { createLogger } from '../logging/logger.ts';
import { createOutgoing } from './outgoing.ts';

it('an outgoing call in a transaction is counted and continues, and throws in tests', async () => {
  const app = await createTestApp();
  const metrics = new Registry();
  const logger = createLogger('silent');
  const parts = { metrics, logger, clock: systemClock };
  const mailbox = { send: async (text: string) => `sent ${text}` };
  const port = createOutgoing(parts).outsideTransactions('mail', mailbox);
  await port.send('freely');
  expect(await inTransaction(app.db, () => port.send('early'))).toBe('sent early');
  expect(await metrics.metrics()).toContain('portage_network_in_transaction_total{dependency="mail"} 1');

  await expect(inTransaction(app.db, () => app.lookup.txt('www.example.ca'))).rejects.toThrow(
    'resolvers.txt was called inside a transaction',
  );
  await expect(inTransaction(app.db, () => app.authority.caaIdentities())).rejects.toThrow(
    'authority.caaIdentities was called inside a transaction',
  );
});

it('the metrics show which dependency is considered down, until it responds again', async () => {
  const metrics = new Registry();
  const outgoing = createOutgoing({ metrics, logger: createLogger('silent'), clock: systemClock });
  const circuit = outgoing.circuit('updates', () => true);
  outgoing.circuit('store', () => true);
  const isOpen = async () => [...(await metrics.metrics()).matchAll(/^portage_circuit_open.*/gm)].join(' ');
  expect(await isOpen()).toBe(
    'portage_circuit_open{dependency="updates"} 0 portage_circuit_open{dependency="store"} 0',
  );
  const fail = () => circuit.run(() => Promise.reject(new Error('away')));
  for (let attempt = 0; attempt < 5; attempt += 1) await expect(fail()).rejects.toThrow('away');
  expect(await isOpen()).toBe(
    'portage_circuit_open{dependency="updates"} 1 portage_circuit_open{dependency="store"} 0',
  );
});

it('the metrics show how many outgoing calls were answered, refused or failed', async () => {
  const metrics = new Registry();
  const outgoing = createOutgoing({ metrics, logger: createLogger('silent'), clock: systemClock });
  const failure: { error: Error | null } = { error: null };
  const port = outgoing.outsideTransactions('store', {
    put: async () => {
      if (failure.error) throw failure.error;
    },
    name: () => 'store',
  });
  await port.put();
  expect(port.name()).toBe('store');
  failure.error = new AppError('hash_mismatch');
  await expect(port.put()).rejects.toThrow(failure.error);
  failure.error = new Error('no answer');
  await expect(port.put()).rejects.toThrow('no answer');
  const counts = [...(await metrics.metrics()).matchAll(/^portage_outside_seconds_count.*/gm)].map(
    ([line]) => line,
  );
  expect(counts).toEqual(
    ['ok', 'refused', 'failed'].map(
      (result) => `portage_outside_seconds_count{dependency="store",result="${result}"} 1`,
    ),
  );
});
