import { describe, expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { SANDBOX_KEYS } from './sandbox/sandbox-keys.ts';
import { createStripeProvider } from './stripe-provider.ts';

/** Credits an invoice of which something remains to be paid, and returns what the provider is asked for. */
async function askedFor(kind: 'credit' | 'refund', amountCents: number, remainingCents: number) {
  const asked: string[] = [];
  const respond = async (url: string, init?: RequestInit) => {
    if (url.endsWith('/refunds')) throw new Error('nothing is refunded by itself');
    if (init?.method === 'POST') {
      asked.push(String(init.body));
      return Response.json({
        ...{ id: 'cn_1', object: 'credit_note', refunds: [{ refund: 're_1' }] },
        pre_payment_amount: remainingCents === 0 ? 0 : amountCents,
      });
    }
    if (/credit_notes|invoice_payments/.test(url))
      return Response.json({ object: 'list', data: [], has_more: false });
    const lines = { has_more: false, data: [] };
    const status = remainingCents === 0 ? 'paid' : 'open';
    return Response.json({ id: 'in_1', object: 'invoice', status, amount_remaining: remainingCents, lines });
  };
  const settings = { mode: 'sandbox' as const, ...SANDBOX_KEYS };
  const provider = createStripeProvider(settings, await createTestApp(), (input, init) =>
    respond(String(input), init),
  );
  const made = await provider.createCreditNote('key', 'in_1', amountCents, { memo: 'An outage', kind });
  return { made, ...Object.fromEntries(new URLSearchParams(asked.join('&'))) };
}

describe('a credit note at the payment provider', () => {
  it('is told to nobody there, since Portage writes to the billing contact itself', async () => {
    expect(await askedFor('credit', 100, 0)).toMatchObject({ email_type: 'none', memo: 'An outage' });
  });

  it('keeps for the next invoice what was paid, or lowers what is due, and names its refund', async () => {
    expect(await askedFor('credit', 100, 0)).toMatchObject({ amount: '100', credit_amount: '100' });
    expect(await askedFor('credit', 100, 345)).not.toHaveProperty('credit_amount');
    expect(await askedFor('credit', 100, 345)).toMatchObject({ made: { isEarly: true } });
    // Never both: a part of it was paid meanwhile.
    await expect(askedFor('credit', 300, 245)).rejects.toMatchObject({ code: 'amount_too_large' });
    const refund = await askedFor('refund', 100, 0);
    expect(refund).toMatchObject({
      amount: '100',
      refund_amount: '100',
      made: { isEarly: false, refundIds: ['re_1'] },
    });
    expect(refund).not.toHaveProperty('credit_amount');
  });
});
