import { loadPg } from './dialects/postgres.ts';

/** A connection, as far as it shows whether a pooler is in between. */
export interface SeenConnection {
  /** The process of the server that the connection was told of when it was opened. */
  readonly toldProcessId: number | null;
  /** The process of the server that answers now. */
  askProcessId(): Promise<number>;
  close(): Promise<void>;
}

const CONNECTION_MS = 10_000;
/** A pooler lends out what was returned last, unless another client is faster. */
const TRIES = 5;

/**
 * Whether the address leads to a pooler that lends a connection to several clients in turn, as PgBouncer does by
 * transaction. What one of them sets there, such as how long statements may take, then holds for the others.
 */
export async function sharesConnections(url: string): Promise<boolean> {
  return !url.startsWith('sqlite:') && isLent(() => openSeen(url));
}

/** The same for connections that `open` opens. */
export async function isLent(open: () => Promise<SeenConnection>): Promise<boolean> {
  const first = await open();
  try {
    // A pooler gives its clients numbers of its own.
    if ((await first.askProcessId()) === first.toldProcessId) return false;
    const second = await open();
    try {
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        if ((await first.askProcessId()) === (await second.askProcessId())) return true;
      }
      return false;
    } finally {
      await second.close();
    }
  } finally {
    await first.close();
  }
}

async function openSeen(url: string): Promise<SeenConnection> {
  const { Client } = loadPg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_MS });
  client.on('error', () => undefined);
  await client.connect();
  return {
    // Its types do not have the number that node-postgres keeps for cancelling a statement.
    toldProcessId: (client as unknown as { processID: number | null }).processID,
    async askProcessId() {
      const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
      return rows[0]?.id ?? 0;
    },
    close: () => client.end(),
  };
}
