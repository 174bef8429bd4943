import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { isPostgres, type Trx } from '#db/client.ts';
import { newId } from '../../ids.ts';
import { missing } from './wire-error.ts';

/**
 * What the sandbox stores, in the SDK's own types: a field that the provider would send cannot be missing.
 */
export interface SandboxKinds {
  customer: Stripe.Customer;
  tax_id: Stripe.TaxId;
  setup_intent: Stripe.SetupIntent;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  invoice: Stripe.Invoice;
  credit_note: Stripe.CreditNote;
  charge: Stripe.Charge;
  invoice_payment: Stripe.InvoicePayment;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
}
export type SandboxKind = keyof SandboxKinds;

const PREFIXES: Record<SandboxKind, string> = {
  customer: 'cus',
  tax_id: 'txi',
  setup_intent: 'seti',
  payment_method: 'pm',
  payment_intent: 'pi',
  invoice: 'in',
  credit_note: 'cn',
  charge: 'ch',
  invoice_payment: 'inpay',
  refund: 're',
  dispute: 'du',
};
const ID_BYTES = 12;

/** Returns an unguessable id such as `cus_…`. */
export function newSandboxId(prefix: string): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('hex')}`;
}

/** The objects of the sandbox, within the transaction of one request. */
export class SandboxStore {
  private readonly trx: Trx;
  /** Epoch milliseconds. */
  readonly now: number;

  constructor(trx: Trx, now: number) {
    this.trx = trx;
    this.now = now;
  }

  /** The time in its wire format. */
  get seconds(): number {
    return Math.floor(this.now / 1_000);
  }

  newId(kind: SandboxKind): string {
    return newSandboxId(PREFIXES[kind]);
  }

  /** Stores a new object under its parent. */
  async insert<K extends SandboxKind>(kind: K, object: SandboxKinds[K], parent: string): Promise<void> {
    const row = { id: object.id, kind, parent, body: JSON.stringify(object), sequence: newId(this.now) };
    await this.trx
      .insertInto('sandbox_objects')
      .values({ ...row, created_at: this.now, due_at: null })
      .execute();
  }

  /**
   * Returns an object, and locks it until this request has ended.
   * @throws WireError 404, also for a deleted one
   */
  async get<K extends SandboxKind>(kind: K, id: string): Promise<SandboxKinds[K]> {
    const object = await this.read(kind, id);
    if ('deleted' in object) throw missing(kind, id);
    return object;
  }

  /**
   * Returns an object, or what is left of a deleted one.
   * @throws WireError 404
   */
  async read<K extends SandboxKind>(kind: K, id: string): Promise<SandboxKinds[K]> {
    const row = await this.trx
      .selectFrom('sandbox_objects')
      .select('body')
      .where('id', '=', id)
      .where('kind', '=', kind)
      .$if(isPostgres(this.trx), (query) => query.forUpdate())
      .executeTakeFirst();
    if (!row) throw missing(kind, id);
    // Written by `insert` or `save` of the same kind.
    return JSON.parse(row.body) as SandboxKinds[K];
  }

  /** @throws WireError 404 */
  async parentOf(id: string): Promise<string> {
    const row = await this.trx
      .selectFrom('sandbox_objects')
      .select('parent')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw missing('object', id);
    return row.parent;
  }

  async save<K extends SandboxKind>(object: SandboxKinds[K], parent?: string): Promise<void> {
    const values = { body: JSON.stringify(object), ...(parent === undefined ? {} : { parent }) };
    await this.trx.updateTable('sandbox_objects').set(values).where('id', '=', object.id).execute();
  }

  /** Leaves nothing of an object but its id. */
  async markDeleted(kind: SandboxKind, id: string): Promise<void> {
    const body = JSON.stringify({ id, object: kind, deleted: true });
    await this.trx.updateTable('sandbox_objects').set({ body }).where('id', '=', id).execute();
  }

  async remove(id: string): Promise<void> {
    await this.trx.deleteFrom('sandbox_objects').where('id', '=', id).execute();
  }

  /** Returns the children of an object, newest first. */
  async list<K extends SandboxKind>(kind: K, parent: string, limit: number): Promise<SandboxKinds[K][]> {
    const rows = await this.trx
      .selectFrom('sandbox_objects')
      .select('body')
      .where('parent', '=', parent)
      .where('kind', '=', kind)
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    // Written by `insert` or `save` of the same kind.
    return rows.map(({ body }) => JSON.parse(body) as SandboxKinds[K]);
  }

  /** Returns all objects of a kind that began after an instant in seconds, newest first. */
  async listSince<K extends SandboxKind>(
    kind: K,
    seconds: number,
    limit: number,
  ): Promise<SandboxKinds[K][]> {
    const rows = await this.trx
      .selectFrom('sandbox_objects')
      .select('body')
      .where('kind', '=', kind)
      .where('created_at', '>=', seconds * 1_000)
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    // Written by `insert` or `save` of the same kind.
    return rows.map(({ body }) => JSON.parse(body) as SandboxKinds[K]);
  }

  /** Writes an event, which is delivered after the request has ended, or some time later. */
  async emit(type: string, object: { id: string; object: string }, delayMs = 0): Promise<void> {
    const event = {
      id: newSandboxId('evt'),
      object: 'event',
      api_version: null,
      created: this.seconds,
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
    };
    const row = { id: event.id, kind: 'event', parent: object.id, body: JSON.stringify(event) };
    await this.trx
      .insertInto('sandbox_objects')
      .values({ ...row, sequence: newId(this.now), created_at: this.now, due_at: this.now + delayMs })
      .execute();
  }
}
