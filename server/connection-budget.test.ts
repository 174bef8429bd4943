import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { type ConnectionBudget, createConnectionBudget, guardConnections } from './connection-budget.ts';
import { createLogger } from './logger.ts';
import { readOpenFileLimit } from './open-file-limit.ts';
import { listen } from './roles/http-listener.ts';

function budgetOf(openFilesMax: number, connectionsMax = 20_000) {
  const metrics = new Registry();
  const budget = createConnectionBudget({
    ...{ openFilesMax, connectionsMax, metrics },
    logger: createLogger('silent'),
    clock: { now: () => 0 },
  });
  return { budget, metrics };
}

/** Returns the port of an HTTP server behind the budget. */
async function openDoor(budget: ConnectionBudget, door: 'console' | 'edge_http'): Promise<number> {
  const server = createServer((_, response) => response.end('here'));
  guardConnections(budget, door, server);
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

it('a door that is full closes what comes next, and the other door still answers', async () => {
  const { budget, metrics } = budgetOf(40);
  expect(budget.connectionsMax).toBe(20);
  const console = await openDoor(budget, 'console');
  const edge = await openDoor(budget, 'edge_http');
  const held = await Promise.all(Array.from({ length: 12 }, () => ask(console)));
  expect(held.filter((socket) => socket !== null)).toHaveLength(8);
  expect(await ask(edge)).not.toBeNull();
  expect(await metrics.metrics()).toContain('portage_connections_refused_total{door="console"} 4');
  expect(await metrics.metrics()).toContain('portage_connections_open{door="console"} 8');

  const [first] = held.filter((socket) => socket !== null);
  first?.destroy();
  await expect.poll(async () => (await ask(console)) !== null).toBe(true);
});

it('all doors together stay below the limit of open files', async () => {
  const { budget } = budgetOf(20);
  const console = await openDoor(budget, 'console');
  const edge = await openDoor(budget, 'edge_http');
  const held = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 ? edge : console)));
  expect(held.filter((socket) => socket !== null)).toHaveLength(10);
});

it('the operator’s own bound counts where it is lower', () => {
  expect(budgetOf(1_000_000, 300).budget.connectionsMax).toBe(300);
  expect(budgetOf(Number.POSITIVE_INFINITY).budget.connectionsMax).toBe(20_000);
});

it('the limit of open files is read from the system', () => {
  expect(readOpenFileLimit()).toBeGreaterThanOrEqual(256);
});
