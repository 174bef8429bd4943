import { BILLING_CONTACT } from '../billing/billing.ts';
import type { TenantIds } from './fill-organization.ts';
import {
  type Example,
  inside,
  open,
  type ProcedureInput,
  personal,
  type RouteRequest,
  type Who,
} from './surface-example.ts';

/** Every member sees the costs; no credential does. */
const sees: Who = { ...inside, needs: 'read', credential: 'never', operator: 'read', isNaming: false };
/** Money is up to the owner, also while an unpaid invoice is the reason of a suspension: not even an operator changes a card. */
const pays: Who = { ...sees, needs: 'owner', operator: 'never', isOpenWhileSuspended: true };
const spareOf = ({ sparePaymentMethod }: TenantIds) => ({ payment_method_id: sparePaymentMethod });
const cardOf = ({ paymentMethod }: TenantIds) => ({ payment_method_id: paymentMethod });
const setupOf = ({ setup }: TenantIds) => ({ setup_intent_id: setup });
const invoiceOf = ({ invoice }: TenantIds) => ({ invoice_id: invoice });
const limitOf = ({ site }: TenantIds) => ({
  scope: 'site',
  resource_id: site,
  amount_cents: 100_000,
  action: 'notify',
});
const setLimitOf = ({ spendingLimit }: TenantIds) => ({ limit_id: spendingLimit });
const linkOf = ({ invoiceToken }: TenantIds) => ({ token: invoiceToken });
const holds: Who = {
  ...open('whoever gets the last invoice of a deleted organization has no account in it'),
  isNaming: true,
  isOpenToHolders: true,
};
const contact = () => ({ billing_name: 'Grace Hopper' });

/** The billing procedures, in an order in which each succeeds. */
export const BILLING_PROCEDURES: Record<string, Example<ProcedureInput>> = {
  'billing.status': { ...sees, request: () => ({}) },
  'billing.customer': { ...sees, request: () => ({}) },
  'billing.createCustomer': { ...pays, request: () => ({ ...BILLING_CONTACT }) },
  'billing.updateContact': { ...pays, request: contact },
  'billing.createSetupIntent': { ...pays, request: () => ({}) },
  'billing.addPaymentMethod': { ...pays, isNaming: true, request: setupOf },
  'billing.setDefaultPaymentMethod': { ...pays, isNaming: true, request: spareOf },
  'billing.removePaymentMethod': { ...pays, isNaming: true, request: cardOf },
  'billing.invoices': { ...sees, request: () => ({}) },
  'billing.invoice': { ...sees, isNaming: true, request: invoiceOf },
  'billing.limits': { ...sees, request: () => ({}) },
  'billing.setLimit': { ...pays, isNaming: true, request: limitOf },
  'billing.removeLimit': { ...pays, isNaming: true, request: setLimitOf },
  'billing.invoiceUsage': { ...sees, isNaming: true, request: invoiceOf },
  'billing.cost': { ...sees, request: () => ({}) },
};

/** The same routes. */
export const BILLING_ROUTES: Record<string, Example<RouteRequest>> = {
  getBillingStatus: { ...sees, request: () => ({}) },
  getBillingCustomer: { ...sees, request: () => ({}) },
  createBillingCustomer: { ...pays, request: () => ({ json: BILLING_CONTACT }) },
  updateBillingContact: { ...pays, request: () => ({ json: contact() }) },
  createSetupIntent: { ...pays, request: () => ({}) },
  addPaymentMethod: { ...pays, isNaming: true, request: (ids) => ({ json: setupOf(ids) }) },
  setDefaultPaymentMethod: { ...pays, isNaming: true, request: (ids) => ({ json: spareOf(ids) }) },
  removePaymentMethod: { ...pays, isNaming: true, request: (ids) => ({ params: cardOf(ids) }) },
  listInvoices: { ...sees, request: () => ({}) },
  getInvoice: { ...sees, isNaming: true, request: (ids) => ({ params: invoiceOf(ids) }) },
  getInvoiceUsage: { ...sees, isNaming: true, request: (ids) => ({ params: invoiceOf(ids) }) },
  getInvoicePdf: { ...sees, isNaming: true, request: (ids) => ({ params: invoiceOf(ids) }) },
  getInvoiceCsv: { ...sees, isNaming: true, request: (ids) => ({ params: invoiceOf(ids) }) },
  openHostedInvoice: { ...personal, isNaming: true, request: (ids) => ({ params: invoiceOf(ids) }) },
  openLinkedInvoice: { ...holds, request: (ids) => ({ json: linkOf(ids) }) },
  getLinkedInvoicePdf: { ...holds, request: (ids) => ({ json: linkOf(ids) }) },
  payLinkedInvoice: { ...holds, request: (ids) => ({ json: linkOf(ids) }) },
  listSpendingLimits: { ...sees, request: () => ({}) },
  setSpendingLimit: { ...pays, isNaming: true, request: (ids) => ({ json: limitOf(ids) }) },
  removeSpendingLimit: { ...pays, isNaming: true, request: (ids) => ({ params: setLimitOf(ids) }) },
  getCost: { ...sees, request: () => ({}) },
};
