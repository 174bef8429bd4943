import { z } from 'zod';
import { addPaymentMethod } from '../services/billing/customers/add-payment-method.ts';
import { createCustomer } from '../services/billing/customers/create-customer.ts';
import { createSetupIntent } from '../services/billing/customers/create-setup-intent.ts';
import { getCustomer } from '../services/billing/customers/get-customer.ts';
import { removePaymentMethod } from '../services/billing/customers/remove-payment-method.ts';
import { setDefaultPaymentMethod } from '../services/billing/customers/set-default-payment-method.ts';
import { updateBillingContact } from '../services/billing/customers/update-billing-contact.ts';
import { getBillingStatus } from '../services/billing/get-billing-status.ts';
import { getInvoice } from '../services/billing/invoices/get-invoice.ts';
import { getInvoiceUsage } from '../services/billing/invoices/get-invoice-usage.ts';
import { listInvoices } from '../services/billing/invoices/list-invoices.ts';
import {
  costSchema,
  invoiceDetailSchema,
  invoiceInput,
  invoiceSchema,
  invoiceUsageSchema,
} from '../services/billing/invoices/schema.ts';
import { getCost } from '../services/billing/months/get-cost.ts';
import {
  addPaymentMethodInput,
  billingStatusSchema,
  createCustomerInput,
  customerSchema,
  paymentMethodInput,
  setupIntentSchema,
  updateContactInput,
} from '../services/billing/schema.ts';
import { listSpendingLimits } from '../services/billing/spending/list-spending-limits.ts';
import { removeSpendingLimit } from '../services/billing/spending/remove-spending-limit.ts';
import {
  setSpendingLimitInput,
  spendingLimitInput,
  spendingLimitSchema,
} from '../services/billing/spending/schema.ts';
import { setSpendingLimit } from '../services/billing/spending/set-spending-limit.ts';
import { organizationProcedure, router } from './trpc.ts';

export const billingRouter = router({
  /** The guard decides by it; it also works when billing is off. */
  status: organizationProcedure.output(billingStatusSchema).query(({ ctx }) => getBillingStatus(ctx)),
  customer: organizationProcedure.output(customerSchema).query(({ ctx }) => getCustomer(ctx)),
  createCustomer: organizationProcedure
    .input(createCustomerInput)
    .output(customerSchema)
    .mutation(({ ctx, input }) => createCustomer(ctx, input)),
  updateContact: organizationProcedure
    .input(updateContactInput)
    .output(customerSchema)
    .mutation(({ ctx, input }) => updateBillingContact(ctx, input)),
  createSetupIntent: organizationProcedure
    .output(setupIntentSchema)
    .mutation(({ ctx }) => createSetupIntent(ctx)),
  addPaymentMethod: organizationProcedure
    .input(addPaymentMethodInput)
    .output(customerSchema)
    .mutation(({ ctx, input }) => addPaymentMethod(ctx, input)),
  setDefaultPaymentMethod: organizationProcedure
    .input(paymentMethodInput)
    .output(customerSchema)
    .mutation(({ ctx, input }) => setDefaultPaymentMethod(ctx, input)),
  removePaymentMethod: organizationProcedure
    .input(paymentMethodInput)
    .mutation(({ ctx, input }) => removePaymentMethod(ctx, input)),
  invoices: organizationProcedure.output(z.array(invoiceSchema)).query(({ ctx }) => listInvoices(ctx)),
  invoice: organizationProcedure
    .input(invoiceInput)
    .output(invoiceDetailSchema)
    .query(({ ctx, input }) => getInvoice(ctx, input)),
  limits: organizationProcedure
    .output(z.array(spendingLimitSchema))
    .query(({ ctx }) => listSpendingLimits(ctx)),
  setLimit: organizationProcedure
    .input(setSpendingLimitInput)
    .output(z.array(spendingLimitSchema))
    .mutation(({ ctx, input }) => setSpendingLimit(ctx, input)),
  removeLimit: organizationProcedure
    .input(spendingLimitInput)
    .mutation(({ ctx, input }) => removeSpendingLimit(ctx, input)),
  invoiceUsage: organizationProcedure
    .input(invoiceInput)
    .output(invoiceUsageSchema)
    .query(({ ctx, input }) => getInvoiceUsage(ctx, input)),
  cost: organizationProcedure.output(costSchema).query(({ ctx }) => getCost(ctx)),
});
