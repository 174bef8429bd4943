import type Stripe from 'stripe';
import type { PaymentProvider, ProviderReversal, ReversalKind, ReversalStatus } from './payment-provider.ts';
import type { StripeCall } from './stripe-call.ts';
import { idOf } from './stripe-customers.ts';
import { listAll, PAGE } from './stripe-lists.ts';

type ReversalCalls = Pick<
  PaymentProvider,
  'listReversals' | 'listReversalsSince' | 'getPaymentOf' | 'findInvoiceOf'
>;

/** What of a list is read. */
interface Selection {
  payment_intent?: string;
  created?: { gte: number };
}

/** The provider's calls for refunds and disputes. */
export function stripeReversals(stripe: Stripe, call: StripeCall): ReversalCalls {
  const readReversals = async (selection: Selection): Promise<ProviderReversal[]> => {
    const refunds = await listAll((page) =>
      call('list', () => stripe.refunds.list({ ...selection, ...page })),
    );
    const disputes = await listAll((page) =>
      call('list', () => stripe.disputes.list({ ...selection, ...page })),
    );
    return [
      ...refunds.map((refund) => {
        const status = refundStatus(refund.status);
        const reason = status === 'failed' ? (refund.failure_reason ?? refund.status) : refund.reason;
        return toReversal('refund', { ...refund, reason }, status);
      }),
      ...disputes.map((dispute) => toReversal('dispute', dispute, disputeStatus(dispute.status))),
    ];
  };
  return {
    async listReversals(invoice) {
      const payments = await call('list', () => stripe.invoicePayments.list({ invoice, limit: PAGE }));
      const found: ProviderReversal[] = [];
      for (const { payment } of payments.data) {
        const payment_intent = idOf(payment.payment_intent ?? null);
        if (payment_intent !== null) found.push(...(await readReversals({ payment_intent })));
      }
      return found;
    },
    listReversalsSince: (epochMs) => readReversals({ created: { gte: Math.floor(epochMs / 1_000) } }),
    async getPaymentOf(objectType, id) {
      if (objectType === 'refund') {
        return idOf((await call('refund', () => stripe.refunds.retrieve(id))).payment_intent);
      }
      if (objectType === 'dispute') {
        return idOf((await call('dispute', () => stripe.disputes.retrieve(id))).payment_intent);
      }
      return idOf((await call('charge', () => stripe.charges.retrieve(id))).payment_intent);
    },
    async findInvoiceOf(payment_intent) {
      const payments = await call('list', () =>
        stripe.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent }, limit: 1 }),
      );
      return idOf(payments.data[0]?.invoice ?? null);
    },
  };
}

/** What refunds and disputes have in common. */
type Reversal = Pick<Stripe.Refund, 'id' | 'payment_intent' | 'amount' | 'reason' | 'created'>;

function toReversal(
  kind: ReversalKind,
  { id, payment_intent, amount, reason, created }: Reversal,
  status: ReversalStatus,
): ProviderReversal {
  return {
    ...{ kind, id, paymentId: idOf(payment_intent), status },
    ...{ amountCents: amount, reason, createdAt: created * 1_000 },
  };
}

function refundStatus(status: string | null): ReversalStatus {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}

/** A status that this program does not know is treated like one in which the bank keeps the money. */
function disputeStatus(status: string): ReversalStatus {
  switch (status) {
    case 'won':
    case 'lost':
      return status;
    case 'warning_needs_response':
    case 'warning_under_review':
      return 'inquiry';
    case 'warning_closed':
    case 'prevented':
      return 'closed';
    default:
      return 'open';
  }
}
