import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../http/connections/http-listener.ts';
import { createLogger } from '../logging/logger.ts';
import {
  type ConnectionBudget,
  connectionsThatFit,
  createConnectionBudget,
  guardConnections,
} from './connection-budget.ts';
import { readOpenFileLimit } from './open-file-limit.ts';

function budgetOf(
  openFilesMax: number,
  connectionsMax = 20_000,
  own: { perAddress?: number; trustProxy?: boolean } = {},
) {
  const metrics = new Registry();
  const budget = createConnectionBudget({
    ...{ openFilesMax, connectionsMax, metrics },
    connectionsPerAddressMax: own.perAddress ?? 500,
    trustProxy: own.trustProxy ?? false,
    logger: createLogger('silent'),
    clock: { now: () => 0 },
  });
  return { budget, metrics };
}

/** Returns the port of an HTTP server behind the budget. */
async function openListener(budget: ConnectionBudget, listener: 'console' | 'edge_http'): Promise<number> {
  const server = createServer((_, response) => response.end('here'));
  guardConnections(budget, listener, server);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return listen(server, 0, '127.0.0.1');
}

/** Connects and resolves with the socket once it is answered, or with null when it is closed instead. */
function ask(port: number): Promise<Socket | null> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(socket)).once('close', () => resolve(null));
  });
}

it('a full listener closes new connections, and the other listener still answers', async () => {
  const { budget, metrics } = budgetOf(40);
  expect(budget.connectionsMax).toBe(20);
  const console = await openListener(budget, 'console');
  const edge = await openListener(budget, 'edge_http');
  const held = await Promise.all(Array.from({ length: 12 }, () => ask(console)));
  expect(held.filter((socket) => socket !== null)).toHaveLength(8);
  expect(await ask(edge)).not.toBeNull();
  expect(await metrics.metrics()).toContain('portage_connections_refused_total{door="console"} 4');
  expect(await metrics.metrics()).toContain('portage_connections_open{door="console"} 8');

  const [first] = held.filter((socket) => socket !== null);
  first?.destroy();
  await expect.poll(async () => (await ask(console)) !== null).toBe(true);
});

it('all listeners together stay below the limit of open files', async () => {
  const { budget } = budgetOf(20);
  const console = await openListener(budget, 'console');
  const edge = await openListener(budget, 'edge_http');
  const held = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 ? edge : console)));
  expect(held.filter((socket) => socket !== null)).toHaveLength(10);
});

it('the operator’s own limit applies when it is lower', () => {
  expect(budgetOf(1_000_000, 300).budget.connectionsMax).toBe(300);
  expect(budgetOf(Number.POSITIVE_INFINITY).budget.connectionsMax).toBe(20_000);
});

it('the limit of open files is read from the system', () => {
  expect(readOpenFileLimit()).toBeGreaterThanOrEqual(256);
});

it('an address that holds as many connections as it may gets no more at any listener', async () => {
  const { budget } = budgetOf(1_000, 20_000, { perAddress: 4 });
  const console = await openListener(budget, 'console');
  const edge = await openListener(budget, 'edge_http');
  const held = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index % 2 ? edge : console)));
  const open = held.filter((socket) => socket !== null);
  expect(open).toHaveLength(4);
  open[0]?.destroy();
  await expect.poll(async () => (await ask(console)) !== null).toBe(true);
});

it('behind a proxy connections are shared, and a visitor has a limited number of concurrent requests', async () => {
  const { budget } = budgetOf(1_000, 20_000, { perAddress: 2, trustProxy: true });
  const port = await openListener(budget, 'console');
  const held = await Promise.all(Array.from({ length: 6 }, () => ask(port)));
  expect(held.every((socket) => socket !== null)).toBe(true);
  const responses = Array.from({ length: 3 }, () => new ServerResponse(new IncomingMessage(new Socket())));
  expect(responses.map((response) => budget.admitRequest('192.0.2.1', response))).toEqual([
    true,
    true,
    false,
  ]);
  responses[0]?.emit('close');
  expect(responses.map((response) => budget.admitRequest('192.0.2.1', response))).toEqual([
    true,
    false,
    false,
  ]);
});

it('has room for as many connections as a quarter of the memory can hold', () => {
  const GIB = 1024 ** 3;
  expect(connectionsThatFit(GIB)).toBe(5_461);
  expect(connectionsThatFit(4 * GIB)).toBeGreaterThan(20_000);
});
