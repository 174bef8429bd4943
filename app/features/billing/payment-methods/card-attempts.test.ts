import type { SetupIntentResult } from '@stripe/stripe-js';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#server/error-codes.ts';
import type { Customer } from '#server/services/billing/schema.ts';
import { apiErrorOf } from '../../../i18n/errors/api-error-of.ts';
import { CardAttempts, type CardPorts } from './card-attempts.ts';

const CUSTOMER = { id: 'cus_1' } as Customer;
const succeeded = (id: string) => ({ setupIntent: { id, status: 'succeeded' } }) as SetupIntentResult;
const failed = (code: string, message?: string) =>
  ({ error: { type: 'card_error', code, message } }) as SetupIntentResult;
const refusal = (code: ErrorCode) =>
  apiErrorOf({ code, params: {}, fields: [], message: '', request_id: '' });

/** Ports that record their calls; each response of a list is given once, the last one repeatedly. */
function prepare(responses: {
  confirm: SetupIntentResult[];
  retrieve?: SetupIntentResult;
  keep?: (Customer | Error)[];
  submit?: Awaited<ReturnType<CardPorts['submit']>>;
}) {
  const calls: string[] = [];
  const next = <T>(list: T[]): T => (list.length > 1 ? list.shift() : list[0]) as T;
  let setups = 0;
  const ports: CardPorts = {
    submit: async () => responses.submit ?? {},
    async createSetup() {
      setups += 1;
      calls.push('create');
      return `secret_${setups}`;
    },
    async confirm(secret) {
      calls.push(`confirm ${secret}`);
      return next(responses.confirm);
    },
    async retrieve(secret) {
      calls.push(`retrieve ${secret}`);
      return responses.retrieve ?? failed('resource_missing');
    },
    async keep(id) {
      calls.push(`keep ${id}`);
      const response = next(responses.keep ?? [CUSTOMER]);
      if (response instanceof Error) throw response;
      return response;
    },
  };
  return { ports, calls, attempts: new CardAttempts() };
}

describe('entering a card', () => {
  it('starts a setup, confirms it and has the server store the card', async () => {
    const { attempts, ports, calls } = prepare({ confirm: [succeeded('seti_1')] });
    expect(await attempts.run(ports)).toEqual({ kind: 'added', customer: CUSTOMER });
    expect(calls).toEqual(['create', 'confirm secret_1', 'keep seti_1']);
  });

  it('calls no one while something is missing', async () => {
    const submit = { error: { type: 'validation_error' as const, message: 'incomplete' } };
    const { attempts, ports, calls } = prepare({ confirm: [], submit });
    expect(await attempts.run(ports)).toEqual({ kind: 'incomplete' });
    expect(calls).toEqual([]);
  });

  it('shows the provider’s message for a declined card, and continues with the same setup', async () => {
    const { attempts, ports, calls } = prepare({
      confirm: [failed('card_declined', 'Your card was declined.'), failed('odd'), succeeded('seti_1')],
    });
    expect(await attempts.run(ports)).toEqual({ kind: 'refused', message: 'Your card was declined.' });
    expect(await attempts.run(ports)).toEqual({ kind: 'refused', message: null });
    expect((await attempts.run(ports)).kind).toBe('added');
    expect(calls.filter((call) => call === 'create')).toHaveLength(1);
  });

  it('starts another setup after one that has expired', async () => {
    const { attempts, ports, calls } = prepare({
      confirm: [failed('setup_intent_unexpected_state'), succeeded('seti_2')],
    });
    expect(await attempts.run(ports)).toEqual({ kind: 'expired' });
    expect((await attempts.run(ports)).kind).toBe('added');
    expect(calls).toEqual([
      'create',
      'confirm secret_1',
      'retrieve secret_1',
      'create',
      'confirm secret_2',
      'keep seti_2',
    ]);
  });

  it('continues after a success whose response was lost', async () => {
    const { attempts, ports, calls } = prepare({
      confirm: [failed('setup_intent_unexpected_state')],
      retrieve: succeeded('seti_1'),
    });
    expect((await attempts.run(ports)).kind).toBe('added');
    expect(calls.at(-1)).toBe('keep seti_1');
  });

  it('does not ask for the card again when only the server was down', async () => {
    const { attempts, ports, calls } = prepare({
      confirm: [succeeded('seti_1')],
      keep: [refusal('payments_unavailable'), CUSTOMER],
    });
    await expect(attempts.run(ports)).rejects.toThrow();
    expect((await attempts.run(ports)).kind).toBe('added');
    expect(calls).toEqual(['create', 'confirm secret_1', 'keep seti_1', 'keep seti_1']);
  });

  it('asks for the card again when the server does not know the setup', async () => {
    const { attempts, ports, calls } = prepare({
      confirm: [succeeded('seti_1'), succeeded('seti_2')],
      keep: [refusal('setup_not_found'), CUSTOMER],
    });
    await expect(attempts.run(ports)).rejects.toThrow();
    expect((await attempts.run(ports)).kind).toBe('added');
    expect(calls.slice(-2)).toEqual(['confirm secret_2', 'keep seti_2']);
  });
});
