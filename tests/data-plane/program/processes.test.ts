import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { readWaitingUsage } from '#server/metering/read-waiting-usage.ts';
import { type DeploySite, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { type EdgeListener, NEVER_ACCEPTED, startSteadyLoad } from '#tests/support/client/steady-load.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import {
  childProcesses,
  isRunning,
  niceOf,
  oomScoreOf,
  writesTo,
} from '#tests/support/server/child-processes.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const run = promisify(execFile);
const NAMES = ['console', 'dns', 'edge-1', 'edge-2', 'jobs', 's3'];

let server: TestServer;
let site: DeploySite;
beforeAll(async () => {
  server = await startTestServer({ PROCESSES: 'auto', EDGE_PROCESSES: '2', STOP_GRACE_SECONDS: '1' });
  site = await (await registerDeployer(server)).createSite('processes');
  await site.deploy({ 'index.html': 'first' });
});
afterAll(() => server?.close());

const children = () => childProcesses(server.processId());
/** Of processes that have started; one that is being prepared has another name. */
const named = () => new Map([...children()].filter(([name]) => NAMES.includes(name)));

/** The same while they are ending: nothing, when one did so meanwhile. */
function running(): ReturnType<typeof named> {
  try {
    return named();
  } catch {
    return new Map();
  }
}
const isEdge = (name: string) => name.startsWith('edge-');

/** Ends a process like a crash, and waits until it is gone. */
async function killProcess(id: number): Promise<void> {
  process.kill(id, 'SIGKILL');
  await pollUntil(
    async () => isRunning(id),
    (runs) => !runs,
  );
}

/** Waits until `/readyz` says that every process is working. */
async function untilWhole(): Promise<void> {
  await pollUntil(
    () =>
      fetch(`${server.consoleUrl}/readyz`).then(
        async (response): Promise<Record<string, string>> => (await response.json()).processes,
        (): Record<string, string> => ({}),
      ),
    (processes) => NAMES.every((name) => processes[name] === 'ok'),
  );
}

/** Every way to send requests to an edge. */
function edgeListeners(): EdgeListener[] {
  const edgeHttpsPort = Number(server.environment.EDGE_HTTPS_PORT);
  return [
    { port: server.edgePort },
    { port: edgeHttpsPort, protocol: 'https' },
    { port: edgeHttpsPort, protocol: 'http2' },
  ];
}

/** Requests the page on a new connection, which reaches either edge. */
async function askOnce(): Promise<string> {
  const { status, text } = await server.edge(site.host, '/', { headers: { connection: 'close' } });
  expect(status).toBe(200);
  return text;
}

/** Returns the different answers that this many simultaneous visitors get. */
async function seenBy(visitors: number): Promise<string[]> {
  return [...new Set(await Promise.all(Array.from({ length: visitors }, askOnce)))];
}

async function inDatabase<T>(work: (db: ReturnType<typeof openDatabase>) => Promise<T>): Promise<T> {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

describe('a process for each role', () => {
  it('has the configured number of edges, and shows which process logged what', async () => {
    await untilWhole();
    expect([...named().keys()].sort()).toEqual(NAMES);
    for (const name of NAMES) expect(server.output()).toContain(`"process":"${name}"`);
    expect(server.output().match(/is ready: open/g)).toHaveLength(1);
  });

  it('opens the database for the edges read-only', async () => {
    await untilWhole();
    const path = join(server.dataDir, 'portage.sqlite');
    const writing = [...named()].filter(([, id]) => writesTo(id, path)).map(([name]) => name);
    expect(writing.sort()).toEqual(['console', 'dns', 'jobs', 's3']);
  });

  it('runs what serves visitors before the console and the jobs, where the system has to choose', async () => {
    await untilWhole();
    const own = niceOf(server.processId())[0] ?? 0;
    const behind = [...named()].map(([name, id]) => [
      name,
      [...new Set(niceOf(id))].map((nice) => nice - own),
    ]);
    expect(Object.fromEntries(behind)).toEqual({
      ...{ 'edge-1': [0], 'edge-2': [0], s3: [0], dns: [0] },
      ...{ console: [5], jobs: [5] },
    });
  });

  it('has the console and the jobs ended before what serves visitors when memory runs out', async () => {
    await untilWhole();
    const own = oomScoreOf(server.processId());
    const before = [...named()].map(([name, id]) => [name, oomScoreOf(id) - own]);
    expect(Object.fromEntries(before)).toEqual({
      ...{ 'edge-1': 0, 'edge-2': 0, s3: 0, dns: 0 },
      ...{ console: 400, jobs: 400 },
    });
  });

  it.each(NAMES)('continues to serve sites when %s is killed, and starts it again', async (name) => {
    const before = named();
    await killProcess(before.get(name) ?? 0);
    expect(await seenBy(20)).toEqual(['first']);
    await pollUntil(
      async () => named().get(name),
      (id) => id !== undefined && id !== before.get(name),
    );
    await untilWhole();
    const after = named();
    for (const other of NAMES.filter((entry) => entry !== name)) {
      expect(after.get(other)).toBe(before.get(other));
    }
    expect(server.output()).toContain(`"ended":"${name}","reason":"SIGKILL"`);
  });

  it('shows the metrics of all of them in one scrape', async () => {
    await untilWhole();
    const scrape = await (await fetch(`${server.consoleUrl}/metrics`)).text();
    for (const name of NAMES) {
      expect(scrape).toContain(`process_cpu_seconds_total{process="${name}"}`);
      expect(scrape).toContain(`portage_process_ready{process="${name}"} 1`);
    }
    expect(scrape.match(/^# HELP process_cpu_seconds_total /gm)).toHaveLength(1);
    expect(scrape).toContain('portage_usage_batches_waiting{process="edge-1"}');
  });

  it('tells every edge what is published, without the table that other machines read', async () => {
    await inDatabase((db) =>
      sql`create trigger deaf after insert on edge_changes begin
        delete from edge_changes where sequence = new.sequence; end`.execute(db),
    );
    try {
      for (const content of ['second', 'third']) {
        await site.deploy({ 'index.html': content });
        await pollUntil(
          () => seenBy(20),
          (seen) => seen.length === 1 && seen[0] === content,
        );
      }
    } finally {
      await inDatabase((db) => sql`drop trigger deaf`.execute(db));
    }
  });

  it('is completely replaced by `operator restart` without one failed request over HTTP/1.1, HTTPS and HTTP/2', async () => {
    const before = named();
    const load = startSteadyLoad(edgeListeners(), site.host);
    const replaced = () => server.output().match(/every process was replaced/g)?.length ?? 0;
    const earlier = replaced();
    await run(process.execPath, ['server/operator/main.ts', 'restart'], { env: server.environment });
    let fresh = 0;
    while (replaced() === earlier) {
      await askOnce();
      fresh += 1;
      // As often as the steady visitors, on connections of its own.
      await setTimeout(20);
    }
    await load.stop();
    expect(load.failures).toEqual([]);
    const { begun, answered } = load.asked.get(site.host) ?? { begun: 0, answered: -1 };
    expect(answered).toBe(begun);
    expect(begun).toBeGreaterThan(100);
    expect(fresh).toBeGreaterThan(10);
    const after = named();
    expect([...after.keys()].sort()).toEqual(NAMES);
    for (const name of NAMES) expect(after.get(name)).not.toBe(before.get(name));
    await untilWhole();
  });

  it('keeps the process that stores what its edges count until they have ended', async () => {
    await untilWhole();
    await site.deploy({ 'index.html': 'third', 'large.bin': Buffer.alloc(32 * 1024 ** 2) });
    // An edge has not ended while this visitor reads nothing.
    const visitor = connect(server.edgePort, '127.0.0.1', () =>
      visitor.write(`GET /large.bin HTTP/1.1\r\nHost: ${site.host}\r\n\r\n`),
    );
    visitor.on('error', () => undefined);
    await once(visitor, 'readable');
    const stopping = server.stop();
    const left = await pollUntil(
      async () => [...running().keys()],
      (names) => names.some(isEdge) && !names.includes('console'),
    );
    expect(left).toContain('jobs');
    visitor.destroy();
    // The next test starts it again.
    expect(await stopping).toBe(0);
  });

  it('counts what its edges serve once, although they are killed', async () => {
    const counted = () =>
      inDatabase(async (db) => {
        const { requests } = await db
          .selectFrom('usage_days')
          .select(({ fn }) => fn.sum<number>('requests').as('requests'))
          .executeTakeFirstOrThrow();
        return Number(requests ?? 0);
      });
    /** Of everything served so far: what the database was too slow to take before a stop, it takes after the start. */
    const countedInAll = async () => {
      expect(await server.stop()).toBe(0);
      await server.start();
      const folder = join(server.dataDir, 'usage-spool');
      await pollUntil(
        () => readWaitingUsage(folder),
        ({ batches }) => batches === 0,
      );
      return counted();
    };
    const before = await countedInAll();
    expect(await seenBy(40)).toHaveLength(1);
    await pollUntil(counted, (requests) => requests === before + 40);
    await Promise.all([...named()].filter(([name]) => isEdge(name)).map(([, id]) => killProcess(id)));
    await untilWhole();
    expect(await seenBy(40)).toHaveLength(1);
    expect(await countedInAll()).toBe(before + 80);
  });

  it('reports a process that hangs as silent until it goes on, and serves visitors meanwhile', async () => {
    const edge = named().get('edge-1') ?? 0;
    const health = async () =>
      (await (await fetch(`${server.consoleUrl}/readyz`)).json()) as {
        status: string;
        processes: Record<string, string>;
      };
    const readyOf = async () => {
      const figures = await (await fetch(`${server.consoleUrl}/metrics`)).text();
      return /^portage_process_ready\{process="edge-1"\} (\d)$/m.exec(figures)?.[1];
    };
    process.kill(edge, 'SIGSTOP');
    try {
      const { status } = await pollUntil(health, ({ processes }) => processes['edge-1'] === 'silent');
      expect(status).toBe('degraded');
      expect(await readyOf()).toBe('0');
      expect(await seenBy(5)).toHaveLength(1);
    } finally {
      process.kill(edge, 'SIGCONT');
    }
    await untilWhole();
    expect(named().get('edge-1')).toBe(edge);
  });

  it('serves what was requested before it stops, and leaves no process behind', async () => {
    const ids = [...children().values()];
    const load = startSteadyLoad(edgeListeners(), site.host);
    await pollUntil(
      async () => load.asked.get(site.host)?.answered ?? 0,
      (answered) => answered > 200,
    );
    expect(await server.stop()).toBe(0);
    await load.stop();
    // Every visitor ends at a closed port, and none on an accepted connection.
    expect(load.failures.filter((failure) => !failure.includes(NEVER_ACCEPTED))).toEqual([]);
    expect(load.failures.length).toBeGreaterThan(0);
    expect(ids.filter(isRunning)).toEqual([]);
  });
});

describe('a restart', () => {
  it('is refused when no supervisor runs', async () => {
    await server.stop();
    // From a supervisor that was killed; the number belongs to another program by now.
    await writeFile(join(server.dataDir, 'supervisor.pid'), `${process.pid}\n`);
    const restart = run(process.execPath, ['server/operator/main.ts', 'restart'], {
      env: server.environment,
    });
    await expect(restart).rejects.toThrow('DATA_DIR has no running supervisor.');
    await server.start();
  });
});

describe('without its supervisor', () => {
  const orphans: number[] = [];
  afterEach(() => {
    for (const id of orphans.splice(0)) if (isRunning(id)) process.kill(id, 'SIGKILL');
  });

  it('serves sites until there is another one, and then is replaced by it', async () => {
    orphans.push(...children().values());
    const before = await askOnce();
    await server.kill();
    expect(await seenBy(20)).toEqual([before]);
    await server.start();
    expect(await seenBy(20)).toEqual([before]);
    await pollUntil(
      async () => orphans.filter(isRunning),
      (running) => running.length === 0,
    );
    await untilWhole();
  });
});
