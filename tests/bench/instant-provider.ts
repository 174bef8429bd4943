import type { PaymentProvider, ProviderInvoice } from '#server/payments/payment-provider.ts';

/** A provider that responds immediately from memory, so that only our own work takes time. */
export function instantProvider(): PaymentProvider {
  const invoices = new Map<string, ProviderInvoice>();
  const change = (id: string, values: Partial<ProviderInvoice>): ProviderInvoice => {
    const known = invoices.get(id);
    if (!known) throw new Error(`there is no invoice ${id}`);
    const changed = { ...known, ...values };
    invoices.set(id, changed);
    return changed;
  };
  const never = async (): Promise<never> => {
    throw new Error('nobody asks for this at the end of a month');
  };
  return {
    mode: 'sandbox',
    publishableKey: '',
    createCustomer: never,
    updateCustomer: never,
    setTaxIds: never,
    createSetup: never,
    getSetup: never,
    getCard: never,
    listCards: never,
    isCustomerDeleted: never,
    detachCard: never,
    markPaidElsewhere: never,
    voidInvoice: never,
    deleteDraft: never,
    createCreditNote: never,
    sumPaidByCards: never,
    listReversals: never,
    listReversalsSince: never,
    getPaymentOf: never,
    findInvoiceOf: never,
    readEvent: () => {
      throw new Error('nothing is delivered');
    },
    findInvoice: async () => null,
    async createInvoice({ key, customerId }) {
      const id = `in_${key}`;
      invoices.set(id, {
        ...{ id, key, customerId, status: 'draft', number: null, hostedUrl: null, lineCount: 0 },
        ...{
          subtotalCents: 0,
          taxCents: 0,
          totalCents: 0,
          startingBalanceCents: null,
          amountDueCents: 0,
          amountRemainingCents: 0,
          amountPaidCents: 0,
        },
      });
      return change(id, {});
    },
    async addInvoiceLines(id, _, lines) {
      const sum = (amounts: readonly { amountCents: number }[]) =>
        amounts.reduce((all, { amountCents }) => all + amountCents, 0);
      const subtotalCents = sum(lines);
      const taxCents = sum(lines.flatMap(({ taxes }) => taxes));
      const totalCents = subtotalCents + taxCents;
      return change(id, {
        subtotalCents,
        taxCents,
        totalCents,
        amountDueCents: totalCents,
        lineCount: lines.length,
      });
    },
    finalizeInvoice: async (id, key) => change(id, { status: 'open', number: key }),
    async payInvoice(id) {
      const { amountDueCents } = change(id, { status: 'paid' });
      change(id, { amountPaidCents: amountDueCents });
      return { outcome: 'paid', detail: null };
    },
    getInvoice: async (id) => change(id, {}),
  };
}
