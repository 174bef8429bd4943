import { createHash, createHmac } from 'node:crypto';
import type { Db, Trx } from '#db/client.ts';
import { inTransaction } from '#db/transaction.ts';
import type { Clock } from '../../clock.ts';
import { DAY_MS } from '../../durations.ts';
import { removeInSlices } from '../../services/shared/remove-in-slices.ts';
import { Faults } from './faults.ts';
import { type FormFields, parseForm } from './form.ts';
import { cardRoutes } from './sandbox-cards.ts';
import { creditRoutes } from './sandbox-credits.ts';
import { customerRoutes } from './sandbox-customers.ts';
import { invoiceRoutes } from './sandbox-invoices.ts';
import { SANDBOX_KEYS } from './sandbox-keys.ts';
import { reversalRoutes } from './sandbox-reversals.ts';
import type { SandboxRoute } from './sandbox-route.ts';
import { newSandboxId, SandboxStore } from './sandbox-store.ts';
import { invalid, missing, WireError } from './wire-error.ts';

const ROUTES = [...customerRoutes, ...cardRoutes, ...invoiceRoutes, ...creditRoutes, ...reversalRoutes].map(
  (route) => ({
    ...route,
    pattern: new RegExp(`^${route.path.replaceAll(':id', '([\\w-]{1,64})')}$`),
  }),
);
const BODY_BYTES_MAX = 1024 ** 2;
const RESPONSES_KEPT_MS = DAY_MS;
const EVENTS_KEPT_MS = 30 * RESPONSES_KEPT_MS;
const DELIVERIES_AT_ONCE = 100;
const REDELIVERED_AFTER_MS = 10_000;

interface Answered {
  status: number;
  body: string;
  isReplay?: boolean;
}

/** Receives a delivery like our webhook address. */
export type TakeDelivery = (body: string, signature: string) => Promise<void>;

/** A request to the sandbox; `isPublic` is one with the key that pages have. */
interface AskedOfSandbox {
  method: string;
  path: string;
  text: string;
  isPublic: boolean;
}

/**
 * A payment provider that runs in this process and moves no money, below the SDK at the wire: it takes the
 * SDK's requests and responds in its types. Its state is in the database.
 */
export class Sandbox {
  readonly faults = new Faults();
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly publicUrl: string;

  constructor(parts: { db: Db; clock: Clock; publicUrl: string }) {
    this.db = parts.db;
    this.clock = parts.clock;
    this.publicUrl = parts.publicUrl;
  }

  /** Responds to a request like the provider's API. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const fault = this.faults.take(request.method, pathname);
    const text = request.method === 'POST' ? await request.text() : search.slice(1);
    if (fault === 'silent') await untilGivenUp(request.signal);
    if (fault === 'unreachable') throw new TypeError('fetch failed');
    if (fault === 'server_error') return toResponse(500, apiError('An unknown error occurred'));
    if (fault === 'rate_limited') return toResponse(429, apiError('Too many requests'));
    if (fault === 'nonsense') return toResponse(200, JSON.stringify({ hello: 'proxy' }));
    const answered = await this.answer(request, pathname, text);
    if (fault === 'lost') throw new TypeError('fetch failed');
    return toResponse(answered.status, answered.body, answered.isReplay);
  };

  /** Delivers events, retrying failed ones after a delay, and returns how many were accepted. */
  async deliver(take: TakeDelivery): Promise<number> {
    const { isDuplicated, isReversed, delayMs = 0 } = this.faults.deliveries;
    const now = this.clock.now();
    const due = await this.db
      .selectFrom('sandbox_objects')
      .select(['id', 'body'])
      .where('due_at', '<=', now - delayMs)
      .orderBy('due_at')
      .orderBy('sequence')
      .limit(DELIVERIES_AT_ONCE)
      .execute();
    const events = due.flatMap((event) => (isDuplicated ? [event, event] : [event]));
    if (isReversed) events.reverse();
    let taken = 0;
    for (const { id, body } of events) {
      const isTaken = await take(body, signDelivery(body, now)).then(
        () => true,
        () => false,
      );
      const due_at = isTaken ? null : now + REDELIVERED_AFTER_MS;
      await this.db.updateTable('sandbox_objects').set({ due_at }).where('id', '=', id).execute();
      if (isTaken) taken += 1;
    }
    return taken;
  }

  /**
   * Deletes responses whose keys are no longer used, and events that were accepted long ago. Returns how
   * many.
   */
  async prune(stopping?: AbortSignal): Promise<number> {
    const now = this.clock.now();
    const answers = (limit: number) =>
      this.db
        .deleteFrom('sandbox_answers')
        .where('idempotency_key', 'in', (from) =>
          from
            .selectFrom('sandbox_answers as old')
            .select('old.idempotency_key')
            .where('old.created_at', '<', now - RESPONSES_KEPT_MS)
            .limit(limit),
        )
        .executeTakeFirstOrThrow();
    const events = (limit: number) =>
      this.db
        .deleteFrom('sandbox_objects')
        .where('id', 'in', (from) =>
          from
            .selectFrom('sandbox_objects as old')
            .select('old.id')
            .where('old.kind', '=', 'event')
            .where('old.due_at', 'is', null)
            .where('old.created_at', '<', now - EVENTS_KEPT_MS)
            .limit(limit),
        )
        .executeTakeFirstOrThrow();
    return (await removeInSlices(answers, stopping)) + (await removeInSlices(events, stopping));
  }

  private async answer(request: Request, path: string, text: string): Promise<Answered> {
    const key = request.headers.get('idempotency-key');
    const bearer = request.headers.get('authorization') ?? '';
    try {
      if (text.length > BODY_BYTES_MAX) throw invalid('The request is too large.', 'request_too_large');
      const isPublic = bearer === `Bearer ${SANDBOX_KEYS.publishableKey}`;
      if (!isPublic && bearer !== `Bearer ${SANDBOX_KEYS.secretKey}`) {
        throw new WireError(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
      }
      const answer = async (trx: Trx): Promise<Answered> => {
        const known = key === null ? null : await this.claim(trx, key, `${request.method} ${path}\n${text}`);
        if (known) return known;
        const answered = await this.run(trx, { method: request.method, path, text, isPublic });
        if (key !== null) {
          const { status, body } = answered;
          const row = trx.updateTable('sandbox_answers').set({ status, body });
          await row.where('idempotency_key', '=', key).execute();
        }
        return answered;
      };
      // The caller records the result, and that commit waits for the disk.
      return await inTransaction(this.db, answer, { isDeferred: true });
    } catch (error) {
      return toWireResponse(error);
    }
  }

  /**
   * Returns the earlier response to the same key; null for a new key, which is then reserved until the
   * transaction ends.
   */
  private async claim(trx: Trx, key: string, asked: string): Promise<Answered | null> {
    const now = this.clock.now();
    const request = createHash('sha256').update(asked).digest('hex');
    const outdated = trx.deleteFrom('sandbox_answers').where('idempotency_key', '=', key);
    await outdated.where('created_at', '<', now - RESPONSES_KEPT_MS).execute();
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('sandbox_answers')
      .values({ idempotency_key: key, request, status: 0, body: '', created_at: now })
      .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
      .executeTakeFirstOrThrow();
    if ((numInsertedOrUpdatedRows ?? 0n) > 0n) return null;
    const known = await trx
      .selectFrom('sandbox_answers')
      .selectAll()
      .where('idempotency_key', '=', key)
      .executeTakeFirstOrThrow();
    if (known.request !== request) {
      const message = 'Keys for idempotent requests can only be used with the same parameters.';
      throw new WireError(400, { type: 'idempotency_error', message });
    }
    return { status: known.status, body: known.body, isReplay: true };
  }

  /** A refusal is a response too: what a refused payment has left behind is kept. */
  private async run(trx: Trx, { method, path, text, isPublic }: AskedOfSandbox): Promise<Answered> {
    const store = new SandboxStore(trx, this.clock.now());
    try {
      const { route, ids } = findRoute(method, path);
      if (isPublic && !route.isOpen) throw missing('resource', path);
      const form = parseForm(text);
      refuseUnknown(form, route);
      const object = await route.run({ store, path, ids, form, isPublic, publicUrl: this.publicUrl });
      return { status: 200, body: JSON.stringify(object) };
    } catch (error) {
      return toWireResponse(error);
    }
  }
}

/** @throws when the caller no longer waits */
function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function findRoute(method: string, path: string): { route: SandboxRoute; ids: [string, string] } {
  for (const route of ROUTES) {
    const found = route.method === method ? route.pattern.exec(path) : null;
    if (found) return { route, ids: [found[1] ?? '', found[2] ?? ''] };
  }
  throw missing('resource', path);
}

function refuseUnknown(form: FormFields, { accepts }: SandboxRoute): void {
  const unknown = Object.keys(form).find((name) => !accepts.includes(name));
  if (unknown !== undefined)
    throw invalid(`Received unknown parameter: ${unknown}`, 'parameter_unknown', unknown);
}

function toWireResponse(error: unknown): Answered {
  if (error instanceof RangeError) return toWireResponse(invalid(error.message, 'parameter_invalid_integer'));
  if (!(error instanceof WireError)) throw error;
  return { status: error.status, body: JSON.stringify({ error: error.body }) };
}

function apiError(message: string): string {
  return JSON.stringify({ error: { type: 'api_error', message } });
}

function toResponse(status: number, body: string, isReplay = false): Response {
  const headers = { 'content-type': 'application/json', 'request-id': newSandboxId('req') };
  return new Response(body, {
    status,
    headers: isReplay ? { ...headers, 'idempotent-replayed': 'true' } : headers,
  });
}

/** Returns the signature that the SDK verifies. */
export function signDelivery(
  body: string,
  now: number,
  secret: string = SANDBOX_KEYS.webhookSecrets[0],
): string {
  const seconds = Math.floor(now / 1_000);
  const v1 = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${v1}`;
}
